// The largest of many values, by absolute value: a comparison each, and what is not finite shows in
// the end. Of packs by lanes.
#pragma once

#include <type_traits>

#include "rattleback/problem/scalar.hpp"

namespace rattleback {

template <class S>
class Largest {
  static constexpr bool packed = ScalarTraits<S>::lanes > 1;

 public:
  using Size = std::conditional_t<packed, S, double>;

  RATTLEBACK_INLINE void add(const S& x) {
    if constexpr (packed) {
      const S size = abs(x);
      most_ = max(size, most_), sum_ += size;
    } else {
      most_ = larger(most_, magnitude(x));
    }
  }
  /// Not a number where a value was not finite.
  Size size() const {
    if constexpr (packed)
      return most_ + (sum_ - sum_);
    else
      return most_;
  }
  double value() const { return magnitude(size()); }

 private:
  Size most_{0.0}, sum_{0.0};
};

}  // namespace rattleback
