#include <cstdio>

#include "exit_code.hpp"
#include "json.hpp"
#include "rattleback/integrators/registry.hpp"
#include "verbs.hpp"
#include "verdict.hpp"

namespace rattleback::app {

namespace {

struct Applicability {
  const Method* method;
  std::string obstacle;
};

std::vector<Applicability> applicability(const Problem& problem, const Verdict& verdict) {
  std::vector<Applicability> result;
  for (const Method& method : registry())
    result.push_back({&method, obstacle(method, problem, verdict)});
  return result;
}

Json check_json(const Problem& problem, const Verdict& v,
                const std::vector<Applicability>& methods) {
  std::vector<std::string> apply;
  Json refused = Json::object({});
  for (const auto& [method, reason] : methods) {
    if (reason.empty())
      apply.push_back(method->info().name);
    else
      refused.add(method->info().name, reason);
  }
  return Json::object({{"constraints", v.constraints},
                       {"holonomic", v.holonomic},
                       {"rank", v.rank},
                       {"redundant", Json::array(v.redundant)},
                       {"coisotropic", v.coisotropic},
                       {"nondegenerate", v.nondegenerate},
                       {"index", v.index},
                       {"hidden_constraints", v.hidden_constraints},
                       {"first_class", v.first_class},
                       {"second_class", v.second_class},
                       {"consistent_start", v.consistent_start},
                       {"well_posed", v.well_posed},
                       {"verdict", v.text},
                       {"methods", Json::array(apply)},
                       {"methods_that_do_not_apply", refused},
                       {"model", problem.system.name()},
                       {"dimension", problem.system.dimension()},
                       {"class", class_in_words(problem)},
                       {"path", path_in_words(problem)},
                       {"constraint", Json::object({{"max", v.constraint}})},
                       {"hidden_constraint", Json::object({{"max", v.hidden}})},
                       {"bracket", Json::object({{"max", v.bracket}})},
                       {"smallest_singular_value", v.smallest},
                       {"nondegeneracy", v.nondegeneracy}});
}

std::string figure(const std::optional<double>& value) {
  return value ? detail::quote(*value) : "not known";
}

template <class T>
std::string figure(const std::optional<T>& value) {
  return value ? std::to_string(*value) : "not known";
}

std::string yes_or_no(const std::optional<bool>& value) {
  return !value ? "not known" : *value ? "yes" : "no";
}

void line(const char* name, const std::string& text) {
  std::printf("%-20s %s\n", name, text.c_str());
}

void print_constraints(const Problem& problem, const Verdict& v) {
  line("rank of dg", figure(v.rank) + " of " + std::to_string(v.constraints) +
                         ", relative smallest singular value " + figure(v.smallest));
  for (const int i : v.redundant) line("  depends on others", problem.label(i));
  line("holonomic", v.holonomic ? "yes" : "no: constraints contain momenta");
  line("coisotropic", yes_or_no(v.coisotropic) + ", max |{g_i,g_j}| = " + figure(v.bracket));
  line("nondegenerate", yes_or_no(v.nondegenerate) +
                            ", relative smallest singular value of N = {{g,H},g} " +
                            figure(v.nondegeneracy));
  line("index", figure(v.index));
  line("hidden constraints", figure(v.hidden_constraints));
  line("first class", figure(v.first_class));
  line("second class", figure(v.second_class));
  line("consistent start", yes_or_no(v.consistent_start) + ", max |g| = " + figure(v.constraint) +
                               ", max |{g,H}| = " + figure(v.hidden));
}

void print_methods(const std::vector<Applicability>& methods) {
  const char* name = "methods that apply";
  for (const auto& [method, reason] : methods)
    if (reason.empty()) {
      line(name, method->info().name);
      name = "";
    }
  name = "and those that don't";
  for (const auto& [method, reason] : methods)
    if (!reason.empty()) {
      line(name, method->info().name + ": " + reason);
      name = "";
    }
}

}  // namespace

int check(const CheckRequest& request) {
  const Problem problem = prepare(read_model(request.file, request.settings));
  const Verdict verdict = analyse(problem);
  const auto methods = applicability(problem, verdict);
  if (request.json) {
    std::printf("%s\n", check_json(problem, verdict, methods).text().c_str());
  } else {
    line("model", problem.system.name());
    line("coordinates", std::to_string(problem.system.dimension()));
    line("constraints", std::to_string(verdict.constraints));
    line("class", class_in_words(problem));
    line("path", path_in_words(problem));
    if (verdict.constraints > 0) print_constraints(problem, verdict);
    line("verdict", verdict.text);
    print_methods(methods);
  }
  return done;
}

}  // namespace rattleback::app
