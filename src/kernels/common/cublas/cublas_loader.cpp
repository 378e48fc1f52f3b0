#include "common/cublas/cublas_loader.h"

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

const CublasApi *cublas_load(char *error, size_t bytes) {
  std::snprintf(error, bytes, "%s", kOff);
  return nullptr;
}

}  // namespace gpuopt

#else

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "common/cublas/cublas_api.h"
#include "common/cublas/cublaslt_api.h"

namespace gpuopt {

namespace {

#define GPUOPT_STRING_2_(x) #x
#define GPUOPT_STRING_(x) GPUOPT_STRING_2_(x)
#define GPUOPT_MAJOR_ GPUOPT_STRING_(CUBLAS_VER_MAJOR)  // of cuBLAS, which is that of CUDA

// The ABI that this file was compiled against.
#if !defined(GPUOPT_CUBLAS_LINK)
constexpr char kCublasLt[] = "libcublasLt.so." GPUOPT_MAJOR_;
#endif
constexpr char kCublas[] = "libcublas.so." GPUOPT_MAJOR_;

// Where CUDA toolkits and distributions put them, after LD_LIBRARY_PATH and the toolkit of the build.
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
bool any_candidate(const char *soname, Visit &&visit) {
  char path[4096];
  const auto try_folder = [&](const char *folder, size_t length) {
    // Never a relative folder: the current one is not a place to take code from.
    const size_t name_bytes = std::strlen(soname) + 1;
    if (length == 0 || folder[0] != '/' || length + 1 + name_bytes > sizeof(path)) return false;
    std::memcpy(path, folder, length);
    path[length] = '/';
    std::memcpy(path + length + 1, soname, name_bytes);
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

void *open_library(const char *soname) {
  // One that the application has loaded already is the one to share: two copies would hold two sets of
  // kernels.
  void *library = dlopen(soname, RTLD_NOLOAD | kOpenFlags);
  if (library == nullptr) library = dlopen(soname, kOpenFlags);
  if (library == nullptr) {
    any_candidate(soname, [&](const char *path) {
      library = dlopen(path, kOpenFlags);
      return library != nullptr;
    });
  }
  return library;
}

bool find_function(void *library, const char *soname, const char *name, void **function, char *error, size_t bytes) {
  *function = dlsym(library, name);
  if (*function != nullptr) return true;
  std::snprintf(error, bytes, "%s was loaded but has no function %s", soname, name);
  return false;
}

#define GPUOPT_FIND_(member, symbol)                                                \
  if (!find_function(library, soname, #symbol, &found, error, bytes)) return false; \
  api->member = reinterpret_cast<decltype(api->member)>(found);
#define GPUOPT_FIND_ALL_(Api, TABLE)                                                      \
  bool find_all(void *library, const char *soname, Api *api, char *error, size_t bytes) { \
    void *found = nullptr;                                                                \
    TABLE(GPUOPT_FIND_)                                                                   \
    return true;                                                                          \
  }
#if !defined(GPUOPT_CUBLAS_LINK)
GPUOPT_FIND_ALL_(CublasLtApi, GPUOPT_CUBLASLT_API)
#endif
GPUOPT_FIND_ALL_(CublasApi, GPUOPT_CUBLAS_API)
#undef GPUOPT_FIND_ALL_
#undef GPUOPT_FIND_

std::mutex g_mutex;  // for loading

template <class Api>
struct Library {
  Api api;  // written once, under g_mutex, before loaded points to it
  std::atomic<const Api *> loaded;

  const Api *load(const char *soname, char *error, size_t bytes) {
    if (const Api *ready = loaded.load(std::memory_order_acquire)) return ready;
    const std::lock_guard<std::mutex> lock(g_mutex);
    if (const Api *ready = loaded.load(std::memory_order_relaxed)) return ready;
    void *library = open_library(soname);
    if (library == nullptr) {
      const char *reason = dlerror();
      std::snprintf(error, bytes, "%s could not be loaded (%s); looked in %s", soname,
                    reason != nullptr ? reason : "no reason given", kPlaces);
      return nullptr;
    }
    if (!find_all(library, soname, &api, error, bytes)) {
      dlclose(library);
      return nullptr;
    }
    loaded.store(&api, std::memory_order_release);
    return &api;
  }
};

Library<CublasApi> g_cublas;

}  // namespace

#if defined(GPUOPT_CUBLAS_LINK)

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

#else

namespace {
Library<CublasLtApi> g_cublaslt;
}

int cublaslt_probe(char *where, size_t bytes) {
  if (void *library = dlopen(kCublasLt, RTLD_NOLOAD | kOpenFlags)) {
    dlclose(library);
    std::snprintf(where, bytes, "%s, already loaded", kCublasLt);
    return 1;
  }
  if (any_candidate(kCublasLt, [&](const char *path) {
        std::snprintf(where, bytes, "%s", path);
        return true;
      })) {
    return 1;
  }
  std::snprintf(where, bytes, "%s is not in %s", kCublasLt, kPlaces);
  return 0;
}

const CublasLtApi *cublaslt_load(char *error, size_t bytes) { return g_cublaslt.load(kCublasLt, error, bytes); }

#endif

const CublasApi *cublas_load(char *error, size_t bytes) {
  // cuBLAS needs cuBLASLt, and finds one that is loaded already wherever it came from.
  if (cublaslt_load(error, bytes) == nullptr) return nullptr;
  return g_cublas.load(kCublas, error, bytes);
}

}  // namespace gpuopt

#endif
