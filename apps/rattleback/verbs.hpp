// The verbs and what each is asked; the options are read in command_line.cpp. Every verb returns an
// exit code and throws InputError or ModelError for what it cannot do.
#pragma once

#include <string>
#include <vector>

#include "rattleback/study/compare.hpp"
#include "rattleback/study/job.hpp"

namespace rattleback::app {

using namespace study;  // of which this is the command line

struct RunRequest : JobRequest {
  std::string plot, report;
  std::vector<std::string> plot_coordinates;
  bool json = false, quiet = false, modified_energy = false;
};

struct CheckRequest {
  std::string file;
  Settings settings;
  bool json = false, all_methods = false;
};

struct MethodsRequest {
  std::string name;  ///< of one family, or empty
  bool json = false;
};

struct CompareRequest : ComparisonWishes {
  std::string file;
  Settings settings;
  std::string plot;
  bool json = false, quiet = false;
};

struct ReproduceRequest {
  std::string id;               ///< of an experiment, all, or empty: a list
  std::string out;              ///< a folder; empty: here
  std::string picture = "svg";  ///< or png, none
  bool json = false;
};

struct PlotRequest {
  std::string run, picture;
  std::vector<std::string> coordinates;
};

int run(const RunRequest& request);
int check(const CheckRequest& request);
int compare(const CompareRequest& request);
int methods(const MethodsRequest& request);
/// For shells: what this beginning of a method may become, one on a line.
int complete_method(const std::string& text);
int plot(const PlotRequest& request);
int reproduce(const ReproduceRequest& request);

}  // namespace rattleback::app
