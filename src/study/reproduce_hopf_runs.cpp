// Figures 4 to 6 of [McLachlan12]: the Hopf problem with a linear potential.
#include <algorithm>
#include <complex>
#include <numeric>

#include "reproduce_hopf.hpp"

namespace rattleback::study::papers::hopf {

namespace {

/// d/dtheta of H along the fibre; (28) with the signs corrected.
double slope_on_fibre(const State<double>& z, double theta) {
  const double gq = -z.q[1], gp = -z.p[1];
  return (z.q.squaredNorm() - z.p.squaredNorm()) / 2 * std::sin(2 * theta) -
         z.q.dot(z.p) * std::cos(2 * theta) + gq * std::sin(theta) - gp * std::cos(theta);
}

/// Where it vanishes, by bisection between grid points.
std::vector<double> critical_angles(const State<double>& z) {
  constexpr int grid = 720;
  std::vector<double> roots;
  for (int k = 0; k < grid; ++k) {
    double low = -pi + 2 * pi * k / grid, high = -pi + 2 * pi * (k + 1) / grid;
    if (slope_on_fibre(z, low) * slope_on_fibre(z, high) > 0) continue;
    for (int i = 0; i < 50; ++i) {
      const double middle = (low + high) / 2;
      (slope_on_fibre(z, low) * slope_on_fibre(z, middle) <= 0 ? high : low) = middle;
    }
    roots.push_back((low + high) / 2);
  }
  return roots;
}

// ---- Figure 4: trajectories on the quotient by the fibres
// ----------------------------------------

/// The Hopf map, and the stereographic projection: z0 / z1 with z_k = q_k + i p_k.
std::complex<double> on_plane(const State<double>& z) {
  return std::complex(z.q[0], z.p[0]) / std::complex(z.q[1], z.p[1]);
}

/// How far the later half of the points is from the closed polygon through the first half.
double distance_from_polygon(const std::vector<std::complex<double>>& all) {
  const auto half = static_cast<std::ptrdiff_t>(all.size() / 2);
  std::vector<std::complex<double>> polygon(all.begin(), all.begin() + half);
  const auto centre = std::accumulate(polygon.begin(), polygon.end(), std::complex<double>()) /
                      static_cast<double>(half);
  std::sort(polygon.begin(), polygon.end(),
            [&](auto a, auto b) { return std::arg(a - centre) < std::arg(b - centre); });
  double worst = 0;
  for (auto at = all.begin() + half; at != all.end(); ++at) {
    double nearest = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < polygon.size(); ++k) {
      const auto a = polygon[k], edge = polygon[(k + 1) % polygon.size()] - a;
      const double along =
          std::clamp((std::conj(edge) * (*at - a)).real() / std::norm(edge), 0.0, 1.0);
      nearest = std::min(nearest, std::abs(*at - a - along * edge));
    }
    worst = std::max(worst, nearest);
  }
  return worst;
}

/// The points of three trajectories, side by side.
FigurePanel three_trajectories(long steps) {
  FigurePanel panel{.heading = "2000 steps of h = 0.1",
                    .x_label = "Re",
                    .y_label = "Im",
                    .columns = {"step", "re_a", "im_a", "re_b", "im_b", "re_c", "im_c"},
                    .curves = {{"re_a", "im_a", "z_a", FigureCurve::Style::points},
                               {"re_b", "im_b", "z_b", FigureCurve::Style::points},
                               {"re_c", "im_c", "z_c", FigureCurve::Style::points}},
                    .to_scale = true};
  panel.values.assign(static_cast<std::size_t>(steps + 1) * 7, 0);
  return panel;
}

/// Whether there are four critical angles: by the astroid, and by the rule as it was printed.
struct FourCrossings {
  bool astroid, printed;
};
FourCrossings four_crossings(const State<double>& z) {
  // H' = A sin 2s + U sin s + V cos s, from a critical point of the first part
  const double a = (z.q.squaredNorm() - z.p.squaredNorm()) / 2, b = -z.q.dot(z.p);
  const double size = std::hypot(a, b), shift = -std::atan2(b, a) / 2;
  const double gq = -z.q[1], gp = -z.p[1];
  const double u = gq * std::cos(shift) + gp * std::sin(shift);
  const double v = gq * std::sin(shift) - gp * std::cos(shift);
  const auto third = [](double x) { return std::pow(std::abs(x), 2.0 / 3); };
  return {third(u) + third(v) < third(2 * size), size > std::hypot(gq, gp)};
}

/// |H'| over the fibres, and where it vanishes.
std::pair<FigurePanel, FigurePanel> slope_panels() {
  FigurePanel map{.heading = "|dH/dtheta| on the fibres along SHAKE's trajectory; 0 is its state",
                  .x_label = "t",
                  .y_label = "theta / 2 pi",
                  .columns = {"t", "turn", "slope"},
                  .curves = {},
                  .colour = "slope"};
  FigurePanel roots{.heading = "where it vanishes: M^H",
                    .x_label = "t",
                    .y_label = "theta / 2 pi",
                    .columns = {"t", "turn"},
                    .curves = {{"t", "turn", "", FigureCurve::Style::points}}};
  return {std::move(map), std::move(roots)};
}

}  // namespace

void make_fig4(Reproduction& r) {
  const long steps = 2000;
  FigurePanel panel = three_trajectories(steps);
  double apart = 0, open = 0;
  std::vector<double> radii;  // the largest |z_0 / z_1| of each
  std::size_t column = 1;
  for (const Start& s : table1()) {
    const AnySystem system = linear_potential(s.z);
    const auto rattle = trajectory(system, "rattle:base=midpoint", s.z, 0.1, steps);
    const auto shake = trajectory(system, "shake:base=midpoint", s.z, 0.1, steps);
    std::vector<std::complex<double>> curve;
    for (std::size_t k = 0; k < rattle.states.size(); ++k) {
      curve.push_back(on_plane(rattle.states[k]));
      apart = std::max(apart, std::abs(curve.back() - on_plane(shake.states[k])));
      panel.values[7 * k] = static_cast<double>(k);
      panel.values[7 * k + column] = curve.back().real();
      panel.values[7 * k + column + 1] = curve.back().imag();
    }
    open = std::max(open, distance_from_polygon(curve));
    radii.push_back(0);
    for (const auto& at : curve) radii.back() = std::max(radii.back(), std::abs(at));
    column += 2;
  }
  r.claims = {
      {"the simulated trajectories are closed",
       "steps 1001 to 2000 lie within " + short_number(open) +
           " of the closed polygon through the first 1000",
       open < 1e-3},
      {"SHAKE and RATTLE are the same map on the quotient", "they differ by " + short_number(apart),
       apart < 1e-9},
      {"z_a has the innermost trajectory",
       "it reaches out to " + short_number(radii[0]) + ", z_b to " + short_number(radii[1]) +
           ", z_c to " + short_number(radii[2]) + " (innermost it is in the plane of z_1 / z_0)",
       radii[0] < radii[1] && radii[0] < radii[2]}};
  r.errata = {
      level_erratum, "The printed projection is not stereographic; drawn is z_0 / z_1, which is.",
      "z_a is outermost in either projection: both grow with rho = |z_0|^2 - |z_1|^2, and "
      "the three exact trajectories lie inside one another with z_a the one around all. "
      "Innermost it is with the sign of rho changed, that is projected from the other pole.",
      base_erratum};
  r.figure.panels = {std::move(panel)};
}

// ---- Figure 5: energy and hidden constraint
// ------------------------------------------------------

void make_fig5(Reproduction& r) {
  const State<double> start = table1().front().z;
  const AnySystem system = linear_potential(start);
  const long steps = 400;
  const auto shake = trajectory(system, "shake:base=midpoint", start, 0.1, steps);
  const auto rattle = trajectory(system, "rattle:base=midpoint", start, 0.1, steps);
  FigurePanel energy{.heading = "(a) energy",
                     .x_label = "t",
                     .y_label = "H",
                     .columns = {"t", "shake", "rattle"},
                     .curves = {{"t", "shake", "SHAKE"}, {"t", "rattle", "RATTLE"}}};
  FigurePanel hidden{.heading = "(b) hidden constraint of SHAKE",
                     .x_label = "t",
                     .y_label = "{g,H}",
                     .columns = {"t", "shake", "rattle"},
                     .curves = {{"t", "shake", ""}}};
  double primary = 0, off = 0, on = 0;
  rattleback::detail::Slope drift;
  double low = nothing, high = nothing;
  for (std::size_t k = 0; k < shake.states.size(); ++k) {
    const auto &a = shake.states[k], &b = rattle.states[k];
    const double h = system.energy(b.q, b.p);
    energy.add({shake.time(k), system.energy(a.q, a.p), h});
    hidden.add({shake.time(k), hidden_constraint(system, a), hidden_constraint(system, b)});
    primary = std::max({primary, std::abs(constraint(system, a)), std::abs(constraint(system, b))});
    if (k > 0) off = std::max(off, std::abs(hidden_constraint(system, a)));
    on = std::max(on, std::abs(hidden_constraint(system, b)));
    drift.add(shake.time(k), h);
    low = std::fmin(low, h), high = std::fmax(high, h);
  }
  r.claims = {{"no drift in energy",
               "RATTLE: H within " + short_number(high - low) + ", slope " +
                   short_number(drift.value()) + " per unit of time",
               std::abs(drift.value()) * shake.time(steps) < (high - low)},
              {"SHAKE is off {g,H} = 0 by as much as h, which is 0.1",
               "at most " + short_number(off), off > 0.02 && off < 0.5},
              {"RATTLE keeps {g,H} = 0, both keep g = 0, to machine accuracy",
               "|{g,H}| up to " + short_number(on) + ", |g| up to " + short_number(primary),
               on < 1e-13 && primary < 1e-13}};
  r.errata = {level_erratum, base_erratum};
  r.figure.panels = {std::move(energy), std::move(hidden)};
}

// ---- Figure 6: H' on the fibres along the trajectory
// ---------------------------------------------

void make_fig6(Reproduction& r) {
  const State<double> start = table1().front().z;
  const AnySystem system = linear_potential(start);
  const auto run = trajectory(system, "shake:base=midpoint", start, 0.1, 400);
  auto [map, roots] = slope_panels();
  std::size_t fewest = 9, most = 0;
  double nearest = 1;  // to M^H after the first step, in turns
  int rule = 0, printed = 0;
  for (std::size_t k = 0; k < run.states.size(); ++k) {
    const State<double>& z = run.states[k];
    const bool shown = run.time(k) < 15;
    for (int j = -60; shown && j < 60; ++j)
      map.add({run.time(k), j / 120.0, std::abs(slope_on_fibre(z, pi * j / 60))});
    const auto found = critical_angles(z);
    for (const double angle : found)
      if (shown) roots.add({run.time(k), angle / (2 * pi)});
    fewest = std::min(fewest, found.size()), most = std::max(most, found.size());
    double here = 1;
    for (const double angle : found) here = std::min(here, std::abs(angle) / (2 * pi));
    if (k > 0) nearest = std::min(nearest, here);
    const FourCrossings expected = four_crossings(z);
    rule += expected.astroid != (found.size() == 4);
    printed += expected.printed != (found.size() == 4);
  }
  const auto count = std::to_string(run.states.size());
  r.claims = {
      {"M^H crosses the fibres two, three or four times",
       std::to_string(fewest) + " to " + std::to_string(most) + " times (three only between steps)",
       fewest == 2 && most == 4},
      {"SHAKE stays off M^H after one step", "nearest: " + short_number(nearest) + " of a turn",
       nearest > 1e-6},
      {"four crossings where the coefficients of 2 theta are larger, else two",
       "wrong on " + std::to_string(printed) + " of " + count + " fibres; the astroid on " +
           std::to_string(rule),
       printed == 0}};
  r.errata = {level_erratum,
              "(28): three of four signs; drawn is the derivative with the signs corrected. The "
              "angle is in R / 2 pi Z.",
              "The rule is an astroid: H' = A sin 2s + U sin s + V cos s has four zeros where "
              "|U|^(2/3) + |V|^(2/3) < (2A)^(2/3)."};
  r.figure.panels = {std::move(map), std::move(roots)};
}

}  // namespace rattleback::study::papers::hopf
