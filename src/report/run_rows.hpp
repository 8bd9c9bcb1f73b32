// What sinks share: the rows of a run as they are buffered, stored and read back, and its end.
#pragma once

#include "rattleback/report/run_sink.hpp"

namespace rattleback::detail {

/// Every column: name, numbers per row (0: a plain vector), values. The order is that of the files.
template <class Data, class Visit>
void each_column(Data& d, Visit&& visit) {
  visit("time", 0, d.time);
  for (std::size_t i = 0; i < d.fields.size(); ++i)
    visit(d.header.layout.fields[i].name, d.fields[i].columns, d.fields[i].values);
  visit("energy", 0, d.energy);
  visit("constraint", 0, d.constraint);
  visit("hidden", 0, d.hidden);
  visit("newton", 0, d.newton);
  if (d.multipliers.columns > 0) visit("multipliers", d.multipliers.columns, d.multipliers.values);
}

/// So many rows of the header's shape, their values still to come.
inline void shape_rows(RunData& d, long rows) {
  d.fields.clear();
  for (const Field& field : d.header.layout.fields) d.fields.push_back({rows, field.columns(), {}});
  d.multipliers = {rows, d.header.multipliers, {}};
}

inline void add_row(RunData& d, const Sample& sample) {
  const auto append = [](Table& table, auto from) {
    table.values.insert(table.values.end(), from, from + table.columns);
    ++table.rows;
    return from + table.columns;
  };
  d.time.push_back(sample.t);
  auto values = sample.values.begin();
  for (Table& field : d.fields) values = append(field, values);
  append(d.multipliers, sample.multipliers.begin());
  d.energy.push_back(sample.energy);
  d.constraint.push_back(sample.constraint);
  d.hidden.push_back(sample.hidden);
  d.newton.push_back(sample.newton);
}

/// Keeps the memory.
inline void clear_rows(RunData& d) {
  each_column(d, [](const std::string&, int, auto& values) { values.clear(); });
  for (Table& field : d.fields) field.rows = 0;
  d.multipliers.rows = 0;
}

inline RunState state_at_end(const RunFigures& figures) {
  if (!figures.ok()) return RunState::failed;
  return figures.stopped ? RunState::stopped : RunState::finished;
}

}  // namespace rattleback::detail
