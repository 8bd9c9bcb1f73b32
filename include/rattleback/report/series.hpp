// Figures of a series of numbers over time, as a stored run gives them: growth, slope, spectrum.
#pragma once

#include <span>
#include <vector>

namespace rattleback {

/// y = a + b x by least squares, with the standard error of b.
struct LineFit {
  double intercept = 0, slope = 0, uncertainty = 0;
  int points = 0;
};
/// Throws InputError for fewer than three points.
LineFit fit_line(std::span<const double> x, std::span<const double> y);

/// The exponent of |values| ~ t^slope between two times, where |values| is in the given range: a
/// line through log t and the logarithm of the largest value in each of `blocks` intervals, equally
/// long in log t. The maximum is what grows: errors of oscillating motions pass through zero.
struct GrowthOptions {
  double from = 0, to = 0;     ///< 0: as far as there are times
  double least = 0, most = 0;  ///< of |values|; 0: any. Errors of a bounded motion saturate
  int blocks = 24;
};
LineFit fit_growth(std::span<const double> times, std::span<const double> values,
                   const GrowthOptions& options = {});

/// 2 |X_k|^2/N^2 for the frequencies k/(N dt), 0 <= k <= N/2, X the Fourier transform of N samples:
/// the mean square of a sine of that frequency, inside.
struct Periodogram {
  std::vector<double> frequency, power;
  /// Where the power is largest, the frequency 0 excepted.
  std::size_t peak() const;
};
Periodogram periodogram(std::span<const double> samples, double interval);

}  // namespace rattleback
