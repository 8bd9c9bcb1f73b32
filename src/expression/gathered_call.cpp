// Gathered families in native code: rows are collected block by block, computed, and spread again.
#include <cstring>

#include "rattleback/expression/compiled_function.hpp"

namespace rattleback {

namespace {

constexpr int rows_of_block = GatheredFamily::block;

/// out_r = from[at(r)]: stored four at a time where they are numbers.
template <class Lanes, class At>
void gather(const Lanes* from, const At& at, Lanes* out) {
  if constexpr (sizeof(Lanes) == sizeof(double)) {
    typedef double Four __attribute__((vector_size(32)));
    for (int r = 0; r < rows_of_block; r += 4) {
      const Four four{from[at(r)].lane[0], from[at(r + 1)].lane[0], from[at(r + 2)].lane[0],
                      from[at(r + 3)].lane[0]};
      std::memcpy(out + r, &four, sizeof four);
    }
  } else {
    for (int r = 0; r < rows_of_block; ++r) out[r] = from[at(r)];
  }
}
template <class Lanes, class At>
void scatter(const Lanes* from, const At& at, Lanes* out) {
  for (int r = 0; r < rows_of_block; ++r) out[at(r)] = from[r];
}
template <class Lanes>
void copy_block(const Lanes* from, Lanes* to) {
  typedef double Eight __attribute__((vector_size(64)));
  constexpr std::size_t size = rows_of_block * sizeof(Lanes);
  for (std::size_t k = 0; k < size; k += sizeof(Eight)) {
    Eight eight;
    std::memcpy(&eight, reinterpret_cast<const char*>(from) + k, sizeof eight);
    std::memcpy(reinterpret_cast<char*>(to) + k, &eight, sizeof eight);
  }
}

/// Reads the places of a family one after another.
struct Reader {
  const BlockPlaces::Place* place;
  const std::uint16_t* near;
  const int* far;

  /// f(the first place, at), where row r of the block is at(r) places further; f(the first) where
  /// rows follow each other.
  template <class F>
  void next(F&& f) {
    const auto [first, step] = *place++;
    if (step == 1) {
      f(first);
    } else if (step == BlockPlaces::listed_near) {
      f(first, [at = near](int r) { return at[r]; });
      near += rows_of_block;
    } else if (step == BlockPlaces::listed_far) {
      f(first, [at = far](int r) { return at[r]; });
      far += rows_of_block;
    } else {
      f(first, [step = std::ptrdiff_t{step}](int r) { return r * step; });
    }
  }
};

template <class Lanes>
void collect(Reader& reader, const Lanes* from, Lanes* out) {
  reader.next([&](int first, const auto&... at) {
    if constexpr (sizeof...(at) == 0)
      copy_block(from + first, out);
    else
      gather(from + first, at..., out);
  });
}
template <class Lanes>
void spread(Reader& reader, const Lanes* from, Lanes* out) {
  reader.next([&](int first, const auto&... at) {
    if constexpr (sizeof...(at) == 0)
      copy_block(from, out + first);
    else
      scatter(from, at..., out + first);
  });
}

template <int lanes>
void call_in_blocks(const GatheredFamily& family, const BlockPlaces& places,
                    const std::vector<double>& constants, const NativeCode& code, const double* x,
                    const double* y, double* a, double* b) {
  struct Lanes {
    double lane[lanes];
  };
  const auto of = [](auto* p) { return reinterpret_cast<Lanes*>(const_cast<double*>(p)); };
  const std::size_t inputs = family.from.size(), outputs = family.to.size();
  const std::size_t rows = family.rows, own = constants.size() / lanes / rows;
  thread_local std::vector<Lanes> memory;  // grows to what the largest row of this thread needs
  if (memory.size() < (inputs + own + outputs) * rows_of_block)
    memory.resize((inputs + own + outputs) * rows_of_block);
  Lanes *in = memory.data(), *out = in + (inputs + own) * rows_of_block;
  Reader reader{places.place.data(), places.near.data(), places.far.data()};
  for (int block = 0; block < places.blocks; ++block) {
    for (std::size_t k = 0; k < inputs; ++k)
      collect(reader, of(family.from[k] == 0 ? x : y), in + k * rows_of_block);
    const int first = BlockPlaces::row_of_block(block, family.rows);
    for (std::size_t k = 0; k < own; ++k)
      copy_block(of(constants.data()) + k * rows + first, in + (inputs + k) * rows_of_block);
    code(in->lane, in->lane, out->lane, out->lane);
    for (std::size_t k = 0; k < outputs; ++k)
      spread(reader, out + k * rows_of_block, of(family.to[k] == 0 ? a : b));
  }
}

}  // namespace

BlockPlaces::BlockPlaces(const GatheredFamily& family)
    : blocks((family.rows + rows_of_block - 1) / rows_of_block) {
  const auto add = [&](const int* at) {
    const int step = at[1] - at[0];
    bool even = true;
    for (int r = 1; r < rows_of_block; ++r) even = even && at[r] - at[r - 1] == step;
    if (even) return place.push_back({at[0], step});
    const auto [low, high] = std::minmax_element(at, at + rows_of_block);
    const bool is_near = *high - *low <= 0xffff;
    place.push_back({*low, is_near ? listed_near : listed_far});
    for (int r = 0; r < rows_of_block; ++r)
      if (is_near)
        near.push_back(static_cast<std::uint16_t>(at[r] - *low));
      else
        far.push_back(at[r] - *low);
  };
  const std::size_t rows = family.rows;
  for (int b = 0; b < blocks; ++b) {
    const int first = row_of_block(b, family.rows);
    for (std::size_t k = 0; k < family.from.size(); ++k) add(&family.input[k * rows + first]);
    for (std::size_t k = 0; k < family.to.size(); ++k) add(&family.output[k * rows + first]);
  }
}

void CompiledFunction::GatheredPart::call(int lanes, const double* x, const double* y, double* a,
                                          double* b) const {
  if (lanes == 1)
    call_in_blocks<1>(family, places, row_constants, code, x, y, a, b);
  else
    call_in_blocks<lanes_of_a_pack>(family, places, row_constants, code, x, y, a, b);
}

}  // namespace rattleback
