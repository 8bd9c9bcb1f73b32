#include "rattleback/expression/compiled_function.hpp"

#include <algorithm>

#include "rattleback/problem/error.hpp"

namespace rattleback {

namespace {

/// Straight-line code beyond this fits no cache and gains nothing over byte code.
constexpr int most_native_values = 2'000'000;

}  // namespace

CompiledFunction::CompiledFunction(const Graph& graph, int split,
                                   std::span<const Program::Output> outputs)
    : body_(std::make_shared<Body>()) {
  for (const OutputFamily& family : find_families(graph, split, outputs)) {
    Program program(graph, split, family.outputs);
    std::vector<double> constants = program.constants();
    body_->parts.push_back({family.rows, std::move(program), std::move(constants)});
  }
}

bool CompiledFunction::has_shape_of(const CompiledFunction& other) const {
  if (body_ == other.body_) return true;
  return body_ && other.body_ &&
         std::ranges::equal(body_->parts, other.body_->parts, [](const Part& a, const Part& b) {
           return a.rows == b.rows && a.program.has_shape_of(b.program);
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
  for (std::size_t i = 0; i < lanes[0]->body_->parts.size(); ++i) {
    const Part& shape = lanes[0]->body_->parts[i];
    std::vector<double> constants;
    for (std::size_t k = 0; k < shape.constants.size(); ++k)
      for (const CompiledFunction* f : lanes) constants.push_back(f->body_->parts[i].constants[k]);
    result.body_->parts.push_back({shape.rows, shape.program, std::move(constants)});
  }
  return result;
}

CompiledFunction CompiledFunction::counted(std::shared_ptr<long> calls) const {
  CompiledFunction result = *this;
  result.calls_ = std::move(calls);
  return result;
}

bool CompiledFunction::is_constant() const {
  if (calls_) return false;
  return !body_ || std::ranges::all_of(body_->parts, [](const Part& part) {
    return part.program.inputs().empty() && part.program.instructions().empty();
  });
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
  return true;
} catch (const Error&) {
  return false;
}

}  // namespace rattleback
