// An experiment of a paper, run again: what the paper says, what is measured, and the data behind.
#pragma once

#include <string>
#include <vector>

namespace rattleback {

struct PaperExperiment {
  struct Figure {
    std::string what, paper, measured;
    bool agrees = true;
    std::string remark{};    ///< why a figure of the paper cannot be matched, and others
    bool comparable = true;  ///< false: the paper does not say enough
  };
  std::string id, title;
  std::vector<Figure> figures;
  std::vector<std::string> columns;       ///< of the data
  std::vector<std::vector<double>> rows;  ///< a value for every column
  bool logarithmic = false;               ///< how they are drawn
};

}  // namespace rattleback
