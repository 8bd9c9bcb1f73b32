// Which value is in which register or slot: next-use eviction.
#include <stdexcept>
#include <string>

#include "native_allocator.hpp"

namespace rattleback::detail {

void Allocator::put(int v, int r) {
  register_of_[v] = static_cast<std::int8_t>(r);
  value_in_[r] = v;
}

void Allocator::drop(int v) {
  if (!in_register(v)) return;
  value_in_[register_of_[v]] = -1;
  register_of_[v] = -1;
}

int Allocator::new_slot(int v) {
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

const Place& Allocator::home(int v) const {
  const Place& place = home_[v];
  if (place.array == Place::none || (place.array == Place::slot && owner_[place.index] != v))
    throw std::logic_error("native code: value " + std::to_string(v) + " was lost");
  return place;
}

void Allocator::save(int v) {
  if (home_[v].array != Place::none) return;
  new_slot(v);
  emit({.kind = Step::store, .first = register_of_[v], .place = home_[v]});
}

void Allocator::protect(int v) {
  if (in_register(v)) protected_ |= 1U << register_of_[v];
}

int Allocator::victim() const {
  int best = -1;
  std::int64_t furthest = -1;
  for (int r = 0; r < registers_; ++r) {
    if (is_protected(r)) continue;
    const int v = value_in_[r];
    const int next = use_after_now(v);
    std::int64_t distance = next == Schedule::never ? Schedule::never : next - now_;
    if (home_[v].array != Place::none) distance *= 2;
    if (distance > furthest) furthest = distance, best = r;
  }
  return best;
}

int Allocator::free_register() const {
  for (int r = 0; r < registers_; ++r)
    if (value_in_[r] < 0 && !is_protected(r)) return r;
  return -1;
}

int Allocator::take_register() {
  int r = free_register();
  if (r >= 0) return r;
  r = victim();
  const int v = value_in_[r];
  if (use_after_now(v) != Schedule::never) save(v);
  drop(v);
  return r;
}

bool Allocator::worth_loading(int v) const {
  const int again = use_after_now(v);
  if (again == Schedule::never) return false;
  if (free_register() >= 0) return true;
  const int r = victim();
  return r >= 0 && again < use_after_now(value_in_[r]);
}

void Allocator::ensure(int v) {
  if (!in_register(v)) {
    const Place from = home(v);
    const int r = take_register();
    emit({.kind = Step::load, .target = static_cast<std::int8_t>(r), .place = from});
    put(v, r);
  }
  protect(v);
}

void Allocator::used(int v) {
  if (schedule_.pass(v, now_)) return;
  drop(v);
  // The instruction is not emitted yet, and a store before it may want a slot.
  if (home_[v].array == Place::slot) leaving_.push_back(v);
}

void Allocator::release_slots() {
  for (const int v : leaving_) {
    if (home_[v].array != Place::slot) continue;
    free_slots_.push_back(home_[v].index);
    owner_[home_[v].index] = -1;
    home_[v] = {};
  }
  leaving_.clear();
  protected_ = 0;
}

void Allocator::finish(int v) {
  for (const Place& result : schedule_.results(v)) {
    if (!in_register(v)) ensure(v);
    emit({.kind = Step::store, .first = register_of_[v], .place = result});
    if (home_[v].array == Place::none) home_[v] = result;
  }
  protected_ = 0;
  if (!schedule_.is_used(v)) {
    drop(v);
    if (home_[v].array == Place::slot) leaving_.push_back(v), release_slots();
  }
}

}  // namespace rattleback::detail
