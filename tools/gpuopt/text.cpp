#include "text.h"

#include <fnmatch.h>

#include <algorithm>
#include <cctype>
#include <cstdio>

namespace gpuopt_cli {

std::string lowered(std::string text) {
  for (char &c : text) c = char(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts(1);
  for (char c : text) {
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

bool matches_glob(const std::string &glob, const std::string &text) {
  return fnmatch(glob.c_str(), text.c_str(), 0) == 0;
}

bool matches_globs(const std::string &list, const std::string &text) {
  for (const std::string &glob : split(list, ','))
    if (matches_glob(glob, text)) return true;
  return false;
}

std::vector<std::string> former_names(const gpuopt_kernel &k) {
  return k.aliases ? split(k.aliases, ',') : std::vector<std::string>();
}

bool matches_kernel(const std::string &globs, const gpuopt_kernel &k) {
  if (matches_globs(globs, k.name)) return true;
  for (const std::string &name : former_names(k))
    if (matches_globs(globs, name)) return true;
  return false;
}

std::string csv_field(const std::string &text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string formatted(double value, const char *format) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::vector<std::string> wrapped(const std::string &text, size_t columns) {
  std::vector<std::string> lines;
  std::string rest = text;
  while (columns > 0 && rest.size() > columns) {
    size_t end = rest.rfind(' ', columns);
    const bool at_blank = end != std::string::npos && end > 0;
    if (!at_blank) end = columns;
    lines.push_back(rest.substr(0, end));
    rest.erase(0, end + (at_blank ? 1 : 0));
  }
  lines.push_back(rest);
  return lines;
}

void Table::print() const {
  std::vector<size_t> width;
  for (const Row &row : rows_)
    for (size_t c = 0; c < row.cells.size(); ++c) {
      if (c == width.size()) width.push_back(0);
      width[c] = std::max(width[c], row.cells[c].size());
    }
  // The last column has what the others leave, or, where that is little, lines of its own.
  constexpr size_t kLeastOfLast = 24, kIndent = 4;
  const size_t columns = output_columns();
  size_t before = 0;
  for (size_t c = 0; c + 1 < width.size(); ++c) before += width[c] + 2;
  const bool below = columns > 0 && before + std::min(width.back(), kLeastOfLast) > columns;
  const size_t indent = below ? kIndent : before, room = columns > indent ? columns - indent : 0;
  for (const Row &row : rows_) {
    std::string line;
    for (size_t c = 0; c < row.cells.size(); ++c) {
      const std::string space(width[c] - row.cells[c].size(), ' ');
      const bool right = std::find(right_.begin(), right_.end(), c) != right_.end();
      const bool last = c + 1 == width.size();
      if (!last || columns == 0) {
        line += (c ? "  " : "") + (right ? space + row.cells[c] : row.cells[c] + space);
        continue;
      }
      std::string continued = below ? "\n" + std::string(indent, ' ') : c ? "  " : "";
      if (row.cells[c].empty()) continue;
      for (const std::string &part : wrapped(row.cells[c], room)) {
        line += continued + part;
        continued = "\n" + std::string(indent, ' ');
      }
    }
    line.erase(line.find_last_not_of(' ') + 1);
    std::printf("%s\n", painted(line, row.style).c_str());
  }
}

void Table::print_markdown() const {
  for (size_t r = 0; r < rows_.size(); ++r) {
    std::string line = "|";
    for (std::string cell : rows_[r].cells) {
      for (size_t at = 0; (at = cell.find('|', at)) != std::string::npos; at += 2) cell.insert(at, "\\");
      line += " " + cell + " |";
    }
    std::printf("%s\n", line.c_str());
    if (r > 0) continue;
    line = "|";
    for (size_t c = 0; c < rows_[0].cells.size(); ++c) line += "---|";
    std::printf("%s\n", line.c_str());
  }
}

}  // namespace gpuopt_cli
