// Errors of set-up and input. A failing step is not an exception but a StepReport.
#pragma once

#include <cstdio>
#include <stdexcept>
#include <string>

namespace rattleback {

namespace detail {

/// A number as messages quote it.
inline std::string quote(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", x);
  return text;
}

}  // namespace detail

/// Base of everything Rattleback throws.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Something the user gave is wrong: where, and what, with the value quoted.
class InputError : public Error {
 public:
  InputError(const std::string& where, const std::string& what);
  const std::string& where() const { return where_; }
  /// what() without the place, for whoever knows a better one.
  const std::string& reason() const { return reason_; }

 private:
  std::string where_, reason_;
};

/// The model is ill posed or the start inconsistent: which assumption fails, where, by how much.
class ModelError : public Error {
 public:
  using Error::Error;
};

}  // namespace rattleback
