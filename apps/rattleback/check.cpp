#include <algorithm>
#include <cstdio>

#include "check_mechanism.hpp"
#include "exit_code.hpp"
#include "json.hpp"
#include "memory_limit.hpp"
#include "rattleback/geometry/residuals.hpp"
#include "rattleback/integrators/registry.hpp"
#include "rattleback/study/load.hpp"
#include "rattleback/study/memory.hpp"
#include "rattleback/study/plan.hpp"
#include "rattleback/study/verdict.hpp"
#include "run_output.hpp"
#include "verbs.hpp"

namespace rattleback::app {

namespace {

struct Applicability {
  const Method* method;
  std::string obstacle;
};

/// Everything check says.
struct Answer {
  std::string model;
  Analysis analysis;
  std::optional<Problem> problem;  ///< as it would be run; nothing: there is no H(q, p)
  std::string obstacle;            ///< why no method applies then
  std::vector<Applicability> methods;
  std::uint64_t memory = 0;  ///< of a run

  bool start_failed() const { return problem && !problem->no_start.empty(); }
  bool fine() const { return analysis.well_posed && analysis.consistent_start && !start_failed(); }
};

/// How a run would go; nothing where its method does not apply.
std::optional<std::string> path_of_run(const Problem& problem) {
  try {
    std::vector<std::string> unsaid;
    return path_in_words(problem, choose_method(problem, wanted_method(problem), unsaid));
  } catch (const ModelError&) {
    return std::nullopt;
  }
}

Answer answer(const ModelFile& file) {
  Answer a{.model = file.system.name, .memory = memory_to_run(file.system)};
  try {
    a.problem = prepare(file);
    a.analysis = analysis_of(*a.problem);
    const bool all_there = a.analysis.constraints == a.problem->system.constraint_count();
    if (a.analysis.well_posed && all_there) leave_out(*a.problem, a.analysis.redundant);
  } catch (const ModelError& error) {
    if (a.problem) throw;
    a.analysis = analyse(file.system);
    a.obstacle = a.analysis.obstacle.empty() ? error.what() : a.analysis.obstacle;
    if (a.analysis.well_posed) {  // H exists, but momenta were not found, or no code for it
      a.analysis.consistent_start = false;
      a.analysis.messages.emplace_back(error.what());
    }
  }
  const auto reasons = a.problem ? obstacles(*a.problem, a.analysis)
                                 : std::vector<std::string>(law_methods().size(), a.obstacle);
  for (std::size_t i = 0; i < reasons.size(); ++i)
    a.methods.push_back({&law_methods()[i], reasons[i]});
  return a;
}

Json rank_json(const RankDecision& r) {
  return Json::object({{"rank", r.rank},
                       {"rows", r.rows},
                       {"tolerance", r.tolerance},
                       {"gap", r.gap},
                       {"smallest", r.smallest},
                       {"at_start", r.at_start < 0 ? Json(nullptr) : Json(r.at_start)}});
}

Json chain_json(const DiracChain& chain) {
  std::vector<Json> members;
  members.reserve(chain.constraints.size());
  for (const ChainConstraint& c : chain.constraints)
    members.push_back(Json::object({{"expression", c.text},
                                    {"generation", c.generation},
                                    {"parent", c.parent < 0 ? Json(nullptr) : Json(c.parent)}}));
  return Json::array(members);
}

/// The numbers behind the verdict.
void add_numbers(const Analysis& v, Json& json) {
  const DiracChain& c = v.chain;
  json.add("free_multipliers", v.free_multipliers);
  json.add("singular_start", v.singular_start);
  json.add("singular_lagrangian", v.form.singular);
  json.add("chain", chain_json(c));
  json.add("messages", Json::array(v.messages));
  json.add("hints", Json::array(v.hints));
  json.add("ranks", Json::object({{"dg", rank_json(c.primary_rank)},
                                  {"d chi", rank_json(c.gradient_rank)},
                                  {"{chi, phi}", rank_json(c.multiplier_rank)},
                                  {"{chi, chi}", rank_json(c.class_rank)}}));
  json.add("bracket",
           Json::object({{"max", v.coisotropy.largest}, {"relative", v.coisotropy.relative}}));
  const Nondegeneracy& n = v.nondegeneracy;
  json.add("nondegeneracy", Json::object({{"smallest", n.smallest},
                                          {"relative", n.relative},
                                          {"least", n.least},
                                          {"positive", n.positive},
                                          {"negative", n.negative},
                                          {"zero", n.zero}}));
}

void add_start(const Answer& a, Json& json) {
  if (!a.problem) return;
  const Problem& problem = *a.problem;
  json.add("dimension", problem.system.dimension());
  json.add("class", class_in_words(problem));
  json.add("path", path_of_run(problem));
  json.add("notes", Json::array(problem.notes));
  if (a.start_failed()) json.add("no_start", problem.no_start);
  if (!problem.start) return;
  Residuals<AnySystem, double> residuals(problem.system);
  residuals.evaluate(problem.system, *problem.start);
  json.add("start_residual", a.analysis.start_residual);
  json.add("constraint", Json::object({{"max", residuals.largest_primary()}}));
  json.add("hidden_constraint", Json::object({{"max", residuals.largest_hidden()}}));
}

Json check_json(const Answer& a) {
  const Analysis& v = a.analysis;
  std::vector<std::string> apply;
  Json refused = Json::object({});
  for (const auto& [method, reason] : a.methods) {
    if (reason.empty())
      apply.push_back(method->info().name);
    else
      refused.add(method->info().name, reason);
  }
  Json json = Json::object({{"constraints", v.constraints},
                            {"holonomic", v.holonomic},
                            {"rank", v.rank},
                            {"redundant", Json::array(v.redundant)},
                            {"coisotropic", v.coisotropic},
                            {"nondegenerate", v.nondegenerate},
                            {"index", v.index < 0 ? Json(nullptr) : Json(v.index)},
                            {"hidden_constraints", v.hidden_constraints},
                            {"first_class", v.first_class},
                            {"second_class", v.second_class},
                            {"consistent_start", v.consistent_start && !a.start_failed()},
                            {"well_posed", v.well_posed},
                            {"verdict", v.verdict},
                            {"methods", Json::array(apply)},
                            {"methods_that_do_not_apply", refused},
                            {"model", a.model},
                            {"memory", static_cast<double>(a.memory)}});
  add_numbers(v, json);
  add_start(a, json);
  return json;
}

void line(const std::string& name, const std::string& text) {
  std::printf("%-21s %s\n", name.c_str(), text.c_str());
}

/// "rattle:base=verlet, rattle:base=midpoint, ...", broken to fit a terminal.
void print_names(std::string heading, const std::vector<std::string>& names) {
  constexpr std::size_t width = 76;
  std::string row;
  for (const auto& name : names) {
    if (!row.empty() && row.size() + name.size() > width) {
      line(heading, row);
      heading = row = "";
    }
    row += (row.empty() ? "" : " ") + name + (&name == &names.back() ? "" : ",");
  }
  line(heading, row);
}

/// Whether most variants of a family have this reason, or none: its name then stands for them.
bool is_usual(const Family& family, const std::string& reason,
              const std::vector<Applicability>& methods) {
  long variants = 0, alike = 0;
  for (const auto& [method, other] : methods) {
    if (&method->family() != &family) continue;
    ++variants;
    if (other == reason) ++alike;
  }
  return 2 * alike > variants;
}

/// Methods with the same reason stand together, a family for most of its variants, others by name.
void print_methods(const std::vector<Applicability>& methods, bool all) {
  std::vector<std::pair<std::string, std::vector<std::string>>> groups{{"", {}}};
  for (const auto& [method, reason] : methods) {
    auto group = groups.begin();
    while (group != groups.end() && group->first != reason) ++group;
    if (group == groups.end()) group = groups.insert(group, {reason, {}});
    const Family& family = method->family();
    const bool short_name = !all && is_usual(family, reason, methods);
    const std::string& name = short_name ? family.name : method->info().name;
    auto& names = group->second;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  if (groups[0].second.empty()) groups[0].second = {"none"};
  print_names("methods that apply", groups[0].second);
  for (std::size_t i = 1; i < groups.size(); ++i) {
    print_names(i == 1 ? "and those that do not" : "", groups[i].second);
    line("", "  because: " + groups[i].first);
  }
}

void print(const Answer& a, bool all_methods) {
  line("model", a.model);
  if (a.problem) {
    line("coordinates", std::to_string(a.problem->system.dimension()));
    line("class", class_in_words(*a.problem));
    if (const auto path = path_of_run(*a.problem)) line("path", *path);
  }
  constexpr double much = 1e8;
  if (const auto bytes = static_cast<double>(a.memory); bytes > much)
    line("memory", "about " + bytes_in_words(bytes) + " for a run");
  std::fputs(a.analysis.text().c_str(), stdout);
  if (a.start_failed()) line("start", a.problem->no_start);
  if (a.problem)
    for (const auto& note : a.problem->notes) line("a run is", note);
  print_methods(a.methods, all_methods);
}

/// For standard error; where the messages are not printed already, with them.
std::string objection(const Answer& a, bool with_messages) {
  const Analysis& v = a.analysis;
  if (v.well_posed && a.start_failed()) return a.problem->no_start;
  std::string text = v.well_posed ? "" : v.verdict;
  for (const auto& message : v.messages)
    if (with_messages)
      text += (text.empty() ? "" : &message == &v.messages[0] ? ": " : "; ") + message;
  return text.empty() ? "inconsistent start" : text;
}

}  // namespace

int check(const CheckRequest& request) {
  const ModelFile model = load(request.file, request.settings);
  if (model.mechanism)
    return check_mechanism(request.file, model, request.json, request.all_methods);
  require_memory(request.file, memory_to_check(model.system));
  const Answer a = answer(model);
  if (request.json)
    std::printf("%s\n", check_json(a).text().c_str());
  else
    print(a, request.all_methods);
  std::fflush(stdout);
  if (a.fine()) return done;
  complain(request.file + ": " + objection(a, request.json));
  return ill_posed;
}

}  // namespace rattleback::app
