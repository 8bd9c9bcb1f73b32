// The members of a sweep as rows of its table.
#pragma once

#include <tbb/enumerable_thread_specific.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sweep_file.hpp"
#include "verbs.hpp"

namespace rattleback::app {

CsvRow sweep_head(const ModelFile& model);

/// Members run eight in a row: in one pack where they differ in numbers only, alone where not, or
/// where they have redundant constraints.
/// Which ones go together depends on the sweep alone, so that a resumed one gives the same numbers.
class SweepMembers {
 public:
  SweepMembers(const RunRequest& request, const ModelFile& model)
      : request_(request), model_(model), columns_(sweep_head(model).size()) {}

  long size() const { return model_.sweep->size(); }
  long batches() const;
  std::vector<long> members(long batch) const;

  /// A row for each member, or nothing where go_on said no. It is told how many runs of the batch
  /// are done, in fractions. From any thread.
  std::optional<std::vector<CsvRow>> rows(long batch,
                                          const std::function<bool(double done)>& go_on) const;

 private:
  struct Member {
    long number;
    std::size_t row;
    Problem problem;
    Plan plan;
  };
  /// The model with parameters of some members, which a thread keeps for the next ones: what is
  /// said of a system adds to its expressions, so that threads cannot share it.
  struct Variant {
    Settings settings;
    Problem problem;
    std::optional<ModelFile::Initial> initial;
  };

  Problem problem_of(long member) const;
  CsvRow row_begin(long member) const;
  void refuse(CsvRow& row, const Error& error) const;
  static std::vector<std::vector<const Member*>> groups(const std::vector<Member>& members);
  bool integrate_alone(const Member& member, CsvRow& row,
                       const std::function<bool(double)>& go_on) const;
  bool integrate(const std::vector<const Member*>& members, std::vector<CsvRow>& rows,
                 const std::function<bool(double)>& go_on) const;

  const RunRequest& request_;
  const ModelFile& model_;
  std::size_t columns_;
  mutable tbb::enumerable_thread_specific<std::optional<Variant>> variants_;
};

}  // namespace rattleback::app
