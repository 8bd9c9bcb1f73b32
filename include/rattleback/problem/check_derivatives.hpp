// Holds a system to what its author promised: own derivatives against automatic ones, `quadratic`,
// `separable`, the Lagrangian, the fibre flow. A debug call, at one phase point:
//   std::cout << check_derivatives(system, q, p);
#pragma once

#include <cmath>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "rattleback/problem/derivatives.hpp"
#include "rattleback/problem/error.hpp"
#include "rattleback/problem/system.hpp"

namespace rattleback {

/// One promise: the largest difference, in units of the largest entry of that derivative.
struct DerivativeCheck {
  std::string name;       ///< "constraint Jacobian"
  double difference = 0;  ///< relative; not a number where either side is not
  std::string entry;      ///< the worst: "dg[1]/dq[0]"
  double given = 0;       ///< there: the user's value
  double expected = 0;    ///< there: the automatic one
};

struct DerivativeReport {
  std::vector<DerivativeCheck> checks;
  double tolerance = 0;

  bool holds(const DerivativeCheck& check) const { return check.difference <= tolerance; }
  bool ok() const {
    for (const auto& check : checks)
      if (!holds(check)) return false;
    return true;
  }
  /// The check with this name, or null.
  const DerivativeCheck* find(const std::string& name) const {
    for (const auto& check : checks)
      if (check.name == name) return &check;
    return nullptr;
  }
  std::string text() const {
    using detail::quote;
    std::string out;
    for (const auto& check : checks) {
      out += (holds(check) ? "ok     " : "WRONG  ") + check.name;
      out += ": relative difference " + quote(check.difference);
      if (!check.entry.empty())
        out += ", largest at " + check.entry + ": given " + quote(check.given) + ", expected " +
               quote(check.expected);
      out += "\n";
    }
    return out;
  }
};
inline std::ostream& operator<<(std::ostream& out, const DerivativeReport& report) {
  return out << report.text();
}

namespace detail {

/// Collects pairs (given, expected) of one derivative.
class Comparison {
 public:
  explicit Comparison(std::string name) { check_.name = std::move(name); }

  void add(const std::string& entry, double given, double expected) {
    const double difference = std::abs(given - expected);
    size_ = larger(size_, larger(std::abs(given), std::abs(expected)));
    if (check_.entry.empty() || difference > worst_ ||
        (std::isnan(difference) && !std::isnan(worst_))) {
      worst_ = difference;
      check_.entry = entry;
      check_.given = given;
      check_.expected = expected;
    }
  }
  DerivativeCheck result() const {
    DerivativeCheck r = check_;
    r.difference = worst_ == 0 ? 0 : worst_ / size_;
    return r;
  }

 private:
  DerivativeCheck check_;
  double worst_ = 0, size_ = 0;
};

inline std::string slope_name(const std::string& of, const char* by, Eigen::Index i) {
  return "d" + of + "/d" + by + "[" + std::to_string(i) + "]";
}
inline std::string indexed(const char* name, Eigen::Index i) {
  return std::string(name) + "[" + std::to_string(i) + "]";
}

template <class Sys>
class DerivativeChecker {
 public:
  static constexpr int N = Sys::dimension_at_compile_time;
  static constexpr int M = Sys::constraints_at_compile_time;
  using Position = Vector<double, N>;
  using Jacobian = Matrix<double, M, N>;

  DerivativeChecker(const Sys& system, const Position& q, const Position& p)
      : system_(system), q_(q), p_(p), n_(q.size()), m_(system.constraint_count()) {
    if (q.size() != system.dimension() || p.size() != system.dimension())
      throw InputError("check_derivatives", "the system has " + std::to_string(system.dimension()) +
                                                " coordinates, got " + std::to_string(q.size()) +
                                                " positions and " + std::to_string(p.size()) +
                                                " momenta");
  }

  std::vector<DerivativeCheck> run() {
    if constexpr (requires { system_.potential(q_); }) potential();
    hamiltonian();
    if (system_.traits().separable) separable();
    if constexpr (LagrangianForm<Sys>)
      if (system_.traits().lagrangian) lagrangian();
    if (m_ > 0) {
      jacobian();
      if (system_.traits().quadratic) quadratic();
      fibre();
    }
    return std::move(checks_);
  }

 private:
  void potential() {
    Position given(n_), expected(n_);
    system_.potential_gradient(q_, given);
    automatic_gradient([&](const auto& x) { return system_.potential(x); }, q_, expected);
    Comparison c("potential gradient");
    for (Eigen::Index i = 0; i < n_; ++i) c.add(slope_name("V", "q", i), given[i], expected[i]);
    checks_.push_back(c.result());
  }

  void hamiltonian() {
    Position h_q(n_), h_p(n_), a_q(n_), a_p(n_);
    system_.energy_gradient(q_, p_, h_q, h_p);
    automatic_gradient([&](const auto& x, const auto& y) { return system_.energy(x, y); }, q_, p_,
                       a_q, a_p);
    Comparison c("Hamiltonian gradient");
    for (Eigen::Index i = 0; i < n_; ++i) c.add(slope_name("H", "q", i), h_q[i], a_q[i]);
    for (Eigen::Index i = 0; i < n_; ++i) c.add(slope_name("H", "p", i), h_p[i], a_p[i]);
    checks_.push_back(c.result());
  }

  /// H_qp = 0: entries against zero, in units of H_qq, H_pp and H_qp together.
  void separable() {
    using D = Dual<double, 1>;
    Comparison c("promise separable");
    double size = 0;
    for (Eigen::Index j = 0; j < n_; ++j) {
      Vector<D, N> x(n_), y(n_), f_q(n_), f_p(n_);
      for (Eigen::Index i = 0; i < n_; ++i) x[i] = D(q_[i]), y[i] = D(p_[i]);
      y[j] = D::variable(p_[j], 0);
      automatic_gradient([&](const auto& u, const auto& v) { return system_.energy(u, v); }, x, y,
                         f_q, f_p);
      for (Eigen::Index i = 0; i < n_; ++i) {
        size = larger(size, std::abs(f_p[i].partials[0]));
        c.add("d2H/dq[" + std::to_string(i) + "]dp[" + std::to_string(j) + "]", f_q[i].partials[0],
              0);
      }
    }
    push(c, size);
  }

  /// L_v(q, H_p) = p, L_q(q, H_p) = -H_q
  void lagrangian() {
    Position h_q(n_), h_p(n_), l_q(n_), l_v(n_);
    system_.energy_gradient(q_, p_, h_q, h_p);
    system_.lagrangian_gradient(q_, h_p, l_q, l_v);
    Comparison c("Lagrangian gradient");
    for (Eigen::Index i = 0; i < n_; ++i) c.add(slope_name("L", "q", i), l_q[i], -h_q[i]);
    for (Eigen::Index i = 0; i < n_; ++i) c.add(slope_name("L", "v", i), l_v[i], p_[i]);
    checks_.push_back(c.result());
  }

  template <class S>
  void automatic(const Vector<S, N>& q, const Vector<S, N>& p, Matrix<S, M, N>& a_q,
                 Matrix<S, M, N>& a_p) const {
    Vector<S, M> g(m_);
    automatic_jacobian(
        [&](const auto& x, const auto& y, auto& out) { system_.constraint(x, y, out); }, q, p, g,
        a_q, a_p);
  }

  void jacobian() {
    Vector<double, M> g(m_);
    Jacobian g_q(m_, n_), g_p(m_, n_), a_q(m_, n_), a_p(m_, n_);
    g_p.setZero();
    system_.linearise(q_, p_, g, g_q, g_p);
    if (system_.traits().holonomic) g_p.setZero();
    automatic(q_, p_, a_q, a_p);
    Comparison c("constraint Jacobian");
    add_jacobian(c, g_q, g_p, a_q, a_p);
    checks_.push_back(c.result());
  }
  void add_jacobian(Comparison& c, const Jacobian& g_q, const Jacobian& g_p, const Jacobian& a_q,
                    const Jacobian& a_p) const {
    for (int k = 0; k < m_; ++k)
      for (Eigen::Index i = 0; i < n_; ++i) {
        c.add(slope_name(indexed("g", k), "q", i), g_q(k, i), a_q(k, i));
        c.add(slope_name(indexed("g", k), "p", i), g_p(k, i), a_p(k, i));
      }
  }

  /// The Jacobian of a quadratic function is affine: J(z+a+b) = J(z+a) + J(z+b) - J(z).
  void quadratic() {
    Position a(n_), b(n_), c(n_), d(n_);
    for (Eigen::Index i = 0; i < n_; ++i) {
      const double k = static_cast<double>(i);
      a[i] = 1 + std::sin(k), b[i] = 1 + std::cos(2 * k);
      c[i] = 1.5 - std::cos(3 * k), d[i] = 0.5 + std::sin(5 * k + 1);
    }
    const Jacobian zero = Jacobian::Zero(m_, n_);
    Jacobian q0 = zero, p0 = zero, q1 = zero, p1 = zero, q2 = zero, p2 = zero, q3 = zero, p3 = zero;
    automatic<double>(q_, p_, q0, p0);
    automatic<double>(q_ + a, p_ + b, q1, p1);
    automatic<double>(q_ + c, p_ + d, q2, p2);
    automatic<double>(q_ + a + c, p_ + b + d, q3, p3);
    Comparison check("promise quadratic");
    add_jacobian(check, q3, p3, q1 + q2 - q0, p1 + p2 - p0);
    checks_.push_back(check.result());
  }

  /// d/dt slide(z, t lambda) = X_{lambda.g} there, at t = 0 and t = 1/2, lambda_k = 1/(1 + k).
  void fibre() {
    using D = Dual<double, 1>;
    if constexpr (requires(Vector<D, N>& x, const Vector<D, M>& l) { system_.slide(x, x, l); }) {
      Comparison c("fibre flow");
      for (const double t : {0.0, 0.5}) {
        Vector<D, N> x(n_), y(n_);
        Vector<D, M> lambda(m_);
        for (Eigen::Index i = 0; i < n_; ++i) x[i] = D(q_[i]), y[i] = D(p_[i]);
        for (int k = 0; k < m_; ++k) lambda[k] = D::variable(t, 0) * (1.0 / (1 + k));
        if (!system_.slide(x, y, lambda)) return;
        Position q(n_), p(n_);
        for (Eigen::Index i = 0; i < n_; ++i) q[i] = x[i].value, p[i] = y[i].value;
        Jacobian a_q(m_, n_), a_p(m_, n_);
        automatic<double>(q, p, a_q, a_p);
        for (Eigen::Index i = 0; i < n_; ++i) {
          double dq = 0, dp = 0;
          for (int k = 0; k < m_; ++k) dq += a_p(k, i) / (1 + k), dp -= a_q(k, i) / (1 + k);
          c.add(indexed("dq", i) + "/dt", x[i].partials[0], dq);
          c.add(indexed("dp", i) + "/dt", y[i].partials[0], dp);
        }
      }
      checks_.push_back(c.result());
    }
  }

  /// Entries that should vanish, measured against `size`.
  void push(const Comparison& c, double size) {
    DerivativeCheck r = c.result();
    r.difference = r.given == 0 ? 0 : std::abs(r.given) / larger(size, std::abs(r.given));
    checks_.push_back(r);
  }

  const Sys& system_;
  Position q_, p_;
  Eigen::Index n_;
  int m_;
  std::vector<DerivativeCheck> checks_;
};

}  // namespace detail

/// Compares everything the author of `system` gave with what automatic derivatives say, at (q, p).
/// Take a point without symmetry: a wrong derivative may be right at zero. The tolerance leaves
/// room for round-off (1e-16 to 1e-13) and none for a wrong formula.
template <ConstrainedSystem Sys>
DerivativeReport check_derivatives(const Sys& system,
                                   const Vector<double, Sys::dimension_at_compile_time>& q,
                                   const Vector<double, Sys::dimension_at_compile_time>& p,
                                   double tolerance = 1e-10) {
  return {detail::DerivativeChecker<Sys>(system, q, p).run(), tolerance};
}

}  // namespace rattleback
