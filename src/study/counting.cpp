#include "rattleback/study/counting.hpp"

#include <utility>

namespace rattleback::study {

namespace {

template <class S>
class CountingModel final : public SystemModel<S> {
 public:
  using typename SystemModel<S>::V;
  using typename SystemModel<S>::J;
  CountingModel(AnySystem system, std::shared_ptr<Evaluations> count)
      : system_(std::move(system)), count_(std::move(count)) {}

  S energy(const V& q, const V& p) const override { return inner().energy(q, p); }
  void energy_gradient(const V& q, const V& p, V& h_q, V& h_p) const override {
    ++count_->force;
    inner().energy_gradient(q, p, h_q, h_p);
  }
  void potential_gradient(const V& q, V& v_q) const override {
    ++count_->force;
    inner().potential_gradient(q, v_q);
  }
  void velocity(const V& p, V& v) const override { inner().velocity(p, v); }
  void lagrangian_gradient(const V& q, const V& v, V& l_q, V& l_v) const override {
    ++count_->force;
    inner().lagrangian_gradient(q, v, l_q, l_v);
  }
  void constraint(const V& q, const V& p, V& g) const override {
    ++count_->constraint;
    inner().constraint(q, p, g);
  }
  void linearise(const V& q, const V& p, V& g, J& g_q, J& g_p) const override {
    ++count_->constraint;
    inner().linearise(q, p, g, g_q, g_p);
  }
  bool slide(V& q, V& p, const V& lambda) const override { return inner().slide(q, p, lambda); }
  bool flow(V& q, V& p, const Real<S>& h) const override { return inner().flow(q, p, h); }

 private:
  const SystemModel<S>& inner() const { return system_.model<S>(); }
  AnySystem system_;
  std::shared_ptr<Evaluations> count_;
};

}  // namespace

AnySystem counting(const AnySystem& system, const std::shared_ptr<Evaluations>& count) {
  return AnySystem(system.name(), system.dimension(), system.constraint_count(), system.traits(),
                   {std::make_shared<CountingModel<double>>(system, count),
                    std::make_shared<CountingModel<Dual<double, 4>>>(system, count),
                    std::make_shared<CountingModel<Quad>>(system, count),
                    std::make_shared<CountingModel<Dual<Quad, 4>>>(system, count)});
}

}  // namespace rattleback::study
