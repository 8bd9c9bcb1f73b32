#include "native_allocation.hpp"

#include <algorithm>
#include <utility>

#include "native_allocator.hpp"

namespace rattleback::detail {

Allocator::Allocator(const Program& program, bool calls_in_memory, int registers)
    : program_(program),
      calls_in_memory_(calls_in_memory),
      registers_(registers),
      schedule_(program) {
  const int count = program.value_count();
  register_of_.assign(count, -1);
  home_.resize(count);
  const int constants = static_cast<int>(program.constants().size());
  for (int v = 0; v < constants; ++v) home_[v] = {Place::constant, v};
  for (std::size_t k = 0; k < program.inputs().size(); ++k) {
    const auto& [array, index] = program.inputs()[k];
    home_[constants + k] = {array == 0 ? Place::x : Place::y, index};
  }
  value_in_.fill(-1);
  out_.steps.reserve(program.instructions().size() * 3 / 2);
}

Allocation Allocator::run() {
  for (int v = 0; v < program_.first_instruction(); ++v)
    finish(v);  // constants and inputs that are results
  for (now_ = 0; now_ < schedule_.size(); ++now_) {
    if (schedule_.is_served(now_)) continue;
    const int v = schedule_.value(now_);
    instruction(schedule_.at(now_), v);
    release_slots();
    finish(v);
  }
  return std::move(out_);
}

void Allocator::instruction(const Program::Instruction& i, int v) {
  switch (i.operation) {
    case Operation::multiply_add:
    case Operation::subtract_product:
    case Operation::multiply_subtract:
      return fused(i, v);
    case Operation::add:
    case Operation::subtract:
    case Operation::multiply:
    case Operation::divide:
      return binary(i, v);
    case Operation::sign:
      return sign(i, v);
    default:
      return is_call(i.operation) ? call(i, v) : unary(i, v);
  }
}

void Allocator::used_all(const Program::Instruction& i) {
  used(i.a);
  if (i.b >= 0) used(i.b);
  if (i.c >= 0) used(i.c);
}

void Allocator::unary(const Program::Instruction& i, int v) {
  ensure(i.a);
  const std::int8_t a = register_of_[i.a];
  protected_ = 0;
  used(i.a);
  const int r = take_register();
  emit({.kind = Step::compute,
        .operation = i.operation,
        .target = static_cast<std::int8_t>(r),
        .first = a});
  put(v, r);
}

void Allocator::sign(const Program::Instruction& i, int v) {
  ensure(i.a);
  const int r = take_register();
  protected_ |= 1U << r;
  const int spare = take_register();
  emit({.kind = Step::sign,
        .operation = i.operation,
        .target = static_cast<std::int8_t>(r),
        .first = register_of_[i.a],
        .second = static_cast<std::int8_t>(spare)});
  used(i.a);
  put(v, r);
}

void Allocator::binary(const Program::Instruction& i, int v) {
  int a = i.a, b = i.b;
  const bool commutes = i.operation == Operation::add || i.operation == Operation::multiply;
  if (commutes && !in_register(a) && (in_register(b) || use_after_now(b) < use_after_now(a)))
    std::swap(a, b);
  protect(a);
  protect(b);
  ensure(a);
  if (!in_register(b) && worth_loading(b)) ensure(b);
  Step step{.kind = Step::compute,
            .operation = i.operation,
            .first = register_of_[a],
            .second = register_of_[b]};
  if (!in_register(b)) step.place = home(b);
  protected_ = 0;
  used(a);
  used(b);
  step.target = static_cast<std::int8_t>(take_register());
  emit(step);
  put(v, step.target);
}

void Allocator::fused(const Program::Instruction& i, int v) {
  const std::array<int, 3> operands{i.a, i.b, i.c};
  int in_memory = -1;
  for (const int o : operands) protect(o);
  for (const int o : operands) {
    if (in_register(o) || o == in_memory) continue;
    const bool once = std::count(operands.begin(), operands.end(), o) == 1;
    if (in_memory < 0 && once && !worth_loading(o))
      in_memory = o;
    else
      ensure(o);
  }
  const Place place = in_memory < 0 ? Place{} : home(in_memory);
  std::array<std::int8_t, 3> at{};
  for (int k = 0; k < 3; ++k) at[k] = register_of_[operands[k]];
  protected_ = 0;
  used_all(i);
  // The operand whose register the result takes: a sum that ends here, else a factor.
  int role = -1;
  for (const int k : {2, 0, 1})
    if (role < 0 && at[k] >= 0 && !in_register(operands[k])) role = k;
  int target = role < 0 ? take_register() : at[role];
  for (int k = 0; k < 3 && role < 0; ++k)
    if (at[k] == target) role = k;  // just given up
  if (role < 0 && in_memory >= 0) {
    emit({.kind = Step::load, .target = static_cast<std::int8_t>(target), .place = place});
    role =
        static_cast<int>(std::find(operands.begin(), operands.end(), in_memory) - operands.begin());
    at[role] = static_cast<std::int8_t>(target);
    in_memory = -1;
  } else if (role < 0) {
    emit({.kind = Step::move, .target = static_cast<std::int8_t>(target), .first = at[2]});
    role = 2;
  }
  emit_fused(i.operation, at, role, static_cast<std::int8_t>(target),
             in_memory < 0 ? Place{} : place);
  put(v, target);
}

void Allocator::emit_fused(Operation operation, std::array<std::int8_t, 3> at, int role,
                           std::int8_t target, const Place& place) {
  Step step{.kind = Step::form_231, .operation = operation, .target = target, .place = place};
  if (role == 1) std::swap(at[0], at[1]);
  if (role == 2) {
    if (at[0] < 0) std::swap(at[0], at[1]);
    step.second = at[0], step.first = at[1];
  } else if (at[1] < 0) {
    step.kind = Step::form_132;
    step.second = at[2], step.first = at[1];
  } else {
    step.kind = Step::form_213;
    step.second = at[1], step.first = at[2];
  }
  emit(step);
}

void Allocator::call(const Program::Instruction& i, int v) {
  out_.calls = true;
  const int partner = schedule_.partner(now_);
  for (int r = 0; r < registers_; ++r) {
    const int w = value_in_[r];
    if (w < 0) continue;
    const bool is_argument = w == i.a || w == i.b;
    if (use_after_now(w) != Schedule::never || (is_argument && calls_in_memory_)) save(w);
  }
  if (calls_in_memory_)
    call_with_places(i, v, partner);
  else
    call_with_registers(i, v, partner);
}

void Allocator::forget_registers() {
  for (int r = 0; r < registers_; ++r)
    if (value_in_[r] >= 0) drop(value_in_[r]);
}

void Allocator::pair(Step step, const Program::Instruction& i, int v, int partner) {
  const int w = schedule_.value(partner);
  new_slot(v);
  new_slot(w);
  const bool sine_first = i.operation == Operation::sin;
  step.kind = Step::call_pair;
  step.result = home_[sine_first ? v : w];
  step.other = home_[sine_first ? w : v];
  emit(step);
  forget_registers();
  used(i.a);
  release_slots();
  finish(w);
}

void Allocator::call_with_places(const Program::Instruction& i, int v, int partner) {
  Step step{.kind = Step::call, .operation = i.operation, .place = home(i.a)};
  if (i.b >= 0) step.other = home(i.b);
  if (partner >= 0) return pair(step, i, v, partner);
  new_slot(v);
  step.result = home_[v];
  emit(step);
  forget_registers();
  used_all(i);
}

void Allocator::argument(int v, std::int8_t from, std::int8_t target) {
  if (from < 0)
    emit({.kind = Step::load, .target = target, .place = home(v)});
  else if (from != target)
    emit({.kind = Step::move, .target = target, .first = from});
}

void Allocator::call_with_registers(const Program::Instruction& i, int v, int partner) {
  const std::int8_t a = register_of_[i.a];
  std::int8_t b = i.b < 0 ? std::int8_t{-1} : register_of_[i.b];
  if (b == 0 && a != 0) {  // about to be overwritten; everything else is saved
    b = a == 2 ? 3 : 2;
    emit({.kind = Step::move, .target = b, .first = 0});
  }
  argument(i.a, a, 0);
  if (i.b >= 0) argument(i.b, b, 1);
  Step step{.kind = Step::call, .operation = i.operation};
  if (partner >= 0) return pair(step, i, v, partner);
  emit(step);
  forget_registers();
  used_all(i);
  put(v, 0);
}

Allocation allocate(const Program& program, bool calls_in_memory, int registers) {
  return Allocator(program, calls_in_memory, registers).run();
}

}  // namespace rattleback::detail
