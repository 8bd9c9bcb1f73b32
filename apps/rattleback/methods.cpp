#include <cstdio>

#include "exit_code.hpp"
#include "json.hpp"
#include "rattleback/integrators/registry.hpp"
#include "text_table.hpp"
#include "verbs.hpp"

namespace rattleback::app {

namespace {

const char* symplectic_on(SymplecticOn where) {
  switch (where) {
    case SymplecticOn::nothing:
      return "no";
    case SymplecticOn::phase_space:
      return "phase space";
    case SymplecticOn::primary_manifold:
      return "g = 0";
    case SymplecticOn::state_manifold:
      return "g = {g,H} = 0";
  }
  return "";
}

std::string preserved(const MethodInfo& info) {
  if (info.preserves_primary && info.preserves_hidden) return "g, {g,H}";
  if (info.preserves_primary) return "g";
  return info.preserves_hidden ? "{g,H}" : "-";
}

std::string applies_to(const Applies& needs) {
  std::string text;
  if (needs.natural) text = "natural H";
  if (needs.lagrangian) text += (text.empty() ? "" : ", ") + std::string("a Lagrangian");
  if (needs.holonomic) text += (text.empty() ? "" : ", ") + std::string("g(q)");
  return text.empty() ? "any" : text;
}

Json method_json(const Method& method) {
  const MethodInfo& info = method.info();
  Json options = Json::object({});
  for (const auto& [option, value] : method.options()) options.add(option, value);
  return Json::object({{"name", info.name},
                       {"family", method.family()},
                       {"options", options},
                       {"order", info.order},
                       {"symplectic", info.symplectic_on != SymplecticOn::nothing},
                       {"symplectic_on", symplectic_on(info.symplectic_on)},
                       {"symmetric", info.symmetric},
                       {"preserves_constraint", info.preserves_primary},
                       {"preserves_hidden_constraint", info.preserves_hidden},
                       {"applies_to", applies_to(info.applies)},
                       {"source", info.cite}});
}

}  // namespace

int methods(bool json) {
  if (json) {
    std::vector<Json> all;
    for (const Method& method : registry()) all.push_back(method_json(method));
    std::printf("%s\n", Json::array(all).text().c_str());
    return done;
  }
  TextTable table(
      {"method", "order", "symplectic on", "symmetric", "preserves", "applies to", "source"});
  for (const Method& method : registry()) {
    const MethodInfo& info = method.info();
    table.add({info.name, std::to_string(info.order), symplectic_on(info.symplectic_on),
               info.symmetric ? "yes" : "no", preserved(info), applies_to(info.applies),
               info.cite});
  }
  std::fputs(table.text().c_str(), stdout);
  return done;
}

}  // namespace rattleback::app
