// The products of a list, for kernels: the call's own list in device memory, or one of the host that is brought to scratch memory
// first, as offsets are (group_offsets.h).
#pragma once

#include "../common/group_list.h"
#include "common/index.cuh"

namespace gpuopt {

inline bool is_group_list(const gpuopt_problem &problem) { return (problem.features & GPUOPT_FEATURE_GROUP_LIST) != 0; }

// For launch(): at: group_words_bytes() of scratch memory.
gpuopt_status bring_group_products(const gpuopt_problem &problem, const gpuopt_launch *launch, void *at,
                                   const gpuopt_gemm_group **products);

// What a kernel reads of a list.
struct GroupList {
  using Product = GroupProduct;
  const gpuopt_gemm_group *products;
  int64_t count;
  GroupBounds bounds;

  __host__ __device__ Product at(int64_t i) const { return bounds.of(products[i]); }
  __host__ __device__ int64_t most_k() const { return bounds.k; }
};

// The operand of one product: as that of all, but for its place. A c that is absent stays so.
__host__ __device__ __forceinline__ View group_view(const View &of_all, const void *data, int64_t ld, bool rows) {
  return {const_cast<void *>(data), 0, rows ? ld : 1, rows ? 1 : ld, of_all.dtype};
}

}  // namespace gpuopt
