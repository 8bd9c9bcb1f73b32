#include "rattleback/integrators/layout.hpp"

namespace rattleback {

std::vector<std::string> Layout::labels() const {
  std::vector<std::string> all;
  for (const Field& field : fields) all.insert(all.end(), field.labels.begin(), field.labels.end());
  return all;
}

std::string Layout::text() const {
  std::string text;
  for (const Field& field : fields)
    text += (text.empty() ? "" : ", ") + field.name + " (" + std::to_string(field.columns()) + ")";
  return text;
}

Layout phase_space(const std::vector<std::string>& coordinates) {
  Layout layout{{{"q", coordinates}, {"p", {}}}};
  for (const std::string& q : coordinates) layout.fields[1].labels.push_back("p_" + q);
  return layout;
}

}  // namespace rattleback
