#include "rattleback/geometry/dirac_bracket.hpp"

#include <algorithm>

#include "constraint_set.hpp"
#include "rattleback/problem/error.hpp"
#include "rattleback/problem/sweep.hpp"

namespace rattleback {

namespace {

detail::Point point_of(const State<double>& z) {
  detail::Point x(z.q.begin(), z.q.end());
  x.insert(x.end(), z.p.begin(), z.p.end());
  return x;
}

double largest(const std::vector<double>& x, double at_least = 0) {
  double most = at_least;
  for (const double v : x) most = std::max(most, std::abs(v));
  return most;
}

/// Rows that span all rows of {chi,chi}: of a skew matrix their own part is then regular.
std::vector<int> largest_regular(Brackets& brackets, const std::vector<Expression>& chi,
                                 const detail::Point& z, double tolerance) {
  double scale = 0;
  for (const double x : z) scale = std::max(scale, std::abs(x));
  detail::Functions functions(brackets, std::vector<double>(z.size(), scale > 0 ? scale : 1));
  functions.append(chi);
  const detail::Linearisation l = functions.at(z);
  detail::Elimination elimination(static_cast<int>(chi.size()), tolerance);
  elimination.run(detail::brackets(l.slope, l.slope, brackets.dimension()));
  std::vector<int> rows;
  for (const auto& pivot : elimination.pivots()) rows.push_back(pivot.row);
  return rows;
}

}  // namespace

DiracBracket::DiracBracket(std::shared_ptr<Graph> graph, int n, const std::vector<Expression>& chi,
                           const State<double>& z, double tolerance)
    : graph_(std::move(graph)), n_(n) {
  Brackets brackets(*graph_, n);
  second_class_ = largest_regular(brackets, chi, point_of(z), tolerance);
  for (const int i : second_class_) chi_.push_back(chi[i]);
  std::vector<Program::Output> outputs;
  for (std::size_t a = 0; a < chi_.size(); ++a)
    for (const auto& [input, value] : brackets.gradient_of(chi_[a])) {
      entries_.push_back({static_cast<int>(a), input, static_cast<int>(outputs.size())});
      outputs.push_back({0, static_cast<int>(outputs.size()), value});
    }
  program_ = Program(*graph_, 2 * n, outputs);
  const int half = static_cast<int>(chi_.size()) / 2;
  blocks_ = half > 0 && chi_.size() % 2 == 0;
  for (int i = 0; i < half && blocks_; ++i)
    for (int j = 0; j < i && blocks_; ++j)
      blocks_ = graph_->is_constant(brackets(chi_[i], chi_[j]), 0);
}

double DiracBracket::operator()(Expression f, Expression g, const State<double>& z) const {
  Brackets brackets(*graph_, n_);
  const Expression both[] = {f, g};
  detail::Functions functions(brackets, std::vector<double>(2 * n_, 1.0));
  functions.append(both);
  const detail::Point x = point_of(z);
  const detail::Linearisation l = functions.at(x);
  const std::vector<double> b = tensor(x.data());
  double sum = 0;
  for (const auto& [i, df] : l.slope[0])
    for (const auto& [j, dg] : l.slope[1]) sum += df.value * b[i * 2 * n_ + j] * dg.value;
  return sum;
}

double jacobi_defect(const DiracBracket& bracket, const State<double>& z) {
  constexpr int K = 4;
  using D = Dual<double, K>;
  const int size = 2 * bracket.dimension();
  const detail::Point x = point_of(z);
  const std::vector<double> b = bracket.tensor(x.data());
  std::vector slope(size, std::vector<double>(b.size()));  // d/dz_l of every entry
  std::vector<D> y(size);
  sweep<K>(size, [&](const auto& chunk) {
    chunk.seed(x, y);
    const std::vector<D> t = bracket.tensor(y.data());
    chunk.read(t, [&](int entry, int l) -> double& { return slope[l][entry]; });
  });
  double worst = 0;
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j)
      for (int k = 0; k < size; ++k) {
        double sum = 0;
        for (int l = 0; l < size; ++l)
          sum += b[i * size + l] * slope[l][j * size + k] +
                 b[j * size + l] * slope[l][k * size + i] +
                 b[k * size + l] * slope[l][i * size + j];
        worst = std::max(worst, std::abs(sum));
      }
  // Where the bracket is constant, slopes are round-off of what they could be.
  const double size_of_bracket = largest(b, 1);  // 1: that of the bracket without constraints
  double steepest = size_of_bracket / largest(x, 1e-300);
  for (const auto& part : slope) steepest = std::max(steepest, largest(part));
  return worst / (size_of_bracket * steepest);
}

double casimir_defect(const DiracBracket& bracket, const std::vector<Expression>& chi,
                      const State<double>& z) {
  const int size = 2 * bracket.dimension();
  const detail::Point x = point_of(z);
  const std::vector<double> b = bracket.tensor(x.data());
  double worst = 0, steepest = 0;
  Brackets brackets(bracket.graph(), bracket.dimension());
  detail::Functions functions(brackets, std::vector<double>(size, 1.0));
  functions.append(chi);
  for (const detail::SizedRow& row : functions.at(x).slope)
    for (int m = 0; m < size; ++m) {
      double sum = 0;
      for (const auto& [l, slope] : row) {
        sum += slope.value * b[l * size + m];
        steepest = std::max(steepest, std::abs(slope.value));
      }
      worst = std::max(worst, std::abs(sum));
    }
  return steepest > 0 ? worst / (steepest * largest(b, 1)) : 0;
}

}  // namespace rattleback
