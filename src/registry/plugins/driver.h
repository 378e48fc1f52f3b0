// The functions of the CUDA driver that image kernels need, found when one is first launched: the library links no libcuda.
// Types and numbers are those of cuda.h, which a build without the toolkit has not; driver_types.cpp holds the one to the other.
#pragma once
#include <cstddef>
#include <cstdint>

struct CUstream_st;

namespace gpuopt::driver {

using Result = int;  // CUresult
enum : Result {
  kSuccess = 0,
  kOutOfMemory = 2,
  kInvalidImage = 200,
  kNoBinaryForGpu = 209,
  kInvalidPtx = 218,
  kJitCompilerNotFound = 221,
  kUnsupportedPtxVersion = 222,
  kJitCompilationDisabled = 223,
  kNotFound = 500
};
enum : int { kMaxThreadsPerBlock = 0, kStaticSharedBytes = 1, kMaxDynamicSharedBytes = 8 };  // CUfunction_attribute
enum : int { kErrorLog = 5, kErrorLogBytes = 6 };                                            // CUjit_option
enum : int { kClusterDimension = 4 };                                                        // CUlaunchAttributeID

struct LaunchAttribute {
  int id;
  char pad[4];
  union {
    char bytes[64];
    uint32_t cluster[3];
  } value;
};
struct LaunchConfig {
  uint32_t grid[3], block[3], shared_bytes;
  CUstream_st *stream;
  LaunchAttribute *attributes;
  uint32_t attribute_count;
};

struct Functions {
  Result (*library_load_data)(void **library, const void *code, int *jit_options, void **jit_values, unsigned jit_count,
                              int *library_options, void **library_values, unsigned library_count);
  Result (*library_get_kernel)(void **kernel, void *library, const char *name);
  Result (*kernel_get_attribute)(int *value, int attribute, void *kernel, int device);
  Result (*kernel_set_attribute)(int attribute, int value, void *kernel, int device);
  Result (*kernel_get_param_info)(void *kernel, size_t index, size_t *offset, size_t *bytes);  // nullptr before 12.4
  Result (*device_get)(int *device, int ordinal);
  Result (*launch_kernel)(const LaunchConfig *config, void *kernel, void **params, void **extra);
  Result (*get_error_name)(Result error, const char **name);
};

// All but kernel_get_param_info are there, or else *missing is the name of one that is not, and nullptr.
const Functions *functions(const char **missing);

// For tests: these in the driver's place; nullptr: back to it.
void replace_functions(const Functions *instead);

}  // namespace gpuopt::driver
