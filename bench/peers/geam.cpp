// Read column by column, our rows x cols source is a cols x rows matrix with leading dimension cols; its transpose is our
// destination read in the same way. Beta is 0: B is given, as geam demands, but not read.
#include "geam.h"

#include <memory>

#include "cublas_handle.h"
#include "gpuopt/gpuopt.h"

namespace gpuopt_bench {
Contender geam_contender(const OperandSets &sets, size_t src, size_t dst, int64_t rows, int64_t cols, int32_t type,
                         cudaStream_t stream) {
  auto handle = std::make_shared<CublasHandle>(stream);
  const int m = static_cast<int>(rows), n = static_cast<int>(cols);
  const auto call = [&sets, src, dst, m, n, type, handle](cudaStream_t, int set) {
    const void *from = sets.at(src, set);
    void *to = sets.at(dst, set);
    if (type == GPUOPT_F64) {
      const double one = 1, zero = 0;
      BENCH_BLAS(cublasDgeam(handle->get(), CUBLAS_OP_T, CUBLAS_OP_N, m, n, &one, static_cast<const double *>(from), n,
                             &zero, static_cast<const double *>(to), m, static_cast<double *>(to), m));
    } else {
      const float one = 1, zero = 0;
      BENCH_BLAS(cublasSgeam(handle->get(), CUBLAS_OP_T, CUBLAS_OP_N, m, n, &one, static_cast<const float *>(from), n,
                             &zero, static_cast<const float *>(to), m, static_cast<float *>(to), m));
    }
  };
  return {type == GPUOPT_F64 ? "cublasDgeam" : "cublasSgeam", call, nullptr};
}

}  // namespace gpuopt_bench
