#include "sweep_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>

#include "rattleback/report/file_error.hpp"

namespace rattleback::app {

using rattleback::detail::LockedFile;

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

/// The lines of an open file from its beginning.
class Lines {
 public:
  explicit Lines(const LockedFile& file) : file_(file) {}

  /// Without its end; false where there is no further whole line.
  bool next(std::string& line) {
    for (;;) {
      const std::size_t end = buffer_.find('\n', at_);
      if (end != std::string::npos) {
        line.assign(buffer_, at_, end - at_);
        position_ += end + 1 - at_;
        at_ = end + 1;
        return true;
      }
      buffer_.erase(0, at_);
      at_ = 0;
      const std::size_t kept = buffer_.size();
      buffer_.resize(kept + (1 << 16));
      const ssize_t n = ::pread(file_.file(), buffer_.data() + kept, buffer_.size() - kept,
                                static_cast<off_t>(position_ + kept));
      if (n < 0) file_.fail("cannot be read");
      buffer_.resize(kept + static_cast<std::size_t>(n));
      if (n == 0) return false;
    }
  }
  /// Where the next line begins.
  std::size_t position() const { return position_; }

 private:
  const LockedFile& file_;
  std::string buffer_;
  std::size_t at_ = 0, position_ = 0;
};

std::unique_ptr<LockedFile> nameless_file() {
  std::string name = (std::filesystem::temp_directory_path() / "rattleback-XXXXXX").string();
  const int made = ::mkostemp(name.data(), O_CLOEXEC);
  if (made < 0) throw FileError(name, std::string("cannot be written: ") + std::strerror(errno));
  ::close(made);
  auto file = std::make_unique<LockedFile>(name, LockedFile::Open::create);
  ::unlink(name.c_str());
  return file;
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

SweepFile::SweepFile(const std::string& path, CsvRow head, long members, Existing existing)
    : head_(std::move(head)),
      there_(static_cast<std::size_t>(members)),
      file_(path.empty() ? nameless_file()
                         : std::make_unique<LockedFile>(path, LockedFile::Open::create, existing)) {
  file_->cut(0);
  write(head_);
}

SweepFile::SweepFile(const std::string& path, CsvRow head, long members, const Visit& seen)
    : head_(std::move(head)),
      there_(static_cast<std::size_t>(members)),
      file_(std::make_unique<LockedFile>(path, LockedFile::Open::existing)) {
  Lines lines(*file_);
  std::string line;
  const bool begun = lines.next(line);
  if (begun && cells(line) != head_)
    throw FileError(path, "is not the table of this sweep: its columns are others");
  while (lines.next(line)) {
    const CsvRow row = cells(line);
    long member = 0;
    const char* end = row[0].data() + row[0].size();
    const auto [stop, error] = std::from_chars(row[0].data(), end, member);
    if (row.size() != head_.size() || error != std::errc{} || stop != end)
      throw FileError(path, "has a row that is none of a sweep: " + line.substr(0, 60));
    seen(member, row);
    note(member);
  }
  file_->cut(lines.position());
  if (!begun) write(head_);
}

void SweepFile::note(long member) {
  there_[static_cast<std::size_t>(member)] = true;
  ordered_ = ordered_ && member > last_;
  last_ = member;
}

void SweepFile::add(long member, const CsvRow& row) {
  if (has(member)) return;
  write(row);
  note(member);
}

void SweepFile::write(const CsvRow& row) {
  const std::string line = csv_line(row);
  file_->write(line.data(), line.size());
}

void SweepFile::each_row(const Visit& visit) const {
  Lines lines(*file_);
  std::string line;
  lines.next(line);
  while (lines.next(line)) {
    const CsvRow row = cells(line);
    visit(std::atol(row[0].c_str()), row);
  }
}

/// A table that was interrupted has its late rows at the end. Beside it and then in its place, so
/// that a kill leaves one of the two.
void SweepFile::finish() {
  if (ordered_) return;
  struct Line {
    long member;
    std::size_t begin, end;
  };
  std::vector<Line> all;
  Lines lines(*file_);
  std::string line;
  lines.next(line);
  for (std::size_t begin = lines.position(); lines.next(line); begin = lines.position())
    all.push_back({std::atol(line.c_str()), begin, lines.position()});
  std::ranges::sort(all, {}, &Line::member);
  auto sorted = std::make_unique<LockedFile>(file_->real_path() + ".part", LockedFile::Open::create,
                                             Existing::replace);
  sorted->cut(0);
  std::string text = csv_line(head_);
  sorted->write(text.data(), text.size());
  for (const Line& from : all) {
    text.resize(from.end - from.begin);
    if (::pread(file_->file(), text.data(), text.size(), static_cast<off_t>(from.begin)) !=
        static_cast<ssize_t>(text.size()))
      file_->fail("cannot be read");
    sorted->write(text.data(), text.size());
  }
  file_->be_replaced_by(sorted->file(), sorted->path());
  file_ = std::move(sorted);
  ordered_ = true;
}

}  // namespace rattleback::app
