// Hints for the usual mistakes.
#include <algorithm>
#include <cmath>
#include <random>

#include "analysis_parts.hpp"
#include "rattleback/geometry/tidy.hpp"
#include "rattleback/problem/error.hpp"

namespace rattleback::detail {

namespace {

constexpr int many = 200;  // constraints: pairs of them are not searched then

class Hints {
 public:
  Hints(Analysis& a, const State<double>* start, const DiracOptions& options)
      : a_(a),
        system_(a.form.system),
        graph_(*system_.graph),
        n_(system_.dimension()),
        tolerance_(options.tolerance),
        brackets_(graph_, n_) {
    std::mt19937 random(options.seed + 1);
    std::uniform_real_distribution<double> some(-1, 1);
    for (int k = 0; k < 4; ++k) {  // off the constraint set, near the start where there is one
      Point z(2 * n_);
      const Point centre = start ? point_of(*start) : Point(2 * n_);
      for (int i = 0; i < 2 * n_; ++i)
        z[i] = centre[i] + (0.5 * std::abs(centre[i]) + 0.3) * some(random);
      points_.push_back(std::move(z));
    }
  }

  void give() {
    velocity_constraints();
    const std::vector<Expression> g = kept_primaries(a_);
    const bool few = static_cast<int>(g.size()) <= many;
    const bool undetermined = a_.free_multipliers > 0;
    for (std::size_t k = 0; k < g.size() && (few || undetermined); ++k)
      if (undetermined && vanishes(brackets_(g[k], system_.hamiltonian)))
        conserved(a_.chain.kept[k], g[k]);
    if (few) derivatives_of_others(g);
    if (a_.has_start && !a_.consistent_start && a_.well_posed)
      a_.hints.push_back("project the start onto the constraints (initial.project = true)");
    if (!a_.redundant.empty() && a_.well_posed)
      a_.hints.push_back(
          "leave the redundant constraints out: multipliers are then unique; the motion is the "
          "same");
  }

 private:
  /// Zero everywhere, not only where the constraints hold.
  bool vanishes(Expression e) {
    if (graph_.is_constant(e)) return graph_.is_constant(e, 0);
    Functions f(brackets_, std::vector<double>(2 * n_, 1.0));
    f.append(std::span(&e, 1));
    int seen = 0;
    for (const Point& z : points_) {
      const Linearisation l = f.at(z);
      if (!l.value[0].finite()) continue;
      if (l.value[0].ratio() > tolerance_) return false;
      ++seen;
    }
    return seen > 0;
  }

  bool parallel_to_energy(Expression g) {
    Functions f(brackets_, std::vector<double>(2 * n_, 1.0));
    const Expression both[] = {system_.hamiltonian, g};
    f.append(both);
    for (const Point& z : points_) {
      const Linearisation l = f.at(z);
      if (!l.finite) continue;
      Elimination e(2 * n_, tolerance_);
      e.run(l.slope);
      if (e.rank() != 1) return false;
    }
    return true;
  }

  void conserved(int i, Expression g) {
    if (parallel_to_energy(g)) {
      a_.hints.push_back(a_.name(i) +
                         " fixes the energy: the motion keeps H anyway, so the constraint has no "
                         "effect on it and its multiplier is free. Leave it out; choose the energy "
                         "by the start");
      return;
    }
    std::string idle;  // conjugate variables that H does not contain
    const std::vector<int> used = graph_.inputs_of(system_.hamiltonian);
    bool all = true;
    for (const int k : graph_.inputs_of(g)) {
      const int partner = k < n_ ? k + n_ : k - n_;
      if (std::binary_search(used.begin(), used.end(), partner))
        all = false;
      else
        idle += (idle.empty() ? "" : ", ") + system_.input_name(partner);
    }
    a_.hints.push_back(
        a_.name(i) + " does not involve the dynamics: {g, H} is 0 everywhere" +
        (all && !idle.empty() ? " because H does not contain " + idle : std::string()) +
        ". It is conserved without being a constraint, and its multiplier is free");
  }

  /// g_j = c {g_i, H}: added by the analysis itself.
  void derivatives_of_others(const std::vector<Expression>& g) {
    for (std::size_t i = 0; i < g.size(); ++i) {
      const Expression rate = brackets_(g[i], system_.hamiltonian);
      if (graph_.is_constant(rate)) continue;
      const std::vector<int> inputs = graph_.inputs_of(rate);
      for (std::size_t j = 0; j < g.size(); ++j) {
        if (i == j || graph_.inputs_of(g[j]) != inputs || !proportional(rate, g[j])) continue;
        a_.hints.push_back(a_.name(a_.chain.kept[j]) + " is the time derivative of " +
                           a_.name(a_.chain.kept[i]) +
                           ": leave it out, hidden constraints are added and kept by themselves");
      }
    }
  }
  bool proportional(Expression f, Expression g) {
    Functions both(brackets_, std::vector<double>(2 * n_, 1.0));
    const Expression pair[] = {f, g};
    both.append(pair);
    double factor = NAN;
    for (const Point& z : points_) {
      const Linearisation l = both.at(z);
      const double ratio = l.value[0].value / l.value[1].value;
      if (!std::isfinite(ratio)) return false;
      if (!std::isnan(factor) && std::abs(ratio - factor) > 1e-9 * std::abs(factor)) return false;
      factor = ratio;
    }
    return !std::isnan(factor);
  }

  bool written_with_velocity(int i) const {
    if (i < a_.form.from_lagrangian) return false;
    if (a_.form.written_with_velocities) return true;
    const auto& labels = system_.constraint_labels;
    return i < static_cast<int>(labels.size()) && labels[i].find("_dot") != std::string::npos;
  }

  /// Constraints with momenta: as functions of velocities, where the Lagrangian gives p = L_v.
  void velocity_constraints() {
    std::vector<int> with_momenta;
    for (int i = a_.form.from_lagrangian; i < a_.constraints; ++i) {
      const std::vector<int> inputs = graph_.inputs_of(system_.constraints[i]);
      if (!inputs.empty() && inputs.back() >= n_) with_momenta.push_back(i);
    }
    if (with_momenta.empty()) return;
    if (a_.form.lagrangian && !a_.form.singular) frobenius();
    const std::vector<int>& linear = a_.velocities.linear;
    if (!linear.empty()) linear_constraints();
    for (const int i : with_momenta) {
      if (std::count(linear.begin(), linear.end(), i) > 0 || !a_.form.traits.natural) continue;
      std::string momenta;
      for (const int k : graph_.inputs_of(system_.constraints[i]))
        if (k >= n_) momenta += (momenta.empty() ? "" : ", ") + system_.input_name(k);
      a_.hints.push_back(a_.name(i) + " contains momenta (" + momenta +
                         "): it is not holonomic, and methods for constraints on positions do not "
                         "apply");
    }
  }

  void frobenius() {
    const int n = n_;
    std::vector<Expression> momentum(n, graph_.constant(0));
    for (const auto& [input, value] : gradient(graph_, a_.form.lagrangian, 2 * n, 3 * n))
      momentum[input - 2 * n] = value;
    std::vector<Expression> g = graph_.substitute(system_.constraints, [&](int k) {
      return k >= n && k < 2 * n ? momentum[k - n] : graph_.input(k);
    });
    for (Expression& e : g) e = tidied(graph_, e);
    a_.velocities = integrability(graph_, n, g, a_.chain.primary_points, tolerance_);
  }

  std::string names(const std::vector<int>& constraints) const {
    std::string words;
    for (std::size_t k = 0; k < constraints.size() && k < 4; ++k)
      words += (k > 0 ? ", " : "") + a_.name(constraints[k]);
    return words + (constraints.size() > 4 ? ", ..." : "");
  }

  void linear_constraints() {
    const Integrability& v = a_.velocities;
    const std::string who = names(v.linear) + (v.linear.size() > 1 ? " are" : " is");
    if (v.integrable) {
      a_.hints.push_back(who +
                         " linear in the velocities and integrable (Frobenius: |da(X, Y)| = " +
                         quote(v.defect) + " at most): " +
                         (v.affine ? "such a condition contains the time and cannot be written here"
                                   : "write the condition on positions instead of its rate"));
      return;
    }
    const std::string number =
        "linear in the velocities and not integrable (Frobenius: |da(X, Y)| = " + quote(v.defect) +
        " for " + a_.name(v.worst) + ")";
    const bool meant = std::any_of(v.linear.begin(), v.linear.end(),
                                   [&](int i) { return written_with_velocity(i); });
    if (!meant) {
      a_.hints.push_back(who + ' ' + number +
                         ": the motion here is the Dirac (vakonomic) one, not that of rolling "
                         "(d'Alembert's principle)");
      return;
    }
    a_.well_posed = false;
    a_.verdict = "nonholonomic";
    a_.messages.insert(
        a_.messages.begin(),
        who + " nonholonomic: " + number +
            ". This is not a Hamiltonian constraint: Rattleback's Dirac (vakonomic) dynamics is "
            "not "
            "the rolling motion. To have the Dirac dynamics all the same, write it with momenta");
  }

  Analysis& a_;
  const SystemDescription& system_;
  Graph& graph_;
  int n_;
  double tolerance_;
  Brackets brackets_;
  std::vector<Point> points_;
};

}  // namespace

void give_hints(Analysis& a, const State<double>* start, const DiracOptions& options) {
  if (a.constraints == 0) return;
  Hints(a, start, options).give();
}

}  // namespace rattleback::detail
