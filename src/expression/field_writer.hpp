// Writes down the field of scaled_field.hpp.
#pragma once

#include <algorithm>
#include <map>
#include <ranges>
#include <utility>
#include <vector>

#include "rattleback/expression/canonical.hpp"
#include "rattleback/expression/derivative.hpp"

namespace rattleback::detail {

class FieldWriter {
  using Vec = std::vector<Expression>;
  /// Beyond this, code is slower to make than it saves, and fits no cache.
  static constexpr int most_operations = 200'000;

 public:
  FieldWriter(const CanonicalSystem& s, Graph& graph)
      : s_(s), graph_(graph), n_(s.dimension()), m_(s.constraint_count()) {
    rows_.assign(m_, Vec(n_, zero()));
    const SparseExpressions g_q = jacobian(graph, s.constraints, 0, n_);
    for (int k = 0; k < m_; ++k)
      for (int e = g_q.start[k]; e < g_q.start[k + 1]; ++e) rows_[k][g_q.column[e]] = g_q.value[e];
    for (const Vec& row : rows_) raised_.push_back(velocity_of(row));
    for (int i = 0; i < n_; ++i) momentum_.push_back(graph.input(n_ + i));
    free_velocity_ = velocity_of(momentum_);
    quadratic_ = std::ranges::all_of(jacobian(graph, g_q.value, 0, n_).value,
                                     [&](Expression e) { return graph.is_constant(e); });
  }
  bool quadratic() const { return quadratic_; }

  /// False where there are too many operations.
  bool eliminate() {
    std::map<std::pair<int, int>, Expression> left;
    for (int i = 0; i < m_; ++i)
      for (int j = 0; j <= i; ++j)
        if (const Expression e = dot(rows_[i], raised_[j]); !is_zero(e)) left[{i, j}] = e;
    std::vector<std::vector<int>> open(m_);
    for (const auto& [at, value] : left)
      if (at.first != at.second) {
        open[at.first].push_back(at.second);
        open[at.second].push_back(at.first);
      }
    std::vector<bool> done(m_, false);
    for (int step = 0; step < m_; ++step) {
      const int pivot = fewest(open, done);
      done[pivot] = true;
      Column column{pivot, graph_.divide(graph_.constant(1), entry(left, pivot, pivot)), {}, {}};
      for (const int i : open[pivot])
        if (!done[i]) {
          column.rows.push_back(i);
          column.factor.push_back(graph_.multiply(entry(left, i, pivot), column.inverse));
        }
      for (std::size_t x = 0; x < column.rows.size(); ++x)
        for (std::size_t y = 0; y <= x; ++y) {
          const int i = column.rows[x], j = column.rows[y];
          Expression& rest = entry(left, i, j);
          rest = graph_.subtract(rest, graph_.multiply(column.factor[x], entry(left, j, pivot)));
          if (i != j) connect(open, i, j);
        }
      columns_.push_back(std::move(column));
      if (graph_.size() > most_operations) return false;
    }
    return true;
  }

  /// sigma, lambda and mu that are nearly right, and the factors of a K that was near, in this
  /// order.
  int held_count() const {
    int count = 1 + 2 * m_;
    for (const Column& c : columns_) count += 1 + static_cast<int>(c.rows.size());
    return count;
  }
  /// How many of them change with every evaluation. Of one constraint all do: 1/K costs little, and
  /// where g is of fourth degree a held one takes 6 % more iterations.
  int following_count() const { return m_ == 1 ? 4 : 1 + 2 * m_; }
  /// q' and what is held, from sigma on, and p'. Where `nearly` has what was held before: by one
  /// Newton step from there.
  void write(Vec& first, Vec& second, const Vec& nearly = {}) {
    const auto before = [&](int k) { return nearly.empty() ? zero() : nearly[k]; };
    const std::vector<Column> columns = nearly.empty() ? columns_ : held_columns(nearly);
    Vec v = free_velocity_, f(n_, zero()), mu, lambda;
    for (int k = 0; k < m_; ++k) lambda.push_back(before(1 + k)), mu.push_back(before(1 + m_ + k));
    correct(mu, raised_, columns, v, [&] { return rates(v); });
    for (const auto& [input, value] : gradient(graph_, s_.potential, 0, n_))
      f[input] = graph_.negate(value);
    correct(lambda, rows_, columns, f, [&] {
      Vec b = rates(velocity_of(f));
      add_curvatures(v, b);
      return b;
    });
    const Expression size = graph_.add(dot(f, velocity_of(f)), graph_.input(2 * n_));
    const Expression sigma = nearly.empty() ? inverse_fourth_root(size) : refined(nearly[0], size);
    for (const Expression e : v) first.push_back(graph_.multiply(sigma, e));
    first.push_back(sigma);
    for (const Vec* held : {&lambda, &mu}) first.insert(first.end(), held->begin(), held->end());
    for (const Column& c : columns) {
      first.push_back(c.inverse);
      first.insert(first.end(), c.factor.begin(), c.factor.end());
    }
    for (const Expression e : f) second.push_back(graph_.multiply(sigma, e));
  }

  /// Along (u, w): G u, and u.g''.M^-1 p + G M^-1 w.
  void write_rates(const Vec& u, const Vec& w, Vec& first, Vec& second) {
    first = rates(u);
    for (const Vec& row : raised_) second.push_back(dot(row, w));
    add_curvatures(u, second);
  }

  /// g and G M^-1 p, and the rows of G and of G M^-1.
  void write_normal(Vec& first, Vec& second) {
    first = s_.constraints;
    for (const Expression e : rates(free_velocity_)) first.push_back(e);
    for (const auto* rows : {&rows_, &raised_})
      for (const Vec& row : *rows) second.insert(second.end(), row.begin(), row.end());
  }

 private:
  struct Column {
    int pivot;
    Expression inverse;
    std::vector<int> rows;
    Vec factor;
  };
  using Entries = std::map<std::pair<int, int>, Expression>;

  std::vector<Column> held_columns(const Vec& held) {
    std::vector<Column> columns = columns_;
    if (m_ == 1) {  // r + r (1 - K r)
      const Expression r = held[3], k = dot(rows_[0], raised_[0]);
      const Expression rest = graph_.subtract(graph_.constant(2), graph_.multiply(k, r));
      columns[0].inverse = graph_.multiply(r, rest);
      return columns;
    }
    int k = 1 + 2 * m_;
    for (Column& c : columns) {
      c.inverse = held[k++];
      for (Expression& e : c.factor) e = held[k++];
    }
    return columns;
  }
  /// y - A^T x with the x for which residual() of that is zero, by the change of x from before.
  template <class Residual>
  void correct(Vec& x, const std::vector<Vec>& a, const std::vector<Column>& columns, Vec& y,
               Residual&& residual) {
    for (int k = 0; k < m_; ++k) subtract_scaled(x[k], a[k], y);
    const Vec change = solve(columns, residual());
    for (int k = 0; k < m_; ++k) {
      subtract_scaled(change[k], a[k], y);
      x[k] = graph_.add(x[k], change[k]);
    }
  }
  Expression inverse_fourth_root(Expression x) {
    return graph_.divide(graph_.constant(1),
                         graph_.apply(Operation::sqrt, graph_.apply(Operation::sqrt, x)));
  }
  /// s + s/4 (1 - size s^4): towards size^(-1/4), to which s alone is near. Nothing but the last
  /// product waits for `size`.
  Expression refined(Expression s, Expression size) {
    const Expression square = graph_.multiply(s, s);
    const Expression fifth = graph_.multiply(s, graph_.multiply(square, square));
    return graph_.subtract(graph_.multiply(graph_.constant(1.25), s),
                           graph_.multiply(graph_.multiply(graph_.constant(0.25), fifth), size));
  }
  Expression zero() { return graph_.constant(0); }
  bool is_zero(Expression e) const { return graph_.is_constant(e, 0); }
  /// start + sum_i a_i b_i, in two sums, so that neither waits for the other; where a_j = +-a_i
  /// that is a_i (b_i +- b_j), for which b alone may be known early.
  Expression dot(const Vec& a, const Vec& b, Expression start = {}) {
    Vec factors, others;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (is_zero(a[i])) continue;
      const Node node = graph_.node(a[i]);
      const bool minus = node.operation == Operation::negate;
      const Expression factor = minus ? Expression{node.a} : a[i];
      const auto same = std::ranges::find(factors, factor);
      Expression& other = same == factors.end()
                              ? (factors.push_back(factor), others.emplace_back(zero()))
                              : others[same - factors.begin()];
      other = minus ? graph_.subtract(other, b[i]) : graph_.add(other, b[i]);
    }
    const bool few = factors.size() < 4;
    Expression sums[2] = {start ? start : zero(), zero()};
    for (std::size_t i = 0; i < factors.size(); ++i) {
      Expression& sum = sums[few ? 0 : i % 2];
      sum = graph_.add(sum, graph_.multiply(factors[i], others[i]));
    }
    return graph_.add(sums[0], sums[1]);
  }
  void subtract_scaled(Expression a, const Vec& x, Vec& y) {
    for (std::size_t i = 0; i < x.size(); ++i)
      if (!is_zero(x[i])) y[i] = graph_.subtract(y[i], graph_.multiply(a, x[i]));
  }
  /// M^-1 p, which is linear in p.
  Vec velocity_of(const Vec& p) {
    return graph_.substitute(s_.velocity,
                             [&](int k) { return k < n_ ? graph_.input(k) : p[k - n_]; });
  }
  Vec rates(const Vec& velocity) {
    Vec b;
    for (const Vec& row : rows_) b.push_back(dot(row, velocity));
    return b;
  }
  /// b += v.g''.M^-1 p
  void add_curvatures(const Vec& v, Vec& b) {
    for (int k = 0; k < m_; ++k) {
      Vec turned =
          directional(graph_, rows_[k], [&](int i) { return i < n_ ? v[i] : Expression{}; });
      for (Expression& e : turned)
        if (!e) e = zero();
      b[k] = dot(turned, free_velocity_, b[k]);
    }
  }
  Expression& entry(Entries& entries, int i, int j) {
    Expression& e = entries[{std::max(i, j), std::min(i, j)}];
    if (!e) e = zero();
    return e;
  }
  static int fewest(const std::vector<std::vector<int>>& open, const std::vector<bool>& done) {
    int best = -1, least = 0;
    for (int i = 0; i < static_cast<int>(open.size()); ++i) {
      if (done[i]) continue;
      const int count =
          static_cast<int>(std::ranges::count_if(open[i], [&](int j) { return !done[j]; }));
      if (best < 0 || count < least) best = i, least = count;
    }
    return best;
  }
  static void connect(std::vector<std::vector<int>>& open, int i, int j) {
    if (std::ranges::find(open[i], j) != open[i].end()) return;
    open[i].push_back(j);
    open[j].push_back(i);
  }
  /// K^-1 b by the columns of L.
  Vec solve(const std::vector<Column>& columns, Vec b) {
    for (const Column& c : columns)
      for (std::size_t x = 0; x < c.rows.size(); ++x)
        b[c.rows[x]] = graph_.subtract(b[c.rows[x]], graph_.multiply(c.factor[x], b[c.pivot]));
    for (const Column& c : columns | std::views::reverse) {
      b[c.pivot] = graph_.multiply(b[c.pivot], c.inverse);
      for (std::size_t x = 0; x < c.rows.size(); ++x)
        b[c.pivot] = graph_.subtract(b[c.pivot], graph_.multiply(c.factor[x], b[c.rows[x]]));
    }
    return b;
  }

  const CanonicalSystem& s_;
  Graph& graph_;
  int n_, m_;
  std::vector<Vec> rows_, raised_;  ///< G and G M^-1
  Vec momentum_, free_velocity_;
  std::vector<Column> columns_;
  bool quadratic_ = false;
};

}  // namespace rattleback::detail
