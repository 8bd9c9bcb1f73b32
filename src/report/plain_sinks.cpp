// CSV and .npy: plain files that grow by whole rows.
#include <bit>
#include <charconv>
#include <chrono>
#include <utility>

#include "locked_file.hpp"

namespace rattleback {

using detail::LockedFile;

namespace {

/// The numbers of a row, in the order of column_names().
template <class Visit>
void for_each_number(const Sample& s, Visit&& visit) {
  visit(s.t);
  for (double x : s.values) visit(x);
  visit(s.energy);
  visit(s.constraint);
  visit(s.hidden);
  visit(static_cast<double>(s.newton));
  for (double x : s.multipliers) visit(x);
}

/// When buffered rows go to the file: in blocks, and about once a second.
class Due {
 public:
  bool operator()(std::size_t bytes) {
    const auto now = Clock::now();
    if (bytes < block && now - last_ < std::chrono::seconds(1)) return false;
    last_ = now;
    return true;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t block = 1 << 16;
  Clock::time_point last_ = Clock::now();
};

class CsvSink final : public RunSink {
 public:
  CsvSink(const std::string& path, const RunHeader& header, Existing existing)
      : file_(path, LockedFile::Open::create, existing) {
    file_.cut(0);
    for (const auto& name : column_names(header)) {
      if (!text_.empty()) text_ += ',';
      text_ += quoted(name);
    }
    text_ += '\n';
    flush();
  }
  ~CsvSink() override {
    try {
      flush();
    } catch (const FileError&) {  // finish() would have said so
    }
  }
  void add(const Sample& sample) override {
    const std::size_t begin = text_.size();
    for_each_number(sample, [&](double x) {
      char number[32];
      const auto end = std::to_chars(number, number + sizeof number, x).ptr;
      if (text_.size() > begin) text_ += ',';
      text_.append(number, end);
    });
    text_ += '\n';
    if (due_(text_.size())) flush();
  }
  void finish(const RunFigures&) override { flush(); }

 private:
  static std::string quoted(const std::string& name) {
    if (name.find_first_of(",\"\n") == std::string::npos) return name;
    std::string text = "\"";
    for (char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
    return text + '"';
  }
  void flush() {
    const std::string text = std::exchange(text_, {});  // once, also if that fails
    file_.write(text.data(), text.size());
  }

  LockedFile file_;
  Due due_;
  std::string text_;
};

/// Version 1.0 of the format: a header of 128 bytes with the shape, then the numbers by rows.
class NpySink final : public RunSink {
 public:
  NpySink(const std::string& path, const RunHeader& header, Existing existing)
      : file_(path, LockedFile::Open::create, existing), columns_(column_names(header).size()) {
    file_.cut(0);
    const std::string beginning = npy_header();
    file_.write(beginning.data(), beginning.size());
  }
  ~NpySink() override {
    try {
      flush();
    } catch (const FileError&) {  // finish() would have said so
    }
  }
  void add(const Sample& sample) override {
    for_each_number(sample, [&](double x) { numbers_.push_back(x); });
    if (due_(numbers_.size() * sizeof(double))) flush();
  }
  void finish(const RunFigures&) override { flush(); }

 private:
  std::string npy_header() const {
    static_assert(std::endian::native == std::endian::little);
    std::string text = "{'descr': '<f8', 'fortran_order': False, 'shape': (" +
                       std::to_string(rows_) + ", " + std::to_string(columns_) + "), }";
    text.resize(117, ' ');
    return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + text + '\n';
  }
  /// Rows first, then the shape that counts them.
  void flush() {
    const std::vector<double> numbers = std::exchange(numbers_, {});
    if (numbers.empty()) return;
    file_.write(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double));
    rows_ += static_cast<long>(numbers.size() / columns_);
    const std::string beginning = npy_header();
    file_.write_at(0, beginning.data(), beginning.size());
  }

  LockedFile file_;
  Due due_;
  std::size_t columns_;
  long rows_ = 0;
  std::vector<double> numbers_;
};

}  // namespace

std::unique_ptr<RunSink> make_csv_sink(const std::string& path, const RunHeader& header,
                                       Existing existing) {
  return std::make_unique<CsvSink>(path, header, existing);
}
std::unique_ptr<RunSink> make_npy_sink(const std::string& path, const RunHeader& header,
                                       Existing existing) {
  return std::make_unique<NpySink>(path, header, existing);
}

}  // namespace rattleback
