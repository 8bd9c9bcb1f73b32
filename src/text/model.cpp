#include "rattleback/text/model.hpp"

#include "file.hpp"
#include "rattleback/integrators/registry.hpp"
#include "rattleback/multibody/mechanism_motion.hpp"
#include "reader.hpp"

namespace rattleback {

ModelFile parse_model(std::string_view content, const std::string& path, const Settings& settings) {
  const text::MethodCheck methods{
      .check = [](const std::string& specification) { find_method(specification, {"auto"}); },
      .option =
          [](const std::string& family, const std::string& option) {
            const Family* found = find_family(family);
            return found ? found->find(option) : nullptr;
          }};
  const text::Source source(path, text::checked_text(content, path));
  return text::Reader(source, settings, methods).read();
}

ModelFile parse_mechanism(std::string_view content, const std::string& path,
                          const Settings& settings, const KeptFiles& kept) {
  const text::MethodCheck methods{
      .check = [](const std::string& specification) { find_mechanism_method(specification); },
      .option = [](const std::string& family, const std::string& option) -> const Option* {
        for (const Family& known : mechanism_families())
          if (known.name == family) return known.find(option);
        return nullptr;
      }};
  const text::Source source(path, text::checked_text(content, path));
  return text::Reader(source, settings, methods).read_mechanism(kept);
}

ModelFile read_model(const std::filesystem::path& path, const Settings& settings) {
  return parse_model(text::read_file(path), path.string(), settings);
}

}  // namespace rattleback
