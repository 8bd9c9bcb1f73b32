#include "native_allocation.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <unordered_map>

namespace rattleback::detail {

namespace {

constexpr int most_registers = 32;
constexpr int never = std::numeric_limits<int>::max();

bool is_call(Operation operation) {
  switch (operation) {
    case Operation::negate:
    case Operation::sqrt:
    case Operation::abs:
    case Operation::sign:
    case Operation::add:
    case Operation::subtract:
    case Operation::multiply:
    case Operation::divide:
    case Operation::multiply_add:
    case Operation::subtract_product:
    case Operation::multiply_subtract:
      return false;
    default:
      return true;
  }
}

class Allocator {
 public:
  Allocator(const Program& program, bool calls_in_memory, int registers)
      : program_(program), calls_in_memory_(calls_in_memory), registers_(registers) {
    order_instructions();
    find_pairs();
    list_uses();
    list_results();
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

  Allocation run() {
    const int first = program_.first_instruction();
    for (int v = 0; v < first; ++v) finish(v);  // constants and inputs that are results
    for (now_ = 0; now_ < static_cast<int>(order_.size()); ++now_) {
      if (partner_[now_] == served) continue;
      const Program::Instruction& i = at(now_);
      const int v = first + order_[now_];
      switch (i.operation) {
        case Operation::multiply_add:
        case Operation::subtract_product:
        case Operation::multiply_subtract:
          fused(i, v);
          break;
        case Operation::add:
        case Operation::subtract:
        case Operation::multiply:
        case Operation::divide:
          binary(i, v);
          break;
        case Operation::sign:
          sign(i, v);
          break;
        default:
          if (is_call(i.operation))
            call(i, v);
          else
            unary(i, v);
      }
      release_slots();
      finish(v);
    }
    return std::move(out_);
  }

 private:
  /// Calls, and what goes into them, come first: libm reads the control register, which waits for
  /// all arithmetic before it, so arithmetic that a call does not need would only delay it.
  void order_instructions() {
    const auto& instructions = program_.instructions();
    const int first = program_.first_instruction(), count = static_cast<int>(instructions.size());
    std::vector<bool> early(count);
    for (int k = count - 1; k >= 0; --k) {
      if (!early[k] && !is_call(instructions[k].operation)) continue;
      early[k] = true;
      for (const int o : {instructions[k].a, instructions[k].b, instructions[k].c})
        if (o >= first) early[o - first] = true;
    }
    order_.reserve(count);
    for (const bool which : {true, false})
      for (int k = 0; k < count; ++k)
        if (early[k] == which) order_.push_back(k);
  }
  /// The instruction at a position in that order; all positions below are meant so.
  const Program::Instruction& at(int position) const {
    return program_.instructions()[order_[position]];
  }

  void list_uses() {
    use_start_.assign(program_.value_count() + 1, 0);
    const auto each = [&](auto&& use) {
      for (int t = 0; t < static_cast<int>(order_.size()); ++t) {
        if (partner_[t] == served) continue;
        const auto& [operation, a, b, c] = at(t);
        use(a, t);
        if (b >= 0 && b != a) use(b, t);
        if (c >= 0 && c != a && c != b) use(c, t);
      }
    };
    each([&](int v, int) { ++use_start_[v + 1]; });
    for (std::size_t v = 1; v < use_start_.size(); ++v) use_start_[v] += use_start_[v - 1];
    uses_.resize(use_start_.back());
    next_.assign(use_start_.begin(), use_start_.end() - 1);
    each([&](int v, int t) { uses_[next_[v]++] = t; });
    next_.assign(use_start_.begin(), use_start_.end() - 1);
  }
  /// The last one counts where two results have the same place.
  void list_results() {
    const auto key = [](const Program::Result& r) {
      return static_cast<std::uint64_t>(r.array) << 32 | static_cast<std::uint32_t>(r.index);
    };
    std::unordered_map<std::uint64_t, int> last;
    for (const auto& r : program_.results()) last[key(r)] = r.value;
    result_start_.assign(program_.value_count() + 1, 0);
    for (const auto& [k, v] : last) ++result_start_[v + 1];
    for (std::size_t v = 1; v < result_start_.size(); ++v) result_start_[v] += result_start_[v - 1];
    results_.resize(last.size());
    std::vector<int> next(result_start_.begin(), result_start_.end() - 1);
    for (const auto& r : program_.results()) {
      const auto at = last.find(key(r));
      if (at == last.end() || at->second != r.value) continue;
      results_[next[r.value]++] = {r.array == 0 ? Place::a : Place::b, r.index};
      last.erase(at);
    }
  }
  /// sin and cos of the same value: one call gives both, with the same bits in glibc.
  void find_pairs() {
    partner_.assign(order_.size(), -1);
    std::unordered_map<int, int> open;
    for (int t = 0; t < static_cast<int>(order_.size()); ++t) {
      const auto& i = at(t);
      if (i.operation != Operation::sin && i.operation != Operation::cos) continue;
      const auto [other, fresh] = open.try_emplace(i.a, t);
      if (fresh || at(other->second).operation == i.operation) continue;
      partner_[other->second] = t;
      partner_[t] = served;
      open.erase(other);
    }
  }

  int next_use(int v) const { return next_[v] < use_start_[v + 1] ? uses_[next_[v]] : never; }
  int use_after_now(int v) const {
    int k = next_[v];
    while (k < use_start_[v + 1] && uses_[k] <= now_) ++k;
    return k < use_start_[v + 1] ? uses_[k] : never;
  }
  bool in_register(int v) const { return register_of_[v] >= 0; }

  void emit(const Step& step) { out_.steps.push_back(step); }
  void put(int v, int r) {
    register_of_[v] = static_cast<std::int8_t>(r);
    value_in_[r] = v;
  }
  void drop(int v) {
    if (!in_register(v)) return;
    value_in_[register_of_[v]] = -1;
    register_of_[v] = -1;
  }

  int new_slot(int v) {
    int s = out_.slots;
    if (free_slots_.empty()) {
      ++out_.slots;
      owner_.push_back(v);
    } else {
      s = free_slots_.back();
      free_slots_.pop_back();
      owner_[s] = v;
    }
    home_[v] = {Place::slot, s};
    return s;
  }
  const Place& home(int v) const {
    const Place& place = home_[v];
    if (place.array == Place::none || (place.array == Place::slot && owner_[place.index] != v))
      throw std::logic_error("native code: value " + std::to_string(v) + " was lost");
    return place;
  }
  void save(int v) {
    if (home_[v].array != Place::none) return;
    new_slot(v);
    emit({.kind = Step::store, .first = register_of_[v], .place = home_[v]});
  }

  bool is_protected(int r) const { return (protected_ >> r & 1) != 0; }
  void protect(int v) {
    if (in_register(v)) protected_ |= 1U << register_of_[v];
  }
  /// The register to give up: that of the value needed last, where one that is in memory anyway
  /// counts as needed later. -1 if all are protected.
  int victim() const {
    int best = -1;
    std::int64_t furthest = -1;
    for (int r = 0; r < registers_; ++r) {
      if (is_protected(r)) continue;
      const int v = value_in_[r];
      const int next = use_after_now(v);
      std::int64_t distance = next == never ? never : next - now_;
      if (home_[v].array != Place::none) distance *= 2;
      if (distance > furthest) furthest = distance, best = r;
    }
    return best;
  }
  int free_register() const {
    for (int r = 0; r < registers_; ++r)
      if (value_in_[r] < 0 && !is_protected(r)) return r;
    return -1;
  }
  int take_register() {
    int r = free_register();
    if (r >= 0) return r;
    r = victim();
    const int v = value_in_[r];
    if (use_after_now(v) != never) save(v);
    drop(v);
    return r;
  }
  /// Whether v, not in a register now, should get one: it is used again, sooner than another.
  bool worth_loading(int v) const {
    const int again = use_after_now(v);
    if (again == never) return false;
    if (free_register() >= 0) return true;
    const int r = victim();
    return r >= 0 && again < use_after_now(value_in_[r]);
  }
  void ensure(int v) {
    if (!in_register(v)) {
      const Place from = home(v);
      const int r = take_register();
      emit({.kind = Step::load, .target = static_cast<std::int8_t>(r), .place = from});
      put(v, r);
    }
    protect(v);
  }

  /// The operand has been read by the instruction at now_.
  void used(int v) {
    while (next_[v] < use_start_[v + 1] && uses_[next_[v]] <= now_) ++next_[v];
    if (next_use(v) != never) return;
    drop(v);
    // The instruction is not emitted yet, and a store before it may want a slot.
    if (home_[v].array == Place::slot) leaving_.push_back(v);
  }
  void release_slots() {
    for (const int v : leaving_) {
      if (home_[v].array != Place::slot) continue;
      free_slots_.push_back(home_[v].index);
      owner_[home_[v].index] = -1;
      home_[v] = {};
    }
    leaving_.clear();
    protected_ = 0;
  }
  void used_all(const Program::Instruction& i) {
    used(i.a);
    if (i.b >= 0) used(i.b);
    if (i.c >= 0) used(i.c);
  }
  /// v has been computed: to where the caller wants it, and forgotten if that was all.
  void finish(int v) {
    for (int k = result_start_[v]; k < result_start_[v + 1]; ++k) {
      if (!in_register(v)) ensure(v);
      emit({.kind = Step::store, .first = register_of_[v], .place = results_[k]});
      if (home_[v].array == Place::none) home_[v] = results_[k];
    }
    protected_ = 0;
    if (next_use(v) == never) {
      drop(v);
      if (home_[v].array == Place::slot) leaving_.push_back(v), release_slots();
    }
  }

  void unary(const Program::Instruction& i, int v) {
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

  void sign(const Program::Instruction& i, int v) {
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

  void binary(const Program::Instruction& i, int v) {
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

  void fused(const Program::Instruction& i, int v) {
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
      role = static_cast<int>(std::find(operands.begin(), operands.end(), in_memory) -
                              operands.begin());
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
  void emit_fused(Operation operation, std::array<std::int8_t, 3> at, int role, std::int8_t target,
                  const Place& place) {
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

  void call(const Program::Instruction& i, int v) {
    out_.calls = true;
    const int partner = partner_[now_];
    for (int r = 0; r < registers_; ++r) {
      const int w = value_in_[r];
      if (w < 0) continue;
      const bool is_argument = w == i.a || w == i.b;
      if (use_after_now(w) != never || (is_argument && calls_in_memory_)) save(w);
    }
    if (calls_in_memory_)
      call_with_places(i, v, partner);
    else
      call_with_registers(i, v, partner);
  }
  void forget_registers() {
    for (int r = 0; r < registers_; ++r)
      if (value_in_[r] >= 0) drop(value_in_[r]);
  }
  void pair(Step step, const Program::Instruction& i, int v, int partner) {
    const int w = program_.first_instruction() + order_[partner];
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
  void call_with_places(const Program::Instruction& i, int v, int partner) {
    Step step{.kind = Step::call, .operation = i.operation, .place = home(i.a)};
    if (i.b >= 0) step.other = home(i.b);
    if (partner >= 0) return pair(step, i, v, partner);
    new_slot(v);
    step.result = home_[v];
    emit(step);
    forget_registers();
    used_all(i);
  }
  void argument(int v, std::int8_t from, std::int8_t target) {
    if (from < 0)
      emit({.kind = Step::load, .target = target, .place = home(v)});
    else if (from != target)
      emit({.kind = Step::move, .target = target, .first = from});
  }
  void call_with_registers(const Program::Instruction& i, int v, int partner) {
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

  const Program& program_;
  const bool calls_in_memory_;
  const int registers_;
  Allocation out_;
  std::vector<int> order_;
  int now_ = -1;                              ///< position
  std::vector<int> use_start_, uses_, next_;  ///< where each value is used, and which use is next
  std::vector<int> result_start_;
  std::vector<Place> results_;
  /// Of sin and cos: the later instruction that the same call serves, which is marked so itself.
  std::vector<int> partner_;
  static constexpr int served = -2;
  std::vector<std::int8_t> register_of_;
  std::array<int, most_registers> value_in_{};
  unsigned protected_ = 0;
  std::vector<Place> home_;  ///< where in memory a value is, or none
  std::vector<int> owner_, free_slots_, leaving_;
};

}  // namespace

Allocation allocate(const Program& program, bool calls_in_memory, int registers) {
  return Allocator(program, calls_in_memory, registers).run();
}

}  // namespace rattleback::detail
