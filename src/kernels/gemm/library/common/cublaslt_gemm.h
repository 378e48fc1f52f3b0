// Running a gemm problem through cuBLASLt: descriptors, algorithm and handle are found once per kind of
// problem and kept, so that a call costs one table look-up more than cublasLtMatmul itself. Free of
// cuBLASLt's own types.
#pragma once

#include "gpuopt/kernel.h"

namespace gpuopt {

// What cuBLASLt does to alpha * A * B + beta * C before it rounds: an optional bias vector, one value per
// column of the normal form.
struct CublasLtEpilogue {
  const gpuopt_operand *bias;  // nullptr: none
};

// Bytes of scratch of a call: cuBLASLt's workspace, within the problem's limit.
size_t cublaslt_scratch(const gpuopt_problem &problem);

// Loads the library, creates the device's handle and asks the heuristic for this problem's algorithm.
gpuopt_status cublaslt_prepare(const gpuopt_problem &problem, const gpuopt_launch &launch,
                               const CublasLtEpilogue &epilogue);

// The names of the heuristic's first 16 algorithms for this problem, with blanks between, into GPUOPT_ALGORITHMS_BYTES.
gpuopt_status cublaslt_algorithms(const gpuopt_problem &problem, const gpuopt_launch &launch,
                                  const CublasLtEpilogue &epilogue, char *text);

// Runs it; prepares first where that is still to be done and the stream is not being captured.
gpuopt_status cublaslt_run(const gpuopt_problem &problem, const gpuopt_launch &launch,
                           const CublasLtEpilogue &epilogue);

}  // namespace gpuopt
