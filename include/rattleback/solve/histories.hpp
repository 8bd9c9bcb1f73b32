// What each substep of a composition remembers for its first guess: substeps have steps of their
// own, so that only the same substep of earlier steps tells what comes.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace rattleback {

/// History has reset(), and is swapped without copies.
template <class History>
class Histories {
 public:
  /// `now` becomes the history of substep k; what it was is kept. Allocates the first time only.
  void select(std::size_t k, History& now) {
    if (k == selected_) return;
    while (kept_.size() <= k || kept_.size() <= selected_) {
      kept_.push_back(now);
      kept_.back().reset();
    }
    std::swap(now, kept_[selected_]);
    std::swap(now, kept_[k]);
    selected_ = k;
  }
  /// Of all but the one in use.
  void reset() {
    for (History& history : kept_) history.reset();
  }

 private:
  std::vector<History> kept_;
  std::size_t selected_ = 0;
};

}  // namespace rattleback
