// A file that cannot be written, read or understood.
#pragma once

#include <string>

#include "rattleback/problem/error.hpp"

namespace rattleback {

/// Names the path and the reason, the system's own where it gave one.
class FileError : public InputError {
 public:
  FileError(const std::string& path, const std::string& reason) : InputError(path, reason) {}
  const std::string& path() const { return where(); }
};

}  // namespace rattleback
