// Columns of text, aligned for a terminal.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace rattleback::app {

class TextTable {
 public:
  explicit TextTable(std::vector<std::string> head) { add(std::move(head)); }
  void add(std::vector<std::string> row) {
    width_.resize(std::max(width_.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) width_[i] = std::max(width_[i], row[i].size());
    rows_.push_back(std::move(row));
  }
  std::string text() const {
    std::string text;
    for (const auto& row : rows_) {
      std::string line;
      for (std::size_t i = 0; i < row.size(); ++i)
        line += row[i] + std::string(width_[i] - row[i].size() + 2, ' ');
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + '\n';
    }
    return text;
  }

 private:
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::size_t> width_;
};

}  // namespace rattleback::app
