// Composition of a symmetric method with itself, to higher order  [Reich93 (26)]:
//
//   Psi_{c_s h} o ... o Psi_{c_1 h},   c_i = c_{s+1-i},   sum c_i = 1,   sum c_i^3 = 0   (order 4)
//
// The substeps are those of the map on fibres, without projections of the momentum: SHAKE and
// RATTLE are the same map there [McLachlan12 (11)]. Where a method projects in every step, the
// composed one does so once, at its end.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rattleback/integrators/method_info.hpp"
#include "rattleback/integrators/shake_rattle.hpp"
#include "rattleback/problem/error.hpp"

namespace rattleback {

/// Triple jumps [Reich93 (26)] and Suzuki's five substeps, which repeat to any even order, and
/// schemes with coefficients found by search: of each order the last one costs least where steps
/// are short. At usual accuracies kahan_li8 does, see docs/mathematics.md.
enum class Composition {
  triple_jump4,
  triple_jump6,
  triple_jump8,
  triple_jump10,
  suzuki4,
  suzuki6,
  suzuki8,
  yoshida6,
  kahan_li6,
  sofroniou6,
  yoshida8,
  mclachlan8,
  kahan_li8,
  sofroniou8,
  kahan_li10,
  sofroniou10
};

struct CompositionInfo {
  Composition scheme;
  std::string_view name;
  int order, stages;
  std::string_view cite;
};
inline constexpr std::array<CompositionInfo, 16> compositions{
    {{Composition::triple_jump4, "triplejump4", 4, 3, "[Reich93 (26)]"},
     {Composition::triple_jump6, "triplejump6", 6, 9, "[Reich93 (26)]"},
     {Composition::triple_jump8, "triplejump8", 8, 27, "[Reich93 (26)]"},
     {Composition::triple_jump10, "triplejump10", 10, 81, "[Reich93 (26)]"},
     {Composition::suzuki4, "suzuki4", 4, 5, "[Suzuki90]"},
     {Composition::suzuki6, "suzuki6", 6, 25, "[Suzuki90]"},
     {Composition::suzuki8, "suzuki8", 8, 125, "[Suzuki90]"},
     {Composition::yoshida6, "yoshida6", 6, 7, "[Yoshida90]"},
     {Composition::kahan_li6, "kahanli6", 6, 9, "[KahanLi97]"},
     {Composition::sofroniou6, "sofroniou6", 6, 13, "[Sofroniou05]"},
     {Composition::yoshida8, "yoshida8", 8, 15, "[Yoshida90]"},
     {Composition::mclachlan8, "mclachlan8", 8, 15, "[McLachlan95]"},
     {Composition::kahan_li8, "kahanli8", 8, 17, "[KahanLi97]"},
     {Composition::sofroniou8, "sofroniou8", 8, 21, "[Sofroniou05]"},
     {Composition::kahan_li10, "kahanli10", 10, 33, "[KahanLi97]"},
     {Composition::sofroniou10, "sofroniou10", 10, 35, "[Sofroniou05]"}}};

constexpr const CompositionInfo& info(Composition scheme) {
  return compositions[static_cast<std::size_t>(scheme)];
}

/// c_1, ..., c_s, computed in quad precision. R is double or Quad.
template <class R>
std::vector<R> coefficients(Composition scheme);

/// Why a method is not composed by a scheme; empty where it is.
std::string obstacle_to_composition(const MethodInfo& inner, Composition scheme);
/// What the composed method claims.
MethodInfo composed_info(MethodInfo inner, Composition scheme);

/// Inner is a stepper that does not project, or shows its states by present(). A step that fails
/// leaves the state as it was.
template <class Sys, class S, class Inner>
class ComposedStepper {
 public:
  using State = StateOf<Sys, S>;

  /// With `project` the state is shown by the inner method at the end of every step.
  ComposedStepper(const Sys& system, Inner inner, Composition scheme, bool project)
      : inner_(std::move(inner)),
        c_(coefficients<Real<S>>(scheme)),
        project_(project),
        work_{PositionOf<Sys, S>(system.dimension()), PositionOf<Sys, S>(system.dimension())} {
    if constexpr (has_lambda) lambda_.resize(inner_.lambda().size());
  }

  Status step(const Sys& system, State& z, const Real<S>& h) {
    copy(z.q, work_.q), copy(z.p, work_.p);
    lambda_.setConstant(S(0));
    int iterations = 0;
    for (std::size_t k = 0; k < c_.size(); ++k) {
      if constexpr (requires { inner_.select(k); }) inner_.select(k);
      const Status status = inner_.step(system, work_, Real<S>(h * c_[k]));
      if (!status) return failed(status);
      iterations += status.iterations;
      if constexpr (has_lambda) lambda_ += inner_.lambda();
    }
    if (project_)
      if (const Status status = inner_.present(system, work_); !status) return failed(status);
    copy(work_.q, z.q), copy(work_.p, z.p);
    return {Outcome::ok, iterations};
  }
  void reset() { inner_.reset(); }
  Status present(const Sys& system, State& z) {
    return project_ ? Status{} : inner_.present(system, z);
  }
  /// The sum over the substeps: what the constraints gave in the whole step, as impulses. That of
  /// one substep tells nothing by itself: it undoes what the one before left along the fibre.
  const Vector<S, dynamic>& lambda() const { return lambda_; }
  std::string structure(const Sys& system) const
    requires requires(const Inner& inner) { inner.structure(system); }
  {
    return inner_.structure(system);
  }
  Projections projections(long steps, long looks) {
    if (project_) return {0, steps};
    if constexpr (requires { inner_.projections(steps, looks); })
      return inner_.projections(steps * static_cast<long>(c_.size()), looks);
    else
      return {};
  }

 private:
  static constexpr bool has_lambda = requires(const Inner& inner) { inner.lambda(); };

  /// What the inner method remembers is of a state on the way.
  Status failed(const Status& status) {
    inner_.reset();
    return status;
  }

  Inner inner_;
  std::vector<Real<S>> c_;
  bool project_;
  State work_;
  Vector<S, dynamic> lambda_;
};

/// A symmetric method, composed: compose(Rattle<>{}, Composition::triple_jump4). A method may say
/// what of it is composed, and what of its claims then holds (gauss.hpp).
template <class M>
struct Composed {
  M method;
  Composition scheme;

  MethodInfo info() const {
    if constexpr (requires { method.info_in_compositions(); })
      return composed_info(method.info_in_compositions(), scheme);
    else
      return composed_info(method.info(), scheme);
  }
  template <class S, class Sys>
  auto stepper(const Sys& system) const {
    M fibre = method;
    if constexpr (requires { method.in_compositions(); }) fibre = method.in_compositions();
    bool project = false;
    if constexpr (requires { fibre.project; }) {
      project = method.project == Projection::every;
      fibre.project = Projection::output;
    }
    auto inner = fibre.template stepper<S>(system);
    return ComposedStepper<Sys, S, decltype(inner)>(system, std::move(inner), scheme, project);
  }
};

/// Throws InputError for a method that is not symmetric.
template <class M>
Composed<M> compose(M method, Composition scheme) {
  if (const std::string why = obstacle_to_composition(method.info(), scheme); !why.empty())
    throw InputError("compose", why);
  return {std::move(method), scheme};
}

}  // namespace rattleback
