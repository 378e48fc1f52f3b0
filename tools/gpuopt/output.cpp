#include "output.h"

#include <fcntl.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>

namespace gpuopt_cli {

void hold_standard_descriptors() {
  // open takes the lowest that is free. Reading only: a write to it still fails.
  for (int file = 0; file <= 2; ++file)
    if (fcntl(file, F_GETFD) < 0 && errno == EBADF) static_cast<void>(open("/dev/null", O_RDONLY));
}

bool finish_output() {
  std::cout.flush();
  errno = 0;
  const bool failed_before = std::ferror(stdout) != 0 || !std::cout;
  if (std::fflush(stdout) == 0 && !failed_before) return true;
  std::fprintf(stderr, "gpuopt: stdout could not be written: %s\n",
               errno != 0 ? std::strerror(errno) : "an earlier write failed");
  return false;
}

}  // namespace gpuopt_cli
