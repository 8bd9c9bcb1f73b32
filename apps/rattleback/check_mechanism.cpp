#include "check_mechanism.hpp"

#include <algorithm>
#include <cstdio>
#include <optional>

#include "exit_code.hpp"
#include "json.hpp"
#include "rattleback/multibody/mechanism_motion.hpp"
#include "run_output.hpp"

namespace rattleback::app {

namespace {

struct MechanismAnswer {
  MechanismReport report{};
  std::string objection{};  ///< why it cannot run; empty: it can
  bool joints_fit = true;
};

MechanismAnswer mechanism_answer(const ModelFile& model) {
  MechanismAnswer a{.report = {.bodies = static_cast<int>(model.mechanism->bodies.size())}};
  try {
    a.joints_fit = false;
    a.report = report_on(*model.mechanism);
    a.joints_fit = true;
    if (!model.initial || !(model.initial->project || model.initial->allow_inconsistent))
      require_consistent_velocities(*model.mechanism);
  } catch (const ModelError& error) {
    a.objection = error.what();
  }
  return a;
}

std::string verdict(const MechanismAnswer& a) {
  if (!a.joints_fit) return "the joints do not fit at the start";
  const int freedoms = a.report.freedoms();
  return "holonomic constraints on " + std::to_string(a.report.bodies) +
         (a.report.bodies == 1 ? " body" : " bodies") + ": " + std::to_string(freedoms) +
         (freedoms == 1 ? " degree" : " degrees") + " of freedom" +
         (a.report.redundant.empty() ? "" : ", some equations follow from the others");
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const Family& family : mechanism_families()) names.push_back(family.name);
  return names;
}

/// Every combination of the options of the methods, and the standard one of each composed.
std::vector<std::string> variant_names() {
  std::vector<std::string> names;
  const auto add = [&](const Family& family, const Values& chosen) {
    const std::string name = Method(family, family.values(chosen)).info().name;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const Family& family : mechanism_families()) {
    std::vector<Values> plain{Values{}};
    for (const Option& option : family.options) {
      if (option.name == "compose") continue;
      std::vector<Values> more;
      for (const Values& before : plain)
        for (const OptionValue& value : option.samples) {
          more.push_back(before);
          more.back().set(option.name, value);
        }
      plain = std::move(more);
    }
    for (const Values& chosen : plain) add(family, chosen);
    const bool symmetric = Method(family, family.values({})).info().symmetric;
    if (const Option* compose = family.find("compose"); compose && symmetric)
      for (const OptionValue& scheme : compose->samples) add(family, {{"compose", scheme}});
  }
  return names;
}

Json check_json(const ModelFile& model, const MechanismAnswer& a) {
  const Mechanism& m = *model.mechanism;
  const MechanismReport& r = a.report;
  return Json::object({{"constraints", r.equations},
                       {"holonomic", true},
                       {"rank", r.rank},
                       {"redundant", Json::array(r.redundant)},
                       {"coisotropic", true},
                       {"nondegenerate", true},
                       {"index", r.equations > 0 ? 3 : 0},
                       {"hidden_constraints", r.rank},
                       {"first_class", 0},
                       {"second_class", 2 * r.rank},
                       {"consistent_start", a.objection.empty()},
                       {"well_posed", true},
                       {"verdict", verdict(a)},
                       {"methods", Json::array(method_names())},
                       {"model", m.name},
                       {"bodies", r.bodies},
                       {"joints", m.joints.size()},
                       {"degrees_of_freedom", r.freedoms()},
                       {"loops", r.loops},
                       {"redundant_equations", Json::array(r.labels)},
                       {"notes", Json::array(model.notes)}});
}

void line(const char* name, const std::string& text) {
  std::printf("%-21s %s\n", name, text.c_str());
}

void print(const ModelFile& model, const MechanismAnswer& a, bool all_methods) {
  const Mechanism& m = *model.mechanism;
  const MechanismReport& r = a.report;
  line("model", m.name);
  line("bodies", std::to_string(r.bodies));
  line("joints",
       std::to_string(m.joints.size()) + (r.loops ? ", which close loops" : ", a tree: no loops"));
  for (const auto& note : model.notes) line("note", note);
  line("verdict", verdict(a));
  if (!a.joints_fit) return;
  line("equations", std::to_string(r.equations) + " of rank " + std::to_string(r.rank));
  for (const auto& label : r.labels) line("", "follows from the others: " + label);
  line("consistent start", a.objection.empty() ? "yes" : "no: " + a.objection);
  const auto names = all_methods ? variant_names() : method_names();
  std::string row, heading = "methods that apply";
  constexpr std::size_t width = 76;
  for (const auto& name : names) {
    if (!row.empty() && row.size() + name.size() > width) {
      line(heading.c_str(), row);
      heading = row = "";
    }
    row += (row.empty() ? "" : " ") + name + (&name == &names.back() ? "" : ",");
  }
  line(heading.c_str(), row);
}

}  // namespace

int check_mechanism(const std::string& file, const ModelFile& model, bool json, bool all_methods) {
  const MechanismAnswer a = mechanism_answer(model);
  if (json)
    std::printf("%s\n", check_json(model, a).text().c_str());
  else
    print(model, a, all_methods);
  std::fflush(stdout);
  if (a.objection.empty()) return done;
  complain(file + ": " + a.objection);
  return ill_posed;
}

}  // namespace rattleback::app
