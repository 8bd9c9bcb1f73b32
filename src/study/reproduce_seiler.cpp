// The experiments of seiler.hpp for `rattleback reproduce`.
#include "rattleback/study/seiler.hpp"
#include "reproduce_parts.hpp"

namespace rattleback::study::papers {

namespace {

/// "none" of "error, none"; empty where there is no comma.
std::string kind_of(const std::string& column) {
  const auto comma = column.rfind(", ");
  return comma == std::string::npos ? "" : column.substr(comma + 2);
}

/// Every column over the first, one panel for each kind.
std::vector<FigurePanel> panels(const PaperExperiment& e) {
  std::vector<FigurePanel> all;
  for (std::size_t k = 1; k < e.columns.size(); ++k) {
    const std::string kind = kind_of(e.columns[k]), heading = kind.empty() ? e.title : kind;
    if (all.empty() || all.back().heading != heading) {
      all.push_back({.heading = heading, .x_label = e.columns[0], .columns = e.columns});
      all.back().logarithmic = e.logarithmic;
      for (const auto& row : e.rows)
        all.back().values.insert(all.back().values.end(), row.begin(), row.end());
    }
    const std::string name =
        kind.empty() ? e.columns[k] : e.columns[k].substr(0, e.columns[k].size() - kind.size() - 2);
    all.back().curves.push_back({e.columns[0], e.columns[k], name});
  }
  return all;
}

template <PaperExperiment (*run)()>
void make(Reproduction& out) {
  const PaperExperiment e = run();
  out.figure.panels = panels(e);
  for (const auto& figure : e.figures) {
    if (figure.comparable) {
      out.claims.push_back({figure.what + ": " + figure.paper, figure.measured, figure.agrees});
      if (!figure.remark.empty()) out.errata.push_back(figure.what + ": " + figure.remark);
    } else {
      out.errata.push_back(figure.what + ": " + figure.paper + " in the paper, here " +
                           figure.measured + "; " + figure.remark);
    }
  }
}

template <PaperExperiment (*run)()>
Part part(const char* id, const char* text) {
  return {{.id = id, .text = text, .cite = "[Seiler 8]", .needs = "underlying"}, make<run>};
}

}  // namespace

std::vector<Part> seiler_experiments() {
  return {part<seiler::projections>("seiler-projections",
                                    "projections of positions and of momenta, counted"),
          part<seiler::errors>("seiler-errors", "errors and residuals, and how fast they grow"),
          part<seiler::spectra>("seiler-periodogram", "periodogram of the motion"),
          part<seiler::stability>("seiler-stability", "orbital stability from perturbed data"),
          part<seiler::impetus>("seiler-impetus", "growth of the impetus, and its cure"),
          part<seiler::energy_change>("seiler-energy-change",
                                      "energy change of a momentum projection")};
}

}  // namespace rattleback::study::papers
