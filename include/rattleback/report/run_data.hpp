// A run as files hold it: what was run, and its stored states.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "rattleback/integrators/motion.hpp"
#include "rattleback/integrators/run.hpp"

namespace rattleback {

/// What was run.
struct RunHeader : MotionInfo {
  std::string model_text;  ///< the model file, verbatim; empty for a system written in C++
  std::vector<std::string> multiplier_constraints{};  ///< of each its constraint, where known
  double step = 0;
  long every = 0, restart_every = 0, wanted = 0;  ///< steps
  std::map<std::string, std::string> settings;    ///< whatever else is needed to run it again
};

/// lambda_1, lambda_2, ...: of the constraints as they were written.
std::vector<std::string> multiplier_names(const RunHeader& header);

enum class RunState { running, finished, stopped, failed };
const char* name(RunState state);

/// A table by rows.
struct Table {
  long rows = 0;
  int columns = 0;
  std::vector<double> values;

  double operator()(long row, int column) const {
    return values[static_cast<std::size_t>(row * columns + column)];
  }
};

struct RunData {
  RunHeader header;
  std::string version;                 ///< of the library that wrote it
  RunState state = RunState::running;  ///< as last written: `running` also if it was killed
  RunFigures figures;                  ///< of a run that ended, otherwise of the last checkpoint
  std::vector<double> time;
  std::vector<Table> fields;  ///< as the header's layout has them
  std::vector<double> energy, constraint, hidden;
  Table multipliers;
  std::vector<std::int64_t> newton;
  std::optional<Checkpoint> checkpoint;

  long rows() const { return static_cast<long>(time.size()); }
  /// By its name. Throws InputError where there is none.
  const Table& field(const std::string& name) const;
};

}  // namespace rattleback
