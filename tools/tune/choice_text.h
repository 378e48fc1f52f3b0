// What entries say of kernels: "gemm_cublaslt@id66.tile20+fused_act_vec16" as a forced kernel is named, and the words of a choice
// or of times, with the versions of this build.
#pragma once
#include <map>
#include <string>

#include "tune_file.h"

namespace gpuopt_tune {

struct NameParts {
  std::string kernel, algorithm, second;  // algorithm, second: "" where there is none
};
NameParts parts_of(const std::string &name);
std::string name_of(const NameParts &parts);
// "gemm_cublaslt+fused_act_vec16" of "gemm_cublaslt@id66+fused_act_vec16".
std::string without_algorithm(const std::string &name);

// "kernel=... version=...", of one kernel or of two steps, and "algorithm=..." where the name has one.
std::string choice_text(const std::string &name);
// The name back, or "" where the text chooses nothing.
std::string chosen_in(const std::string &choice);

// The entry with the microseconds of a problem's kernels, by their names. Every kernel's own choice is in it, for what is slow
// there tells of problems near it, too; of algorithms those that are as good as the best.
Entry measured_entry(const std::string &exact_key, const std::map<std::string, double> &times);
// The times of a measured entry whose kernels this build has in the version that was measured; "": of none.
std::string times_of_this_build(const std::string &times);

}  // namespace gpuopt_tune
