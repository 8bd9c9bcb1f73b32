// A number together with the size of the terms it is made of: its round-off, and its error where
// the point is not quite right, are about epsilon times that size. This is what "zero" is measured
// by.
#pragma once

#include <cmath>

#include "rattleback/problem/scalar.hpp"

namespace rattleback::detail {

struct Sized {
  double value = 0, size = 0;

  Sized() = default;
  Sized(double v) : value(v), size(std::abs(v)) {}
  Sized(double v, double s) : value(v), size(s) {}

  /// |value| over size: 1 for a single term, round-off where terms cancel, 0 for 0/0.
  double ratio() const { return value == 0 ? 0 : std::abs(value) / size; }
  bool finite() const { return std::isfinite(value) && std::isfinite(size); }
};

inline Sized operator-(Sized a) { return {-a.value, a.size}; }
inline Sized operator+(Sized a, Sized b) { return {a.value + b.value, a.size + b.size}; }
inline Sized operator-(Sized a, Sized b) { return {a.value - b.value, a.size + b.size}; }
inline Sized operator*(Sized a, Sized b) {
  return {a.value * b.value, std::abs(a.value) * b.size + a.size * std::abs(b.value)};
}
inline Sized operator/(Sized a, Sized b) {
  const double v = a.value / b.value;
  return {v, (a.size + std::abs(v) * b.size) / std::abs(b.value)};
}

/// f(a) with the slope of f at a.
inline Sized function(double f, double slope, Sized a) {
  return {f, std::abs(f) + std::abs(slope) * a.size};
}
inline Sized sqrt(Sized a) {
  const double f = std::sqrt(a.value);
  return function(f, 0.5 / f, a);
}
inline Sized exp(Sized a) { return function(std::exp(a.value), std::exp(a.value), a); }
inline Sized log(Sized a) { return function(std::log(a.value), 1 / a.value, a); }
inline Sized sin(Sized a) { return function(std::sin(a.value), std::cos(a.value), a); }
inline Sized cos(Sized a) { return function(std::cos(a.value), std::sin(a.value), a); }
inline Sized tan(Sized a) {
  const double f = std::tan(a.value);
  return function(f, 1 + f * f, a);
}
inline Sized asin(Sized a) {
  return function(std::asin(a.value), 1 / std::sqrt(1 - a.value * a.value), a);
}
inline Sized acos(Sized a) {
  return function(std::acos(a.value), 1 / std::sqrt(1 - a.value * a.value), a);
}
inline Sized atan(Sized a) { return function(std::atan(a.value), 1 / (1 + a.value * a.value), a); }
inline Sized sinh(Sized a) { return function(std::sinh(a.value), std::cosh(a.value), a); }
inline Sized cosh(Sized a) { return function(std::cosh(a.value), std::sinh(a.value), a); }
inline Sized tanh(Sized a) {
  const double f = std::tanh(a.value);
  return function(f, 1 - f * f, a);
}
inline Sized abs(Sized a) { return {std::abs(a.value), a.size}; }
inline Sized pow(Sized a, double b) {
  return function(std::pow(a.value, b), b * std::pow(a.value, b - 1), a);
}
inline Sized atan2(Sized a, Sized b) {
  const double r2 = a.value * a.value + b.value * b.value, f = std::atan2(a.value, b.value);
  return {f, std::abs(f) + (std::abs(b.value) * a.size + std::abs(a.value) * b.size) / r2};
}

}  // namespace rattleback::detail

template <>
struct rattleback::ScalarTraits<rattleback::detail::Sized> {
  using Base = double;
  static constexpr int lanes = 1;
  static constexpr bool is_dual = false;
  static double base(const detail::Sized& x) { return x.value; }
};
