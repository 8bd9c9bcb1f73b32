#include <algorithm>
#include <unordered_map>

#include "../problem/suggest.hpp"
#include "reader.hpp"

namespace rattleback::text {

namespace {

const Allowed constant{.what = "a parameter"};

/// "[1, atan2(1, 2)]" in its parts; a text without brackets is its only part.
std::vector<std::pair<std::size_t, std::size_t>> list_parts(std::string_view text) {
  if (!text.starts_with('[') || !text.ends_with(']')) return {{0, text.size()}};
  std::vector<std::pair<std::size_t, std::size_t>> parts;
  int depth = 0;
  std::size_t begin = 1;
  for (std::size_t i = 1; i < text.size(); ++i) {
    const char c = text[i];
    if (i + 1 == text.size() || (c == ',' && depth == 0)) {
      parts.emplace_back(begin, i - begin);
      begin = i + 1;
    }
    depth += (c == '(' || c == '[') - (c == ')' || c == ']');
  }
  return parts;
}

}  // namespace

void Reader::declare_parameters(const Toml& model) {
  const auto* entry = model.find("parameters");
  if (!entry) return;
  for (const auto& parameter : require(*entry, Toml::Type::table, "a table").entries) {
    const Toml& value = parameter.value;
    const bool is_list = value.is(Toml::Type::list);
    if (is_list && value.items.empty())
      fail(value.position, "the list " + in_quotes(parameter.key) + " is empty");
    const auto count = static_cast<long>(is_list ? value.items.size() : 1);
    const std::string wrong = scope_.declare(parameter.key, {.is_family = is_list, .upper = count});
    if (!wrong.empty()) fail(parameter.position, wrong);
    parameters_.push_back({parameter.key, scope_.find(parameter.key), &value});
  }
}

void Reader::apply_settings() {
  for (const auto& setting : settings_) {
    const auto& [name, value] = setting;
    const Source& source =
        setting_sources_.emplace_back("--set", std::string(name).append("=").append(value), false);
    std::vector<std::string> names;
    for (Parameter& parameter : parameters_) {
      names.push_back(parameter.name);
      if (parameter.name != name) continue;
      parameter.setting = &source;
      parameter.symbol->is_family = value.starts_with('[');
      parameter.symbol->upper = static_cast<long>(list_parts(value).size());
    }
    if (!scope_.find(name) || std::find(names.begin(), names.end(), name) == names.end())
      source.fail({1, 1}, "unknown parameter " + in_quotes(name) + detail::suggestion(name, names));
  }
}

void Reader::parse_parameters() {
  for (Parameter& parameter : parameters_) {
    if (const Source* source = parameter.setting) {
      const std::size_t start = parameter.name.size() + 1;
      const std::string value = source->text().substr(start);
      for (const auto& [begin, length] : list_parts(value))
        parameter.codes.push_back(
            parse_expression({source, value.substr(begin, length), source->position(start + begin)},
                             scope_, constant));
      continue;
    }
    const std::string what = in_quotes(parameter.name);
    if (!parameter.written->is(Toml::Type::list))
      parameter.codes.push_back(code(*parameter.written, what, constant));
    for (const Toml& item : parameter.written->items)
      parameter.codes.push_back(code(item, "an element of " + what, constant));
  }
}

void Reader::refuse_cycle(const std::vector<int>& path, int again, const Step& reference) {
  std::string names;
  for (auto at = std::find(path.begin(), path.end(), again); at != path.end(); ++at) {
    if (names.size() > 200) {
      names += "... -> ";
      break;
    }
    names += parameters_[*at].name + " -> ";
  }
  for (const Code& code : parameters_[path.back()].codes)
    for (const Step& step : code.steps)
      if (&step == &reference)
        text::fail(code.passage, step.offset,
                   "parameters go round in a circle: " + names + parameters_[again].name);
  throw Error("unreachable");
}

/// Each after those that it refers to: depth first, with a stack of its own.
void Reader::evaluate_parameters() {
  std::unordered_map<const Symbol*, int> number_of;
  for (const Parameter& p : parameters_) number_of.emplace(p.symbol, number_of.size());
  std::vector<std::vector<std::pair<int, const Step*>>> needs(parameters_.size());
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    for (const Code& code : parameters_[i].codes)
      for (const Step& step : code.steps)
        if (step.symbol) needs[i].emplace_back(number_of.at(step.symbol), &step);

  enum class State { fresh, open, done };
  std::vector<State> states(parameters_.size(), State::fresh);
  std::vector<int> path;
  std::vector<std::size_t> next(parameters_.size(), 0);
  for (int root = 0; root < static_cast<int>(parameters_.size()); ++root) {
    if (states[root] == State::fresh) path.push_back(root);
    while (!path.empty()) {
      const int now = path.back();
      states[now] = State::open;
      if (next[now] < needs[now].size()) {
        const auto [other, step] = needs[now][next[now]++];
        if (states[other] == State::open) refuse_cycle(path, other, *step);
        if (states[other] == State::fresh) path.push_back(other);
        continue;
      }
      Parameter& parameter = parameters_[now];
      for (const Code& code : parameter.codes)
        parameter.symbol->values.push_back(Expander(budget_).number(code));
      file_.parameters[parameter.name] = parameter.symbol->values;
      states[now] = State::done;
      path.pop_back();
    }
  }
}

}  // namespace rattleback::text
