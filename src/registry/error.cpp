#include "error.h"

#include <cstdio>

namespace gpuopt {
namespace {
// Constant initialised, so that the library has no static constructor.
thread_local char last_message[2048] = "no error";
}  // namespace

gpuopt_status fail(gpuopt_status status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(last_message, sizeof last_message, format, arguments);
  va_end(arguments);
  return status;
}

}  // namespace gpuopt

extern "C" const char *gpuopt_last_error(void) { return gpuopt::last_message; }
