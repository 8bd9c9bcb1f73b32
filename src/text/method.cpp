#include <charconv>

#include "reader.hpp"

namespace rattleback::text {

namespace {

std::string shortest(double value) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

}  // namespace

void Reader::read_method(const Toml::Entry& entry) {
  const auto* name = entry.value.find("name");
  if (!name) fail(entry.position, "[method] has no 'name'");
  const std::string family = require(*name, Toml::Type::string, "a string").string;
  if (family.find_first_of(":,=") != std::string::npos)
    fail(name->value.position, "options have keys of their own: name = \"" +
                                   family.substr(0, family.find_first_of(":,=")) +
                                   "\", and then option = value");
  const auto check = [&](TextPosition position, const std::string& specification) {
    try {
      if (family != "auto") methods_.check(specification);
    } catch (const InputError& error) {
      fail(position, error.reason());
    }
  };
  check(name->value.position, family);
  std::string all = family;
  for (const auto& option : entry.value.entries) {
    if (option.key == "name") continue;
    const std::string value = option_value(option), setting = option.key + '=' + value;
    if (family == "auto") {
      allow_keys(entry.value, "[method] with name 'auto'", {"name", "accuracy"});
      positive(option);
    } else {
      const Option* known = methods_.option(family, option.key);
      if (known && !known->is_word() && option.value.is(Toml::Type::string))
        fail(option.value.position, in_quotes(option.key) + " must be " + known->expected() +
                                        ", not the string " + in_quotes(option.value.string));
      // What is wrong with a single option is said at its place; combinations are judged below.
      if (!known || !known->read(value))
        check(known ? option.value.position : option.position,
              std::string(family).append(":").append(setting));
    }
    all += (all.size() == family.size() ? ':' : ',') + setting;
  }
  check(entry.position, all);
  file_.method = {all, name->value.position};
}

std::string Reader::option_value(const Toml::Entry& option) {
  const Toml& value = option.value;
  switch (value.type) {
    case Toml::Type::string:
      if (value.string.empty() || value.string.find_first_of(",=") != std::string::npos)
        fail(value.position, in_quotes(option.key) + " cannot be " + in_quotes(value.string));
      return value.string;
    case Toml::Type::boolean:
      return value.boolean ? "true" : "false";
    case Toml::Type::list: {
      std::string text = "[";
      for (const Toml& item : value.items) {
        if (text.size() > 1) text += ';';
        text += shortest(number({option.key, item.position, item}));
      }
      return text + ']';
    }
    case Toml::Type::integer:
    case Toml::Type::real:
      return shortest(number(option));
    default:
      fail(value.position,
           in_quotes(option.key) + " must be a word, a number or a list, not " + value.type_name());
  }
}

void Reader::read_run(const Toml::Entry& entry) {
  allow_keys(entry.value, "[run]", {"step", "steps", "time", "every", "tolerance"});
  ModelFile::Run& run = file_.run;
  const auto find = [&](const char* key) { return entry.value.find(key); };
  if (const auto* step = find("step")) run.step = positive(*step);
  if (const auto* time = find("time")) run.time = positive(*time);
  if (const auto* tolerance = find("tolerance")) run.tolerance = positive(*tolerance);
  if (const auto* steps = find("steps")) run.steps = positive_whole(*steps);
  if (const auto* every = find("every")) run.every = positive_whole(*every);
  if (run.steps && run.time)
    fail(find("time")->position, "[run] has either 'steps' or 'time', not both");
  if (run.tolerance && *run.tolerance >= 1)
    fail(find("tolerance")->value.position,
         "'tolerance' is relative and must be less than 1, not " + detail::quote(*run.tolerance));
}

}  // namespace rattleback::text
