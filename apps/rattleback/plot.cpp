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

void require_axes(const std::vector<std::string>& axes, const Layout& layout) {
  std::vector<std::string> known = layout.labels();
  known.emplace_back("t");
  for (const auto& axis : axes)
    if (std::find(known.begin(), known.end(), axis) == known.end())
      throw InputError("--plot-coordinates",
                       "there is no '" + axis + "'" + detail::suggestion(axis, known));
  if (axes.size() == 1 || axes.size() > 3)
    throw InputError("--plot-coordinates",
                     "a picture has two or three axes, got " + std::to_string(axes.size()));
}

void draw(const RunData& run, const std::string& path, const std::vector<std::string>& axes) {
  plot_run(run, path, {.axes = axes});
}

int plot(const PlotRequest& request) {
  require_picture(request.picture);
  const RunData run = read_run(request.run);
  require_axes(request.coordinates, run.header.layout);
  draw(run, request.picture, request.coordinates);
  return done;
}

}  // namespace rattleback::app
