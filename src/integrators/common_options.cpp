#include "common_options.hpp"

namespace rattleback {

Option base_option() {
  std::vector<std::string> names;
  names.reserve(std::size(base_maps) + 1);
  for (const auto& map : base_maps) names.emplace_back(map.name);
  names.emplace_back(info(BaseMap::theta).name);
  Option option = word_option("base", "one-step map of the system without its constraints", names);
  option.in_name = true;
  return option;
}

Option theta_option() {
  return {.name = "theta",
          .text = "where H_q and H_p are taken: 0 is euler-a, 0.5 midpoint, 1 euler-b",
          .standard = 0.5,
          .samples = {0.25},
          .least = 0,
          .most = 1,
          .only_with = {"base", "theta"}};
}

BaseMapChoice base_of(const Values& values) {
  if (values.word("base") == info(BaseMap::theta).name)
    return {BaseMap::theta, values.number("theta")};
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
