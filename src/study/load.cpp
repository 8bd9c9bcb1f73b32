#include "rattleback/study/load.hpp"

#include "../problem/suggest.hpp"
#include "../text/file.hpp"
#include "../text/toml.hpp"
#include "rattleback/text/robot.hpp"

namespace rattleback::study {

namespace {

constexpr const char* usual_ending = ".toml";
constexpr const char* usual_kind = "expressions";

struct Kind {
  std::string name;
  TextPosition position;
};

/// Of a TOML text; the usual one where it does not say.
Kind kind_of(const text::Source& source) {
  const text::Toml root = text::parse_toml(source);
  const auto* model = root.find("model");
  const auto* kind = model ? model->value.find("kind") : nullptr;
  if (!kind) return {usual_kind, {}};
  if (!kind->value.is(text::Toml::Type::string))
    source.fail(kind->value.position,
                std::string("'kind' must be a string, not ") + kind->value.type_name());
  return {kind->value.string, kind->value.position};
}

/// ".toml (expressions), .urdf (bodies and joints)"
std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

[[noreturn]] void refuse_ending(const std::string& path, const std::string& ending) {
  std::vector<std::string> known, words;
  for (const Format& format : formats()) {
    known.push_back(format.ending);
    words.push_back(format.ending + " (" + format.holds + ")");
  }
  throw TextError(path, {},
                  "no models are read from files that end in " + text::in_quotes(ending) +
                      "; known: " + listed(words) + detail::suggestion(ending, known));
}

[[noreturn]] void refuse_kind(const text::Source& source, const Kind& kind) {
  std::vector<std::string> known;
  for (const Format& format : formats())
    if (format.ending == usual_ending) known.push_back(format.kind);
  source.fail(kind.position, "unknown kind of model " + text::in_quotes(kind.name) + "; known: " +
                                 listed(known) + detail::suggestion(kind.name, known));
}

const Format* find_format(const std::string& ending, const std::string& kind) {
  for (const Format& format : formats())
    if (format.recognises(ending, kind)) return &format;
  return nullptr;
}

const Format& format_of(std::string_view content, const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  if (ending.empty() || ending == usual_ending) {
    const text::Source source(path, text::checked_text(content, path));
    const Kind kind = kind_of(source);
    if (const Format* format = find_format(usual_ending, kind.name)) return *format;
    refuse_kind(source, kind);
  }
  if (const Format* format = find_format(ending, {})) return *format;
  refuse_ending(path, ending);
}

}  // namespace

const std::vector<Format>& formats() {
  static const std::vector<Format> all{
      {usual_ending, usual_kind, "expressions",
       [](std::string_view text, const std::string& path, const Settings& settings,
          const KeptFiles&) { return parse_model(text, path, settings); }},
      {usual_ending, "multibody", "bodies and joints", parse_mechanism},
      {".urdf", "", "a robot", parse_robot_model},
      {".xml", "", "a robot in MJCF", parse_robot_model},
  };
  return all;
}

ModelFile load_text(std::string_view text, const std::string& path, const Settings& settings,
                    const KeptFiles& kept) {
  return format_of(text, path).parse(text, path, settings, kept);
}

ModelFile load(const std::filesystem::path& path, const Settings& settings) {
  return load_text(text::read_file(path), path.string(), settings);
}

}  // namespace rattleback::study
