// The planar chain in SUNDIALS IDA with KLU: stabilised index 2 form (Gear, Gupta, Leimkuhler),
// unknowns link by link (x, y, px, py, lambda, mu), analytic sparse Jacobian.
//
//   q' = p - G^T mu,   p' = -V_q - G^T lambda,   g(q) = 0,   G p = 0
#pragma once

#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "baseline/chain.hpp"

namespace baseline {

class ChainIda {
 public:
  explicit ChainIda(int n) : n_(n) {
    SUNContext_Create(nullptr, &context_);
    make_pattern();
  }
  ~ChainIda() { SUNContext_Free(&context_); }
  ChainIda(const ChainIda&) = delete;
  ChainIda& operator=(const ChainIda&) = delete;

  long steps = 0;

  /// From rest at c to time t_end; timed(work) runs the integration proper. False if IDA gave up.
  template <class Timed>
  bool run(Chain& c, double t_end, double tolerance, Timed&& timed) {
    const sunindextype size = 6 * sunindextype(n_);
    N_Vector y = N_VNew_Serial(size, context_), dy = N_VClone(y), id = N_VClone(y),
             weight = N_VClone(y);
    consistent_start(c, N_VGetArrayPointer(y), N_VGetArrayPointer(dy));
    for (sunindextype k = 0; k < size; ++k) {
      N_VGetArrayPointer(id)[k] = k % 6 < 4;  // the multipliers are algebraic
      N_VGetArrayPointer(weight)[k] = k % 6 < 4 ? tolerance : 1.0;
    }
    void* ida = IDACreate(context_);
    IDAInit(ida, residual, 0, y, dy);
    IDASetUserData(ida, this);
    IDASetErrFile(ida, nullptr);
    IDASVtolerances(ida, 1e-30 * tolerance, weight);
    IDASetId(ida, id);
    IDASetSuppressAlg(ida, SUNTRUE);
    IDASetMaxNumSteps(ida, 1'000'000'000);
    SUNMatrix matrix = SUNSparseMatrix(size, size, sunindextype(row_.size()), CSC_MAT, context_);
    SUNLinearSolver solver = SUNLinSol_KLU(y, matrix, context_);
    IDASetLinearSolver(ida, solver, matrix);
    IDASetJacFn(ida, jacobian);
    IDASetStopTime(ida, t_end);
    int flag = 0;
    timed([&] {
      double t = 0;
      while (t < t_end && flag >= 0) flag = IDASolve(ida, t_end, &t, y, dy, IDA_ONE_STEP);
    });
    IDAGetNumSteps(ida, &steps);
    const double* a = N_VGetArrayPointer(y);
    for (int i = 0; i < n_; ++i) c.x[i] = a[6 * i], c.y[i] = a[6 * i + 1];
    IDAFree(&ida);
    SUNLinSolFree(solver);
    SUNMatDestroy(matrix);
    for (N_Vector v : {y, dy, id, weight}) N_VDestroy(v);
    return flag >= 0;
  }

 private:
  /// lambda from G G^T lambda = -G V_q, at rest.
  void consistent_start(const Chain& c, double* y, double* dy) const {
    const int n = n_;
    std::vector<double> dx(n + 1), dz(n + 1), d(n), l(n), b(n + 1);
    for (int i = 0; i < n; ++i)
      dx[i] = c.x[i] - (i ? c.x[i - 1] : 0), dz[i] = c.y[i] - (i ? c.y[i - 1] : 0);
    d[0] = 1, b[0] = -dz[0];
    for (int i = 1; i < n; ++i) {
      const double o = -(dx[i - 1] * dx[i] + dz[i - 1] * dz[i]);
      l[i] = o / d[i - 1];
      d[i] = 2 - l[i] * o;
      b[i] = -l[i] * b[i - 1];
    }
    b[n - 1] /= d[n - 1];
    for (int i = n - 2; i >= 0; --i) b[i] = b[i] / d[i] - l[i + 1] * b[i + 1];
    for (int i = 0; i < n; ++i) {
      double *a = y + 6 * i, *da = dy + 6 * i;
      a[0] = c.x[i], a[1] = c.y[i], a[2] = a[3] = a[5] = 0, a[4] = b[i];
      da[0] = da[1] = da[4] = da[5] = 0;
      da[2] = -(b[i] * dx[i] - b[i + 1] * dx[i + 1]);
      da[3] = -1 - (b[i] * dz[i] - b[i + 1] * dz[i + 1]);
    }
  }

  static int residual(realtype, N_Vector yv, N_Vector dv, N_Vector rv, void* self) {
    const int n = static_cast<ChainIda*>(self)->n_;
    const double *y = N_VGetArrayPointer(yv), *d = N_VGetArrayPointer(dv);
    double* r = N_VGetArrayPointer(rv);
    double dx = y[0], dy = y[1], px = 0, py = 0;
    for (int i = 0; i < n; ++i, y += 6, d += 6, r += 6) {
      double ex = 0, ey = 0, l = 0, m = 0;
      if (i + 1 < n) ex = y[6] - y[0], ey = y[7] - y[1], l = y[10], m = y[11];
      r[0] = d[0] - y[2] + y[5] * dx - m * ex;
      r[1] = d[1] - y[3] + y[5] * dy - m * ey;
      r[2] = d[2] + y[4] * dx - l * ex;
      r[3] = d[3] + 1 + y[4] * dy - l * ey;
      r[4] = 0.5 * (dx * dx + dy * dy - 1);
      r[5] = dx * (y[2] - px) + dy * (y[3] - py);
      px = y[2], py = y[3], dx = ex, dy = ey;
    }
    return 0;
  }

  /// emit(row, column, value), always in the same order.
  template <class Emit>
  static void entries(int n, double cj, const double* y, Emit&& emit) {
    for (int i = 0; i < n; ++i) {
      const double* a = y + 6 * i;
      const int k = 6 * i, before = k - 6, after = k + 6;
      const bool first = i == 0, last = i + 1 == n;
      const double d[2] = {a[0] - (first ? 0 : a[-6]), a[1] - (first ? 0 : a[-5])};
      const double v[2] = {a[2] - (first ? 0 : a[-4]), a[3] - (first ? 0 : a[-3])};
      const double e[2] = {last ? 0 : a[6] - a[0], last ? 0 : a[7] - a[1]};
      const double l0 = a[4], m0 = a[5], l1 = last ? 0 : a[10], m1 = last ? 0 : a[11];
      for (int c = 0; c < 2; ++c) {
        emit(k + c, k + c, cj + m0 + m1), emit(k + c, k + 2 + c, -1), emit(k + c, k + 5, d[c]);
        emit(k + 2 + c, k + c, l0 + l1), emit(k + 2 + c, k + 2 + c, cj);
        emit(k + 2 + c, k + 4, d[c]);
        emit(k + 4, k + c, d[c]);
        emit(k + 5, k + c, v[c]), emit(k + 5, k + 2 + c, d[c]);
        if (!first) {
          emit(k + c, before + c, -m0), emit(k + 2 + c, before + c, -l0);
          emit(k + 4, before + c, -d[c]);
          emit(k + 5, before + c, -v[c]), emit(k + 5, before + 2 + c, -d[c]);
        }
        if (!last) {
          emit(k + c, after + c, -m1), emit(k + c, after + 5, -e[c]);
          emit(k + 2 + c, after + c, -l1), emit(k + 2 + c, after + 4, -e[c]);
        }
      }
    }
  }
  /// Compressed columns, and where in them each emitted entry goes.
  void make_pattern() {
    std::vector<std::pair<long, long>> emitted;
    const std::vector<double> zeros(6 * std::size_t(n_));
    entries(n_, 1, zeros.data(), [&](long r, long c, double) { emitted.emplace_back(c, r); });
    std::vector<std::size_t> order(emitted.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return emitted[a] < emitted[b]; });
    slot_.resize(order.size()), row_.resize(order.size());
    column_start_.assign(6 * std::size_t(n_) + 1, 0);
    for (std::size_t k = 0; k < order.size(); ++k) {
      slot_[order[k]] = k;
      row_[k] = emitted[order[k]].second;
      ++column_start_[emitted[order[k]].first + 1];
    }
    std::partial_sum(column_start_.begin(), column_start_.end(), column_start_.begin());
  }
  static int jacobian(realtype, realtype cj, N_Vector y, N_Vector, N_Vector, SUNMatrix matrix,
                      void* self, N_Vector, N_Vector, N_Vector) {
    const auto& s = *static_cast<ChainIda*>(self);
    std::copy(s.column_start_.begin(), s.column_start_.end(),
              SUNSparseMatrix_IndexPointers(matrix));
    std::copy(s.row_.begin(), s.row_.end(), SUNSparseMatrix_IndexValues(matrix));
    double* data = SUNSparseMatrix_Data(matrix);
    const std::size_t* slot = s.slot_.data();
    entries(s.n_, cj, N_VGetArrayPointer(y), [&](int, int, double v) { data[*slot++] = v; });
    return 0;
  }

  int n_;
  SUNContext context_ = nullptr;
  std::vector<std::size_t> slot_;
  std::vector<sunindextype> row_, column_start_;
};

}  // namespace baseline
