// The bytes of a model file: refused before they are read where they cannot be a model.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace rattleback::text {

std::string read_file(const std::filesystem::path& path);

/// The text without a byte order mark. Throws where it is not UTF-8 or holds NUL bytes.
std::string checked_text(std::string_view text, const std::string& path);

}  // namespace rattleback::text
