// Passes over a chain, block by block, with the multipliers of a block spread out to one value a
// coordinate, so that all of it is contiguous: a long chain is a matter of memory traffic and of
// vector instructions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "rattleback/integrators/chain_slopes.hpp"
#include "rattleback/problem/vector_ops.hpp"
#include "rattleback/solve/chain.hpp"

/// One loop with everything in it inlined, the user's functions too, so that it is vectorised.
#define RATTLEBACK_PASS [[gnu::flatten]]

namespace rattleback {

template <class Sys, class S>
struct ChainPasses {
  static constexpr int D = Sys::space;
  static constexpr int block = 128;  // bodies: a few kB on the stack
  /// Of the first block of chains that are longer than a few of it: link 0 stands apart, and the
  /// loops over the links behind it begin where cache lines do.
  static constexpr int first_block = 8;
  using Point = Vector<S, D>;
  using Multiplier = Vector<S, dynamic>;
  using Jacobian = std::conditional_t<Sys::is_rod, RodSlopes<Sys, S>, StoredSlopes<Sys, S>>;

  /// each(first, count) for every block of so many bodies, or links.
  template <class Each>
  RATTLEBACK_INLINE static void for_blocks(int n, Each&& each) {
    for (int first = 0, count; first < n; first += count) {
      count = first == 0 && n > 4 * first_block ? first_block : std::min(block, n - first);
      each(first, count);
    }
  }

  /// g and G of a block of links; how many |g_k| are beyond the floor.
  RATTLEBACK_INLINE static std::int64_t residual(const Sys& system, const S* __restrict q, int k0,
                                                 int count, double floor, Jacobian& jacobian,
                                                 S* __restrict g) {
    std::int64_t beyond = 0;
    const auto link = [&](const Point& a, int k) RATTLEBACK_INLINE_LAMBDA {
      Point b;
      for (int c = 0; c < D; ++c) b[c] = q[D * k + c];
      const S v = jacobian.linearise(system, a, b, k);
      g[k] = v;
      beyond += ScalarTraits<S>::within(v, floor) ? 0 : 1;
    };
    if (k0 == 0) {
      Point a;
      for (int c = 0; c < D; ++c) a[c] = S(system.graph().anchor(0)[c]);
      link(a, 0);
    }
    for (int k = std::max(k0, 1); k < k0 + count; ++k) {
      Point a;
      for (int c = 0; c < D; ++c) a[c] = q[D * (k - 1) + c];
      link(a, k);
    }
    return beyond;
  }
  /// (G M^-1 p)_k for a block of links.
  RATTLEBACK_INLINE static void hidden_block(const Sys& system, const Jacobian& jacobian,
                                             const S* __restrict p, int k0, int count,
                                             S* __restrict out) {
    alignas(64) S product[D * block];
    if (k0 == 0)
      for (int c = 0; c < D; ++c)
        product[c] = jacobian.root_second(c) * p[c] * system.inverse_mass(0);
    for (int y = k0 == 0 ? D : 0, x = D * k0 + y; y < D * count; ++y, ++x)
      product[y] = jacobian.second(x) * p[x] * system.inverse_mass(x / D) +
                   jacobian.first(x) * p[x - D] * system.inverse_mass(x / D - 1);
    for (int i = 0; i < count; ++i) {
      S dot = product[D * i];
      for (int c = 1; c < D; ++c) dot += product[D * i + c];
      out[k0 + i] = dot;
    }
  }
  /// What the links of a block of bodies, and the one behind it, pull at their two ends with, one
  /// value a coordinate: all loops over coordinates are alike then, and contiguous.
  class Pull {
   public:
    RATTLEBACK_INLINE Pull(const Jacobian& jacobian, const Multiplier& lambda, int k0, int count) {
      const int n = static_cast<int>(lambda.size()), links = std::min(count + 1, n - k0);
      const S* __restrict l = lambda.data() + k0;
      alignas(64) S spread[D * (block + 1)];
      for (int i = 0; i < links; ++i)
        for (int c = 0; c < D; ++c) spread[D * i + c] = l[i];
      const int x0 = D * k0, first = k0 == 0 ? D : 0;
      if (k0 == 0)
        for (int c = 0; c < D; ++c) end_[c] = jacobian.root_second(c) * spread[c];
      RATTLEBACK_INDEPENDENT
      for (int y = first; y < D * links; ++y) end_[y] = jacobian.second(x0 + y) * spread[y];
      if constexpr (!Sys::is_relative) {
        RATTLEBACK_INDEPENDENT
        for (int y = first; y < D * links; ++y) start_[y] = jacobian.first(x0 + y) * spread[y];
      }
      if (links == count) {
        S* beyond = Sys::is_relative ? end_ : start_;
        for (int c = 0; c < D; ++c) beyond[D * count + c] = S(0);
      }
    }
    /// (G^T lambda) of coordinate y of the block
    RATTLEBACK_INLINE S operator()(int y) const {
      if constexpr (Sys::is_relative)
        return end_[y] - end_[y + D];
      else
        return end_[y] + start_[y + D];
    }

   private:
    static constexpr int size = D * (block + 1);
    alignas(64) S end_[size], start_[Sys::is_relative ? 1 : size];
  };
  /// op(x, (G^T lambda)_x) for every coordinate x, or op(x, force, x - start of the block), between
  /// prepare(first body, count) and finish(first body, count) of each block.
  template <class Op, class Prepare, class Finish>
  RATTLEBACK_INLINE static void for_coordinates(const Jacobian& jacobian, const Multiplier& lambda,
                                                Op&& op, Prepare&& prepare, Finish&& finish) {
    for_blocks(static_cast<int>(lambda.size()), [&](int first, int count) RATTLEBACK_INLINE_LAMBDA {
      const Pull pull(jacobian, lambda, first, count);
      prepare(first, count);
      const int x0 = D * first, coordinates = D * count;
      RATTLEBACK_INDEPENDENT
      for (int y = 0; y < coordinates; ++y) {
        if constexpr (requires { op(y, pull(y), y); })
          op(x0 + y, pull(y), y);
        else
          op(x0 + y, pull(y));
      }
      finish(first, count);
    });
  }
  template <class Op>
  RATTLEBACK_INLINE static void for_coordinates(const Jacobian& jacobian, const Multiplier& lambda,
                                                Op&& op) {
    for_coordinates(
        jacobian, lambda, op, [](int, int) {}, [](int, int) {});
  }

  /// The largest |g_k|; not a number if one is.
  static double size(const Multiplier& g) {
    if constexpr (std::is_same_v<S, double>) {
      using Row = detail::FourRows::Row;
      Row most{}, sum{};
      Eigen::Index k = 0;
      for (; k + 4 <= g.size(); k += 4) {
        Row four;
        std::memcpy(&four, g.data() + k, sizeof four);
        sum += four * 0.0;  // not a number where one of them is not finite
        four = four < 0 ? -four : four;
        most = four > most ? four : most;
      }
      double rest = std::max(std::max(most[0], most[1]), std::max(most[2], most[3]));
      rest += (sum[0] + sum[1]) + (sum[2] + sum[3]);
      for (; k < g.size(); ++k) rest = larger(rest, magnitude(g[k]));
      return rest;
    } else {
      return largest_magnitude(g);
    }
  }
};

}  // namespace rattleback
