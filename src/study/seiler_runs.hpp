// What the experiments of seiler.hpp share.
#pragma once

#include <string>

#include "rattleback/study/seiler.hpp"

namespace rattleback::seiler {

/// As printf has it.
[[gnu::format(printf, 1, 2)]] std::string text(const char* format, ...);

}  // namespace rattleback::seiler
