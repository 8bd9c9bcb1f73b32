// Integrators on the cotangent bundle T*Q of Q = { q : g(q) = 0 }  [McLachlan12 5.1.2].
//
// A covector xi in T*_q Q is a fibre [z]: all (q, p - G(q)^T lambda). One lifts xi to any z in it,
// takes a SHAKE step and has xi1 = [z1-]: a symplectic map of T*Q that does not depend on the lift.
// Here z may be any representative; the first step lifts to the canonical one, on which
// G(q) H_p(q, p) = 0, so that the multipliers are O(h) however far p was along the fibre.
// present() gives the canonical representative.
//
// Intrinsic numbers of xi are its pairings with tangent vectors w, G(q) w = 0:
//   <xi, w> = p . w
// tangent_basis(), covector() and lift() go between these and representatives.
#pragma once

#include <string>
#include <utility>

#include "rattleback/integrators/shake_rattle.hpp"

namespace rattleback {

inline MethodInfo cotangent_info(BaseMapChoice base) {
  const BaseMapInfo b = info(base);
  return {.name = "cotangent:" + option_text(base),
          .order = b.symmetric ? 2 : 1,
          .symmetric = b.symmetric,
          .symplectic_on = SymplecticOn::primary_manifold,
          .preserves_primary = true,
          .preserves_hidden = true,
          .applies = {.holonomic = true},
          .cite = "[McLachlan12 5.1.2]"};
}

/// SHAKE on classes: Inner is a SHAKE stepper that projects where it is looked at, so with the
/// linear algebra of its steps.
template <class Sys, class S, class Inner = GeneralStepper<Sys, S>>
class CotangentStepper {
 public:
  using State = StateOf<Sys, S>;

  CotangentStepper(const Sys& system, Inner inner)
      : inner_(std::move(inner)),
        work_{PositionOf<Sys, S>(system.dimension()), PositionOf<Sys, S>(system.dimension())} {}

  Status step(const Sys& system, State& z, const Real<S>& h) {
    if (lifted_) return inner_.step(system, z, h);
    copy(z.q, work_.q);
    copy(z.p, work_.p);
    if (Status s = inner_.present(system, work_); !s) return s;
    ++lifts_;
    Status status = inner_.step(system, work_, h);
    if (!status) return status;
    copy(work_.q, z.q);
    copy(work_.p, z.p);
    lifted_ = true;
    return status;
  }
  /// The state is now another representative, or another covector.
  void reset() {
    inner_.reset();
    lifted_ = false;
  }
  void select(std::size_t substep) {
    if constexpr (requires { inner_.select(substep); }) inner_.select(substep);
  }
  /// The canonical representative of [z].
  Status present(const Sys& system, State& z) { return inner_.present(system, z); }
  decltype(auto) lambda() const
    requires requires(const Inner& inner) { inner.lambda(); }
  {
    return inner_.lambda();
  }
  std::string structure(const Sys& system) const { return inner_.structure(system); }
  Projections projections(long, long looks) { return {0, looks + std::exchange(lifts_, 0)}; }

 private:
  Inner inner_;
  State work_;
  bool lifted_ = false;
  long lifts_ = 0;  // since they were last asked for
};

/// SHAKE over a base map as an integrator on T*Q.
template <BaseMap base = BaseMap::verlet>
struct Cotangent {
  SolveOptions solve{};
  double theta = 0.5;  ///< of BaseMap::theta
  MethodInfo info() const { return cotangent_info({base, theta}); }
  template <class S, class Sys>
  auto stepper(const Sys& system) const {
    auto inner = detail::plain_stepper<Sys, S, base>(system, theta, Projection::output, solve);
    return CotangentStepper<Sys, S, decltype(inner)>(system, std::move(inner));
  }
};

namespace detail {

/// Orthonormal columns, one at a time.
template <class S>
class Frame {
 public:
  explicit Frame(Eigen::Index n) : n_(n), columns_(n, n) {}

  Eigen::Index count() const { return count_; }
  auto last(Eigen::Index count) const { return columns_.rightCols(count); }

  /// What is left of w, by Gram-Schmidt, twice is enough; nothing where |w|^2 is below the least.
  void add(Vector<S, dynamic> w, double least) {
    using std::sqrt;
    for (int pass = 0; pass < 2; ++pass)
      for (Eigen::Index k = 0; k < count_; ++k) {
        S along(0);
        for (Eigen::Index i = 0; i < n_; ++i) along += columns_(i, k) * w[i];
        for (Eigen::Index i = 0; i < n_; ++i) w[i] -= columns_(i, k) * along;
      }
    S square(0);
    for (Eigen::Index i = 0; i < n_; ++i) square += w[i] * w[i];
    if (!(magnitude(base(square)) > least)) return;
    const S norm = sqrt(square);
    for (Eigen::Index i = 0; i < n_; ++i) columns_(i, count_) = w[i] / norm;
    ++count_;
  }
  /// The unit vector that the columns cover worst.
  Vector<S, dynamic> worst_covered() const {
    Eigen::Index best = 0;
    double uncovered = -1;
    for (Eigen::Index i = 0; i < n_; ++i) {
      double rest = 1;
      for (Eigen::Index k = 0; k < count_; ++k) {
        const auto size = magnitude(base(columns_(i, k)));
        rest -= static_cast<double>(size * size);
      }
      if (rest > uncovered + 1e-9) uncovered = rest, best = i;
    }
    Vector<S, dynamic> unit(n_);
    for (Eigen::Index i = 0; i < n_; ++i) unit[i] = S(i == best ? 1 : 0);
    return unit;
  }

 private:
  Eigen::Index n_, count_ = 0;
  Matrix<S, dynamic> columns_;
};

}  // namespace detail

/// An orthonormal basis of the tangent space of g = 0 at q: n x (n - rank G) columns, a continuous
/// choice only as long as the same coordinates stay the best ones.
template <class Sys, class S, int N>
Matrix<S, dynamic> tangent_basis(const Sys& system, const Vector<S, N>& q) {
  const Eigen::Index n = q.size(), m = system.constraint_count();
  Vector<S, Sys::constraints_at_compile_time> g(m);
  JacobianOf<Sys, S> jacobian(m, n), unused(m, n);
  system.linearise(q, q, g, jacobian, unused);
  // The rows of G, then unit vectors.
  detail::Frame<S> frame(n);
  for (Eigen::Index k = 0; k < m; ++k) {
    Vector<S, dynamic> row(n);
    double size = 0;
    for (Eigen::Index i = 0; i < n; ++i) {
      row[i] = jacobian(k, i);
      size = larger(size, magnitude(base(row[i])));
    }
    frame.add(row, size * size * n * n * 1e4 * epsilon<S> * epsilon<S>);
  }
  const Eigen::Index rank = frame.count();
  while (frame.count() < n) frame.add(frame.worst_covered(), 0);
  return frame.last(n - rank);
}

/// <xi, w> for the columns w of the basis: the same for every representative z of xi.
template <class S, int N>
Vector<S, dynamic> covector(const State<S, N>& z, const Matrix<S, dynamic>& basis) {
  Vector<S, dynamic> xi(basis.cols());
  for (Eigen::Index k = 0; k < basis.cols(); ++k) {
    xi[k] = S(0);
    for (Eigen::Index i = 0; i < basis.rows(); ++i) xi[k] += z.p[i] * basis(i, k);
  }
  return xi;
}

/// A representative of the covector with these pairings, for a basis from tangent_basis().
template <class S, int N>
State<S, N> lift(const Vector<S, N>& q, const Matrix<S, dynamic>& basis,
                 const Vector<S, dynamic>& xi) {
  State<S, N> z{q, q};
  for (Eigen::Index i = 0; i < q.size(); ++i) {
    z.p[i] = S(0);
    for (Eigen::Index k = 0; k < xi.size(); ++k) z.p[i] += basis(i, k) * xi[k];
  }
  return z;
}

}  // namespace rattleback
