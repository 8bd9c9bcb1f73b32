#include "xml.hpp"

#include <charconv>
#include <cmath>
#include <cstring>

#include "../problem/suggest.hpp"
#include "file.hpp"

namespace rattleback::text {

namespace {

/// Robots nest a body in a body; readers go down with them.
constexpr int deepest = 500;

constexpr std::string_view blanks = " \t\r\n";

/// Some programs write a NUL behind the last element.
std::string_view without_trailing_nul(std::string_view content) {
  const std::size_t end = content.find_last_not_of(std::string_view("\0 \t\r\n", 5));
  const std::size_t kept = end == std::string_view::npos ? 0 : end + 1;
  return content.substr(kept).find('\0') == std::string_view::npos ? content
                                                                   : content.substr(0, kept);
}

std::string_view after_colon(std::string_view name) {
  const std::size_t colon = name.find(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

/// Strict, and the same in every locale.
std::optional<double> number_in(std::string_view text) {
  if (text.starts_with('+') && text.size() > 1 && text[1] != '-' && text[1] != '+')
    text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || text.empty()) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    const std::size_t exponent = text.find_first_of("eE");
    if (exponent == std::string_view::npos || text.substr(exponent + 1, 1) != "-")
      return std::nullopt;
    return 0.0;  // too small to tell from it
  }
  if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace

XmlFile::XmlFile(const std::string& name, std::string_view content, std::vector<std::string>& notes)
    : source_(name, checked_text(without_trailing_nul(content), name)) {
  if (without_trailing_nul(content).size() != content.size())
    notes.push_back(name + ": a NUL byte after the end was ignored");
  const std::string& text = source_.text();
  const pugi::xml_parse_result result =
      document_.load_buffer(text.data(), text.size(), pugi::parse_default, pugi::encoding_utf8);
  if (!result && text.starts_with("version https://git-lfs"))
    source_.fail({1, 1},
                 "this is not the file, but a pointer to it that Git LFS left; fetch it first");
  if (!result)
    source_.fail(
        source_.position(static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, result.offset))),
        std::string("not XML: ") + result.description());
  root_ = document_.document_element();
  const std::size_t declaration = text.find("<?xml ");
  if (declaration != std::string::npos && declaration > 0 &&
      text.find_first_not_of(blanks) == declaration)
    notes.push_back(name + ": blanks before the XML declaration were ignored");
  require_shallow();
}

void XmlFile::require_shallow() const {
  int depth = 0;
  for (pugi::xml_node node = root_; node;) {
    if (const pugi::xml_node child = node.first_child()) {
      node = child;
      if (++depth > deepest)
        source_.fail(source_.position(static_cast<std::size_t>(
                         std::max<std::ptrdiff_t>(0, node.offset_debug()))),
                     "elements are nested more than " + std::to_string(deepest) + " deep");
      continue;
    }
    while (node != root_ && !node.next_sibling()) node = node.parent(), --depth;
    if (node == root_) break;
    node = node.next_sibling();
  }
}

std::string_view Element::name() const { return after_colon(node_.name()); }

std::string_view Element::prefix() const {
  const std::string_view all = node_.name();
  const std::size_t colon = all.find(':');
  return colon == std::string_view::npos ? std::string_view{} : all.substr(0, colon);
}

std::vector<Element> Element::children() const {
  std::vector<Element> all;
  for (const pugi::xml_node child : node_.children())
    if (child.type() == pugi::node_element) all.emplace_back(*file_, child);
  return all;
}

Element Element::child(std::string_view name) const {
  for (const pugi::xml_node child : node_.children())
    if (child.type() == pugi::node_element && after_colon(child.name()) == name)
      return {*file_, child};
  return {};
}

std::string Element::needed(const char* attribute) const {
  if (!has(attribute))
    fail("<" + std::string(name()) + "> needs the attribute " + in_quotes(attribute));
  return text(attribute);
}

std::vector<double> Element::numbers(const char* attribute, std::size_t least,
                                     std::size_t most) const {
  const std::string_view text = node_.attribute(attribute).value();
  std::vector<double> all;
  for (std::size_t at = text.find_first_not_of(blanks); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(blanks, at), text.size());
    const std::string_view word = text.substr(at, end - at);
    const auto value = number_in(word);
    if (!value) {
      std::string why;
      if (word.find("${") != std::string_view::npos || word.find("$(") != std::string_view::npos)
        why = ": this is a xacro file; expand xacro first";
      else if (word.find(',') != std::string_view::npos)
        why = ": numbers are separated by blanks, not by commas";
      fail(attribute, in_quotes(attribute) + " has " + in_quotes(word) +
                          ", which is not a finite number" + why);
    }
    if (all.size() == most) {
      all.push_back(*value);
      break;
    }
    all.push_back(*value);
    at = text.find_first_not_of(blanks, end);
  }
  if (all.size() >= least && all.size() <= most) return all;
  const std::string wanted = least == most
                                 ? std::to_string(least)
                                 : "from " + std::to_string(least) + " to " + std::to_string(most);
  fail(attribute, in_quotes(attribute) + " must have " + wanted +
                      (most == 1 ? " number" : " numbers") + ", not " +
                      (all.size() > most ? "more" : std::to_string(all.size())));
}

std::optional<double> Element::number(const char* attribute) const {
  if (!has(attribute)) return std::nullopt;
  return numbers(attribute, 1, 1)[0];
}

std::optional<Vector3> Element::vector(const char* attribute) const {
  if (!has(attribute)) return std::nullopt;
  const auto all = numbers(attribute, 3, 3);
  return Vector3(all[0], all[1], all[2]);
}

std::string Element::word(const char* attribute, const std::vector<std::string>& known) const {
  std::string given = text(attribute);
  std::string listed;
  for (const auto& one : known) {
    if (given == one) return given;
    listed += (listed.empty() ? "" : ", ") + one;
  }
  fail(attribute, in_quotes(attribute) + " must be one of " + listed + ", not " + in_quotes(given) +
                      detail::suggestion(given, known));
}

TextPosition Element::position() const {
  // pugixml points at the name; the bracket before it is where an element begins.
  const std::ptrdiff_t offset = node_.offset_debug();
  return offset < 1 ? TextPosition{}
                    : file_->source().position(static_cast<std::size_t>(offset - 1));
}

TextPosition Element::position(const char* attribute) const {
  const std::ptrdiff_t offset = node_.offset_debug();
  if (offset < 1 || !has(attribute)) return position();
  const std::string& text = file_->source().text();
  const std::size_t length = std::strlen(attribute);
  char quote = 0;
  for (auto i = static_cast<std::size_t>(offset); i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '>') {
      break;
    } else if (blanks.find(c) != std::string_view::npos &&
               text.compare(i + 1, length, attribute) == 0) {
      const std::size_t next = text.find_first_not_of(blanks, i + 1 + length);
      if (next != std::string::npos && text[next] == '=') return file_->source().position(i + 1);
    }
  }
  return position();
}

std::string Element::where() const {
  return file_->source().name() + ":" + std::to_string(position().line);
}

void Element::fail(const std::string& message) const { file_->source().fail(position(), message); }

void Element::fail(const char* attribute, const std::string& message) const {
  file_->source().fail(position(attribute), message);
}

}  // namespace rattleback::text
