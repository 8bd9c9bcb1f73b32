#include "rattleback/expression/expression_system.hpp"

#include <algorithm>
#include <array>
#include <mutex>

#include "rattleback/expression/scaled_field.hpp"
#include "rattleback/expression/sparse_source.hpp"
#include "rattleback/problem/error.hpp"
#include "rattleback/problem/pack.hpp"
#include "system_code.hpp"
#include "system_functions.hpp"

namespace rattleback {

namespace {

using detail::Lanes;
using detail::SystemFunctions;

template <class S>
class ExpressionModel final : public SystemModel<S>, public SparseSource {
 public:
  using typename SystemModel<S>::V;
  using typename SystemModel<S>::J;
  /// In packs, with the systems that the lanes are.
  explicit ExpressionModel(std::shared_ptr<const SystemFunctions> functions,
                           std::vector<AnySystem::Model<double>> lanes = {})
      : f_(std::move(functions)), lanes_(std::move(lanes)) {}

  S energy(const V& q, const V& p) const override {
    S value(0);
    f_->energy(q.data(), p.data(), &value, &value);
    return value;
  }
  void energy_gradient(const V& q, const V& p, V& h_q, V& h_p) const override {
    f_->energy_gradient(q.data(), p.data(), h_q.data(), h_p.data());
  }
  bool energy_hessian(const V& q, const V& p, J& h_zz) const override {
    if (f_->place_zz.empty()) return false;
    thread_local std::vector<S> nonzeros;
    nonzeros.resize(f_->place_zz.size());
    f_->energy_hessian(q.data(), p.data(), nonzeros.data(), nonzeros.data());
    h_zz.setConstant(S(0));
    for (std::size_t k = 0; k < nonzeros.size(); ++k)
      for (const int place : f_->place_zz[k]) h_zz.data()[place] = nonzeros[k];
    return true;
  }
  std::string undefined_at(const V&, const V&) const override { return {}; }
  void potential_gradient(const V& q, V& v_q) const override {
    f_->potential_gradient(q.data(), q.data(), v_q.data(), v_q.data());
  }
  void velocity(const V& p, V& v) const override {
    f_->velocity(p.data(), p.data(), v.data(), v.data());
  }
  void lagrangian_gradient(const V& q, const V& v, V& l_q, V& l_v) const override {
    f_->lagrangian_gradient(q.data(), v.data(), l_q.data(), l_v.data());
  }
  void constraint(const V& q, const V& p, V& g) const override {
    f_->constraint(q.data(), p.data(), g.data(), g.data());
  }
  void linearise(const V& q, const V& p, V& g, J& g_q, J& g_p) const override {
    thread_local std::vector<S> nonzeros;
    nonzeros.resize(f_->place_q.size() + f_->place_p.size());
    f_->linearise(q.data(), p.data(), g.data(), nonzeros.data());
    const S* value = nonzeros.data();
    g_q.setConstant(S(0));
    for (const int place : f_->place_q) g_q.data()[place] = *value++;
    if (f_->holonomic) return;
    g_p.setConstant(S(0));
    for (const int place : f_->place_p) g_p.data()[place] = *value++;
  }
  bool slide(V&, V&, const V&) const override { return false; }
  bool flow(V&, V&, const Real<S>&) const override { return false; }
  const CompiledNatural* compiled() const override { return f_->natural.get(); }
  std::shared_ptr<const NaturalSteps<S>> natural_steps() const override { return nullptr; }
  const std::shared_ptr<const SystemFunctions>& functions() const { return f_; }
  /// The same in every lane of a pack: made once.
  template <class Make>
  std::shared_ptr<const SystemFunctions> repeated(Make&& make) const {
    const std::lock_guard lock(mutex_);
    if (!repeated_) repeated_ = make();
    return repeated_;
  }
  std::shared_ptr<const SparseDerivatives> sparse() const override {
    const std::lock_guard lock(mutex_);
    if (!sparse_)
      sparse_ = lanes_.empty()
                    ? std::make_shared<const SparseDerivatives>(sparse_derivatives(f_->source))
                    : packed_sparse();
    return sparse_;
  }
  /// None in packs.
  std::shared_ptr<const DrivenDerivatives> driven(Formulation form) const override {
    if (!lanes_.empty()) return nullptr;
    const std::lock_guard lock(mutex_);
    auto& own = driven_[static_cast<std::size_t>(form)];
    if (!own) own = std::make_shared<const DrivenDerivatives>(driven_derivatives(f_->source, form));
    return own;
  }
  std::shared_ptr<const ScaledField> scaled() const {
    const std::lock_guard lock(mutex_);
    if (!scaled_) scaled_ = scaled_field(f_->source);
    return scaled_;
  }
  std::shared_ptr<const SeriesField> series() const override {
    if (!f_->source.traits.natural || !f_->holonomic) return nullptr;
    const std::lock_guard lock(mutex_);
    if (!series_)
      series_ = lanes_.empty() ? std::make_shared<const SeriesField>(series_field(f_->source))
                               : packed_series();
    return series_;
  }

 private:
  std::shared_ptr<const SparseDerivatives> packed_sparse() const;
  std::shared_ptr<const SeriesField> packed_series() const;

  std::shared_ptr<const SystemFunctions> f_;
  std::vector<AnySystem::Model<double>> lanes_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const SystemFunctions> repeated_;
  mutable std::shared_ptr<const SparseDerivatives> sparse_;
  mutable std::array<std::shared_ptr<const DrivenDerivatives>, formulation_count> driven_;
  mutable std::shared_ptr<const ScaledField> scaled_;
  mutable std::shared_ptr<const SeriesField> series_;
};

/// Null where the derivatives of the lanes are not of one shape.
template <class S>
std::shared_ptr<const SparseDerivatives> ExpressionModel<S>::packed_sparse() const {
  std::vector<std::shared_ptr<const SparseDerivatives>> lanes;
  lanes.reserve(lanes_.size());
  for (const auto& lane : lanes_) lanes.push_back(sparse_derivatives_of(*lane));
  auto result = std::make_shared<SparseDerivatives>(*lanes[0]);
  for (const auto function :
       {&SparseDerivatives::hessian, &SparseDerivatives::linearise, &SparseDerivatives::turning}) {
    Lanes<CompiledFunction> of_lanes;
    for (std::size_t lane = 0; lane < of_lanes.size(); ++lane) {
      of_lanes[lane] = &((*lanes[lane]).*function);
      if (!of_lanes[lane]->has_shape_of(*of_lanes[0])) return nullptr;
    }
    (*result).*function = CompiledFunction::packed(of_lanes);
  }
  return result;
}

template <class S>
std::shared_ptr<const SeriesField> ExpressionModel<S>::packed_series() const {
  std::vector<std::shared_ptr<const SeriesField>> lanes;
  std::vector<const SeriesProgram*> programs;
  for (const auto& lane : lanes_) {
    lanes.push_back(series_field_of(*lane));
    programs.push_back(&lanes.back()->program);
  }
  auto result = std::make_shared<SeriesField>(*lanes[0]);
  result->program = SeriesProgram::packed(programs);
  return result;
}

/// Null where the system is not made of expressions alone.
const ExpressionModel<double>* model_of(const AnySystem& system) {
  return dynamic_cast<const ExpressionModel<double>*>(&system.model<double>());
}

}  // namespace

std::shared_ptr<const SparseDerivatives> sparse_derivatives(const AnySystem& system) {
  return sparse_derivatives_of(system.model<double>());
}

std::shared_ptr<const SparseDerivatives> packed_derivatives(const AnySystem& system) {
  const auto& model = system.models().pack;
  return model ? sparse_derivatives_of(*model) : nullptr;
}

std::shared_ptr<const DrivenDerivatives> driven_derivatives(const AnySystem& system,
                                                            Formulation form) {
  return driven_derivatives_of(system.model<double>(), form);
}

std::shared_ptr<const ScaledField> scaled_field(const AnySystem& system) {
  const auto* model = model_of(system);
  return model ? model->scaled() : nullptr;
}

bool same_shape(const AnySystem& a, const AnySystem& b) {
  const auto *x = model_of(a), *y = model_of(b);
  return x && y && a.traits() == b.traits() && detail::same_shape(*x->functions(), *y->functions());
}

AnySystem packed_system(std::span<const AnySystem* const> members) {
  Lanes<SystemFunctions> lanes;
  std::vector<AnySystem::Model<double>> systems;
  if (members.empty() || members.size() > lanes.size())
    throw InputError("members", "1 to 8 fill a pack, got " + std::to_string(members.size()));
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
    const AnySystem& member = *members[std::min(lane, members.size() - 1)];
    if (!same_shape(member, *members[0])) throw InputError("members", "of different shape");
    lanes[lane] = model_of(member)->functions().get();
    systems.push_back(member.models().real);
  }
  const bool all_same = std::ranges::count(lanes, lanes[0]) == std::ssize(lanes);
  const auto pack = [&] { return detail::pack_functions(lanes); };
  const auto f = all_same ? model_of(*members[0])->repeated(pack) : pack();
  AnySystem::Models models = members[0]->models();
  models.pack = std::make_shared<ExpressionModel<Pack>>(f, std::move(systems));
  models.dual_pack = std::make_shared<ExpressionModel<Dual<Pack, 4>>>(f);
  return {members[0]->name(), f->n, f->m, members[0]->traits(), std::move(models)};
}

AnySystem expression_system(const CanonicalSystem& s) {
  if (!s.hamiltonian) return legendre_system(s);
  const auto f = detail::compile(s);
  return AnySystem(s.source.name, f->n, f->m, s.traits,
                   {std::make_shared<ExpressionModel<double>>(f),
                    std::make_shared<ExpressionModel<Dual<double, 4>>>(f),
                    std::make_shared<ExpressionModel<Quad>>(f),
                    std::make_shared<ExpressionModel<Dual<Quad, 4>>>(f)});
}

AnySystem expression_system(SystemDescription description) {
  return expression_system(canonical(std::move(description)));
}

}  // namespace rattleback
