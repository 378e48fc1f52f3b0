// Text for people and for programs: aligned columns, markdown, globs.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "gpuopt/kernel.h"
#include "terminal.h"

namespace gpuopt_cli {

std::string lowered(std::string text);
bool ends_with(const std::string &text, const std::string &end);
std::vector<std::string> split(const std::string &text, char separator);
bool matches_glob(const std::string &glob, const std::string &text);   // *, ? and [...], as fnmatch has them
bool matches_globs(const std::string &list, const std::string &text);  // any of a comma list
std::vector<std::string> former_names(const gpuopt_kernel &kernel);
bool matches_kernel(const std::string &globs, const gpuopt_kernel &kernel);  // by its name or a former one
bool matches_name(const std::string &globs, const std::string &name);        // the same of a kernel's present name

std::string csv_field(const std::string &text);                                       // quoted where it must be
std::string counted(int64_t count, const std::string &one, const std::string &many);  // "1 line", "2 lines"
std::string formatted(double value, const char *format);                              // as printf does

// In lines of at most that many bytes, cut at blanks and, where a word is longer, within it. 0: in one.
std::vector<std::string> wrapped(const std::string &text, size_t columns);

class Table {
 public:
  explicit Table(std::vector<std::string> head) { rows_.push_back({std::move(head), Style::strong}); }
  void add(std::vector<std::string> row, Style style = Style::plain) { rows_.push_back({std::move(row), style}); }
  void align_right(size_t column) { right_.push_back(column); }
  // Aligned, two spaces between columns. Where output_columns() are known, the last column goes on below itself, and columns that
  // find no room go on below the others.
  void print() const;
  void print_markdown() const;

 private:
  struct Row {
    std::vector<std::string> cells;
    Style style;
  };
  std::string band_text(const Row &row, const std::vector<size_t> &width, size_t begin, size_t end,
                        size_t columns) const;
  std::vector<Row> rows_;
  std::vector<size_t> right_;
};

}  // namespace gpuopt_cli
