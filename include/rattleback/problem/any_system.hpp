// A system whose type is known at run time only: what the command line, Python and the law suite
// run. One virtual interface per scalar; sizes are dynamic.
#pragma once

#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "rattleback/problem/dual.hpp"
#include "rattleback/problem/quad.hpp"
#include "rattleback/problem/system.hpp"

namespace rattleback {

struct CompiledNatural;  // expression/expression_system.hpp
template <class S>
class NaturalSteps;  // integrators/natural_steps.hpp
template <class Sys, class S>
class TypedNaturalSteps;  // there, too: to be included where a system with a kernel is wrapped

/// The questions of a system in one scalar type. All are pure: what a wrapper forgets to pass on
/// does not compile.
template <class S>
class SystemModel {
 public:
  using V = Vector<S, dynamic>;
  using J = Matrix<S, dynamic>;
  virtual ~SystemModel() = default;

  virtual S energy(const V& q, const V& p) const = 0;
  virtual void energy_gradient(const V& q, const V& p, V& h_q, V& h_p) const = 0;
  /// H_zz, rows and columns q and then p; false where it has to come from gradients.
  virtual bool energy_hessian(const V& q, const V& p, J& h_zz) const = 0;
  /// Why there is no H(q, p), which is not a number then; empty where there is one.
  virtual std::string undefined_at(const V& q, const V& p) const = 0;
  virtual void potential_gradient(const V& q, V& v_q) const = 0;
  virtual void velocity(const V& p, V& v) const = 0;
  virtual void lagrangian_gradient(const V& q, const V& v, V& l_q, V& l_v) const = 0;
  virtual void constraint(const V& q, const V& p, V& g) const = 0;
  virtual void linearise(const V& q, const V& p, V& g, J& g_q, J& g_p) const = 0;
  /// The user's own fibre flow and flow of X_H; false where there is none.
  virtual bool slide(V& q, V& p, const V& lambda) const = 0;
  virtual bool flow(V& q, V& p, const Real<S>& h) const = 0;
  /// The straight-line code of a natural system made of expressions; null where there is none.
  virtual const CompiledNatural* compiled() const = 0;
  /// Steps of a natural system that brings its own linear algebra; null for others.
  virtual std::shared_ptr<const NaturalSteps<S>> natural_steps() const = 0;
};

namespace detail {

/// SystemModel of a system with types known at compile time.
template <class Sys, class S>
class TypedModel final : public SystemModel<S> {
 public:
  using typename SystemModel<S>::V;
  using typename SystemModel<S>::J;
  static constexpr int N = Sys::dimension_at_compile_time;
  static constexpr int M = Sys::constraints_at_compile_time;

  explicit TypedModel(std::shared_ptr<const Sys> system) : system_(std::move(system)) {}

  S energy(const V& q, const V& p) const override { return system_->energy(in(q), in(p)); }
  void energy_gradient(const V& q, const V& p, V& h_q, V& h_p) const override {
    auto &a = vector<N, 0>(q.size()), &b = vector<N, 1>(q.size());
    system_->energy_gradient(in(q), in(p), a, b);
    h_q = a;
    h_p = b;
  }
  bool energy_hessian(const V&, const V&, J&) const override { return false; }
  std::string undefined_at(const V& q, const V& p) const override {
    if constexpr (std::is_same_v<S, double>)
      if constexpr (requires { system_->undefined_at(in(q), in(p)); })
        return system_->undefined_at(in(q), in(p));
    return {};
  }
  void potential_gradient(const V& q, V& v_q) const override {
    if constexpr (NaturalForm<Sys>) {
      auto& a = vector<N, 0>(q.size());
      system_->potential_gradient(in(q), a);
      v_q = a;
    }
  }
  void velocity(const V& p, V& v) const override {
    if constexpr (NaturalForm<Sys>) {
      auto& a = vector<N, 0>(p.size());
      system_->velocity(in(p), a);
      v = a;
    }
  }
  void lagrangian_gradient(const V& q, const V& v, V& l_q, V& l_v) const override {
    if constexpr (LagrangianForm<Sys>) {
      auto &a = vector<N, 0>(q.size()), &b = vector<N, 1>(q.size());
      system_->lagrangian_gradient(in(q), in(v), a, b);
      l_q = a;
      l_v = b;
    }
  }
  void constraint(const V& q, const V& p, V& g) const override {
    auto& value = vector<M, 2>(g.size());
    system_->constraint(in(q), in(p), value);
    g = value;
  }
  void linearise(const V& q, const V& p, V& g, J& g_q, J& g_p) const override {
    auto& value = vector<M, 2>(g.size());
    auto &a = matrix<0>(g.size(), q.size()), &b = matrix<1>(g.size(), q.size());
    system_->linearise(in(q), in(p), value, a, b);
    g = value;
    g_q = a;
    if (!system_->traits().holonomic) g_p = b;
  }
  bool slide(V& q, V& p, const V& lambda) const override {
    if constexpr (requires(Vector<S, N>& x, const Vector<S, M>& l) { system_->slide(x, x, l); }) {
      auto &x = vector<N, 0>(q.size()), &y = vector<N, 1>(q.size());
      auto& l = vector<M, 2>(lambda.size());
      x = q;
      y = p;
      l = lambda;
      const bool known = system_->slide(x, y, l);
      q = x;
      p = y;
      return known;
    }
    return false;
  }
  bool flow(V& q, V& p, const Real<S>& h) const override {
    if constexpr (requires(Vector<S, N>& x) { system_->flow(x, x, h); }) {
      auto &x = vector<N, 0>(q.size()), &y = vector<N, 1>(q.size());
      x = q;
      y = p;
      system_->flow(x, y, h);
      q = x;
      p = y;
      return true;
    }
    return false;
  }
  const CompiledNatural* compiled() const override { return nullptr; }
  std::shared_ptr<const NaturalSteps<S>> natural_steps() const override {
    if constexpr (stepped && requires { typename Sys::template Kernel<S>; })
      return std::make_shared<const TypedNaturalSteps<Sys, S>>(system_);
    else
      return nullptr;
  }

 private:
  static constexpr bool stepped = !std::is_same_v<S, Dual<Quad, 4>>;  // else for matrices only
  // Reused between calls, so that sizes known at run time cost no allocation in a step.
  template <int Size, int Slot>
  static Vector<S, Size>& vector(Eigen::Index size) {
    thread_local Vector<S, Size> v;
    v.resize(size);
    return v;
  }
  template <int Slot>
  static Matrix<S, M, N>& matrix(Eigen::Index rows, Eigen::Index columns) {
    thread_local Matrix<S, M, N> a;
    a.resize(rows, columns);
    return a;
  }
  static Vector<S, N> in(const V& v)
    requires(N != dynamic)
  {
    return v;
  }
  static const V& in(const V& v)
    requires(N == dynamic)
  {
    return v;
  }
  std::shared_ptr<const Sys> system_;
};

}  // namespace detail

class AnySystem {
 public:
  static constexpr int dimension_at_compile_time = dynamic;
  static constexpr int constraints_at_compile_time = dynamic;
  template <class S>
  using Model = std::shared_ptr<const SystemModel<S>>;

  /// One for each scalar; those in packs may be missing.
  struct Models {
    Model<double> real;
    Model<Dual<double, 4>> dual;
    Model<Quad> quad;
    Model<Dual<Quad, 4>> dual_quad;
    Model<Pack> pack{};
    Model<Dual<Pack, 4>> dual_pack{};

    auto all() { return std::tie(real, dual, quad, dual_quad, pack, dual_pack); }
    auto all() const { return std::tie(real, dual, quad, dual_quad, pack, dual_pack); }
  };

  /// A system that answers in these scalars by itself.
  AnySystem(std::string name, int dimension, int constraints, Traits traits, Models models)
      : name_(std::move(name)),
        dimension_(dimension),
        constraints_(constraints),
        traits_(traits),
        models_(std::move(models)) {}
  /// Wraps a typed system; in packs it runs with its types.
  template <ConstrainedSystem Sys>
    requires(!std::same_as<Sys, AnySystem>)
  AnySystem(std::string name, Sys system)
      : name_(std::move(name)),
        dimension_(system.dimension()),
        constraints_(system.constraint_count()),
        traits_(system.traits()) {
    const auto shared = std::make_shared<const Sys>(std::move(system));
    wrap<double>(shared);
    wrap<Dual<double, 4>>(shared);
    wrap<Quad>(shared);
    wrap<Dual<Quad, 4>>(shared);
  }

  const std::string& name() const { return name_; }
  int dimension() const { return dimension_; }
  int constraint_count() const { return constraints_; }
  Traits traits() const { return traits_; }

  template <class S>
  S energy(const Vector<S, dynamic>& q, const Vector<S, dynamic>& p) const {
    return model<S>().energy(q, p);
  }
  template <class S>
  void energy_gradient(const Vector<S, dynamic>& q, const Vector<S, dynamic>& p,
                       Vector<S, dynamic>& h_q, Vector<S, dynamic>& h_p) const {
    model<S>().energy_gradient(q, p, h_q, h_p);
  }
  template <class S>
  bool energy_hessian(const Vector<S, dynamic>& q, const Vector<S, dynamic>& p,
                      Matrix<S, dynamic>& h_zz) const {
    return model<S>().energy_hessian(q, p, h_zz);
  }
  /// Why there is no H(q, p), which is not a number then; empty where there is one.
  std::string undefined_at(const Vector<double, dynamic>& q,
                           const Vector<double, dynamic>& p) const {
    return models_.real->undefined_at(q, p);
  }
  template <class S>
  void potential_gradient(const Vector<S, dynamic>& q, Vector<S, dynamic>& v_q) const {
    model<S>().potential_gradient(q, v_q);
  }
  template <class S>
  void velocity(const Vector<S, dynamic>& p, Vector<S, dynamic>& v) const {
    model<S>().velocity(p, v);
  }
  template <class S>
  void lagrangian_gradient(const Vector<S, dynamic>& q, const Vector<S, dynamic>& v,
                           Vector<S, dynamic>& l_q, Vector<S, dynamic>& l_v) const {
    model<S>().lagrangian_gradient(q, v, l_q, l_v);
  }
  template <class S>
  void constraint(const Vector<S, dynamic>& q, const Vector<S, dynamic>& p,
                  Vector<S, dynamic>& g) const {
    model<S>().constraint(q, p, g);
  }
  template <class S>
  void linearise(const Vector<S, dynamic>& q, const Vector<S, dynamic>& p, Vector<S, dynamic>& g,
                 Matrix<S, dynamic>& g_q, Matrix<S, dynamic>& g_p) const {
    model<S>().linearise(q, p, g, g_q, g_p);
  }
  template <class S>
  bool slide(Vector<S, dynamic>& q, Vector<S, dynamic>& p, const Vector<S, dynamic>& lambda) const {
    return model<S>().slide(q, p, lambda);
  }
  template <class S>
  bool flow(Vector<S, dynamic>& q, Vector<S, dynamic>& p, const Real<S>& h) const {
    return model<S>().flow(q, p, h);
  }

  const Models& models() const { return models_; }
  template <class S>
  const SystemModel<S>& model() const {
    return *std::get<const Model<S>&>(models_.all());
  }

 private:
  template <class S, class Sys>
  void wrap(const std::shared_ptr<const Sys>& system) {
    std::get<Model<S>&>(models_.all()) = std::make_shared<detail::TypedModel<Sys, S>>(system);
  }

  std::string name_;
  int dimension_;
  int constraints_;
  Traits traits_;
  Models models_;
};

}  // namespace rattleback
