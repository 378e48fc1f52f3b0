// A plan: everything about one kind of problem that does not change from call to call. Behind
// cublaslt_gemm.h.
#pragma once

#include <atomic>
#include <memory>

#include "common/cublas/cublas_call.h"
#include "common/cublas/cublaslt_api.h"
#include "gemm/library/common/cublaslt_gemm.h"

namespace gpuopt {

// All that the descriptors and the heuristic depend on. No padding: it is hashed and compared as words.
struct CublasLtKey {
  static constexpr int kWords = 16;
  int64_t m, n, k, batch;
  int64_t ld[4], stride[4];
  uint64_t types;   // data types, compute, layouts, which optional parts there are, device
  uint64_t aligns;  // log2, of A, B, C, D and the bias
  uint64_t workspace;
  uint64_t algorithm;  // the address of its name, which stays; 0: the heuristic's first
};
static_assert(sizeof(CublasLtKey) == CublasLtKey::kWords * sizeof(uint64_t), "CublasLtKey has padding");

// Descriptors are held by value and only read once the plan is published; cuBLASLt's functions take them
// non-const.
struct CublasLtPlan {
  CublasLtKey key;
  CublasLtPlan *next;  // in its bucket
  const CublasLtApi *api;
  cublasLtHandle_t handle;
  cublasStatus_t refusal;  // not SUCCESS: cuBLASLt has no algorithm for this problem, or not the one that is named
  cublasLtMatmulDescOpaque_t desc;
  cublasLtMatrixLayoutOpaque_t a, b, c, d;  // the problem's operands
  cublasLtMatmulAlgo_t algo;
  std::atomic<bool> ran;  // its kernel's module is loaded
};

// The plan for this problem, made where there is none yet; NOT_CAPTURABLE where that would have to happen
// inside a capture. unkept holds a plan that the table has no room for.
gpuopt_status cublaslt_plan(const gpuopt_problem &problem, const gpuopt_launch &launch,
                            const CublasLtEpilogue &epilogue, std::unique_ptr<CublasLtPlan> *unkept,
                            CublasLtPlan **found);

// What the heuristic offers for the plan's problem, at most 16 and all of them usable, its first choice first.
struct CublasLtOffer {
  static constexpr int kMost = 16;
  cublasLtMatmulHeuristicResult_t results[kMost];
  int count;
};
cublasStatus_t cublaslt_offer(const gpuopt_problem &problem, const CublasLtEpilogue &epilogue, const CublasLtPlan &plan,
                              CublasLtOffer *offer);

// Sets the pointers that differ from call to call in a copy of the plan's desc.
cublasStatus_t cublaslt_set_pointers(const CublasLtApi &api, cublasLtMatmulDesc_t desc, const gpuopt_problem &problem,
                                     const void *bias);

inline bool cublaslt_reads_c(const gpuopt_problem &p) { return (p.features & GPUOPT_FEATURE_BETA) != 0; }

gpuopt_status cublaslt_fail_with(const CublasLtApi &api, const gpuopt_launch &launch, const char *what,
                                 cublasStatus_t code);

}  // namespace gpuopt
