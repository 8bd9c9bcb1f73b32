#include "rattleback/solve/independent_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "rattleback/solve/rank_revealing.hpp"

namespace rattleback {
namespace {

Eigen::MatrixXd dense(const std::vector<SparseRow>& rows, int columns) {
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(rows.size()), columns);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (const auto& [j, x] : rows[i]) a(static_cast<Eigen::Index>(i), j) = x;
  return a;
}

int dense_rank(const std::vector<SparseRow>& rows, int columns) {
  Eigen::MatrixXd a = dense(rows, columns);
  for (Eigen::Index i = 0; i < a.rows(); ++i)
    if (a.row(i).norm() > 0) a.row(i).normalize();
  return RankRevealing(1e-9).factor(a).rank;
}

std::vector<SparseRow> chosen(const std::vector<SparseRow>& rows, const std::vector<int>& which) {
  std::vector<SparseRow> part;
  for (const int i : which) part.push_back(rows[i]);
  return part;
}

/// Random rows of a few entries, some of them combinations of others, multiples, or empty.
std::vector<SparseRow> random_rows(int count, int columns, std::mt19937& random) {
  std::uniform_real_distribution<double> some(-1, 1);
  const auto below = [&](int n) { return static_cast<int>(random() % n); };
  std::vector<SparseRow> rows;
  while (static_cast<int>(rows.size()) < count) {
    std::map<int, double> row;
    const int kind = rows.size() < 4 ? 0 : below(5);
    if (kind <= 2)
      for (int k = 0; k < 3; ++k) row[below(columns)] = std::exp(3 * some(random)) * some(random);
    else
      for (int k = 0; k < kind - 2; ++k) {  // a multiple, or a sum of two
        const double factor = 10 * some(random);
        for (const auto& [j, x] : rows[below(static_cast<int>(rows.size()))]) row[j] += factor * x;
      }
    rows.emplace_back(row.begin(), row.end());
  }
  rows[below(count)].clear();
  return rows;
}

TEST(IndependentRows, AreAsManyAsTheDenseRankAndSpanTheRest) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 60; ++trial) {
    const int count = 5 + static_cast<int>(random() % 120), columns = count;
    const auto rows = random_rows(count, columns, random);
    const IndependentRows found = independent_rows(rows);
    EXPECT_EQ(static_cast<int>(found.kept.size()), dense_rank(rows, columns)) << trial;
    EXPECT_EQ(dense_rank(chosen(rows, found.kept), columns), static_cast<int>(found.kept.size()));
    EXPECT_EQ(found.kept.size() + found.dependent.size(), rows.size());
    const Eigen::MatrixXd a = dense(rows, columns);
    for (const int d : found.dependent) {
      Eigen::RowVectorXd rest = a.row(d);
      const double size = rest.norm();
      for (const auto& [k, factor] : combination(rows, found.kept, d)) rest -= factor * a.row(k);
      EXPECT_LE(rest.norm(), 1e-7 * size) << trial;  // factors below 1e-9 were left out
    }
  }
}

TEST(IndependentRows, OfParallelRowsTheFirstIsKept) {
  std::vector<SparseRow> rows;
  for (int i = 0; i < 300; ++i) rows.push_back({{i, 1.0}, {i + 1, -2.0}});
  for (int i = 0; i < 300; ++i) rows.push_back({{i, -3.0}, {i + 1, 6.0}});
  const IndependentRows found = independent_rows(rows);
  ASSERT_EQ(found.kept.size(), 300u);
  EXPECT_EQ(found.kept.back(), 299);
}

/// A braced planar grid of k x k points is rigid: 2 k^2 - 3 of its rods are independent, and badly
/// chosen ones are ever less so.
TEST(IndependentRows, OfATrussAreWellConditioned) {
  const int k = 16;
  std::vector<SparseRow> rows;
  const auto rod = [&](int i, int j, int a, int b) {
    SparseRow row;
    const int from = i * k + j, to = a * k + b;
    row = {{from, double(i - a)},
           {to, double(a - i)},
           {k * k + from, double(j - b)},
           {k * k + to, double(b - j)}};
    std::erase_if(row, [](const auto& entry) { return entry.second == 0; });
    std::ranges::sort(row);
    rows.push_back(row);
  };
  for (int i = 0; i < k; ++i)
    for (int j = 0; j < k; ++j) {
      if (j + 1 < k) rod(i, j, i, j + 1);
      if (i + 1 < k) rod(i, j, i + 1, j);
      if (i + 1 < k && j + 1 < k) rod(i, j, i + 1, j + 1), rod(i, j + 1, i + 1, j);
    }
  const IndependentRows found = independent_rows(rows);
  EXPECT_EQ(static_cast<int>(found.kept.size()), 2 * k * k - 3);
  EXPECT_GT(found.least_kept, 1e-5);  // 2.5e-4 here
  EXPECT_LT(found.most_dropped, 1e-12);
}

}  // namespace
}  // namespace rattleback
