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

namespace rattleback {

template <class Sys, class S>
struct ChainPasses {
  static constexpr int D = Sys::space;
  static constexpr int block = 128;  // bodies: a few kB on the stack
  /// How many bodies, or links, the block that begins with `first` has, of those before `end`. Body
  /// 0 is one by itself; in longer chains the next is short, so that the others begin where cache
  /// lines do.
  static constexpr int count_from(int first, int end, int most = block) {
    if (first == 0) return 1;
    if (first == 1 && end > 32) return 7;
    return std::min(end > in_caches ? read_ahead : most, end - first);
  }
  /// Of a chain that no cache holds blocks are so short that the processor reads the next while it
  /// works on one. 10^6 links take 10.2 ns each with 18, 10.9 with 12, 11.8 with 16 or 20 and 12.4
  /// with 128; in space 12.8, 13.5, 17.8 or 14.1, 16.8. Below 250 000 long blocks are faster.
  static constexpr int in_caches = 250'000, read_ahead = 18;
  using Point = Vector<S, D>;
  using Multiplier = Vector<S, dynamic>;
  using Jacobian = std::conditional_t<Sys::is_rod, RodSlopes<Sys, S>, StoredSlopes<Sys, S>>;

  /// g and G of a block of links, link 0 by itself; how many |g_k| are beyond the floor.
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
      return beyond;
    }
    for (int k = k0; k < k0 + count; ++k) {
      Point a;
      for (int c = 0; c < D; ++c) a[c] = q[D * (k - 1) + c];
      link(a, k);
    }
    return beyond;
  }
  /// (G M^-1 p)_k for a block of links; link 0 is a block of its own.
  RATTLEBACK_INLINE static void hidden_block(const Sys& system, const Jacobian& jacobian,
                                             const S* __restrict p, int k0, int count,
                                             S* __restrict out) {
    if (k0 == 0) {
      S sum(0);
      for (int c = 0; c < D; ++c) sum += jacobian.root_second(c) * p[c];
      out[0] = sum * system.inverse_mass(0);
      return;
    }
    S product[D * block];
    for (int y = 0, x = D * k0; y < D * count; ++y, ++x)
      product[y] = jacobian.second(x) * p[x] * system.inverse_mass(x / D) +
                   jacobian.first(x) * p[x - D] * system.inverse_mass(x / D - 1);
    for (int i = 0; i < count; ++i) {
      S dot = product[D * i];
      for (int c = 1; c < D; ++c) dot += product[D * i + c];
      out[k0 + i] = dot;
    }
  }
  /// op(x, (G^T lambda)_x) for every coordinate x, or op(x, force, x - start of the block), between
  /// prepare(first body, count) and finish(first body, count) of each block.
  template <class Op, class Prepare, class Finish>
  RATTLEBACK_INLINE static void for_coordinates(const Jacobian& jacobian, const Multiplier& lambda,
                                                Op&& op, Prepare&& prepare, Finish&& finish) {
    const int n = static_cast<int>(lambda.size());
    const S* __restrict l = lambda.data();
    const auto apply = [&](int x, const S& force, int at) RATTLEBACK_INLINE_LAMBDA {
      if constexpr (requires { op(x, force, at); })
        op(x, force, at);
      else
        op(x, force);
    };
    prepare(0, 1);
    for (int c = 0; c < D; ++c) {
      S force = jacobian.root_second(c) * l[0];
      if (n > 1) force += jacobian.first(D + c) * l[1];
      apply(c, force, c);
    }
    finish(0, 1);
    alignas(64) S spread[D * (block + 1)];
    for (int i0 = 1, count; i0 + 1 < n; i0 += count) {
      count = count_from(i0, n - 1);
      for (int i = 0; i <= count; ++i)
        for (int c = 0; c < D; ++c) spread[D * i + c] = l[i0 + i];
      prepare(i0, count);
      const int x0 = D * i0, coordinates = D * count;
      RATTLEBACK_INDEPENDENT
      for (int y = 0; y < coordinates; ++y) {
        const int x = x0 + y;
        apply(x, S(jacobian.second(x) * spread[y] + jacobian.first(x + D) * spread[y + D]), y);
      }
      finish(i0, count);
    }
    if (n < 2) return;
    prepare(n - 1, 1);
    for (int c = 0, x = D * (n - 1); c < D; ++c, ++x) apply(x, S(jacobian.second(x) * l[n - 1]), c);
    finish(n - 1, 1);
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
