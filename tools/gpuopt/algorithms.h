// Names of kernels with one of their algorithms, "gemm_cublaslt@id66.tile20...", and of what a tuned entry chooses.
#pragma once
#include <string>
#include <vector>

#include "gpuopt_call/call.h"

namespace gpuopt_cli {

// "gemm_cublaslt+fused_act_vec16" of "gemm_cublaslt@id66+fused_act_vec16".
std::string without_algorithm(const std::string &name);

// The algorithms of a kernel, or of the first of two steps, by their whole names, without the first, which is the kernel's own
// choice; none where it offers none, or cannot be asked. The handle is left without a forced kernel.
std::vector<std::string> other_algorithms(gpuopt_handle *handle, gpuopt_call::Call *call, const std::string &kernel);

// "kernel=... version=...", of one kernel or of two steps, and "algorithm=..." where the name has one.
std::string choice_text(const std::string &name);
// "time=12.5:1:gemm_tiled_32": how long a kernel took, in a measured entry.
std::string time_text(const std::string &name, double us);
// The times of a measured entry whose kernels this build has in the version that was measured; "": of none.
std::string times_of_this_build(const std::string &times);
// The name back, or "" where the text chooses nothing.
std::string chosen_in(const std::string &choice);

}  // namespace gpuopt_cli
