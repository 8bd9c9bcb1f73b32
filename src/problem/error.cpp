#include "rattleback/problem/error.hpp"

namespace rattleback {

InputError::InputError(const std::string& where, const std::string& what)
    : Error(where + ": " + what), where_(where), reason_(what) {}

}  // namespace rattleback
