#include "rattleback/report/series.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "rattleback/problem/error.hpp"

namespace rattleback {

LineFit fit_line(std::span<const double> x, std::span<const double> y) {
  const std::size_t count = std::min(x.size(), y.size());
  if (count < 3)
    throw InputError("fit",
                     "a line with its uncertainty needs 3 points, got " + std::to_string(count));
  const auto n = static_cast<double>(count);
  double mean_x = 0, mean_y = 0;
  for (std::size_t i = 0; i < count; ++i) mean_x += x[i] / n, mean_y += y[i] / n;
  double xx = 0, xy = 0;
  for (std::size_t i = 0; i < count; ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  LineFit fit{.slope = xy / xx, .points = static_cast<int>(count)};
  fit.intercept = mean_y - fit.slope * mean_x;
  double left = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double r = y[i] - fit.intercept - fit.slope * x[i];
    left += r * r;
  }
  fit.uncertainty = std::sqrt(left / (n - 2) / xx);
  return fit;
}

LineFit fit_growth(std::span<const double> times, std::span<const double> values,
                   const GrowthOptions& o) {
  const auto inside = [](double x, double least, double most) {
    return x > least && (most == 0 || x <= most);
  };
  double first = 0, last = 0;
  for (const double t : times)
    if (inside(t, o.from, o.to)) {
      if (first == 0) first = t;
      last = t;
    }
  if (!(last > first)) throw InputError("fit_growth", "no times in the interval");
  std::vector<double> at(o.blocks, 0), most(o.blocks, 0);
  const double width = std::log(last / first) / o.blocks;
  for (std::size_t i = 0; i < times.size() && i < values.size(); ++i) {
    if (!inside(times[i], o.from, o.to)) continue;
    const int block =
        std::clamp(static_cast<int>(std::log(times[i] / first) / width), 0, o.blocks - 1);
    if (std::abs(values[i]) >= most[block]) most[block] = std::abs(values[i]), at[block] = times[i];
  }
  std::vector<double> x, y;
  for (int block = 0; block < o.blocks; ++block)
    if (most[block] > 0 && inside(most[block], o.least, o.most)) {
      x.push_back(std::log(at[block]));
      y.push_back(std::log(most[block]));
    }
  return fit_line(x, y);
}

std::size_t Periodogram::peak() const {
  if (power.size() < 2) return 0;
  return std::max_element(power.begin() + 1, power.end()) - power.begin();
}

Periodogram periodogram(std::span<const double> samples, double interval) {
  const std::size_t n = samples.size();
  if (n < 2 || !(interval > 0))
    throw InputError("periodogram", "needs two samples and a positive interval");
  std::vector<double> cosine(n), sine(n);
  for (std::size_t j = 0; j < n; ++j) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(j) / static_cast<double>(n);
    cosine[j] = std::cos(angle), sine[j] = std::sin(angle);
  }
  Periodogram result;
  for (std::size_t k = 0; k <= n / 2; ++k) {
    double re = 0, im = 0;
    std::size_t at = 0;  // j k modulo n
    for (std::size_t j = 0; j < n; ++j, at = (at + k) % n) {
      re += samples[j] * cosine[at];
      im += samples[j] * sine[at];
    }
    const auto size = static_cast<double>(n);
    result.frequency.push_back(static_cast<double>(k) / (size * interval));
    result.power.push_back(2 * (re * re + im * im) / (size * size));
  }
  return result;
}

}  // namespace rattleback
