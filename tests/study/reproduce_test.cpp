// The papers' experiments: what holds, and what the errata say does not.
#include "rattleback/study/reproduce.hpp"

#include <gtest/gtest.h>

#include "rattleback/problem/error.hpp"

namespace rattleback::study {
namespace {

/// Claims that are wrong in the papers, by the number in their experiment.
bool is_wrong(const std::string& id, std::size_t claim) {
  return (id == "hopf-table1" && claim == 0) || (id == "hopf-fig4" && claim == 2) ||
         (id == "hopf-fig6" && claim == 2);
}

TEST(Reproduce, ClaimsHoldButThoseKnownToBeWrong) {
  int made = 0;
  for (const Experiment& experiment : experiments()) {
    if (!obstacle(experiment).empty()) {
      EXPECT_THROW((void)reproduce(experiment.id), InputError);
      continue;
    }
    const Reproduction r = reproduce(experiment.id);
    ++made;
    EXPECT_FALSE(r.claims.empty()) << experiment.id;
    for (std::size_t k = 0; k < r.claims.size(); ++k)
      EXPECT_EQ(r.claims[k].holds, !is_wrong(experiment.id, k))
          << experiment.id << ": " << r.claims[k].paper << ": " << r.claims[k].measured;
    for (const FigurePanel& panel : r.figure.panels) {
      EXPECT_GT(panel.rows(), 10) << experiment.id;
      EXPECT_EQ(panel.values.size() % panel.columns.size(), 0u) << experiment.id;
      EXPECT_NE(figure_script(r.figure, "x.svg").find("plot $panel0"), std::string::npos);
    }
  }
  EXPECT_GE(made, 6);
}

TEST(Reproduce, TablesReadBackTheSame) {
  FigurePanel panel{.heading = "", .x_label = "", .y_label = "", .columns = {"t", "x"}};
  panel.add({0.1, 1.0 / 3});
  EXPECT_EQ(csv_of(panel), "t,x\n0.1,0.3333333333333333\n");
  EXPECT_EQ(panel.at(0, "x"), 1.0 / 3);
  EXPECT_THROW((void)panel.at(0, "y"), std::logic_error);
}

TEST(Reproduce, UnknownNamesAreRefused) { EXPECT_THROW((void)reproduce("hopf-fig2"), InputError); }

}  // namespace
}  // namespace rattleback::study
