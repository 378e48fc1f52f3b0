// The text of an image manifest, *.gpuopt: lines `key = value`, sections `[name]`, and comments, lines that begin with #.
// docs/plugins.md has what they mean. Every fault is told with its line and column.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuopt {

struct ManifestLine {
  std::string_view key, value;
  size_t line, column;  // of the value, from 1
  mutable bool used = false;
};

class ManifestSection {
 public:
  std::string_view name;  // empty: what stands before the first section
  size_t line = 1;
  std::vector<ManifestLine> lines;

  // The line of that key, which is then used; nullptr: there is none.
  const ManifestLine *find(std::string_view key) const;
  // Calls fn(line) for each key that begins so; they are used.
  void for_each(std::string_view beginning, const std::function<void(const ManifestLine &)> &fn) const;
};

using TellFault = std::function<void(std::string)>;
std::string at_line(size_t line, size_t column);  // "line 3, column 7: "

// Splits the text, which must outlive the result, into sections; the first is nameless.
std::vector<ManifestSection> read_manifest(std::string_view text, const TellFault &fault);

// Tells of each line that nothing has used, with the nearest of the known keys.
void tell_unused(const ManifestSection &section, const std::vector<std::string_view> &known, const TellFault &fault);

}  // namespace gpuopt
