#include "../integrators/common_options.hpp"
#include "rattleback/integrators/composition.hpp"
#include "rattleback/integrators/registry.hpp"
#include "rattleback/multibody/mechanism_motion.hpp"
#include "rattleback/problem/error.hpp"

namespace rattleback {

namespace {

struct NoSteppers {
  template <class S>
  AnyStepperPointer<S> operator()(const Values&, const AnySystem& system,
                                  const SolveOptions&) const {
    throw ModelError("'" + system.name() + "' has no bodies: this method is for mechanisms");
  }
};

std::vector<Option> on_groups() {
  return {word_option("group", "that each body moves in", {"SO3xR3", "SE3"}),
          word_option("retraction", "from velocities to displacements", {"exp", "cayley"})};
}

Family family(const std::string& name, const std::string& text, const std::string& cite,
              bool symmetric, const std::vector<Option>& options = on_groups()) {
  const MethodInfo claims{.order = symmetric ? 2 : 1,
                          .symmetric = symmetric,
                          .symplectic_on = SymplecticOn::state_manifold,
                          .preserves_primary = true,
                          .preserves_hidden = true,
                          .applies = {.natural = true, .holonomic = true},
                          .cite = cite};
  Family plain{.name = name,
               .text = text,
               .options = options,
               .claims = [claims](const Values&) -> Claims { return claims; },
               .make = NoSteppers{}};
  return composable(std::move(plain));
}

}  // namespace

const std::vector<Family>& mechanism_families() {
  static const std::vector<Family> all{
      family("rattlie", "variational, one retraction a step", "[Hante, Arnold 2021]", true),
      family("lie-rattle", "RATTLE on groups, two retractions a step", "[Barbero24 (6.8)-(6.10)]",
             true),
      family("lie-composition", "Euler A and B, half a step each, joints closed in the middle",
             "[Barbero24 (6.4)-(6.7)]", true),
      family("lie-euler-a", "forces at the start of a step", "[Barbero24 Sec. 6.2]", false),
      family("lie-euler-b", "forces at the end of a step", "[Barbero24 Sec. 6.2]", false),
      family("rigid-rattle", "RATTLE for rotation matrices: discrete Moser-Veselov",
             "[Barbero24 Example 5.3]", true, {}),
  };
  return all;
}

Method find_mechanism_method(std::string_view specification) {
  return find_method_among(mechanism_families(), specification, {"auto"});
}

int substep_count(const Method& method) {
  std::size_t stages = 1;
  for (const CompositionInfo& scheme : compositions)
    if (method.values().has("compose") && scheme.name == method.values().word("compose"))
      stages = coefficients<double>(scheme.scheme).size();
  return static_cast<int>(stages) * (method.family().name == "lie-composition" ? 2 : 1);
}

}  // namespace rattleback
