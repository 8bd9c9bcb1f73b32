// The Hopf problem of [McLachlan12 5.4], and what its figures share.
#pragma once

#include <cmath>
#include <limits>
#include <numbers>

#include "reproduce_parts.hpp"

namespace rattleback::study::papers::hopf {

inline constexpr double pi = std::numbers::pi;
inline constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

State<double> point(double q0, double q1, double p0, double p1);

/// Table 1.
struct Start {
  const char* name;
  State<double> z;
};
std::vector<Start> table1();

double level_of(const State<double>& z);
/// (27) with g = (0, -1); the level of the constraint is that of the start.
AnySystem linear_potential(const State<double>& start);

extern const char* const level_erratum;
extern const char* const base_erratum;

/// The point of the fibre through z at the angle theta.
State<double> turned(const State<double>& z, double theta);

void make_fig4(Reproduction& r);
void make_fig5(Reproduction& r);
void make_fig6(Reproduction& r);

}  // namespace rattleback::study::papers::hopf
