// Where the groups of a grouped product begin, for kernels: the call's own numbers in device memory, or numbers of the host that
// are brought to scratch memory first.
#pragma once

#include "common/index.cuh"

namespace gpuopt {

struct GroupOffsets {
  const void *data;
  int64_t step;  // elements
  bool wide;     // int64_t; else int32_t
  int64_t rows;  // what lies beyond counts as this

  __host__ __device__ int64_t at(int64_t i) const {
    const int64_t row =
        wide ? static_cast<const int64_t *>(data)[i * step] : int64_t{static_cast<const int32_t *>(data)[i * step]};
    return row < 0 ? 0 : row > rows ? rows : row;
  }
  // Of numbers that ascend the group of a row, which may begin before the first or lie behind the last: -1, groups.
  __host__ __device__ int64_t group_of(int64_t row, int64_t groups) const {
    int64_t least = -1, most = groups + 1;  // offsets[least] <= row < offsets[most], as if those existed
    while (most - least > 1) {
      const int64_t middle = least + (most - least) / 2;
      if (at(middle) <= row)
        least = middle;
      else
        most = middle;
    }
    return least;
  }
};

// Bytes of scratch that numbers of the host take, offsets or products; a multiple of 256. And the time that they take.
size_t group_words_bytes(const gpuopt_problem &problem);
double group_words_us(const gpuopt_problem &problem);
// For prepare() and launch(): at: group_words_bytes() of scratch memory.
gpuopt_status load_group_words(const gpuopt_problem &problem, const gpuopt_launch *launch);
gpuopt_status bring_group_offsets(const gpuopt_problem &problem, const gpuopt_launch *launch, void *at,
                                  GroupOffsets *offsets);

// Of A, D and the matrices of as many groups as can have rows.
double grouped_bytes(const gpuopt_problem &problem);

}  // namespace gpuopt
