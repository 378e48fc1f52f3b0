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

bool ends_with(const std::string &text, const std::string &end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
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

bool matches_name(const std::string &globs, const std::string &name) {
  const gpuopt_kernel *const single = gpuopt_kernel_find(name.c_str());  // nullptr: two steps
  return single ? matches_kernel(globs, *single) : matches_globs(globs, name);
}

std::string csv_field(const std::string &text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string counted(int64_t count, const std::string &one, const std::string &many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
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

namespace {

constexpr size_t kLeastOfLast = 24, kIndent = 4;

// Columns that stand beside each other on one line of the output.
struct Band {
  size_t begin, end;  // columns
};

// A table that is wider than the output goes on below, in more lines a row. The last column goes on below itself: it takes the
// room that there is, and of that only little need be.
std::vector<Band> bands_of(const std::vector<size_t> &width, size_t columns) {
  std::vector<Band> bands = {{0, 0}};
  size_t used = 0;
  for (size_t c = 0; c < width.size(); ++c) {
    const size_t needed = c + 1 == width.size() ? std::min(width[c], kLeastOfLast) : width[c];
    const bool first = bands.back().end == bands.back().begin;
    if (columns > 0 && !first && used + 2 + needed > columns) {
      bands.push_back({c, c});
      used = kIndent;
    }
    used += (bands.back().end == bands.back().begin ? 0 : 2) + needed;
    bands.back().end = c + 1;
  }
  return bands;
}

}  // namespace

void Table::print() const {
  std::vector<size_t> width;
  for (const Row &row : rows_)
    for (size_t c = 0; c < row.cells.size(); ++c) {
      if (c == width.size()) width.push_back(0);
      width[c] = std::max(width[c], row.cells[c].size());
    }
  const size_t columns = output_columns();
  const std::vector<Band> bands = bands_of(width, columns);
  for (const Row &row : rows_)
    for (const Band &band : bands)
      if (const std::string text = band_text(row, width, band.begin, band.end, columns);
          band.begin == 0 || !text.empty())
        std::printf("%s\n", painted(text, row.style).c_str());
}

std::string Table::band_text(const Row &row, const std::vector<size_t> &width, size_t begin, size_t end,
                             size_t columns) const {
  size_t at = begin == 0 ? 0 : kIndent;
  std::string line(at, ' ');
  for (size_t c = begin; c < std::min(end, row.cells.size()); ++c) {
    const std::string &cell = row.cells[c], space(width[c] - cell.size(), ' ');
    if (c > begin) {
      line += "  ";
      at += 2;
    }
    const bool wraps = columns > 0 && (c + 1 == width.size() || end == begin + 1);
    if (wraps) {
      bool more = false;
      for (const std::string &part : wrapped(cell, columns > at ? columns - at : 1)) {
        line += (more ? "\n" + std::string(at, ' ') : "") + part;
        more = true;
      }
    } else {
      const bool right = std::find(right_.begin(), right_.end(), c) != right_.end();
      line += right ? space + cell : cell + space;
    }
    at += width[c];
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
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
