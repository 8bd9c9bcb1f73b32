// Any model file, by its ending and its [model] kind. A new format is one entry of formats().
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "rattleback/text/model.hpp"

namespace rattleback::study {

/// A way to write models down.
struct Format {
  std::string ending;  ///< ".toml"
  std::string kind;    ///< what `kind` of [model] says; TOML files only
  std::string holds;   ///< "expressions", for messages
  /// Files that the text names are those of `kept` where they are there.
  ModelFile (*parse)(std::string_view text, const std::string& path, const Settings& settings,
                     const KeptFiles& kept);

  bool recognises(std::string_view path_ending, std::string_view model_kind) const {
    return path_ending == ending && model_kind == kind;
  }
};

const std::vector<Format>& formats();

/// What has no ending, such as a pipe, is taken for TOML. Throws TextError, for an ending or a kind
/// that no format has with those that there are.
ModelFile load(const std::filesystem::path& path, const Settings& settings = {});
/// The same from memory; `path` is for its ending and for messages.
ModelFile load_text(std::string_view text, const std::string& path, const Settings& settings = {},
                    const KeptFiles& kept = {});

}  // namespace rattleback::study
