// A disk that is full, as a limit on files shows it, in a child of the test.
#pragma once
#include <doctest/doctest.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace gpuopt_test {

// Whether fails() is true where no file can have more than 16 bytes; an exception of it, or any other end, counts as false.
template <class F>
bool on_full_disk(F fails) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small = {16, 16};
    setrlimit(RLIMIT_FSIZE, &small);
    bool failed = false;
    try {
      failed = fails();
    } catch (...) {
    }
    _exit(failed ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace gpuopt_test
