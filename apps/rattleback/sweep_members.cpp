#include "sweep_members.hpp"

#include <algorithm>
#include <span>

#include "json.hpp"
#include "rattleback/integrators/ensemble.hpp"
#include "rattleback/integrators/run_motion.hpp"
#include "rattleback/study/load.hpp"
#include "rattleback/study/verdict.hpp"

namespace rattleback::app {

namespace {

constexpr long batch_size = ScalarTraits<Pack>::lanes;

void append(CsvRow& row, std::span<const double> values) {
  for (const double x : values) row.push_back(shortest(x));
}
void append(CsvRow& row, const State<double>& z) {
  for (const auto* v : {&z.q, &z.p}) append(row, std::span(v->data(), v->size()));
}

/// `final` is a state, or its values in that order.
template <class Final>
void append(CsvRow& row, const RunFigures& run, bool alone, const State<double>& start,
            const Final& final) {
  row.emplace_back(run.ok() ? "done" : "failed");
  row.push_back(run.method);
  row.push_back(shortest(run.step));
  row.push_back(std::to_string(run.steps));
  for (const double x :
       {run.time(), run.initial_energy, run.final_energy, run.energy_error, run.energy_drift,
        run.constraint, run.hidden, run.newton_mean, double(run.newton_max), run.seconds})
    row.push_back(shortest(x));
  row.emplace_back(alone ? "0" : "1");
  append(row, start);
  append(row, final);
  row.push_back(run.failure.text());
}

bool run_together(const Plan& a, const Plan& b) {
  return a.method == b.method && a.step == b.step && a.steps == b.steps && a.every == b.every &&
         a.solve.tolerance == b.solve.tolerance;
}

}  // namespace

CsvRow sweep_head(const ModelFile& model) {
  CsvRow head{"member"};
  for (const auto& axis : model.sweep->axes) head.push_back(axis.name);
  for (const char* name :
       {"status", "method", "step", "steps", "time", "energy_initial", "energy_final",
        "energy_max_error", "energy_drift_per_time", "constraint_max", "hidden_constraint_max",
        "newton_mean", "newton_max", "seconds", "packed"})
    head.emplace_back(name);
  for (const char* when : {"initial_", "final_"})
    for (const auto& label : phase_space(model.system.coordinates).labels())
      head.push_back(when + label);
  head.emplace_back("error");
  return head;
}

long SweepMembers::batches() const { return (model_.sweep->size() + batch_size - 1) / batch_size; }

std::vector<long> SweepMembers::members(long batch) const {
  std::vector<long> numbers;
  const long end = std::min(model_.sweep->size(), (batch + 1) * batch_size);
  for (long i = batch * batch_size; i < end; ++i) numbers.push_back(i);
  return numbers;
}

std::optional<std::vector<CsvRow>> SweepMembers::rows(
    long batch, const std::function<bool(double)>& go_on) const {
  std::vector<CsvRow> rows;
  std::vector<Member> ready;
  for (const long number : members(batch)) {
    rows.push_back(row_begin(number));
    try {
      Problem problem = problem_of(number);
      Plan plan = make_plan(problem, request_);
      ready.push_back({number, rows.size() - 1, std::move(problem), std::move(plan)});
    } catch (const Error& error) {
      refuse(rows.back(), error);
    }
  }
  double before = 0;
  const auto so_far = [&](double done) { return go_on(before + done); };
  for (const auto& group : groups(ready)) {
    const bool alone = group[0]->problem.complete.has_value();
    if (!(alone ? integrate_alone(*group[0], rows[group[0]->row], so_far)
                : integrate(group, rows, so_far)))
      return std::nullopt;
    before += static_cast<double>(group.size());
  }
  return rows;
}

/// Those that run together.
auto SweepMembers::groups(const std::vector<Member>& members)
    -> std::vector<std::vector<const Member*>> {
  std::vector<std::vector<const Member*>> groups;
  for (const Member& member : members) {
    const auto same = std::ranges::find_if(groups, [&](const auto& group) {
      return !member.problem.complete && !group[0]->problem.complete &&
             run_together(group[0]->plan, member.plan);
    });
    if (same == groups.end())
      groups.push_back({&member});
    else
      same->push_back(&member);
  }
  return groups;
}

CsvRow SweepMembers::row_begin(long member) const {
  CsvRow row{std::to_string(member)};
  for (const double value : model_.sweep->values(member)) row.push_back(shortest(value));
  return row;
}

Problem SweepMembers::problem_of(long member) const {
  Settings settings = request_.settings;
  for (auto& setting : model_.sweep->settings(member)) settings.push_back(std::move(setting));
  std::optional<Variant>& variant = variants_.local();
  if (!variant || variant->settings != settings) {
    variant.reset();
    ModelFile file = load_text(model_.text, model_.path, settings);
    file.sweep.reset();  // a copy for each member
    auto initial = std::exchange(file.initial, std::nullopt);
    variant.emplace(std::move(settings), prepare(std::move(file)), std::move(initial));
  }
  Problem problem = variant->problem;
  if (variant->initial) start_from(problem, model_.sweep->start(member, *variant->initial));
  require_well_posed(problem);
  return problem;
}

void SweepMembers::refuse(CsvRow& row, const Error& error) const {
  row.emplace_back("refused");
  row.resize(columns_ - 1);
  row.emplace_back(error.what());
}

/// With redundant constraints, which are chosen from along the way, members run alone.
bool SweepMembers::integrate_alone(const Member& member, CsvRow& row,
                                   const std::function<bool(double)>& go_on) const try {
  const Plan& plan = member.plan;
  RunOptions<AnyMotion::Point> options{.step = plan.step,
                                       .steps = plan.steps,
                                       .every = plan.every,
                                       .allow_inconsistent = true,  // judged already
                                       .keep_states = false};
  options.progress = [&](const Progress& p) {
    return go_on(static_cast<double>(p.step) / static_cast<double>(p.steps));
  };
  const auto run = run_motion(*motion_of(member.problem, plan), options);
  if (run.stopped) return false;
  append(row, run, true, *member.problem.start, std::span<const double>(run.final));
  return true;
} catch (const ModelError& error) {  // of a method that does not take them
  refuse(row, error);
  return true;
}

/// False: it was stopped.
bool SweepMembers::integrate(const std::vector<const Member*>& members, std::vector<CsvRow>& rows,
                             const std::function<bool(double)>& go_on) const {
  const Plan& plan = members[0]->plan;
  std::vector<AnySystem> systems;
  std::vector<State<double>> starts;
  for (const Member* member : members) {
    systems.push_back(member->problem.system);
    starts.push_back(*member->problem.start);
  }
  EnsembleOptions<State<double>> options{.step = plan.step,
                                         .steps = plan.steps,
                                         .every = plan.every,
                                         .threads = 1,                 // this one
                                         .allow_inconsistent = true};  // judged already
  options.progress = [&](const EnsembleProgress& p) {
    return go_on(static_cast<double>(p.steps) / static_cast<double>(p.wanted) *
                 static_cast<double>(members.size()));
  };
  const auto runs = integrate_ensemble(systems, *plan.method, starts, options, plan.solve);
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (runs.copies[i].stopped) return false;
    append(rows[members[i]->row], runs.copies[i], runs.copies[i].alone, starts[i],
           runs.copies[i].final);
  }
  return true;
}

}  // namespace rattleback::app
