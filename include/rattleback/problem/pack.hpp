// SIMD packs: several independent copies of a system in one value.
//
// A few vectors, each of a register, with member-wise copies: 64 bytes with AVX-512, else 32. Eight
// pendulums in one 64-byte register take 6.1 ns a step each, in two of 32 bytes 5.3 ns, sixteen in
// two of 64 bytes 3.5 ns, in four of 32 bytes 3.7 ns. libstdc++'s fixed_size_simd was measured
// first: its copies are done in 16-byte pieces, and the 32-byte loads that follow stall (pendulum
// step 11 to 20 ns a copy against 5 ns). Its elementary functions are used here.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <experimental/simd>
#include <utility>
#ifdef __AVX__
#include <immintrin.h>
#endif

#include "rattleback/problem/scalar.hpp"

namespace rattleback {

namespace detail {

/// Vectors that fill a register, and whether all lanes of a comparison hold.
template <int lanes>
struct Register;
template <>
struct Register<4> {
  typedef double Values RATTLEBACK_VECTOR(32);
  typedef std::int64_t Bits RATTLEBACK_VECTOR(32);
  RATTLEBACK_INLINE static bool every(const Bits& b) {
#ifdef __AVX__
    return __builtin_ia32_movmskpd256(Values(b)) == 15;
#else
    return (b[0] & b[1] & b[2] & b[3]) != 0;
#endif
  }
  /// a > b ? a : b
  RATTLEBACK_INLINE static Values larger(const Values& a, const Values& b) {
#ifdef __AVX__
    return _mm256_max_pd(a, b);
#else
    return a > b ? a : b;
#endif
  }
};
#ifdef __AVX512DQ__
template <>
struct Register<8> {
  typedef double Values RATTLEBACK_VECTOR(64);
  typedef std::int64_t Bits RATTLEBACK_VECTOR(64);
  RATTLEBACK_INLINE static bool every(const Bits& b) {
    return static_cast<unsigned char>(__builtin_ia32_cvtq2mask512((__v8di)b)) == 255;
  }
  /// Of comparison and choice the compiler makes five instructions.
  RATTLEBACK_INLINE static Values larger(const Values& a, const Values& b) {
    return _mm512_max_pd(a, b);
  }
};
inline constexpr int widest_register = 8;
#else
inline constexpr int widest_register = 4;
#endif

}  // namespace detail

/// W lanes, a multiple of four.
template <int W>
class BasicPack {
  static_assert(W > 0 && W % 4 == 0);
  static constexpr int width = W % detail::widest_register == 0 ? detail::widest_register : 4;
  static constexpr int parts = W / width;
  using Register = detail::Register<width>;

 public:
  static constexpr int lanes = W;
  using Part = typename Register::Values;
  using Bits = typename Register::Bits;

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
      return Register::every(b);
    }
    RATTLEBACK_INLINE friend bool any_of(const Mask& m) {
      Bits b = m.part[0];
      for (int i = 1; i < parts; ++i) b |= m.part[i];
      return !Register::every(~b);
    }
  };
  using mask_type = Mask;

  RATTLEBACK_INLINE BasicPack() : BasicPack(0.0) {}
  // NOLINTNEXTLINE: constants mix freely with packs
  RATTLEBACK_INLINE BasicPack(double x)
      : BasicPack(each<BasicPack>([&](int) RATTLEBACK_INLINE_LAMBDA { return spread(x); })) {}
  RATTLEBACK_INLINE BasicPack(const BasicPack& o)
      : BasicPack(o, std::make_index_sequence<parts>{}) {}
  RATTLEBACK_INLINE BasicPack& operator=(const BasicPack& o) {  // vector moves, never a block copy
    for_parts([&](int i) RATTLEBACK_INLINE_LAMBDA { part[i] = o.part[i]; });
    return *this;
  }

  double operator[](int lane) const { return part[lane / width][lane % width]; }
  /// Sets one lane.
  void set(int lane, double x) { part[lane / width][lane % width] = x; }

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
    return each<BasicPack>(
        [&](int i) RATTLEBACK_INLINE_LAMBDA { return Register::larger(a.part[i], b.part[i]); });
  }
  RATTLEBACK_INLINE friend BasicPack abs(const BasicPack& a) {
    return each<BasicPack>([&](int i) RATTLEBACK_INLINE_LAMBDA {
      return Part(Bits(a.part[i]) & std::numeric_limits<std::int64_t>::max());
    });
  }
  RATTLEBACK_INLINE friend double hmin(const BasicPack& a) {
    Part m = a.part[0];
    for (int i = 1; i < parts; ++i) m = a.part[i] < m ? a.part[i] : m;
    double least = m[0];
    for (int i = 1; i < width; ++i) least = std::min(least, m[i]);
    return least;
  }
  RATTLEBACK_INLINE friend double hmax(const BasicPack& a) {
    Part m = a.part[0];
    for (int i = 1; i < parts; ++i) m = a.part[i] > m ? a.part[i] : m;
    double most = m[0];
    for (int i = 1; i < width; ++i) most = std::max(most, m[i]);
    return most;
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
    using Native = std::experimental::fixed_size_simd<double, width>;
    return each<BasicPack>([&](int i) RATTLEBACK_INLINE_LAMBDA {
      const Native y = f(Native([&](int lane) { return part[i][lane]; }));
      Part result;
      for (int lane = 0; lane < width; ++lane) result[lane] = y[lane];
      return result;
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
  RATTLEBACK_INLINE static Part spread(double x) { return x - Part{}; }  // -0 too
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
