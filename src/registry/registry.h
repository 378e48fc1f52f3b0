// The set of kernels of the process: the built-in manifest plus what the application registered. Append-only;
// readers hold an immutable snapshot that lives forever, so descriptors and names never dangle and no reader
// takes a lock.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "gpuopt/kernel.h"

namespace gpuopt {

// Kernels sorted by op, then name: an order that does not depend on link order.
struct snapshot {
  uint64_t generation = 0;  // 1 for the manifest alone; grows by one with each registration
  std::vector<const gpuopt_kernel *> all;
  std::vector<const gpuopt_kernel *> by_op[GPUOPT_OP_COUNT_];
};

const snapshot &current_snapshot();

// The kernel of that name, or nullptr.
const gpuopt_kernel *find_kernel(const snapshot &kernels, const std::string &name);

// The three registered names nearest to name by edit distance, as "a, b, c".
std::string nearest_names(const snapshot &kernels, const std::string &name, int32_t op);

// Edit distance (insert, delete, replace), for nearest names of kernels and of environment variables.
size_t edit_distance(const std::string &a, const std::string &b);

// Does name match the glob ('*' any run, '?' any character)?
bool glob_match(const char *glob, const char *name);

// A copy of text that lives as long as the process; equal texts give equal pointers.
const char *intern(const std::string &text);

}  // namespace gpuopt
