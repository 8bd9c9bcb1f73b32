// Header and summary of a run file: what was run, and how it went.
#pragma once

#include "hdf5_values.hpp"
#include "rattleback/report/run_data.hpp"

namespace rattleback::detail {

void write_header(const Hdf5Values& values, hid_t file, const RunHeader& header);
/// Throws FileError for what is no run, or one of another format.
RunHeader read_header(const Hdf5Values& values, hid_t file);
void write_wanted(const Hdf5Values& values, hid_t file, long wanted);

void write_state(const Hdf5Values& values, hid_t summary, RunState state);
void write_summary(const Hdf5Values& values, hid_t summary, RunState state, const RunFigures& f);
/// State and figures; the header is there already.
void read_summary(const Hdf5Values& values, hid_t file, RunData& data);

}  // namespace rattleback::detail
