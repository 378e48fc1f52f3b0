#include <dlfcn.h>

#include <atomic>
#include <mutex>
#include <string>

#include "error.h"
#include "nccl_api.h"

namespace gpuopt::dist {
namespace {

constexpr char kName[] = "libnccl.so.2";
constexpr int kFlags = RTLD_LAZY | RTLD_LOCAL;
// After the dynamic linker's own places.
constexpr const char *kPlaces[] = {"/usr/local/cuda/lib64/libnccl.so.2",
                                   "/usr/local/cuda/lib/libnccl.so.2",
                                   "/usr/lib/x86_64-linux-gnu/libnccl.so.2",
                                   "/usr/lib/aarch64-linux-gnu/libnccl.so.2",
                                   "/usr/lib64/libnccl.so.2",
                                   "/usr/local/lib/libnccl.so.2"};

std::mutex mutex;
NcclApi api;
std::atomic<const NcclApi *> loaded;

bool find_all(void *library, const char **missing) {
#define GPUOPT_X_(name, result, arguments)                                                  \
  api.name = reinterpret_cast<decltype(api.name)>(dlsym(library, *missing = "nccl" #name)); \
  if (!api.name) return false;
  GPUOPT_NCCL_API(GPUOPT_X_)
#undef GPUOPT_X_
  return true;
}

}  // namespace

const NcclApi *nccl_load() {
  if (const NcclApi *ready = loaded.load(std::memory_order_acquire)) return ready;
  const std::lock_guard<std::mutex> lock(mutex);
  if (const NcclApi *ready = loaded.load(std::memory_order_relaxed)) return ready;
  const char *missing = nullptr;
  // The application's own, under whatever name and from wherever it came.
  if (dlsym(RTLD_DEFAULT, "ncclGetVersion") && find_all(RTLD_DEFAULT, &missing)) {
    loaded.store(&api, std::memory_order_release);
    return &api;
  }
  void *library = dlopen(kName, RTLD_NOLOAD | kFlags);
  if (!library) library = dlopen(kName, kFlags);
  const char *why = library ? nullptr : dlerror();
  const std::string reason = why ? why : "";
  for (const char *place : kPlaces)
    if (!library) library = dlopen(place, kFlags);
  if (!library) {
    fail(GPUOPT_NOT_SUPPORTED,
         "%s could not be loaded (%s); looked in the loaded libraries, LD_LIBRARY_PATH, /usr/local/cuda and the "
         "system's library folders",
         kName, reason.c_str());
    return nullptr;
  }
  if (!find_all(library, &missing)) {
    fail(GPUOPT_NOT_SUPPORTED, "%s was loaded but has no function %s", kName, missing);
    dlclose(library);
    return nullptr;
  }
  loaded.store(&api, std::memory_order_release);
  return &api;
}

}  // namespace gpuopt::dist
