#include "gathered_families.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <unordered_map>

#include "rattleback/expression/node_table.hpp"

namespace rattleback::detail {

namespace {

/// Fewer rows are faster as straight-line code.
constexpr int fewest_rows = 64;

/// What one row is made of, in an order that depends on its shape alone.
struct Row {
  std::string shape;  // operations with their operands, as numbers in this order
  std::vector<int> nodes;
  std::vector<int> inputs, constants;  // among these
};

/// Reads rows off a graph.
class RowReader {
 public:
  RowReader(const Graph& graph, int split)
      : graph_(graph), split_(split), number_(graph.size()), likeness_(graph.size()) {}

  /// The operations and what they are of, operands first; empty where they are too many.
  std::vector<int> nodes_of(Expression e) {
    number_.clear();
    std::vector<int> found;
    if (number_.add(e.node, 0)) found.push_back(e.node);
    for (std::size_t k = 0; k < found.size(); ++k) {
      if (found.size() > longest_row) return {};
      const Node& node = graph_.node({found[k]});
      const int count = operand_count(node.operation);
      if (count > 0 && number_.add(node.a, 0)) found.push_back(node.a);
      if (count > 1 && number_.add(node.b, 0)) found.push_back(node.b);
    }
    std::sort(found.begin(), found.end());
    return found;
  }

  /// Of outputs all of whose nodes were listed.
  Row read(std::span<const Program::Output> outputs) {
    number_.clear();
    row_ = {};
    for (const Program::Output& o : outputs) {
      visit(o.expression.node);
      write(o.array);
      write(number_[o.expression.node]);
    }
    return std::move(row_);
  }

  /// A number that nodes of the same shape have in common; operands have theirs already.
  void compare(int n) {
    const Node& node = graph_.node({n});
    std::uint32_t a = 0, b = 0;
    if (operand_count(node.operation) > 0) a = likeness_[node.a];
    if (operand_count(node.operation) > 1) b = likeness_[node.b];
    if (commutes(node.operation) && b < a) std::swap(a, b);
    std::uint32_t h = static_cast<std::uint32_t>(node.operation) * 0x9e3779b9U + 1;
    for (const std::uint32_t part : {a, b}) h = (h ^ part) * 0x85ebca6bU, h ^= h >> 15;
    likeness_.set(n, static_cast<int>(h >> 1));
  }

 private:
  static bool commutes(Operation operation) {
    return operation == Operation::add || operation == Operation::multiply;
  }
  void write(int number) {
    row_.shape.append(reinterpret_cast<const char*>(&number), sizeof number);
  }

  void visit(int n) {
    if (number_[n] >= 0) return;
    const Node& node = graph_.node({n});
    const int count = operand_count(node.operation);
    int a = node.a, b = node.b;
    // Sums and products are kept in the order of their making, which may differ by row.
    if (commutes(node.operation) && likeness_[b] < likeness_[a]) std::swap(a, b);
    if (count > 0) visit(a);
    if (count > 1) visit(b);
    number_.set(n, static_cast<int>(row_.nodes.size()));
    write(static_cast<int>(node.operation));
    if (node.operation == Operation::input) {
      write(node.a < split_ ? 0 : 1);
      row_.inputs.push_back(n);
    } else if (count == 0) {
      row_.constants.push_back(n);
    } else {
      write(number_[a]);
      write(count > 1 ? number_[b] : -1);
    }
    // Exponents decide what a power of a negative number is: they are not of a row.
    if (node.operation == Operation::power && graph_.is_constant({b})) {
      const auto bits = std::bit_cast<std::uint64_t>(graph_.value({b}));
      row_.shape.append(reinterpret_cast<const char*>(&bits), sizeof bits);
    }
    row_.nodes.push_back(n);
  }

  const Graph& graph_;
  int split_;
  NodeTable number_, likeness_;
  Row row_;
};

/// Rows of one shape on their way to a family.
struct Group {
  std::vector<std::vector<int>> members;  // outputs of each row
  std::vector<Row> rows;
};

class Finder {
 public:
  Finder(const Graph& graph, int split, std::vector<Program::Output>& outputs)
      : graph_(graph),
        split_(split),
        outputs_(outputs),
        reader_(graph, split),
        unit_(graph.size()) {}

  std::vector<GatheredFamily> run() {
    for (int k = 0; k < static_cast<int>(outputs_.size()); ++k) place(k);
    close();
    std::vector<GatheredFamily> families;
    std::vector<bool> taken(outputs_.size());
    for (const std::string* shape : shapes_) {
      const Group& group = groups_.at(*shape);
      if (static_cast<int>(group.rows.size()) < fewest_rows) continue;
      families.push_back(family(group));
      for (const auto& members : group.members)
        for (const int k : members) taken[k] = true;
    }
    std::size_t left = 0;
    for (std::size_t k = 0; k < outputs_.size(); ++k)
      if (!taken[k]) outputs_[left++] = outputs_[k];
    outputs_.resize(left);
    return families;
  }

 private:
  /// An output belongs to the row of the one before if it is made of the same inputs, or for the
  /// most part of what is there.
  void place(int k) {
    const std::vector<int> nodes = reader_.nodes_of(outputs_[k].expression);
    if (nodes.empty()) return close();
    int own = 0, shared = 0, new_inputs = 0;
    for (const int n : nodes) {
      reader_.compare(n);
      const Operation operation = graph_.node({n}).operation;
      const bool is_new = unit_[n] != number_;
      if (operation == Operation::input) new_inputs += is_new ? 1 : 0;
      if (operand_count(operation) == 0) continue;
      ++own;
      if (!is_new) ++shared;
    }
    const bool belongs = new_inputs == 0 || (shared > 0 && 2 * shared >= own);
    if (!belongs || size_ + own - shared > longest_row) close(), shared = 0;
    for (const int n : nodes) unit_.set(n, number_);
    size_ += own - shared;
    members_.push_back(k);
  }
  void close() {
    if (!members_.empty()) {
      std::vector<Program::Output> row;
      row.reserve(members_.size());
      for (const int k : members_) row.push_back(outputs_[k]);
      Row read = reader_.read(row);
      const auto [at, is_new] = groups_.try_emplace(read.shape);
      if (is_new) shapes_.push_back(&at->first);
      read.shape.clear();
      if (!is_new) read.nodes = {};  // those of the first are the pattern
      at->second.members.push_back(std::move(members_));
      at->second.rows.push_back(std::move(read));
    }
    members_.clear();
    size_ = 0;
    ++number_;
  }

  GatheredFamily family(const Group& group) const {
    GatheredFamily f;
    f.rows = static_cast<int>(group.rows.size());
    const Row& first = group.rows[0];
    for (std::size_t k = 0; k < first.inputs.size(); ++k) {
      const bool is_x = graph_.node({first.inputs[k]}).a < split_;
      for (const Row& row : group.rows)
        f.input.push_back(graph_.node({row.inputs[k]}).a - (is_x ? 0 : split_));
      f.from.push_back(is_x ? 0 : 1);
    }
    for (std::size_t k = 0; k < group.members[0].size(); ++k) {
      for (const auto& members : group.members) f.output.push_back(outputs_[members[k]].index);
      f.to.push_back(static_cast<std::uint8_t>(outputs_[group.members[0][k]].array));
    }
    f.program = program(group, f);
    return f;
  }

  /// The first row as a function of its own numbers; constants that differ by row are among them.
  Program program(const Group& group, GatheredFamily& f) const {
    Graph row;
    NodeTable image(graph_.size());
    const Row& first = group.rows[0];
    int numbers = 0;
    const auto number = [&] { return row.input(GatheredFamily::block * numbers++).node; };
    for (const int n : first.inputs) image.set(n, number());
    for (std::size_t k = 0; k < first.constants.size(); ++k) {
      const auto value = [&](const Row& r) { return graph_.value({r.constants[k]}); };
      const bool same =
          std::ranges::all_of(group.rows, [&](const Row& r) { return value(r) == value(first); });
      image.set(first.constants[k], same ? row.constant(value(first)).node : number());
      if (same) continue;
      for (const Row& r : group.rows) f.constant.push_back(value(r));
    }
    for (const int n : first.nodes) {
      const Node& node = graph_.node({n});
      const int count = operand_count(node.operation);
      if (count == 1) image.set(n, row.apply(node.operation, {image[node.a]}).node);
      if (count == 2)
        image.set(n, row.apply(node.operation, {image[node.a]}, {image[node.b]}).node);
    }
    std::vector<Program::Output> outputs;
    for (const int k : group.members[0])
      outputs.push_back({0, GatheredFamily::block * static_cast<int>(outputs.size()),
                         Expression{image[outputs_[k].expression.node]}});
    return {row, GatheredFamily::block * std::max(1, numbers), outputs};
  }

  const Graph& graph_;
  const int split_;
  std::vector<Program::Output>& outputs_;
  RowReader reader_;
  NodeTable unit_;  // the row that a node was last seen in
  int number_ = 0, size_ = 0;
  std::vector<int> members_;
  std::unordered_map<std::string, Group> groups_;
  std::vector<const std::string*> shapes_;  // in the order of their first rows
};

}  // namespace

std::vector<GatheredFamily> take_gathered(const Graph& graph, int split,
                                          std::vector<Program::Output>& outputs) {
  if (static_cast<int>(outputs.size()) < fewest_rows) return {};
  return Finder(graph, split, outputs).run();
}

}  // namespace rattleback::detail
