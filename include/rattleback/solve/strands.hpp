// Symmetric tridiagonal matrices in lanes. A chain of n rows is cut into eight strands of equal
// length, one in every lane of a pack: row i is place i % length of strand i / length. So
// neighbours stand in neighbouring packs, and eight eliminations go on at once. Other scalars than
// double have one strand.
//
// The last row of each strand, its knot, is eliminated last:
//   A_l x + a_l x_knot(l-1) + b_l x_knot(l) = rhs     in strand l, A_l tridiagonal
// With spikes alpha = A^-1 a and beta = A^-1 b what is left is a tridiagonal matrix of the eight
// knots in one pack, which three levels of cyclic reduction solve.
#pragma once

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>
#include <vector>

#include "rattleback/problem/pack.hpp"
#include "rattleback/solve/factor_report.hpp"

namespace rattleback {

template <class S>
struct Strands {
  static constexpr int count = std::is_same_v<S, double> ? 8 : 1;
  /// One entry of every strand.
  using Row = std::conditional_t<std::is_same_v<S, double>, BasicPack<8>, S>;
  using Rows = std::vector<Row>;

  /// So that there is a row before each knot.
  static int length_for(int n) { return std::max(2, (n + count - 1) / count); }

  RATTLEBACK_INLINE static S get(const Row& x, int strand) {
    if constexpr (count == 1)
      return x;
    else
      return x[strand];
  }
  RATTLEBACK_INLINE static void set(Row& x, int strand, const S& value) {
    if constexpr (count == 1)
      x = value;
    else
      x.set(strand, value);
  }
  /// In strand l the entry of strand l - by; zero in the first ones.
  template <int by = 1>
  RATTLEBACK_INLINE static Row from_before(const Row& x) {
    return shifted<-by>(x);
  }
  /// In strand l the entry of strand l + by; zero in the last ones.
  template <int by = 1>
  RATTLEBACK_INLINE static Row from_after(const Row& x) {
    return shifted<by>(x);
  }

 private:
  template <int by>
  RATTLEBACK_INLINE static Row shifted(const Row& x) {
    if constexpr (count == 1) {
      return Row(Real<S>(0));
    } else {
      using Part = typename Row::Part;
      constexpr int lanes = sizeof(Part) / sizeof(double);
      return Row::template each<Row>([&](int i) RATTLEBACK_INLINE_LAMBDA {
        const Part before = i > 0 ? x.part[i - 1] : Part{};
        const Part after = i + 1 < count / lanes ? x.part[i + 1] : Part{};
        return [&]<int... lane>(std::integer_sequence<int, lane...>) RATTLEBACK_INLINE_LAMBDA {
          if constexpr (by < 0)
            return Part(__builtin_shufflevector(before, x.part[i], (lanes + lane + by)...));
          else
            return Part(__builtin_shufflevector(x.part[i], after, (lane + by)...));
        }(std::make_integer_sequence<int, lanes>{});
      });
    }
  }
};

/// LDL^T of a symmetric positive definite tridiagonal matrix in strands.
template <class S>
class StrandLdlt {
 public:
  using Of = Strands<S>;
  using Row = typename Of::Row;

  explicit StrandLdlt(int n)
      : n_(n),
        length_(Of::length_for(n)),
        inverse_(length_),
        below_(length_),
        alpha_(length_),
        beta_(length_) {}

  int length() const { return length_; }

  /// diagonal(r), one beyond the end of the chain, and below(r), which couples row r to the one
  /// before it: zero there and in the first row. Not ok where the matrix is not positive definite.
  template <class Diagonal, class Below>
  RATTLEBACK_INLINE FactorReport factor(Diagonal&& diagonal, Below&& below) {
    const int last = length_ - 1;
    const Row one(Real<S>(1));
    Monitor monitor;
    Row* __restrict low = below_.data();
    Row* __restrict inverse = inverse_.data();
    const auto keep = [&](int r, const Row& entry, const Row& pivot) RATTLEBACK_INLINE_LAMBDA {
      const Row x = one / pivot;
      monitor.add(base(entry), base(x));
      return inverse[r] = x;
    };
    const Row top = diagonal(0);
    Row before = keep(0, top, top);
    for (int r = 1; r < last; ++r) {
      const Row entry = diagonal(r), coupling = below(r), l = coupling * before;
      low[r] = l;
      before = keep(r, entry, entry - l * coupling);
    }
    spikes(below(0), below(last));
    factor_knots(diagonal(last), monitor);
    FactorReport report = monitor.report(n_, [](double) { return 0; });
    report.ok = report.ok && report.negative == 0;
    return report;
  }
  /// Calls use(r, x_r) where A x = right, for the last row and then from the first on; in `room` is
  /// x on its way.
  template <class Right, class Use>
  RATTLEBACK_INLINE void solve(Row* __restrict room, Right&& right, Use&& use) const {
    const int last = length_ - 1;
    const Row* __restrict low = below_.data();
    const Row* __restrict inverse = inverse_.data();
    const Row* __restrict alpha = alpha_.data();
    const Row* __restrict beta = beta_.data();
    Row before = right(0);
    room[0] = before;
    for (int r = 1; r < last; ++r) room[r] = before = right(r) - low[r] * before;
    const Row at_knots = right(last);
    Row after = before * inverse[last - 1];
    room[last - 1] = after;
    const Row to = at_knots - to_knot_ * after;
    for (int r = last - 2; r >= 0; --r) room[r] = after = room[r] * inverse[r] - low[r + 1] * after;
    const Row knots = solve_knots(to - Of::from_after(from_knot_ * after));
    const Row before_knots = Of::from_before(knots);
    use(last, knots);
    for (int r = 0; r < last; ++r) use(r, room[r] - alpha[r] * before_knots - beta[r] * knots);
  }

 private:
  using Monitor = detail::PivotMonitor<Base<Row>>;

  RATTLEBACK_INLINE void spikes(const Row& first, const Row& last_below) {
    const int last = length_ - 1;
    from_knot_ = first, to_knot_ = last_below;
    alpha_[0] = from_knot_;
    for (int r = 1; r < last; ++r) alpha_[r] = -(below_[r] * alpha_[r - 1]);
    alpha_[last - 1] *= inverse_[last - 1];
    beta_[last - 1] = to_knot_ * inverse_[last - 1];
    for (int r = last - 2; r >= 0; --r) {
      alpha_[r] = alpha_[r] * inverse_[r] - below_[r + 1] * alpha_[r + 1];
      beta_[r] = -(below_[r + 1] * beta_[r + 1]);
    }
  }
  /// The matrix of the knots, by cyclic reduction: in each level every knot is freed of those
  /// `apart` before and after it.
  RATTLEBACK_INLINE void factor_knots(const Row& diagonal, Monitor& monitor) {
    const int last = length_ - 1;
    own_ = diagonal - to_knot_ * beta_[last - 1] - Of::from_after(from_knot_ * alpha_[0]);
    inverse_own_ = Row(Real<S>(1)) / own_;
    monitor.add(base(diagonal), base(inverse_own_));
    if constexpr (Of::count > 1) {
      static_assert(Of::count == 8);
      const Row before = -(to_knot_ * alpha_[last - 1]);
      coupling_[0] = {before, Of::from_after(before)};
      reduce<1>(diagonal, monitor), reduce<2>(diagonal, monitor), reduce<4>(diagonal, monitor);
    }
  }
  struct Coupling {
    Row before, after;
  };
  template <int apart>
  RATTLEBACK_INLINE void reduce(const Row& diagonal, Monitor& monitor) {
    constexpr int level = apart / 2;
    const Coupling c = coupling_[level];
    const Row before = -(c.before * Of::template from_before<apart>(inverse_own_));
    const Row after = -(c.after * Of::template from_after<apart>(inverse_own_));
    own_ += before * Of::template from_before<apart>(c.after) +
            after * Of::template from_after<apart>(c.before);
    inverse_own_ = Row(Real<S>(1)) / own_;
    monitor.add(base(diagonal), base(inverse_own_));
    if constexpr (apart < 4)
      coupling_[level + 1] = {before * Of::template from_before<apart>(c.before),
                              after * Of::template from_after<apart>(c.after)};
    coupling_[level] = {before, after};
  }
  RATTLEBACK_INLINE Row solve_knots(Row b) const {
    if constexpr (Of::count > 1) b = freed<4>(freed<2>(freed<1>(b)));
    return b * inverse_own_;
  }
  template <int apart>
  RATTLEBACK_INLINE Row freed(const Row& b) const {
    const Coupling& c = coupling_[apart / 2];
    return b + c.before * Of::template from_before<apart>(b) +
           c.after * Of::template from_after<apart>(b);
  }

  int n_, length_;
  std::vector<Row> inverse_, below_, alpha_, beta_;
  Row to_knot_, from_knot_;             // what couples a knot to the row before it, and after it
  Row own_, inverse_own_;               // of the knots
  std::array<Coupling, 3> coupling_{};  // of the levels, times what frees a knot of its neighbours
};

}  // namespace rattleback
