#include "rattleback/solve/rank_revealing.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace rattleback {
namespace {

Eigen::MatrixXd random_matrix(int rows, int columns, int seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> value(-1, 1);
  return Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return value(generator); });
}

/// The four conditions of Penrose, for the matrix that solve() applies.
void expect_pseudo_inverse(const Eigen::MatrixXd& a, const RankRevealing& solver) {
  Eigen::MatrixXd x(a.cols(), a.rows());
  for (int k = 0; k < a.rows(); ++k) x.col(k) = solver.solve(Eigen::VectorXd::Unit(a.rows(), k));
  const double tolerance = 1e-12 * (1 + x.norm());
  EXPECT_LT((a * x * a - a).norm(), tolerance);
  EXPECT_LT((x * a * x - x).norm(), tolerance * x.norm());
  EXPECT_LT((a * x - (a * x).transpose()).norm(), tolerance);
  EXPECT_LT((x * a - (x * a).transpose()).norm(), tolerance);
}

TEST(RankRevealing, full_rank_rectangles) {
  for (auto [rows, columns] : {std::pair{1, 1}, {3, 5}, {5, 3}, {20, 60}}) {
    const auto a = random_matrix(rows, columns, rows);
    RankRevealing solver;
    const RankReport report = solver.factor(a);
    EXPECT_EQ(report.rank, std::min(rows, columns));
    EXPECT_EQ(int(report.independent.size()), report.rank);
    EXPECT_TRUE(std::isinf(report.gap));
    expect_pseudo_inverse(a, solver);
  }
}

TEST(RankRevealing, dependent_rows_are_counted_and_left_out) {
  Eigen::MatrixXd g = random_matrix(6, 12, 3);
  g.row(4) = g.row(0) - 2 * g.row(1);
  RankRevealing solver;
  for (const Eigen::MatrixXd& a : {g, Eigen::MatrixXd(g * g.transpose())}) {
    const RankReport report = solver.factor(a);
    EXPECT_EQ(report.rank, 5);
    EXPECT_GT(report.gap, 1e12);
    EXPECT_LT(report.condition, 1e4);
    EXPECT_TRUE(std::is_sorted(report.independent.begin(), report.independent.end()));
    expect_pseudo_inverse(a, solver);
    Eigen::MatrixXd kept(5, a.cols());
    for (int k = 0; k < 5; ++k) kept.row(k) = a.row(report.independent[k]);
    EXPECT_EQ(solver.factor(kept).rank, 5);
  }
}

TEST(RankRevealing, previous_selection_is_kept_while_it_is_good) {
  Eigen::MatrixXd g = random_matrix(4, 9, 5);
  g.row(3) = g.row(2) * 1.001;
  RankRevealing solver;
  const RankReport fresh = solver.factor(g);
  EXPECT_EQ(fresh.independent, (std::vector<int>{0, 1, 3}));
  const RankReport kept = solver.factor(g, {0, 1, 2});
  EXPECT_TRUE(kept.kept_previous);
  EXPECT_EQ(kept.independent, (std::vector<int>{0, 1, 2}));
  for (const std::vector<int>& bad : {std::vector<int>{0, 2, 3}, {0, 1}, {0, 1, 9}}) {
    const RankReport replaced = solver.factor(g, bad);
    EXPECT_FALSE(replaced.kept_previous);
    EXPECT_EQ(replaced.independent, fresh.independent);
  }
}

TEST(RankRevealing, tolerance_decides_and_the_gap_tells) {
  Eigen::MatrixXd a = Eigen::VectorXd::LinSpaced(4, 0, -9)
                          .unaryExpr([](double e) { return std::pow(10.0, e); })
                          .asDiagonal();  // 1, 1e-3, 1e-6, 1e-9
  EXPECT_EQ(RankRevealing().factor(a).rank, 4);
  const RankReport report = RankRevealing(1e-5).factor(a);
  EXPECT_EQ(report.rank, 2);
  EXPECT_EQ(report.tolerance, 1e-5);
  EXPECT_NEAR(report.gap, 1e3, 1e-6);
}

TEST(RankRevealing, nothing_and_not_a_number) {
  RankRevealing solver;
  const RankReport zero = solver.factor(Eigen::MatrixXd::Zero(3, 4));
  EXPECT_EQ(zero.rank, 0);
  EXPECT_EQ(solver.solve(Eigen::VectorXd::Ones(3)), Eigen::VectorXd::Zero(4));
  EXPECT_THROW(solver.solve(Eigen::VectorXd::Ones(2)), std::invalid_argument);
  Eigen::MatrixXd broken = random_matrix(3, 3, 1);
  broken(1, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(solver.factor(broken).finite);
  EXPECT_THROW(solver.solve(Eigen::VectorXd::Ones(3)), std::invalid_argument);
}

}  // namespace
}  // namespace rattleback
