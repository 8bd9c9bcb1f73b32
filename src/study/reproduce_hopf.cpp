// Table 1, Figures 1 and 3 of [McLachlan12], and the list of all.
#include "reproduce_hopf.hpp"

#include <algorithm>

namespace rattleback::study::papers {

namespace hopf {

State<double> point(double q0, double q1, double p0, double p1) {
  State<double> z{Vector<double, dynamic>(2), Vector<double, dynamic>(2)};
  z.q << q0, q1;
  z.p << p0, p1;
  return z;
}

// ---- (27): the Hamiltonian with a linear potential, and the points of Table 1
// --------------------

std::vector<Start> table1() {
  return {
      {"z_a",
       point(-0.7865261200000000, -0.4043988000000000, -0.3880746864163783, 0.2173391755798215)},
      {"z_b",
       point(-0.4963624948824013, -0.7319740436366664, -0.4275775933953260, 0.1225384882604160)},
      {"z_c",
       point(0.3477491188213400, -0.8131619010029159, -0.4368285559113795, -0.0837800227934176)}};
}

double level_of(const State<double>& z) { return z.q.squaredNorm() + z.p.squaredNorm(); }

AnySystem linear_potential(const State<double>& start) {
  char text[400];
  std::snprintf(text, sizeof text,
                "[model]\nname = 'Hopf'\ncoordinates = ['x', 'y']\n"
                "hamiltonian = '(p_x^2 + p_y^2)/2 + y'\n"
                "constraints = ['x^2 + y^2 + p_x^2 + p_y^2 - %.17g']\n",
                level_of(start));
  return system_from(text);
}

const char* const level_erratum =
    "Table 1: |z|^2 = 0.98 for all three points, not 1 as (20) says; the runs take the level of "
    "the "
    "table, for which every statement can be true.";
const char* const base_erratum =
    "For this H the midpoint rule, Verlet's method and the exact flow are one map: the figure says "
    "nothing about the base method.";

State<double> turned(const State<double>& z, double theta) {
  return {std::cos(theta) * z.q + std::sin(theta) * z.p,
          std::cos(theta) * z.p - std::sin(theta) * z.q};
}

namespace {

void make_table1(Reproduction& r) {
  FigurePanel panel{
      .heading = "H along the fibre through each point, from its value there",
      .x_label = "angle",
      .y_label = "H",
      .columns = {"angle", "z_a", "z_b", "z_c"},
      .curves = {{"angle", "z_a", "z_a"}, {"angle", "z_b", "z_b"}, {"angle", "z_c", "z_c"}}};
  const auto starts = table1();
  const AnySystem system = linear_potential(starts.front().z);
  for (int k = -180; k <= 180; ++k) {
    std::vector<double> row{k * pi / 180};
    for (const Start& s : starts) {
      const auto z = turned(s.z, row.front());
      row.push_back(system.energy(z.q, z.p) - system.energy(s.z.q, s.z.p));
    }
    panel.values.insert(panel.values.end(), row.begin(), row.end());
  }
  double primary = 0, hidden = 0;
  std::string levels;
  for (const Start& s : starts) {
    primary = std::max(primary, std::abs(level_of(s.z) - 1));
    hidden = std::max(hidden, std::abs(hidden_constraint(system, s.z)));
    levels += (levels.empty() ? "" : ", ") + short_number(level_of(s.z));
  }
  r.claims = {{"all three lie on M: |z|^2 = 1", "|z|^2 = " + levels, primary < 1e-12},
              {"and on M^H: {g,H} = 0", "at most " + short_number(hidden), hidden < 1e-14}};
  r.errata = {level_erratum};
  r.figure.panels = {std::move(panel)};
}

// ---- Figure 1: the planar pendulum --------------------------------------------------------------

void make_fig1(Reproduction& r) {
  const AnySystem system = system_from(
      "[model]\nname = 'pendulum'\ncoordinates = ['x', 'y']\nmass = [1, 1]\npotential = 'y'\n"
      "constraints = ['(x^2 + y^2 - 1)/2']\n");
  const State<double> start = point(0.8, -0.6, 0.45, 0.6);
  const double h = 0.5;
  const auto shake = trajectory(system, "shake", start, h, 1).states[1];
  const auto rattle = trajectory(system, "rattle", start, h, 1).states[1];
  FigurePanel panel{.heading = "one step of h = 0.5: positions, and momenta as lines from them",
                    .x_label = "x",
                    .y_label = "y",
                    .columns = {"x", "circle", "start", "shake", "rattle"},
                    .curves = {{"x", "circle", "g = 0"},
                               {"x", "start", "start"},
                               {"x", "shake", "SHAKE"},
                               {"x", "rattle", "RATTLE"}},
                    .to_scale = true};
  for (int k = -70; k <= 20; ++k)
    panel.add({std::cos(k * pi / 180), std::sin(k * pi / 180), nothing, nothing, nothing});
  const auto arrow = [&](const State<double>& z, int which) {
    for (const double part : {0.0, 0.5}) {
      std::vector<double> row{z.q[0] + part * z.p[0], nothing, nothing, nothing, nothing};
      row[static_cast<std::size_t>(which)] = z.q[1] + part * z.p[1];
      panel.values.insert(panel.values.end(), row.begin(), row.end());
    }
  };
  arrow(start, 2), arrow(shake, 3), arrow(rattle, 4);
  const double apart = (shake.q - rattle.q).norm();
  const double off = std::abs(hidden_constraint(system, shake));
  const double on = std::abs(hidden_constraint(system, rattle));
  r.claims = {{"SHAKE lands on g = 0, its momentum need not be tangent",
               "|g| = " + short_number(std::abs(constraint(system, shake))) +
                   ", q.p = " + short_number(off),
               std::abs(constraint(system, shake)) < 1e-14 && off > 1e-3},
              {"RATTLE is SHAKE and a projection of the momentum",
               "positions differ by " + short_number(apart) + ", q.p = " + short_number(on),
               apart < 1e-14 && on < 1e-14}};
  r.figure.panels = {std::move(panel)};
}

// ---- Figure 3: fibres and trajectories of the free Hopf problem
// ----------------------------------

/// The fibre through a point of M^H with |q| = 0.8, |p| = 0.6, and the two trajectories through it.
FigurePanel fibre_and_trajectories() {
  FigurePanel panel{.heading = "in the plane of q",
                    .x_label = "x",
                    .y_label = "y",
                    .columns = {"x", "fibre", "outer", "inner", "critical"},
                    .curves = {{"x", "fibre", "a fibre"},
                               {"x", "outer", "its trajectory with |q| > |p|"},
                               {"x", "inner", "its trajectory with |q| < |p|"},
                               {"x", "critical", "M^H on the fibre", FigureCurve::Style::points}},
                    .to_scale = true};
  for (int k = 0; k <= 180; ++k) {
    const double c = std::cos(k * pi / 90), s = std::sin(k * pi / 90);
    panel.add({0.8 * c, 0.6 * s, nothing, nothing, nothing});
  }
  for (const double radius : {0.8, 0.6}) {
    panel.add({nothing, nothing, nothing, nothing, nothing});
    for (int k = 0; k <= 180; ++k) {
      const double x = radius * std::cos(k * pi / 90), y = radius * std::sin(k * pi / 90);
      panel.add({x, nothing, radius > 0.7 ? y : nothing, radius > 0.7 ? nothing : y, nothing});
    }
  }
  return panel;
}

void make_fig3(Reproduction& r) {
  // q and p are perpendicular on M^H: the fibre is an ellipse in the plane of q, with half axes |q|
  // and |p|, and the trajectories through it are circles with these radii.
  const State<double> z = point(0.8, 0, 0, 0.6);
  const AnySystem system = system_from(
      "[model]\nname = 'free Hopf'\ncoordinates = ['x', 'y']\nhamiltonian = '(p_x^2 + p_y^2)/2'\n"
      "constraints = ['x^2 + y^2 + p_x^2 + p_y^2 - 1']\n");
  FigurePanel panel = fibre_and_trajectories();
  int critical = 0;
  for (int k = 0; k < 4; ++k) {
    const auto at = turned(z, k * pi / 2);
    if (std::abs(hidden_constraint(system, at)) < 1e-15) ++critical;
    panel.add({at.q[0], nothing, nothing, nothing, at.q[1]});
  }
  const double h = 0.1, omega = 12.0 / 7;  // (q x p) / (|q|^2 - |p|^2)
  const auto run = trajectory(system, "rattle:base=midpoint", z, h, 200);
  double radius = 0, angle = 0;
  for (std::size_t k = 1; k < run.states.size(); ++k) {
    const auto &a = run.states[k - 1].q, &b = run.states[k].q;
    radius = std::max(radius, std::abs(b.norm() - 0.8));
    const double turn = std::atan2(a[0] * b[1] - a[1] * b[0], a.dot(b));
    angle = std::max(angle, std::abs(turn - std::asin(h * omega)));
  }
  r.claims = {{"a fibre meets M^H in two pairs of antipodal points",
               std::to_string(critical) + " critical points found at quarter turns", critical == 4},
              {"RATTLE follows the exact trajectory, at another speed",
               "|q| within " + short_number(radius) + "; a step turns by asin(h w), within " +
                   short_number(angle),
               radius < 1e-13 && angle < 1e-13}};
  r.errata = {
      "5.4.1: it is so because q x p is conserved; the reflection in the proof does not map "
      "fibres to fibres.",
      "(26): the angle is w t with w = (q x p)/(|q|^2 - |p|^2)."};
  r.figure.panels = {std::move(panel)};
}

}  // namespace

}  // namespace hopf

std::vector<Part> hopf_experiments() {
  using namespace hopf;
  return {{{"hopf-table1", "Three starts of the Hopf problem", "[McLachlan12 Table 1]", ""},
           make_table1},
          {{"hopf-fig1", "A step of SHAKE and RATTLE on the planar pendulum",
            "[McLachlan12 Figure 1]", ""},
           make_fig1},
          {{"hopf-fig3", "A fibre of the free Hopf problem and its trajectories",
            "[McLachlan12 Figure 3]", ""},
           make_fig3},
          {{"hopf-fig4", "Trajectories of the Hopf problem on the quotient by its fibres",
            "[McLachlan12 Figure 4]", ""},
           make_fig4},
          {{"hopf-fig5", "Energy and hidden constraint of SHAKE and RATTLE from z_a",
            "[McLachlan12 Figure 5]", ""},
           make_fig5},
          {{"hopf-fig6", "The hidden constraint manifold on the fibres along a trajectory",
            "[McLachlan12 Figure 6]", ""},
           make_fig6}};
}

}  // namespace rattleback::study::papers
