#include "rattleback/expression/compiled_function.hpp"

#include <algorithm>
#include <cstring>

#include "rattleback/problem/error.hpp"
#include "rattleback/problem/pack.hpp"

namespace rattleback {

namespace {

/// Straight-line code beyond this fits no cache and gains nothing over byte code.
constexpr int most_native_values = 2'000'000;

}  // namespace

CompiledFunction::CompiledFunction(const Graph& graph, int split,
                                   std::span<const Program::Output> outputs)
    : body_(std::make_shared<Body>()) {
  Families found = find_families(graph, split, outputs);
  if (!found.rest.empty()) found.shifted.push_back({std::move(found.rest), 1});
  for (const OutputFamily& family : found.shifted) {
    Program program(graph, split, family.outputs);
    std::vector<double> constants = program.constants();
    body_->parts.push_back({family.rows, std::move(program), std::move(constants)});
  }
  for (GatheredFamily& family : found.gathered) {
    std::vector<double> constants = family.program.constants(), own = std::move(family.constant);
    body_->gathered.push_back({std::move(family), std::move(constants), std::move(own)});
  }
}

bool CompiledFunction::has_shape_of(const CompiledFunction& other) const {
  if (body_ == other.body_) return true;
  return body_ && other.body_ &&
         std::ranges::equal(body_->parts, other.body_->parts,
                            [](const Part& a, const Part& b) {
                              return a.rows == b.rows && a.program.has_shape_of(b.program);
                            }) &&
         std::ranges::equal(body_->gathered, other.body_->gathered,
                            [](const GatheredPart& a, const GatheredPart& b) {
                              return a.family.program.has_shape_of(b.family.program) &&
                                     a.family.input == b.family.input &&
                                     a.family.output == b.family.output &&
                                     a.family.from == b.family.from && a.family.to == b.family.to;
                            });
}

CompiledFunction CompiledFunction::packed(std::span<const CompiledFunction* const> lanes) {
  if (lanes.size() != lanes_of_a_pack)
    throw InputError("lanes", "there are " + std::to_string(lanes_of_a_pack) + ", got " +
                                  std::to_string(lanes.size()));
  for (const CompiledFunction* f : lanes)
    if (!f->has_shape_of(*lanes[0])) throw InputError("lanes", "functions of different shape");
  CompiledFunction result;
  if (!lanes[0]->body_) return result;
  result.body_ = std::make_shared<Body>();
  result.body_->lanes = lanes_of_a_pack;
  // The numbers of all lanes side by side.
  const auto joined = [&](auto&& of_lane) {
    std::vector<double> all;
    for (std::size_t k = 0; k < of_lane(*lanes[0]->body_).size(); ++k)
      for (const CompiledFunction* f : lanes) all.push_back(of_lane(*f->body_)[k]);
    return all;
  };
  for (std::size_t i = 0; i < lanes[0]->body_->parts.size(); ++i) {
    const Part& shape = lanes[0]->body_->parts[i];
    result.body_->parts.push_back(
        {shape.rows, shape.program,
         joined([i](const Body& b) -> const auto& { return b.parts[i].constants; })});
  }
  for (std::size_t i = 0; i < lanes[0]->body_->gathered.size(); ++i)
    result.body_->gathered.push_back(
        {lanes[0]->body_->gathered[i].family,
         joined([i](const Body& b) -> const auto& { return b.gathered[i].constants; }),
         joined([i](const Body& b) -> const auto& { return b.gathered[i].row_constants; })});
  return result;
}

CompiledFunction CompiledFunction::counted(std::shared_ptr<long> calls) const {
  CompiledFunction result = *this;
  result.calls_ = std::move(calls);
  return result;
}

bool CompiledFunction::is_constant() const {
  if (calls_) return false;
  if (!body_) return true;
  return std::ranges::all_of(body_->parts,
                             [](const Part& part) {
                               return part.program.inputs().empty() &&
                                      part.program.instructions().empty();
                             }) &&
         body_->gathered.empty();
}

bool CompiledFunction::Body::decide() {
  const std::lock_guard lock(mutex_);
  if (code_.load(std::memory_order_relaxed) == Code::undecided)
    code_.store(compile() ? Code::native : Code::bytes, std::memory_order_release);
  return code_.load(std::memory_order_relaxed) == Code::native;
}

/// What native code cannot be made of runs as byte code: a step is no place to give up.
bool CompiledFunction::Body::compile() try {
  if (!NativeCode::available()) return false;
  for (const Part& part : parts)
    if (part.program.value_count() > most_native_values) return false;
  for (Part& part : parts) {
    if (lanes > 1)
      part.code =
          NativeCode(part.program, lanes, lanes, part.rows > 1 ? part.rows : 0, part.constants);
    else
      part.code = part.rows > 1 ? NativeCode(part.program, NativeCode::widest(), 1, part.rows)
                                : NativeCode(part.program);
  }
  for (GatheredPart& part : gathered) {
    constexpr int rows = GatheredFamily::block;
    part.code = lanes > 1 ? NativeCode(part.family.program, lanes, lanes, rows, part.constants)
                          : NativeCode(part.family.program, NativeCode::widest(), 1, rows);
  }
  return true;
} catch (const Error&) {
  return false;
}

namespace {

/// out_r = from_at[r]: stored four at a time where they are numbers.
template <class Lanes>
void gather(const Lanes* from, const int* at, Lanes* out) {
  constexpr int block = GatheredFamily::block;
  if constexpr (sizeof(Lanes) == sizeof(double)) {
    typedef double Four __attribute__((vector_size(32)));
    for (int r = 0; r < block; r += 4) {
      const Four four{from[at[r]].lane[0], from[at[r + 1]].lane[0], from[at[r + 2]].lane[0],
                      from[at[r + 3]].lane[0]};
      std::memcpy(out + r, &four, sizeof four);
    }
  } else {
    for (int r = 0; r < block; ++r) out[r] = from[at[r]];
  }
}

/// In blocks, the last of which ends with the last row.
template <int lanes>
void call_in_blocks(const GatheredFamily& family, const std::vector<double>& constants,
                    const NativeCode& code, const double* x, const double* y, double* a,
                    double* b) {
  constexpr int block = GatheredFamily::block;
  struct Lanes {
    double lane[lanes];
  };
  const auto of = [](auto* p) { return reinterpret_cast<Lanes*>(const_cast<double*>(p)); };
  const std::size_t inputs = family.from.size(), outputs = family.to.size();
  const std::size_t rows = family.rows, own = constants.size() / lanes / rows;
  thread_local std::vector<Lanes> memory;  // grows to what the largest row of this thread needs
  if (memory.size() < (inputs + own + outputs) * block)
    memory.resize((inputs + own + outputs) * block);
  Lanes *in = memory.data(), *out = in + (inputs + own) * block;
  for (std::size_t first = 0;; first = std::min(first + block, rows - block)) {
    for (std::size_t k = 0; k < inputs; ++k) {
      const Lanes* from = of(family.from[k].which == 0 ? x : y);
      const int* at = family.input.data() + k * rows + first;
      if (family.from[k].moves_on)
        std::copy_n(from + at[0], block, in + k * block);
      else
        gather(from, at, in + k * block);
    }
    for (std::size_t k = 0; k < own; ++k)
      std::copy_n(of(constants.data()) + k * rows + first, block, in + (inputs + k) * block);
    code(in->lane, in->lane, out->lane, out->lane);
    for (std::size_t k = 0; k < outputs; ++k) {
      Lanes* to = of(family.to[k].which == 0 ? a : b);
      const int* at = family.output.data() + k * rows + first;
      if (family.to[k].moves_on)
        std::copy_n(out + k * block, block, to + at[0]);
      else
        for (int r = 0; r < block; ++r) to[at[r]] = out[k * block + r];
    }
    if (first + block >= rows) break;
  }
}

}  // namespace

void CompiledFunction::GatheredPart::call(int lanes, const double* x, const double* y, double* a,
                                          double* b) const {
  if (lanes == 1)
    call_in_blocks<1>(family, row_constants, code, x, y, a, b);
  else
    call_in_blocks<lanes_of_a_pack>(family, row_constants, code, x, y, a, b);
}

template void CompiledFunction::GatheredPart::run(int, const double*, const double*, double*,
                                                  double*) const;
template void CompiledFunction::GatheredPart::run(int, const Pack*, const Pack*, Pack*,
                                                  Pack*) const;

}  // namespace rattleback
