#include "plugins/driver.h"

#include <atomic>

#include "device.h"

namespace gpuopt::driver {
namespace {

struct Found {
  Functions functions = {};
  const char *missing = nullptr;

  Found() {
    find("cuLibraryLoadData", &functions.library_load_data);
    find("cuLibraryGetKernel", &functions.library_get_kernel);
    find("cuKernelGetAttribute", &functions.kernel_get_attribute);
    find("cuKernelSetAttribute", &functions.kernel_set_attribute);
    find("cuDeviceGet", &functions.device_get);
    find("cuLaunchKernelEx", &functions.launch_kernel);
    find("cuGetErrorName", &functions.get_error_name);
    if (missing) return;
    functions.kernel_get_param_info = reinterpret_cast<decltype(functions.kernel_get_param_info)>(
        device::driver_function("cuKernelGetParamInfo", 12040));
  }
  template <class F>
  void find(const char *name, F *function) {
    *function = reinterpret_cast<F>(device::driver_function(name, 12000));
    if (!*function && !missing) missing = name;
  }
};

std::atomic<const Functions *> replaced{nullptr};

}  // namespace

const Functions *functions(const char **missing) {
  if (const Functions *const instead = replaced.load(std::memory_order_acquire)) return instead;
  static const Found found;  // the driver is not asked again
  *missing = found.missing;
  return found.missing ? nullptr : &found.functions;
}

void replace_functions(const Functions *instead) { replaced.store(instead, std::memory_order_release); }

}  // namespace gpuopt::driver
