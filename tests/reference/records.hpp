// Reading the reference data.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "rattleback/problem/scalar.hpp"
#include "rattleback/problem/witness/start.hpp"

namespace rattleback::reference {

inline nlohmann::json read(const std::string& file) {
  const std::string path = std::string(RATTLEBACK_SOURCE_DIR) + "/tests/reference/" + file;
  std::ifstream stream(path);
  if (!stream) throw std::runtime_error("cannot read " + path);
  return nlohmann::json::parse(stream);
}

/// Numbers are decimal text.
template <class S>
S number(const nlohmann::json& text) {
  return witness::number<S>(text.get_ref<const std::string&>().c_str());
}

template <class S, int N = dynamic>
Vector<S, N> vector(const nlohmann::json& texts) {
  Vector<S, N> v(static_cast<Eigen::Index>(texts.size()));
  for (std::size_t i = 0; i < texts.size(); ++i)
    v[static_cast<Eigen::Index>(i)] = number<S>(texts[i]);
  return v;
}

/// The entries q and p of a record.
template <class S>
State<S> state(const nlohmann::json& record, const char* q, const char* p) {
  return {vector<S>(record[q]), vector<S>(record[p])};
}

/// A method with the options of a record, as the registry reads it.
inline std::string specification(std::string method, const nlohmann::json& options) {
  char separator = ':';
  for (const auto& [option, value] : options.items())
    method += separator + option + "=" + value.get<std::string>(), separator = ',';
  return method;
}

}  // namespace rattleback::reference
