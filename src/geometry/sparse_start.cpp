#include "rattleback/geometry/sparse_start.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include "rattleback/expression/derivative.hpp"
#include "rattleback/expression/program.hpp"
#include "rattleback/geometry/consistent.hpp"
#include "rattleback/solve/sparse.hpp"
#include "rattleback/solve/sparse_row.hpp"

namespace rattleback {

namespace {

/// A matrix of expressions of (q, p), and its numbers at a point.
class SparseFunction {
 public:
  /// With further outputs before its nonzeros.
  SparseFunction(const Graph& graph, int n, const std::vector<Expression>& values,
                 SparseExpressions matrix)
      : matrix_(std::move(matrix)), numbers_(values.size() + matrix_.value.size()) {
    std::vector<Program::Output> outputs;
    for (const auto* list : {&values, &std::as_const(matrix_.value)})
      for (const Expression e : *list) outputs.push_back({0, static_cast<int>(outputs.size()), e});
    program_ = Program(graph, 2 * n, outputs);
    values_ = values.size();
    rows.resize(matrix_.rows);
    for (int i = 0; i < matrix_.rows; ++i)
      for (int k = matrix_.start[i]; k < matrix_.start[i + 1]; ++k)
        rows[i].emplace_back(matrix_.column[k], 0);
  }

  void evaluate(const std::vector<double>& z) {
    program_.run(z.data(), z.data(), numbers_.data(), numbers_.data());
    const double* next = numbers_.data() + values_;
    for (SparseRow& row : rows)
      for (auto& entry : row) entry.second = *next++;
  }
  double value(int i) const { return numbers_[i]; }
  std::vector<SparseRow> rows;

 private:
  SparseExpressions matrix_;
  Program program_;
  std::size_t values_ = 0;
  std::vector<double> numbers_;
};

std::vector<Expression> energy_slopes(const CanonicalSystem& s) {
  const int n = s.dimension();
  std::vector<Expression> h_p(n, s.graph().constant(0));
  for (const auto& [input, value] : gradient(s.graph(), s.hamiltonian, n, 2 * n))
    h_p[input - n] = value;
  return h_p;
}

class StartProjection {
 public:
  StartProjection(const CanonicalSystem& s, const State<double>& start)
      : n_(s.dimension()),
        m_(s.constraint_count()),
        natural_(s.traits.natural),
        g_(s.graph(), n_, s.constraints, jacobian(s.graph(), s.constraints, 0, n_)),
        energy_(energy(s)),
        z_(start.q.begin(), start.q.end()),
        weighted_(m_),
        solver_(coupling()) {
    z_.insert(z_.end(), start.p.begin(), start.p.end());
  }

  /// g = 0, Newton along W G^T.
  bool onto_primary() {
    if (natural_) energy_.evaluate(z_);
    return newton(0, [&](std::vector<double>& b) {
      g_.evaluate(z_);
      for (int i = 0; i < m_; ++i) b[i] = g_.value(i);
      weigh(natural_);
      return &weighted_;
    });
  }
  /// G H_p(q, p - G^T sigma) = 0, Newton along G^T.
  bool onto_hidden() {
    return newton(n_, [&](std::vector<double>& b) {
      energy_.evaluate(z_);
      for (int i = 0; i < m_; ++i) {
        b[i] = 0;
        for (const auto& [j, slope] : g_.rows[i]) b[i] += slope * energy_.value(j);
      }
      weigh(true);
      return &g_.rows;
    });
  }
  State<double> state() const {
    using Half = Eigen::Map<const Vector<double, dynamic>>;
    return {Half(z_.data(), n_), Half(z_.data() + n_, n_)};
  }

 private:
  /// H_p, and H_pp.
  static SparseFunction energy(const CanonicalSystem& s) {
    const int n = s.dimension();
    std::vector<Expression> h_p = s.velocity.empty() ? energy_slopes(s) : s.velocity;
    SparseExpressions h_pp;
    if (s.inverse_mass.empty()) {
      h_pp = jacobian(s.graph(), h_p, n, 2 * n);
    } else {
      h_pp.rows = h_pp.columns = n;
      for (int i = 0; i < n; ++i) {
        h_pp.column.push_back(i);
        h_pp.value.push_back(s.graph().constant(s.inverse_mass[i]));
        h_pp.start.push_back(i + 1);
      }
    }
    return SparseFunction(s.graph(), n, h_p, std::move(h_pp));
  }

  /// Which rows of G H_pp and of G meet.
  CouplingPattern coupling() {
    std::vector<std::vector<int>> users(n_);
    for (int i = 0; i < m_; ++i)
      for (const auto& [j, slope] : g_.rows[i]) users[j].push_back(i);
    for (SparseRow& row : g_.rows)
      for (auto& entry : row) entry.second = 1;
    for (SparseRow& row : energy_.rows)
      for (auto& entry : row) entry.second = 1;
    weigh(true);
    CouplingPattern pattern(m_);
    for (int i = 0; i < m_; ++i)
      for (const SparseRow* row : {&weighted_[i], &g_.rows[i]})
        for (const auto& [j, value] : *row)
          for (const int k : users[j])
            if (k != i) pattern[i].push_back(k);
    return normalised(pattern);
  }

  /// G W in weighted_.
  void weigh(bool with_energy) {
    std::vector<double> sum(n_);
    std::vector<bool> there(n_);
    for (int i = 0; i < m_; ++i) {
      SparseRow& row = weighted_[i];
      if (!with_energy) {
        row = g_.rows[i];
        continue;
      }
      row.clear();
      for (const auto& [j, slope] : g_.rows[i])
        for (const auto& [k, weight] : energy_.rows[j]) {
          if (!there[k]) row.emplace_back(k, 0);
          there[k] = true;
          sum[k] += slope * weight;
        }
      std::sort(row.begin(), row.end());
      for (auto& [k, value] : row) value = std::exchange(sum[k], 0), there[k] = false;
    }
  }

  /// The half of z_ from `first` on moves along -rows^T x, (G W G^T) x = b.
  template <class Linearise>
  bool newton(int first, Linearise&& linearise) {
    constexpr int most_iterations = 50;
    std::vector<double> b(m_), change(n_);
    Stopping stopping(detail::last_bit, detail::start_band);
    for (int k = 0; k < most_iterations; ++k) {
      const std::vector<SparseRow>& along = *linearise(b);
      const FactorReport report =
          solver_.factor([&](int i, int j) { return product(weighted_[i], g_.rows[j]); });
      if (!report.ok) return false;
      solver_.solve(b);
      std::fill(change.begin(), change.end(), 0);
      for (int i = 0; i < m_; ++i)
        for (const auto& [j, slope] : along[i]) change[j] += slope * b[i];
      double moved = 0, size = 1e-300;
      for (int j = 0; j < n_; ++j) {
        z_[first + j] -= change[j];
        moved = larger(moved, std::abs(change[j]));
        size = larger(size, larger(std::abs(z_[j]), std::abs(z_[n_ + j])));
      }
      const auto verdict = stopping.judge(moved / size);
      if (verdict != Stopping::Verdict::go_on) return verdict == Stopping::Verdict::done;
    }
    return false;
  }

  int n_, m_;
  bool natural_;
  SparseFunction g_, energy_;
  std::vector<double> z_;            // q, then p
  std::vector<SparseRow> weighted_;  // G W
  SparseLdlt<double> solver_;
};

}  // namespace

std::optional<State<double>> sparse_consistent(const CanonicalSystem& system,
                                               const State<double>& z) {
  detail::require_size(system.dimension(), z.q.size(), z.p.size());
  if (!std::isfinite(largest_magnitude(z.q)) || !std::isfinite(largest_magnitude(z.p)))
    throw InputError("initial", "the start is not finite");
  StartProjection projection(system, z);
  if (!projection.onto_primary() || !projection.onto_hidden()) return std::nullopt;
  return projection.state();
}

}  // namespace rattleback
