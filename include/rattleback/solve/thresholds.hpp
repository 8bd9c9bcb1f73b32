// The numbers by which iterations are judged, each with what was measured.
//
// Where outcomes are counted: 880 runs of up to 300 steps on the witness problems, of the natural,
// the general and the variational step, h from 0.01 to 1, momenta as they are and three times as
// large; 363 of them end early, since such steps have no solution. "Halved 5, doubled 1" says in
// how many of them the end or its cause becomes another one.
#pragma once

namespace rattleback::threshold {

/// A state beyond this has overflowed: its square is still a number.
inline constexpr double overflow = 1e150;
/// The same of a residual, which is linear in it.
inline constexpr double residual_overflow = 1e300;
/// Pivots below are zero, whatever they came from: the inverse of a smaller one overflows.
inline constexpr double zero_pivot = 1e-290;
/// No coordinate or momentum has a scale below this: at turning points they vanish. Halved,
/// doubled, and a hundred times less or more: 0.
inline constexpr double least_scale = 1e-3;

/// Newton's matrix is kept while it contracts by this. Halved 1, doubled 1; iterations -3 % and
/// +4 %, and each iteration less is a factorisation more.
inline constexpr double kept_contraction = 0.01;
/// The same of a sparse matrix that outlives its step, where it costs more. On chains of 10 and 300
/// by gauss with 1, 2 and 4 stages, h = 0.001 and 0.01, a third of it takes 0.8 to 1.7 times as
/// long, three times it 0.5 to 1.25.
inline constexpr double slow_contraction = 0.1;
/// Near the floor an iteration that contracts by less stands still. Halved 0, doubled 0; a
/// hundredth takes standing still for progress (4), 25 progress for standing still (52).
inline constexpr double standstill = 0.25;
/// How far above the floor it still counts as round-off. Halved 5, doubled 1, a hundredth 20: those
/// runs are given up at a residual of round-off.
inline constexpr double round_off_band = 1e4;

/// The matrix of the start of a step is exchanged for the exact one where it contracts by less. A
/// half: 0, iterations -2 %, with matrices more; doubled, 24 runs are given up.
inline constexpr double poor_contraction = 0.5;
/// As round_off_band, of g where its floor is known for each constraint. A hundredth and a hundred
/// times: 0.
inline constexpr double constraint_band = 1e3;
/// A natural step of more iterations is held against the branch it came from. Halved 0, doubled 1;
/// without it 11 runs go on, on another branch.
inline constexpr int few_iterations = 3;

/// A general step of more iterations is held against inertia and energy. Halved 6, doubled 2. In
/// double; of more digits more.
inline constexpr int easy_iterations = 12;
/// Such a step may change the energy by this much of the largest change so far. Halved 1, doubled
/// 1; equal changes, a thirtieth of this, refuse 33 runs.
inline constexpr double unusual_change = 30;
/// Multipliers are O(h): a slide longer than this, relative to the state, turned it around (an
/// angle where the fibre is a circle). Halved 16, 14 of them refused; doubled 10.
inline constexpr double farthest_slide = 1.7;
/// A variational step that ends farther from its first guess, relative to its speed, is held
/// against the branch it came from. Halved 1, doubled 2; without it 27 runs go on, on another one.
inline constexpr double near_guess = 0.2;

/// A compensated step: a residual below `polish` floors is followed by one more correction, which
/// squares it, and the step is done below `polished` floors. On three pendulums of one to four
/// constraints two iterations, with a quarter and with eight times these too.
inline constexpr double polish = 16, polished = 8;

/// A Taylor series is refused where its last coefficient is larger than this part of the first
/// ones. Of a double pendulum and of 20 rods, order 20, h from 0.05 to 4: accepted steps are off by
/// 0.064 at the most; ten times: 0.66; a tenth: 0.005.
inline constexpr double diverging_series = 0.1;

}  // namespace rattleback::threshold
