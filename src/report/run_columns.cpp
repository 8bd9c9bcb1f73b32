#include "run_columns.hpp"

#include <algorithm>
#include <limits>

#include "run_rows.hpp"

namespace rattleback::detail {

RunColumns::RunColumns(std::string path, const RunHeader& header) : path_(std::move(path)) {
  RunData shape;
  shape.header = header;
  shape_rows(shape, 0);
  each_column(shape, [&]<class T>(const std::string& name, int columns, const std::vector<T>&) {
    for (const Column& other : columns_)
      if (other.name == name) throw FileError(path_, "would have two columns '" + name + "'");
    constexpr bool real = std::is_same_v<T, double>;
    columns_.push_back({name, static_cast<hsize_t>(columns), real ? H5T_IEEE_F64LE : H5T_STD_I64LE,
                        real ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64});
  });
}

RunColumns RunColumns::create(hid_t file, const std::string& path, const RunHeader& header) {
  RunColumns all(path, header);
  for (Column& c : all.columns_) all.create(c, file);
  return all;
}

RunColumns RunColumns::open(hid_t file, const std::string& path, const RunHeader& header) {
  RunColumns all(path, header);
  all.rows_ = std::numeric_limits<hsize_t>::max();
  for (Column& c : all.columns_) all.rows_ = std::min(all.rows_, all.open(c, file));
  return all;
}

/// Chunks of about 64 KB: few enough to index, small enough to rewrite while they fill.
hsize_t RunColumns::Column::chunk_rows() const {
  return std::clamp<hsize_t>((1 << 13) / width(), 1, 1 << 12);
}

/// Rows are only appended: a cache of two chunks is enough.
Handle RunColumns::Column::cache() const {
  Handle properties(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
  H5Pset_chunk_cache(properties, 7, 2 * chunk_rows() * width() * sizeof(double), 1.0);
  return properties;
}

void RunColumns::create(Column& c, hid_t file) const {
  const hsize_t now[2] = {0, c.width()}, most[2] = {H5S_UNLIMITED, c.width()};
  const hsize_t chunk[2] = {c.chunk_rows(), c.width()};
  const Handle space(H5Screate_simple(c.rank(), now, most), H5Sclose);
  const Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_chunk(properties, c.rank(), chunk);
  c.set =
      checked(H5Dcreate2(file, c.name.c_str(), c.stored, space, H5P_DEFAULT, properties, c.cache()),
              H5Dclose, path_, "create " + c.name);
}

hsize_t RunColumns::open(Column& c, hid_t file) const {
  c.set = checked(H5Dopen2(file, c.name.c_str(), c.cache()), H5Dclose, path_, "open " + c.name);
  const Handle space(H5Dget_space(c.set), H5Sclose);
  hsize_t size[2] = {0, 1};
  if (H5Sget_simple_extent_ndims(space) != c.rank() ||
      H5Sget_simple_extent_dims(space, size, nullptr) < 0 ||
      (c.columns > 0 && size[1] != c.columns))
    throw FileError(path_, "has a '" + c.name + "' of another shape than it says");
  return size[0];
}

void RunColumns::extend(const Column& c, hsize_t rows) const {
  const hsize_t size[2] = {rows, c.width()};
  checked(H5Dset_extent(c.set, size), path_, "extend " + c.name);
}

RunColumns::Selection RunColumns::select(const Column& c, hsize_t at, hsize_t rows) {
  const hsize_t start[2] = {at, 0}, count[2] = {rows, c.width()};
  Handle file(H5Dget_space(c.set), H5Sclose);
  H5Sselect_hyperslab(file, H5S_SELECT_SET, start, nullptr, count, nullptr);
  return {std::move(file), {H5Screate_simple(c.rank(), count, nullptr), H5Sclose}};
}

void RunColumns::append(const RunData& more) {
  const auto count = static_cast<hsize_t>(more.rows());
  if (count == 0) return;
  auto column = columns_.begin();
  each_column(more, [&](const std::string& name, int, const auto& values) {
    const Column& c = *column++;
    extend(c, rows_ + count);
    const Selection rows = select(c, rows_, count);
    checked(H5Dwrite(c.set, c.native, rows.memory, rows.file, H5P_DEFAULT, values.data()), path_,
            "write " + name);
  });
  rows_ += count;
}

std::optional<double> RunColumns::last_time() const {
  if (rows_ == 0) return std::nullopt;
  const Column& time = columns_.front();
  const Selection last = select(time, rows_ - 1, 1);
  double t = 0;
  checked(H5Dread(time.set, H5T_NATIVE_DOUBLE, last.memory, last.file, H5P_DEFAULT, &t), path_,
          "read " + time.name);
  return t;
}

void RunColumns::read(RunData& data, hsize_t begin, hsize_t count) const {
  shape_rows(data, static_cast<long>(count));
  auto column = columns_.begin();
  each_column(data, [&](const std::string& name, int, auto& values) {
    const Column& c = *column++;
    values.resize(count * c.width());
    if (count == 0) return;
    const Selection rows = select(c, begin, count);
    checked(H5Dread(c.set, c.native, rows.memory, rows.file, H5P_DEFAULT, values.data()), path_,
            "read " + name);
  });
}

}  // namespace rattleback::detail
