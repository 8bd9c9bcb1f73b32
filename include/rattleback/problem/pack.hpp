// SIMD packs: several independent copies of a system in one value.
//
// A few 32-byte vectors with member-wise copies. libstdc++'s fixed_size_simd was measured first:
// its copies are done in 16-byte pieces, and the 32-byte loads that follow stall (pendulum step 11
// to 20 ns a copy against 5 ns). Its elementary functions are used here.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <experimental/simd>
#include <utility>

#include "rattleback/problem/scalar.hpp"

namespace rattleback {

/// W lanes, a multiple of four.
template <int W>
class BasicPack {
  static_assert(W > 0 && W % 4 == 0);
  static constexpr int parts = W / 4;

 public:
  static constexpr int lanes = W;
  typedef double Part RATTLEBACK_VECTOR(32);
  typedef std::int64_t Bits RATTLEBACK_VECTOR(32);

  /// One truth value a lane.
  struct Mask {
    Bits part[parts];
    RATTLEBACK_INLINE friend Mask operator&(const Mask& a, const Mask& b) {
      return each<Mask>([&](int i) RATTLEBACK_INLINE_LAMBDA { return a.part[i] & b.part[i]; });
    }
    RATTLEBACK_INLINE friend Mask operator|(const Mask& a, const Mask& b) {
      return each<Mask>([&](int i) RATTLEBACK_INLINE_LAMBDA { return a.part[i] | b.part[i]; });
    }
    RATTLEBACK_INLINE friend Mask operator!(const Mask& a) {
      return each<Mask>([&](int i) RATTLEBACK_INLINE_LAMBDA { return ~a.part[i]; });
    }
    RATTLEBACK_INLINE friend bool all_of(const Mask& m) {
      Bits b = m.part[0];
      for (int i = 1; i < parts; ++i) b &= m.part[i];
      return every(b);
    }
    RATTLEBACK_INLINE friend bool any_of(const Mask& m) {
      Bits b = m.part[0];
      for (int i = 1; i < parts; ++i) b |= m.part[i];
      return !every(~b);
    }

   private:
    static bool every(const Bits& b) {
#ifdef __AVX__
      return __builtin_ia32_movmskpd256(Part(b)) == 15;
#else
      return (b[0] & b[1] & b[2] & b[3]) != 0;
#endif
    }
  };
  using mask_type = Mask;

  RATTLEBACK_INLINE BasicPack() : BasicPack(0.0) {}
  // NOLINTNEXTLINE: constants mix freely with packs
  RATTLEBACK_INLINE BasicPack(double x)
      : BasicPack(each<BasicPack>([&](int) RATTLEBACK_INLINE_LAMBDA {
          return Part{x, x, x, x};
        })) {}
  RATTLEBACK_INLINE BasicPack(const BasicPack& o)
      : BasicPack(o, std::make_index_sequence<parts>{}) {}
  RATTLEBACK_INLINE BasicPack& operator=(const BasicPack& o) {  // vector moves, never a block copy
    for_parts([&](int i) RATTLEBACK_INLINE_LAMBDA { part[i] = o.part[i]; });
    return *this;
  }

  double operator[](int lane) const { return part[lane / 4][lane % 4]; }
  /// Sets one lane.
  void set(int lane, double x) { part[lane / 4][lane % 4] = x; }

  RATTLEBACK_INLINE BasicPack operator-() const {
    return each<BasicPack>([&](int i) RATTLEBACK_INLINE_LAMBDA { return -part[i]; });
  }
  BasicPack operator+() const { return *this; }
#define RATTLEBACK_PACK_OPERATOR(op)                                                               \
  RATTLEBACK_INLINE BasicPack& operator op##=(const BasicPack& o) {                                \
    for_parts([&](int i) RATTLEBACK_INLINE_LAMBDA { part[i] op## = o.part[i]; });                  \
    return *this;                                                                                  \
  }                                                                                                \
  RATTLEBACK_INLINE friend BasicPack operator op(const BasicPack& a, const BasicPack& b) {         \
    return each<BasicPack>([&](int i)                                                              \
                               RATTLEBACK_INLINE_LAMBDA { return Part(a.part[i] op b.part[i]); }); \
  }
  RATTLEBACK_PACK_OPERATOR(+)
  RATTLEBACK_PACK_OPERATOR(-)
  RATTLEBACK_PACK_OPERATOR(*)
  RATTLEBACK_PACK_OPERATOR(/)
#undef RATTLEBACK_PACK_OPERATOR

#define RATTLEBACK_PACK_COMPARISON(op)                                                        \
  RATTLEBACK_INLINE friend Mask operator op(const BasicPack& a, const BasicPack& b) {         \
    return each<Mask>([&](int i)                                                              \
                          RATTLEBACK_INLINE_LAMBDA { return Bits(a.part[i] op b.part[i]); }); \
  }
  RATTLEBACK_PACK_COMPARISON(<)
  RATTLEBACK_PACK_COMPARISON(<=)
  RATTLEBACK_PACK_COMPARISON(>)
  RATTLEBACK_PACK_COMPARISON(>=)
  RATTLEBACK_PACK_COMPARISON(==)
  RATTLEBACK_PACK_COMPARISON(!=)
#undef RATTLEBACK_PACK_COMPARISON

  /// Lane by lane: mask ? a : b.
  RATTLEBACK_INLINE friend BasicPack select(const Mask& m, const BasicPack& a, const BasicPack& b) {
    return each<BasicPack>(
        [&](int i) RATTLEBACK_INLINE_LAMBDA { return Part(m.part[i] ? a.part[i] : b.part[i]); });
  }
  RATTLEBACK_INLINE friend BasicPack min(const BasicPack& a, const BasicPack& b) {
    return select(a < b, a, b);
  }
  RATTLEBACK_INLINE friend BasicPack max(const BasicPack& a, const BasicPack& b) {
    return select(a > b, a, b);
  }
  RATTLEBACK_INLINE friend BasicPack abs(const BasicPack& a) {
    const Bits sign = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN};
    return each<BasicPack>([&](int i)
                               RATTLEBACK_INLINE_LAMBDA { return Part(Bits(a.part[i]) & ~sign); });
  }
  RATTLEBACK_INLINE friend double hmin(const BasicPack& a) {
    Part m = a.part[0];
    for (int i = 1; i < parts; ++i) m = a.part[i] < m ? a.part[i] : m;
    return std::min(std::min(m[0], m[1]), std::min(m[2], m[3]));
  }
  RATTLEBACK_INLINE friend double hmax(const BasicPack& a) {
    Part m = a.part[0];
    for (int i = 1; i < parts; ++i) m = a.part[i] > m ? a.part[i] : m;
    return std::max(std::max(m[0], m[1]), std::max(m[2], m[3]));
  }

  /// where(mask, x) = y and where(mask, x) += y change the lanes that are set.
  struct Where {
    const Mask& mask;
    BasicPack& target;
    void operator=(const BasicPack& y) && { target = select(mask, y, target); }
    void operator+=(const BasicPack& y) && { target = select(mask, target + y, target); }
  };
  RATTLEBACK_INLINE friend Where where(const Mask& m, BasicPack& x) { return {m, x}; }

  /// f of every lane, through libstdc++'s vectorised functions.
  template <class F>
  BasicPack map(F f) const {
    using Native = std::experimental::fixed_size_simd<double, 4>;
    return each<BasicPack>([&](int i) RATTLEBACK_INLINE_LAMBDA {
      const Native y = f(Native([&](int lane) { return part[i][lane]; }));
      return Part{y[0], y[1], y[2], y[3]};
    });
  }

  /// A pack or mask R from f(part).
  template <class R, class F>
  RATTLEBACK_INLINE static R each(F&& f) {
    if constexpr (std::is_same_v<R, BasicPack>) {
      return [&]<std::size_t... I>(std::index_sequence<I...>) RATTLEBACK_INLINE_LAMBDA {
        return BasicPack(Pieces{}, f(I)...);
      }(std::make_index_sequence<parts>{});
    } else {
      return [&]<std::size_t... I>(std::index_sequence<I...>) RATTLEBACK_INLINE_LAMBDA {
        return R{{f(I)...}};
      }(std::make_index_sequence<parts>{});
    }
  }

  Part part[parts];

 private:
  struct Pieces {};
  template <std::size_t... I>
  RATTLEBACK_INLINE BasicPack(const BasicPack& o, std::index_sequence<I...>) : part{o.part[I]...} {}
  template <class F>
  RATTLEBACK_INLINE static void for_parts(F&& f) {
    [&]<std::size_t... I>(std::index_sequence<I...>)
        RATTLEBACK_INLINE_LAMBDA { (f(I), ...); }(std::make_index_sequence<parts>{});
  }
  template <class... P>
  RATTLEBACK_INLINE BasicPack(Pieces, const P&... p) : part{p...} {}
};

#define RATTLEBACK_PACK_FUNCTION(name)                                      \
  template <int W>                                                          \
  BasicPack<W> name(const BasicPack<W>& x) {                                \
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

template <int W>
BasicPack<W> atan2(const BasicPack<W>& y, const BasicPack<W>& x) {
  BasicPack<W> r;
  for (int i = 0; i < W; ++i) r.set(i, std::atan2(y[i], x[i]));
  return r;
}
template <int W>
BasicPack<W> pow(const BasicPack<W>& x, double n) {
  BasicPack<W> r;
  for (int i = 0; i < W; ++i) r.set(i, std::pow(x[i], n));
  return r;
}

template <int W>
struct ScalarTraits<BasicPack<W>> {
  using P = BasicPack<W>;
  using Base = P;
  using Real = double;
  static constexpr double epsilon = std::numeric_limits<double>::epsilon();
  static constexpr int lanes = W;
  static constexpr bool is_dual = false;
  static double magnitude(const P& x) {
    // A lane that is not a number makes the whole pack not a number.
    if (any_of(x != x)) return std::numeric_limits<double>::quiet_NaN();
    return hmax(abs(x));
  }
  static bool within(const P& x, double bound) { return all_of(abs(x) <= P(bound)); }
  static bool beyond(const P& x, double bound) { return all_of(abs(x) > P(bound)); }
  static double smallest(const P& x) { return hmin(x); }
  static P base(const P& x) { return x; }
};

}  // namespace rattleback

namespace Eigen {

template <int W>
struct NumTraits<rattleback::BasicPack<W>>
    : rattleback::detail::RealNumTraits<rattleback::BasicPack<W>, double> {};
template <int W, class BinaryOp>
struct ScalarBinaryOpTraits<rattleback::BasicPack<W>, double, BinaryOp> {
  using ReturnType = rattleback::BasicPack<W>;
};
template <int W, class BinaryOp>
struct ScalarBinaryOpTraits<double, rattleback::BasicPack<W>, BinaryOp> {
  using ReturnType = rattleback::BasicPack<W>;
};

}  // namespace Eigen
