// What sinks share: the rows of a run as they are buffered, stored and read back, and its end.
#pragma once

#include "rattleback/report/run_sink.hpp"

namespace rattleback::detail {

/// Every column: name, numbers per row (0: a plain vector), values. The order is that of the files.
template <class Data, class Visit>
void each_column(Data& d, Visit&& visit) {
  visit("time", 0, d.time);
  visit("q", d.q.columns, d.q.values);
  visit("p", d.p.columns, d.p.values);
  visit("energy", 0, d.energy);
  visit("constraint", 0, d.constraint);
  visit("hidden", 0, d.hidden);
  visit("newton", 0, d.newton);
  if (d.multipliers.columns > 0) visit("multipliers", d.multipliers.columns, d.multipliers.values);
}

/// So many rows of the header's shape, their values still to come.
inline void shape_rows(RunData& d, long rows) {
  for (Table* table : {&d.q, &d.p}) *table = {rows, d.header.dimension(), {}};
  d.multipliers = {rows, d.header.multipliers, {}};
}

inline void add_row(RunData& d, const RunSample& sample) {
  const auto append = [](Table& table, const auto& row) {
    table.values.insert(table.values.end(), row.begin(), row.begin() + table.columns);
    ++table.rows;
  };
  d.time.push_back(sample.t);
  append(d.q, sample.z.q);
  append(d.p, sample.z.p);
  append(d.multipliers, sample.multipliers);
  d.energy.push_back(sample.energy);
  d.constraint.push_back(sample.constraint);
  d.hidden.push_back(sample.hidden);
  d.newton.push_back(sample.newton);
}

/// Keeps the memory.
inline void clear_rows(RunData& d) {
  each_column(d, [](const char*, int, auto& values) { values.clear(); });
  for (Table* table : {&d.q, &d.p, &d.multipliers}) table->rows = 0;
}

inline RunState state_at_end(const RunFigures& figures) {
  if (!figures.ok()) return RunState::failed;
  return figures.stopped ? RunState::stopped : RunState::finished;
}

}  // namespace rattleback::detail
