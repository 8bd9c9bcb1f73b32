// What a shell may complete a method to.
#include <cstdio>

#include "exit_code.hpp"
#include "rattleback/integrators/registry.hpp"
#include "verbs.hpp"

namespace rattleback::app {

namespace {

/// Words that begin as `text` does: "rat" is "rattle", and "rattle:base=mid"
/// "rattle:base=midpoint".
std::vector<std::string> completions(const std::string& text) {
  std::vector<std::string> all{"auto"};
  const auto colon = text.find(':');
  if (colon == std::string::npos) {
    for (const Family& family : families()) all.push_back(family.name);
    return all;
  }
  if (text.substr(0, colon) == "auto") return {"auto:accuracy="};
  const Family* family = find_family(text.substr(0, colon));
  if (!family) return {};
  const std::string before = text.substr(0, text.find_last_of(":,") + 1);
  const std::string last = text.substr(before.size());
  const auto equals = last.find('=');
  all.clear();
  if (equals == std::string::npos) {
    for (const Option& option : family->options)
      if (before.find(option.name + '=') == std::string::npos)
        all.push_back(before + option.name + '=');
  } else if (const Option* option = family->find(last.substr(0, equals))) {
    for (const OptionValue& sample : option->samples)
      all.push_back(before + option->name + '=' + to_string(sample));
  }
  return all;
}

}  // namespace

int complete_method(const std::string& text) {
  for (const auto& word : completions(text))
    if (word.rfind(text, 0) == 0) std::printf("%s\n", word.c_str());
  return done;
}

}  // namespace rattleback::app
