#include "rattleback/report/run_file.hpp"

#include <chrono>
#include <cmath>
#include <filesystem>
#include <utility>

#include "checkpoint_slots.hpp"
#include "commit_store.hpp"
#include "run_attributes.hpp"
#include "run_columns.hpp"
#include "run_rows.hpp"

namespace rattleback {

using detail::checked;
using detail::CommitStore;
using detail::Handle;
using detail::Hdf5Values;

namespace {

void require_hdf5(const std::string& path) {
  const detail::QuietHdf5 quiet;
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) throw FileError(path, "there is no such file");
  if (!std::filesystem::is_regular_file(status)) throw FileError(path, "is not a regular file");
  if (std::filesystem::file_size(path, error) == 0)
    throw FileError(path, "is empty: the run that began it was ended before its first state");
  const htri_t is = H5Fis_hdf5(path.c_str());
  if (is < 0) throw FileError(path, "cannot be read: " + detail::hdf5_reason());
  if (is == 0) throw FileError(path, "is not a run file (not HDF5)");
}

Handle open_file(const std::string& path, unsigned mode, hid_t access) {
  return checked(H5Fopen(path.c_str(), mode, access), H5Fclose, path,
                 "open the file (damaged or truncated)");
}

}  // namespace

// ---- writing -----------------------------------------------------------------------------------

class RunFile::Writer {
 public:
  Writer(const std::string& path, detail::LockedFile::Open how, Existing existing,
         double checkpoint_seconds)
      : values_(path), store_(path, how, existing), checkpoint_seconds_(checkpoint_seconds) {}

  void create(const RunHeader& what) {
    header = what;
    file_ =
        checked(H5Fcreate(path().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, store_.access_properties()),
                H5Fclose, path(), "create the file");
    write_header(values_, file_, header);
    columns_ = detail::RunColumns::create(file_, path(), header);
    summary_ = values_.create_group(file_, "summary");
    write_summary(values_, summary_, RunState::running, {});
    slots_ = detail::CheckpointSlots::create(file_, values_, header.saved);
    start_buffer();
    // Not committed: the file appears with its first checkpoint, or its first block of rows.
  }

  void open() {
    file_ = open_file(path(), H5F_ACC_RDWR, store_.access_properties());
    header = read_header(values_, file_);
    columns_ = detail::RunColumns::open(file_, path(), header);
    summary_ = values_.open_group(file_, "summary");
    slots_ = detail::CheckpointSlots::open(file_, values_, header.method);
    if (!resumed()) throw FileError(path(), "holds no point to resume from");
    const auto stored = static_cast<hsize_t>(resumed()->stored);
    if (columns_.rows() < stored)
      throw FileError(path(), "has lost states: " + std::to_string(columns_.rows()) + " of the " +
                                  std::to_string(stored) + " up to its last checkpoint");
    start_buffer();
    next_ = stored;
    end_ = columns_.last_time();
  }

  void add(const Sample& sample) {
    const hsize_t row = next_++;
    if (end_) {
      if (past_end(sample.t) < 0) return;  // it is there already
      go_on_from(row);
    }
    detail::add_row(buffer_, sample);
    constexpr std::size_t block = 1 << 15;  // numbers
    buffered_ += sample.values.size() + 1;
    if (buffered_ < block && Clock::now() - written_ <= std::chrono::seconds(1)) return;
    write_buffer();
    flush();
  }

  void save(const Checkpoint& checkpoint) {
    const auto now = Clock::now();
    const bool due = std::chrono::duration<double>(now - saved_).count() >= checkpoint_seconds_;
    if (!slots_.empty() && !due) {
      unsaved_ = checkpoint;
      return;
    }
    write(checkpoint);
    unsaved_.reset();
    saved_ = now;
  }

  void finish(const RunFigures& figures) {
    if (unsaved_) write(*unsaved_);
    if (end_ && past_end(figures.time()) < 0) return;
    write_buffer();
    if (end_) write_wanted(values_, file_, header.wanted);
    write_summary(values_, summary_, detail::state_at_end(figures), figures);
    flush();
  }

  const std::optional<Checkpoint>& resumed() const { return slots_.found(); }
  /// Of a resumed run: up to its last state or its checkpoint, whichever is later; where steps
  /// vary, up to its checkpoint.
  long steps() const {
    if (!end_) return 0;
    const double count = *end_ / header.step;
    const bool whole = std::abs(count - std::round(count)) < 1e-6;
    const long saved = resumed() ? resumed()->step() : 0;
    return whole ? std::max(std::lround(count), saved) : saved;
  }

  RunHeader header;

 private:
  using Clock = std::chrono::steady_clock;

  // A resumed run comes from its checkpoint through states that are in the file, and changes
  // nothing before it is at the last of them: what ends in between leaves the file as it was.

  double past_end(double t) const { return header.step > 0 ? t - *end_ : *end_ - t; }
  /// The last state of a run may stand between two that are due: the next one takes its place. One
  /// that a kill tore while it was taking it is the last one too, and is written again.
  void go_on_from(hsize_t row) {
    end_.reset();
    columns_.go_back_to(row);
    write_state(values_, summary_, RunState::running);
    write_wanted(values_, file_, header.wanted);
  }

  void write(const Checkpoint& checkpoint) {
    write_buffer();
    if (store_.visible()) flush();  // first what the checkpoint counts
    slots_.write(checkpoint);
    flush();
  }
  void start_buffer() {
    buffer_.header = header;
    detail::shape_rows(buffer_, 0);
  }
  void write_buffer() {
    written_ = Clock::now();
    buffered_ = 0;
    columns_.append(buffer_);
    detail::clear_rows(buffer_);
  }
  void flush() {
    checked(H5Fflush(file_, H5F_SCOPE_LOCAL), path(), "write");
    store_.commit();
  }
  const std::string& path() const { return values_.path(); }

  detail::QuietHdf5 quiet_;
  Hdf5Values values_;
  CommitStore store_;
  Handle file_;  // before everything in it, which closes first
  Handle summary_;
  detail::RunColumns columns_;
  detail::CheckpointSlots slots_;
  RunData buffer_;            // rows not yet written
  std::size_t buffered_ = 0;  // numbers of them
  double checkpoint_seconds_;
  hsize_t next_ = 0;                   // row of the next state
  std::optional<double> end_;          // of a resumed run that is not past it
  std::optional<Checkpoint> unsaved_;  // the last one that was not due
  Clock::time_point written_ = Clock::now(), saved_ = Clock::now();
};

RunFile::RunFile(std::unique_ptr<Writer> writer) : writer_(std::move(writer)) {}

RunFile::RunFile(const std::string& path, const RunHeader& header, double checkpoint_seconds,
                 Existing existing)
    : writer_(std::make_unique<Writer>(path, detail::LockedFile::Open::create, existing,
                                       checkpoint_seconds)) {
  writer_->create(header);
}

std::unique_ptr<RunFile> RunFile::resume(const std::string& path, double checkpoint_seconds) {
  require_hdf5(path);
  auto writer = std::make_unique<Writer>(path, detail::LockedFile::Open::existing, Existing::refuse,
                                         checkpoint_seconds);
  writer->open();
  return std::unique_ptr<RunFile>(new RunFile(std::move(writer)));
}

RunFile::~RunFile() = default;

const RunHeader& RunFile::header() const { return writer_->header; }

const Checkpoint& RunFile::resumed_from() const {
  if (!writer_->resumed()) throw Error("this run file was not resumed");
  return *writer_->resumed();
}

void RunFile::set_wanted(long steps) {
  if (const long there = writer_->steps(); steps < there)
    throw InputError("steps", "the run to be continued is at step " + std::to_string(there) +
                                  " already, beyond the " + std::to_string(steps) +
                                  " asked for; nothing is cut off");
  writer_->header.wanted = steps;
}

void RunFile::add(const Sample& sample) { writer_->add(sample); }
void RunFile::checkpoint(const Checkpoint& checkpoint) { writer_->save(checkpoint); }
void RunFile::finish(const RunFigures& figures) { writer_->finish(figures); }

// ---- reading -----------------------------------------------------------------------------------

namespace {

RunData read(const std::string& path, bool states) {
  const detail::QuietHdf5 quiet;
  require_hdf5(path);
  const Handle file = open_file(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  const Hdf5Values values(path);
  RunData data;
  data.header = read_header(values, file);
  values.read(file, "rattleback_version", data.version);
  read_summary(values, file, data);
  data.checkpoint = detail::CheckpointSlots::open(file, values, data.header.method).found();
  if (data.checkpoint && data.state == RunState::running) data.figures = data.checkpoint->figures;
  if (!states) return data;
  const auto columns = detail::RunColumns::open(file, path, data.header);
  columns.read(data, 0, columns.rows());
  return data;
}

}  // namespace

RunData read_run(const std::string& path) { return read(path, true); }
RunData read_run_header(const std::string& path) { return read(path, false); }

void read_rows(const std::string& path, const std::function<void(const RunData&)>& use) {
  const detail::QuietHdf5 quiet;
  require_hdf5(path);
  const Handle file = open_file(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  RunData rows;
  rows.header = read_header(Hdf5Values(path), file);
  const auto columns = detail::RunColumns::open(file, path, rows.header);
  constexpr std::size_t block = 1 << 18;  // numbers
  const hsize_t most = std::max<std::size_t>(1, block / (rows.header.layout.labels().size() + 5));
  for (hsize_t begin = 0; begin < columns.rows(); begin += most) {
    columns.read(rows, begin, std::min(most, columns.rows() - begin));
    use(rows);
  }
}

}  // namespace rattleback
