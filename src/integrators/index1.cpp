#include "rattleback/integrators/index1.hpp"

#include "rattleback/integrators/registry.hpp"

namespace rattleback {

namespace {

struct MakeIndex1 {
  int stages;

  template <class S>
  AnyStepperPointer<S> operator()(const AnySystem& system, const SolveOptions& options) const {
    return erase<S>(Index1Stepper<AnySystem, S>(system, stages, options));
  }
};

}  // namespace

std::vector<Method> index1_methods() {
  std::vector<Method> methods;
  for (auto [base, stages] :
       {std::pair{BaseMap::midpoint, 1}, {BaseMap::gauss2, 2}, {BaseMap::gauss3, 3}})
    methods.emplace_back("index1", Method::Options{{"base", std::string(info(base).name)}},
                         index1_info(base), MakeIndex1{stages});
  return methods;
}

}  // namespace rattleback
