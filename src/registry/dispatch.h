// The call of docs/dispatch.md, all eight steps; api.cpp's entries are thin shells around it.
#pragma once
#include "decide.h"

namespace gpuopt {

// What is asked for beside the status: nullptr for those that ask for nothing.
struct Answer {
  size_t workspace_bytes = 0;  // measure_workspace
  std::string algorithms;      // algorithms: names, with blanks between
};

// Steps 1 to 8, or what of them the question needs.
gpuopt_status dispatch(gpuopt_handle *handle, const char *function, const void *args, int32_t op, Action what,
                       Answer *answer);

}  // namespace gpuopt
