#include "plugins/image_manifest.h"

#include "registry.h"
#include "text.h"

namespace gpuopt {
namespace {

constexpr size_t kMostText = size_t{1} << 20, kMostLine = 4096, kMostSections = 4096, kMostLines = 200;

bool is_key(std::string_view text) {
  for (const char c : text)
    if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '_' && c != '.') return false;
  return !text.empty();
}

// Text that can be shown: ASCII that prints and tabs, and anything in UTF-8's other bytes.
bool is_text(std::string_view text) {
  for (const char c : text)
    if (static_cast<unsigned char>(c) < 0x20 && c != '\t') return false;
  return true;
}

// One line that is neither empty nor a comment nor a section.
void take_line(std::string_view line, size_t number, ManifestSection *section, const TellFault &fault) {
  const auto tell = [&](size_t column, std::string what) { fault(at_line(number, column) + what); };
  const size_t equals = line.find('=');
  if (equals == std::string_view::npos) return tell(1, quoted(trimmed(line)) + " is neither key = value nor [section]");
  const std::string_view key = trimmed(line.substr(0, equals)), value = trimmed(line.substr(equals + 1));
  if (!is_key(key)) return tell(1, "the key " + quoted(key) + " is not made of [a-z0-9_.]");
  const size_t column = value.empty() ? equals + 2 : static_cast<size_t>(value.data() - line.data()) + 1;
  if (value.empty()) return tell(column, std::string(key) + " has no value");
  for (const ManifestLine &earlier : section->lines)
    if (earlier.key == key)
      return tell(1, std::string(key) + " is given twice, first in line " + std::to_string(earlier.line));
  if (section->lines.size() >= kMostLines) {
    if (section->lines.size() == kMostLines) tell(1, "the section has more than 200 lines");
    return;
  }
  section->lines.push_back({key, value, number, column});
}

}  // namespace

const ManifestLine *ManifestSection::find(std::string_view key) const {
  for (const ManifestLine &l : lines)
    if (l.key == key) return l.used = true, &l;
  return nullptr;
}

void ManifestSection::for_each(std::string_view beginning, const std::function<void(const ManifestLine &)> &fn) const {
  for (const ManifestLine &l : lines)
    if (l.key.size() > beginning.size() && l.key.substr(0, beginning.size()) == beginning) {
      l.used = true;
      fn(l);
    }
}

std::string at_line(size_t line, size_t column) {
  return "line " + std::to_string(line) + ", column " + std::to_string(column) + ": ";
}

std::vector<ManifestSection> read_manifest(std::string_view text, const TellFault &fault) {
  std::vector<ManifestSection> sections(1);
  if (text.size() > kMostText) {
    fault("the manifest has " + std::to_string(text.size()) + " bytes, more than 1048576");
    return sections;
  }
  size_t number = 0;
  for (size_t begin = 0, end; begin < text.size(); begin = end + 1) {
    end = std::min(text.find('\n', begin), text.size());
    const std::string_view whole = text.substr(begin, end - begin);
    const std::string_view line = !whole.empty() && whole.back() == '\r' ? whole.substr(0, whole.size() - 1) : whole;
    ++number;
    const std::string_view what = trimmed(line);
    if (line.size() > kMostLine)
      fault(at_line(number, kMostLine + 1) + "the line has " + std::to_string(line.size()) + " bytes, more than 4096");
    else if (what.empty() || what[0] == '#')
      continue;
    else if (!is_text(line))
      fault(at_line(number, 1) + "the line has bytes that are no text");
    else if (what[0] != '[')
      take_line(line, number, &sections.back(), fault);
    else if (what.back() != ']')
      fault(at_line(number, 1) + "a section's name ends in ']'");
    else if (sections.size() > kMostSections)
      return fault(at_line(number, 1) + "the manifest has more than 4096 sections"), sections;
    else {
      sections.emplace_back();
      sections.back().name = trimmed(what.substr(1, what.size() - 2));
      sections.back().line = number;
    }
  }
  return sections;
}

void tell_unused(const ManifestSection &section, const std::vector<std::string_view> &known, const TellFault &fault) {
  for (const ManifestLine &l : section.lines) {
    if (l.used) continue;
    size_t best = SIZE_MAX;
    std::string_view nearest;
    for (const std::string_view key : known) {
      const size_t distance = edit_distance(l.key, key);
      if (distance < best) best = distance, nearest = key;
    }
    fault(at_line(l.line, 1) + quoted(l.key) + " is no key that is known here; nearest: " + std::string(nearest));
  }
}

}  // namespace gpuopt
