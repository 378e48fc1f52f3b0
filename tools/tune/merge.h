// Adds entries to a tuned-choice file that others may read and write at the same time. A reader finds the file as it was or
// as it is after, never half of it; of several writers each finds what the others have put there, and none loses an entry.
#pragma once
#include <string>
#include <vector>

#include "tune_file.h"

namespace gpuopt_tune {

struct Merged {
  std::string fault;  // "": done; else why not, and the file is as it was
  size_t added = 0, replaced = 0;
};

// The file is made where there is none. It keeps its mode, and a symbolic link to it stays one.
Merged merge_into(const std::string &path, const std::vector<Entry> &entries);

}  // namespace gpuopt_tune
