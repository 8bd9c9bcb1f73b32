// The allocator behind allocate(): which value is in which register while the instructions are gone
// through, and the steps that come of it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "native_schedule.hpp"

namespace rattleback::detail {

class Allocator {
 public:
  Allocator(const Program& program, bool calls_in_memory, int registers);
  Allocation run();

 private:
  // Registers, places in memory, and who is in them: native_registers.cpp
  int use_after_now(int v) const { return schedule_.use_after(v, now_); }
  bool in_register(int v) const { return register_of_[v] >= 0; }
  void emit(const Step& step) { out_.steps.push_back(step); }
  void put(int v, int r);
  void drop(int v);
  int new_slot(int v);
  const Place& home(int v) const;
  void save(int v);
  bool is_protected(int r) const { return (protected_ >> r & 1) != 0; }
  void protect(int v);
  /// The register to give up: that of the value needed last, where one that is in memory anyway
  /// counts as needed later. -1 if all are protected.
  int victim() const;
  int free_register() const;
  int take_register();
  /// Whether v, not in a register now, should get one: it is used again, sooner than another.
  bool worth_loading(int v) const;
  void ensure(int v);
  /// The operand has been read by the instruction at now_.
  void used(int v);
  void release_slots();
  /// v has been computed: to where the caller wants it, and forgotten if that was all.
  void finish(int v);

  // Instructions: native_allocation.cpp
  void instruction(const Program::Instruction& i, int v);
  void used_all(const Program::Instruction& i);
  void unary(const Program::Instruction& i, int v);
  void sign(const Program::Instruction& i, int v);
  void binary(const Program::Instruction& i, int v);
  void fused(const Program::Instruction& i, int v);
  void emit_fused(Operation operation, std::array<std::int8_t, 3> at, int role, std::int8_t target,
                  const Place& place);
  void call(const Program::Instruction& i, int v);
  void forget_registers();
  void pair(Step step, const Program::Instruction& i, int v, int partner);
  void call_with_places(const Program::Instruction& i, int v, int partner);
  void argument(int v, std::int8_t from, std::int8_t target);
  void call_with_registers(const Program::Instruction& i, int v, int partner);

  static constexpr int most_registers = 32;

  const Program& program_;
  const bool calls_in_memory_;
  const int registers_;
  Schedule schedule_;
  Allocation out_;
  int now_ = -1;  ///< position in the schedule
  std::vector<std::int8_t> register_of_;
  std::array<int, most_registers> value_in_{};
  unsigned protected_ = 0;
  std::vector<Place> home_;  ///< where in memory a value is, or none
  std::vector<int> owner_, free_slots_, leaving_;
};

}  // namespace rattleback::detail
