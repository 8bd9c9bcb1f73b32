// Small values in HDF5: attributes, texts, the groups they are in.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hdf5_handle.hpp"

namespace rattleback::detail {

/// Reads and writes in one file; every failure names it.
class Hdf5Values {
 public:
  explicit Hdf5Values(std::string path) : path_(std::move(path)) {}
  const std::string& path() const { return path_; }

  void write(hid_t object, const char* name, double value) const {
    write_number(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value);
  }
  void write(hid_t object, const char* name, long value) const {
    const std::int64_t wide = value;
    write_number(object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, &wide);
  }
  void write(hid_t object, const char* name, int value) const {
    write(object, name, static_cast<long>(value));
  }
  /// Room for later, longer texts; what does not fit is cut off.
  void write(hid_t object, const char* name, const std::string& text, std::size_t room = 0) const;

  void read(hid_t object, const char* name, double& value) const;
  void read(hid_t object, const char* name, long& value) const;
  void read(hid_t object, const char* name, int& value) const;
  void read(hid_t object, const char* name, std::string& text) const;

  Handle create_group(hid_t parent, const char* name) const;
  Handle open_group(hid_t parent, const char* name) const;

  /// Texts of any length and number are datasets: an attribute holds 64 KB at most.
  void write_texts(hid_t group, const char* name, const std::vector<std::string>& texts) const;
  std::vector<std::string> read_texts(hid_t group, const char* name) const;

 private:
  void write_number(hid_t object, const char* name, hid_t stored, hid_t native,
                    const void* value) const;
  void read_number(hid_t object, const char* name, hid_t native, void* value) const;
  Handle attribute(hid_t object, const char* name, hid_t type, hid_t space) const;
  Handle open_attribute(hid_t object, const char* name) const;
  void require_texts(hid_t type, const char* name) const;
  std::string path_;
};

/// Text type of so many bytes, UTF-8.
Handle text_type(std::size_t size);

}  // namespace rattleback::detail
