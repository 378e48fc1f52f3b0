#include "output.h"

#include <fcntl.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "whole_file.h"

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
  const std::string fault = path.empty() ? "" : gpuopt_file::whole_file_fault(path);
  if (!fault.empty()) throw CLI::ValidationError(argument, "'" + path + "': " + fault);
}

bool OutputFile::write(const std::string &text) {
  const std::string fault = path_.empty() ? "" : gpuopt_file::write_whole_file(path_, text);
  if (fault.empty()) return true;
  std::fprintf(stderr, "%s: '%s': %s\n", what_.c_str(), path_.c_str(), fault.c_str());
  return false;
}

}  // namespace gpuopt_cli
