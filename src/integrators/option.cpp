#include "rattleback/integrators/option.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>

namespace rattleback {

namespace {

std::string shortest(double value) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

template <class T>
std::optional<T> parsed(std::string_view text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

std::optional<std::vector<double>> parsed_list(std::string_view text) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return std::nullopt;
  text = text.substr(1, text.size() - 2);
  std::vector<double> list;
  while (!text.empty()) {
    const auto semicolon = text.find(';');
    const auto value = parsed<double>(text.substr(0, semicolon));
    if (!value) return std::nullopt;
    list.push_back(*value);
    if (semicolon == std::string_view::npos) return list;
    text.remove_prefix(semicolon + 1);
    if (text.empty()) return std::nullopt;  // "[1;]"
  }
  return list;
}

}  // namespace

std::string to_string(const OptionValue& value) {
  if (const auto* word = std::get_if<std::string>(&value)) return *word;
  if (const auto* whole = std::get_if<long>(&value)) return std::to_string(*whole);
  if (const auto* number = std::get_if<double>(&value)) return shortest(*number);
  std::string text = "[";
  for (const double number : std::get<std::vector<double>>(value))
    text += (text.size() > 1 ? ";" : "") + shortest(number);
  return text + ']';
}

const char* Option::type() const {
  constexpr const char* names[] = {"word", "whole number", "number", "list of numbers"};
  return names[standard.index()];
}

std::string Option::expected() const {
  std::string text = std::string("a ") + type();
  if (is_word()) {
    text = "one of ";
    for (const auto& word : samples)
      text += (&word == &samples.front() ? "" : ", ") + to_string(word);
    return text;
  }
  const std::string lower = shortest(least), upper = shortest(most);
  if (std::isfinite(least) && std::isfinite(most)) return text + " from " + lower + " to " + upper;
  if (std::isfinite(least)) return text + " of at least " + lower;
  return std::isfinite(most) ? text + " of at most " + upper : text;
}

std::optional<OptionValue> Option::read(std::string_view text) const {
  const auto in_range = [&](double x) { return std::isfinite(x) && x >= least && x <= most; };
  std::optional<OptionValue> value;
  if (is_word()) {
    if (std::find(samples.begin(), samples.end(), OptionValue(std::string(text))) != samples.end())
      value = std::string(text);
  } else if (std::holds_alternative<long>(standard)) {
    if (const auto whole = parsed<long>(text); whole && in_range(static_cast<double>(*whole)))
      value = *whole;
  } else if (std::holds_alternative<double>(standard)) {
    if (const auto number = parsed<double>(text); number && in_range(*number)) value = *number;
  } else if (auto list = parsed_list(text)) {
    if (std::all_of(list->begin(), list->end(), in_range)) value = std::move(*list);
  }
  return value;
}

Option word_option(std::string name, std::string text, const std::vector<std::string>& words) {
  Option option{.name = std::move(name), .text = std::move(text), .standard = words.front()};
  option.samples.assign(words.begin(), words.end());
  return option;
}

template <class T>
const T& Values::get(const std::string& name) const {
  const auto found = chosen_.find(name);
  if (found == chosen_.end()) throw std::logic_error("no option '" + name + "' in these values");
  if (!std::holds_alternative<T>(found->second))
    throw std::logic_error("option '" + name + "' is of another type");
  return std::get<T>(found->second);
}
template const std::string& Values::get(const std::string&) const;
template const long& Values::get(const std::string&) const;
template const double& Values::get(const std::string&) const;
template const std::vector<double>& Values::get(const std::string&) const;

}  // namespace rattleback
