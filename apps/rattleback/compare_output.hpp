// What `compare` shows: table, JSON and picture.
#pragma once

#include <string>

#include "json.hpp"
#include "rattleback/study/compare.hpp"
#include "verbs.hpp"

namespace rattleback::app {

Json comparison_json(const Comparison& comparison);
std::string comparison_text(const Comparison& comparison);
void draw_comparison(const Comparison& comparison, const std::string& path);

}  // namespace rattleback::app
