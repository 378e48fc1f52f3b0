// Verbose log: versioned CSV lines `gpuopt,v1,<kind>,...`, one write a line, to a callback, a file or stderr.
#pragma once
#include <cstdint>
#include <string>

#include "gpuopt/gpuopt.h"

namespace gpuopt {

class log {
 public:
  log() = default;
  log(const log &) = delete;
  log &operator=(const log &) = delete;
  ~log();

  // Opens path in append mode; empty: stderr. False when it cannot be opened (then stderr is used).
  bool open(const std::string &path);
  void set_callback(gpuopt_log_fn fn, void *user) { callback_ = fn, user_ = user; }

  uint32_t bits = 0;  // verbose_bit of the kinds of line that are written
  bool on(uint32_t bit) const { return (bits & bit) != 0; }

  // Writes "gpuopt,v1,<kind>,<text>"; the first exec line is preceded by the template that names its fields.
  void line(const char *kind, const std::string &text);

 private:
  void write(const std::string &line);
  gpuopt_log_fn callback_ = nullptr;
  void *user_ = nullptr;
  int file_ = -1;  // -1: stderr
  bool header_written_ = false;
};

}  // namespace gpuopt
