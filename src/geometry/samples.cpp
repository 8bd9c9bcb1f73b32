#include "samples.hpp"

#include <algorithm>
#include <cmath>

namespace rattleback::detail {

namespace {

constexpr double reluctance = 1e4;  // of positions, where hidden constraints are to be met

}  // namespace

std::vector<double> variable_scales(int dimension, const State<double>* start) {
  double q = 1, p = 1;
  if (start) {
    const double sq = largest_magnitude(start->q), sp = largest_magnitude(start->p);
    if (sq > 0) q = p = sq;
    if (sp > 0) p = sp;
  }
  std::vector<double> scale(2 * dimension, q);
  std::fill(scale.begin() + dimension, scale.end(), p);
  return scale;
}

Samples::Samples(Functions& chi, const Functions& energy, const State<double>* start, int points,
                 unsigned seed)
    : chi_(chi), energy_(energy), wanted_(points), random_(seed) {
  if (!start) return;
  start_.emplace(start->q.begin(), start->q.end());
  start_->insert(start_->end(), start->p.begin(), start->p.end());
}

/// Long chains are large, their links not; and what each link is off adds up along them.
double Samples::largest_spread() const {
  return chi_.count() > many ? static_cast<double>(many) / chi_.count()
                             : std::numeric_limits<double>::infinity();
}

/// Around the start, or anywhere; closer from attempt to attempt.
Point Samples::draw(int attempt) {
  std::uniform_real_distribution<double> some(-1, 1);
  Point z(chi_.scale().size());
  if (!start_) {
    const double spread = attempt % 4 == 3 ? 3 : 1;
    for (double& x : z) x = spread * some(random_);
    return z;
  }
  // Near the start, on the same component of the set.
  const double limit = largest_spread(), spread = 0.05 * std::pow(0.4, attempt / 3);
  for (std::size_t i = 0; i < z.size(); ++i)
    z[i] = (*start_)[i] + spread * std::min(chi_.scale()[i], limit) * some(random_);
  return z;
}

Point Samples::beside(const Sample& sample) {
  std::uniform_real_distribution<double> some(-1, 1);
  const double limit = largest_spread();
  Point z = sample.z;
  for (std::size_t k = 0; k < z.size(); ++k)
    z[k] += 0.01 * std::min(chi_.scale()[k], limit) * some(random_);
  return z;
}

bool Samples::find() {
  points_.clear();
  if (start_) {
    Sample s{*start_, true};
    if (chi_.vanish(s.z) || chi_.project(s.z)) points_.push_back(std::move(s));
  }
  const int attempts = chi_.count() > many ? 8 : 40;
  for (int k = 0; k < attempts && static_cast<int>(points_.size()) < wanted_; ++k) {
    Sample s{draw(k), false};
    if (chi_.project(s.z) && is_finite(s.z)) {
      s.slow = chi_.slow;
      points_.push_back(std::move(s));
    } else if (chi_.worst >= 0 && chi_.residual < nearest_.residual)
      nearest_ = {chi_.residual, chi_.worst};
  }
  return !points_.empty();
}

bool Samples::move() {
  nearest_.residual = std::numeric_limits<double>::infinity();
  chi_.reluctance = reluctance;
  std::vector<Sample> moved;
  for (Sample& s : points_) {
    Point z = s.z;
    if (!chi_.project(z)) {
      z = s.z;
      chi_.reluctance = 1;
      const bool reached = chi_.project(z);
      chi_.reluctance = reluctance;
      if (!reached) continue;
    }
    if (is_finite(z)) moved.push_back({z, s.start, chi_.slow});
  }
  points_ = std::move(moved);
  if (points_.empty()) return find();
  if (all_slow()) look_elsewhere();
  return true;
}

bool Samples::all_slow() const {
  return std::all_of(points_.begin(), points_.end(),
                     [](const Sample& s) { return s.start || s.slow; });
}

void Samples::look_elsewhere() {
  std::vector<Sample> better;
  const int attempts = chi_.count() > many ? 0 : 24;
  for (int k = 0; k < attempts && static_cast<int>(better.size()) < wanted_; ++k) {
    Sample s{draw(k), false, false};
    if (chi_.project(s.z) && !chi_.slow && is_finite(s.z)) better.push_back(std::move(s));
  }
  if (better.empty()) return;
  if (points_.front().start) better.insert(better.begin(), points_.front());
  points_ = std::move(better);
}

int Samples::leave_out_singular(const std::vector<int>& ranks, int generic) {
  std::vector<Sample> kept;
  for (std::size_t k = 0; k < points_.size(); ++k)
    if (points_[k].start || ranks[k] == generic) kept.push_back(std::move(points_[k]));
  const int left_out = static_cast<int>(points_.size() - kept.size());
  points_ = std::move(kept);
  return left_out;
}

}  // namespace rattleback::detail
