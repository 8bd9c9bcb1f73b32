#include "compare_output.hpp"

#include <cstdio>
#include <map>

#include "report/gnuplot.hpp"
#include "text_table.hpp"

namespace rattleback::app {

namespace {

std::string rounded(double value, const char* format = "%.3g") {
  char text[40];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string rounded(const std::optional<double>& value, const char* format = "%.3g") {
  return value ? rounded(*value, format) : "-";
}

/// Points of one method: cost, error.
template <class Cost>
std::string datablock(const std::string& name, const std::vector<const ComparedRun*>& runs,
                      Cost cost) {
  std::string text = "$" + name + " << END\n";
  for (const ComparedRun* run : runs)
    if (run->error && *run->error > 0 && cost(*run) > 0)
      text += shortest(cost(*run)) + " " + shortest(*run->error) + "\n";
  return text + "END\n";
}

}  // namespace

Json comparison_json(const Comparison& c) {
  std::vector<Json> runs;
  for (const ComparedRun& run : c.runs) {
    const RunFigures& f = run.figures;
    runs.push_back(Json::object({{"method", f.method},
                                 {"step", f.step},
                                 {"steps", f.steps},
                                 {"error", run.error},
                                 {"order", run.order},
                                 {"energy_error", f.energy_error},
                                 {"constraint", f.constraint},
                                 {"hidden_constraint", f.hidden},
                                 {"newton_mean", f.newton_mean},
                                 {"force_evaluations", run.evaluations.force},
                                 {"hessian_evaluations", run.evaluations.hessian},
                                 {"constraint_evaluations", run.evaluations.constraint},
                                 {"seconds", f.seconds}}));
    if (!f.ok()) runs.back().add("failure", f.failure.text());
  }
  std::vector<Json> refused;
  refused.reserve(c.refused.size());
  for (const NotCompared& r : c.refused)
    refused.push_back(Json::object({{"method", r.method}, {"reason", r.reason}}));
  Json json = Json::object({{"model", c.model},
                            {"time", c.time},
                            {"reference", Json::object({{"method", c.reference.method},
                                                        {"step", c.reference.step},
                                                        {"error", c.reference.error}})},
                            {"runs", Json::array(runs)},
                            {"refused", Json::array(refused)},
                            {"notes", Json::array(c.notes)}});
  if (c.recommended)
    json.add("recommended", Json::object({{"method", c.recommended->method},
                                          {"step", c.recommended->step},
                                          {"seconds", c.recommended->seconds}}));
  return json;
}

std::string comparison_text(const Comparison& c) {
  TextTable table({"method", "h", "steps", "error", "order", "energy", "|g|", "|{g,H}|", "Newton",
                   "forces", "H_zz", "g's", "seconds"});
  std::string failures;
  for (const ComparedRun& run : c.runs) {
    const RunFigures& f = run.figures;
    table.add({f.method, rounded(f.step, "%.6g"), std::to_string(f.steps), rounded(run.error),
               rounded(run.order, "%.2f"), rounded(f.energy_error), rounded(f.constraint),
               rounded(f.hidden), rounded(f.newton_mean, "%.2f"),
               std::to_string(run.evaluations.force), std::to_string(run.evaluations.hessian),
               std::to_string(run.evaluations.constraint), rounded(f.seconds)});
    if (!f.ok()) failures += "FAILED  " + f.method + ": " + f.failure.text() + "\n";
  }
  std::string text = c.model + ", error at t = " + shortest(c.time) + "\n";
  for (const auto& note : c.notes) text += "chosen: " + note + "\n";
  for (const NotCompared& r : c.refused) failures += "left out  " + r.reason + "\n";
  text += table.text() + failures;
  if (c.recommended)
    text += "for an error of " + rounded(*c.accuracy) + ": " + c.recommended->method +
            " with h = " + rounded(c.recommended->step) + ", " + rounded(c.recommended->seconds) +
            " s\n";
  else if (c.accuracy)
    text += "for an error of " + rounded(*c.accuracy) + ": none of these runs gets there\n";
  if (c.reference.method.empty()) return text + "no reference: interrupted\n";
  return text + "reference: " + c.reference.method + " with h = " + rounded(c.reference.step) +
         "; halving its step to there changed it by " + rounded(c.reference.error) +
         "\nforces, H_zz, g's: evaluations of gradients, of second derivatives and of constraints, "
         "counted on the first steps\n";
}

void draw_comparison(const Comparison& c, const std::string& path) {
  std::vector<std::string> names;
  std::map<std::string, std::vector<const ComparedRun*>> by_method;
  for (const ComparedRun& run : c.runs) {
    auto& runs = by_method[run.figures.method];
    if (runs.empty()) names.push_back(run.figures.method);
    runs.push_back(&run);
  }
  using rattleback::detail::gnuplot_text;
  using rattleback::detail::picture_colours;
  const int key_rows = static_cast<int>(names.size() + 1) / 2;
  std::string script = rattleback::detail::picture_terminal(path, 1280, 560 + 22 * key_rows);
  script += rattleback::detail::picture_style();
  script += "set logscale xy\nset format '10^{%T}'\nset ylabel 'error at the end'\n";
  std::string seconds, forces;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto& runs = by_method[names[i]];
    const std::string s = "seconds" + std::to_string(i), f = "forces" + std::to_string(i);
    script += datablock(s, runs, [](const ComparedRun& run) { return run.figures.seconds; });
    script += datablock(
        f, runs, [](const ComparedRun& run) { return static_cast<double>(run.evaluations.force); });
    const std::string how = " with linespoints pt 7 ps 0.7 lw 1.5 lc rgb '" +
                            std::string(picture_colours[i % picture_colours.size()]) + "' dt " +
                            std::to_string(i / picture_colours.size() + 1);
    const char* more = i > 0 ? ", $" : "plot $";
    seconds.append(more).append(s).append(how + " title " + gnuplot_text(names[i]));
    forces.append(more).append(f).append(how + " notitle");
  }
  // One key for both panels, below them.
  const double height = 560 + 22 * key_rows;
  script += "set multiplot title " + gnuplot_text(c.model) +
            " noenhanced font ',15'\nset tmargin at screen 0.9\nset bmargin at screen " +
            rounded((80 + 22 * key_rows) / height) +
            "\nset lmargin at screen 0.08\nset rmargin at screen 0.49\nset xlabel 'seconds'\n"
            "set key noenhanced at screen 0.5, screen " +
            rounded((10 + 22 * key_rows) / height) + " center top maxrows " +
            std::to_string(key_rows) + " Left reverse\n" + seconds +
            "\nunset key\nset lmargin at screen 0.57\nset rmargin at screen 0.98\n"
            "set xlabel 'evaluations of forces'\n" +
            forces + "\nunset multiplot\n";
  rattleback::detail::draw_picture(path, "gnuplot", script);
}

}  // namespace rattleback::app
