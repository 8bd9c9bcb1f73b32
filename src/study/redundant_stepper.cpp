#include "redundant_stepper.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "rattleback/expression/expression_system.hpp"
#include "rattleback/solve/independent_rows.hpp"

namespace rattleback::study {

namespace {

/// Rows are chosen again where they lost this many times what they lost where they were chosen.
constexpr double worse = 30;
/// Where g of a row that is not in use is larger than this, relative to its terms, it does not
/// hold: those in use are solved to round-off, and rows lose three digits to each other at most.
constexpr double violation = 1e-10;
/// Dense decompositions of more rows take too long.
constexpr int most_eliminated = 100;

CanonicalSystem part_of(const CanonicalSystem& form, const std::vector<int>& rows) {
  CanonicalSystem part = form;
  part.constraints.clear();
  part.source.constraints.clear();
  part.source.constraint_labels.clear();
  for (const int i : rows) {
    part.constraints.push_back(form.constraints[i]);
    part.source.constraints.push_back(form.source.constraints.at(i));
  }
  return part;
}

/// By what the constraints depend on: a slope that is zero now may not stay so.
CouplingPattern couplings(const CanonicalSystem& form) {
  std::map<int, std::vector<int>> users;
  CouplingPattern pattern(form.constraints.size());
  for (int k = 0; k < form.constraint_count(); ++k)
    for (const int j : form.graph().inputs_of(form.constraints[k])) {
      auto& others = users[j];
      pattern[k].insert(pattern[k].end(), others.begin(), others.end());
      others.push_back(k);
    }
  return normalised(pattern);
}

/// `rank` rows: the usual ones where no others are much better conditioned. Fewer: a singular
/// point.
std::vector<int> well_conditioned(const std::vector<SparseRow>& rows, int columns,
                                  const std::vector<int>& usual) {
  if (static_cast<int>(rows.size()) > most_eliminated) return independent_rows(rows).kept;
  Matrix<double, dynamic> dense =
      Matrix<double, dynamic>::Zero(static_cast<Eigen::Index>(rows.size()), columns);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (const auto& [j, x] : rows[i]) dense(static_cast<Eigen::Index>(i), j) = x;
  return RankRevealing(1e-8).factor(dense, usual).independent;
}

}  // namespace

RedundantStepper::RedundantStepper(const Problem& problem, const Method& method,
                                   const SolveOptions& solve)
    : form_(problem.complete_form.value()),
      method_(method),
      solve_(solve),
      usual_(problem.kept),
      g_(form_.constraint_count()),
      rows_(form_.constraint_count()),
      round_off_(form_.constraint_count()) {
  const int n = form_.dimension(), m = form_.constraint_count();
  g_q_.resize(m, n);
  g_p_.setZero(m, n);
  const auto tells = with(usual_).stepper->lambda().size() > 0;
  last_ = &with(usual_);
  lambda_ = Vector<double, dynamic>::Zero(tells ? m : 0);
}

RedundantStepper::Choice& RedundantStepper::with(const std::vector<int>& rows) {
  if (const auto known = choices_.find(rows); known != choices_.end()) return known->second;
  const CanonicalSystem part = part_of(form_, rows);
  AnySystem system = expression_system(part);
  auto stepper = method_.stepper<double>(system, solve_);
  Choice choice{rows, std::move(system), std::move(stepper), SparseLdlt<double>(couplings(part))};
  return choices_.emplace(rows, std::move(choice)).first->second;
}

/// rows_ and round_off_ at z.
void RedundantStepper::linearise(const AnySystem& system, const State<double>& z) {
  const int n = system.dimension(), m = system.constraint_count();
  system.linearise(z.q, z.p, g_, g_q_, g_p_);
  const bool holonomic = system.traits().holonomic;
  const double extent = 1e-3 * larger(largest_magnitude(z.q), largest_magnitude(z.p));
  for (int i = 0; i < m; ++i) {
    double length = 0, size = 0;
    rows_[i].clear();
    for (int j = 0; j < (holonomic ? n : 2 * n); ++j) {
      const double x = j < n ? g_q_(i, j) : g_p_(i, j - n);
      if (x == 0) continue;
      rows_[i].emplace_back(j, x);
      length = std::hypot(length, x);
      size += std::abs(x) * larger(std::abs(j < n ? z.q[j] : z.p[j - n]), extent);
    }
    for (auto& [j, x] : rows_[i]) x /= length;
    round_off_[i] = violation * size;
  }
}

/// Of the rows in use to each other: the inverse of the smallest squared sine.
double RedundantStepper::cancellation(Choice& choice) {
  const std::vector<int>& which = choice.rows;
  const FactorReport report =
      choice.gram.factor([&](int i, int j) { return product(rows_[which[i]], rows_[which[j]]); });
  return report.ok ? report.cancellation : std::numeric_limits<double>::infinity();
}

/// False: there are fewer independent rows than elsewhere.
bool RedundantStepper::choose(const AnySystem& system, const State<double>& z) {
  linearise(system, z);
  const int columns = (system.traits().holonomic ? 1 : 2) * system.dimension();
  const std::vector<int> rows = well_conditioned(rows_, columns, usual_);
  if (rows.size() != usual_.size()) return false;
  Choice& choice = with(rows);
  if (&choice != in_use_) choice.stepper->reset();
  last_ = in_use_ = &choice;
  lost_ = cancellation(choice);
  return true;
}

/// Whether a constraint that is not in use does not hold any more.
bool RedundantStepper::violated(const AnySystem& system, const State<double>& z) {
  system.constraint(z.q, z.p, g_);
  for (int i = 0; i < system.constraint_count(); ++i)
    if (!(std::abs(g_[i]) <= round_off_[i])) return true;
  return false;
}

Status RedundantStepper::attempt(const AnySystem& system, State<double>& z, double h) {
  Status status = in_use_->stepper->step(in_use_->system, z, h);
  if (status && violated(system, z)) status.outcome = Outcome::branch_jump;
  if (!status) z = before_;
  return status;
}

Status RedundantStepper::step(const AnySystem& system, State<double>& z, const double& h) {
  before_ = z;
  if (in_use_) linearise(system, z);
  if (!in_use_ || !(cancellation(*in_use_) <= worse * lost_))
    if (!choose(system, z)) return {Outcome::rank_loss};
  Status status = attempt(system, z, h);
  if (!status) {
    const Choice* const failed = in_use_;
    if (choose(system, z) && in_use_ != failed) status = attempt(system, z, h);
    if (!status) {
      in_use_ = nullptr;
      return status;
    }
  }
  if (lambda_.size() > 0) {
    lambda_.setZero();
    const auto own = in_use_->stepper->lambda();
    for (std::size_t k = 0; k < in_use_->rows.size(); ++k)
      lambda_[in_use_->rows[k]] = own[static_cast<Eigen::Index>(k)];
  }
  return status;
}

Advance RedundantStepper::advance(const AnySystem& system, State<double>& z, const double& h,
                                  long count) {
  Advance done;
  for (; done.steps < count; ++done.steps) {
    done.status = step(system, z, h);
    if (!done.status) break;
    done.newton += done.status.iterations;
    done.newton_max = std::max(done.newton_max, done.status.iterations);
  }
  return done;
}

Status RedundantStepper::present(const AnySystem&, State<double>& z) {
  return last_->stepper->present(last_->system, z);
}

Projections RedundantStepper::projections(long steps, long looks) {
  return last_->stepper->projections(steps, looks);
}

std::string RedundantStepper::structure(const AnySystem&) const {
  return last_->stepper->structure(last_->system);
}

}  // namespace rattleback::study
