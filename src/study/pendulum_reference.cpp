#include "rattleback/study/pendulum_reference.hpp"

#include <cmath>
#include <numbers>

#include "rattleback/problem/error.hpp"

namespace rattleback {

using std::numbers::pi;

PendulumReference::PendulumReference(const State<double>& z) {
  const double x = z.q[0], y = z.q[1], speed = y * z.p[0] - x * z.p[1];  // phi'
  energy_ = speed * speed / 2 + y;
  over_ = energy_ > 1;
  const double k = std::sqrt((energy_ + 1) / 2);
  modulus_ = over_ ? 1 / (k * k) : k * k;
  rate_ = over_ ? k : 1;
  if (!(modulus_ < 0.9999) || !(k > 1e-8))
    throw InputError("start", "the energy " + detail::quote(energy_) +
                                  " is at rest or next to the separatrix E = 1");
  // a_j by the trapezoidal rule over the period pi, with twice the points until the last vanish.
  for (int points = 64;; points *= 2) {
    series_.assign(points / 2, 0);
    for (int i = 0; i < points; ++i)
      for (int j = 0; j < points / 2; ++j)
        series_[j] +=
            (j == 0 ? 1 : 2) * slope(pi * i / points) * std::cos(2 * pi * i * j / points) / points;
    if (std::abs(series_.back()) < 4e-16 * series_[0] || points >= 4096) break;
  }
  while (std::abs(series_.back()) < 1e-16 * series_[0]) series_.pop_back();
  // phi over pi in u when turning over, a whole turn of u when swinging
  period_ = (over_ ? pi : 2 * pi) * series_[0] / rate_;
  const double phi = std::atan2(-x, -y);
  double u = phi / 2;
  if (over_)
    sign_ = speed < 0 ? -1 : 1;
  else  // sin u = sin(phi/2)/k, and phi' = 2 k cos u
    u = std::atan2(std::sin(phi / 2) / k, speed / (2 * k));
  begin_ = time_of(u);
}

double PendulumReference::slope(double u) const {
  const double s = std::sin(u);
  return 1 / std::sqrt(1 - modulus_ * s * s);
}

double PendulumReference::time_of(double u) const {
  double sum = series_[0] * u;
  for (std::size_t j = 1; j < series_.size(); ++j) {
    const auto twice = static_cast<double>(2 * j);
    sum += series_[j] * std::sin(twice * u) / twice;
  }
  return sum;
}

State<double> PendulumReference::at(double time) const {
  const double wanted = begin_ + sign_ * rate_ * time;
  double u = wanted / series_[0], last = 1;
  for (int k = 0; k < 50; ++k) {
    const double step = (time_of(u) - wanted) / slope(u);
    u -= step;
    // Down to where the correction no longer shrinks: the round-off of t(u).
    if (step == 0 || (std::abs(step) < 1e-8 && !(std::abs(step) < last))) break;
    last = std::abs(step);
  }
  const double k = std::sqrt((energy_ + 1) / 2);
  const double phi = over_ ? 2 * u : 2 * std::asin(k * std::sin(u));
  const double speed = over_ ? 2 * sign_ * rate_ / slope(u) : 2 * k * std::cos(u);
  State<double> z{Vector<double, dynamic>(2), Vector<double, dynamic>(2)};
  z.q << -std::sin(phi), -std::cos(phi);
  z.p << -std::cos(phi) * speed, std::sin(phi) * speed;
  return z;
}

double PendulumReference::mean_height() const {
  // <y> by the trapezoidal rule in u, whose weight is dt/du.
  const int points = 4096;
  const double k = std::sqrt((energy_ + 1) / 2);
  double sum = 0, weight = 0;
  for (int i = 0; i < points; ++i) {
    const double u = 2 * pi * i / points;
    const double half = over_ ? std::sin(u) : k * std::sin(u);  // sin(phi/2)
    sum += slope(u) * (2 * half * half - 1);
    weight += slope(u);
  }
  return sum / weight;
}

}  // namespace rattleback
