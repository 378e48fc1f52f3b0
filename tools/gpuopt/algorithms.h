// The algorithms that kernels offer for a call.
#pragma once
#include <string>
#include <vector>

#include "choice_text.h"
#include "gpuopt_call/call.h"

namespace gpuopt_cli {

using gpuopt_tune::choice_text;
using gpuopt_tune::chosen_in;
using gpuopt_tune::without_algorithm;

// The algorithms of a kernel, or of the first of two steps, by their whole names, without the first, which is the kernel's own
// choice, and without those that it offers and then refuses to run, for each is run once; none where it offers none, or cannot be
// asked. The handle is left without a forced kernel.
std::vector<std::string> other_algorithms(gpuopt_handle *handle, gpuopt_call::Call *call, const std::string &kernel);

}  // namespace gpuopt_cli
