#include "rattleback/integrators/family.hpp"

#include <algorithm>

#include "rattleback/problem/error.hpp"

namespace rattleback {

namespace {

/// An option that means nothing with the other values stays at its standard.
std::string meaningless(const Family& family, const Values& values) {
  const auto found =
      std::find_if(family.options.begin(), family.options.end(), [&](const Option& option) {
        const auto& [other, word] = option.only_with;
        return !other.empty() && values.at(option.name) != option.standard &&
               values.word(other) != word;
      });
  if (found == family.options.end()) return {};
  const auto& [other, word] = found->only_with;
  return "'" + found->name + "' belongs to " + other + "=" + word + ", and " + other + " is '" +
         values.word(other) + "'";
}

}  // namespace

const Option* Family::find(const std::string& option) const {
  for (const Option& o : options)
    if (o.name == option) return &o;
  return nullptr;
}

Values Family::values(const Values& chosen) const {
  Values all;
  for (const Option& option : options) all.set(option.name, option.standard);
  for (const auto& [name, value] : chosen) all.set(name, value);
  return all;
}

std::string Family::name_of(const Values& all) const {
  std::string text = name;
  for (const Option& option : options)
    if (option.in_name || all.at(option.name) != option.standard)
      text += (text.size() == name.size() ? ':' : ',') + option.name + '=' +
              to_string(all.at(option.name));
  return text;
}

Claims claims_of(const Family& family, const Values& values) {
  if (std::string reason = meaningless(family, values); !reason.empty())
    return Refusal{std::move(reason)};
  Claims claims = family.claims(values);
  if (auto* info = std::get_if<MethodInfo>(&claims)) info->name = family.name_of(values);
  return claims;
}

Method::Method(const Family& family, Values values) : family_(&family), values_(std::move(values)) {
  Claims claims = claims_of(family, values_);
  if (const auto* refusal = std::get_if<Refusal>(&claims))
    throw InputError("method", "'" + family.name_of(values_) + "' is refused: " + refusal->reason);
  info_ = std::get<MethodInfo>(std::move(claims));
}

Method Method::with(const std::string& option, OptionValue value) const {
  Values changed = values_;
  changed.set(option, std::move(value));
  return {*family_, std::move(changed)};
}

}  // namespace rattleback
