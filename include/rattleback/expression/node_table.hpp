// A number for some nodes of a graph. Most walks are short and graphs are not, so a table is not
// cleared: its entries carry the number of the walk they belong to, and tables are used again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace rattleback::detail {

class NodeTable {
 public:
  /// For nodes below `size`.
  explicit NodeTable(int size) : memory_(take()) {
    if (memory_->entries.size() < static_cast<std::size_t>(size)) memory_->entries.resize(size);
    clear();
  }
  NodeTable(const NodeTable&) = delete;
  NodeTable& operator=(const NodeTable&) = delete;
  ~NodeTable() { spare().push_back(std::move(memory_)); }

  /// -1 where none was set.
  int operator[](int node) const {
    const Entry& entry = memory_->entries[node];
    return entry.walk == memory_->walk ? entry.value : -1;
  }
  void set(int node, int value) { memory_->entries[node] = {memory_->walk, value}; }
  /// Sets it where there is none yet, and says whether there was none.
  bool add(int node, int value) {
    Entry& entry = memory_->entries[node];
    if (entry.walk == memory_->walk) return false;
    entry = {memory_->walk, value};
    return true;
  }
  void clear() {
    if (++memory_->walk != 0) return;
    memory_->entries.assign(memory_->entries.size(), {});  // after 2^32 walks
    memory_->walk = 1;
  }

 private:
  struct Entry {
    std::uint32_t walk = 0;
    int value = 0;
  };
  struct Memory {
    std::vector<Entry> entries;
    std::uint32_t walk = 0;
  };
  static std::vector<std::unique_ptr<Memory>>& spare() {
    thread_local std::vector<std::unique_ptr<Memory>> tables;
    return tables;
  }
  static std::unique_ptr<Memory> take() {
    auto& tables = spare();
    if (tables.empty()) return std::make_unique<Memory>();
    auto memory = std::move(tables.back());
    tables.pop_back();
    return memory;
  }

  std::unique_ptr<Memory> memory_;
};

}  // namespace rattleback::detail
