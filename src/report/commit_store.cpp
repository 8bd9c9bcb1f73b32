#include "commit_store.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace rattleback::detail {

namespace {

/// HDF5's view of the store.
struct Driver {
  H5FD_t base;  // must be first
  CommitStore* store;
};

CommitStore& store_of(const H5FD_t* file) { return *reinterpret_cast<const Driver*>(file)->store; }

H5FD_t* driver_open(const char*, unsigned, hid_t access, haddr_t) {
  const auto* info = static_cast<CommitStore* const*>(H5Pget_driver_info(access));
  return info ? &(new Driver{{}, *info})->base : nullptr;
}
herr_t driver_close(H5FD_t* file) {
  delete reinterpret_cast<Driver*>(file);
  return 0;
}
int driver_compare(const H5FD_t* a, const H5FD_t* b) {
  const CommitStore *x = &store_of(a), *y = &store_of(b);
  return x < y ? -1 : x > y;
}
herr_t driver_query(const H5FD_t*, unsigned long* flags) {
  // No accumulator: every piece of metadata comes alone, with its type. No blocks of metadata:
  // each is aligned by itself. Compatible with files that the default driver reads.
  if (flags) *flags = H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}
haddr_t driver_get_eoa(const H5FD_t* file, H5FD_mem_t) { return store_of(file).end_of_allocation; }
herr_t driver_set_eoa(H5FD_t* file, H5FD_mem_t, haddr_t address) {
  store_of(file).end_of_allocation = address;
  return 0;
}
haddr_t driver_get_eof(const H5FD_t* file, H5FD_mem_t) { return store_of(file).end_of_file(); }
herr_t driver_read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, size_t size, void* to) {
  return store_of(file).read(address, size, static_cast<unsigned char*>(to)) ? 0 : -1;
}
herr_t driver_write(H5FD_t* file, H5FD_mem_t type, hid_t, haddr_t address, size_t size,
                    const void* from) {
  try {
    store_of(file).write(type, address, size, static_cast<const unsigned char*>(from));
    return 0;
  } catch (const std::bad_alloc&) {
    return -1;
  }
}
herr_t driver_nothing(H5FD_t*, hid_t, hbool_t) { return 0; }
herr_t driver_lock(H5FD_t*, hbool_t) { return 0; }
herr_t driver_unlock(H5FD_t*) { return 0; }

hid_t driver() {
  static H5FD_class_t driver_class = [] {
    H5FD_class_t c{};
    c.name = "rattleback";
    c.maxaddr = (haddr_t(1) << 62) - 1;
    c.fc_degree = H5F_CLOSE_STRONG;
    c.fapl_size = sizeof(CommitStore*);
    c.open = driver_open;
    c.close = driver_close;
    c.cmp = driver_compare;
    c.query = driver_query;
    c.get_eoa = driver_get_eoa;
    c.set_eoa = driver_set_eoa;
    c.get_eof = driver_get_eof;
    c.read = driver_read;
    c.write = driver_write;
    c.flush = driver_nothing;
    c.truncate = driver_nothing;
    c.lock = driver_lock;
    c.unlock = driver_unlock;
    const H5FD_mem_t map[] = H5FD_FLMAP_DICHOTOMY;
    std::copy(std::begin(map), std::end(map), std::begin(c.fl_map));
    return c;
  }();
  static const hid_t id = H5FDregister(&driver_class);
  return id;
}

void require_regular(const std::string& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw FileError(path, "is not a regular file");
}

constexpr std::size_t level_byte = 5;  // of an index node, after "TREE" and its type

}  // namespace

CommitStore::CommitStore(const std::string& path, LockedFile::Open how, Existing existing)
    : target_((require_regular(path), path), how, existing), file_(target_.file()) {
  if (how == LockedFile::Open::create)
    open_temporary();
  else if (struct stat info{}; ::fstat(file_, &info) == 0)
    size_ = static_cast<std::uint64_t>(info.st_size);
}

CommitStore::~CommitStore() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  if (file_ != target_.file()) ::close(file_);
}

void CommitStore::open_temporary() {
  temporary_ = target_.real_path() + ".new-XXXXXX";
  const int file = ::mkostemp(temporary_.data(), O_CLOEXEC);
  if (file < 0) {
    const int error = errno;
    temporary_.clear();
    fail("cannot be written", error);
  }
  file_ = file;
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(file_, 0666 & ~mask);
}

Handle CommitStore::access_properties() {
  Handle access = checked(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, target_.path(), "prepare the file");
  CommitStore* self = this;
  checked(H5Pset_driver(access, driver(), static_cast<const void*>(&self)), target_.path(),
          "set its driver");
  checked(H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18), target_.path(),
          "set its format");
  // A killed process may end a write between two pages: no object header or index node of a
  // dataset lies on both.
  constexpr hsize_t page = 4096, smallest = 200;
  checked(H5Pset_alignment(access, smallest, page), target_.path(), "align its metadata");
  return access;
}

std::uint64_t CommitStore::end_of_file() const {
  std::uint64_t end = size_;
  if (!pending_.empty())
    end = std::max(end, pending_.rbegin()->first + pending_.rbegin()->second.bytes.size());
  return end;
}

bool CommitStore::read(std::uint64_t address, std::size_t size, unsigned char* to) const {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t n = ::pread(file_, to + done, size - done, static_cast<off_t>(address + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    if (n == 0) break;
    done += static_cast<std::size_t>(n);
  }
  std::fill(to + done, to + size, 0);
  auto piece = pending_.upper_bound(address);
  if (piece != pending_.begin()) --piece;
  for (; piece != pending_.end() && piece->first < address + size; ++piece) {
    const std::uint64_t begin = std::max(address, piece->first);
    const std::uint64_t end = std::min(address + size, piece->first + piece->second.bytes.size());
    if (begin < end)
      std::memcpy(to + (begin - address), piece->second.bytes.data() + (begin - piece->first),
                  end - begin);
  }
  return true;
}

/// Pieces never overlap: a write that is not exactly one of them is joined with those it meets.
void CommitStore::write(int type, std::uint64_t address, std::size_t size,
                        const unsigned char* from) {
  auto first = pending_.upper_bound(address);
  if (first != pending_.begin()) {
    const auto before = std::prev(first);
    if (before->first + before->second.bytes.size() > address) first = before;
  }
  auto last = first;
  std::uint64_t begin = address, end = address + size;
  for (; last != pending_.end() && last->first < address + size; ++last) {
    begin = std::min(begin, last->first);
    end = std::max(end, last->first + last->second.bytes.size());
  }
  if (first != last && std::next(first) == last && first->first == begin &&
      first->second.bytes.size() == end - begin) {
    std::memcpy(first->second.bytes.data() + (address - begin), from, size);
    first->second.type = type;
    return;
  }
  Piece joined{type, std::vector<unsigned char>(end - begin)};
  for (auto piece = first; piece != last; ++piece)
    std::copy(piece->second.bytes.begin(), piece->second.bytes.end(),
              joined.bytes.begin() + static_cast<std::ptrdiff_t>(piece->first - begin));
  std::memcpy(joined.bytes.data() + (address - begin), from, size);
  pending_.erase(first, last);
  pending_.emplace(begin, std::move(joined));
}

int CommitStore::phase(std::uint64_t address, const Piece& piece) const {
  switch (piece.type) {
    case H5FD_MEM_SUPER:
      return 2;
    case H5FD_MEM_BTREE: {
      char old[4] = {};
      const bool there = ::pread(file_, old, sizeof old, static_cast<off_t>(address)) == 4 &&
                         std::memcmp(old, "TREE", 4) == 0;
      return there ? 3 : 1;
    }
    case H5FD_MEM_OHDR:
      return 4;
    default:
      return 1;
  }
}

void CommitStore::commit() {
  std::vector<Pieces::const_iterator> phases[5];
  for (auto piece = pending_.cbegin(); piece != pending_.cend(); ++piece)
    phases[phase(piece->first, piece->second)].push_back(piece);
  std::stable_sort(phases[3].begin(), phases[3].end(), [](auto a, auto b) {
    return a->second.bytes[level_byte] > b->second.bytes[level_byte];
  });
  const auto put_all = [&](int which) {
    for (auto piece : phases[which]) put(piece->first, piece->second.bytes);
  };
  put_all(1);
  if (size_ < end_of_allocation) {  // HDF5 calls a file that is shorter than it says truncated
    if (::ftruncate(file_, static_cast<off_t>(end_of_allocation)) != 0)
      fail("cannot be written", errno);
    size_ = end_of_allocation;
  }
  put_all(2);
  put_all(3);
  put_together(phases[4]);
  pending_.clear();
  if (temporary_.empty()) return;
  target_.be_replaced_by(file_, temporary_);
  temporary_.clear();
}

/// The object headers and what lies between them in one write, so that all datasets grow at once.
void CommitStore::put_together(const std::vector<Pieces::const_iterator>& headers) {
  constexpr std::uint64_t reach = 1 << 16;
  for (std::size_t i = 0; i < headers.size();) {
    const std::uint64_t begin = headers[i]->first;
    std::uint64_t end = begin;
    for (; i < headers.size(); ++i) {
      const std::uint64_t next = headers[i]->first + headers[i]->second.bytes.size();
      if (end > begin && next - begin > reach) break;
      end = next;
    }
    std::vector<unsigned char> bytes(end - begin);
    if (!read(begin, bytes.size(), bytes.data())) fail("cannot be read", errno);
    put(begin, bytes);
  }
}

void CommitStore::put(std::uint64_t address, const std::vector<unsigned char>& bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = ::pwrite(file_, bytes.data() + done, bytes.size() - done,
                               static_cast<off_t>(address + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail("cannot be written", n < 0 ? errno : ENOSPC);
    done += static_cast<std::size_t>(n);
  }
  size_ = std::max(size_, address + bytes.size());
}

void CommitStore::fail(const std::string& what, int error) const {
  throw FileError(target_.path(), what + ": " + std::strerror(error));
}

}  // namespace rattleback::detail
