#include "sweep_file.hpp"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include "rattleback/report/file_error.hpp"

namespace rattleback::app {

namespace {

/// Cells of a line; quoted ones may hold commas.
CsvRow cells(const std::string& line) {
  CsvRow row(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
      row.back() += line[++i];
    else if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      row.emplace_back();
    else
      row.back() += c;
  }
  return row;
}

}  // namespace

std::string csv_line(const CsvRow& row) {
  std::string line;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i > 0) line += ',';
    if (row[i].find_first_of(",\"\n") == std::string::npos) {
      line += row[i];
      continue;
    }
    line += '"';
    for (const char c : row[i]) line += c == '"' ? "\"\"" : std::string(1, c == '\n' ? ' ' : c);
    line += '"';
  }
  return line + '\n';
}

SweepFile::SweepFile(std::string path, CsvRow head)
    : path_(std::move(path)), head_(std::move(head)) {
  write(csv_line(head_), false);
}

SweepFile SweepFile::resume(const std::string& path, const CsvRow& head) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw FileError(path, std::string("cannot be read: ") + std::strerror(errno));
  std::stringstream all;
  all << stream.rdbuf();
  std::string text = all.str();
  text.erase(text.rfind('\n') + 1);  // npos + 1 is 0
  SweepFile file({}, head);
  file.path_ = path;
  std::istringstream lines(text);
  std::string line;
  if (std::getline(lines, line) && cells(line) != head)
    throw FileError(path, "is not the table of this sweep: its columns are others");
  while (std::getline(lines, line)) {
    CsvRow row = cells(line);
    long member = 0;
    const char* end = row[0].data() + row[0].size();
    const auto [stop, error] = std::from_chars(row[0].data(), end, member);
    if (row.size() != head.size() || error != std::errc{} || stop != end)
      throw FileError(path, "has a row that is none of a sweep: " + line.substr(0, 60));
    file.rows_[member] = std::move(row);
  }
  file.finish();  // without what was cut off
  return file;
}

void SweepFile::add(long member, const CsvRow& row) {
  const std::lock_guard lock(*mutex_);
  if (rows_.emplace(member, row).second) write(csv_line(row), true);
}

std::size_t SweepFile::count() const {
  const std::lock_guard lock(*mutex_);
  return rows_.size();
}

void SweepFile::finish() const {
  std::string text = csv_line(head_);
  for (const auto& [member, row] : rows_) text += csv_line(row);
  if (path_.empty()) return;
  // Beside the table and then in its place, so that a kill leaves one of the two.
  SweepFile whole(path_ + ".part", {});
  whole.write(text, false);
  std::error_code error;
  std::filesystem::rename(path_ + ".part", path_, error);
  if (error) throw FileError(path_, "cannot be written: " + error.message());
}

void SweepFile::write(const std::string& text, bool append) const {
  if (path_.empty()) return;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
      std::fopen(path_.c_str(), append ? "ab" : "wb"), &std::fclose);
  if (!file || std::fwrite(text.data(), 1, text.size(), file.get()) != text.size() ||
      std::fflush(file.get()) != 0)
    throw FileError(path_, std::string("cannot be written: ") + std::strerror(errno));
}

}  // namespace rattleback::app
