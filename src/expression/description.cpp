#include "rattleback/expression/description.hpp"

namespace rattleback {

std::string SystemDescription::input_name(int input) const {
  const int n = dimension();
  const std::string& name = coordinates[input % n];
  if (input < n) return name;
  if (input < 2 * n) return "p_" + name;
  const auto bracket = name.find('[');
  return name.substr(0, bracket) + "_dot" +
         (bracket == std::string::npos ? "" : name.substr(bracket));
}

}  // namespace rattleback
