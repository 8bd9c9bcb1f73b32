// The derivative of a step whose body has no duals left to give: by differences in quad precision.
#pragma once

#include <cmath>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "rattleback/problem/dual.hpp"
#include "rattleback/problem/quad.hpp"
#include "rattleback/problem/system.hpp"
#include "rattleback/problem/vector_ops.hpp"
#include "rattleback/solve/status.hpp"

namespace rattleback {

/// The step on duals of double, where the step itself already takes second derivatives of H and g:
/// the value in double, each partial a central difference in quad precision,
///   (step(z + d w) - step(z - d w))/(2 d),  |d w| = 1e-11,
/// whose error, about 1e-22, is nothing in double. Stepper<Sys, R> is the step in the scalar R.
template <template <class, class> class Stepper, class Sys, class S>
class Differenced {
 public:
  using State = StateOf<Sys, S>;
  static_assert(std::is_same_v<Base<S>, double>, "differences in quad precision are for double");

  template <class... Options>
  explicit Differenced(const Sys& system, const Options&... options)
      : n_(system.dimension()),
        value_(system, options...),
        fine_(system, options...),
        z_{PositionOf<Sys, double>(n_), PositionOf<Sys, double>(n_)},
        plus_{PositionOf<Sys, Quad>(n_), PositionOf<Sys, Quad>(n_)},
        minus_(plus_),
        result_{PositionOf<Sys, S>(n_), PositionOf<Sys, S>(n_)} {}
  void reset() {
    if constexpr (has_memory) value_.reset();
  }
  void save(std::vector<double>& to) const {
    if constexpr (has_memory) value_.save(to);
  }
  void restore(std::span<const double> saved) {
    if constexpr (has_memory) value_.restore(saved);
  }
  Status present(const Sys&, State&) { return {}; }
  std::string structure(const Sys& system) const { return value_.structure(system); }

  Status step(const Sys& system, State& z, const Real<S>& h) {
    for (int i = 0; i < n_; ++i) z_.q[i] = z.q[i].value, z_.p[i] = z.p[i].value;
    Status status = value_.step(system, z_, h);
    if (!status) return status;
    for (int i = 0; i < n_; ++i) result_.q[i] = S(z_.q[i]), result_.p[i] = S(z_.p[i]);
    if constexpr (has_memory) {  // what was chosen is the same for all
      memory_.clear();
      value_.save(memory_);
    }
    for (int k = 0; k < partials; ++k)
      if (Status s = differentiate(system, z, h, k); !s) return s;
    copy(result_.q, z.q);
    copy(result_.p, z.p);
    return status;
  }

 private:
  static constexpr int partials = []<class T, int K>(std::type_identity<Dual<T, K>>) {
    return K;
  }(std::type_identity<S>{});

  static constexpr bool has_memory =
      requires(Stepper<Sys, double>& s, std::vector<double>& memory) { s.save(memory); };

  /// Partial k of the result.
  Status differentiate(const Sys& system, const State& z, const Real<S>& h, int k) {
    double size = 0;
    for (int i = 0; i < n_; ++i)
      size = larger(size, larger(std::abs(z.q[i].partials[k]), std::abs(z.p[i].partials[k])));
    if (size == 0) return {};
    const Quad d = Quad(1e-11) / Quad(size);
    for (int i = 0; i < n_; ++i) {
      plus_.q[i] = Quad(z.q[i].value) + d * z.q[i].partials[k];
      plus_.p[i] = Quad(z.p[i].value) + d * z.p[i].partials[k];
      minus_.q[i] = Quad(z.q[i].value) - d * z.q[i].partials[k];
      minus_.p[i] = Quad(z.p[i].value) - d * z.p[i].partials[k];
    }
    for (auto* z1 : {&plus_, &minus_}) {
      if constexpr (has_memory) fine_.reset(), fine_.restore(memory_);
      if (Status s = fine_.step(system, *z1, Quad(h)); !s) return s;
    }
    for (int i = 0; i < n_; ++i) {
      const Quad q = (plus_.q[i] - minus_.q[i]) / (2 * d);
      const Quad p = (plus_.p[i] - minus_.p[i]) / (2 * d);
      result_.q[i].partials[k] = static_cast<double>(q);
      result_.p[i].partials[k] = static_cast<double>(p);
    }
    return {};
  }

  int n_;
  Stepper<Sys, double> value_;
  Stepper<Sys, Quad> fine_;
  StateOf<Sys, double> z_;
  StateOf<Sys, Quad> plus_, minus_;
  State result_;
  std::vector<double> memory_;
};

}  // namespace rattleback
