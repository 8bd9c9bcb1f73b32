#include "constraint_set.hpp"

#include <algorithm>

namespace rattleback::detail {

void Functions::append(std::span<const Expression> f) {
  std::vector<Program::Output> outputs;
  const int batch = static_cast<int>(batches_.size());
  const auto output = [&](Expression e) {
    outputs.push_back({0, static_cast<int>(outputs.size()), e});
    return static_cast<int>(outputs.size()) - 1;
  };
  for (const Expression e : f) {
    Function function{e, batch, output(e), {}};
    for (const auto& [input, value] : brackets_->gradient_of(e))
      function.slope.push_back({input, output(value)});
    functions_.push_back(std::move(function));
  }
  batches_.push_back({Program(brackets_->graph(), 2 * brackets_->dimension(), outputs),
                      static_cast<int>(outputs.size())});
  solver_.reset();
}

template <class S>
std::vector<std::vector<S>> Functions::evaluate(const std::vector<S>& z) const {
  std::vector<std::vector<S>> values;
  for (const Batch& b : batches_) {
    values.emplace_back(b.outputs);
    b.program.run(z.data(), z.data(), values.back().data(), values.back().data());
  }
  return values;
}

Linearisation Functions::at(const Point& z) const {
  std::vector<Sized> x(z.size());
  for (std::size_t i = 0; i < z.size(); ++i) x[i] = {z[i], std::abs(z[i]) + scale_[i]};
  const auto values = evaluate(x);
  Linearisation result;
  for (const Function& f : functions_) {
    result.value.push_back(values[f.batch][f.index]);
    SizedRow& row = result.slope.emplace_back();
    for (const auto& [input, index] : f.slope) row.emplace(input, values[f.batch][index]);
    result.finite = result.finite && result.value.back().finite();
    for (const auto& [input, slope] : row) result.finite = result.finite && slope.finite();
  }
  return result;
}

bool Functions::vanish(const Point& z, double tolerance) const {
  const Linearisation l = at(z);
  residual = 0;
  worst = -1;
  for (std::size_t i = 0; i < l.value.size(); ++i)
    if (const double r = l.value[i].ratio(); !(r <= residual)) {
      residual = r;
      worst = static_cast<int>(i);
    }
  return l.finite && residual <= tolerance;
}

SparseLdlt<double>& Functions::solver() const {
  if (solver_) return *solver_;
  std::vector<std::vector<int>> users(scale_.size());
  for (int i = 0; i < count(); ++i)
    for (const Entry& e : functions_[i].slope) users[e.input].push_back(i);
  CouplingPattern pattern(count());
  for (const auto& list : users)
    for (const int i : list)
      for (const int j : list)
        if (i != j) pattern[i].push_back(j);
  solver_.emplace(normalised(pattern));
  return *solver_;
}

/// change = -J^+ chi, by (J J^T + mu)^-1 with rows of unit length: mu keeps redundant rows
/// harmless.
bool Functions::newton_step(const Point& z, Point& change, double& norm) const {
  const auto values = evaluate(z);
  const int m = count();
  std::vector<SparseRow> rows(m);
  std::vector<double> b(m), unit = scale_;
  for (int i = 0; i < brackets_->dimension(); ++i) unit[i] /= reluctance;
  norm = 0;
  for (int i = 0; i < m; ++i) {
    const Function& f = functions_[i];
    double length = 0;
    for (const auto& [input, index] : f.slope) {
      const double slope = values[f.batch][index] * unit[input];
      rows[i].emplace_back(input, slope);
      length += slope * slope;
    }
    length = std::sqrt(length);
    if (!std::isfinite(length) || !std::isfinite(values[f.batch][f.index])) return false;
    if (length == 0) {
      rows[i].clear();
      continue;
    }
    for (auto& [input, slope] : rows[i]) slope /= length;
    b[i] = -values[f.batch][f.index] / length;
    norm = std::max(norm, std::abs(b[i]));
  }
  // Far from the set mu is larger: it keeps steps short where rows nearly depend on each other.
  // Large systems do without, their smallest singular values are legitimately small.
  const double far = m <= 200 ? 0.1 * norm : 0;
  const double mu = std::max({1e-13, 10 * rank_threshold<double>(m), far});
  (void)solver().factor([&](int i, int j) {
    return product(rows[i], rows[j]) + (i == j ? mu + (rows[i].empty() ? 1 : 0) : 0);
  });
  solver().solve(b);
  change.assign(z.size(), 0);
  for (int i = 0; i < m; ++i)
    for (const auto& [input, slope] : rows[i]) change[input] += slope * unit[input] * b[i];
  return std::all_of(change.begin(), change.end(), [](double x) { return std::isfinite(x); });
}

bool Functions::project(Point& z, int iterations) const {
  Point change, trial, next;
  double norm = 0, last = INFINITY;
  slow = false;
  if (!newton_step(z, change, norm)) return false;
  for (int k = 0; k < iterations; ++k) {
    slow = k > 30;
    double moved = 0;
    for (std::size_t i = 0; i < z.size(); ++i)
      moved = std::max(moved, std::abs(change[i]) / (scale_[i] + std::abs(z[i])));
    const bool done = moved < 1e-15 || (moved < 1e-12 && moved > 0.25 * last);
    last = moved;
    double factor = 1, trial_norm = 0;
    bool accepted = false;
    for (int halving = 0; halving < 8 && !accepted; ++halving, factor /= 2) {
      trial = z;
      for (std::size_t i = 0; i < z.size(); ++i) trial[i] += factor * change[i];
      accepted = newton_step(trial, next, trial_norm) && (done || trial_norm < 2 * norm);
    }
    if (!accepted) break;
    z = trial;
    change = next;
    norm = trial_norm;
    if (done) break;
  }
  return vanish(z);
}

Sized bracket(const SizedRow& f, const SizedRow& g, int n) {
  Sized sum;
  for (const auto& [k, value] : f) {
    const auto partner = g.find(k < n ? k + n : k - n);
    if (partner == g.end()) continue;
    const Sized product = value * partner->second;
    sum = k < n ? sum + product : sum - product;
  }
  return sum;
}

std::vector<SizedRow> brackets(const std::vector<SizedRow>& f, const std::vector<SizedRow>& g,
                               int n) {
  std::vector<std::vector<std::pair<int, Sized>>> users(2 * n);
  for (std::size_t j = 0; j < g.size(); ++j)
    for (const auto& [k, value] : g[j]) users[k].emplace_back(static_cast<int>(j), value);
  std::vector<SizedRow> result(f.size());
  for (std::size_t i = 0; i < f.size(); ++i)
    for (const auto& [k, value] : f[i])
      for (const auto& [j, other] : users[k < n ? k + n : k - n]) {
        Sized& sum = result[i][j];
        sum = k < n ? sum + value * other : sum - value * other;
      }
  return result;
}

}  // namespace rattleback::detail
