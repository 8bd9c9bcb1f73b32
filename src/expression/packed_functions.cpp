// Functions of one shape in the lanes of a pack.
#include <algorithm>

#include "system_functions.hpp"

namespace rattleback {

namespace {

using detail::Lanes;
using detail::SystemFunctions;

constexpr std::array natural_functions{&CompiledNatural::potential_gradient,
                                       &CompiledNatural::linearise,
                                       &CompiledNatural::linearise_dense};
constexpr std::array functions{
    &SystemFunctions::energy,         &SystemFunctions::energy_gradient,
    &SystemFunctions::energy_hessian, &SystemFunctions::potential_gradient,
    &SystemFunctions::velocity,       &SystemFunctions::lagrangian_gradient,
    &SystemFunctions::constraint,     &SystemFunctions::linearise};

template <class T>
CompiledFunction pack_function(const Lanes<T>& lanes, CompiledFunction T::*function) {
  Lanes<CompiledFunction> of_lanes;
  for (std::size_t lane = 0; lane < lanes.size(); ++lane)
    of_lanes[lane] = &(lanes[lane]->*function);
  return CompiledFunction::packed(of_lanes);
}

std::shared_ptr<const CompiledNatural> pack_natural(const Lanes<CompiledNatural>& lanes) {
  auto result = std::make_shared<CompiledNatural>(*lanes[0]);
  result->lanes = static_cast<int>(lanes.size());
  result->inverse_mass.clear();
  for (int i = 0; i < result->dimension; ++i)
    for (const CompiledNatural* lane : lanes) result->inverse_mass.push_back(lane->inverse_mass[i]);
  for (const auto function : natural_functions)
    (*result).*function = pack_function(lanes, function);
  return result;
}

}  // namespace

bool detail::same_shape(const SystemFunctions& a, const SystemFunctions& b) {
  const auto same = [](const auto& x, const auto& y) {
    return [&](auto function) { return (x.*function).has_shape_of(y.*function); };
  };
  return &a == &b ||
         (a.n == b.n && a.m == b.m && a.place_q == b.place_q && a.place_p == b.place_p &&
          a.place_zz == b.place_zz && !a.natural == !b.natural &&
          std::ranges::all_of(functions, same(a, b)) &&
          (!a.natural || std::ranges::all_of(natural_functions, same(*a.natural, *b.natural))));
}

std::shared_ptr<const SystemFunctions> detail::pack_functions(const Lanes<SystemFunctions>& lanes) {
  auto result = std::make_shared<SystemFunctions>(*lanes[0]);
  for (const auto function : functions) (*result).*function = pack_function(lanes, function);
  if (!result->natural) return result;
  Lanes<CompiledNatural> natural;
  for (std::size_t lane = 0; lane < lanes.size(); ++lane)
    natural[lane] = lanes[lane]->natural.get();
  result->natural = pack_natural(natural);
  return result;
}

}  // namespace rattleback
