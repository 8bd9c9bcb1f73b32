// Gauss-Legendre stages with a sparse matrix: the matrix is that of the equations, the steps are
// those of full matrices, and the work is linear in the size.
#include "rattleback/integrators/sparse_driven.hpp"

#include <gtest/gtest.h>

#include "rattleback/expression/expression_system.hpp"
#include "rattleback/geometry/consistent.hpp"
#include "rattleback/integrators/gauss.hpp"
#include "rattleback/integrators/registry.hpp"
#include "rattleback/testing/trial.hpp"
#include "rattleback/testing/witness_systems.hpp"
#include "rattleback/text/model.hpp"

namespace rattleback::driven {
namespace {

using Edges = std::vector<std::pair<int, int>>;  // -1: the origin

struct Example {
  std::string name;
  SystemDescription description;
  State<double> start;
};

/// Points in a plane, joined by rods as long as they are at the start, in a field that is not
/// linear; with `magnetic`, p_x -> p_x + 0.3 y.
Example rods(const std::string& name, const std::vector<std::pair<double, double>>& places,
             const Edges& edges, bool magnetic = false) {
  const int count = static_cast<int>(places.size());
  Example e{name, {}, {Vector<double, dynamic>(2 * count), Vector<double, dynamic>(2 * count)}};
  SystemDescription& d = e.description;
  d.name = name;
  d.form = SystemDescription::Form::hamiltonian;
  Graph& g = *d.graph;
  const auto square = [&](Expression x) { return g.multiply(x, x); };
  for (int i = 0; i < count; ++i) {
    d.coordinates.push_back("x" + std::to_string(i));
    d.coordinates.push_back("y" + std::to_string(i));
  }
  Expression h = g.constant(0);
  for (int i = 0; i < count; ++i) {
    Expression p_x = d.p(2 * i);
    if (magnetic) p_x = g.add(p_x, g.multiply(g.constant(0.3), d.q(2 * i + 1)));
    h = g.add(
        h, g.multiply(g.constant(0.5 + 0.1 * (i % 3)), g.add(square(p_x), square(d.p(2 * i + 1)))));
    h = g.add(
        h, g.add(d.q(2 * i + 1), g.multiply(g.constant(0.2), g.apply(Operation::sin, d.q(2 * i)))));
    e.start.q[2 * i] = places[i].first, e.start.q[2 * i + 1] = places[i].second;
    e.start.p[2 * i] = 0.3 * std::cos(i), e.start.p[2 * i + 1] = 0.2 * std::sin(3 * i);
  }
  d.hamiltonian = h;
  for (const auto& [a, b] : edges) {
    Expression length2 = g.constant(0);
    double now = 0;
    for (int k = 0; k < 2; ++k) {
      const Expression at = d.q(2 * b + k);
      length2 = g.add(length2, square(a < 0 ? at : g.subtract(at, d.q(2 * a + k))));
      now += std::pow(e.start.q[2 * b + k] - (a < 0 ? 0 : e.start.q[2 * a + k]), 2);
    }
    d.constraints.push_back(g.multiply(g.constant(0.5), g.subtract(length2, g.constant(now))));
    d.constraint_labels.push_back("rod " + std::to_string(b));
  }
  return e;
}
Example chain(int n, bool magnetic = false) {
  std::vector<std::pair<double, double>> places;
  Edges edges;
  for (int i = 0; i < n; ++i) {
    places.emplace_back(0.7 * (i + 1), -0.6 * (i + 1) + 0.1 * (i % 2));
    edges.emplace_back(i - 1, i);
  }
  return rods("chain", places, edges, magnetic);
}
Example tree(int n) {
  std::vector<std::pair<double, double>> places;
  Edges edges;
  for (int i = 0; i < n; ++i) {
    const int parent = (i + 1) / 2 - 1;
    places.emplace_back(i + 0.3, -std::log2(i + 1.) - 1 + 0.2 * std::sin(i));
    edges.emplace_back(parent, i);
  }
  return rods("tree", places, edges);
}
Example ring(int n) {
  std::vector<std::pair<double, double>> places;
  Edges edges;
  for (int i = 0; i < n; ++i) {
    places.emplace_back(2 * std::cos(6.28 * i / n), 1.5 * std::sin(6.28 * i / n));
    edges.emplace_back(i == 0 ? n - 1 : i - 1, i);
  }
  return rods("ring", places, edges);
}
/// Oscillators that turn each other, with p_i or a distance on a curve.
Example oscillators(int n, bool mixed) {
  Example e{
      mixed ? "mixed" : "holonomic", {}, {Vector<double, dynamic>(n), Vector<double, dynamic>(n)}};
  SystemDescription& d = e.description;
  d.name = e.name;
  d.form = SystemDescription::Form::hamiltonian;
  Graph& g = *d.graph;
  const auto number = [&](double x) { return g.constant(x); };
  const auto square = [&](Expression x) { return g.multiply(x, x); };
  for (int i = 0; i < n; ++i) {
    d.coordinates.push_back("x" + std::to_string(i));
    e.start.q[i] = std::cos(i), e.start.p[i] = std::cos(i) * std::cos(i) / 2;
  }
  Expression h = number(0);
  for (int i = 0; i < n; ++i) {
    h = g.add(h, g.multiply(square(d.p(i)),
                            g.add(number(0.5), g.multiply(number(0.05), square(d.q(i))))));
    h = g.add(h, square(d.q(i)));
    if (i == 0) continue;
    h = g.add(h, g.multiply(number(0.1), square(square(g.subtract(d.q(i), d.q(i - 1))))));
    h = g.add(h, g.multiply(number(0.1), g.multiply(d.q(i - 1), d.p(i))));
  }
  d.hamiltonian = h;
  for (int i = 3; i < n; i += 4) {
    d.constraints.push_back(mixed
                                ? g.subtract(d.p(i), g.multiply(number(0.5), square(d.q(i))))
                                : g.subtract(g.add(square(d.q(i)), square(d.q(i - 1))), number(1)));
    d.constraint_labels.push_back("g" + std::to_string(i));
    if (!mixed) e.start.q[i] = std::sin(i - 1);
  }
  return e;
}
std::vector<Example> examples() {
  return {chain(5), chain(4, true), tree(7), ring(6), oscillators(8, false), oscillators(8, true)};
}

constexpr Formulation formulations[] = {Formulation::index2, Formulation::index3,
                                        Formulation::index2_momentum, Formulation::unconstrained};
bool fits(Formulation form, const AnySystem& system) {
  return system.traits().holonomic || form == Formulation::index2 ||
         form == Formulation::unconstrained;
}

/// The stage equations from their field alone, in quad precision.
class Equations {
 public:
  using Values = Vector<Quad, dynamic>;
  Equations(const AnySystem& system, Formulation form, int stages, Quad h)
      : h(h),
        kappa(form == Formulation::index3 ? h : Quad(1)),
        tableau(gauss_tableau<Quad>(stages)),
        system_(system),
        n_(system.dimension()),
        field_(system, form, tableau, {}),
        slopes_(stages, Values(2 * n_)) {}

  Quad h, kappa;
  Tableau<Quad> tableau;
  int multipliers() const { return field_.multipliers(); }
  int unknowns() const { return tableau.stages() * width(); }
  /// (Q, P) of stage j.
  Values point(const State<double>& z, const Values& x, int j) const {
    Values at(2 * n_);
    for (int i = 0; i < n_; ++i) {
      at[i] = Quad(z.q[i]) + x[j * width() + i];
      at[n_ + i] = Quad(z.p[i]) + x[j * width() + n_ + i] / kappa;
    }
    return at;
  }
  const Quad* multipliers_of(const Values& x, int j) const {
    return x.data() + j * width() + 2 * n_;
  }
  Values operator()(const State<double>& z, const Values& x) {
    Values r(unknowns());
    for (int j = 0; j < tableau.stages(); ++j)
      EXPECT_TRUE(field_.evaluate(system_, h, kappa, point(z, x, j), multipliers_of(x, j),
                                  slopes_[j], r.data() + j * width() + 2 * n_));
    for (int i = 0; i < tableau.stages(); ++i)
      for (int c = 0; c < 2 * n_; ++c) {
        Quad sum = x[i * width() + c];
        for (int j = 0; j < tableau.stages(); ++j)
          sum -= tableau.a(i, j) * (c < n_ ? slopes_[j][n_ + c] : Quad(-slopes_[j][c - n_]));
        r[i * width() + c] = sum;
      }
    return r;
  }

 private:
  int width() const { return 2 * n_ + field_.multipliers(); }
  const AnySystem& system_;
  int n_;
  SparseDriven<Quad> field_;
  std::vector<Values> slopes_;
};

/// |M^-1 F'(x) d - d| for some x and d, F' d by differences.
double defect_of_matrix(const AnySystem& system, Formulation form, const State<double>& z,
                        int stages) {
  using Values = Vector<Quad, dynamic>;
  Equations f(system, form, stages, Quad(0.3));
  const auto energy = sparse_derivatives(system);
  const auto drive = driven_derivatives(system, form);
  StageBlocks<Quad> blocks(*energy, *drive, stages);
  Values x(f.unknowns()), d(f.unknowns());
  for (int i = 0; i < f.unknowns(); ++i) x[i] = 0.1 * std::sin(7 * i + 1), d[i] = std::cos(5 * i);
  const Quad eps = 1e-13;
  Values r = (f(z, x + eps * d) - f(z, x - eps * d)) / (2 * eps);
  const int n = system.dimension();
  for (int j = 0; j < stages; ++j) {
    const Values at = f.point(z, x, j);
    Values p_and_l(n + f.multipliers());
    for (int i = 0; i < n; ++i) p_and_l[i] = at[n + i];
    for (int k = 0; k < f.multipliers(); ++k) p_and_l[n + k] = f.multipliers_of(x, j)[k];
    auto& v = blocks.values(j);
    energy->hessian(at.data(), p_and_l.data(), v.energy.data(), v.energy.data());
    drive->slopes(at.data(), p_and_l.data(), v.drive.data(), v.kept.data());
  }
  blocks.assemble(f.tableau, f.h, f.kappa, form == Formulation::unconstrained ? f.h : Quad(1));
  EXPECT_TRUE(blocks.lu().factor().ok);
  Values ordered(r.size()), room(blocks.lu().widest());
  blocks.gather(r, ordered);
  blocks.lu().solve(ordered.data(), room.data());
  blocks.subtract(ordered, d);
  return largest_magnitude(d);
}

// Products of constants are rounded to doubles: measured up to 7e-17, whatever the difference.
TEST(SparseDriven, has_the_matrix_of_its_equations) {
  for (const Example& e : examples()) {
    const AnySystem system = expression_system(e.description);
    for (const Formulation form : formulations)
      for (int s = 1; s <= 3; ++s)
        if (fits(form, system)) {
          EXPECT_LE(defect_of_matrix(system, form, e.start, s), 1e-15)
              << e.name << ' ' << int(form) << ' ' << s;
        }
  }
}

/// The largest difference after a step from a common state, over some steps of full matrices.
template <class S>
double difference(const AnySystem& system, State<S> z, const GaussChoice& choice, int steps) {
  GaussStepper<AnySystem, S, SparseDriven<S>> sparse(system, choice);
  GaussStepper<AnySystem, S> full(system, choice);
  double most = 0;
  for (int k = 0; k < steps; ++k) {
    State<S> y = z;
    const Status status = sparse.step(system, y, Real<S>(0.02));
    EXPECT_TRUE(status) << "sparse, step " << k << ": " << int(status.outcome);
    EXPECT_TRUE(full.step(system, z, Real<S>(0.02))) << "full, step " << k;
    most = larger(most, largest_magnitude(z.q - y.q));
    if (choice.form != Formulation::index3) most = larger(most, largest_magnitude(z.p - y.p));
  }
  return most;
}
void expect_the_same(const AnySystem& system, const State<double>& start, const std::string& name) {
  for (const Formulation form : formulations)
    for (int s = 1; s <= 3; ++s)
      if (fits(form, system)) {
        EXPECT_LE(difference<double>(system, start, {s, form}, 5), 1e-13)
            << name << ' ' << int(form) << ' ' << s;
      }
  EXPECT_LE(difference<double>(system, start, {2, Formulation::index2, GaussVariant::projected}, 5),
            1e-13)
      << name;
}
TEST(SparseDriven, takes_the_steps_of_full_matrices) {
  for (const Example& e : examples()) {
    const AnySystem system = expression_system(e.description);
    expect_the_same(system, consistent(system, e.start), e.name);
  }
}
TEST(SparseDriven, takes_them_on_the_witness_problems) {
  for (const char* name :
       {"planar_pendulum", "spherical_pendulum", "double_pendulum", "chain_3d", "quartic",
        "magnetic", "variable_mass_sphere", "full_mass_sphere", "hopf_gravity", "mixed_quartic"}) {
    const AnySystem system = expression_system(
        read_model(RATTLEBACK_SOURCE_DIR "/examples/witness/" + std::string(name) + ".toml")
            .system);
    expect_the_same(system, testing::convert<double>(testing::witness_system(name).start), name);
  }
}
// Partial derivatives of the full step are differences in quad precision, to 1e-11.
TEST(SparseDriven, takes_them_in_quad_precision_and_on_duals) {
  using D = Dual<double, 4>;
  const Example e = chain(3, true);
  const AnySystem system = expression_system(e.description);
  const State<double> start = consistent(system, e.start);
  const int n = system.dimension();
  State<Quad> fine{Vector<Quad, dynamic>(n), Vector<Quad, dynamic>(n)};
  State<D> dual{Vector<D, dynamic>(n), Vector<D, dynamic>(n)};
  for (int i = 0; i < n; ++i) {
    fine.q[i] = start.q[i], fine.p[i] = start.p[i];
    dual.q[i] = D(start.q[i]), dual.p[i] = D(start.p[i]);
    if (i < 4) dual.q[i].partials[i] = 1;
  }
  for (const Formulation form : {Formulation::index2, Formulation::index2_momentum}) {
    EXPECT_LE(difference<Quad>(system, fine, {2, form}, 2), 1e-30) << int(form);
    EXPECT_LE(difference<D>(system, dual, {2, form}, 2), 1e-9) << int(form);
  }
}

TEST(SparseDriven, says_that_dependent_constraints_lose_rank) {
  Example e = chain(4);
  e.description.constraints[2] = e.description.constraints[1];
  const AnySystem system = expression_system(e.description);
  for (const Formulation form : formulations) {
    GaussStepper<AnySystem, double, SparseDriven<double>> sparse(system, {2, form});
    State<double> z = e.start;
    EXPECT_EQ(sparse.step(system, z, 0.02).outcome, Outcome::rank_loss) << int(form);
    EXPECT_EQ(z.q, e.start.q);
  }
}

/// Entries of the factors, for each rod.
double entries(const Example& e, Formulation form) {
  const AnySystem system = expression_system(e.description);
  StageBlocks<double> blocks(*sparse_derivatives(system), *driven_derivatives(system, form), 2);
  return static_cast<double>(blocks.lu().entries_of_factor()) / system.constraint_count();
}
TEST(SparseDriven, fills_in_proportion_to_the_size) {
  for (const Formulation form : formulations) {
    EXPECT_LE(entries(chain(200), form), 1.05 * entries(chain(50), form)) << int(form);
    EXPECT_LE(entries(tree(255), form), 1.1 * entries(tree(63), form)) << int(form);
    EXPECT_LE(entries(ring(200), form), 1.1 * entries(ring(50), form)) << int(form);
  }
}

TEST(SparseDriven, is_what_the_registry_gives_for_any_number_of_coordinates) {
  for (const int n : {2, 150}) {
    const Example e = chain(n);
    const AnySystem system = expression_system(e.description);
    const auto stepper = find_method("gauss:stages=2").stepper<double>(system);
    EXPECT_EQ(stepper->structure(system),
              "sparse of " + std::to_string(12 * n) + " with the stages");
    State<double> z = consistent(system, e.start);
    EXPECT_TRUE(stepper->advance(system, z, 0.005, 5).status);
  }
}

}  // namespace
}  // namespace rattleback::driven
