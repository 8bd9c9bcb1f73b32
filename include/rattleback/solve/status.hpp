// How a solve or a step ended. A failure is a value: nothing throws and nothing is silent.
#pragma once

namespace rattleback {

enum class Outcome : unsigned char {
  ok,
  no_convergence,  ///< the iteration cap was reached: the step is too large, or there is no
                   ///< solution
  rank_loss,       ///< the matrix of the multipliers is singular
  branch_jump,     ///< a solution was found, but on another branch of the fibre
  not_finite,      ///< a value overflowed or is not a number
  divergence       ///< a series whose terms do not become small: the step is too large
};

struct [[nodiscard]] Status {
  Outcome outcome = Outcome::ok;
  int iterations = 0;
  double residual = 0;

  explicit operator bool() const { return outcome == Outcome::ok; }
};

}  // namespace rattleback
