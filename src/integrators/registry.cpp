#include "rattleback/integrators/registry.hpp"

#include <algorithm>

#include "../problem/suggest.hpp"
#include "families/scalars.hpp"
#include "rattleback/problem/error.hpp"

namespace rattleback {

#define FAMILY(name) Family name##_family(FamilyScalars);
#include "families.inc"
#undef FAMILY

namespace {

using Words = std::vector<std::string>;

/// All of them, and the one that was probably meant.
std::string choices_for(const std::string& wrong, const Words& known) {
  std::string text;
  for (const auto& word : known) text += (text.empty() ? "" : ", ") + word;
  return (text.empty() ? "none" : text) + detail::suggestion(wrong, known);
}

[[noreturn]] void refuse(const std::string& what) { throw InputError("method", what); }

[[noreturn]] void refuse_value(const Family& family, const Option& option,
                               const std::string& value) {
  const std::string which = "option '" + option.name + "' of '" + family.name + "' ";
  if (!option.is_word()) refuse(which + "must be " + option.expected() + ", not '" + value + "'");
  Words words;
  for (const auto& sample : option.samples) words.push_back(to_string(sample));
  refuse(which + "cannot be '" + value + "'; choices: " + choices_for(value, words));
}

/// "base=midpoint,project=output"
Values parse_options(const Family& family, std::string_view specification, std::string_view text) {
  Values chosen;
  while (!text.empty()) {
    const auto comma = text.find(',');
    const std::string item(text.substr(0, comma));
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    const auto equals = item.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == item.size())
      refuse("expected option=value, got '" + item + "' in '" + std::string(specification) + "'");
    const std::string name = item.substr(0, equals), value = item.substr(equals + 1);
    const Option* option = family.find(name);
    if (!option) {
      Words known;
      for (const Option& o : family.options) known.push_back(o.name);
      refuse("'" + family.name + "' has no option '" + name +
             "'; it has: " + choices_for(name, known));
    }
    if (chosen.has(name))
      refuse("option '" + name + "' is given twice in '" + std::string(specification) + "'");
    const auto read = option->read(value);
    if (!read) refuse_value(family, *option, value);
    chosen.set(name, *read);
  }
  return chosen;
}

/// Each sample alone, then the family's own.
std::vector<Values> settings_for_laws(const Family& family) {
  std::vector<Values> settings{{}};
  for (const Option& option : family.options)
    for (const OptionValue& sample : option.law_samples()) {
      Values alone{{option.name, sample}};
      const auto& [other, word] = option.only_with;
      if (!other.empty()) alone.set(other, word);
      settings.push_back(std::move(alone));
    }
  settings.insert(settings.end(), family.together.begin(), family.together.end());
  return settings;
}

}  // namespace

const std::vector<Family>& families() {
  static const std::vector<Family> all{
#define FAMILY(name) name##_family({}),
#include "families.inc"
#undef FAMILY
  };
  return all;
}

const Family* find_family(std::string_view name) {
  for (const Family& family : families())
    if (family.name == name) return &family;
  return nullptr;
}

Method find_method(std::string_view specification, const std::vector<std::string>& also) {
  return find_method_among(families(), specification, also);
}

Method find_method_among(const std::vector<Family>& families, std::string_view specification,
                         const std::vector<std::string>& also) {
  const auto colon = specification.find(':');
  const std::string name(specification.substr(0, colon));
  const auto family = std::find_if(families.begin(), families.end(),
                                   [&](const Family& f) { return f.name == name; });
  if (family == families.end()) {
    Words names = also;
    for (const Family& f : families) names.push_back(f.name);
    refuse("unknown method '" + name + "'; known methods: " + choices_for(name, names));
  }
  const std::string_view options =
      colon == std::string_view::npos ? "" : specification.substr(colon + 1);
  return {*family, family->values(parse_options(*family, specification, options))};
}

const std::vector<Method>& law_methods() {
  static const std::vector<Method> all = [] {
    std::vector<Method> list;
    for (const Family& family : families())
      for (const Values& chosen : settings_for_laws(family)) {
        const Values values = family.values(chosen);
        if (std::holds_alternative<Refusal>(claims_of(family, values))) continue;
        Method method(family, values);
        if (std::find(list.begin(), list.end(), method) == list.end())
          list.push_back(std::move(method));
      }
    return list;
  }();
  return all;
}

}  // namespace rattleback
