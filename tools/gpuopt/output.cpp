#include "output.h"

#include <fcntl.h>

#include <CLI/CLI.hpp>
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

OutputFile::OutputFile(const std::string &verb, const std::string &argument, const std::string &path)
    : what_("gpuopt " + verb + ": " + argument), path_(path) {
  if (path.empty()) return;
  file_.open(path);
  if (!file_) throw CLI::ValidationError(argument, "'" + path + "' cannot be written: " + std::strerror(errno));
}

bool OutputFile::write(const std::string &text) {
  if (path_.empty()) return true;
  file_ << text;
  file_.close();
  if (file_) return true;
  std::fprintf(stderr, "%s '%s' could not be written in full\n", what_.c_str(), path_.c_str());
  return false;
}

}  // namespace gpuopt_cli
