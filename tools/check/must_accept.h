// What a kernel's descriptor declares, it must do. For every type row, layout, axis, stage kind and form, and feature
// that the descriptor states, problems that satisfy its stated needs are put to it: at least one must be accepted, and
// all accepted ones must match the oracle. So a kernel that rejects everything fails, and so does one that declares a
// layout that its predicate always refuses. The predicate may still refuse combinations and extents of its own.
#pragma once
#include <string>
#include <vector>

#include "gpuopt/kernel.h"
#include "session.h"

namespace gpuopt_check {

struct Acceptance {
  int declared = 0;  // things the descriptor states
  int accepted = 0;  // of these, accepted at least once
  int ran = 0;       // problems run and compared
  std::vector<std::string> failures;
};

// pretend: facts of a device that the kernel runs on, when the session's is none; problems are then only explained.
// hard_rows: of HardRows, which are put to it too where it computes what they are hard for.
Acceptance must_accept(Session &session, const gpuopt_kernel &kernel, const gpuopt_device_facts *pretend, uint64_t seed,
                       uint32_t hard_rows);

// Facts of a device that the kernel's descriptor admits; false when there is none by that range.
bool suitable_device(const gpuopt_kernel &kernel, gpuopt_device_facts *facts);

}  // namespace gpuopt_check
