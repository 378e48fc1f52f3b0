#include "algorithms.h"

#include <algorithm>

#include "gpuopt/kernel.h"
#include "text.h"

namespace gpuopt_cli {
namespace {

// A library may offer an algorithm and refuse it when the call comes.
bool is_taken_back(gpuopt_handle *handle, gpuopt_call::Call *call, const std::string &name) {
  return gpuopt_set_kernel(handle, name.c_str()) == GPUOPT_OK && call->run(handle) == GPUOPT_NOT_SUPPORTED;
}

}  // namespace

std::vector<std::string> other_algorithms(gpuopt_handle *handle, gpuopt_call::Call *call, const std::string &kernel) {
  gpuopt_tune::NameParts p = gpuopt_tune::parts_of(kernel);
  const gpuopt_kernel *const k = gpuopt_kernel_find(p.kernel.c_str());
  std::vector<std::string> names;
  if (!k || !k->algorithms) return names;
  char text[GPUOPT_ALGORITHMS_BYTES];
  size_t length = 0;
  gpuopt_status s = gpuopt_set_kernel(handle, kernel.c_str());
  if (s == GPUOPT_OK) s = gpuopt_algorithms(handle, call->args(), text, sizeof text, &length);
  if (s == GPUOPT_OK && length > 0) {
    for (const std::string &algorithm : split(text, ' ')) {
      p.algorithm = algorithm;
      names.push_back(gpuopt_tune::name_of(p));
    }
    names.erase(names.begin());
    const auto gone = [&](const std::string &name) { return is_taken_back(handle, call, name); };
    names.erase(std::remove_if(names.begin(), names.end(), gone), names.end());
  }
  gpuopt_set_kernel(handle, nullptr);
  return names;
}

}  // namespace gpuopt_cli
