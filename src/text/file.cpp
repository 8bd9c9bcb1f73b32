#include "file.hpp"

#include <algorithm>
#include <fstream>

#include "rattleback/text/model.hpp"
#include "source.hpp"

namespace rattleback::text {

namespace {

constexpr std::uintmax_t largest_file = 16'000'000;

/// How many bytes the well-formed character at the beginning has; 0 if there is none [RFC 3629].
int well_formed(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const int length = character_length(text[0]);
  for (int i = 1; i < length; ++i)
    if ((byte(i) & 0xc0U) != 0x80) return 0;
  const unsigned second = byte(1);
  const bool is_overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool is_surrogate = first == 0xed && second >= 0xa0;
  const bool is_too_large = first == 0xf4 && second >= 0x90;
  return is_overlong || is_surrogate || is_too_large ? 0 : length;
}

}  // namespace

std::string read_file(const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  const auto refuse = [&](const std::string& why) { throw TextError(path.string(), {}, why); };
  std::error_code error;
  const auto status = fs::status(path, error);
  if (!fs::exists(status)) refuse("there is no such file");
  if (fs::is_directory(status)) refuse("this is a folder, not a model file");
  std::ifstream stream(path, std::ios::binary);
  if (!stream) refuse("the file cannot be read");
  std::string content;
  // In pieces, and no more than the limit: pipes and devices do not say how long they are.
  char buffer[65536];
  if (fs::is_regular_file(status) && fs::file_size(path, error) > largest_file)
    refuse("the file has more than 16 MB, which no model needs");
  while (stream.read(buffer, sizeof buffer), stream.gcount() > 0) {
    content.append(buffer, stream.gcount());
    if (content.size() > largest_file) refuse("the file has more than 16 MB, which no model needs");
  }
  return content;
}

std::string checked_text(std::string_view text, const std::string& path) {
  if (text.size() > largest_file)
    throw TextError(path, {}, "the file has more than 16 MB, which no model needs");
  const std::size_t mark = text.starts_with("\xef\xbb\xbf") ? 3 : 0;
  for (std::size_t at = mark; at < text.size();) {
    const int length = well_formed(text.substr(at));
    if (length == 0 || text[at] == '\0') {
      const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<long>(at), '\n');
      throw TextError(path, {},
                      "line " + std::to_string(line) + ", byte " + std::to_string(at) +
                          " of the file: " +
                          (length == 0 ? "this is not UTF-8 text" : "a NUL byte is not text"));
    }
    at += length;
  }
  return std::string(text.substr(mark));
}

}  // namespace rattleback::text
