// Records of comma-separated text, each with the line that it begins on. Fields may be quoted; a quoted field may hold commas,
// line breaks and doubled quotes.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace gpuopt_advise {

// What is wrong with a report, and where. what() begins with "line N: ".
class ReportError : public std::runtime_error {
 public:
  ReportError(int64_t line, const std::string &why)
      : std::runtime_error("line " + std::to_string(line) + ": " + why), line_(line) {}
  int64_t line() const { return line_; }

 private:
  int64_t line_;
};

struct Record {
  int64_t line = 0;
  std::vector<std::string> fields;
};

class CsvReader {
 public:
  explicit CsvReader(std::string_view text) : rest_(text) {}
  // The line that comes next, without its break; false at the end. What peek shows, skip or read takes.
  bool peek(std::string_view *line) const;
  void skip_line();
  // The record that begins here. Throws ReportError where a quote does not end, or text follows one.
  Record read();
  int64_t line() const { return line_; }  // of what comes next

 private:
  std::string quoted_field();
  std::string_view rest_;
  int64_t line_ = 1;
};

}  // namespace gpuopt_advise
