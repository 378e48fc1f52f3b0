// Rows of kernels that are launched early (common/dependent_launch.cuh). Few rows cost latencies, not bytes: a launch's, that of
// x, that of weights. Blocks come up while what precedes them in the stream still runs, ask the second-level cache for their
// rows, the first for the weights, and then wait. Later ones than run at once have neighbours to hide behind.
#pragma once

#include "common/wait_for_stream.cuh"
#include "norm/common/row_work.cuh"

namespace gpuopt {

__device__ __forceinline__ void ask_for(const void *sector) { asm volatile("prefetch.global.L2 [%0];" ::"l"(sector)); }

// By thread number rank of size, of row i of matrix p. Before the first access.
template <class T>
__device__ __forceinline__ void wait_with_row(const RowWork<T> &work, int32_t p, int32_t i, int32_t rank,
                                              int32_t size) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  if (work.early_blocks == 0) return;
  allow_successor();
  const auto ask = [&](const View &view, int32_t row) {
    if (view.dtype == 0) return;
    const int32_t element = view.dtype == GPUOPT_F32 ? 4 : sizeof(T);
    const int64_t bytes = int64_t{work.cols} * element;  // 2 GB and more of a long row
    const auto *const from =
        static_cast<const char *>(view.data) + (p * view.batch_step + row * view.row_step) * element;
#pragma unroll 1
    for (int64_t at = rank * 32; at < bytes; at += size * 32) ask_for(from + at);
    if (rank == 0) ask_for(from + bytes - element);  // a sector more, where the row begins within one
  };
  if (blockIdx.x < work.early_blocks) {
    ask(work.x, i);
    ask(work.residual, i);
  }
  if (i == 0 && p == 0) {  // once: all blocks would wait for the same few lines
    ask(work.gamma, 0);
    ask(work.beta, 0);
  }
  wait_for_predecessors();
#endif
}

}  // namespace gpuopt
