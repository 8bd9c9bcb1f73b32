// Points on the set of the constraints known so far: ranks are decided on them.
#pragma once

#include <limits>
#include <optional>
#include <random>
#include <vector>

#include "constraint_set.hpp"
#include "rattleback/problem/scalar.hpp"

namespace rattleback::detail {

/// The size of each variable: that of the start where there is one, else 1.
std::vector<double> variable_scales(int dimension, const State<double>* start);

class Samples {
 public:
  static constexpr int many = 200;  ///< constraints: fewer attempts then, and nothing dense

  struct Sample {
    Point z;
    bool start = false;
    bool slow = false;  ///< right to half the digits
  };
  /// How near the set the points came that did not reach it.
  struct Nearest {
    double residual = std::numeric_limits<double>::infinity();  ///< largest |chi_i|/size
    int worst = -1;                                             ///< its i
  };

  /// Points where chi vanishes and the energy is finite.
  Samples(Functions& chi, const Functions& energy, const State<double>* start, int points,
          unsigned seed);

  /// Points on the set; false where none is found.
  bool find();
  /// The points moved onto the set as it is now; false where none is found.
  bool move();
  /// Every projection converged linearly: the set may be irregular, or these points are.
  bool all_slow() const;
  /// A point beside one on the set.
  Point beside(const Sample& sample);
  /// Leaves out those whose rank is lower, but not the start; how many that were.
  int leave_out_singular(const std::vector<int>& ranks, int generic);

  auto begin() const { return points_.begin(); }
  auto end() const { return points_.end(); }
  bool begin_with_start() const { return !points_.empty() && points_.front().start; }
  const Nearest& nearest() const { return nearest_; }

 private:
  Point draw(int attempt);
  void look_elsewhere();
  bool is_finite(const Point& z) const { return chi_.at(z).finite && energy_.at(z).finite; }
  double largest_spread() const;

  Functions& chi_;
  const Functions& energy_;
  int wanted_;
  std::mt19937 random_;
  std::optional<Point> start_;
  std::vector<Sample> points_;
  Nearest nearest_;
};

}  // namespace rattleback::detail
