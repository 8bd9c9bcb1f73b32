// docs/methods.md is the registry as tables. RATTLEBACK_UPDATE_DOCS=1 writes it anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "rattleback/integrators/registry.hpp"

namespace rb = rattleback;

namespace {

std::string in_code(const std::string& text) { return "`" + text + "`"; }

/// `verlet`, `midpoint`, ... or `0.5`; a number from 0 to 1: the standard value first.
std::string choices(const rb::Option& option) {
  if (!option.is_word()) return in_code(rb::to_string(option.standard)) + "; " + option.expected();
  std::string text;
  for (const auto& word : option.samples)
    text += (text.empty() ? "" : ", ") + in_code(rb::to_string(word));
  return text;
}

void write_options(const rb::Family& family, std::ostream& out) {
  out << "| option | values, the standard one first | |\n|---|---|---|\n";
  for (const rb::Option& option : family.options) {
    const auto& [other, word] = option.only_with;
    out << "| " << in_code(option.name) << " | " << choices(option) << " | " << option.text
        << (other.empty() ? "" : "; with " + in_code(other + "=" + word) + " only") << " |\n";
  }
  out << "\n";
}

void write_claims(const rb::Family& family, std::ostream& out) {
  out << "| method | order | symmetric | symplectic on | preserves | applies to | source |\n"
         "|---|---|---|---|---|---|---|\n";
  for (const rb::Method& m : rb::law_methods()) {
    if (&m.family() != &family) continue;
    const rb::MethodInfo& i = m.info();
    out << "| " << in_code(i.name) << " | " << rb::orders(i) << " | "
        << (i.symmetric ? "yes" : "no") << " | " << rb::to_string(i.symplectic_on) << " | "
        << rb::preserved(i) << " | " << rb::to_string(i.applies) << " | " << i.cite << " |\n";
  }
}

std::string tables() {
  std::ostringstream out;
  out << "# Methods\n\nThe registry: families of methods, their options, and what is claimed for "
         "the values that the\nlaw suite runs. It holds every claim, and what is not claimed is "
         "seen to fail. A method is written\n`family:option=value,option=value`, a list of "
         "numbers `c=[0.5;0.5]`; options left out have their\nstandard values. In a model file "
         "options are keys of `[method]`. Equations:\n[mathematics](mathematics.md).\n";
  for (const rb::Family& family : rb::families()) {
    out << "\n## " << family.name << "\n\n" << family.text << ".\n\n";
    if (!family.options.empty()) write_options(family, out);
    write_claims(family, out);
  }
  return out.str();
}

}  // namespace

TEST(MethodTable, TheDocsShowTheRegistry) {
  const std::string path = std::string(RATTLEBACK_SOURCE_DIR) + "/docs/methods.md";
  if (std::getenv("RATTLEBACK_UPDATE_DOCS") != nullptr) std::ofstream(path) << tables();
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), tables()) << "write it anew: RATTLEBACK_UPDATE_DOCS=1 and this test";
}
