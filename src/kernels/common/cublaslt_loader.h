// Finding and loading cuBLASLt. The library is 540 MB and takes 170 to 250 ms to load, so nothing is linked
// and nothing is loaded until a call is about to use it (build option DLOPEN); with LINK it is an ordinary
// dependency, with OFF it is never there. Needs no CUDA header: the entry points are in cublaslt_api.h.
#ifndef GPUOPT_KERNELS_COMMON_CUBLASLT_LOADER_H
#define GPUOPT_KERNELS_COMMON_CUBLASLT_LOADER_H

#include <cstddef>

namespace gpuopt {

struct CublasLtApi;

// 1 when the library is loaded already or its file is where the loader would look, 0 when not. Loads nothing:
// about twenty file-system look-ups. where gets its path, or the places that were looked at.
int cublaslt_probe(char *where, size_t bytes);

// The library's entry points, loaded by the first call that succeeds and kept for good. nullptr: error gets
// the reason and the places that were looked at. Thread-safe.
const CublasLtApi *cublaslt_load(char *error, size_t bytes);

}  // namespace gpuopt

#endif
