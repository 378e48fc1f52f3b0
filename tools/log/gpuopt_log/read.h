// A log file, or "-" for standard input, read line by line.
#pragma once
#include <string>

#include "gpuopt_log/sum.h"

namespace gpuopt_log {

// Throws std::runtime_error, with the path and the system's reason, where it cannot be opened or read.
LogSum sum_file(const std::string &path);

}  // namespace gpuopt_log
