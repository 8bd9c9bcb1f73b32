// HDF5 handles that close themselves, and its errors as exceptions.
#pragma once

#include <hdf5.h>

#include <string>
#include <utility>

#include "rattleback/report/file_error.hpp"

namespace rattleback::detail {

class Handle {
 public:
  using Close = herr_t (*)(hid_t);

  Handle() = default;
  Handle(hid_t id, Close close) : id_(id), close_(close) {}
  Handle(Handle&& o) noexcept : id_(std::exchange(o.id_, -1)), close_(o.close_) {}
  Handle& operator=(Handle&& o) noexcept {
    std::swap(id_, o.id_);
    std::swap(close_, o.close_);
    return *this;
  }
  ~Handle() { close(); }

  operator hid_t() const { return id_; }
  void close() {
    if (id_ >= 0) close_(id_);
    id_ = -1;
  }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

/// HDF5 prints nothing while one of these is there: we say it ourselves.
class QuietHdf5 {
 public:
  QuietHdf5() {
    H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~QuietHdf5() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }
  QuietHdf5(const QuietHdf5&) = delete;
  QuietHdf5& operator=(const QuietHdf5&) = delete;

 private:
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

/// HDF5's own words for its last error.
inline std::string hdf5_reason() {
  std::string reason;
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned n, const H5E_error2_t* error, void* text) {
        if (n == 0 && error->desc) *static_cast<std::string*>(text) = error->desc;
        return herr_t(0);
      },
      &reason);
  return reason.empty() ? "no reason given" : reason;
}

[[noreturn]] inline void fail_hdf5(const std::string& path, const std::string& what) {
  throw FileError(path, "HDF5 could not " + what + ": " + hdf5_reason());
}

inline Handle checked(hid_t id, Handle::Close close, const std::string& path,
                      const std::string& what) {
  if (id < 0) fail_hdf5(path, what);
  return {id, close};
}

inline void checked(herr_t status, const std::string& path, const std::string& what) {
  if (status < 0) fail_hdf5(path, what);
}

}  // namespace rattleback::detail
