// G of a chain, coordinate by coordinate: first(x) and second(x) are the derivatives of link k =
// x/D by coordinate x % D of its two ends, bodies k - 1 and k. Link 0 has the anchor for its first
// end.
#pragma once

#include <utility>

#include "rattleback/problem/linked_system.hpp"

namespace rattleback {

/// A chain of rods: the derivative is d = x_k - x_{k-1} itself. Nothing is stored.
template <class Sys, class S>
class RodSlopes {
 public:
  static constexpr int D = Sys::space;
  using Point = Vector<S, D>;

  explicit RodSlopes(const Sys& system) {
    for (int c = 0; c < D; ++c) root_[c] = S(system.graph().anchor(0)[c]);
  }
  void swap(RodSlopes& o) { std::swap(q_, o.q_); }
  /// The positions all that follows speaks of; they must outlive it.
  void bind(const Vector<S, dynamic>& q) { q_ = q.data(); }
  RATTLEBACK_INLINE S linearise(const Sys& system, const Point& a, const Point& b, int k) {
    return system.template link<S>(a, b, k);
  }

  RATTLEBACK_INLINE S root_second(int c) const { return q_[c] - root_[c]; }
  RATTLEBACK_INLINE S second(int x) const { return q_[x] - q_[x - D]; }
  RATTLEBACK_INLINE S first(int x) const { return q_[x - D] - q_[x]; }

  Point second_of(int k) const {
    Point e;
    for (int c = 0; c < D; ++c) e[c] = k > 0 ? second(D * k + c) : root_second(c);
    return e;
  }
  Point first_of(int k) const {
    Point e = second_of(k);
    for (int c = 0; c < D; ++c) e[c] = -e[c];
    return e;
  }

 private:
  const S* q_ = nullptr;
  Point root_;
};

/// Any other chain: a derivative by d a link where that is all there is, else by a and by b.
template <class Sys, class S>
class StoredSlopes {
 public:
  static constexpr int D = Sys::space;
  using Point = Vector<S, D>;

  explicit StoredSlopes(const Sys& system)
      : second_(D * system.bodies()), first_(Sys::is_relative ? 0 : D * system.bodies()) {}
  void swap(StoredSlopes& o) { second_.swap(o.second_), first_.swap(o.first_); }
  void bind(const Vector<S, dynamic>&) {}
  RATTLEBACK_INLINE S linearise(const Sys& system, const Point& a, const Point& b, int k) {
    S slope[2 * D];
    const S value = system.template link_slope<S>(a, b, k, slope);
    S* __restrict second = second_.data() + D * k;
    for (int c = 0; c < D; ++c) second[c] = slope[Sys::is_relative ? c : D + c];
    if constexpr (!Sys::is_relative) {
      S* __restrict first = first_.data() + D * k;
      for (int c = 0; c < D; ++c) first[c] = slope[c];
    }
    return value;
  }

  RATTLEBACK_INLINE S root_second(int c) const { return second(c); }
  RATTLEBACK_INLINE S second(int x) const { return second_.data()[x]; }
  RATTLEBACK_INLINE S first(int x) const {
    if constexpr (Sys::is_relative)
      return -second_.data()[x];
    else
      return first_.data()[x];
  }

  Point second_of(int k) const {
    Point e;
    for (int c = 0; c < D; ++c) e[c] = second(D * k + c);
    return e;
  }
  Point first_of(int k) const {
    Point e;
    for (int c = 0; c < D; ++c) e[c] = first(D * k + c);
    return e;
  }

 private:
  Vector<S, dynamic> second_, first_;
};

}  // namespace rattleback
