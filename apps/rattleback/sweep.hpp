// Many runs of one model: every member of its [sweep], in threads, into one table.
#pragma once

#include "verbs.hpp"

namespace rattleback::app {

int sweep(const RunRequest& request, const ModelFile& model);

}  // namespace rattleback::app
