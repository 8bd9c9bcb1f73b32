#include "locked_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace rattleback {

void require_free(const std::string& path, Existing existing) {
  struct stat info {};
  if (existing == Existing::replace || ::stat(path.c_str(), &info) != 0) return;
  if (S_ISREG(info.st_mode) && info.st_size > 0)
    throw FileError(path, "is there already; --force replaces it");
}

namespace detail {

namespace {

/// From the byte with the number of the process to the end of all files: any two of these overlap,
/// and where one begins says whose it is.
struct flock lock_of(pid_t process) {
  struct flock range {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  range.l_start = process;
  return range;
}

/// Who holds the file, in words; empty: nobody any more.
std::string holder(int file) {
  struct flock range = lock_of(0);
  if (::fcntl(file, F_OFD_GETLK, &range) != 0) return "another process";
  if (range.l_type == F_UNLCK) return {};
  return range.l_start > 0 ? "process " + std::to_string(range.l_start) : "another process";
}

bool same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

}  // namespace

LockedFile::LockedFile(std::string path, Open how, Existing existing)
    : path_(std::move(path)), existing_(existing) {
  try {
    do {
      if (file_ >= 0) ::close(std::exchange(file_, -1));
      open(how);
    } while (regular_ && !(lock() && still_there()));
    if (how == Open::create) require_free(path_, existing_);
  } catch (...) {
    close();
    throw;
  }
  std::error_code ignored;
  const auto real = std::filesystem::canonical(path_, ignored);
  real_path_ = real.empty() ? path_ : real.string();
}

LockedFile::~LockedFile() { close(); }

void LockedFile::close() {
  struct stat info {};
  if (made_ && ::fstat(file_, &info) == 0 && info.st_size == 0 && still_there())
    ::unlink(path_.c_str());
  if (file_ >= 0) ::close(file_);
}

void LockedFile::open(Open how) {
  if (how == Open::create) {
    file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    made_ = file_ >= 0;
    if (made_) return;
  }
  struct stat info {};
  regular_ = ::stat(path_.c_str(), &info) != 0 || S_ISREG(info.st_mode);
  // Devices and pipes are written to, and cannot be locked.
  const int mode = regular_ ? O_RDWR | (how == Open::create ? O_CREAT : 0) : O_WRONLY;
  file_ = ::open(path_.c_str(), mode | O_CLOEXEC, 0666);
  if (file_ < 0) fail(how == Open::create ? "cannot be written" : "cannot be opened");
}

/// False: whoever held it let go of it.
bool LockedFile::lock() {
  struct flock range = lock_of(::getpid());
  if (::fcntl(file_, F_OFD_SETLK, &range) == 0) return true;
  if (errno == EAGAIN || errno == EACCES) {
    const std::string who = holder(file_);
    if (who.empty()) return false;
    throw FileError(path_, "is being written by " + who);
  }
  if (existing_ == Existing::refuse)
    throw FileError(path_, std::string("cannot be kept from a second writer: ") +
                               std::strerror(errno) + "; --force writes it all the same");
  return true;
}

/// Whether the name still means what was opened.
bool LockedFile::still_there() const {
  struct stat opened {
  }, named{};
  return ::fstat(file_, &opened) == 0 && ::stat(path_.c_str(), &named) == 0 &&
         same_file(opened, named);
}

void LockedFile::be_replaced_by(int file, const std::string& name) {
  struct flock range = lock_of(::getpid());
  (void)::fcntl(file, F_OFD_SETLK, &range);  // nobody knows it; without locks as the one before
  if (::rename(name.c_str(), real_path_.c_str()) != 0) fail("cannot be written");
}

void LockedFile::write(const char* from, std::size_t size) {
  while (size > 0) {
    const ssize_t n = ::write(file_, from, size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("cannot be written");
    from += n;
    size -= static_cast<std::size_t>(n);
  }
}

void LockedFile::write_at(std::size_t position, const char* from, std::size_t size) {
  if (::pwrite(file_, from, size, static_cast<off_t>(position)) != static_cast<ssize_t>(size))
    fail("cannot be written");
}

void LockedFile::cut(std::size_t size) {
  if (!regular_) return;
  if (::ftruncate(file_, static_cast<off_t>(size)) != 0 || ::lseek(file_, 0, SEEK_END) < 0)
    fail("cannot be written");
}

void LockedFile::fail(const std::string& what) const {
  throw FileError(path_, what + ": " + std::strerror(errno));
}

}  // namespace detail
}  // namespace rattleback
