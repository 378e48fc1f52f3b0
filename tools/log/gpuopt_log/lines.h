// One line of a log, taken apart.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "gpuopt/gpuopt.h"

namespace gpuopt_log {

enum class Kind {
  exec,             // a call
  device,           // what the calls of a handle run on
  lost,             // lines that the log's writer could not write
  other,            // one of ours that says nothing of a call's time
  version_1,        // whose problems are not whole
  unknown_version,  // of a library newer than this
  foreign,          // no line of ours
  malformed         // one of ours that does not read
};

// Fields of exec refer to the line.
struct Exec {
  std::string_view op, kernel, device, problem, how;
  double predicted_us = 0;  // 0: the kernel predicts nothing
  double ms = -1;           // -1: not known
};

struct Line {
  Kind kind = Kind::foreign;
  Exec exec;
  std::string device;         // of device: its label, "cuda0:sm_90"
  gpuopt_device_facts facts;  // of device: as far as the line says
  int64_t lost = 0;
  std::string why;  // of malformed
};

// text has no line break.
Line read_line(std::string_view text);
// Could it be the beginning of one of ours?
bool may_be_ours(std::string_view text);

}  // namespace gpuopt_log
