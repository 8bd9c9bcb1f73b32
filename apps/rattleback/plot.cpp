#include <algorithm>

#include "exit_code.hpp"
#include "picture.hpp"
#include "problem/suggest.hpp"
#include "rattleback/report/plot.hpp"
#include "rattleback/report/run_file.hpp"
#include "verbs.hpp"

namespace rattleback::app {

void require_picture(const std::string& path) {
  for (const char* ending : {".svg", ".png"})
    if (path.size() > 4 && path.ends_with(ending)) return;
  throw InputError(path, "pictures are drawn as .svg or .png");
}

void require_axes(const std::vector<std::string>& axes, const RunHeader& run) {
  std::vector<std::string> known = run.layout.labels();
  for (auto& name : multiplier_names(run)) known.push_back(std::move(name));
  known.emplace_back("t");
  for (const auto& axis : axes)
    if (std::find(known.begin(), known.end(), axis) == known.end())
      throw InputError("--plot-coordinates",
                       "there is no '" + axis + "'" + detail::suggestion(axis, known));
  if (axes.size() == 1 || axes.size() > 3)
    throw InputError("--plot-coordinates",
                     "a picture has two or three axes, got " + std::to_string(axes.size()));
}

int plot(const PlotRequest& request) {
  require_picture(request.picture);
  require_axes(request.coordinates, read_run_header(request.run).header);
  plot_run_file(request.run, request.picture, {.axes = request.coordinates});
  return done;
}

}  // namespace rattleback::app
