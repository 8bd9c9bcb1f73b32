// G M^-1 G^T of a chain: tridiagonal, link k is coupled to links k - 1 and k + 1.
#pragma once

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

  explicit ChainGram(int links) : n_(links), ldlt_(n_), pivot_(n_), upper_(n_) {}

  RATTLEBACK_PASS FactorReport factor(const Sys& system, const Jacobian& jacobian) {
    return ldlt_.factor(Diagonal{system, jacobian}, Coupling{system, jacobian});
  }
  void solve(Multiplier& b) const { ldlt_.solve(b); }

  /// The symmetric part of G_1 M^-1 G_0^T: what it leaves out couples neighbours by how much more
  /// one has turned than the other, times the sine of the angle between them.
  RATTLEBACK_PASS FactorReport factor_between(const Sys& system, const Jacobian& at_start,
                                              const Jacobian& here) {
    T* __restrict diagonal = pivot_.data();
    T* __restrict coupling = upper_.data();
    diagonal[0] = ChainGram::diagonal(system, here, at_start, 0);
    if (n_ > 1) diagonal[1] = ChainGram::diagonal(system, here, at_start, 1);
    if (n_ > 1) coupling[1] = between(system, at_start, here, 1);
    const int n = n_;
    RATTLEBACK_INDEPENDENT
    for (int k = 2; k < n; ++k) {
      T own(0), before(0), across(0);
      for (int c = 0; c < D; ++c) {
        const int x = D * k + c, y = x - D;
        const T a1 = base(here.first(x)), b1 = base(here.second(x));
        const T a0 = base(at_start.first(x)), b0 = base(at_start.second(x));
        own += b1 * b0, before += a1 * a0;
        across += a1 * base(at_start.second(y)) + a0 * base(here.second(y));
      }
      const T w(system.inverse_mass(k - 1));
      diagonal[k] = own * T(system.inverse_mass(k)) + before * w;
      coupling[k] = across * (w * T(0.5));
    }
    return ldlt_.factor(Stored<T>{diagonal}, Stored<T>{coupling});
  }

  /// b <- (G_1 M^-1 G_0^T)^-1 b, the exact matrix of the position solve.
  bool solve_newton(const Sys& system, const Jacobian& at_start, const Jacobian& here,
                    Multiplier& b) {
    bool usable = true;
    for (int k = 0; k < n_; ++k) {
      T d = diagonal(system, here, at_start, k);
      const T a = d;
      if (k > 0) {
        const T w(system.inverse_mass(k - 1));
        const T lower = dot(here.first_of(k), at_start.second_of(k - 1)) * w;
        const T upper = dot(here.second_of(k - 1), at_start.first_of(k)) * w;
        const T m = lower * pivot_[k - 1];
        upper_[k] = upper * pivot_[k - 1];
        d -= m * upper;
        b[k] -= b[k - 1] * m;
      }
      pivot_[k] = T(1) / d;
      usable = usable && beyond(d, rank_threshold<T>(n_) * magnitude(a));
    }
    b[n_ - 1] = b[n_ - 1] * pivot_[n_ - 1];
    for (int k = n_ - 2; k >= 0; --k) b[k] = b[k] * pivot_[k] - b[k + 1] * upper_[k + 1];
    return usable;
  }

  /// (G_1 M^-1 G_0^T)_kk
  static T diagonal(const Sys& system, const Jacobian& j1, const Jacobian& j0, int k) {
    const T own = dot(j1.second_of(k), j0.second_of(k)) * T(system.inverse_mass(k));
    if (k == 0) return own;
    return own + dot(j1.first_of(k), j0.first_of(k)) * T(system.inverse_mass(k - 1));
  }

 private:
  using Row = detail::FourRows::Row;

  static T dot(const Point& x, const Point& y) {
    T sum = base(x[0]) * base(y[0]);
    for (int c = 1; c < D; ++c) sum += base(x[c]) * base(y[c]);
    return sum;
  }
  static T between(const Sys& system, const Jacobian& j0, const Jacobian& j1, int k) {
    const T sum =
        dot(j1.first_of(k), j0.second_of(k - 1)) + dot(j0.first_of(k), j1.second_of(k - 1));
    return sum * (T(system.inverse_mass(k - 1)) * T(0.5));
  }
  template <class V>
  struct Stored {
    const V* values;
    V operator()(int k) const { return values[k]; }
    RATTLEBACK_INLINE Row four(int k) const
      requires std::is_same_v<V, double>
    {
      Row row;
      std::memcpy(&row, values + k, sizeof row);
      return row;
    }
  };
  /// Entries of G M^-1 G^T one by one, or for four rows k > 0 at once.
  template <class F>
  RATTLEBACK_INLINE static Row gather(F&& f) {
    return Row{f(0), f(1), f(2), f(3)};
  }
  static constexpr bool by_four = Sys::is_relative && std::is_same_v<T, double>;
  struct Diagonal {
    const Sys& system;
    const Jacobian& j;
    T operator()(int k) const { return diagonal(system, j, j, k); }
    RATTLEBACK_INLINE Row four(int k) const
      requires by_four
    {
      Row sum{};
      for (int c = 0; c < D; ++c) {
        const Row e = gather([&](int t) { return base(j.second(D * (k + t) + c)); });
        sum += e * e;
      }
      return sum * gather([&](int t) {
               return system.inverse_mass(k + t) + system.inverse_mass(k + t - 1);
             });
    }
  };
  struct Coupling {
    const Sys& system;
    const Jacobian& j;
    T operator()(int k) const {
      return T(dot(j.second_of(k - 1), j.first_of(k)) * system.inverse_mass(k - 1));
    }
    RATTLEBACK_INLINE Row four(int k) const
      requires by_four
    {
      Row sum{};
      for (int c = 0; c < D; ++c) {
        const double last = k == 1 ? base(j.root_second(c)) : base(j.second(D * (k - 1) + c));
        const Row e = gather([&](int t) { return base(j.second(D * (k + t) + c)); });
        sum -= e * Row{last, e[0], e[1], e[2]};
      }
      return sum * gather([&](int t) { return system.inverse_mass(k + t - 1); });
    }
  };

  int n_;
  ChainLdlt<T> ldlt_;
  std::vector<T> pivot_, upper_;  // of solve_newton
};

}  // namespace rattleback
