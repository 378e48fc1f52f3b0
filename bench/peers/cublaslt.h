// cuBLASLt called directly, as a careful user would: descriptors built once, 64 MiB of workspace, the algorithm cached.
#pragma once
#include <cublasLt.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "../core/timing.h"
#include "gemm_problem.h"

namespace gpuopt_bench {

class CublasLt {
 public:
  // Throws Refused when cuBLASLt has no algorithm. accurate_split: split-K may hand sums over in their own type only, as
  // gpuopt asks of it.
  CublasLt(const GemmProblem &problem, bool accurate_split);
  ~CublasLt();
  CublasLt(const CublasLt &) = delete;
  CublasLt &operator=(const CublasLt &) = delete;

  size_t algorithms() const { return algorithms_.size(); }  // at most 16, the heuristic's first choice first
  // As gpuopt_algorithms() names it, where no two are alike.
  std::string name(size_t algorithm) const;
  // more: the vector or matrix of the problem's end.
  void run(size_t algorithm, const void *a, const void *b, void *d, cudaStream_t stream,
           const void *more = nullptr) const;

 private:
  void describe(const GemmProblem &problem);
  void choose(bool accurate_split);
  void release();
  cublasLtHandle_t handle_ = nullptr;
  cublasLtMatmulDesc_t operation_ = nullptr;
  cublasLtMatrixLayout_t a_ = nullptr, b_ = nullptr, d_ = nullptr;
  std::vector<cublasLtMatmulHeuristicResult_t> algorithms_;
  DeviceMemory workspace_;
  bool adds_vector_ = false, adds_matrix_ = false;
  bool f64_scalars_ = false, i32_scalars_ = false, f16_scalars_ = false;
};

// A contender that calls algorithm number `algorithm` on operands 0 (A), 1 (B), 2 (D), and 3 (of its end) of the sets.
Contender cublaslt_contender(const char *name, std::shared_ptr<const CublasLt> lt, size_t algorithm,
                             const OperandSets &sets);

}  // namespace gpuopt_bench
