// Families of outputs run as loops, and give what straight-line code gives.
#include "rattleback/expression/families.hpp"

#include <gtest/gtest.h>

#include <random>

#include "rattleback/expression/compiled_function.hpp"
#include "rattleback/expression/derivative.hpp"
#include "rattleback/problem/dual.hpp"
#include "rattleback/problem/error.hpp"
#include "rattleback/problem/pack.hpp"

namespace rattleback {
namespace {

/// A chain of `rows` links x[k], y[k] with its slopes, nonzeros of a kind side by side.
struct Chain {
  explicit Chain(int rows, bool with_calls = false, double square = 1) : n(rows) {
    for (int i = 0; i < n; ++i) {
      const auto step = [&](int first) {
        const Expression own = graph.input(first + i);
        return i == 0 ? own : graph.subtract(own, graph.input(first + i - 1));
      };
      const Expression dx = step(0), dy = step(n);
      Expression g = graph.add(graph.multiply(dx, dx), graph.multiply(dy, dy));
      if (with_calls) g = graph.add(g, graph.apply(Operation::sin, dx));
      links.push_back(graph.subtract(g, graph.constant(square)));
    }
    const SparseExpressions slopes = jacobian(graph, links, 0, 2 * n);
    for (int i = 0; i < n; ++i) {
      outputs.push_back({0, i, links[i]});
      for (int k = slopes.start[i]; k < slopes.start[i + 1]; ++k) {
        const int slot = k - slopes.start[i];
        outputs.push_back({1, i == 0 ? slot : 2 + slot * (n - 1) + i - 1, slopes.value[k]});
      }
    }
  }
  int n;
  Graph graph;
  std::vector<Expression> links;
  std::vector<Program::Output> outputs;
};

TEST(Families, links_of_a_chain_are_one) {
  const Chain chain(20);
  const auto families = find_families(chain.graph, 40, chain.outputs);
  ASSERT_EQ(families.shifted.size(), 1u);
  EXPECT_EQ(families.shifted[0].rows, 19);
  EXPECT_EQ(families.shifted[0].outputs.size(), 5u);  // a link and its four slopes
  EXPECT_EQ(families.rest.size(), 3u);                // the first link has two
  EXPECT_TRUE(families.gathered.empty());
}

TEST(Families, another_constant_or_another_input_ends_one) {
  Chain chain(20);
  Graph& g = chain.graph;
  chain.outputs.clear();
  for (int i = 0; i < 20; ++i)
    chain.outputs.push_back({0, i,
                             i == 10 ? g.multiply(g.constant(3), g.input(i))
                                     : g.multiply(g.constant(2), g.input(i == 15 ? 0 : i))});
  const auto families = find_families(g, 40, chain.outputs);
  ASSERT_EQ(families.shifted.size(), 1u);
  EXPECT_EQ(families.shifted[0].rows, 10);
  EXPECT_EQ(families.rest.size(), 10u);
}

TEST(Families, give_what_straight_code_gives) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> some(-1, 1);
  for (const bool with_calls : {false, true})
    for (const int n : {2, 8, 9, 10, 11, 12, 13, 50, 101}) {
      const Chain chain(n, with_calls);
      const CompiledFunction looped(chain.graph, 2 * n, chain.outputs);
      const Program straight(chain.graph, 2 * n, chain.outputs);
      std::vector<double> x(2 * n), g(n), slopes(4 * n - 2), g0(n), slopes0(4 * n - 2);
      for (double& v : x) v = some(random);
      looped(x.data(), x.data(), g.data(), slopes.data());
      straight.run(x.data(), x.data(), g0.data(), slopes0.data());
      for (int i = 0; i < n; ++i) EXPECT_NEAR(g[i], g0[i], 4e-16) << n << " row " << i;
      for (int i = 0; i < 4 * n - 2; ++i)
        EXPECT_NEAR(slopes[i], slopes0[i], 4e-16) << n << ' ' << i;
    }
}

/// A deep expression in every output, in which both orders of operands are possible everywhere: the
/// search must not try all of them.
TEST(Families, deep_rows_are_given_up_quickly) {
  Graph g;
  std::vector<Program::Output> outputs;
  Expression pivot = g.input(0);
  for (int i = 0; i < 3000; ++i) {
    pivot = g.subtract(g.input(i), g.multiply(g.input(3000 + i), g.divide(g.constant(1), pivot)));
    outputs.push_back({0, i, g.add(g.multiply(pivot, pivot), pivot)});
  }
  const auto families = find_families(g, 6000, outputs);
  EXPECT_TRUE(families.shifted.empty());
  EXPECT_TRUE(families.gathered.empty());
}

/// Links of a tree, with lengths of their own where they differ: link i joins bodies i and i/2.
/// Every other one is written the other way round.
struct Tree {
  explicit Tree(int bodies, bool with_calls = false, double spread = 0.1) : n(bodies) {
    for (int i = 1; i < n; ++i) {
      const auto along = [&](int first) {
        return graph.subtract(graph.input(first + i), graph.input(first + i / 2));
      };
      const Expression dx = along(0), dy = along(n);
      const Expression a = graph.multiply(dx, dx), b = graph.multiply(dy, dy);
      Expression g = i % 2 == 0 ? graph.add(a, b) : graph.add(b, a);
      if (with_calls) g = graph.add(g, graph.apply(Operation::sin, dx));
      links.push_back(graph.subtract(g, graph.constant(1.37 + spread * i)));
    }
    const SparseExpressions slopes = jacobian(graph, links, 0, 2 * n);
    for (int i = 0; i + 1 < n; ++i) {
      outputs.push_back({0, i, links[i]});
      for (int k = slopes.start[i]; k < slopes.start[i + 1]; ++k)
        outputs.push_back({1, k, slopes.value[k]});
    }
    count = static_cast<int>(slopes.value.size());
  }
  int n, count;
  Graph graph;
  std::vector<Expression> links;
  std::vector<Program::Output> outputs;
};

TEST(Families, links_of_a_tree_are_a_few) {
  for (const bool with_calls : {false, true}) {
    const Tree tree(500, with_calls);
    const auto families = find_families(tree.graph, 1000, tree.outputs);
    EXPECT_LE(families.gathered.size(), 6u);
    EXPECT_LE(families.rest.size(), 10u);  // the first links, of bodies 0 and 1
    std::size_t outputs = families.rest.size();
    for (const GatheredFamily& f : families.gathered) {
      EXPECT_EQ(f.input.size(), f.from.size() * f.rows);
      outputs += f.to.size() * f.rows;
    }
    EXPECT_EQ(outputs, tree.outputs.size());
  }
}

TEST(Families, of_few_rows_stay_straight) {
  const Tree tree(50);
  EXPECT_TRUE(find_families(tree.graph, 100, tree.outputs).gathered.empty());
}

template <class S>
void expect_straight_values(const Tree& tree, double tolerance) {
  const CompiledFunction looped(tree.graph, 2 * tree.n, tree.outputs);
  const Program straight(tree.graph, 2 * tree.n, tree.outputs);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> some(-1, 1);
  std::vector<S> x(2 * tree.n), g(tree.n), slopes(tree.count), g0(tree.n), slopes0(tree.count);
  for (S& v : x) v = S(some(random));
  looped(x.data(), x.data(), g.data(), slopes.data());
  straight.run(x.data(), x.data(), g0.data(), slopes0.data());
  for (int i = 0; i + 1 < tree.n; ++i)
    EXPECT_LT(magnitude(S(g[i] - g0[i])), tolerance * (2 + 0.1 * tree.n)) << tree.n << " row " << i;
  for (int k = 0; k < tree.count; ++k)
    EXPECT_LT(magnitude(S(slopes[k] - slopes0[k])), tolerance) << tree.n << ' ' << k;
}

TEST(Families, of_a_tree_give_what_straight_code_gives) {
  for (const bool with_calls : {false, true})
    for (const double spread : {0.0, 0.1})
      for (const int n : {2, 70, 97, 129, 160, 161, 500}) {
        expect_straight_values<double>(Tree(n, with_calls, spread), 8e-16);
        expect_straight_values<Dual<double, 4>>(Tree(n, with_calls, spread), 8e-16);
        expect_straight_values<Pack>(Tree(n, with_calls, spread), 8e-16);
      }
}

/// Rows that follow each other, are evenly spaced, near each other and far from each other, to read
/// from and to write to.
TEST(Families, of_rows_anywhere_give_what_straight_code_gives) {
  constexpr int rows = 100, wide = 110'000;  // more than 16 bits tell
  const auto place = [](int kind, int r) {
    const int mixed = r * 37 % rows;  // of 37 and 100 every number once
    return 1000 * kind + (kind == 0   ? r
                          : kind == 1 ? 3 * (rows - r)
                          : kind == 2 ? mixed
                                      : 1000 * mixed);
  };
  for (int to = 0; to < 4; ++to) {
    Graph graph;
    std::vector<Program::Output> outputs;
    for (int r = 0; r < rows; ++r) {
      Expression sum = graph.constant(0);
      for (int from = 0; from < 4; ++from)
        sum = graph.add(graph.multiply(sum, graph.input(place(from, r))),
                        graph.input(wide + place(from, r)));
      outputs.push_back({0, place(to, r), sum});
    }
    const auto families = find_families(graph, wide, outputs);
    ASSERT_EQ(families.gathered.size(), 1u);
    const BlockPlaces places(families.gathered[0]);
    const std::size_t kind_of_block = 4 * GatheredFamily::block;  // x and y, and what is written
    EXPECT_EQ(places.near.size(), kind_of_block * (to == 2 ? 3 : 2));
    EXPECT_EQ(places.far.size(), kind_of_block * (to == 3 ? 3 : 2));
    std::vector<double> x(wide), y(wide), a(wide, -7), b(1), a0(wide, -7);
    for (int i = 0; i < wide; ++i) x[i] = std::sin(i), y[i] = std::cos(2.0 * i);
    CompiledFunction(graph, wide, outputs)(x.data(), y.data(), a.data(), b.data());
    Program(graph, wide, outputs).run(x.data(), y.data(), a0.data(), b.data());
    EXPECT_EQ(a, a0) << to;
  }
}

/// Trees with lengths of their own in the lanes of a pack are the trees one by one, to the bit.
TEST(Families, of_a_tree_run_in_packs) {
  constexpr int n = 150, lanes = CompiledFunction::lanes_of_a_pack;
  for (const bool with_calls : {false, true}) {
    std::vector<CompiledFunction> members;
    std::vector<const CompiledFunction*> pointers;
    for (int lane = 0; lane < lanes; ++lane) {
      const Tree tree(n, with_calls, 0.1 + lane);
      members.emplace_back(tree.graph, 2 * n, tree.outputs);
    }
    for (const CompiledFunction& f : members) pointers.push_back(&f);
    const CompiledFunction packed = CompiledFunction::packed(pointers);
    EXPECT_EQ(packed.is_native(), NativeCode::available());
    std::mt19937 random(1);
    Vector<Pack, dynamic> x(2 * n), a(n), b(4 * n);
    for (Pack& value : x)
      for (int lane = 0; lane < lanes; ++lane)
        value.set(lane, std::uniform_real_distribution<double>(-1, 1)(random));
    packed(x.data(), x.data(), a.data(), b.data());
    for (int lane = 0; lane < lanes; ++lane) {
      Vector<double, dynamic> point(2 * n), g(n), slopes(4 * n);
      for (int i = 0; i < 2 * n; ++i) point[i] = x[i][lane];
      members[lane](point.data(), point.data(), g.data(), slopes.data());
      for (int i = 0; i + 1 < n; ++i) EXPECT_EQ(a[i][lane], g[i]) << i;
      for (int i = 0; i < 4 * (n - 2); ++i) EXPECT_EQ(b[i][lane], slopes[i]) << i;
    }
  }
}

/// Chains of different lengths in the lanes of a pack, in native code and in byte code, are the
/// chains one by one, to the bit.
TEST(Families, run_in_packs) {
  constexpr int n = 21, lanes = CompiledFunction::lanes_of_a_pack;
  for (const bool with_calls : {false, true}) {
    std::vector<CompiledFunction> members;
    std::vector<const CompiledFunction*> pointers;
    for (int lane = 0; lane < lanes; ++lane) {
      const Chain chain(n, with_calls, 1.1 + lane);
      members.emplace_back(chain.graph, 2 * n, chain.outputs);
    }
    for (const CompiledFunction& f : members) pointers.push_back(&f);
    const CompiledFunction packed = CompiledFunction::packed(pointers);
    EXPECT_EQ(packed.is_native(), NativeCode::available());

    std::mt19937 random(1);
    Vector<Pack, dynamic> x(2 * n), a(n), b(4 * n), same_a(n), same_b(4 * n);
    for (Pack& value : x)
      for (int lane = 0; lane < lanes; ++lane)
        value.set(lane, std::uniform_real_distribution<double>(-1, 1)(random));
    packed(x.data(), x.data(), a.data(), b.data());
    members[0](x.data(), x.data(), same_a.data(), same_b.data());  // all like the first
    for (int lane = 0; lane < lanes; ++lane) {
      Vector<double, dynamic> point(2 * n), g(n), slopes(4 * n);
      for (int i = 0; i < 2 * n; ++i) point[i] = x[i][lane];
      members[lane](point.data(), point.data(), g.data(), slopes.data());
      for (int i = 0; i < n; ++i) EXPECT_EQ(a[i][lane], g[i]) << i;
      for (int i = 0; i < 4 * n - 2; ++i) EXPECT_EQ(b[i][lane], slopes[i]) << i;
      members[0](point.data(), point.data(), g.data(), slopes.data());
      for (int i = 0; i < n; ++i) EXPECT_EQ(same_a[i][lane], g[i]) << i;
    }
  }
}

TEST(Families, only_one_shape_is_packed) {
  const Chain longer(22), plain(21), other(21, true);
  std::vector<CompiledFunction> members;
  for (const Chain* chain : {&plain, &other, &longer})
    members.emplace_back(chain->graph, 2 * chain->n, chain->outputs);
  EXPECT_TRUE(members[0].has_shape_of(members[0]));
  EXPECT_FALSE(members[0].has_shape_of(members[1]));
  EXPECT_FALSE(members[0].has_shape_of(members[2]));
  std::vector<const CompiledFunction*> lanes(CompiledFunction::lanes_of_a_pack, &members[0]);
  lanes[5] = &members[1];
  EXPECT_THROW(CompiledFunction::packed(lanes), InputError);

  // Exponents are part of the shape: they decide what a power of a negative number is.
  const auto power = [](double exponent) {
    Graph g;
    const Program::Output output{0, 0, g.power(g.input(0), g.constant(exponent))};
    return Program(g, 1, std::span(&output, 1));
  };
  EXPECT_TRUE(power(2.3).has_shape_of(power(2.3)));
  EXPECT_FALSE(power(2.3).has_shape_of(power(2.4)));
}

}  // namespace
}  // namespace rattleback
