#include "laws/cases.hpp"

#include <map>

#include "rattleback/geometry/consistent.hpp"
#include "rattleback/problem/error.hpp"
#include "rattleback/problem/hamiltonian_system.hpp"
#include "rattleback/testing/solution.hpp"
#include "reference/records.hpp"
#include "text_witnesses.hpp"

namespace rattleback::testing {

namespace {

constexpr double forever = std::numeric_limits<double>::infinity();

/// H(q, p, beta) with alpha = 0, as index1 among the witness problems, but otherwise built: q0 = q,
/// q1 = alpha, p0 = p, p1 = beta. beta is where H_beta = 0.
template <class H>
WitnessSystem index1_problem(const char* name, H hamiltonian, double q, double p) {
  const auto system =
      hamiltonian_system<2>(std::move(hamiltonian), [](const auto& x) { return x[1]; });
  State<double, 2> z;
  z.q << q, 0;
  z.p << p, 0;
  z = consistent(system, z);
  const auto wide = widen(z);
  WitnessSystem witness{AnySystem(name, system), {wide.q, wide.p}};
  if (!project_along_fibre<Quad>(witness.system, witness.start))  // alpha = 0 holds exactly
    throw ModelError(std::string("no start for ") + name);
  return witness;
}

const std::vector<WitnessSystem>& further_index1() {
  static const std::vector<WitnessSystem> all{
      index1_problem(
          "index1_cosine",
          [](const auto& q, const auto& p) {
            using std::cos;
            return p[0] * p[0] / 2 - cos(q[0]) + p[1] * p[1] / 2 + p[1] * (p[0] * q[0]) / 4;
          },
          0.75, 0.5),
      index1_problem(
          "index1_quartic",
          [](const auto& q, const auto& p) {
            const auto q2 = q[0] * q[0], b2 = p[1] * p[1];
            return p[0] * p[0] / 2 + q2 * q2 / 4 + b2 * b2 / 4 + b2 / 2 + p[1] * (q2 + p[0]) / 4;
          },
          0.875, 0.25),
      index1_problem(
          "index1_coupled",
          [](const auto& q, const auto& p) {
            using std::exp;
            return p[0] * p[0] * (q[0] * q[0] + 2) / 4 + q[0] * q[0] / 2 + exp(p[1]) - p[1] +
                   p[1] * q[0] * p[0] / 4;
          },
          0.5, 0.75)};
  return all;
}

double regular_time(const std::string& name) {
  // The smallest singular value of N, relative to its scale, falls to zero soon after:
  if (name == "zero_angular_momentum") return 0.75;  // 0.022 here, 0 at t = 0.86
  if (name == "mixed_quartic") return 0.5;           // 0.49 here, 0 before t = 0.75
  // It comes back from 0.0098 at t = 3; SHAKE's longer slides do not get past.
  if (name == "harmonic_angular") return 2.5;  // 0.27 here, 0.06 at t = 0.75
  return forever;
}

Problem problem_of(const WitnessSystem& w) {
  // polar_line is a free fall: H of the modified equations is kept, but their difference to H
  // grows with the speed.
  return {w.system, w.start, regular_time(w.name()), w.name() != "polar_line"};
}

/// What no claim tells: index1 is for constraints alpha = 0 with H_beta = 0 for beta.
bool is_refused(const Method& method, const AnySystem& system) {
  return method.info().name.starts_with("index1") && !system.name().starts_with("index1");
}

/// By its claims and by refusals that are known. Any other refusal fails the law that meets it.
bool applies(const Method& method, const AnySystem& system) {
  if (!method.info().applies(system.traits())) return false;
  // Applies, but takes long: full matrices of derivatives of derivatives.
  if (has(method, "formulation", "unconstrained") && system.dimension() > 3) return false;
  if (!is_refused(method, system)) return true;
  EXPECT_THROW((void)method.stepper<double>(system), ModelError)
      << method.info().name << " on " << system.name();
  return false;
}

}  // namespace

const std::vector<Problem>& problems() {
  static const std::vector<Problem> all = [] {
    std::vector<Problem> list;
    for (const auto* source : {&witness_systems(), &further_index1()})
      for (const WitnessSystem& w : *source) list.push_back(problem_of(w));
    return list;
  }();
  return all;
}

const std::vector<Problem>& text_problems() {
  static const std::vector<Problem> all = [] {
    std::vector<Problem> list;
    for (const WitnessSystem& w : text_witnesses()) list.push_back(problem_of(w));
    return list;
  }();
  return all;
}

std::vector<Problem> problems_for(const Method& method, const std::vector<Problem>& all) {
  std::vector<Problem> list;
  // Third derivatives, and series: problems made of expressions give them.
  const bool needs_text = has(method, "formulation", "total") || method.family().name == "taylor";
  const auto& known = needs_text ? text_problems() : all;
  for (const Problem& problem : known)
    if (applies(method, problem.system)) list.push_back(problem);
  return list;
}

State<Quad> computed_solution(const Problem& problem, double time) {
  State<Quad> z = problem.start;
  if (!solve_exactly<Quad>(problem.system, z, Quad(time)))
    throw ModelError("no exact solution of " + problem.name());
  return z;
}

const State<Quad>& exact_solution(const Problem& problem, double time) {
  using Solutions = std::map<std::string, State<Quad>>;
  // Every test is a program of its own: computed in each they took a quarter of the suite's time.
  static const Solutions kept = [] {
    Solutions list;
    const nlohmann::json all = reference::read(solutions_file);
    for (const auto& [name, point] : all.items())
      list.try_emplace(name, State<Quad>{reference::vector<Quad>(point.at("q")),
                                         reference::vector<Quad>(point.at("p"))});
    return list;
  }();
  if (time != kept_time) throw ModelError("exact solutions are kept for t = 0.5 only");
  const auto found = kept.find(problem.name());
  if (found == kept.end()) throw ModelError("no exact solution of " + problem.name() + " is kept");
  return found->second;
}

namespace {

/// g = alpha is linear: on the forms (6) and (2) of gauss positions then have the order 2s, and
/// momenta lose none by g.
const Coincidence* linear_constraint(const Method& method, const Problem& problem) {
  static const char* const reason = "the constraint is linear";
  static const Coincidence orders[]{{2, reason, 2}, {4, reason, 2}, {6, reason, 4}};
  if (method.family().name != "gauss" || !problem.name().starts_with("index1")) return nullptr;
  const bool concerned =
      has(method, "formulation", "index2") || has(method, "formulation", "index3");
  if (!concerned || has(method, "variant", "projected") || !has(method, "compose", "none"))
    return nullptr;
  return &orders[method.values().whole("stages") - 1];
}

}  // namespace

const Coincidence* coincidence(const Method& method, const Problem& problem) {
  if (const Coincidence* known = linear_constraint(method, problem)) return known;
  static const Coincidence same_map{
      2, "without a potential every base map is the exact flow, which is symmetric"};
  static const Coincidence gauss2{4, "the multiplier is zero on the solution: order of the base"};
  static const Coincidence gauss3{6, "the multiplier is zero on the solution: order of the base"};
  static const Coincidence exact{0, "the multiplier is zero on the solution: order of the base"};
  // Of the methods without structure it is not so: they do not slide along fibres.
  const bool one_sided =
      method.info().order == 1 && method.info().symplectic_on != SymplecticOn::nothing;
  if (one_sided && (problem.name() == "ellipsoid" || problem.name() == "hopf_free"))
    return &same_map;
  const bool constrained = method.family().name != "index1" && method.family().name != "baseline";
  if (constrained && problem.name() == "polar_line") {
    if (has(method, "base", "gauss2")) return &gauss2;
    if (has(method, "base", "gauss3")) return &gauss3;
    if (has(method, "base", "exact")) return &exact;
  }
  return nullptr;
}

std::vector<const Method*> all_methods() {
  std::vector<const Method*> list;
  for (const Method& method : law_methods()) list.push_back(&method);
  return list;
}

std::vector<const Method*> text_methods() {
  static const std::vector<Method> some{find_method("rattle"),
                                        find_method("rattle:base=midpoint"),
                                        find_method("shake"),
                                        find_method("variational"),
                                        find_method("rattle:compose=triplejump4"),
                                        find_method("sundman:stages=2")};
  std::vector<const Method*> list;
  for (const Method& method : some) list.push_back(&method);
  return list;
}

std::string method_name(const ::testing::TestParamInfo<const Method*>& info) {
  std::string name;
  for (const char c : info.param->info().name)
    name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
}

}  // namespace rattleback::testing
