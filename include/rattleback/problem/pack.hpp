// SIMD packs: eight independent copies of a system in one value.
//
// Two 32-byte vectors with member-wise copies. libstdc++'s fixed_size_simd was measured first: its
// copies are done in 16-byte pieces, and the 32-byte loads that follow stall (pendulum step 11 to
// 20 ns a copy against 5 ns). Its elementary functions are used here.
#pragma once

#include <cmath>
#include <cstdint>
#include <experimental/simd>

#include "rattleback/problem/scalar.hpp"

namespace rattleback {

class Pack {
 public:
  static constexpr int lanes = 8;
  typedef double Half __attribute__((vector_size(32)));
  typedef std::int64_t Bits __attribute__((vector_size(32)));

  /// One truth value a lane.
  struct Mask {
    Bits low, high;
    friend Mask operator&(const Mask& a, const Mask& b) { return {a.low & b.low, a.high & b.high}; }
    friend Mask operator|(const Mask& a, const Mask& b) { return {a.low | b.low, a.high | b.high}; }
    friend Mask operator!(const Mask& a) { return {~a.low, ~a.high}; }
    friend bool all_of(const Mask& m) { return every(m.low & m.high); }
    friend bool any_of(const Mask& m) { return !every(~(m.low | m.high)); }

   private:
    static bool every(const Bits& b) {
#ifdef __AVX__
      return __builtin_ia32_movmskpd256(Half(b)) == 15;
#else
      return (b[0] & b[1] & b[2] & b[3]) != 0;
#endif
    }
  };
  using mask_type = Mask;

  Pack() : low_{}, high_{} {}
  Pack(double x) : low_{x, x, x, x}, high_(low_) {}  // NOLINT: constants mix freely with packs
  Pack(const Half& low, const Half& high) : low_(low), high_(high) {}
  Pack(const Pack& o) : low_(o.low_), high_(o.high_) {}  // two vector moves, never a block copy
  Pack& operator=(const Pack& o) {
    low_ = o.low_;
    high_ = o.high_;
    return *this;
  }

  double operator[](int lane) const { return lane < 4 ? low_[lane] : high_[lane - 4]; }
  /// Sets one lane.
  void set(int lane, double x) {
    if (lane < 4)
      low_[lane] = x;
    else
      high_[lane - 4] = x;
  }

  Pack operator-() const { return {-low_, -high_}; }
  Pack operator+() const { return *this; }
  Pack& operator+=(const Pack& o) { return low_ += o.low_, high_ += o.high_, *this; }
  Pack& operator-=(const Pack& o) { return low_ -= o.low_, high_ -= o.high_, *this; }
  Pack& operator*=(const Pack& o) { return low_ *= o.low_, high_ *= o.high_, *this; }
  Pack& operator/=(const Pack& o) { return low_ /= o.low_, high_ /= o.high_, *this; }
  friend Pack operator+(const Pack& a, const Pack& b) {
    return {a.low_ + b.low_, a.high_ + b.high_};
  }
  friend Pack operator-(const Pack& a, const Pack& b) {
    return {a.low_ - b.low_, a.high_ - b.high_};
  }
  friend Pack operator*(const Pack& a, const Pack& b) {
    return {a.low_ * b.low_, a.high_ * b.high_};
  }
  friend Pack operator/(const Pack& a, const Pack& b) {
    return {a.low_ / b.low_, a.high_ / b.high_};
  }

  friend Mask operator<(const Pack& a, const Pack& b) {
    return {a.low_ < b.low_, a.high_ < b.high_};
  }
  friend Mask operator<=(const Pack& a, const Pack& b) {
    return {a.low_ <= b.low_, a.high_ <= b.high_};
  }
  friend Mask operator>(const Pack& a, const Pack& b) { return b < a; }
  friend Mask operator>=(const Pack& a, const Pack& b) { return b <= a; }
  friend Mask operator==(const Pack& a, const Pack& b) {
    return {a.low_ == b.low_, a.high_ == b.high_};
  }
  friend Mask operator!=(const Pack& a, const Pack& b) {
    return {a.low_ != b.low_, a.high_ != b.high_};
  }
  /// Lane by lane: mask ? a : b.
  friend Pack select(const Mask& m, const Pack& a, const Pack& b) {
    return {m.low ? a.low_ : b.low_, m.high ? a.high_ : b.high_};
  }
  friend Pack min(const Pack& a, const Pack& b) { return select(a < b, a, b); }
  friend Pack max(const Pack& a, const Pack& b) { return select(a > b, a, b); }
  friend Pack abs(const Pack& a) {
    const Bits sign = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN};
    return {Half(Bits(a.low_) & ~sign), Half(Bits(a.high_) & ~sign)};
  }
  friend double hmin(const Pack& a) {
    const Half m = a.low_ < a.high_ ? a.low_ : a.high_;
    return std::min(std::min(m[0], m[1]), std::min(m[2], m[3]));
  }
  friend double hmax(const Pack& a) {
    const Half m = a.low_ > a.high_ ? a.low_ : a.high_;
    return std::max(std::max(m[0], m[1]), std::max(m[2], m[3]));
  }

  /// where(mask, x) = y and where(mask, x) += y change the lanes that are set.
  struct Where {
    const Mask& mask;
    Pack& target;
    void operator=(const Pack& y) && { target = select(mask, y, target); }
    void operator+=(const Pack& y) && { target = select(mask, target + y, target); }
  };
  friend Where where(const Mask& m, Pack& x) { return {m, x}; }

  /// f of every lane, through libstdc++'s vectorised functions.
  template <class F>
  Pack map(F f) const {
    using Native = std::experimental::fixed_size_simd<double, 4>;
    auto half = [&](const Half& h) {
      const Native y = f(Native([&](int i) { return h[i]; }));
      return Half{y[0], y[1], y[2], y[3]};
    };
    return {half(low_), half(high_)};
  }

 private:
  Half low_, high_;
};

#define RATTLEBACK_PACK_FUNCTION(name)                                      \
  inline Pack name(const Pack& x) {                                         \
    return x.map([](const auto& v) { return std::experimental::name(v); }); \
  }
RATTLEBACK_PACK_FUNCTION(sqrt)
RATTLEBACK_PACK_FUNCTION(exp)
RATTLEBACK_PACK_FUNCTION(log)
RATTLEBACK_PACK_FUNCTION(sin)
RATTLEBACK_PACK_FUNCTION(cos)
RATTLEBACK_PACK_FUNCTION(tan)
RATTLEBACK_PACK_FUNCTION(asin)
RATTLEBACK_PACK_FUNCTION(acos)
RATTLEBACK_PACK_FUNCTION(atan)
RATTLEBACK_PACK_FUNCTION(sinh)
RATTLEBACK_PACK_FUNCTION(cosh)
RATTLEBACK_PACK_FUNCTION(tanh)
#undef RATTLEBACK_PACK_FUNCTION

inline Pack atan2(const Pack& y, const Pack& x) {
  Pack r;
  for (int i = 0; i < Pack::lanes; ++i) r.set(i, std::atan2(y[i], x[i]));
  return r;
}
inline Pack pow(const Pack& x, double n) {
  Pack r;
  for (int i = 0; i < Pack::lanes; ++i) r.set(i, std::pow(x[i], n));
  return r;
}

template <>
struct ScalarTraits<Pack> {
  using Base = Pack;
  using Real = double;
  static constexpr double epsilon = std::numeric_limits<double>::epsilon();
  static constexpr int lanes = Pack::lanes;
  static constexpr bool is_dual = false;
  static double magnitude(const Pack& x) {
    // A lane that is not a number makes the whole pack not a number.
    if (any_of(x != x)) return std::numeric_limits<double>::quiet_NaN();
    return hmax(abs(x));
  }
  static bool within(const Pack& x, double bound) { return all_of(abs(x) <= Pack(bound)); }
  static bool beyond(const Pack& x, double bound) { return all_of(abs(x) > Pack(bound)); }
  static double smallest(const Pack& x) { return hmin(x); }
  static Pack base(const Pack& x) { return x; }
};

}  // namespace rattleback

namespace Eigen {

template <>
struct NumTraits<rattleback::Pack> : GenericNumTraits<double> {
  using Real = rattleback::Pack;
  using NonInteger = Real;
  using Nested = Real;
  using Literal = Real;
  enum { IsComplex = 0, IsInteger = 0, IsSigned = 1, RequireInitialization = 1 };
};
template <class BinaryOp>
struct ScalarBinaryOpTraits<rattleback::Pack, double, BinaryOp> {
  using ReturnType = rattleback::Pack;
};
template <class BinaryOp>
struct ScalarBinaryOpTraits<double, rattleback::Pack, BinaryOp> {
  using ReturnType = rattleback::Pack;
};

}  // namespace Eigen
