// The thread-local message behind gpuopt_last_error().
#pragma once
#include <cstdarg>

#include "gpuopt/gpuopt.h"

namespace gpuopt {

// Sets this thread's message (truncated at 2047 bytes) and returns status, so that failing reads `return
// fail(...)`.
gpuopt_status fail(gpuopt_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

}  // namespace gpuopt
