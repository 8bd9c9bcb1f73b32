#include "native_schedule.hpp"

#include <cstdint>
#include <unordered_map>

namespace rattleback::detail {

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

Schedule::Schedule(const Program& program) : program_(program) {
  order_instructions();
  find_pairs();
  list_uses();
  list_results();
}

/// Calls, and what goes into them, come first: libm reads the control register, which waits for
/// all arithmetic before it, so arithmetic that a call does not need would only delay it.
void Schedule::order_instructions() {
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

/// sin and cos of the same value: one call gives both, with the same bits in glibc.
void Schedule::find_pairs() {
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

void Schedule::list_uses() {
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
void Schedule::list_results() {
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

}  // namespace rattleback::detail
