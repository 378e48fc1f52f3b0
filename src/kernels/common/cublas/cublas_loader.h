// Finding and loading cuBLASLt and cuBLAS. cuBLASLt is 540 MB and takes 170 to 250 ms to load, so nothing is linked and
// nothing is loaded until a call is about to use it (build option DLOPEN); with LINK cuBLASLt is an ordinary
// dependency, with OFF neither is ever there. cuBLAS, which lies beside cuBLASLt and is built on it, is loaded when
// used in both. Needs no CUDA header: the entry points are in cublaslt_api.h and cublas_api.h.
#pragma once

#include <cstddef>

namespace gpuopt {

struct CublasApi;
struct CublasLtApi;

// 1 when cuBLASLt is loaded already or its file is where the loader would look, 0 when not. Loads nothing: about twenty
// file-system look-ups. where gets its path, or the places that were looked at.
int cublaslt_probe(char *where, size_t bytes);

// A library's entry points, loaded by the first call that succeeds and kept for good. nullptr: error gets the reason
// and the places that were looked at. Thread-safe.
const CublasLtApi *cublaslt_load(char *error, size_t bytes);
const CublasApi *cublas_load(char *error, size_t bytes);

}  // namespace gpuopt
