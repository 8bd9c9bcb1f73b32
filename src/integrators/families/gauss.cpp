#include "rattleback/integrators/gauss.hpp"

#include "../common_options.hpp"
#include "../full_or_sparse.hpp"

namespace rattleback {

namespace {

constexpr std::pair<Formulation, const char*> formulations[] = {
    {Formulation::index2, "index2"},
    {Formulation::index3, "index3"},
    {Formulation::index2_momentum, "index2-momentum"},
    {Formulation::unconstrained, "unconstrained"}};
constexpr std::pair<GaussVariant, const char*> variants[] = {
    {GaussVariant::plain, "plain"},
    {GaussVariant::projected, "projected"},
    {GaussVariant::reversible, "reversible"}};

template <class Table>
auto choice_of(const Table& table, const std::string& word) {
  for (const auto& [choice, name] : table)
    if (name == word) return choice;
  throw InputError("method", "unknown word '" + word + "'");
}
template <class Table>
Option words(const char* name, const char* text, const Table& table) {
  std::vector<std::string> names;
  for (const auto& entry : table) names.emplace_back(entry.second);
  return word_option(name, text, names);
}

GaussChoice choice_of(const Values& values) {
  return {.stages = static_cast<int>(values.whole("stages")),
          .form = choice_of(formulations, values.word("formulation")),
          .variant = choice_of(variants, values.word("variant"))};
}
bool is_composed(const Values& values) {
  return values.has("compose") && values.word("compose") != "none";
}

Claims claims(const Values& values) {
  const GaussChoice choice = choice_of(values);
  if (!is_composed(values)) return gauss_info(choice);
  MethodInfo info = gauss_info_in_compositions(choice);
  if (info.momentum_order)
    return Refusal{"its momenta have order " + std::to_string(*info.momentum_order) +
                   ", which no composition raises"};
  return info;
}

/// Besides each value alone.
std::vector<Values> law_values() {
  std::vector<Values> all;
  for (const long s : {2L, 3L}) {
    for (const char* form : {"index3", "index2-momentum", "unconstrained"})
      all.push_back({{"stages", s}, {"formulation", form}});
    all.push_back({{"stages", s}, {"variant", "projected"}});
  }
  return all;
}

struct MakeGauss {
  template <class S>
  AnyStepperPointer<S> operator()(const Values& values, const AnySystem& system,
                                  const SolveOptions& solve) const {
    GaussChoice choice = choice_of(values);
    if (gauss_info(choice).applies.holonomic && !system.traits().holonomic)
      throw ModelError("gauss:formulation=" + values.word("formulation") + ": " + system.name() +
                       " has constraints on momenta");
    if (is_composed(values)) choice = in_compositions(choice);
    return full_or_sparse<S, DrivenStages>("gauss", choice.stages, system, choice, solve);
  }
};

}  // namespace

Family gauss_family(FamilyScalars) {
  Option stages{.name = "stages",
                .text = "of the Gauss-Legendre method",
                .standard = 1L,
                .samples = {1L, 2L, 3L},
                .least = 1,
                .most = 16,
                .in_name = true};
  return composable(
      {.name = "gauss",
       .text = "Gauss-Legendre collocation on the constrained equations",
       .options = {stages,
                   words("formulation",
                         "index2: g and {g,H} at every stage; index3: g; index2-momentum: {g,H}; "
                         "unconstrained: the Hamiltonian that has g = {g,H} = 0 invariant",
                         formulations),
                   words(
                       "variant",
                       "projected: onto g = {g,H} = 0 after each step; reversible: two half steps",
                       variants)},
       .claims = claims,
       .make = steppers(MakeGauss{}),
       .together = law_values()});
}

}  // namespace rattleback
