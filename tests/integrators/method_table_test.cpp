// docs/methods.md is the registry as a table. RATTLEBACK_UPDATE_DOCS=1 writes it anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "rattleback/integrators/registry.hpp"

namespace rb = rattleback;

namespace {

const char* words(rb::SymplecticOn on) {
  switch (on) {
    case rb::SymplecticOn::nothing:
      return "no";
    case rb::SymplecticOn::phase_space:
      return "phase space";
    case rb::SymplecticOn::primary_manifold:
      return "g = 0 (presymplectic)";
    case rb::SymplecticOn::state_manifold:
      return "state manifold";
  }
  return "";
}

std::string needs(const rb::Applies& a) {
  std::string text;
  auto add = [&](bool needed, const char* what) {
    if (needed) text += (text.empty() ? "" : ", ") + std::string(what);
  };
  add(a.natural, "natural H");
  add(a.lagrangian, "a Lagrangian");
  add(a.holonomic, "g(q)");
  return text.empty() ? "any" : text;
}

std::string table() {
  std::ostringstream out;
  out << "# Methods\n\nThe registry as a table; every claim is held by the law suite, and what is "
         "not claimed is seen\nto fail. Equations: [mathematics](mathematics.md).\n\n"
         "| method | order | symmetric | symplectic on | keeps g = 0 | keeps {g,H} = 0 | needs | "
         "source |\n|---|---|---|---|---|---|---|---|\n";
  for (const rb::Method& m : rb::registry()) {
    const rb::MethodInfo& i = m.info();
    out << "| `" << i.name << "` | " << i.order << " | " << (i.symmetric ? "yes" : "no") << " | "
        << words(i.symplectic_on) << " | " << (i.preserves_primary ? "yes" : "no") << " | "
        << (i.preserves_hidden ? "yes" : "no") << " | " << needs(i.applies) << " | " << i.cite
        << " |\n";
  }
  return out.str();
}

}  // namespace

TEST(MethodTable, TheDocsShowTheRegistry) {
  const std::string path = std::string(RATTLEBACK_SOURCE_DIR) + "/docs/methods.md";
  if (std::getenv("RATTLEBACK_UPDATE_DOCS") != nullptr) std::ofstream(path) << table();
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), table()) << "write it anew: RATTLEBACK_UPDATE_DOCS=1 and this test";
}
