#include "text.h"

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
  size_t g = 0, t = 0, star = std::string::npos, resume = 0;
  while (t < text.size()) {
    if (g < glob.size() && (glob[g] == '?' || glob[g] == text[t]) && glob[g] != '*') {
      ++g;
      ++t;
    } else if (g < glob.size() && glob[g] == '*') {
      star = g++;
      resume = t;
    } else if (star != std::string::npos) {
      g = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (g < glob.size() && glob[g] == '*') ++g;
  return g == glob.size();
}

bool matches_globs(const std::string &list, const std::string &text) {
  for (const std::string &glob : split(list, ','))
    if (matches_glob(glob, text)) return true;
  return false;
}

std::string json_string(const std::string &text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      out += std::string("\\") + c;
    else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
      out += escape;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

void Table::print() const {
  std::vector<size_t> width;
  for (const auto &row : rows_)
    for (size_t c = 0; c < row.size(); ++c) {
      if (c == width.size()) width.push_back(0);
      width[c] = std::max(width[c], row[c].size());
    }
  for (const auto &row : rows_) {
    std::string line;
    for (size_t c = 0; c < row.size(); ++c) {
      const std::string space(width[c] - row[c].size(), ' ');
      const bool right = std::find(right_.begin(), right_.end(), c) != right_.end();
      line += (c ? "  " : "") + (right ? space + row[c] : row[c] + space);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    std::printf("%s\n", line.c_str());
  }
}

void Table::print_markdown() const {
  for (size_t r = 0; r < rows_.size(); ++r) {
    std::string line = "|";
    for (std::string cell : rows_[r]) {
      for (size_t at = 0; (at = cell.find('|', at)) != std::string::npos; at += 2) cell.insert(at, "\\");
      line += " " + cell + " |";
    }
    std::printf("%s\n", line.c_str());
    if (r > 0) continue;
    line = "|";
    for (size_t c = 0; c < rows_[0].size(); ++c) line += "---|";
    std::printf("%s\n", line.c_str());
  }
}

}  // namespace gpuopt_cli
