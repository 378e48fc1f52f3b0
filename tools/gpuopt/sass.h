// `gpuopt list --sass KERNEL`: the machine code of a kernel's entry functions, as CUDA's cuobjdump shows it.
#pragma once
#include <string>

namespace gpuopt_cli {

// pretend: the device whose code is shown, "": this machine's, else sm_90. Returns an exit code; throws CLI::ValidationError for
// a kernel that there is none of.
int list_sass(const std::string &kernel, const std::string &pretend);

}  // namespace gpuopt_cli
