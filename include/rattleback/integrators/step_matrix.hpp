// The Newton matrix of a step with stages and constraints, sparse. With the slopes K_j = X_H(Z_j)
// of the stages and the multipliers lambda as unknowns, D = X_g at z+ and J H_j = X_H'(Z_j),
//
//   K_j - X_H(z+ + h sum_l a_jl K_l) = 0         I - h a_jl J H_j    -J H_j D
//   g(z+ + h sum_l b_l K_l)/h = 0                b_l g_z(z-)         g_z(z-) D/h
//
// (a^ in place of a for momenta; the last block is 0 where g is holonomic). It has a limit as
// h -> 0. Coordinates are eliminated in an order that fills little, each with all its stages, and a
// multiplier after the last coordinate that its constraint contains: then its pivot is not zero.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "rattleback/expression/sparse_derivatives.hpp"
#include "rattleback/solve/sparse_lu.hpp"
#include "rattleback/solve/tableau.hpp"

namespace rattleback {

/// Rows of H_zz and of X_g by their nonzeros.
class StepPattern {
 public:
  /// Value `value` of an array, times `sign`, in this column.
  struct Entry {
    int column, value, sign;
  };

  explicit StepPattern(const SparseDerivatives& d)
      : n_(d.dimension),
        m_(d.constraints),
        holonomic_(
            std::ranges::all_of(d.slope_places, [&](const auto& at) { return at.column < n_; })),
        hessian_(2 * n_),
        slopes_(m_),
        fields_(2 * n_) {
    for (int k = 0; k < static_cast<int>(d.hessian_places.size()); ++k) {
      const auto [i, j] = d.hessian_places[k];
      hessian_[i].push_back({j, k, 1});
      if (i != j) hessian_[j].push_back({i, k, 1});
    }
    for (int k = 0; k < static_cast<int>(d.slope_places.size()); ++k) {
      const auto [i, c] = d.slope_places[k];
      slopes_[i].push_back({c, k, 1});
      fields_[conjugate(c)].push_back({i, k, sign(c)});
    }
  }
  int dimension() const { return n_; }
  int constraints() const { return m_; }
  bool holonomic() const { return holonomic_; }
  /// Of component r of X_H = J H_z: nonzeros of its slopes, up to the sign -sign(r).
  const std::vector<Entry>& field_slopes(int r) const { return hessian_[conjugate(r)]; }
  const std::vector<Entry>& hessian(int r) const { return hessian_[r]; }
  const std::vector<Entry>& slopes(int i) const { return slopes_[i]; }
  /// Component c of X_gk for every k that has one.
  const std::vector<Entry>& fields(int c) const { return fields_[c]; }
  int conjugate(int c) const { return c < n_ ? c + n_ : c - n_; }
  /// X_g has g_p among its q, -g_q among its p: the sign of slope c in component conjugate(c).
  int sign(int c) const { return c < n_ ? -1 : 1; }

  /// Coordinates that share a term of H or a constraint.
  CouplingPattern couplings() const {
    CouplingPattern coupled(n_);
    for (int r = 0; r < 2 * n_; ++r)
      for (const Entry& e : hessian_[r]) coupled[r % n_].push_back(e.column % n_);
    for (const auto& row : slopes_)
      if (static_cast<int>(row.size()) <= longest_clique)
        for (const Entry& a : row)
          for (const Entry& b : row) coupled[a.column % n_].push_back(b.column % n_);
    return normalised(coupled);
  }

 private:
  /// A constraint of more coordinates is a border of the matrix: it couples what it must anyway.
  static constexpr int longest_clique = 64;

  int n_, m_;
  bool holonomic_;
  std::vector<std::vector<Entry>> hessian_, slopes_, fields_;
};

/// Values of the derivatives that the matrix consists of.
template <class T>
struct StepValues {
  std::vector<std::vector<T>> hessian;  ///< H_zz at each stage
  std::vector<T> before, after;         ///< g_z at z+ and at z-
};

template <class T>
class StepMatrix {
 public:
  StepMatrix(std::shared_ptr<const StepPattern> pattern, int stages)
      : pattern_(std::move(pattern)), stages_(stages), lu_(make()) {}

  int unknowns() const { return multiplier(pattern_->constraints()); }
  template <class R>
  FactorReport factor(const Tableau<R>& t, const R& h, const StepValues<T>& v) {
    T* out = lu_.values().data();
    visit(
        t.stages(), [&](int, int) { *out++ = T(1); },
        [&](int j, int, int l, const Entry& e, int sign) {
          const R weight = h * (e.column < pattern_->dimension() ? t.a(j, l) : t.a_hat(j, l));
          *out++ = v.hessian[j][e.value] * T(R(-sign * weight));
        },
        [&](int j, int, const Entry& e, const Entry& f, int sign) {
          *out++ = v.hessian[j][e.value] * v.before[f.value] * T(-sign * f.sign);
        },
        [&](int, int l, const Entry& e) { *out++ = v.after[e.value] * T(t.b[l]); },
        [&](int, const Entry& e, const Entry& f) {
          *out++ = v.after[e.value] * v.before[f.value] * T(R(R(f.sign) / h));
        });
    return lu_.factor();
  }
  template <class Vec>
  void solve(Vec& b) const {
    lu_.solve(b);
  }

 private:
  using Entry = StepPattern::Entry;

  int unknown(int stage, int component) const {
    return 2 * pattern_->dimension() * stage + component;
  }
  int multiplier(int k) const { return 2 * pattern_->dimension() * stages_ + k; }

  /// Every term of the matrix, in one order: identity, stages, stages by lambda, g by stages, g by
  /// lambda.
  template <class One, class Stage, class ByLambda, class Land, class LandByLambda>
  void visit(int stages, One&& one, Stage&& stage, ByLambda&& by_lambda, Land&& land,
             LandByLambda&& land_by_lambda) const {
    const StepPattern& p = *pattern_;
    for (int j = 0; j < stages; ++j)
      for (int r = 0; r < 2 * p.dimension(); ++r) {
        one(j, r);
        for (const Entry& e : p.field_slopes(r)) {
          for (int l = 0; l < stages; ++l) stage(j, r, l, e, -p.sign(r));
          for (const Entry& f : p.fields(e.column)) by_lambda(j, r, e, f, -p.sign(r));
        }
      }
    for (int i = 0; i < p.constraints(); ++i)
      for (const Entry& e : p.slopes(i)) {
        for (int l = 0; l < stages; ++l) land(i, l, e);
        if (!p.holonomic())
          for (const Entry& f : p.fields(e.column)) land_by_lambda(i, e, f);
      }
  }

  SparseLu<T> make() const {
    std::vector<MatrixPlace> places;
    visit(
        stages_,
        [&](int j, int r) {
          places.push_back({unknown(j, r), unknown(j, r)});
        },
        [&](int j, int r, int l, const Entry& e, int) {
          places.push_back({unknown(j, r), unknown(l, e.column)});
        },
        [&](int j, int r, const Entry&, const Entry& f, int) {
          places.push_back({unknown(j, r), multiplier(f.column)});
        },
        [&](int i, int l, const Entry& e) {
          places.push_back({multiplier(i), unknown(l, e.column)});
        },
        [&](int i, const Entry&, const Entry& f) {
          places.push_back({multiplier(i), multiplier(f.column)});
        });
    return SparseLu<T>(unknowns(), places, order());
  }
  std::vector<int> order() const {
    const int n = pattern_->dimension();
    const std::vector<int> coordinates = fill_reducing_ordering(pattern_->couplings());
    std::vector<int> rank(n), result;
    for (int k = 0; k < n; ++k) rank[coordinates[k]] = k;
    std::vector<std::vector<int>> after(n);  // the multipliers that wait for a coordinate
    for (int i = 0; i < pattern_->constraints(); ++i) {
      int last = 0;
      for (const Entry& e : pattern_->slopes(i)) last = std::max(last, rank[e.column % n]);
      after[last].push_back(i);
    }
    for (int k = 0; k < n; ++k) {
      for (int half = 0; half < 2; ++half)
        for (int j = 0; j < stages_; ++j) result.push_back(unknown(j, half * n + coordinates[k]));
      for (const int i : after[k]) result.push_back(multiplier(i));
    }
    return result;
  }

  std::shared_ptr<const StepPattern> pattern_;
  int stages_;
  SparseLu<T> lu_;
};

/// N = {{g, H}, g}: N_ij = (g_zz X_H)_i . X_gj - X_gi . H_zz X_gj, symmetric where g = {g, H} = 0.
template <class T>
class HiddenMatrix {
 public:
  explicit HiddenMatrix(std::shared_ptr<const StepPattern> pattern)
      : pattern_(std::move(pattern)), lu_(make()) {}

  /// From H_zz, g_z and the derivative of the latter along X_H. The report counts negative pivots.
  FactorReport factor(const std::vector<T>& hessian, const std::vector<T>& slopes,
                      const std::vector<T>& turning) {
    T* out = lu_.values().data();
    visit([&](int, const Entry& e,
              const Entry& f) { *out++ = turning[e.value] * slopes[f.value] * T(f.sign); },
          [&](int, const Entry& e, const Entry& h, const Entry& f) {
            *out++ = slopes[e.value] * hessian[h.value] * slopes[f.value] *
                     T(-pattern_->sign(e.column) * f.sign);
          });
    return lu_.factor();
  }
  template <class Vec>
  void solve(Vec& b) const {
    lu_.solve(b);
  }

 private:
  using Entry = StepPattern::Entry;

  template <class Turn, class Push>
  void visit(Turn&& turn, Push&& push) const {
    const StepPattern& p = *pattern_;
    for (int i = 0; i < p.constraints(); ++i)
      for (const Entry& e : p.slopes(i)) {
        if (!p.holonomic())
          for (const Entry& f : p.fields(e.column)) turn(i, e, f);
        for (const Entry& h : p.hessian(p.conjugate(e.column)))
          for (const Entry& f : p.fields(h.column)) push(i, e, h, f);
      }
  }
  SparseLu<T> make() const {
    const int m = pattern_->constraints();
    std::vector<MatrixPlace> places;
    visit(
        [&](int i, const Entry&, const Entry& f) {
          places.push_back({i, f.column});
        },
        [&](int i, const Entry&, const Entry&, const Entry& f) {
          places.push_back({i, f.column});
        });
    CouplingPattern coupled(m);
    for (const MatrixPlace& at : places) coupled[at.row].push_back(at.column);
    return SparseLu<T>(m, places, fill_reducing_ordering(coupled));
  }

  std::shared_ptr<const StepPattern> pattern_;
  SparseLu<T> lu_;
};

}  // namespace rattleback
