// In what order a program's instructions run, and what becomes of each value: when it is used, and
// to what results it goes. Positions are those in that order.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "native_allocation.hpp"

namespace rattleback::detail {

bool is_call(Operation operation);

class Schedule {
 public:
  static constexpr int never = std::numeric_limits<int>::max();

  explicit Schedule(const Program& program);

  int size() const { return static_cast<int>(order_.size()); }
  const Program::Instruction& at(int position) const {
    return program_.instructions()[order_[position]];
  }
  /// The value that the instruction computes.
  int value(int position) const { return program_.first_instruction() + order_[position]; }
  /// Of sin and cos: the later instruction that the same call serves; -1: none.
  int partner(int position) const { return partner_[position]; }
  /// Whether the call of another instruction gives this one's value.
  bool is_served(int position) const { return partner_[position] == served; }

  /// When v is used next after this position.
  int use_after(int v, int position) const {
    int k = next_[v];
    while (k < use_start_[v + 1] && uses_[k] <= position) ++k;
    return k < use_start_[v + 1] ? uses_[k] : never;
  }
  /// Whether v is used after this position, to which all has been read.
  bool pass(int v, int position) {
    while (next_[v] < use_start_[v + 1] && uses_[next_[v]] <= position) ++next_[v];
    return is_used(v);
  }
  bool is_used(int v) const { return next_[v] < use_start_[v + 1]; }
  /// Where the caller wants v.
  std::span<const Place> results(int v) const {
    return std::span(results_).subspan(result_start_[v], result_start_[v + 1] - result_start_[v]);
  }

 private:
  static constexpr int served = -2;

  void order_instructions();
  void find_pairs();
  void list_uses();
  void list_results();

  const Program& program_;
  std::vector<int> order_, partner_;
  std::vector<int> use_start_, uses_, next_;  ///< where each value is used, and which use is next
  std::vector<int> result_start_;
  std::vector<Place> results_;
};

}  // namespace rattleback::detail
