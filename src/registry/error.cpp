#include "error.h"

#include <cstdio>
#include <cstring>

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

gpuopt_status fail_within(gpuopt_status status, const char *format, ...) {
  if (status == GPUOPT_OK) return status;
  char inner[sizeof last_message], words[256];
  std::memcpy(inner, last_message, sizeof inner);
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(words, sizeof words, format, arguments);
  va_end(arguments);
  return fail(status, "%s: %s", words, inner);
}

gpuopt_status check_struct_size(const char *function, const char *field, const void *given, size_t known,
                                const char *init) {
  size_t size;
  std::memcpy(&size, given, sizeof size);
  if (size < known)
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: %s.struct_size=%zu is smaller than %zu, version 1's size%s%s%s", function,
                field, size, known, init ? " (start from " : "", init ? init : "", init ? ")" : "");
  const auto *bytes = static_cast<const unsigned char *>(given);
  for (size_t i = known; i < size; ++i)
    if (bytes[i] != 0)
      return fail(GPUOPT_INVALID_ARGUMENT, "%s: %s uses fields newer than this library (byte %zu is not zero)",
                  function, field, i);
  return GPUOPT_OK;
}

}  // namespace gpuopt

extern "C" const char *gpuopt_last_error(void) { return gpuopt::last_message; }
