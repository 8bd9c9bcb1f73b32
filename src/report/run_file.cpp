#include "rattleback/report/run_file.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <utility>

#include "commit_store.hpp"
#include "hdf5_values.hpp"

namespace rattleback {

using detail::checked;
using detail::CommitStore;
using detail::Handle;
using detail::Hdf5Values;

namespace {

constexpr const char* format_name = "rattleback run";
constexpr long format_version = 1;
constexpr std::size_t failure_room = 2000, state_room = 16;
const std::array<const char*, 2> slots{"checkpoint/slot_a", "checkpoint/slot_b"};

// ---- checkpoints as numbers ------------------------------------------------------------------

constexpr std::size_t checkpoint_numbers = 22;  // before q and p, then the checksum

/// Of all but the last number; 52 bits, so that it is a double like the rest.
double checksum(const std::vector<double>& numbers) {
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a
  for (std::size_t i = 0; i + 1 < numbers.size(); ++i) {
    const auto bits = std::bit_cast<std::uint64_t>(numbers[i]);
    for (int byte = 0; byte < 8; ++byte) {
      hash ^= (bits >> (8 * byte)) & 0xff;
      hash *= 1099511628211u;
    }
  }
  return static_cast<double>(hash >> 12);
}

std::vector<double> pack(const RunCheckpoint& c, long sequence) {
  const RunFigures& f = c.figures;
  std::vector<double> x{double(sequence),
                        double(f.steps),
                        double(c.stored),
                        f.initial_energy,
                        f.final_energy,
                        f.energy_error,
                        f.energy_drift,
                        f.constraint,
                        f.hidden,
                        double(f.newton_max),
                        double(f.projections.position),
                        double(f.projections.momentum),
                        f.seconds,
                        double(c.drift.count),
                        c.drift.mean_t,
                        c.drift.mean_y,
                        c.drift.s_tt,
                        c.drift.s_ty,
                        double(c.newton),
                        double(c.newton_stored),
                        f.step,
                        double(f.wanted)};
  for (double q : c.z.q) x.push_back(q);
  for (double p : c.z.p) x.push_back(p);
  x.push_back(0);
  x.back() = checksum(x);
  return x;
}

RunCheckpoint unpack(const std::vector<double>& x, const RunHeader& header) {
  RunCheckpoint c;
  RunFigures& f = c.figures;
  f.method = header.method;
  f.steps = long(x[1]);
  c.stored = long(x[2]);
  f.initial_energy = x[3];
  f.final_energy = x[4];
  f.energy_error = x[5];
  f.energy_drift = x[6];
  f.constraint = x[7];
  f.hidden = x[8];
  f.newton_max = int(x[9]);
  f.projections = {long(x[10]), long(x[11])};
  f.seconds = x[12];
  c.drift = {long(x[13]), x[14], x[15], x[16], x[17]};
  c.newton = long(x[18]);
  c.newton_stored = long(x[19]);
  f.step = x[20];
  f.wanted = long(x[21]);
  f.newton_mean = f.steps > 0 ? double(c.newton) / double(f.steps) : 0;
  const Eigen::Index n = header.dimension();
  c.z = {Vector<double, dynamic>(n), Vector<double, dynamic>(n)};
  for (Eigen::Index i = 0; i < n; ++i) {
    c.z.q[i] = x[checkpoint_numbers + std::size_t(i)];
    c.z.p[i] = x[checkpoint_numbers + std::size_t(n + i)];
  }
  return c;
}

// ---- the datasets ----------------------------------------------------------------------------

/// A dataset that grows by rows; `columns` 0 is a plain vector.
struct Column {
  const char* name;
  hsize_t columns;
  hid_t stored, native;
  Handle set{};

  hsize_t width() const { return std::max<hsize_t>(columns, 1); }
  int rank() const { return columns > 0 ? 2 : 1; }
};

std::vector<Column> columns_of(const RunHeader& header) {
  const auto n = static_cast<hsize_t>(header.dimension());
  const hid_t f64 = H5T_IEEE_F64LE, native = H5T_NATIVE_DOUBLE;
  std::vector<Column> all;
  all.push_back({"time", 0, f64, native});
  all.push_back({"q", n, f64, native});
  all.push_back({"p", n, f64, native});
  for (const char* name : {"energy", "constraint", "hidden"}) all.push_back({name, 0, f64, native});
  all.push_back({"newton", 0, H5T_STD_I64LE, H5T_NATIVE_INT64});
  if (header.multipliers > 0)
    all.push_back({"multipliers", static_cast<hsize_t>(header.multipliers), f64, native});
  return all;
}

/// Chunks of about 64 KB: few enough to index, small enough to rewrite while they fill.
hsize_t chunk_rows(const Column& c) {
  return std::clamp<hsize_t>((1 << 13) / c.width(), 1, 1 << 12);
}

/// Rows are only appended: a cache of two chunks is enough.
Handle cache(const Column& c) {
  Handle properties(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
  H5Pset_chunk_cache(properties, 7, 2 * chunk_rows(c) * c.width() * sizeof(double), 1.0);
  return properties;
}

void create(Column& c, hid_t file, const std::string& path) {
  const hsize_t rows = chunk_rows(c);
  const hsize_t now[2] = {0, c.width()}, most[2] = {H5S_UNLIMITED, c.width()};
  const hsize_t chunk[2] = {rows, c.width()};
  const Handle space(H5Screate_simple(c.rank(), now, most), H5Sclose);
  const Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_chunk(properties, c.rank(), chunk);
  c.set = checked(H5Dcreate2(file, c.name, c.stored, space, H5P_DEFAULT, properties, cache(c)),
                  H5Dclose, path, std::string("create ") + c.name);
}

hsize_t open(Column& c, hid_t file, const std::string& path) {
  c.set = checked(H5Dopen2(file, c.name, cache(c)), H5Dclose, path, std::string("open ") + c.name);
  const Handle space(H5Dget_space(c.set), H5Sclose);
  hsize_t size[2] = {0, 1};
  if (H5Sget_simple_extent_ndims(space) != c.rank() ||
      H5Sget_simple_extent_dims(space, size, nullptr) < 0 ||
      (c.columns > 0 && size[1] != c.columns))
    throw FileError(path, std::string("has a '") + c.name + "' of another shape than it says");
  return size[0];
}

void append(const Column& c, hsize_t at, hsize_t rows, const void* from, const std::string& path) {
  const hsize_t size[2] = {at + rows, c.width()}, start[2] = {at, 0}, count[2] = {rows, c.width()};
  checked(H5Dset_extent(c.set, size), path, std::string("extend ") + c.name);
  const Handle space(H5Dget_space(c.set), H5Sclose);
  H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, count, nullptr);
  const Handle memory(H5Screate_simple(c.rank(), count, nullptr), H5Sclose);
  checked(H5Dwrite(c.set, c.native, memory, space, H5P_DEFAULT, from), path,
          std::string("write ") + c.name);
}

void cut(const Column& c, hsize_t rows, const std::string& path) {
  const hsize_t size[2] = {rows, c.width()};
  checked(H5Dset_extent(c.set, size), path, std::string("cut ") + c.name);
}

template <class T>
std::vector<T> read_rows(const Column& c, hsize_t rows, const std::string& path) {
  std::vector<T> values(rows * c.width());
  const hsize_t start[2] = {0, 0}, count[2] = {rows, c.width()};
  if (rows == 0) return values;
  const Handle space(H5Dget_space(c.set), H5Sclose);
  H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, count, nullptr);
  const Handle memory(H5Screate_simple(c.rank(), count, nullptr), H5Sclose);
  checked(H5Dread(c.set, c.native, memory, space, H5P_DEFAULT, values.data()), path,
          std::string("read ") + c.name);
  return values;
}

// ---- header and summary ----------------------------------------------------------------------

void write_header(const Hdf5Values& values, hid_t file, const RunHeader& h) {
  values.write(file, "format", std::string(format_name));
  values.write(file, "format_version", format_version);
  values.write(file, "rattleback_version", std::string(RATTLEBACK_VERSION));
  values.write(file, "model", h.model);
  values.write(file, "method", h.method);
  values.write(file, "step", h.step);
  values.write(file, "every", h.every);
  values.write(file, "restart_every", h.restart_every);
  values.write(file, "wanted_steps", h.wanted);
  values.write(file, "constraints", long(h.constraints));
  values.write(file, "multipliers", long(h.multipliers));
  values.write_texts(file, "coordinates", h.coordinates);
  values.write_texts(file, "model_text", {h.model_text});
  const Handle settings =
      checked(H5Gcreate2(file, "settings", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose,
              values.path(), "create settings");
  for (const auto& [key, value] : h.settings) values.write_texts(settings, key.c_str(), {value});
}

/// A dataset that holds one text.
std::string only_text(const Hdf5Values& values, hid_t group, const char* name) {
  auto texts = values.read_texts(group, name);
  if (texts.size() != 1)
    throw FileError(values.path(), std::string("has a strange '") + name + "'");
  return std::move(texts.front());
}

std::map<std::string, std::string> read_settings(const Hdf5Values& values, hid_t file) {
  std::map<std::string, std::string> settings;
  const Handle group =
      checked(H5Gopen2(file, "settings", H5P_DEFAULT), H5Gclose, values.path(), "open settings");
  std::vector<std::string> names;
  H5Literate(
      group, H5_INDEX_NAME, H5_ITER_INC, nullptr,
      [](hid_t, const char* name, const H5L_info_t*, void* all) {
        static_cast<std::vector<std::string>*>(all)->emplace_back(name);
        return herr_t(0);
      },
      &names);
  for (const auto& name : names) settings[name] = only_text(values, group, name.c_str());
  return settings;
}

RunHeader read_header(const Hdf5Values& values, hid_t file) {
  if (H5Aexists(file, "format") <= 0 || values.read_text(file, "format") != format_name)
    throw FileError(values.path(), "is an HDF5 file, but not a run of rattleback");
  const long version = values.read_long(file, "format_version");
  if (version != format_version)
    throw FileError(values.path(), "is a run file of format " + std::to_string(version) +
                                       "; this program reads format " +
                                       std::to_string(format_version));
  RunHeader h;
  h.model = values.read_text(file, "model");
  h.method = values.read_text(file, "method");
  h.step = values.read_double(file, "step");
  h.every = values.read_long(file, "every");
  h.restart_every = values.read_long(file, "restart_every");
  h.wanted = values.read_long(file, "wanted_steps");
  h.constraints = int(values.read_long(file, "constraints"));
  h.multipliers = int(values.read_long(file, "multipliers"));
  h.coordinates = values.read_texts(file, "coordinates");
  h.model_text = only_text(values, file, "model_text");
  h.settings = read_settings(values, file);
  return h;
}

void write_summary(const Hdf5Values& values, hid_t group, RunState state, const RunFigures& f) {
  values.write(group, "state", name(state), state_room);
  values.write(group, "steps", f.steps);
  values.write(group, "time", f.time());
  values.write(group, "initial_energy", f.initial_energy);
  values.write(group, "final_energy", f.final_energy);
  values.write(group, "energy_error", f.energy_error);
  values.write(group, "energy_drift", f.energy_drift);
  values.write(group, "constraint", f.constraint);
  values.write(group, "hidden", f.hidden);
  values.write(group, "newton_mean", f.newton_mean);
  values.write(group, "newton_max", long(f.newton_max));
  values.write(group, "position_projections", f.projections.position);
  values.write(group, "momentum_projections", f.projections.momentum);
  values.write(group, "seconds", f.seconds);
  values.write(group, "failure", f.failure, failure_room);
}

void read_summary(const Hdf5Values& values, hid_t file, RunData& data) {
  const Handle group =
      checked(H5Gopen2(file, "summary", H5P_DEFAULT), H5Gclose, values.path(), "open summary");
  const std::string state = values.read_text(group, "state");
  for (RunState s : {RunState::running, RunState::finished, RunState::stopped, RunState::failed})
    if (state == name(s)) data.state = s;
  RunFigures& f = data.figures;
  f.method = data.header.method;
  f.step = data.header.step;
  f.wanted = data.header.wanted;
  f.steps = values.read_long(group, "steps");
  f.initial_energy = values.read_double(group, "initial_energy");
  f.final_energy = values.read_double(group, "final_energy");
  f.energy_error = values.read_double(group, "energy_error");
  f.energy_drift = values.read_double(group, "energy_drift");
  f.constraint = values.read_double(group, "constraint");
  f.hidden = values.read_double(group, "hidden");
  f.newton_mean = values.read_double(group, "newton_mean");
  f.newton_max = int(values.read_long(group, "newton_max"));
  f.projections = {values.read_long(group, "position_projections"),
                   values.read_long(group, "momentum_projections")};
  f.seconds = values.read_double(group, "seconds");
  f.failure = values.read_text(group, "failure");
  f.stopped = data.state == RunState::stopped;
}

/// The newest slot whose checksum is right, with its sequence number.
std::optional<std::pair<long, RunCheckpoint>> read_checkpoint(const Hdf5Values& values, hid_t file,
                                                              const RunHeader& header) {
  std::optional<std::vector<double>> newest;
  for (const char* slot : slots) {
    std::vector<double> x(checkpoint_numbers + 2 * std::size_t(header.dimension()) + 1);
    const Handle set =
        checked(H5Dopen2(file, slot, H5P_DEFAULT), H5Dclose, values.path(), "open a checkpoint");
    const Handle space(H5Dget_space(set), H5Sclose);
    if (H5Sget_simple_extent_npoints(space) != static_cast<hssize_t>(x.size()))
      throw FileError(values.path(), "has a checkpoint of another size than it says");
    checked(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x.data()), values.path(),
            "read a checkpoint");
    if (x[0] > 0 && x.back() == checksum(x) && (!newest || x[0] > (*newest)[0]))
      newest = std::move(x);
  }
  if (!newest) return std::nullopt;
  return std::pair(long((*newest)[0]), unpack(*newest, header));
}

void require_hdf5(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) throw FileError(path, "there is no such file");
  if (!std::filesystem::is_regular_file(status)) throw FileError(path, "is not a regular file");
  const htri_t is = H5Fis_hdf5(path.c_str());
  if (is < 0) throw FileError(path, "cannot be read: " + detail::hdf5_reason());
  if (is == 0) throw FileError(path, "is not a run file (not HDF5)");
}

}  // namespace

// ---- writing -----------------------------------------------------------------------------------

class RunFile::Writer {
 public:
  using Clock = std::chrono::steady_clock;

  Writer(const std::string& path, bool create, double checkpoint_seconds)
      : values(path), store(path, create), checkpoint_seconds_(checkpoint_seconds) {}

  void create(const RunHeader& what) {
    const Handle access = store.access_properties();
    header = what;
    file = checked(H5Fcreate(path().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose, path(),
                   "create the file");
    write_header(values, file, header);
    columns = columns_of(header);
    for (Column& c : columns) rattleback::create(c, file, path());
    summary = checked(H5Gcreate2(file, "summary", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose,
                      path(), "create summary");
    write_summary(values, summary, RunState::running, {});
    create_slots();
    // Not committed: the file appears with its first checkpoint, or its first block of rows.
  }

  void open() {
    const Handle access = store.access_properties();
    file = checked(H5Fopen(path().c_str(), H5F_ACC_RDWR, access), H5Fclose, path(),
                   "open the file (damaged or truncated)");
    header = read_header(values, file);
    columns = columns_of(header);
    hsize_t there = std::numeric_limits<hsize_t>::max();
    for (Column& c : columns) there = std::min(there, rattleback::open(c, file, path()));
    summary = checked(H5Gopen2(file, "summary", H5P_DEFAULT), H5Gclose, path(), "open summary");
    auto last = read_checkpoint(values, file, header);
    if (!last) throw FileError(path(), "holds no point to resume from");
    sequence = last->first;
    resumed = last->second;
    rows_ = static_cast<hsize_t>(resumed->stored);
    if (there < rows_)
      throw FileError(path(), "has lost states: " + std::to_string(there) + " of the " +
                                  std::to_string(rows_) + " up to its last checkpoint");
    for (int i = 0; i < 2; ++i) open_slot(i);
    to_cut_ = true;
  }

  /// A resumed file loses what is beyond its checkpoint when something new comes, not before: a run
  /// that is refused in between leaves it as it was.
  void cut_back() {
    if (!std::exchange(to_cut_, false)) return;
    for (const Column& c : columns) cut(c, rows_, path());
    values.write(summary, "state", name(RunState::running), state_room);
    values.write(file, "wanted_steps", header.wanted);
    flush(CommitStore::Order::cutting);
  }

  void add(const RunSample& s) {
    cut_back();
    time_.push_back(s.t);
    q_.insert(q_.end(), s.z.q.begin(), s.z.q.end());
    p_.insert(p_.end(), s.z.p.begin(), s.z.p.end());
    energy_.push_back(s.energy);
    constraint_.push_back(s.constraint);
    hidden_.push_back(s.hidden);
    newton_.push_back(s.newton);
    multipliers_.insert(multipliers_.end(), s.multipliers.begin(), s.multipliers.end());
    constexpr std::size_t block = 1 << 15;  // numbers
    if (q_.size() + time_.size() >= block || Clock::now() - written_ > std::chrono::seconds(1))
      write_rows();
  }

  void save(const RunCheckpoint& c) {
    const auto now = Clock::now();
    const bool due = std::chrono::duration<double>(now - saved_).count() >= checkpoint_seconds_;
    if (sequence > 0 && !due) return;
    cut_back();
    append_rows();
    if (store.visible()) flush(CommitStore::Order::growing);  // first what the checkpoint counts
    const std::vector<double> x = pack(c, ++sequence);
    checked(
        H5Dwrite(slot[sequence % 2], H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x.data()),
        path(), "write a checkpoint");
    flush(CommitStore::Order::growing);
    saved_ = now;
  }

  void finish(const RunFigures& f) {
    cut_back();
    append_rows();
    const RunState state = !f.ok()     ? RunState::failed
                           : f.stopped ? RunState::stopped
                                       : RunState::finished;
    write_summary(values, summary, state, f);
    flush(CommitStore::Order::growing);
  }

  void flush(CommitStore::Order order) {
    checked(H5Fflush(file, H5F_SCOPE_LOCAL), path(), "write");
    store.commit(order);
  }
  const std::string& path() const { return values.path(); }

  detail::QuietHdf5 quiet;
  Hdf5Values values;
  CommitStore store;
  Handle file;  // before everything in it, which closes first
  Handle summary, slot[2];
  std::vector<Column> columns;
  RunHeader header;
  std::optional<RunCheckpoint> resumed;
  long sequence = 0;  // of the last checkpoint

 private:
  void create_slots() {
    const Handle group =
        checked(H5Gcreate2(file, "checkpoint", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose,
                path(), "create checkpoint");
    const hsize_t size = checkpoint_numbers + 2 * hsize_t(header.dimension()) + 1;
    const std::vector<double> nothing(size, 0.0);
    const Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
    for (int i = 0; i < 2; ++i) {
      slot[i] = checked(
          H5Dcreate2(file, slots[i], H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
          H5Dclose, path(), "create a checkpoint");
      checked(H5Dwrite(slot[i], H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, nothing.data()),
              path(), "write a checkpoint");
    }
  }
  void open_slot(int i) {
    slot[i] = checked(H5Dopen2(file, slots[i], H5P_DEFAULT), H5Dclose, path(), "open a checkpoint");
  }

  void write_rows() {
    append_rows();
    flush(CommitStore::Order::growing);
  }
  void append_rows() {
    written_ = Clock::now();
    if (time_.empty()) return;
    const hsize_t more = time_.size();
    const void* from[] = {time_.data(),       q_.data(),      p_.data(),      energy_.data(),
                          constraint_.data(), hidden_.data(), newton_.data(), multipliers_.data()};
    for (std::size_t i = 0; i < columns.size(); ++i)
      append(columns[i], rows_, more, from[i], path());
    rows_ += more;
    for (auto* buffer : {&time_, &q_, &p_, &energy_, &constraint_, &hidden_, &multipliers_})
      buffer->clear();
    newton_.clear();
  }

  double checkpoint_seconds_;
  bool to_cut_ = false;
  Clock::time_point written_ = Clock::now(), saved_ = Clock::now();
  hsize_t rows_ = 0;
  std::vector<double> time_, q_, p_, energy_, constraint_, hidden_, multipliers_;
  std::vector<std::int64_t> newton_;
};

RunFile::RunFile(std::unique_ptr<Writer> writer) : writer_(std::move(writer)) {}

RunFile::RunFile(const std::string& path, const RunHeader& header, double checkpoint_seconds)
    : writer_(std::make_unique<Writer>(path, true, checkpoint_seconds)) {
  writer_->create(header);
}

std::unique_ptr<RunFile> RunFile::resume(const std::string& path, double checkpoint_seconds) {
  {
    const detail::QuietHdf5 quiet;
    require_hdf5(path);
  }
  auto writer = std::make_unique<Writer>(path, false, checkpoint_seconds);
  writer->open();
  return std::unique_ptr<RunFile>(new RunFile(std::move(writer)));
}

RunFile::~RunFile() = default;

const RunHeader& RunFile::header() const { return writer_->header; }

const RunCheckpoint& RunFile::resumed_from() const {
  if (!writer_->resumed) throw Error("this run file was not resumed");
  return *writer_->resumed;
}

void RunFile::set_wanted(long steps) { writer_->header.wanted = steps; }

void RunFile::add(const RunSample& sample) { writer_->add(sample); }
void RunFile::checkpoint(const RunCheckpoint& checkpoint) { writer_->save(checkpoint); }
void RunFile::finish(const RunFigures& figures) { writer_->finish(figures); }

// ---- reading -----------------------------------------------------------------------------------

namespace {

RunData read(const std::string& path, bool states) {
  const detail::QuietHdf5 quiet;
  require_hdf5(path);
  const Handle file = checked(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, path,
                              "open the file (damaged or truncated)");
  const Hdf5Values values(path);
  RunData data;
  data.header = read_header(values, file);
  data.version = values.read_text(file, "rattleback_version");
  read_summary(values, file, data);
  if (auto last = read_checkpoint(values, file, data.header)) {
    data.checkpoint = std::move(last->second);
    if (data.state == RunState::running) data.figures = data.checkpoint->figures;
  }
  if (!states) return data;
  auto columns = columns_of(data.header);
  hsize_t rows = std::numeric_limits<hsize_t>::max();
  for (Column& c : columns) rows = std::min(rows, open(c, file, path));
  data.time = read_rows<double>(columns[0], rows, path);
  data.q = {long(rows), data.header.dimension(), read_rows<double>(columns[1], rows, path)};
  data.p = {long(rows), data.header.dimension(), read_rows<double>(columns[2], rows, path)};
  data.energy = read_rows<double>(columns[3], rows, path);
  data.constraint = read_rows<double>(columns[4], rows, path);
  data.hidden = read_rows<double>(columns[5], rows, path);
  data.newton = read_rows<std::int64_t>(columns[6], rows, path);
  data.multipliers = {long(rows), data.header.multipliers, {}};
  if (columns.size() > 7) data.multipliers.values = read_rows<double>(columns[7], rows, path);
  return data;
}

}  // namespace

RunData read_run(const std::string& path) { return read(path, true); }
RunData read_run_header(const std::string& path) { return read(path, false); }

}  // namespace rattleback
