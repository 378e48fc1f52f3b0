// The thread-local message behind gpuopt_last_error().
#pragma once
#include <cxxabi.h>

#include <cstdarg>
#include <cstddef>

#include "gpuopt/gpuopt.h"

// Stands for `catch (...)` everywhere. A thread that ends in a callback of the application (pthread_exit, cancellation)
// unwinds through the library, and to catch that without going on with it would abort the process.
#if defined(__GLIBCXX__)
#define GPUOPT_CATCH_ALL                 \
  catch (const abi::__forced_unwind &) { \
    throw;                               \
  }                                      \
  catch (...)
#else
#define GPUOPT_CATCH_ALL catch (...)
#endif

namespace gpuopt {

// Sets this thread's message (truncated at 2047 bytes) and returns status, so that failing reads `return
// fail(...)`.
gpuopt_status fail(gpuopt_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Puts the formatted words and ": " before this thread's message and returns status; leaves a success alone.
gpuopt_status fail_within(gpuopt_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The status of the exception that a catch clause holds, and its message: OUT_OF_MEMORY for std::bad_alloc, what a
// ForeignFailure says, else INTERNAL with the exception's own words. What is no error, the unwinding of a cancelled thread,
// goes on.
gpuopt_status fail_caught(const char *function);

// An exception that came out of code that is not ours, as an exception of ours: where it came from and what it said.
struct ForeignFailure {
  gpuopt_status status;
  char text[500];
};
// For a catch clause: throws the ForeignFailure of the exception that it holds. what: "gemm_x: launch".
[[noreturn]] void throw_foreign(gpuopt_status status, const char *what);

// The rule of every struct of the API that grows: at least as large as version 1's, and a tail that this library does not
// know must be zero and readable. field names the struct in messages ("options"); init, the macro to start from, may be
// nullptr; known: this library's size, where it has grown since.
gpuopt_status check_struct_size(const char *function, const char *field, const void *given, size_t version_1,
                                const char *init, size_t known = 0);

// Writes a struct of struct_size bytes of the caller's: our `known` bytes as far as it goes, that size, and zeros behind.
gpuopt_status initialise_struct(const char *function, const char *field, void *out, size_t struct_size,
                                const void *ours, size_t known, size_t version_1);

// Fills a struct of the caller's from ours of `known` bytes, as far as his struct_size goes, which stays as it is.
gpuopt_status write_struct(const char *function, const char *field, void *out, const void *ours, size_t known,
                           size_t version_1, const char *init);

}  // namespace gpuopt
