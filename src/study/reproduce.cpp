#include "rattleback/study/reproduce.hpp"

#include <cstdio>

#include "../problem/suggest.hpp"
#include "rattleback/expression/expression_system.hpp"
#include "rattleback/geometry/residuals.hpp"
#include "rattleback/problem/error.hpp"
#include "rattleback/text/model.hpp"
#include "reproduce_parts.hpp"

namespace rattleback::study {

namespace papers {

AnySystem system_from(const std::string& text) {
  return expression_system(parse_model(text, "experiment").system);
}

Trajectory trajectory(const AnySystem& system, const std::string& method,
                      const State<double>& start, double step, long steps) {
  auto stepper = find_method(method).stepper<double>(system);
  Trajectory run{step, {start}};
  State<double> z = start;
  for (long k = 0; k < steps; ++k) {
    if (!stepper->step(system, z, step))
      throw ModelError(method + " fails at t = " + short_number(run.time(run.states.size() - 1)));
    State<double> look = z;
    if (!stepper->present(system, look)) throw ModelError(method + ": a projection fails");
    run.states.push_back(std::move(look));
  }
  return run;
}

double constraint(const AnySystem& system, const State<double>& z) {
  Residuals<AnySystem, double> residuals(system);
  residuals.evaluate(system, z);
  return residuals.primary(0);
}

double hidden_constraint(const AnySystem& system, const State<double>& z) {
  Residuals<AnySystem, double> residuals(system);
  residuals.evaluate(system, z);
  return residuals.hidden(0);
}

std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

}  // namespace papers

namespace {

const std::vector<papers::Part>& parts() {
  static const std::vector<papers::Part> all = [] {
    auto list = papers::reich_experiments();
    for (auto& part : papers::hopf_experiments()) list.push_back(std::move(part));
    for (auto& part : papers::seiler_experiments()) list.push_back(std::move(part));
    return list;
  }();
  return all;
}

}  // namespace

const std::vector<Experiment>& experiments() {
  static const std::vector<Experiment> all = [] {
    std::vector<Experiment> list;
    for (const papers::Part& part : parts()) list.push_back(part.experiment);
    return list;
  }();
  return all;
}

std::string obstacle(const Experiment& experiment) {
  if (experiment.needs.empty()) return {};
  try {
    (void)find_method(experiment.needs);
    return {};
  } catch (const InputError&) {
    return "it needs the method " + experiment.needs + ", which is not there";
  }
}

Reproduction reproduce(const std::string& id) {
  std::vector<std::string> known;
  for (const papers::Part& part : parts()) {
    known.push_back(part.experiment.id);
    if (part.experiment.id != id) continue;
    if (const std::string why = obstacle(part.experiment); !why.empty())
      throw InputError("reproduce", ("'" + id).append("' cannot be run: ").append(why));
    Reproduction result{.experiment = part.experiment};
    result.figure.title = part.experiment.text;
    part.make(result);
    return result;
  }
  std::string all;
  for (const auto& name : known) all += (all.empty() ? "" : ", ") + name;
  throw InputError("reproduce", "there is no experiment '" + id + "'; there are: " + all +
                                    rattleback::detail::suggestion(id, known));
}

}  // namespace rattleback::study
