#include "rattleback/expression/families.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "gathered_families.hpp"
#include "rattleback/expression/node_table.hpp"

namespace rattleback {

namespace {

using detail::longest_row;
constexpr int fewest_rows = 8;

/// Whether b is a with every input one place further.
class Shifted {
 public:
  Shifted(const Graph& graph, int split) : graph_(graph), split_(split), known_(graph.size()) {}

  bool operator()(Expression a, Expression b) {
    known_.clear();
    visits_ = found_ = 0;
    return same(a.node, b.node);
  }

 private:
  bool same(int a, int b) {
    if (known_[a] == b) return true;
    // The second bound: both orders of operands are tried, at every level.
    if (found_ > longest_row || ++visits_ > 10 * longest_row) return false;
    const Node &x = graph_.node({a}), &y = graph_.node({b});
    if (x.operation != y.operation) return false;
    const bool equal = [&] {
      switch (operand_count(x.operation)) {
        case 0:
          if (x.operation == Operation::constant) return x.value == y.value;
          return y.a == x.a + 1 && (x.a < split_) == (y.a < split_);
        case 1:
          return same(x.a, y.a);
        default:
          if (same(x.a, y.a) && same(x.b, y.b)) return true;
          // Sums and products are kept in the order of their making, which may differ by row.
          return (x.operation == Operation::add || x.operation == Operation::multiply) &&
                 same(x.a, y.b) && same(x.b, y.a);
      }
    }();
    if (equal) known_.set(a, b), ++found_;
    return equal;
  }

  const Graph& graph_;
  int split_, visits_ = 0, found_ = 0;
  detail::NodeTable known_;  // of a, the last b that is its image
};

}  // namespace

Families find_families(const Graph& graph, int split, std::span<const Program::Output> outputs) {
  std::vector<int> order(outputs.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<int>(k);
  const auto place = [&](int k) { return std::tuple(outputs[k].array, outputs[k].index); };
  std::sort(order.begin(), order.end(), [&](int a, int b) { return place(a) < place(b); });

  // Runs of places in a row that are shifted copies; those of equal length share their loop.
  Shifted shifted(graph, split);
  std::map<int, std::vector<int>, std::greater<>> first_of;  // rows -> first outputs
  std::vector<bool> in_family(outputs.size());
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    end = begin + 1;
    const auto continues = [&](const Program::Output& a, const Program::Output& b) {
      return a.array == b.array && b.index == a.index + 1 && shifted(a.expression, b.expression);
    };
    while (end < order.size() && continues(outputs[order[end - 1]], outputs[order[end]])) ++end;
    const int rows = static_cast<int>(end - begin);
    if (rows < fewest_rows) continue;
    first_of[rows].push_back(order[begin]);
    for (std::size_t k = begin; k < end; ++k) in_family[order[k]] = true;
  }
  Families families;
  for (auto& [rows, first] : first_of) {
    std::sort(first.begin(), first.end());  // as the caller wants them computed
    OutputFamily family{{}, rows};
    for (const int k : first) family.outputs.push_back(outputs[k]);
    families.shifted.push_back(std::move(family));
  }
  for (std::size_t k = 0; k < outputs.size(); ++k)
    if (!in_family[k]) families.rest.push_back(outputs[k]);
  families.gathered = detail::take_gathered(graph, split, families.rest);
  return families;
}

}  // namespace rattleback
