#include "rattleback/study/counting.hpp"

#include <memory>
#include <mutex>
#include <tuple>
#include <utility>

#include "rattleback/expression/expression_system.hpp"
#include "rattleback/expression/sparse_source.hpp"
#include "rattleback/problem/pack.hpp"

namespace rattleback::study {

namespace {

using Count = std::shared_ptr<Evaluations>;

void add_to(const Count& count, long& calls, CompiledFunction& f) {
  f = f.counted(std::shared_ptr<long>(count, &calls));
}

// Compiled code that counts, null where there is none.

std::unique_ptr<const CompiledNatural> counting(const CompiledNatural* code, const Count& count) {
  if (!code) return nullptr;
  auto counted = std::make_unique<CompiledNatural>(*code);
  add_to(count, count->force, counted->potential_gradient);
  add_to(count, count->constraint, counted->linearise);
  add_to(count, count->constraint, counted->linearise_dense);
  return counted;
}

std::shared_ptr<const SparseDerivatives> counting(
    const std::shared_ptr<const SparseDerivatives>& code, const Count& count) {
  if (!code) return nullptr;
  auto counted = std::make_shared<SparseDerivatives>(*code);
  add_to(count, count->hessian, counted->hessian);
  add_to(count, count->constraint, counted->linearise);
  return counted;
}

std::shared_ptr<const DrivenDerivatives> counting(
    const std::shared_ptr<const DrivenDerivatives>& code, const Count& count) {
  if (!code) return nullptr;
  auto counted = std::make_shared<DrivenDerivatives>(*code);
  add_to(count, count->constraint, counted->field);
  add_to(count, count->constraint, counted->slopes);
  return counted;
}

std::shared_ptr<const SeriesField> counting(const std::shared_ptr<const SeriesField>& code,
                                            const Count& count) {
  if (!code) return nullptr;
  auto counted = std::make_shared<SeriesField>(*code);
  counted->calls = std::shared_ptr<long>(count, &count->force);
  return counted;
}

template <class S>
class CountingModel final : public SystemModel<S>, public SparseSource {
 public:
  using typename SystemModel<S>::V;
  using typename SystemModel<S>::J;
  CountingModel(AnySystem::Model<S> inner, Count count)
      : inner_(std::move(inner)),
        count_(std::move(count)),
        code_(counting(inner_->compiled(), count_)) {}

  S energy(const V& q, const V& p) const override { return inner_->energy(q, p); }
  void energy_gradient(const V& q, const V& p, V& h_q, V& h_p) const override {
    ++count_->force;
    inner_->energy_gradient(q, p, h_q, h_p);
  }
  bool energy_hessian(const V& q, const V& p, J& h_zz) const override {
    const bool known = inner_->energy_hessian(q, p, h_zz);
    count_->hessian += known ? 1 : 0;
    return known;
  }
  std::string undefined_at(const V& q, const V& p) const override {
    return inner_->undefined_at(q, p);
  }
  void potential_gradient(const V& q, V& v_q) const override {
    ++count_->force;
    inner_->potential_gradient(q, v_q);
  }
  void velocity(const V& p, V& v) const override { inner_->velocity(p, v); }
  void lagrangian_gradient(const V& q, const V& v, V& l_q, V& l_v) const override {
    ++count_->force;
    inner_->lagrangian_gradient(q, v, l_q, l_v);
  }
  void constraint(const V& q, const V& p, V& g) const override {
    ++count_->constraint;
    inner_->constraint(q, p, g);
  }
  void linearise(const V& q, const V& p, V& g, J& g_q, J& g_p) const override {
    ++count_->constraint;
    inner_->linearise(q, p, g, g_q, g_p);
  }
  bool slide(V& q, V& p, const V& lambda) const override { return inner_->slide(q, p, lambda); }
  bool flow(V& q, V& p, const Real<S>& h) const override { return inner_->flow(q, p, h); }
  const CompiledNatural* compiled() const override { return code_.get(); }
  std::shared_ptr<const SparseDerivatives> sparse() const override {
    const std::lock_guard lock(mutex_);
    if (!sparse_) sparse_ = counting(sparse_derivatives_of(*inner_), count_);
    return sparse_;
  }
  std::shared_ptr<const DrivenDerivatives> driven(Formulation form) const override {
    return counting(driven_derivatives_of(*inner_, form), count_);
  }
  std::shared_ptr<const SeriesField> series() const override {
    return counting(series_field_of(*inner_), count_);
  }
  /// None: they speak to their system by its type, where nobody counts.
  std::shared_ptr<const NaturalSteps<S>> natural_steps() const override { return nullptr; }

 private:
  AnySystem::Model<S> inner_;
  Count count_;
  std::unique_ptr<const CompiledNatural> code_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const SparseDerivatives> sparse_;
};

template <class S>
void wrap(AnySystem::Model<S>& model, const Count& count) {
  if (model) model = std::make_shared<CountingModel<S>>(std::move(model), count);
}

}  // namespace

AnySystem counting(const AnySystem& system, const Count& count) {
  AnySystem::Models models = system.models();
  std::apply([&](auto&... model) { (wrap(model, count), ...); }, models.all());
  return AnySystem(system.name(), system.dimension(), system.constraint_count(), system.traits(),
                   std::move(models));
}

Evaluations evaluations_of(const AnySystem& system, const Method& method,
                           const State<double>& start, double h, long steps,
                           const SolveOptions& solve) {
  const auto count = std::make_shared<Evaluations>();
  const AnySystem counted = counting(system, count);
  *count = {};
  auto stepper = method.stepper<double>(counted, solve);
  stepper->reset();
  State<double> z = start;
  for (long i = 0; i < steps; ++i)
    if (!stepper->step(counted, z, h)) break;
  return *count;
}

}  // namespace rattleback::study
