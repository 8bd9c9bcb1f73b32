#include "rattleback/expression/scaled_field.hpp"

#include <algorithm>

#include "field_writer.hpp"
#include "rattleback/problem/pack.hpp"
#include "system_code.hpp"

namespace rattleback {

namespace {

using detail::FieldWriter;
using Vec = std::vector<Expression>;

/// Beyond this, roots and divisions are little beside the rest.
constexpr int most_refined = 2'000;

detail::Outputs arrays(const Vec& first, const Vec& second) {
  detail::Outputs outputs;
  for (std::size_t i = 0; i < first.size(); ++i) outputs.push_back({0, int(i), first[i]});
  for (std::size_t i = 0; i < second.size(); ++i) outputs.push_back({1, int(i), second[i]});
  return outputs;
}

LaneProgram lane_program(const Graph& graph, int split, const detail::Outputs& outputs) {
  LaneProgram made{.program = Program(graph, split, outputs)};
  // As wide as the packs between which it is called: what one writes, the other reads at once.
  const int width = std::min(NativeCode::widest(), detail::widest_register);
  if (NativeCode::available())
    made.native = NativeCode(made.program, LaneProgram::lanes, 0, 0, {}, width, 1);
  return made;
}

/// With so many of what is held behind q': 1 for t' = sigma alone. From held values, behind c^2,
/// where there are some.
LaneProgram write_field(FieldWriter& writer, Graph& graph, int n, int outputs, int held = 0) {
  Vec nearly, first, second;
  for (int k = 0; k < held; ++k) nearly.push_back(graph.input(2 * n + 1 + k));
  writer.write(first, second, nearly);
  first.resize(n + outputs);
  // c^2, and what is held, go behind q, and p behind that.
  const int more = 1 + held;
  const auto place = [&](int k) { return graph.input(k < n ? k : k < 2 * n ? k + more : k - n); };
  return lane_program(graph, n + more,
                      arrays(graph.substitute(first, place), graph.substitute(second, place)));
}

LaneProgram write_rates(FieldWriter& writer, Graph& graph, int n) {
  Vec u, w, first, second;
  for (int i = 0; i < n; ++i) u.push_back(graph.input(2 * n + i));
  for (int i = 0; i < n; ++i) w.push_back(graph.input(3 * n + i));
  writer.write_rates(u, w, first, second);
  // u goes behind q, and p behind that.
  const auto place = [&](int k) {
    return graph.input(k / n == 1 ? k + n : k / n == 2 ? k - n : k);
  };
  return lane_program(graph, 2 * n,
                      arrays(graph.substitute(first, place), graph.substitute(second, place)));
}

}  // namespace

std::shared_ptr<const ScaledField> scaled_field(const CanonicalSystem& s) {
  if (!s.traits.natural || !s.traits.holonomic) return nullptr;
  Graph graph = s.graph();  // others may be reading that one
  const int n = s.dimension();
  FieldWriter writer(s, graph);
  if (!writer.eliminate()) return nullptr;
  auto field = std::make_shared<ScaledField>();
  field->dimension = n;
  field->constraints = s.constraint_count();
  field->quadratic = writer.quadratic();
  field->field = write_field(writer, graph, n, 1);
  if (field->field.program.value_count() < most_refined) {
    field->held = writer.held_count();
    field->following = writer.following_count();
    field->holding = write_field(writer, graph, n, field->held);
    field->refined = write_field(writer, graph, n, field->following, field->held);
  }
  Vec first, second;
  writer.write_normal(first, second);
  field->normal = CompiledFunction(graph, n, arrays(first, second));
  if (!field->quadratic) field->rates = write_rates(writer, graph, n);
  return field;
}

}  // namespace rattleback
