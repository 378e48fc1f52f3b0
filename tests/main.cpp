// The test program's main: doctest's, with every GPUOPT_* variable of the caller's shell but the test ones removed, so that
// a forced kernel in someone's environment cannot change what is tested.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "sanitized.h"

extern char **environ;

#if GPUOPT_ADDRESS_SANITIZED
#include <sanitizer/lsan_interface.h>
#define GPUOPT_TEST_CHECK_LEAKS() __lsan_do_leak_check()
#else
#define GPUOPT_TEST_CHECK_LEAKS() static_cast<void>(0)
#endif

int main(int argc, char **argv) {
  std::vector<std::string> names;
  for (char **entry = environ; *entry; ++entry)
    if (std::strncmp(*entry, "GPUOPT_", 7) == 0 && std::strncmp(*entry, "GPUOPT_TEST_", 12) != 0)
      names.emplace_back(*entry, std::strcspn(*entry, "="));
  for (const std::string &name : names) unsetenv(name.c_str());
  const int result = doctest::Context(argc, argv).run();
  GPUOPT_TEST_CHECK_LEAKS();  // at the end of the process the registry, which holds the tests' kernels, is gone
  return result;
}
