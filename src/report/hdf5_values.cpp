#include "hdf5_values.hpp"

#include <algorithm>

namespace rattleback::detail {

Handle text_type(std::size_t size) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, std::max<std::size_t>(size, 1));
  H5Tset_strpad(type, H5T_STR_NULLPAD);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

namespace {

/// Up to the first zero byte: the rest is padding.
std::string unpadded(const char* text, std::size_t size) {
  return {text, std::find(text, text + size, '\0')};
}

}  // namespace

Handle Hdf5Values::attribute(hid_t object, const char* name, hid_t type, hid_t space) const {
  if (H5Aexists(object, name) > 0)
    return checked(H5Aopen(object, name, H5P_DEFAULT), H5Aclose, path_,
                   std::string("open ") + name);
  return checked(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose, path_,
                 std::string("create ") + name);
}

Handle Hdf5Values::open_attribute(hid_t object, const char* name) const {
  if (H5Aexists(object, name) <= 0)
    throw FileError(path_, std::string("lacks the attribute '") + name + "'");
  return checked(H5Aopen(object, name, H5P_DEFAULT), H5Aclose, path_, std::string("open ") + name);
}

void Hdf5Values::write_number(hid_t object, const char* name, hid_t stored, hid_t native,
                              const void* value) const {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  checked(H5Awrite(attribute(object, name, stored, space), native, value), path_,
          std::string("write ") + name);
}

void Hdf5Values::write(hid_t object, const char* name, const std::string& text,
                       std::size_t room) const {
  std::string padded = text;
  padded.resize(std::max<std::size_t>(room > 0 ? room : text.size(), 1));
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle type = text_type(padded.size());
  checked(H5Awrite(attribute(object, name, type, space), type, padded.data()), path_,
          std::string("write ") + name);
}

void Hdf5Values::read_number(hid_t object, const char* name, hid_t native, void* value) const {
  checked(H5Aread(open_attribute(object, name), native, value), path_, std::string("read ") + name);
}

void Hdf5Values::read(hid_t object, const char* name, double& value) const {
  read_number(object, name, H5T_NATIVE_DOUBLE, &value);
}

void Hdf5Values::read(hid_t object, const char* name, long& value) const {
  std::int64_t wide = 0;
  read_number(object, name, H5T_NATIVE_INT64, &wide);
  value = static_cast<long>(wide);
}

void Hdf5Values::read(hid_t object, const char* name, int& value) const {
  long wide = 0;
  read(object, name, wide);
  value = static_cast<int>(wide);
}

void Hdf5Values::read(hid_t object, const char* name, std::string& text) const {
  const Handle a = open_attribute(object, name);
  const Handle type(H5Aget_type(a), H5Tclose), space(H5Aget_space(a), H5Sclose);
  require_texts(type, name);
  if (H5Sget_simple_extent_npoints(space) != 1)
    throw FileError(path_, std::string("has more than one '") + name + "'");
  text.assign(H5Tget_size(type), '\0');
  checked(H5Aread(a, type, text.data()), path_, std::string("read ") + name);
  text = unpadded(text.data(), text.size());
}

Handle Hdf5Values::create_group(hid_t parent, const char* name) const {
  return checked(H5Gcreate2(parent, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose, path_,
                 std::string("create ") + name);
}

Handle Hdf5Values::open_group(hid_t parent, const char* name) const {
  return checked(H5Gopen2(parent, name, H5P_DEFAULT), H5Gclose, path_, std::string("open ") + name);
}

void Hdf5Values::require_texts(hid_t type, const char* name) const {
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) > 0)
    throw FileError(path_, std::string("has a '") + name + "' that is no text");
}

void Hdf5Values::write_texts(hid_t group, const char* name,
                             const std::vector<std::string>& texts) const {
  std::size_t size = 1;
  for (const auto& t : texts) size = std::max(size, t.size());
  std::string all;
  for (const auto& t : texts) all += t + std::string(size - t.size(), '\0');
  const hsize_t count = texts.size();
  const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose), type = text_type(size);
  const Handle set =
      checked(H5Dcreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose,
              path_, std::string("create ") + name);
  checked(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()), path_,
          std::string("write ") + name);
}

std::vector<std::string> Hdf5Values::read_texts(hid_t group, const char* name) const {
  const Handle set =
      checked(H5Dopen2(group, name, H5P_DEFAULT), H5Dclose, path_, std::string("open ") + name);
  const Handle type(H5Dget_type(set), H5Tclose), space(H5Dget_space(set), H5Sclose);
  require_texts(type, name);
  const std::size_t size = H5Tget_size(type);
  const auto count = static_cast<std::size_t>(H5Sget_simple_extent_npoints(space));
  std::string all(size * count, '\0');
  checked(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()), path_,
          std::string("read ") + name);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i) texts.push_back(unpadded(all.data() + i * size, size));
  return texts;
}

}  // namespace rattleback::detail
