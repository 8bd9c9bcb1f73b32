// JSON text, members in the order written. Numbers read back to the same double; what is not finite
// is null.
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace rattleback::app {

class Json {
 public:
  using Member = std::pair<std::string_view, Json>;

  Json(std::nullptr_t) : text_("null") {}
  Json(bool value) : text_(value ? "true" : "false") {}
  Json(std::integral auto value) : text_(std::to_string(value)) {}
  Json(double value);
  Json(std::string_view value);
  Json(const std::string& value) : Json(std::string_view(value)) {}
  Json(const char* value) : Json(std::string_view(value)) {}
  template <class T>
  Json(const std::optional<T>& value) : Json(value ? Json(*value) : Json(nullptr)) {}

  static Json object(std::initializer_list<Member> members);
  /// Any range of what Json can be made of.
  template <class Range>
  static Json array(const Range& values) {
    std::string text;
    for (const auto& value : values) text += (text.empty() ? "" : ", ") + Json(value).text_;
    return Json(Raw{"[" + text + "]"});
  }
  /// One more member of an object.
  void add(std::string_view key, const Json& value);

  const std::string& text() const { return text_; }

 private:
  struct Raw {
    std::string text;
  };
  explicit Json(Raw raw) : text_(std::move(raw.text)) {}
  std::string text_;
};

/// The shortest text that reads back to the same double.
std::string shortest(double value);

}  // namespace rattleback::app
