// Options of methods: each with a type, a standard value, samples for the laws and a line of text.
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace rattleback {

/// A word, a whole number, a number, or a list of numbers.
using OptionValue = std::variant<std::string, long, double, std::vector<double>>;

/// As a specification has it: "verlet", "3", "0.1", "[0.5;0.5]". Numbers read back the same.
std::string to_string(const OptionValue& value);

struct Option {
  std::string name;
  std::string text;                  ///< one line
  OptionValue standard;              ///< its type is that of the option
  std::vector<OptionValue> samples;  ///< what the laws run; of words all there are
  /// Of words that are many the few that the laws run; else empty.
  std::vector<OptionValue> in_laws{};
  double least = -std::numeric_limits<double>::infinity();  ///< of numbers, and in lists
  double most = std::numeric_limits<double>::infinity();
  bool in_name = false;  ///< always part of a method's name; else where it is not standard
  /// Another option and the word it must have for this one to mean anything; or empty.
  std::pair<std::string, std::string> only_with{};

  bool is_word() const { return standard.index() == 0; }
  const std::vector<OptionValue>& law_samples() const {
    return in_laws.empty() ? samples : in_laws;
  }
  const char* type() const;      ///< "word", "whole number", "number", "list of numbers"
  std::string expected() const;  ///< "a number from 0 to 1", for messages
  /// Nothing where the text is no value of this option.
  std::optional<OptionValue> read(std::string_view text) const;
};

/// The first word is the standard one.
Option word_option(std::string name, std::string text, const std::vector<std::string>& words);

/// What was chosen, by the names of the options. Asking for another type than the option has, or
/// for an option that is not there, is a mistake of the program: std::logic_error.
class Values {
 public:
  Values() = default;
  Values(std::initializer_list<std::pair<const std::string, OptionValue>> chosen)
      : chosen_(chosen) {}

  bool has(const std::string& name) const { return chosen_.count(name) > 0; }
  const OptionValue& at(const std::string& name) const { return chosen_.at(name); }
  const std::string& word(const std::string& name) const { return get<std::string>(name); }
  long whole(const std::string& name) const { return get<long>(name); }
  double number(const std::string& name) const { return get<double>(name); }
  const std::vector<double>& list(const std::string& name) const {
    return get<std::vector<double>>(name);
  }
  void set(const std::string& name, OptionValue value) { chosen_[name] = std::move(value); }
  auto begin() const { return chosen_.begin(); }
  auto end() const { return chosen_.end(); }
  friend bool operator==(const Values&, const Values&) = default;

 private:
  template <class T>
  const T& get(const std::string& name) const;

  std::map<std::string, OptionValue> chosen_;
};

}  // namespace rattleback
