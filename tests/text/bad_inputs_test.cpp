// The catalogue of bad inputs, bad_inputs/*.txt: each case is a model file and the whole message it
// gets. A case begins with "=== title", lines "$ --set name=value" give settings, and "---" stands
// before the message; "=== base" is put in front of every later case of its file. A message line
// that ends in "[...]" is compared up to there: what follows depends on the methods there are.
// RATTLEBACK_ACCEPT=1 writes the messages as they are now into the files, to be read and judged.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <rattleback/text/model.hpp>
#include <sstream>

namespace rb = rattleback;
namespace fs = std::filesystem;

namespace {

struct Case {
  std::string title, input, message;
  rb::Settings settings;
};

std::vector<Case> read_cases(const fs::path& path) {
  std::ifstream stream(path);
  std::vector<Case> cases;
  bool is_message = false;
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("=== ")) {
      cases.push_back({.title = line.substr(4)});
      is_message = false;
    } else if (line == "---") {
      is_message = true;
    } else if (line.starts_with("$ --set ")) {
      const auto equals = line.find('=');
      cases.back().settings.emplace_back(line.substr(8, equals - 8), line.substr(equals + 1));
    } else {
      (is_message ? cases.back().message : cases.back().input) += line + '\n';
    }
  }
  return cases;
}

/// Where the base is a mechanism, so are its cases.
std::string message_of(const std::string& base, const Case& c) {
  try {
    if (base.find("kind = \"multibody\"") == std::string::npos)
      rb::parse_model(base + c.input, "model.toml", c.settings);
    else
      rb::parse_mechanism(base + c.input, "model.toml", c.settings);
  } catch (const rb::TextError& error) {
    return std::string(error.what()) + '\n';
  }
  return "no error\n";
}

bool agrees(const std::string& expected, const std::string& found) {
  std::istringstream a(expected), b(found);
  std::string wanted, line;
  while (std::getline(a, wanted)) {
    if (!std::getline(b, line)) return false;
    const bool is_open = wanted.ends_with("[...]");
    if (is_open) wanted.resize(wanted.size() - 5);
    if (is_open ? !line.starts_with(wanted) : line != wanted) return false;
  }
  return !std::getline(b, line);
}

void accept(const fs::path& path, const std::vector<Case>& cases, const std::string& base) {
  std::ofstream out(path);
  for (const Case& c : cases) {
    out << "=== " << c.title << '\n';
    for (const auto& [name, value] : c.settings) out << "$ --set " << name << '=' << value << '\n';
    out << c.input;
    if (c.title == "base") continue;
    const std::string found = message_of(base, c);
    out << "---\n" << (agrees(c.message, found) ? c.message : found);
  }
}

}  // namespace

TEST(BadInputs, GetTheMessageOfTheCatalogue) {
  int count = 0;
  for (const auto& file :
       fs::directory_iterator(fs::path(RATTLEBACK_SOURCE_DIR) / "tests/text/bad_inputs")) {
    const std::vector<Case> cases = read_cases(file.path());
    std::string base;
    for (const Case& c : cases) {
      if (c.title == "base") {
        base = c.input;
        continue;
      }
      ++count;
      const std::string found = message_of(base, c);
      EXPECT_TRUE(agrees(c.message, found))
          << file.path().filename().string() << ": " << c.title << "\nexpected:\n"
          << c.message << "found:\n"
          << found;
    }
    if (std::getenv("RATTLEBACK_ACCEPT")) accept(file.path(), cases, base);
  }
  EXPECT_GE(count, 60);
}
