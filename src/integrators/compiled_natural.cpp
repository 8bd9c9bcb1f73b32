#include "rattleback/integrators/compiled_natural.hpp"

#include "rattleback/integrators/sparse_kernel.hpp"

namespace rattleback {

namespace {

/// The code as a system of static size.
template <int N, int M>
class SmallSystem {
 public:
  static constexpr int dimension_at_compile_time = N;
  static constexpr int constraints_at_compile_time = M;

  explicit SmallSystem(const CompiledNatural& code)
      : code_(code),
        linearise_(code.linearise_dense.function()),
        slope_(code.potential_gradient.function()),
        uniform_(code.potential_gradient.is_constant()) {
    for (int i = 0; i < N; ++i) inverse_mass_[i] = code.inverse_mass[i];
    const Vector<double, N> anywhere = Vector<double, N>::Zero();
    if (uniform_)
      code_.potential_gradient(anywhere.data(), anywhere.data(), force_.data(), force_.data());
  }
  static constexpr int dimension() { return N; }
  static constexpr int constraint_count() { return M; }
  static constexpr Traits traits() { return {.natural = true, .separable = true}; }

  RATTLEBACK_INLINE void potential_gradient(const Vector<double, N>& q,
                                            Vector<double, N>& v_q) const {
    if (uniform_)
      copy(force_, v_q);
    else if (slope_)
      slope_(q.data(), nullptr, v_q.data(), nullptr, nullptr);
    else
      code_.potential_gradient(q.data(), q.data(), v_q.data(), v_q.data());
  }
  template <class P, class V>
  RATTLEBACK_INLINE void velocity(const P& p, V& v) const {
    for (int i = 0; i < N; ++i) v[i] = p[i] * inverse_mass_[i];
  }
  RATTLEBACK_INLINE void linearise(const Vector<double, N>& q, const Vector<double, N>&,
                                   Vector<double, M>& g, Matrix<double, M, N>& g_q,
                                   Matrix<double, M, N>&) const {
    if (linearise_)
      linearise_(q.data(), nullptr, g.data(), g_q.data(), nullptr);
    else
      code_.linearise_dense(q.data(), q.data(), g.data(), g_q.data());
  }

 private:
  const CompiledNatural& code_;
  NativeCode::Function linearise_, slope_;  // called many times a step: without a detour
  bool uniform_;                            // the force is the same everywhere
  Vector<double, N> inverse_mass_, force_;
};

/// The code as a system that brings its own linear algebra.
class SparseSystem {
 public:
  static constexpr int dimension_at_compile_time = dynamic;
  template <class S>
  using Kernel = SparseKernel<SparseSystem>;

  explicit SparseSystem(const CompiledNatural& code) : code_(code) {}
  const CompiledNatural& code() const { return code_; }
  int dimension() const { return code_.dimension; }
  int constraint_count() const { return code_.constraints; }
  void potential_gradient(const Vector<double, dynamic>& q, Vector<double, dynamic>& v_q) const {
    code_.potential_gradient(q.data(), q.data(), v_q.data(), v_q.data());
  }

 private:
  const CompiledNatural& code_;
};

template <class Sys>
class CompiledStepper final : public AnyStepper<double> {
 public:
  CompiledStepper(const AnySystem& owner, Kicks kicks, Projection project,
                  const SolveOptions& options)
      : owner_(owner),
        system_(*owner_.model<double>().compiled()),
        stepper_(system_, kicks, project, options) {}

  Status step(const AnySystem&, State<double>& z, const double& h) override {
    return with_static_size(z, [&](auto& point) { return stepper_.step(system_, point, h); });
  }
  Advance advance(const AnySystem&, State<double>& z, const double& h, long count) override {
    return with_static_size(
        z, [&](auto& point) { return rattleback::advance(stepper_, system_, point, h, count); });
  }
  void reset() override { stepper_.reset(); }
  Status present(const AnySystem&, State<double>& z) override {
    return with_static_size(z, [&](auto& point) { return stepper_.present(system_, point); });
  }
  Vector<double, dynamic> lambda() const override { return stepper_.lambda(); }
  Projections projections(long steps, long looks) override {
    return stepper_.projections(steps, looks);
  }

 private:
  static constexpr int N = Sys::dimension_at_compile_time;

  /// f on a copy of static size, where there is one.
  template <class F>
  static auto with_static_size(State<double>& z, F&& f) {
    if constexpr (N == dynamic) {
      return f(z);
    } else {
      State<double, N> small;
      for (int i = 0; i < N; ++i) small.q[i] = z.q[i], small.p[i] = z.p[i];
      const auto result = f(small);
      for (int i = 0; i < N; ++i) z.q[i] = small.q[i], z.p[i] = small.p[i];
      return result;
    }
  }

  AnySystem owner_;  // keeps the code alive
  Sys system_;
  NaturalStepper<Sys, double> stepper_;
};

}  // namespace

AnyStepperPointer<double> compiled_stepper(const AnySystem& system, Kicks kicks, Projection project,
                                           const SolveOptions& options) {
  const CompiledNatural* code = system.model<double>().compiled();
  if (!code) return nullptr;
  AnyStepperPointer<double> found;
  const auto try_size = [&]<int N, int M>() {
    if (code->dimension == N && code->constraints == M)
      found = std::make_unique<CompiledStepper<SmallSystem<N, M>>>(system, kicks, project, options);
  };
  try_size.template operator()<2, 1>();
  try_size.template operator()<3, 1>();
  try_size.template operator()<3, 2>();
  try_size.template operator()<4, 1>();
  try_size.template operator()<4, 2>();
  try_size.template operator()<6, 2>();
  try_size.template operator()<6, 3>();
  if (found) return found;
  return std::make_unique<CompiledStepper<SparseSystem>>(system, kicks, project, options);
}

std::string constraint_structure(const AnySystem& system) {
  const CompiledNatural* code = system.model<double>().compiled();
  const std::string size = std::to_string(system.constraint_count());
  if (!code || code->is_small()) return "dense " + size + " x " + size;
  const Structure structure = choose_structure(couplings(code->pattern, code->dimension));
  return to_string(structure.kind) + " of " + size;
}

}  // namespace rattleback
