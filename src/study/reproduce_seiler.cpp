// The experiments of seiler.hpp for `rattleback reproduce`.
#include "rattleback/study/seiler.hpp"
#include "reproduce_parts.hpp"

namespace rattleback::study::detail {

namespace {

/// One panel: every column over the first.
FigurePanel panel(const PaperExperiment& e) {
  FigurePanel p{.heading = e.title, .x_label = e.columns[0], .columns = e.columns};
  p.logarithmic = e.logarithmic;
  for (const auto& row : e.rows) p.values.insert(p.values.end(), row.begin(), row.end());
  for (std::size_t k = 1; k < e.columns.size(); ++k)
    p.curves.push_back({e.columns[0], e.columns[k], e.columns[k]});
  return p;
}

template <PaperExperiment (*run)()>
void make(Reproduction& out) {
  const PaperExperiment e = run();
  out.figure.panels.push_back(panel(e));
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

}  // namespace rattleback::study::detail
