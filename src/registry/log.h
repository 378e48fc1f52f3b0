// Verbose log: versioned CSV lines `gpuopt,v2,<kind>,...`, one write a line, to a callback, a file or stderr.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "gpuopt/gpuopt.h"

namespace gpuopt {

class Log {
 public:
  Log() = default;
  Log(const Log &) = delete;
  Log &operator=(const Log &) = delete;
  ~Log();

  // Opens path for appending; empty: stderr. Never waits. Returns "", or why it cannot be opened (then stderr is used).
  std::string open(const std::string &path);
  void set_callback(gpuopt_log_fn fn, void *user) { callback_ = fn, user_ = user; }

  uint32_t bits = 0;  // verbose_bit of the kinds of line that are written
  bool on(uint32_t bit) const { return (bits & bit) != 0; }

  // A value of a line. One that may be longer than `most` bytes ends in "...": lines are of at most 4095.
  struct Field {
    std::string_view text;
    size_t most = 1024;
    Field(std::string_view t, size_t m) : text(t), most(m) {}
    template <class Text>
    Field(const Text &t) : text(t) {}
  };
  // "gpuopt,v2,<kind>,<field>,...", each field escaped.
  static std::string text(const char *kind, std::initializer_list<Field> fields);
  void line(const char *kind, std::initializer_list<Field> fields) { write(text(kind, fields)); }
  void write(const std::string &line);

  bool has_heading = false;  // before its first exec line a log says what such a line holds and what device it is of

 private:
  bool put(const std::string &line);
  gpuopt_log_fn callback_ = nullptr;
  void *user_ = nullptr;
  int file_ = -1;      // -1: stderr
  bool torn_ = false;  // the last line in the file has no end
  uint64_t lost_ = 0;  // lines that the file or the pipe's reader did not take
};

struct Settings;
// Opens the log as settings say and writes their warnings to it, the one that it could not be opened among them.
void open_log(const Settings &settings, Log *log);

// A line of warning about a setting. source: a variable, a field of the options, or the setter that was called.
void warn(Log *log, const std::string &source, const std::string &text);

// Appends a field: printable ASCII as it is; a backslash, a comma and every other byte as \\, \n, \r, \t or \xNN.
void append_field(const Log::Field &field, std::string *line);

// A sentence of ours for a field: its commas become semicolons, which need no escape.
std::string sentence(std::string_view text);

}  // namespace gpuopt
