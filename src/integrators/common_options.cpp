#include "common_options.hpp"

namespace rattleback {

Option base_option() {
  std::vector<std::string> names;
  for (const auto& map : base_maps) names.emplace_back(map.name);
  Option option = word_option("base", "one-step map of the system without its constraints", names);
  option.in_name = true;
  return option;
}

BaseMap base_of(const Values& values) {
  for (const auto& map : base_maps)
    if (map.name == values.word("base")) return map.map;
  throw InputError("base", "unknown base map '" + values.word("base") + "'");
}

Option project_option() {
  return word_option("project",
                     "momenta onto {g,H} = 0 in every step, or where a state is looked at only: "
                     "the trajectory is the same",
                     {"every", "output"});
}

Projection projection_of(const Values& values) {
  if (!values.has("project")) return Projection::never;
  return values.word("project") == "every" ? Projection::every : Projection::output;
}

}  // namespace rattleback
