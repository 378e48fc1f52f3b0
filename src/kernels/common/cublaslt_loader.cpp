#include "common/cublaslt_loader.h"

#include <cstdio>

#if defined(GPUOPT_CUBLAS_OFF)

namespace gpuopt {

namespace {
constexpr char kOff[] = "gpuopt was built with GPUOPT_CUBLAS=OFF";
}  // namespace

int cublaslt_probe(char *where, size_t bytes) {
  std::snprintf(where, bytes, "%s", kOff);
  return 0;
}

const CublasLtApi *cublaslt_load(char *error, size_t bytes) {
  std::snprintf(error, bytes, "%s", kOff);
  return nullptr;
}

}  // namespace gpuopt

#elif defined(GPUOPT_CUBLAS_LINK)

#include "common/cublaslt_api.h"

namespace gpuopt {

int cublaslt_probe(char *where, size_t bytes) {
  std::snprintf(where, bytes, "linked");
  return 1;
}

const CublasLtApi *cublaslt_load(char *, size_t) {
#define GPUOPT_X_(member, symbol) &symbol,
  static constexpr CublasLtApi api = {GPUOPT_CUBLASLT_API(GPUOPT_X_)};
#undef GPUOPT_X_
  return &api;
}

}  // namespace gpuopt

#else

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "common/cublaslt_api.h"

namespace gpuopt {

namespace {

#define GPUOPT_STRING_2_(x) #x
#define GPUOPT_STRING_(x) GPUOPT_STRING_2_(x)
#define GPUOPT_MAJOR_ GPUOPT_STRING_(CUBLAS_VER_MAJOR)  // of cuBLAS, which is that of CUDA

// The ABI that this file was compiled against.
constexpr char kSoname[] = "libcublasLt.so." GPUOPT_MAJOR_;

// Where CUDA toolkits and distributions put it, after LD_LIBRARY_PATH and the toolkit of the build.
constexpr const char *kFolders[] = {
#if defined(GPUOPT_CUBLAS_DIR)
    GPUOPT_CUBLAS_DIR,
#endif
    "/usr/local/cuda/lib64",
    "/usr/local/cuda-" GPUOPT_MAJOR_ "/lib64",
    "/usr/local/cuda/lib",
#if defined(__aarch64__)
    "/usr/local/cuda/targets/sbsa-linux/lib",
    "/usr/lib/aarch64-linux-gnu",
#else
    "/usr/local/cuda/targets/x86_64-linux/lib",
    "/usr/lib/x86_64-linux-gnu",
#endif
    "/opt/cuda/lib64",
    "/usr/local/lib",
    "/usr/lib64",
    "/usr/lib",
};

constexpr char kPlaces[] = "the loaded libraries, LD_LIBRARY_PATH, "
#if defined(GPUOPT_CUBLAS_DIR)
    GPUOPT_CUBLAS_DIR ", "
#endif
                           "/usr/local/cuda/lib64, /usr/local/cuda-" GPUOPT_MAJOR_
                           "/lib64 and the system's library folders";

// Calls visit(path) for every readable file that could be the library, until it returns true.
template <class Visit>
bool any_candidate(Visit &&visit) {
  char path[4096];
  const auto try_folder = [&](const char *folder, size_t length) {
    // Never a relative folder: the current one is not a place to take code from.
    if (length == 0 || folder[0] != '/' || length + sizeof(kSoname) + 1 > sizeof(path)) return false;
    std::snprintf(path, sizeof(path), "%.*s/%s", static_cast<int>(length), folder, kSoname);
    return access(path, R_OK) == 0 && visit(path);
  };
  if (const char *list = secure_getenv("LD_LIBRARY_PATH")) {
    for (const char *begin = list;;) {
      const size_t length = std::strcspn(begin, ":;");
      if (try_folder(begin, length)) return true;
      if (begin[length] == '\0') break;
      begin += length + 1;
    }
  }
  for (const char *folder : kFolders) {
    if (try_folder(folder, std::strlen(folder))) return true;
  }
  return false;
}

constexpr int kOpenFlags = RTLD_LAZY | RTLD_LOCAL;

void *open_library() {
  // One that the application has loaded already is the one to share: two copies would hold two sets of
  // kernels.
  void *library = dlopen(kSoname, RTLD_NOLOAD | kOpenFlags);
  if (library == nullptr) library = dlopen(kSoname, kOpenFlags);
  if (library == nullptr) {
    any_candidate([&](const char *path) {
      library = dlopen(path, kOpenFlags);
      return library != nullptr;
    });
  }
  return library;
}

std::mutex g_mutex;
CublasLtApi g_api;  // written once, under g_mutex, before g_loaded points to it
std::atomic<const CublasLtApi *> g_loaded;

}  // namespace

int cublaslt_probe(char *where, size_t bytes) {
  if (void *library = dlopen(kSoname, RTLD_NOLOAD | kOpenFlags)) {
    dlclose(library);
    std::snprintf(where, bytes, "%s, already loaded", kSoname);
    return 1;
  }
  if (any_candidate([&](const char *path) {
        std::snprintf(where, bytes, "%s", path);
        return true;
      })) {
    return 1;
  }
  std::snprintf(where, bytes, "%s is not in %s", kSoname, kPlaces);
  return 0;
}

const CublasLtApi *cublaslt_load(char *error, size_t bytes) {
  if (const CublasLtApi *api = g_loaded.load(std::memory_order_acquire)) return api;
  const std::lock_guard<std::mutex> lock(g_mutex);
  if (const CublasLtApi *api = g_loaded.load(std::memory_order_relaxed)) return api;
  void *library = open_library();
  if (library == nullptr) {
    const char *reason = dlerror();
    std::snprintf(error, bytes, "%s could not be loaded (%s); looked in %s", kSoname,
                  reason != nullptr ? reason : "no reason given", kPlaces);
    return nullptr;
  }
#define GPUOPT_X_(member, symbol)                                                          \
  g_api.member = reinterpret_cast<decltype(g_api.member)>(dlsym(library, #symbol));        \
  if (g_api.member == nullptr) {                                                           \
    std::snprintf(error, bytes, "%s was loaded but has no function %s", kSoname, #symbol); \
    dlclose(library);                                                                      \
    return nullptr;                                                                        \
  }
  GPUOPT_CUBLASLT_API(GPUOPT_X_)
#undef GPUOPT_X_
  g_loaded.store(&g_api, std::memory_order_release);
  return &g_api;
}

}  // namespace gpuopt

#endif
