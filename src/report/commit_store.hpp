// A file under HDF5 that changes only at commit(), in an order that leaves it readable whenever the
// process is killed.
//
// HDF5 writes its metadata when its cache likes, and a file killed between two such writes may be
// lost. Here all writes stay in memory until commit(), which puts them to the file as
//   1. whatever nothing refers to yet: raw data, new index nodes
//   2. the superblock, with the new end of file
//   3. index nodes that were there before, parents first
//   4. object headers: the sizes of the datasets, in one write
// so that after every single write the file is the old one or the new one; metadata come in whole
// pages, at which alone a write can be torn by a kill.
// Superblocks before version 3 hold no mark of being open for writing, hence the format is that of
// HDF5 1.8.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "hdf5_handle.hpp"
#include "locked_file.hpp"

namespace rattleback::detail {

class CommitStore {
 public:
  /// Creates a file that takes its place at the first commit, or opens one.
  CommitStore(const std::string& path, LockedFile::Open how, Existing existing);
  ~CommitStore();
  CommitStore(const CommitStore&) = delete;
  CommitStore& operator=(const CommitStore&) = delete;

  /// For H5Fcreate and H5Fopen.
  Handle access_properties();
  /// Throws FileError; then the file is as after the last commit, and stays so.
  void commit();
  /// Whether the file is there under its name: from the first commit on.
  bool visible() const { return temporary_.empty(); }

  // Called by HDF5.
  bool read(std::uint64_t address, std::size_t size, unsigned char* to) const;
  void write(int type, std::uint64_t address, std::size_t size, const unsigned char* from);
  std::uint64_t end_of_allocation = 0;
  std::uint64_t end_of_file() const;

 private:
  struct Piece {
    int type;
    std::vector<unsigned char> bytes;
  };
  using Pieces = std::map<std::uint64_t, Piece>;

  void open_temporary();
  int phase(std::uint64_t address, const Piece& piece) const;
  void put(std::uint64_t address, const std::vector<unsigned char>& bytes);
  void put_together(const std::vector<Pieces::const_iterator>& headers);
  [[noreturn]] void fail(const std::string& what, int error) const;

  LockedFile target_;
  std::string temporary_;   // until the first commit
  int file_ = -1;           // the target, or what took its place
  std::uint64_t size_ = 0;  // of the file
  Pieces pending_;
};

}  // namespace rattleback::detail
