#include "reference_runs.hpp"

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "rattleback/problem/error.hpp"
#include "rattleback/testing/witness_systems.hpp"

namespace rattleback::reference {

const std::vector<Record>& records() {
  static const std::vector<Record> all = [] {
    const auto json = nlohmann::json::parse(
        std::ifstream(RATTLEBACK_SOURCE_DIR "/tests/reference/trajectories.json"));
    std::vector<Record> read;
    for (const auto& r : json.at("records")) {
      std::string options;
      for (const auto& [key, value] : r.at("options").items())
        options += (options.empty() ? "" : ",") + key + "=" + value.get<std::string>();
      read.push_back({r.at("problem"), r.at("method"), options, r.at("step"), r.at("steps"),
                      r.at("q0"), r.at("p0"), r.at("q"), r.at("p")});
    }
    return read;
  }();
  return all;
}

std::vector<Record> records(const std::string& method, const std::string& options) {
  std::vector<Record> found;
  for (const Record& r : records())
    if (r.method == method && r.options == options) found.push_back(r);
  return found;
}

const Record& record(const std::string& problem, const std::string& method,
                     const std::string& options) {
  for (const Record& r : records())
    if (r.problem == problem && r.method == method && r.options == options) return r;
  throw InputError("record", problem + " " + method + " " + options);
}

const AnySystem& system(const std::string& name) { return testing::witness_system(name).system; }

void expect_reference(const std::string& specification, const std::string& record_method,
                      const std::string& options, double double_bound, double quad_bound) {
  const Method& method = find_method(specification);
  int compared = 0;
  for (const Record& r : records(record_method, options)) {
    if (!method.info().applies(system(r.problem).traits())) continue;
    EXPECT_LE(error<double>(method, r), double_bound) << specification << " on " << r.problem;
    EXPECT_LE(error<Quad>(method, r), quad_bound) << specification << " on " << r.problem;
    ++compared;
  }
  EXPECT_GT(compared, 0) << specification;
}

double order(const std::string& specification, const std::string& problem, int halvings) {
  const Record& r = record(problem, "solution");
  const auto exact = state<Quad>(r.q, r.p), z0 = state<Quad>(r.q0, r.p0);
  const Quad h = witness::number<Quad>(r.step.c_str());
  const auto error_at = [&](int parts) {
    const Quad step = h / parts;
    return distance(
        run<Quad>(find_method(specification), system(problem), z0, step, r.steps * parts), exact);
  };
  const int parts = 1 << halvings;
  return std::log2(error_at(parts / 2) / error_at(parts));
}

double jacobian_gap(const std::string& specification, const std::string& problem) {
  using D = Dual<double, 4>;
  const Method& method = find_method(specification);
  const AnySystem& sys = system(problem);
  const auto z0 = start<double>(problem);
  const int n = sys.dimension();
  const auto direction = [](int i, int k) { return std::sin(1 + 3.1 * i + 1.7 * k); };
  State<D> z{Vector<D, dynamic>(n), Vector<D, dynamic>(n)};
  for (int i = 0; i < n; ++i) {
    z.q[i] = D(z0.q[i]);
    z.p[i] = D(z0.p[i]);
    for (int k = 0; k < 4; ++k) {
      z.q[i].partials[k] = direction(i, k);
      z.p[i].partials[k] = direction(n + i, k);
    }
  }
  z = run<D>(method, sys, z, 0.0625, 3);
  double gap = 0;
  for (int k = 0; k < 4; ++k) {
    const Quad d(1e-9);
    State<Quad> side[2];
    for (int s = 0; s < 2; ++s) {
      side[s] = {Vector<Quad, dynamic>(n), Vector<Quad, dynamic>(n)};
      for (int i = 0; i < n; ++i) {
        side[s].q[i] = Quad(z0.q[i]) + (s == 0 ? d : Quad(-d)) * direction(i, k);
        side[s].p[i] = Quad(z0.p[i]) + (s == 0 ? d : Quad(-d)) * direction(n + i, k);
      }
      side[s] = run<Quad>(method, sys, side[s], Quad(0.0625), 3);
    }
    for (int i = 0; i < n; ++i) {
      const Quad q = (side[0].q[i] - side[1].q[i]) / (2 * d) - z.q[i].partials[k];
      const Quad p = (side[0].p[i] - side[1].p[i]) / (2 * d) - z.p[i].partials[k];
      gap = larger(gap, larger(magnitude(q), magnitude(p)));
    }
  }
  return gap;
}

double adjoint_defect(const std::string& forward, const std::string& backward,
                      const std::string& problem) {
  const auto z0 = start<double>(problem);
  const auto there = run<double>(find_method(forward), system(problem), z0, 0.0625, 4);
  return distance(run<double>(find_method(backward), system(problem), there, -0.0625, 4), z0);
}

}  // namespace rattleback::reference
