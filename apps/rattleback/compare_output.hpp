// What `compare` shows: table, JSON and picture.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "json.hpp"
#include "rattleback/integrators/run.hpp"
#include "rattleback/study/counting.hpp"
#include "verbs.hpp"

namespace rattleback::app {

struct ComparedRun {
  RunFigures figures;
  State<double> final;
  Evaluations evaluations;
  std::optional<double> error;  ///< largest difference from the reference at the end
  std::optional<double> order;  ///< from the step before
};

struct Reference {
  std::string method;
  double step = 0;
  double error = 0;  ///< its own: what its last halving changed
};

struct Comparison {
  std::string model;
  double time = 0;
  Reference reference{};
  std::vector<ComparedRun> runs{};
  std::vector<std::string> notes{};
};

Json comparison_json(const Comparison& comparison);
std::string comparison_text(const Comparison& comparison);
void draw_comparison(const Comparison& comparison, const std::string& path);

}  // namespace rattleback::app
