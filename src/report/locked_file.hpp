// A file with one writer. The lock is on the file itself and goes with its process, however that
// ends; it says who holds it. Files that take another one's place are locked before they do, so
// that whoever opens the name finds a lock.
#pragma once

#include <string>

#include "rattleback/report/run_sink.hpp"

namespace rattleback::detail {

class LockedFile {
 public:
  enum class Open { existing, create };

  /// What is in a new file already is refused or, once written, replaced; a file system without
  /// locks is refused or put up with. Throws FileError, with the process that writes the file.
  LockedFile(std::string path, Open how, Existing existing = Existing::refuse);
  /// A file that was made here and is still empty goes away.
  ~LockedFile();
  LockedFile(const LockedFile&) = delete;
  LockedFile& operator=(const LockedFile&) = delete;

  int file() const { return file_; }
  const std::string& path() const { return path_; }
  /// The same without symbolic links.
  const std::string& real_path() const { return real_path_; }
  /// Locks another open file, and puts it in the place of this one. Both stay locked.
  void be_replaced_by(int file, const std::string& name);

  void write(const char* from, std::size_t size);  ///< where the file stands
  void write_at(std::size_t position, const char* from, std::size_t size);
  void cut(std::size_t size);
  [[noreturn]] void fail(const std::string& what) const;  ///< with errno

 private:
  void open(Open how);
  void close();
  bool lock();
  bool still_there() const;

  std::string path_, real_path_;
  int file_ = -1;
  bool regular_ = true, made_ = false;
  Existing existing_;
};

}  // namespace rattleback::detail
