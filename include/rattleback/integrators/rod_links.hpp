// A chain of rods in a uniform field, seen as its links d = q_i - q_{i-1}, in strands
// (solve/strands.hpp). Pulls F along the links move them by
//
//   d'' = B F + field,   (B F)_i = w_i F_{i+1} - (w_i + w_{i-1}) F_i + w_{i-1} F_{i-1},   w = 1/m
//
// and those of size x along d change |d|^2/2 at the rate d.B(x d) = -S x, S = G M^-1 G^T.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "rattleback/problem/linked_system.hpp"
#include "rattleback/solve/strands.hpp"

namespace rattleback {

template <class Sys, class S>
class RodLinks {
 public:
  static constexpr int D = Sys::space;
  static_assert(Sys::is_chain && Sys::is_rod);
  using Of = Strands<S>;
  using Row = typename Of::Row;
  using R = Real<S>;
  /// One row of links: a vector in every strand.
  using Link = std::array<Row, D>;

  /// `field` is -V_q, coordinate by coordinate.
  RodLinks(const Sys& system, std::span<const double> field);

  int count() const { return n_; }
  /// Of rows.
  int length() const { return length_; }
  /// What the field does to d.
  const Link& field(int r) const { return field_[r]; }
  /// Of the rods; zero beyond the end of the chain.
  const Row& square(int r) const { return square_[r]; }
  const Row& inverse_square(int r) const { return inverse_square_[r]; }
  /// Of one link, in rows.
  S at(const Row* rows, int i) const { return Of::get(rows[i % length_], i / length_); }

  /// d and d' times h of a state, and back.
  void split(const Sys& system, const State<S>& z, const R& h, Link* d, Link* v) const;
  void join(const Sys& system, const Link* d, const Link* v, const R& h, State<S>& z) const;

  template <class F>
  RATTLEBACK_INLINE static Link each(F&& f) {
    Link x;
    for (int c = 0; c < D; ++c) x[c] = f(c);
    return x;
  }
  RATTLEBACK_INLINE static Row dot(const Link& a, const Link& b) {
    Row sum = a[0] * b[0];
    for (int c = 1; c < D; ++c) sum += a[c] * b[c];
    return sum;
  }
  RATTLEBACK_INLINE static Link from_before(const Link& x) {
    return each([&](int c) RATTLEBACK_INLINE_LAMBDA { return Of::from_before(x[c]); });
  }
  RATTLEBACK_INLINE static Link from_after(const Link& x) {
    return each([&](int c) RATTLEBACK_INLINE_LAMBDA { return Of::from_after(x[c]); });
  }

  /// Pulls that pass by in the order of rows.
  struct Passing {
    Link before, here;
    /// B F of this row, after which the next one is here.
    RATTLEBACK_INLINE Link next(const RodLinks& links, int r, const Link& after) {
      const Link moved = links.spread(r, before, here, after);
      before = here, here = after;
      return moved;
    }
  };

  /// S at d.
  RATTLEBACK_INLINE FactorReport factor(const Link* __restrict d) {
    const Link wrap = from_before(d[length_ - 1]);
    return gram_.factor(
        [&](int r) RATTLEBACK_INLINE_LAMBDA { return dot(d[r], d[r]) * own_[r] + beyond_[r]; },
        [&](int r) RATTLEBACK_INLINE_LAMBDA {
          return -(before_[r] * dot(d[r], r == 0 ? wrap : d[r - 1]));
        });
  }
  /// x <- S^-1 right, and out(r, B(x d)) row by row; out may change d.
  template <class Right, class Out>
  RATTLEBACK_INLINE void pull(const Link* d, Row* __restrict x, Right&& right, Out&& out) {
    const int last = length_ - 1;
    Link first, end;
    Passing pulls;
    gram_.solve(room_.data(), right, [&](int r, const Row& value) RATTLEBACK_INLINE_LAMBDA {
      x[r] = value;
      const Link pull = each([&](int c) RATTLEBACK_INLINE_LAMBDA { return value * d[r][c]; });
      if (r == last)
        end = pull, pulls.before = from_before(pull);
      else if (r == 0)
        first = pulls.here = pull;
      else
        out(r - 1, pulls.next(*this, r - 1, pull));
    });
    out(last - 1, pulls.next(*this, last - 1, end));
    out(last, pulls.next(*this, last, from_after(first)));
  }

 private:
  void put(Row& row, int i, const S& x) const { Of::set(row, i / length_, x); }

  RATTLEBACK_INLINE Link spread(int r, const Link& before, const Link& here,
                                const Link& after) const {
    return each([&](int c) RATTLEBACK_INLINE_LAMBDA {
      return after_[r] * after[c] - own_[r] * here[c] + before_[r] * before[c];
    });
  }

  int n_, length_;
  StrandLdlt<S> gram_;
  // w_i, w_i + w_{i-1}, w_{i-1}; 1 beyond the end of the chain, where links and pulls are zero
  std::vector<Row> after_, own_, before_, beyond_;
  std::vector<Row> square_, inverse_square_, room_;
  std::vector<Link> field_;
};

template <class Sys, class S>
RodLinks<Sys, S>::RodLinks(const Sys& system, std::span<const double> field)
    : n_(system.bodies()),
      length_(Of::length_for(n_)),
      gram_(n_),
      after_(length_),
      own_(length_),
      before_(length_),
      beyond_(length_),
      square_(length_),
      inverse_square_(length_),
      room_(length_),
      field_(length_) {
  for (int i = 0; i < n_; ++i) {
    const int r = i % length_;
    const R w(system.inverse_mass(i)), left(i > 0 ? system.inverse_mass(i - 1) : 0);
    const R square = R(system.rod_length(i)) * R(system.rod_length(i));
    put(after_[r], i, S(w)), put(own_[r], i, S(R(w + left)));
    put(before_[r], i, S(left));
    put(square_[r], i, S(square)), put(inverse_square_[r], i, S(R(R(1) / square)));
    for (int c = 0; c < D; ++c) {
      const R here(field[D * i + c]), there(i > 0 ? field[D * (i - 1) + c] : 0);
      put(field_[r][c], i, S(R(here * w - there * left)));
    }
  }
  for (int i = n_; i < length_ * Of::count; ++i) put(beyond_[i % length_], i, S(R(1)));
}

template <class Sys, class S>
void RodLinks<Sys, S>::split(const Sys& system, const State<S>& z, const R& h, Link* d,
                             Link* v) const {
  for (int i = 0; i < n_; ++i)
    for (int c = 0; c < D; ++c) {
      const int x = D * i + c, r = i % length_;
      S link = z.q[x], speed = z.p[x] * R(system.inverse_mass(i));
      if (i > 0) link -= z.q[x - D], speed -= z.p[x - D] * R(system.inverse_mass(i - 1));
      if (i == 0) link -= S(R(system.graph().anchor(0)[c]));
      put(d[r][c], i, link), put(v[r][c], i, S(speed * h));
    }
}

template <class Sys, class S>
void RodLinks<Sys, S>::join(const Sys& system, const Link* d, const Link* v, const R& h,
                            State<S>& z) const {
  for (int c = 0; c < D; ++c) {
    S q(R(system.graph().anchor(0)[c])), speed(R(0));
    for (int i = 0; i < n_; ++i) {
      const int r = i % length_, strand = i / length_;
      q += Of::get(d[r][c], strand), speed += Of::get(v[r][c], strand);
      z.q[D * i + c] = q, z.p[D * i + c] = speed * R(R(system.mass(i)) / h);
    }
  }
}

}  // namespace rattleback
