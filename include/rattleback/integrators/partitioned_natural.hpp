// Partitioned Runge-Kutta methods (partitioned_tableau.hpp) on natural systems with constant mass
// and constraints on positions, by the linear algebra that SHAKE and RATTLE have. With W = M^-1,
// the forces F_j = V_q(Q_j) and the pushes R_l = -G(X_l)^T Lambda_l, both vectors of momenta,
//
//   Q_i = q + h c_i W p + h W (-h sum_j (a a^)_ij F_j + sum_l (a f)_il R_l)
//   X_k = q + h C_k W p + h W (-h sum_j (x a^)_kj F_j + sum_l (x f)_kl R_l),   g(X_k) = 0
//   p1  = p - h sum_j b^_j F_j + sum_l w_l R_l,   then projected onto G(q1) W p1 = 0
//
// where c = a 1, C = x 1. Unknowns are F, R and Lambda. One iteration takes forces and constraints
// at the positions of these and
//
//   Lambda_l += sum_k ((x f)^-1)_lk (G W G^T)^-1 g(X_k)/h
//
// with the G W G^T of the start of the step, factored for the projection before it: O(h) of an
// error remains. First guess: each unknown extrapolated over the last three steps. Where this does
// not contract the step gives up, and who asked solves for all unknowns together
// (partitioned_stages.hpp).
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "rattleback/integrators/natural_constrained.hpp"
#include "rattleback/solve/partitioned_tableau.hpp"

namespace rattleback {

/// A core for CoreStepper. A step that fails leaves the state as it was.
template <class Sys, class S, class K = typename detail::KernelOf<Sys, S>::type>
class PartitionedNatural {
 public:
  using R = Real<S>;
  using Position = typename K::Position;
  using Multiplier = typename K::Multiplier;
  using Point = State<S, K::N>;

  PartitionedNatural(const Sys& system, const PartitionedTableau<R>& tableau,
                     SolveOptions options = {})
      : t_(tableau),
        by_(tableau),
        kernel_(system),
        floor_(K::floor(system)),
        options_(options),
        at_start_(K::jacobian(system)),
        stages_(t_.stages(), Stage(system.dimension())),
        nodes_(t_.nodes() - 1, Node(system)),
        velocity_(system.dimension()),
        sum_(system.dimension()),
        room_(system.dimension()),
        p_(system.dimension()),
        lambda_(system.constraint_count()),
        mu_(system.constraint_count()) {}

  void reset() { fresh_ = false; }
  /// What the constraints gave before the projection: sum_l w_l Lambda_l.
  const Multiplier& lambda() const { return lambda_; }
  static std::string structure(const Sys& system) {
    return in_words(K::kind(system), system.constraint_count());
  }
  /// The next step is substep k of a composition: its first guess comes from its like.
  void select(std::size_t k) {
    stage_histories_.select(k, stages_);
    node_histories_.select(k, nodes_);
  }
  Status project(const Sys& system, Point& z) {
    fresh_ = false;
    kernel_.linearise(system, z.q, mu_, at_start_);
    return onto_hidden(system, at_start_, z.p);
  }

  Status step(const Sys& system, Point& z, const R& h, bool project) {
    if (!fresh_)
      if (Status s = start(system, z); !s) return s;
    system.velocity(z.p, velocity_);
    for (Stage& stage : stages_) stage.predictor.predict(R(1), stage.force, room_, false);
    for (Node& node : nodes_) {
      node.predictor.predict(h, node.lambda, mu_, false);
      node.push_predictor.predict(h, node.push, room_, false);
    }
    Status status = iterate(system, z, h);
    if (status && status.iterations > threshold::few_iterations && !same_branch(system))
      status.outcome = Outcome::branch_jump;
    if (!status) return failed(status);
    copy(z.p, p_);
    for (int j = 0; j < t_.stages(); ++j) subtract_scaled(R(h * t_.b_hat[j]), stages_[j].force, p_);
    lambda_.setConstant(S(0));
    for (std::size_t l = 0; l < nodes_.size(); ++l) {
      add_scaled(t_.w[l], nodes_[l].push, p_);
      add_scaled(t_.w[l], nodes_[l].lambda, lambda_);
    }
    Node& last = nodes_.back();
    if (Status s = project ? onto_hidden(system, last.jacobian, p_) : refactor(system, last); !s)
      return failed(s);
    if (!within(p_, threshold::overflow)) return failed({Outcome::not_finite, status.iterations});
    kernel_.exchange(at_start_, last.jacobian);
    copy(last.place, z.q), copy(p_, z.p);
    for (Stage& stage : stages_) stage.predictor.record(R(1), stage.force);
    for (Node& node : nodes_)
      node.predictor.record(h, node.lambda), node.push_predictor.record(h, node.push);
    return status;
  }

 private:
  struct Stage {
    explicit Stage(int n) : force(n), place(n), predictor(n) {}
    Position force, place;
    RollingPredictor<Position> predictor;
  };
  /// Node k + 1, where g = 0 is asked for; and the multipliers of node k.
  struct Node {
    explicit Node(const Sys& system)
        : place(system.dimension()),
          push(system.dimension()),
          g(system.constraint_count()),
          lambda(system.constraint_count()),
          jacobian(K::jacobian(system)),
          predictor(system.constraint_count()),
          push_predictor(system.dimension()) {}
    Position place, push;
    Multiplier g, lambda;
    typename K::Jacobian jacobian;
    RollingPredictor<Multiplier> predictor;
    RollingPredictor<Position> push_predictor;
  };
  struct Stages : std::vector<Stage> {
    using std::vector<Stage>::vector;
    void reset() {
      for (Stage& stage : *this) stage.predictor.reset();
    }
  };
  struct Nodes : std::vector<Node> {
    using std::vector<Node>::vector;
    void reset() {
      for (Node& node : *this) node.predictor.reset(), node.push_predictor.reset();
    }
  };

  const typename K::Jacobian& jacobian(std::size_t node) const {
    return node == 0 ? at_start_ : nodes_[node - 1].jacobian;
  }

  [[gnu::noinline]] Status start(const Sys& system, const Point& z) {
    kernel_.linearise(system, z.q, mu_, at_start_);
    if (FactorReport f = kernel_.factor(system, at_start_); !f.ok)
      return {Outcome::rank_loss, 0, f.smallest_pivot};
    kernel_.measure(z.q, at_start_, std::max(2 * epsilon<S>, options_.tolerance), floor_);
    stages_.reset(), nodes_.reset();
    stage_histories_.reset(), node_histories_.reset();
    system.potential_gradient(z.q, sum_);
    for (Stage& stage : stages_) {  // all that is known of the force is V_q(q)
      stage.predictor.predict(R(1), stage.force, room_, false);
      copy(sum_, stage.force);
      stage.predictor.record(R(1), stage.force);
    }
    fresh_ = true;
    return {};
  }
  Status failed(const Status& status) {
    fresh_ = false;
    return status;
  }

  /// out = q + h time W p + h W (-h sum_j force_j F_j + sum_l push_l R_l)
  template <class Forces, class Pushes>
  void place(const Sys& system, const Point& z, const R& h, const R& time, const Forces& force,
             const Pushes& push, Position& out) {
    sum_.setConstant(S(0));
    for (std::size_t j = 0; j < stages_.size(); ++j)
      subtract_scaled(R(h * force(j)), stages_[j].force, sum_);
    for (std::size_t l = 0; l < nodes_.size(); ++l) add_scaled(R(push(l)), nodes_[l].push, sum_);
    system.velocity(sum_, room_);
    for (Eigen::Index i = 0; i < out.size(); ++i)
      out[i] = z.q[i] + (velocity_[i] * time + room_[i]) * h;
  }

  /// A change that shrinks from iteration to iteration, by half at least, down to its floor.
  class Shrinking {
   public:
    explicit Shrinking(double floor) : floor_(floor) {}
    void note(double size) {
      stands_ = !(size <= threshold::poor_contraction * last_), last_ = size;
    }
    bool stands() const { return stands_ && last_ > floor_; }
    bool settled() const { return last_ <= floor_ || (stands_ && last_ <= few * floor_); }
    double last() const { return last_; }

   private:
    static constexpr double few = 32;  // round-off of several sums; measured: below 4
    double floor_, last_ = threshold::overflow;
    bool stands_ = false;
  };
  /// So many iterations that do not shrink the changes are too many; some do at first, and at the
  /// end one of the two waits for the other.
  static constexpr int most_poor = 5;

  /// Until kicks, pushes and g(X_k) are at round-off. Pushes are known to eps |q|/h.
  Status iterate(const Sys& system, const Point& z, const R& h) {
    const double relative = std::max(2 * epsilon<S>, options_.tolerance);
    const double size = std::max(largest_magnitude(z.p), threshold::least_scale);
    const double reach = std::max(size, largest_magnitude(z.q) / magnitude(h));
    Shrinking kicks(relative * size), pushes(relative * reach);
    int poor = 0;
    for (int k = 0; k < options_.max_iterations; ++k) {
      set_places(system, z, h);
      bool landed = true, nearly = true;
      for (Node& node : nodes_) {
        kernel_.linearise(system, node.place, node.g, node.jacobian);
        landed = landed && K::within_floor(node.g, floor_, 1);
        nearly = nearly && K::within_floor(node.g, floor_, threshold::constraint_band);
      }
      kicks.note(magnitude(h) * follow_forces(system));
      pushes.note(follow_constraints(h, !landed));
      const double change = larger(kicks.last(), pushes.last());
      if (!(change < threshold::overflow)) return {Outcome::not_finite, k, change};
      if (kicks.settled() && pushes.settled() && (landed || (nearly && k > 0)))
        return {Outcome::ok, k, change};
      if ((kicks.stands() || pushes.stands()) && ++poor >= most_poor)
        return {Outcome::no_convergence, k, change};
    }
    return {Outcome::no_convergence, options_.max_iterations, pushes.last()};
  }
  void set_places(const Sys& system, const Point& z, const R& h) {
    for (int i = 0; i < t_.stages(); ++i)
      place(
          system, z, h, by_.stage_time[i], [&](auto j) { return by_.force_at_stage(i, j); },
          [&](auto l) { return by_.push_at_stage(i, l); }, stages_[i].place);
    for (std::size_t k = 0; k < nodes_.size(); ++k)
      place(
          system, z, h, by_.node_time[k], [&](auto j) { return by_.force_at_node(k, j); },
          [&](auto l) { return by_.push_at_node(k, l); }, nodes_[k].place);
  }
  /// Forces at the stages; the largest change of one.
  double follow_forces(const Sys& system) {
    double change = 0;
    for (Stage& stage : stages_) {
      system.potential_gradient(stage.place, sum_);
      change = larger(change, largest_change(sum_, stage.force));
      stage.force.swap(sum_);
    }
    return change;
  }
  /// Multipliers, where g is not at round-off yet, and pushes; the largest change of one.
  double follow_constraints(const R& h, bool correct) {
    if (correct) {
      for (Node& node : nodes_) kernel_.solve(node.g);
      for (std::size_t l = 0; l < nodes_.size(); ++l)
        for (std::size_t k = 0; k < nodes_.size(); ++k)
          add_scaled(R(by_.inverse(l, k) / h), nodes_[k].g, nodes_[l].lambda);
    }
    double change = 0;
    for (std::size_t l = 0; l < nodes_.size(); ++l) {
      sum_.setConstant(S(0));
      kernel_.kick(jacobian(l), nodes_[l].lambda, sum_);
      change = larger(change, largest_change(sum_, nodes_[l].push));
      nodes_[l].push.swap(sum_);
    }
    return change;
  }
  static double largest_change(const Position& a, const Position& b) {
    double change = 0;
    for (Eigen::Index i = 0; i < a.size(); ++i) change = larger(change, magnitude(S(a[i] - b[i])));
    return change;
  }

  bool same_branch(const Sys& system) {
    for (std::size_t k = 0; k < nodes_.size(); ++k)
      if (!kernel_.same_branch(system, jacobian(k), nodes_[k].jacobian)) return false;
    return true;
  }
  Status refactor(const Sys& system, const Node& node) {
    const FactorReport f = kernel_.factor(system, node.jacobian);
    return f.ok ? Status{} : Status{Outcome::rank_loss, 0, f.smallest_pivot};
  }
  /// p <- p - G^T mu with G W p = 0. The factorisation serves the next step, too.
  Status onto_hidden(const Sys& system, const typename K::Jacobian& j, Position& p) {
    if (FactorReport f = kernel_.factor(system, j); !f.ok)
      return {Outcome::rank_loss, 0, f.smallest_pivot};
    // The matrix is made of base values; solved once more, partial derivatives are exact too.
    for (int k = 0; k < (ScalarTraits<S>::is_dual ? 2 : 1); ++k) {
      kernel_.hidden(system, j, p, mu_);
      kernel_.solve(mu_);
      kernel_.kick(j, mu_, p);
    }
    return {};
  }

  PartitionedTableau<R> t_;
  PartitionedProducts<R> by_;
  K kernel_;
  typename K::Floor floor_;
  SolveOptions options_;
  typename K::Jacobian at_start_;  // G(q)
  Stages stages_;
  Nodes nodes_;
  Histories<Stages> stage_histories_;  // of the other substeps
  Histories<Nodes> node_histories_;
  Position velocity_, sum_, room_, p_;
  Multiplier lambda_, mu_;
  bool fresh_ = false;
};

}  // namespace rattleback
