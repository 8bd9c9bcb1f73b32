// Section 8 of [Reich93]: the pendulum from (0, 1, 1, 0) with h = 0.1.
#include <algorithm>
#include <cmath>

#include "reproduce_parts.hpp"

namespace rattleback::study::papers {

namespace {

const char* const midpoint = "gauss:stages=1,formulation=index2";
const char* const reversible = "gauss:stages=1,formulation=index2,variant=reversible";
const char* const second_order = "prk2";
constexpr double h = 0.1;
constexpr long steps = 1000;  // the paper does not say how many

AnySystem pendulum() {
  return system_from(
      "[model]\nname = 'pendulum'\ncoordinates = ['x', 'y']\nmass = [1, 1]\npotential = 'y'\n"
      "constraints = ['(x^2 + y^2 - 1)/2']\n");
}

Trajectory run(const std::string& method, double step, long count) {
  State<double> z{Vector<double, dynamic>(2), Vector<double, dynamic>(2)};
  z.q << 0, 1;
  z.p << 1, 0;
  return trajectory(pendulum(), method, z, step, count);
}

struct Quantity {
  const char *name, *label, *heading;
  double (*of)(const AnySystem&, const State<double>&);
};
const Quantity position{"g", "g", "drift in the coordinate constraint", constraint};
const Quantity velocity{"hidden", "{g,H}", "drift in the velocity constraint", hidden_constraint};
const Quantity energy{
    "energy_error", "H - H(0)", "drift in the Hamiltonian",
    [](const AnySystem& system, const State<double>& z) { return system.energy(z.q, z.p) - 1.5; }};

std::vector<double> values(const Quantity& quantity, const Trajectory& run) {
  const AnySystem system = pendulum();
  std::vector<double> all;
  all.reserve(run.states.size());
  for (const auto& z : run.states) all.push_back(quantity.of(system, z));
  return all;
}

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double x : values) most = std::max(most, std::abs(x));
  return most;
}

/// The amplitude of what changes sign from one state to the next.
double alternating(const std::vector<double>& values) {
  double most = 0;
  for (std::size_t k = 1; k + 1 < values.size(); ++k)
    most = std::max(most, std::abs(values[k - 1] - 2 * values[k] + values[k + 1]) / 4);
  return most;
}

FigurePanel panel_of(const Quantity& quantity, const Trajectory& run) {
  FigurePanel panel{.heading = quantity.heading,
                    .x_label = "t",
                    .y_label = quantity.label,
                    .columns = {"t", quantity.name},
                    .curves = {{"t", quantity.name, ""}}};
  const auto all = values(quantity, run);
  for (std::size_t k = 0; k < all.size(); ++k) panel.add({run.time(k), all[k]});
  return panel;
}

const char* const no_axes =
    "The figures have no readable axes and no end time: amplitudes are of 1000 steps, and are not "
    "compared with the paper's.";

void plain(Reproduction& r, const Quantity& quantity) {
  const auto states = run(midpoint, h, steps);
  const auto all = values(quantity, states);
  r.claims = {{std::string("the implicit midpoint rule does not keep ") + quantity.label,
               "up to " + short_number(largest(all)) + ", of which " +
                   short_number(alternating(all)) + " changes sign in every step",
               largest(all) > 1e-6}};
  r.errata = {no_axes,
              "(15): off the constraint manifold the midpoint map on (6) is a reflection, g to -g: "
              "composed as it is it stays of order 2."};
  r.figure.panels = {panel_of(quantity, states)};
}

/// The paper replaces h/2 by h: a step is two of the plain method.
void modified(Reproduction& r, const Quantity& quantity) {
  const auto states = run(reversible, 2 * h, steps / 2), each = run(midpoint, h, steps);
  const auto all = values(quantity, states);
  const double before = alternating(values(quantity, each)), after = alternating(all);
  double apart = 0;
  for (std::size_t k = 0; k < states.states.size(); ++k)
    apart = std::max({apart, largest_magnitude(states.states[k].q - each.states[2 * k].q),
                      largest_magnitude(states.states[k].p - each.states[2 * k].p)});
  r.claims = {{"the high-frequency component in the drift is eliminated",
               short_number(after) + " changes sign in every step, against " + short_number(before),
               after < 0.5 * before}};
  r.errata = {no_axes,
              "(6) is R-reversible as it is: the modification is every second state of the plain "
              "method (here within " +
                  short_number(apart) + "), so nothing but the sampling changed.",
              "\"Theorem 6.2\" is Corollary 5.2, \"Fig. 3-6\" are 4-6."};
  r.figure.panels = {panel_of(quantity, states)};
}

void figure7(Reproduction& r) {
  const auto states = run(second_order, h, steps);
  const double drift = largest(values(energy, states));
  const double on = std::max(largest(values(position, states)), largest(values(velocity, states)));
  rattleback::detail::Slope slope;
  for (std::size_t k = 0; k < states.states.size(); ++k)
    slope.add(states.time(k), values(energy, states)[k]);
  r.claims = {{"the second order scheme (25) keeps the constraint manifold exactly",
               "|g| and |{g,H}| up to " + short_number(on), on < 1e-12},
              {"H oscillates",
               "up to " + short_number(drift) + ", slope " + short_number(slope.value()) +
                   " per unit of time",
               std::abs(slope.value()) * states.time(steps) < drift}};
  r.errata = {no_axes, "(25) is not RATTLE (37), even for separable H."};
  r.figure.panels = {panel_of(energy, states)};
}

}  // namespace

std::vector<Part> reich_experiments() {
  const auto cite = [](int k) { return "[Reich93 Fig. " + std::to_string(k) + "]"; };
  const std::string by = ", implicit midpoint rule on (6)", also = by + ", R-reversible";
  return {{{"reich-fig1", position.heading + by, cite(1), midpoint},
           [](Reproduction& r) { plain(r, position); }},
          {{"reich-fig2", velocity.heading + by, cite(2), midpoint},
           [](Reproduction& r) { plain(r, velocity); }},
          {{"reich-fig3", energy.heading + by, cite(3), midpoint},
           [](Reproduction& r) { plain(r, energy); }},
          {{"reich-fig4", position.heading + also, cite(4), reversible},
           [](Reproduction& r) { modified(r, position); }},
          {{"reich-fig5", velocity.heading + also, cite(5), reversible},
           [](Reproduction& r) { modified(r, velocity); }},
          {{"reich-fig6", energy.heading + also, cite(6), reversible},
           [](Reproduction& r) { modified(r, energy); }},
          {{"reich-fig7", std::string(energy.heading) + ", second order scheme (25)", cite(7),
            second_order},
           figure7}};
}

}  // namespace rattleback::study::papers
