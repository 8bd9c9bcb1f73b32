// Any text as an expression over a few names: it is parsed and differentiated, or refused.
#include <array>
#include <cstdint>
#include <string>

#include "../../src/text/expand.hpp"
#include "rattleback/expression/derivative.hpp"

namespace rb = rattleback;
using rb::text::Symbol;

namespace {

rb::text::Scope names() {
  rb::text::Scope scope;
  scope.declare("g", {.values = {9.81}});
  scope.declare("N", {.values = {3}});
  scope.declare("L", {.is_family = true, .upper = 3, .values = {1, 0, -2.5}});
  scope.declare_coordinate("x", false);
  scope.declare_coordinate("y", true);
  int first = 0;
  for (const char* name : {"x", "p_x", "x_dot"}) scope.find(name)->first = 4 * first++;
  first = 0;
  for (const char* name : {"y", "p_y", "y_dot"}) {
    scope.find(name)->upper = 3;
    scope.find(name)->first = 1 + 4 * first++;
  }
  return scope;
}

}  // namespace

void fuzz_expression(std::string_view input) {
  static const rb::text::Scope scope = names();
  const rb::text::Allowed allowed{.what = "a constraint", .kinds = 15, .may_be_family = true};
  const rb::text::Source source("fuzz", std::string(input));
  constexpr long largest = 5000;
  try {
    const rb::text::Passage passage{&source, std::string(input), {1, 1}};
    const rb::text::Code code = rb::text::parse_expression(passage, scope, allowed);
    rb::Graph graph;
    rb::text::Budget budget(largest), budget_at_point(largest);
    rb::text::Expander symbolic(budget, graph);
    symbolic.each(code, [&](const rb::text::Value& value, const std::string&) {
      const rb::Expression e = symbolic.in_graph(value);
      rb::gradient(graph, e, 0, 12);
      graph.text(
          e, [](int i) { return "z" + std::to_string(i); }, 500);
    });
    constexpr std::array<double, 12> point{0, 1, -1, 0.5, 0, 0, 2, 0, 1, 0, 0, -3};
    rb::text::Expander(budget_at_point, point).each(code, [](const auto&, const auto&) {});
  } catch (const rb::TextError&) {
  }
}

#ifdef RATTLEBACK_LIBFUZZER
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz_expression({reinterpret_cast<const char*>(data), size});
  return 0;
}
#endif
