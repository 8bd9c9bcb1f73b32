#include <cstdio>
#include <set>

#include "exit_code.hpp"
#include "json.hpp"
#include "rattleback/integrators/registry.hpp"
#include "rattleback/multibody/mechanism_motion.hpp"
#include "text_table.hpp"
#include "verbs.hpp"

namespace rattleback::app {

namespace {

using Words = std::vector<std::string>;

std::string joined(const Words& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

/// "verlet, midpoint, ..." or "0.5; a number from 0 to 1": the standard value first.
std::string choices(const Option& option) {
  if (!option.is_word()) return to_string(option.standard) + "; " + option.expected();
  Words words;
  for (const OptionValue& word : option.samples) words.push_back(to_string(word));
  return joined(words);
}

/// "order 2, symmetric, symplectic on g = {g,H} = 0, preserves g, {g,H}, applies to any"; of what
/// is equal to `but` nothing.
std::string claims_in_words(const MethodInfo& info, const MethodInfo* but = nullptr) {
  Words text;
  const auto add = [&](bool same, const std::string& words) {
    if (!but || !same) text.push_back(words);
  };
  add(but && orders(info) == orders(*but), "order " + orders(info));
  add(but && info.symmetric == but->symmetric, info.symmetric ? "symmetric" : "not symmetric");
  add(but && info.symplectic_on == but->symplectic_on,
      info.symplectic_on == SymplecticOn::nothing
          ? "not symplectic"
          : "symplectic on " + to_string(info.symplectic_on));
  add(but && preserved(info) == preserved(*but),
      preserved(info) == "-" ? "preserves no constraint" : "preserves " + preserved(info));
  add(but && to_string(info.applies) == to_string(but->applies),
      "applies to " + to_string(info.applies));
  return joined(text);
}

/// Of the samples of an option that claim something else: "euler-a, euler-b: order 1".
Words claims_of_samples(const Family& family, const Option& option, const MethodInfo& standard) {
  std::vector<std::pair<std::string, Words>> groups;
  for (const OptionValue& sample : option.samples) {
    const Claims claims = claims_of(family, family.values({{option.name, sample}}));
    const auto* info = std::get_if<MethodInfo>(&claims);
    const std::string said = info ? claims_in_words(*info, &standard) : "";
    if (said.empty()) continue;
    auto group = groups.begin();
    while (group != groups.end() && group->first != said) ++group;
    if (group == groups.end()) group = groups.insert(group, {said, {}});
    group->second.push_back(to_string(sample));
  }
  Words lines;
  for (const auto& [said, samples] : groups) lines.push_back(joined(samples) + ": " + said);
  return lines;
}

/// A name, and lines beside it.
void print_beside(const std::string& name, const Words& lines) {
  constexpr int width = 13;
  for (const auto& line : lines)
    std::printf("%-*s%s%s\n", width, &line == &lines.front() ? name.c_str() : "",
                &line == &lines.front() && static_cast<int>(name.size()) >= width ? " " : "",
                line.c_str());
}

void print_family(const Family& family) {
  const MethodInfo standard = Method(family, family.values()).info();
  print_beside(family.name, {family.text, claims_in_words(standard) + "  " + standard.cite});
  for (const Option& option : family.options) {
    Words lines{choices(option), option.text};
    for (auto& line : claims_of_samples(family, option, standard)) lines.push_back(line);
    if (!option.only_with.first.empty())
      lines.push_back("with " + option.only_with.first + "=" + option.only_with.second + " only");
    print_beside("  " + option.name, lines);
  }
}

/// Why pairs of samples of the laws are refused, the others at their standard; each reason once.
std::vector<std::pair<std::string, std::string>> refused_pairs(const Family& family) {
  std::vector<std::pair<std::string, std::string>> list;
  std::set<std::string> known;
  for (const Option& a : family.options)
    for (const OptionValue& x : a.law_samples())
      for (const Option* b = &a; b <= &family.options.back(); ++b)
        for (const OptionValue& y : b->law_samples()) {
          if (b == &a && !(x == y)) continue;
          const Values values = family.values({{a.name, x}, {b->name, y}});
          const Claims claims = claims_of(family, values);
          const auto* refusal = std::get_if<Refusal>(&claims);
          if (refusal && known.insert(family.name_of(values)).second)
            list.emplace_back(family.name_of(values), refusal->reason);
        }
  return list;
}

void print_in_full(const Family& family) {
  print_family(family);
  TextTable table(
      {"method", "order", "symplectic on", "symmetric", "preserves", "applies to", "source"});
  for (const Method& method : law_methods()) {
    if (&method.family() != &family) continue;
    const MethodInfo& info = method.info();
    table.add({info.name, orders(info), to_string(info.symplectic_on),
               info.symmetric ? "yes" : "no", preserved(info), to_string(info.applies), info.cite});
  }
  std::printf("\n%s", table.text().c_str());
  const auto refused = refused_pairs(family);
  if (refused.empty()) return;
  TextTable reasons({"refused", "because"});
  for (const auto& [name, reason] : refused) reasons.add({name, reason});
  std::printf("\n%s", reasons.text().c_str());
}

Json value_json(const OptionValue& value) {
  return std::visit(
      [](const auto& v) {
        if constexpr (std::is_same_v<std::decay_t<decltype(v)>, std::vector<double>>)
          return Json::array(v);
        else
          return Json(v);
      },
      value);
}

Json option_json(const Option& option) {
  std::vector<Json> samples;
  samples.reserve(option.samples.size());
  for (const OptionValue& sample : option.samples) samples.push_back(value_json(sample));
  Json json = Json::object({{"name", option.name},
                            {"type", option.type()},
                            {"standard", value_json(option.standard)},
                            {"samples", Json::array(samples)},
                            {"text", option.text}});
  if (!option.is_word()) {  // infinite: null
    json.add("least", option.least);
    json.add("most", option.most);
  }
  if (!option.only_with.first.empty())
    json.add("only_with", Json::object({{option.only_with.first, Json(option.only_with.second)}}));
  return json;
}

Json family_json(const Family& family) {
  std::vector<Json> options;
  options.reserve(family.options.size());
  for (const Option& option : family.options) options.push_back(option_json(option));
  Json refused = Json::object({});
  for (const auto& [name, reason] : refused_pairs(family)) refused.add(name, reason);
  return Json::object({{"name", family.name},
                       {"text", family.text},
                       {"options", Json::array(options)},
                       {"refused", refused}});
}

Json method_json(const Method& method) {
  const MethodInfo& info = method.info();
  Json options = Json::object({});
  for (const auto& [option, value] : method.values()) options.add(option, value_json(value));
  return Json::object({{"name", info.name},
                       {"family", method.family().name},
                       {"options", options},
                       {"order", info.order},
                       {"momentum_order", info.momentum_order.value_or(info.order)},
                       {"symplectic", info.symplectic_on != SymplecticOn::nothing},
                       {"symplectic_on", to_string(info.symplectic_on)},
                       {"symmetric", info.symmetric},
                       {"preserves_constraint", info.preserves_primary},
                       {"preserves_hidden_constraint", info.preserves_hidden},
                       {"applies_to", to_string(info.applies)},
                       {"source", info.cite}});
}

void print_json(const Family* only) {
  std::vector<Json> described, held;
  for (const Family& family : families())
    if (!only || &family == only) described.push_back(family_json(family));
  for (const Method& method : law_methods())
    if (!only || &method.family() == only) held.push_back(method_json(method));
  std::printf("%s\n",
              Json::object({{"families", Json::array(described)}, {"methods", Json::array(held)}})
                  .text()
                  .c_str());
}

Words mechanism_names() {
  Words names;
  for (const Family& family : mechanism_families()) names.push_back(family.name);
  return names;
}

}  // namespace

int methods(const MethodsRequest& request) {
  const Family* only = nullptr;
  const std::string name = request.name.substr(0, request.name.find(':'));
  for (const Family& family : mechanism_families())
    if (family.name == name) return print_family(family), done;
  if (!request.name.empty()) only = &find_method(name, mechanism_names()).family();
  if (request.json) {
    print_json(only);
  } else if (only) {
    print_in_full(*only);
  } else {
    for (const Family& family : families()) {
      print_family(family);
      std::printf("\n");
    }
    std::printf("Of bodies and joints:\n\n");
    for (const Family& family : mechanism_families()) {
      print_family(family);
      std::printf("\n");
    }
    std::printf(
        "The first value of an option is the standard one. Chosen as NAME:option=value,...;\n"
        "lists as c=[0.5;0.5]. rattleback methods NAME tells all of one.\n");
  }
  return done;
}

}  // namespace rattleback::app
