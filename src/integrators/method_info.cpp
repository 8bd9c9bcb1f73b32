#include "rattleback/integrators/method_info.hpp"

namespace rattleback {

std::string to_string(SymplecticOn where) {
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

std::string to_string(const Applies& needs) {
  std::string text;
  const auto add = [&](bool needed, const char* what) {
    if (needed) text += (text.empty() ? "" : ", ") + std::string(what);
  };
  add(needs.natural, "natural H");
  add(needs.separable, "H = T(p) + V(q)");
  add(needs.lagrangian, "a Lagrangian");
  add(needs.holonomic, "g(q)");
  return text.empty() ? "any" : text;
}

std::string orders(const MethodInfo& info) {
  std::string order = std::to_string(info.order);
  if (!info.momentum_order) return order;
  return order + " (q), " + std::to_string(*info.momentum_order) + " (p)";
}

std::string preserved(const MethodInfo& info) {
  if (info.preserves_primary && info.preserves_hidden) return "g, {g,H}";
  if (info.preserves_primary) return "g";
  return info.preserves_hidden ? "{g,H}" : "-";
}

}  // namespace rattleback
