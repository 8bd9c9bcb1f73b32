#include "scope.hpp"

#include "syntax.hpp"
#include "tokens.hpp"

namespace rattleback::text {

const char* kind_name(Symbol::Kind kind) {
  switch (kind) {
    case Symbol::parameter:
      return "a parameter";
    case Symbol::coordinate:
      return "a coordinate";
    case Symbol::momentum:
      return "a momentum";
    case Symbol::velocity:
      return "a velocity";
    default:
      return "an observable";
  }
}

bool is_name(std::string_view text) { return !text.empty() && name_length(text) == text.size(); }

bool is_reserved(std::string_view name) {
  return name == "pi" || name == "π" || name == "sum" || name == "each" || find_function(name);
}

Symbol* Scope::find(const std::string& name) {
  const auto found = symbols_.find(name);
  return found == symbols_.end() ? nullptr : &found->second;
}

const Symbol* Scope::find(const std::string& name) const {
  const auto found = symbols_.find(name);
  return found == symbols_.end() ? nullptr : &found->second;
}

std::string Scope::declare(const std::string& name, const Symbol& symbol) {
  if (!is_name(name))
    return in_quotes(name) + " is not a name: letters, digits and _, no digit first";
  if (is_reserved(name))
    return in_quotes(name) + " is reserved and cannot name " + kind_name(symbol.kind);
  if (const Symbol* other = find(name))
    return in_quotes(name) + " is already " + kind_name(other->kind);
  symbols_.emplace(name, symbol);
  return {};
}

std::string Scope::declare_coordinate(const std::string& name, bool is_family) {
  std::string wrong = declare(name, {.kind = Symbol::coordinate, .is_family = is_family});
  if (!wrong.empty()) return wrong;
  const std::pair<std::string, Symbol::Kind> companions[] = {{"p_" + name, Symbol::momentum},
                                                             {name + "_dot", Symbol::velocity}};
  for (const auto& [companion, kind] : companions)
    if (!declare(companion, {.kind = kind, .is_family = is_family}).empty())
      return in_quotes(name) + " cannot be a coordinate: " + in_quotes(companion) + ", " +
             (kind == Symbol::momentum ? "its momentum" : "its velocity") + ", is already " +
             kind_name(find(companion)->kind);
  return {};
}

std::vector<std::string> Scope::names() const {
  std::vector<std::string> all;
  all.reserve(symbols_.size());
  for (const auto& [name, symbol] : symbols_) all.push_back(name);
  return all;
}

}  // namespace rattleback::text
