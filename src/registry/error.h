// The thread-local message behind gpuopt_last_error().
#pragma once
#include <cstdarg>
#include <cstddef>

#include "gpuopt/gpuopt.h"

namespace gpuopt {

// Sets this thread's message (truncated at 2047 bytes) and returns status, so that failing reads `return
// fail(...)`.
gpuopt_status fail(gpuopt_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Puts the formatted words and ": " before this thread's message and returns status; leaves a success alone.
gpuopt_status fail_within(gpuopt_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The rule of every struct of the API that grows: at least as large as version 1's, and a tail that this library does not
// know must be zero. field names the struct in messages ("options"); init, the macro to start from, may be nullptr.
gpuopt_status check_struct_size(const char *function, const char *field, const void *given, size_t known,
                                const char *init);

}  // namespace gpuopt
