// A CUDA driver that is none: it notes what it is asked, fails where a test wants it to, and runs launches as functions.
#pragma once
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "plugins/driver.h"
#include "support.h"

namespace gpuopt_test {

namespace driver = gpuopt::driver;

class FakeDriver {
 public:
  FakeDriver() {
    self() = this;
    driver::replace_functions(&functions_);
  }
  ~FakeDriver() {
    driver::replace_functions(nullptr);
    self() = nullptr;
  }
  FakeDriver(const FakeDriver &) = delete;

  // What it answers with, by the function's place; 0 is success.
  driver::Result load = 0, get_kernel = 0, get_attribute = 0, set_attribute = 0, device = 0, launch = 0;
  std::vector<size_t> parameters;  // sizes of the entry's
  int most_threads = 1024, static_shared = 0;
  std::string jit_log;
  std::function<void(void **)> run;  // of a launch
  void without_parameter_info() { functions_.kernel_get_param_info = nullptr; }

  // What it was asked.
  std::string code, entry;
  int loads = 0, launches = 0, shared_allowed = -1;
  driver::LaunchConfig config = {};
  uint32_t cluster[3] = {0, 0, 0};

 private:
  static FakeDriver *&self() {
    static FakeDriver *the = nullptr;
    return the;
  }
  static driver::Result load_data(void **library, const void *bytes, int *options, void **values, unsigned count, int *,
                                  void **, unsigned) {
    FakeDriver &f = *self();
    ++f.loads;
    f.code.assign(static_cast<const char *>(bytes), 4);
    if (count == 2 && options[0] == driver::kErrorLog)
      std::snprintf(static_cast<char *>(values[0]), reinterpret_cast<size_t>(values[1]), "%s", f.jit_log.c_str());
    *library = &f;
    return f.load;
  }
  static driver::Result kernel_of(void **kernel, void *library, const char *name) {
    self()->entry = name;
    *kernel = library;
    return self()->get_kernel;
  }
  static driver::Result attribute(int *value, int which, void *, int) {
    *value = which == driver::kMaxThreadsPerBlock ? self()->most_threads : self()->static_shared;
    return self()->get_attribute;
  }
  static driver::Result allow(int which, int value, void *, int) {
    if (which == driver::kMaxDynamicSharedBytes) self()->shared_allowed = value;
    return self()->set_attribute;
  }
  static driver::Result parameter(void *, size_t index, size_t *offset, size_t *bytes) {
    if (index >= self()->parameters.size()) return 1;  // CUDA_ERROR_INVALID_VALUE
    *offset = 8 * index;
    *bytes = self()->parameters[index];
    return 0;
  }
  static driver::Result device_of(int *device, int ordinal) {
    *device = ordinal;
    return self()->device;
  }
  static driver::Result run_kernel(const driver::LaunchConfig *config, void *, void **params, void **) {
    FakeDriver &f = *self();
    ++f.launches;
    f.config = *config;
    for (uint32_t i = 0; i < config->attribute_count; ++i)
      if (config->attributes[i].id == driver::kClusterDimension)
        std::memcpy(f.cluster, config->attributes[i].value.cluster, sizeof f.cluster);
    if (f.launch == 0 && f.run) f.run(params);
    return f.launch;
  }
  static driver::Result name_of(driver::Result error, const char **name) {
    *name = error == driver::kNoBinaryForGpu ? "CUDA_ERROR_NO_BINARY_FOR_GPU"
            : error == driver::kInvalidImage ? "CUDA_ERROR_INVALID_IMAGE"
                                             : "CUDA_ERROR_OF_A_TEST";
    return 0;
  }

  driver::Functions functions_ = {load_data, kernel_of, attribute, allow, parameter, device_of, run_kernel, name_of};
};

}  // namespace gpuopt_test
