#include "rattleback/geometry/consistent.hpp"

#include <sstream>

namespace rattleback::detail {

void refuse_start(bool hidden, long index, double value, double tolerance) {
  std::ostringstream message;
  if (hidden)
    message << "the start violates the hidden constraint: {g_" << index << ", H} = ";
  else
    message << "the start is not on the constraint: g_" << index << " = ";
  message << value << " in absolute value (at most " << tolerance << ")";
  throw ModelError(message.str());
}

void refuse_undefined(const std::string& reason) {
  if (!reason.empty()) throw ModelError(reason);
}

void require_size(long dimension, long positions, long momenta) {
  if (positions == dimension && momenta == dimension) return;
  throw InputError("initial", "the system has " + std::to_string(dimension) +
                                  " coordinates, the start has " + std::to_string(positions) +
                                  " positions and " + std::to_string(momenta) + " momenta");
}

}  // namespace rattleback::detail
