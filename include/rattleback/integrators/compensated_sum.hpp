// A sum that keeps what rounding drops.
#pragma once

namespace rattleback {

template <class S>
class CompensatedSum {
 public:
  void add(const S& more, S& sum) {
    const S rest = more + lost_, before = sum;
    sum = before + rest;
    lost_ = rest - (sum - before);
  }
  void reset() { lost_ = S(0); }

 private:
  S lost_ = S(0);
};

}  // namespace rattleback
