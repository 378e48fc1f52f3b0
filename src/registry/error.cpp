#include "error.h"

#include <cxxabi.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <typeinfo>

#include "readable.h"
#include "text.h"

namespace gpuopt {
namespace {
// Constant initialised, so that the library has no static constructor.
thread_local char last_message[2048] = "no error";
}  // namespace

gpuopt_status fail(gpuopt_status status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const CLocale as_c;
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
  const CLocale as_c;
  std::vsnprintf(words, sizeof words, format, arguments);
  va_end(arguments);
  return fail(status, "%s: %s", words, inner);
}

namespace {

// The words of the exception that a catch clause holds, and whether memory ran out.
bool describe_caught(char *text, size_t bytes) {
  try {
    throw;
  } catch (const std::bad_alloc &) {
    std::snprintf(text, bytes, "out of host memory");
    return true;
  } catch (const std::exception &e) {
    int status = 0;
    char *const type = abi::__cxa_demangle(typeid(e).name(), nullptr, nullptr, &status);
    std::snprintf(text, bytes, "it threw %.100s: %.250s", type ? type : typeid(e).name(), e.what());
    std::free(type);
  }
  GPUOPT_CATCH_ALL { std::snprintf(text, bytes, "it threw something that is no std::exception"); }
  return false;
}

// Longer than any struct of this interface will be, and far shorter than what an uninitialised size is likely to say.
constexpr size_t kMostStructSize = 4096;

gpuopt_status too_small(const char *function, const char *field, size_t size, size_t version_1, const char *init) {
  return fail(GPUOPT_INVALID_ARGUMENT, "%s: %s.struct_size=%zu is smaller than %zu, version 1's size%s%s%s", function,
              field, size, version_1, init ? " (start from " : "", init ? init : "", init ? ")" : "");
}

gpuopt_status too_large(const char *function, const char *field, size_t size) {
  return fail(GPUOPT_INVALID_ARGUMENT, "%s: %s.struct_size=%zu is larger than any struct of this interface (%zu)",
              function, field, size, kMostStructSize);
}

}  // namespace

gpuopt_status fail_caught(const char *function) {
  try {
    throw;
  } catch (const ForeignFailure &f) {
    return fail(f.status, "%s: %s", function, f.text);
  }
  GPUOPT_CATCH_ALL {
    char text[370];
    const bool memory = describe_caught(text, sizeof text);
    return fail(memory ? GPUOPT_OUT_OF_MEMORY : GPUOPT_INTERNAL, "%s: %s", function, text);
  }
}

void throw_foreign(gpuopt_status status, const char *what) {
  ForeignFailure f;
  char text[370];
  f.status = describe_caught(text, sizeof text) ? static_cast<gpuopt_status>(GPUOPT_OUT_OF_MEMORY) : status;
  std::snprintf(f.text, sizeof f.text, "%.120s: %s", what, text);
  throw f;
}

gpuopt_status check_struct_size(const char *function, const char *field, const void *given, size_t version_1,
                                const char *init, size_t known) {
  size_t size;
  std::memcpy(&size, given, sizeof size);
  if (size < version_1) return too_small(function, field, size, version_1, init);
  if (size > kMostStructSize) return too_large(function, field, size);
  const size_t ours = known ? known : version_1;
  if (size <= ours) return GPUOPT_OK;
  unsigned char tail[kMostStructSize];
  const size_t there = copy_if_readable(static_cast<const unsigned char *>(given) + ours, tail, size - ours);
  for (size_t i = 0; i < there; ++i)
    if (tail[i] != 0)
      return fail(GPUOPT_INVALID_ARGUMENT, "%s: %s uses fields newer than this library (byte %zu is not zero)",
                  function, field, ours + i);
  if (there < size - ours)
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: %s.struct_size=%zu, and byte %zu cannot be read", function, field, size,
                ours + there);
  return GPUOPT_OK;
}

gpuopt_status initialise_struct(const char *function, const char *field, void *out, size_t struct_size,
                                const void *ours, size_t known, size_t version_1) {
  if (struct_size < version_1) return too_small(function, field, struct_size, version_1, nullptr);
  if (struct_size > kMostStructSize) return too_large(function, field, struct_size);
  std::memset(out, 0, struct_size);
  std::memcpy(out, ours, std::min(struct_size, known));
  std::memcpy(out, &struct_size, sizeof struct_size);
  return GPUOPT_OK;
}

gpuopt_status write_struct(const char *function, const char *field, void *out, const void *ours, size_t known,
                           size_t version_1, const char *init) {
  size_t size;
  std::memcpy(&size, out, sizeof size);
  if (size < version_1) return too_small(function, field, size, version_1, init);
  if (size > kMostStructSize) return too_large(function, field, size);
  constexpr size_t head = sizeof size;
  std::memcpy(static_cast<char *>(out) + head, static_cast<const char *>(ours) + head, std::min(size, known) - head);
  return GPUOPT_OK;
}

}  // namespace gpuopt

extern "C" const char *gpuopt_last_error(void) { return gpuopt::last_message; }
