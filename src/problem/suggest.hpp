// "did you mean 'g0'?"
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rattleback::detail {

/// "; did you mean 'g0'?", or nothing where no candidate is close.
std::string suggestion(std::string_view wrong, const std::vector<std::string>& candidates);

}  // namespace rattleback::detail
