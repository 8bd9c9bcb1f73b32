// The experiments of [Seiler 8]: the paper's figures beside the measured ones.
#include <algorithm>
#include <cmath>

#include "rattleback/report/series.hpp"
#include "rattleback/study/pendulum_reference.hpp"
#include "seiler_runs.hpp"

namespace rattleback::seiler {

namespace {

double largest(const std::vector<double>& values) {
  return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

const std::string none = "formulation=classical", momentum = none + ",project=momentum",
                  position = none + ",project=position";
std::string above(const char* threshold) { return std::string(",threshold=") + threshold; }

Record exact_run(const std::string& method) { return run({method, exact_start()}); }

/// Where the paper does not say enough to compare, or says nothing.
PaperExperiment::Figure not_compared(std::string what, std::string paper, std::string measured,
                                     std::string why) {
  return {std::move(what), std::move(paper), std::move(measured), false, std::move(why), false};
}

PaperExperiment::Figure figure(std::string what, std::string paper, std::string measured,
                               bool agrees, std::string remark = {}) {
  return {std::move(what), std::move(paper), std::move(measured), agrees, std::move(remark)};
}

bool near(double value, double wanted, double relative) {
  return std::abs(value - wanted) <= relative * std::abs(wanted);
}

}  // namespace

PaperExperiment projections() {
  PaperExperiment e{"seiler-projections", "projections above a threshold of 1e-6 and 1e-8"};
  e.logarithmic = true;
  const Record fine = exact_run(momentum + above("1e-8"));
  const Record by_momentum = exact_run(momentum + above("1e-6"));
  const Record by_position = exact_run(position + above("1e-6"));
  const Record dirac = exact_run("formulation=dirac,project=momentum,threshold=1e-6");
  const auto steps = static_cast<double>(by_momentum.time.size());
  const long count = by_momentum.projections.momentum;
  e.figures.push_back(
      figure("momentum projections, 1e-6", "155", text("%ld", count), count == 155));
  const double share = static_cast<double>(by_position.projections.position) / steps;
  e.figures.push_back(figure("steps with a position projection", "almost every step",
                             text("%.1f %%", 100 * share), share > 0.8));
  const double residual = by_momentum.g.back();
  e.figures.push_back(figure("|g| at the end, momenta projected", "5e-4", text("%.3e", residual),
                             near(residual, 5.17e-4, 0.02)));
  const double apart = steps / static_cast<double>(fine.projections.momentum);
  e.figures.push_back(figure("steps to a momentum projection, 1e-8", "3", text("%.2f", apart),
                             near(apart, 3, 0.2)));
  e.figures.push_back(not_compared("largest error, 1e-8", "3e-3", text("%.2e", largest(fine.error)),
                                   "the norm is not stated: here the 2-norm of all components"));
  e.figures.push_back(figure("largest energy error, 1e-8", "3e-5",
                             text("%.2e", largest(fine.energy_error)),
                             near(largest(fine.energy_error), 3e-5, 0.3)));
  e.figures.push_back(figure("largest |g|, 1e-8", "1e-5", text("%.2e", largest(fine.g)),
                             near(largest(fine.g), 1e-5, 0.3)));
  e.figures.push_back(not_compared(
      "momentum projections of Hamilton-Dirac, 1e-6", "-",
      text("%ld, error %.3f", dirac.projections.momentum, largest(dirac.error)),
      "of the classical equations: error " + text("%.2f", largest(by_momentum.error))));
  e.columns = {"t", "g, momenta projected", "{g,H}, momenta projected", "g, positions projected",
               "{g,H}, positions projected"};
  for (std::size_t k = 39; k < by_momentum.time.size(); k += 40)
    e.rows.push_back({by_momentum.time[k], by_momentum.g[k], by_momentum.rho[k], by_position.g[k],
                      by_position.rho[k]});
  return e;
}

PaperExperiment errors() {
  PaperExperiment e{"seiler-errors", "growth exponents of errors and residuals"};
  e.logarithmic = true;
  struct Case {
    const char* name;
    Record record;
    double error, energy, g, rho;  ///< exponents of the paper; 0: none given, or it is projected
  };
  const Case cases[] = {{"none", exact_run(none), 3, 2, 2, 1},
                        {"momentum", exact_run(momentum + above("1e-6")), 2, 1, 1, 0},
                        {"position", exact_run(position + above("1e-6")), 3, 2, 0, 1}};
  const auto add = [&](const Case& c, const char* what, const std::vector<double>& values,
                       double paper, const GrowthOptions& options) {
    if (paper == 0) return;
    const LineFit fit = fit_growth(c.record.time, values, options);
    e.figures.push_back(figure(std::string(what) + ", " + c.name, text("%.0f", paper),
                               text("%.2f +- %.2f", fit.slope, fit.uncertainty),
                               std::abs(fit.slope - paper) < 0.25));
  };
  for (const Case& c : cases) {
    add(c, "error", c.record.error, c.error, {.from = 30, .to = 0, .most = 0.3});
    add(c, "energy error", c.record.energy_error, c.energy, {.from = 30});
    add(c, "|g|", c.record.g, c.g, {.from = 30});
    add(c, "|{g,H}|", c.record.rho, c.rho, {.from = 30});
  }
  const double better = largest(cases[0].record.g) / largest(cases[1].record.g);
  e.figures.push_back(figure("|g| without over with momentum projections", "more than 100",
                             text("%.0f", better), better > 100));
  e.columns = {"t"};
  for (const Case& c : cases)
    for (const char* what : {"error", "energy error", "|g|", "|{g,H}|"})
      e.columns.push_back(std::string(what) + ", " + c.name);
  for (std::size_t k = 39; k < cases[0].record.time.size(); k += 40) {
    e.rows.push_back({cases[0].record.time[k]});
    for (const Case& c : cases)
      for (const auto* values :
           {&c.record.error, &c.record.energy_error, &c.record.g, &c.record.rho})
        e.rows.back().push_back((*values)[k]);
  }
  return e;
}

PaperExperiment spectra() {
  PaperExperiment e{"seiler-periodogram", "periodogram of x at t = 0, 1, ..., 1023"};
  const auto of = [](const Record& record) {
    std::vector<double> x;
    x.reserve(record.states.size());
    for (const State<double>& z : record.states) x.push_back(z.q[0]);
    return periodogram(x, 1);
  };
  std::vector<double> exact(1024);
  const PendulumReference truth(exact_start());
  for (std::size_t t = 0; t < exact.size(); ++t) exact[t] = truth.at(static_cast<double>(t)).q[0];
  const Periodogram state_space = periodogram(exact, 1);
  const Periodogram by_momentum = of(exact_run(momentum + above("1e-6")));
  const Periodogram by_position = of(exact_run(position + above("1e-6")));
  const Periodogram without = of(exact_run(none));
  const double f = by_momentum.frequency[by_momentum.peak()];
  e.figures.push_back(figure("period, by quadrature", "3.31", text("%.6f", truth.period()),
                             near(truth.period(), 3.31, 0.002)));
  e.figures.push_back(figure("frequency of the spike, momenta projected", "0.302", text("%.4f", f),
                             std::abs(f - 0.302) < 1e-3));
  const auto power = [](const Periodogram& p) { return text("%.3f", p.power[p.peak()]); };
  const char* undefined =
      "the paper does not say which component, nor how it is normalised; here "
      "2|X|^2/N^2 of x";
  e.figures.push_back(
      not_compared("spike, state space form", "0.39", power(state_space), undefined));
  e.figures.push_back(
      not_compared("spike, momenta projected", "0.39", power(by_momentum), undefined));
  e.figures.push_back(
      not_compared("largest without projections", "0.05", power(without), undefined));
  e.figures.push_back(not_compared("largest, positions projected", "small improvement",
                                   power(by_position), undefined));
  const double w = without.frequency[without.peak()];
  e.figures.push_back(figure("frequency of that without projections", "0.3 to 0.37",
                             text("%.3f", w), w > 0.29 && w < 0.38));
  e.columns = {"frequency", "state space", "none", "momentum", "position"};
  for (std::size_t k = 0; k < without.power.size(); ++k)
    e.rows.push_back({without.frequency[k], state_space.power[k], without.power[k],
                      by_momentum.power[k], by_position.power[k]});
  return e;
}

PaperExperiment stability() {
  PaperExperiment e{"seiler-stability", "from (1.1, 0.1, 0.1, -1.9), off the manifold"};
  const double radius = perturbed_start().q.norm();
  e.columns = {"t"};
  const auto add = [&](const char* formulation, const char* paper, bool stable, double time) {
    Record record =
        run({std::string("formulation=") + formulation, perturbed_start(), 0.025, time});
    double farthest = 0;
    for (const State<double>& z : record.states)
      farthest = std::max(farthest, std::abs(z.q.norm() - radius));
    e.figures.push_back(
        figure(std::string("largest change of |q|, ") + formulation + text(", t = %g", time), paper,
               text("%.2e", farthest), stable ? farthest < 1e-4 : farthest > 0.1));
    return record;
  };
  const Record stable = add("impetus", "none: a circle", true, 1023);
  add("dirac", "none", true, 1023);
  add("classical", "unstable", false, 5);
  add("total", "unstable", false, 3);
  e.columns = {"t", "x", "y", "p_x", "p_y"};
  for (std::size_t t = 0; t < stable.states.size(); ++t) {
    const State<double>& z = stable.states[t];
    e.rows.push_back({static_cast<double>(t), z.q[0], z.q[1], z.p[0], z.p[1]});
  }
  return e;
}

namespace {

/// The slope of |p*| = |q.p*|/r per unit time [Seiler (51)], from means over a period by
/// quadrature. On |q| = r the motion is that of the unit pendulum in another time, at energy E/r:
///   H              (q.p*)' = 2 E - 3 <y>
///   H of (52)      (q.p*)' = -<y>
double expected_growth(bool modified) {
  const State<double> z = perturbed_start();
  const double r = z.q.norm(), turning = z.q[0] * z.p[1] - z.q[1] * z.p[0];
  const double kinetic = turning * turning / (modified ? 2 : 2 * r * r), energy = kinetic + z.q[1];
  State<double> unit{z.q / r, z.q};
  const double speed = std::sqrt(2 * kinetic / r);
  unit.p << -unit.q[1] * speed, unit.q[0] * speed;
  const double height = r * PendulumReference(unit).mean_height();
  return std::abs(modified ? height : 2 * energy - 3 * height) / r;
}

}  // namespace

PaperExperiment impetus() {
  PaperExperiment e{"seiler-impetus", "the impetus from perturbed data"};
  const char* no_time = "the paper gives no time; 30000 fits t = 10^4, the ratio is 23, not 30";
  double amplitude[2] = {0, 0};
  std::vector<Record> records;
  for (const bool modified : {false, true}) {
    records.push_back(run({"formulation=impetus", perturbed_start(), 0.025, 1023, modified}));
    const Record& record = records.back();
    const LineFit line = fit_line(record.time, record.impetus);
    const double wanted = expected_growth(modified);
    const std::string name = modified ? "with (52)" : "H";
    amplitude[modified] = record.impetus.back();
    e.figures.push_back(figure("slope of |p*|, " + name, text("linear; %.4f by quadrature", wanted),
                               text("%.4f +- %.4f", line.slope, line.uncertainty),
                               near(line.slope, wanted, 0.01)));
    e.figures.push_back(not_compared("|p*| at t = 1023, " + name, modified ? "1000" : "30000",
                                     text("%.0f", amplitude[modified]), no_time));
  }
  const Record cured =
      run({"formulation=impetus,project=momentum,threshold=10", perturbed_start(), 0.025, 1023});
  e.figures.push_back(
      figure("largest |p*|, reset where |{g,H}| > 10", "bounded",
             text("%.1f, %ld resets", largest(cured.impetus), cured.projections.momentum),
             largest(cured.impetus) < 20));
  double apart = 0;
  for (std::size_t t = 0; t < cured.states.size(); ++t)
    apart = std::max(apart, (cured.states[t].q - records[0].states[t].q).norm());
  e.figures.push_back(figure(
      "largest effect of it on positions", "none on observables", text("%.1e", apart), apart < 1e-2,
      "the exact flow does not see it, the Runge-Kutta method does: its error"));
  e.columns = {"t", "|p*|", "|p*| with (52)", "|p*| reset"};
  for (std::size_t k = 39; k < cured.time.size(); k += 40)
    e.rows.push_back(
        {cured.time[k], records[0].impetus[k], records[1].impetus[k], cured.impetus[k]});
  return e;
}

}  // namespace rattleback::seiler
