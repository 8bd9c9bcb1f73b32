// What the tests of this folder share: a witness problem as a run, and a folder that goes away.
#pragma once

#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <string>

#include "rattleback/report/run_to_sink.hpp"
#include "rattleback/testing/witness_systems.hpp"

namespace rattleback::testing {

using Point = rattleback::State<double>;

inline Point in_double(const rattleback::State<Quad>& z) {
  Point x{Vector<double, dynamic>(z.q.size()), Vector<double, dynamic>(z.q.size())};
  for (Eigen::Index i = 0; i < z.q.size(); ++i) {
    x.q[i] = static_cast<double>(z.q[i]);
    x.p[i] = static_cast<double>(z.p[i]);
  }
  return x;
}

inline bool same_bits(const Vector<double, dynamic>& a, const Vector<double, dynamic>& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0;
}
inline bool same_bits(const Point& a, const Point& b) {
  return same_bits(a.q, b.q) && same_bits(a.p, b.p);
}
template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), sizeof(T) * a.size()) == 0);
}

struct Folder {
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "rattleback-XXXXXX").string();
    if (!::mkdtemp(name.data())) throw Error("no temporary folder");
    path = name;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::string operator/(const std::string& name) const { return (path / name).string(); }
  std::filesystem::path path;
};

/// A run of a witness problem, with names for its coordinates.
struct SampleRun {
  explicit SampleRun(const std::string& problem, const std::string& method_name = "rattle")
      : witness(witness_system(problem)),
        method(find_method(method_name)),
        start(in_double(witness.start)) {
    for (int i = 1; i <= witness.system.dimension(); ++i) names.push_back("q" + std::to_string(i));
  }
  RunHeader header() {
    RunHeader h = describe_run(witness.system, method, options, names);
    h.model_text = "[model]\nname = \"" + witness.name() + "\"\n";
    h.settings["tolerance"] = "1e-13";
    return h;
  }
  auto to(RunSink& sink) { return run_to_sink(witness.system, method, start, options, sink); }
  auto to(const std::string& path, double checkpoint_seconds = 0) {
    const auto sink = make_sink(path, header(), checkpoint_seconds, Existing::replace);
    return to(*sink);
  }
  auto resume(const std::string& path, double checkpoint_seconds = 0) {
    const auto file = RunFile::resume(path, checkpoint_seconds);
    return resume_run(witness.system, method, start, {}, *file);
  }

  const WitnessSystem& witness;
  Method method;
  Point start;
  RunOptions<Point> options{.step = 0.01, .steps = 1000, .every = 10};
  std::vector<std::string> names;
};

}  // namespace rattleback::testing
