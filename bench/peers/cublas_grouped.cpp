// As in cublas.cpp a row-major product is the column-major product of the transposes in reverse order: cuBLAS's first operand
// is our B, its m is our n.
#include "cublas_grouped.h"

#include <memory>

#include "cublas_handle.h"
#include "gemm_problem.h"

namespace gpuopt_bench {
namespace {

struct Groups {
  explicit Groups(cudaStream_t stream) : handle(stream) {}

  CublasHandle handle;
  std::vector<cublasOperation_t> ops;
  std::vector<int> m, n, k, size;
  std::vector<float> one, zero;
  std::vector<DeviceMemory> pointers;  // of a set: of all A, then of all B, then of all D
};

}  // namespace

Contender cublas_grouped_contender(int32_t type, const std::vector<GroupShape> &groups, const OperandSets &sets,
                                   cudaStream_t stream) {
  const auto g = std::make_shared<Groups>(stream);
  std::vector<GroupShape> present;
  for (const GroupShape &shape : groups)
    if (shape.m > 0) present.push_back(shape);
  const size_t count = present.size();
  g->ops.assign(count, CUBLAS_OP_N);
  g->size.assign(count, 1);
  g->one.assign(count, 1);
  g->zero.assign(count, 0);
  for (const GroupShape &shape : present) {
    g->m.push_back(static_cast<int>(shape.n));
    g->n.push_back(static_cast<int>(shape.m));
    g->k.push_back(static_cast<int>(shape.k));
  }
  for (int set = 0; set < sets.sets(); ++set) {
    std::vector<const void *> all;
    const auto at = [&](size_t operand, int64_t element) {
      return static_cast<const char *>(sets.at(operand, set)) + element * 2;
    };
    for (const GroupShape &shape : present) all.push_back(at(1, shape.b));
    for (const GroupShape &shape : present) all.push_back(at(0, shape.a));
    for (const GroupShape &shape : present) all.push_back(at(2, shape.d));
    g->pointers.emplace_back(all.size() * sizeof(void *));
    BENCH_CUDA(cudaMemcpy(g->pointers.back().data(), all.data(), all.size() * sizeof(void *), cudaMemcpyHostToDevice));
  }
  const cudaDataType_t cuda_type = data_type(type);
  const auto call = [g, count, cuda_type](cudaStream_t, int set) {
    void **const pointers = static_cast<void **>(g->pointers[static_cast<size_t>(set)].data());
    BENCH_BLAS(cublasGemmGroupedBatchedEx(
        g->handle.get(), g->ops.data(), g->ops.data(), g->m.data(), g->n.data(), g->k.data(), g->one.data(), pointers,
        cuda_type, g->m.data(), pointers + count, cuda_type, g->k.data(), g->zero.data(), pointers + 2 * count,
        cuda_type, g->m.data(), static_cast<int>(count), g->size.data(), CUBLAS_COMPUTE_32F));
  };
  return {"cublasGemmGroupedBatchedEx", call, nullptr};
}

}  // namespace gpuopt_bench
