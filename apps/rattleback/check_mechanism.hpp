// rattleback check, of bodies and joints.
#pragma once

#include <string>

#include "rattleback/text/model.hpp"

namespace rattleback::app {

int check_mechanism(const std::string& file, const ModelFile& model, bool json, bool all_methods);

}  // namespace rattleback::app
