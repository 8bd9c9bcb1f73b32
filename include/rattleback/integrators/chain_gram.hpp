// G M^-1 G^T of a chain: tridiagonal, link k is coupled to links k - 1 and k + 1.
#pragma once

#include <algorithm>
#include <vector>

#include "rattleback/integrators/chain_passes.hpp"
#include "rattleback/solve/chain.hpp"

namespace rattleback {

template <class Sys, class S>
class ChainGram {
 public:
  static constexpr int D = Sys::space;
  using T = Base<S>;
  using Point = Vector<S, D>;
  using Multiplier = Vector<S, dynamic>;
  using Jacobian = typename ChainPasses<Sys, S>::Jacobian;

  explicit ChainGram(int links)
      : n_(links), ldlt_(n_), lu_(n_), diagonal_(n_), below_(n_), above_(n_) {}

  RATTLEBACK_PASS FactorReport factor(const Sys& system, const Jacobian& jacobian) {
    if (n_ < ChainLdlt<T>::few)
      return ldlt_.factor([&](int k) { return diagonal(system, jacobian, jacobian, k); },
                          [&](int k) { return below(system, jacobian, jacobian, k); });
    fill<true>(system, jacobian, jacobian);
    return ldlt_.factor(Stored{diagonal_.data()}, Stored{below_.data()});
  }
  void solve(Multiplier& b) const { ldlt_.solve(b); }

  /// G_1 M^-1 G_0^T, the exact matrix of the position solve.
  RATTLEBACK_PASS FactorReport factor_between(const Sys& system, const Jacobian& at_start,
                                              const Jacobian& here) {
    if (n_ < ChainLu<T>::few)
      return lu_.factor([&](int k) { return diagonal(system, here, at_start, k); },
                        [&](int k) { return below(system, here, at_start, k); },
                        [&](int k) { return below(system, at_start, here, k); });
    fill<false>(system, at_start, here);
    return lu_.factor(Stored{diagonal_.data()}, Stored{below_.data()}, Stored{above_.data()});
  }
  void solve_between(Multiplier& b) const { lu_.solve(b); }

  /// (G_1 M^-1 G_0^T)_kk
  static T diagonal(const Sys& system, const Jacobian& j1, const Jacobian& j0, int k) {
    const T own = dot(j1.second_of(k), j0.second_of(k)) * T(system.inverse_mass(k));
    if (k == 0) return own;
    return own + dot(j1.first_of(k), j0.first_of(k)) * T(system.inverse_mass(k - 1));
  }
  /// (G_1 M^-1 G_0^T)_{k, k-1}
  static T below(const Sys& system, const Jacobian& j1, const Jacobian& j0, int k) {
    return dot(j1.first_of(k), j0.second_of(k - 1)) * T(system.inverse_mass(k - 1));
  }

 private:
  static constexpr int block = 64;
  /// G of a block of links and of the one before, each component in a row.
  struct Rows {
    T second[D][block + 8], first[D][block];
    RATTLEBACK_INLINE void read(const Jacobian& j, int k0, int count) {
      for (int c = 0; c < D; ++c)
        second[c][7] = base(k0 > 1 ? j.second(D * (k0 - 1) + c) : j.root_second(c));
      RATTLEBACK_INDEPENDENT
      for (int i = 0; i < count; ++i)
        for (int c = 0; c < D; ++c) {
          second[c][8 + i] = base(j.second(D * (k0 + i) + c));
          if constexpr (!Sys::is_relative) first[c][i] = base(j.first(D * (k0 + i) + c));
        }
    }
    RATTLEBACK_INLINE T by_end(int c, int i) const { return second[c][8 + i]; }
    RATTLEBACK_INLINE T by_start(int c, int i) const {
      if constexpr (Sys::is_relative)
        return -second[c][8 + i];
      else
        return first[c][i];
    }
  };

  /// G_1 M^-1 G_0^T; where that is symmetric, what is above the diagonal is left out.
  template <bool symmetric>
  void fill(const Sys& system, const Jacobian& j0, const Jacobian& j1) {
    T* __restrict diagonal = diagonal_.data();
    T* __restrict below = below_.data();
    T* __restrict above = above_.data();
    diagonal[0] = ChainGram::diagonal(system, j1, j0, 0);
    alignas(64) Rows at_start, at_end;
    const Rows &g0 = at_start, &g1 = symmetric ? at_start : at_end;
    for (int k0 = 1, count; k0 < n_; k0 += count) {
      count = ChainPasses<Sys, S>::count_from(k0, n_, block);
      at_start.read(j0, k0, count);
      if constexpr (!symmetric) at_end.read(j1, k0, count);
      RATTLEBACK_INDEPENDENT
      for (int i = 0; i < count; ++i) {
        T own(0), before(0), left(0), right(0);
        for (int c = 0; c < D; ++c) {
          own += g1.by_end(c, i) * g0.by_end(c, i), before += g1.by_start(c, i) * g0.by_start(c, i);
          left += g1.by_start(c, i) * g0.by_end(c, i - 1);
          if constexpr (!symmetric) right += g0.by_start(c, i) * g1.by_end(c, i - 1);
        }
        const int k = k0 + i;
        const T w(system.inverse_mass(k - 1));
        diagonal[k] = own * T(system.inverse_mass(k)) + before * w;
        below[k] = left * w;
        if constexpr (!symmetric) above[k] = right * w;
      }
    }
  }
  static T dot(const Point& x, const Point& y) {
    T sum = base(x[0]) * base(y[0]);
    for (int c = 1; c < D; ++c) sum += base(x[c]) * base(y[c]);
    return sum;
  }
  struct Stored {
    const T* values;
    T operator()(int k) const { return values[k]; }
    RATTLEBACK_INLINE detail::FourRows::Row four(int k) const
      requires std::is_same_v<T, double>
    {
      detail::FourRows::Row row;
      std::memcpy(&row, values + k, sizeof row);
      return row;
    }
  };

  int n_;
  ChainLdlt<T> ldlt_;
  ChainLu<T> lu_;
  Vector<T, dynamic> diagonal_, below_, above_;
};

}  // namespace rattleback
