// XML with places: every complaint points into the file. Elements know which file they are from, so
// that included ones point into theirs.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "rattleback/multibody/mechanism.hpp"
#include "source.hpp"

namespace rattleback::text {

/// One file, read.
class XmlFile {
 public:
  /// Throws TextError for what is not XML, or nested deeper than any robot is.
  XmlFile(const std::string& name, std::string_view content, std::vector<std::string>& notes);
  XmlFile(const XmlFile&) = delete;
  XmlFile& operator=(const XmlFile&) = delete;

  const Source& source() const { return source_; }
  pugi::xml_node root() const { return root_; }

 private:
  void require_shallow() const;

  Source source_;
  pugi::xml_document document_;
  pugi::xml_node root_;
};

class Element {
 public:
  Element() = default;
  Element(const XmlFile& file, pugi::xml_node node) : file_(&file), node_(node) {}

  explicit operator bool() const { return static_cast<bool>(node_); }
  /// Without the prefix of a namespace.
  std::string_view name() const;
  /// What stands before the colon.
  std::string_view prefix() const;
  const XmlFile& file() const { return *file_; }
  pugi::xml_node node() const { return node_; }
  /// Elements only, in the order of the file.
  std::vector<Element> children() const;
  /// The first one of that name.
  Element child(std::string_view name) const;

  bool has(const char* attribute) const { return static_cast<bool>(node_.attribute(attribute)); }
  /// Empty where there is none.
  std::string text(const char* attribute) const { return node_.attribute(attribute).value(); }
  /// Throws where there is none.
  std::string needed(const char* attribute) const;
  std::optional<double> number(const char* attribute) const;
  /// Between `least` and `most` numbers, separated by blanks.
  std::vector<double> numbers(const char* attribute, std::size_t least, std::size_t most) const;
  std::optional<Vector3> vector(const char* attribute) const;
  /// One of these words; throws for another.
  std::string word(const char* attribute, const std::vector<std::string>& known) const;

  TextPosition position() const;
  TextPosition position(const char* attribute) const;
  /// "arm.urdf:12"
  std::string where() const;
  [[noreturn]] void fail(const std::string& message) const;
  /// At the attribute, or at the element where it has none.
  [[noreturn]] void fail(const char* attribute, const std::string& message) const;

 private:
  const XmlFile* file_ = nullptr;
  pugi::xml_node node_;
};

}  // namespace rattleback::text
