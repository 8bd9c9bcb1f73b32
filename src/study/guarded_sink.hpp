// A sink that may refuse.
#pragma once

#include <string>

#include "rattleback/report/run_sink.hpp"

namespace rattleback::study {

/// Passes on until the file refuses, so that the run ends with its figures and not with a throw.
class GuardedSink final : public RunSink {
 public:
  explicit GuardedSink(RunSink* sink) : sink_(sink) {}
  const std::string& error() const { return error_; }

  void add(const Sample& sample) override {
    guard([&] { sink_->add(sample); });
  }
  void checkpoint(const Checkpoint& checkpoint) override {
    guard([&] { sink_->checkpoint(checkpoint); });
  }
  /// Nothing yet: the file is to hold what is said to the user, see close().
  void finish(const RunFigures&) override {}
  void close(const RunFigures& figures) {
    guard([&] { sink_->finish(figures); });
  }

 private:
  template <class Write>
  void guard(Write write) {
    if (sink_ == nullptr || !error_.empty()) return;
    try {
      write();
    } catch (const FileError& error) {
      error_ = error.what();
    }
  }
  RunSink* sink_;
  std::string error_;
};

}  // namespace rattleback::study
