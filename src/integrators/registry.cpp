#include "rattleback/integrators/registry.hpp"

#include <set>
#include <sstream>

#include "../problem/suggest.hpp"
#include "rattleback/problem/error.hpp"

namespace rattleback {

namespace {

std::string join(const std::set<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

/// All of them, and the one that was probably meant.
std::string choices_for(const std::string& wrong, const std::set<std::string>& known) {
  return join(known) + detail::suggestion(wrong, {known.begin(), known.end()});
}

Method::Options parse_options(std::string_view specification, std::string_view text) {
  Method::Options options;
  std::istringstream stream{std::string(text)};
  std::string item;
  while (std::getline(stream, item, ',')) {
    const auto equals = item.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == item.size())
      throw InputError("method", "expected option=value, got '" + item + "' in '" +
                                     std::string(specification) + "'");
    if (!options.emplace(item.substr(0, equals), item.substr(equals + 1)).second)
      throw InputError("method", "option '" + item.substr(0, equals) + "' is given twice in '" +
                                     std::string(specification) + "'");
  }
  return options;
}

[[noreturn]] void refuse_option(const std::string& name, const std::string& option,
                                const std::set<std::string>& known) {
  throw InputError("method", "'" + name + "' has no option '" + option + "'; it has: " +
                                 (known.empty() ? "none" : choices_for(option, known)));
}
[[noreturn]] void refuse_value(const std::string& name, const std::string& option,
                               const std::string& value, const std::set<std::string>& choices) {
  throw InputError("method", "option '" + option + "' of '" + name + "' cannot be '" + value +
                                 "'; choices: " + choices_for(value, choices));
}

/// Names the first option that no variant of the family knows, or its choices.
[[noreturn]] void refuse(const std::vector<const Method*>& family, const Method::Options& wanted) {
  const std::string& name = family.front()->family();
  for (const auto& [option, value] : wanted) {
    std::set<std::string> choices, known;
    for (const Method* m : family)
      for (const auto& [key, choice] : m->options()) {
        known.insert(key);
        if (key == option) choices.insert(choice);
      }
    if (choices.empty()) refuse_option(name, option, known);
    if (!choices.count(value)) refuse_value(name, option, value, choices);
  }
  throw InputError("method", "this combination of options is not available for '" + name + "'");
}

}  // namespace

const std::vector<Method>& registry() {
  static const std::vector<Method> methods = [] {
    std::vector<Method> all;
    for (auto family : {shake_rattle_methods, variational_methods, cotangent_methods,
                        index1_methods, baseline_methods})
      for (auto& method : family()) all.push_back(std::move(method));
    return all;
  }();
  return methods;
}

const Method& find_method(std::string_view specification) {
  const auto colon = specification.find(':');
  const std::string name(specification.substr(0, colon));
  const Method::Options wanted = parse_options(
      specification, colon == std::string_view::npos ? "" : specification.substr(colon + 1));
  std::vector<const Method*> family;
  std::set<std::string> names;
  for (const Method& m : registry()) {
    names.insert(m.family());
    if (m.family() == name) family.push_back(&m);
  }
  if (family.empty())
    throw InputError("method",
                     "unknown method '" + name + "'; known methods: " + choices_for(name, names));
  Method::Options full = family.front()->options();  // the first variant carries the defaults
  for (const auto& [option, value] : wanted) full[option] = value;
  for (const Method* m : family)
    if (m->options() == full) return *m;
  refuse(family, wanted);
}

}  // namespace rattleback
