// The field from held values is the field, wherever these come from.
#include "rattleback/expression/scaled_field.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "rattleback/expression/recorder.hpp"
#include "rattleback/problem/pack.hpp"
#include "rattleback/problem/witness.hpp"

namespace rattleback {
namespace {

using Lanes = BasicPack<LaneProgram::lanes>;

/// A field at points around a start, each in a lane, and further away by `apart`.
struct Points {
  std::shared_ptr<const ScaledField> field;
  int n;
  std::vector<Lanes> x, y, a, b;  ///< (q, c^2, held; p) and (q', held; p')

  template <class State>
  Points(std::shared_ptr<const ScaledField> f, const State& z, double apart)
      : field(std::move(f)),
        n(field->dimension),
        x(n + 1 + field->held),
        y(n),
        a(n + field->held),
        b(n) {
    x[n] = Lanes(0.3);
    for (int i = 0; i < n; ++i)
      for (int lane = 0; lane < LaneProgram::lanes; ++lane) {
        x[i].set(lane, z.q[i] + 0.05 * std::sin(3 * i + lane) + apart * std::cos(i + lane));
        y[i].set(lane, z.p[i] + 0.3 * std::cos(2 * i + lane) + apart * std::sin(i - lane));
      }
  }
  void hold() { field->holding(x.data(), y.data(), a.data(), b.data()); }
  void take_held_of(const Points& other) {
    for (int k = 0; k < field->held; ++k) x[n + 1 + k] = other.a[n + k];
  }
  void refine() {
    field->refined(x.data(), y.data(), a.data(), b.data());
    for (int k = 0; k < field->following; ++k) x[n + 1 + k] = a[n + k];
  }
  /// From the plain field, over the largest of it.
  double error() const {
    std::vector<Lanes> first(n + 1), second(n);
    field->field(x.data(), y.data(), first.data(), second.data());
    double size = 0, most = 0;
    const auto compare = [&](const Lanes& of, const Lanes& with) {
      for (int lane = 0; lane < LaneProgram::lanes; ++lane) {
        size = std::max(size, std::abs(with[lane]));
        most = std::max(most, std::abs(of[lane] - with[lane]));
      }
    };
    for (int i = 0; i <= n; ++i) compare(a[i], first[i]);
    for (int i = 0; i < n; ++i) compare(b[i], second[i]);
    return most / size;
  }
};

template <class F>
void for_each_field(F&& f) {
  int count = 0;
  const auto test = [&](const char* name, const auto& system, const auto& z) {
    const CanonicalSystem c = canonical(record(system, name));
    if (!c.traits.natural || !c.traits.holonomic) return;
    SCOPED_TRACE(name);
    const auto field = scaled_field(c);
    ASSERT_TRUE(field);
    ASSERT_GT(field->held, 0);
    f(field, z);
    ++count;
  };
  witness::for_each([&](const char* name, const auto& system, const auto& start) {
    test(name, system, start.template in<double>());
  });
  test("chain of 6", witness::chain<3>(6), witness::chain_start<double, 3>(6));
  EXPECT_GT(count, 5);
}

TEST(ScaledField, HoldingIsTheField) {
  for_each_field([](const auto& field, const auto& z) {
    Points here(field, z, 0);
    here.hold();
    EXPECT_LT(here.error(), 1e-15);
  });
}

// Newton's method squares what is away; K, where it is held, multiplies it. Measured: 4.5e-5 at
// most, and after nine times 6e-16.
TEST(ScaledField, FromHeldValuesItIsNearAndComesNearer) {
  for_each_field([](const auto& field, const auto& z) {
    constexpr double apart = 1e-3;
    Points away(field, z, apart), here(field, z, 0);
    away.hold();
    here.take_held_of(away);
    here.refine();
    EXPECT_LT(here.error(), 100 * apart * apart);
    for (int k = 0; k < 8; ++k) here.refine();
    EXPECT_LT(here.error(), 2e-15);
  });
}

}  // namespace
}  // namespace rattleback
