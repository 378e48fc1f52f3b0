/* transpose_cpu_blocked: register tiles, whole cache lines of the destination, on all threads.
 *
 * Idea: a square tile of as many rows as a vector has elements (16 x 16 of 4 bytes with AVX-512) is transposed in
 * registers. As many source rows as a cache line has elements are read side by side, so each line of the destination is
 * written whole; a block is at most 512 bytes wide, so that the pages it writes stay in the TLB. Large results with
 * rows on cache lines are streamed past the caches. In place: two mirrored blocks swap through a buffer on the stack.
 *
 * Needs: nothing: element sizes 1, 2, 4, 8, 16, any strides, batches, COPY (rows moved as they are), IN_PLACE.
 * Measured once, not in a record (one thread of an AMD EPYC of Zen 5, gcc 12 -O3, AVX-512, f32), GB/s read and written:
 * 57 at 512 x 512, 27 at 1024 x 1024, 25 at 4096 x 4096 and 22 at 4099 x 4099, where memcpy of 64 MiB gets 31 to 41.
 */
#include <string.h>

#include "common/host_kernel.h"
#include "common/isa/transpose.h"
#include "common/tasks.h"
#include "common/thread_pool.h"
#include "common/views.h"
#include "gpuopt/kernel.h"

namespace gpuopt {
namespace cpu {
namespace {

/* Blocks: tall ones write long pieces of few rows, which suits data in the caches; wider ones, data in memory. */
constexpr int64_t kCachedRows = 512, kCachedColBytes = 128;
constexpr int64_t kStreamRows = 256, kStreamColBytes = 512;
constexpr int64_t kCopyRows = 128;
constexpr int64_t kStreamBytes = int64_t(8) << 20;  /* results larger than this go past the caches */
constexpr int64_t kThreadBytes = int64_t(64) << 10; /* less is not worth waking a thread for */
constexpr int64_t kSwapBytes = 16384;               /* an in-place block */

struct Transpose {
  const gpuopt_problem &q;
  View src, dst;
  int64_t element;
  TransposeBlock block;
  int threads;
  bool stream;

  explicit Transpose(const gpuopt_problem &problem)
      : q(problem),
        src(view_of(problem.operand[GPUOPT_OPERAND_SRC])),
        dst(view_of(problem.operand[GPUOPT_OPERAND_DST])),
        element(dtype_size(src.dtype)),
        block(transpose_isa(host_facts(q).isa).block[__builtin_ctzll(uint64_t(element))]) {
    const int64_t bytes = q.m * q.n * q.batch * element;
    threads = threads_for(q, double(bytes) / double(kThreadBytes));
    stream = bytes > kStreamBytes;
  }

  char *at(const View &view, int64_t i, int64_t j, int64_t p) const {
    return static_cast<char *>(view.data) + index_of(view, i, j, p) * element;
  }

  void out_of_place() const {
    const int64_t block_rows = stream ? kStreamRows : kCachedRows;
    const int64_t block_cols = (stream ? kStreamColBytes : kCachedColBytes) / element;
    const int64_t row_blocks = ceil_div(q.m, block_rows), col_blocks = ceil_div(q.n, block_cols);
    auto work = [&](int64_t index, int) {
      const int64_t p = index / (row_blocks * col_blocks);
      const int64_t i = index / col_blocks % row_blocks * block_rows, j = index % col_blocks * block_cols;
      block(at(dst, j, i, p), dst.row_step, at(src, i, j, p), src.row_step, least(block_rows, q.m - i),
            least(block_cols, q.n - j), stream);
    };
    parallel_for(threads, q.batch * row_blocks * col_blocks, work);
  }

  /* Both sides keep their memory order: rows are copied, or, packed on both sides, whole matrices in parts. */
  void copy() const {
    const bool packed = src.row_step == q.n && dst.row_step == q.n;
    const int64_t rows = packed ? 1 : q.m, cols = packed ? q.m * q.n : q.n;
    const int64_t part = packed ? 65536 : cols, parts = packed ? ceil_div(cols, part) : ceil_div(rows, kCopyRows);
    auto work = [&](int64_t index, int) {
      const int64_t p = index / parts, which = index % parts;
      if (packed) {
        memcpy(at(dst, 0, which * part, p), at(src, 0, which * part, p),
               size_t(least(part, cols - which * part) * element));
        return;
      }
      for (int64_t i = which * kCopyRows; i < least(rows, (which + 1) * kCopyRows); ++i)
        memcpy(at(dst, i, 0, p), at(src, i, 0, p), size_t(cols * element));
    };
    parallel_for(threads, q.batch * parts, work);
  }

  void in_place() const {
    const int64_t edge = element <= 4 ? 64 : 32, blocks = ceil_div(q.n, edge);
    auto work = [&](int64_t index, int) {
      const int64_t p = index / blocks, i = index % blocks * edge, rows = least(edge, q.n - i);
      alignas(64) char saved[kSwapBytes];
      for (int64_t j = i; j < q.n; j += edge) {
        const int64_t cols = least(edge, q.n - j);
        char *upper = at(src, i, j, p), *lower = at(src, j, i, p);
        block(saved, edge, upper, src.row_step, rows, cols, false);
        if (i != j) block(upper, src.row_step, lower, src.row_step, cols, rows, false);
        for (int64_t r = 0; r < cols; ++r)
          memcpy(lower + r * src.row_step * element, saved + r * edge * element, size_t(rows * element));
      }
    };
    parallel_for(threads, q.batch * blocks, work);
  }
};

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *) {
  if (problem->m == 0 || problem->n == 0 || problem->batch == 0) return GPUOPT_OK;
  const Transpose transpose(*problem);
  if (problem->features & GPUOPT_FEATURE_COPY)
    transpose.copy();
  else if (problem->features & GPUOPT_FEATURE_IN_PLACE)
    transpose.in_place();
  else
    transpose.out_of_place();
  return GPUOPT_OK;
}

/* Somewhat below what a copy gets from memory. */
double predict_us(const gpuopt_problem *problem) {
  const double bytes = 2.0 * elements_of(*problem) * double(dtype_size(problem->operand[GPUOPT_OPERAND_SRC].m.dtype));
  return 0.5 + bytes / (0.6 * host_facts(*problem).gbs * 1e3);
}

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel kernel = host_kernel(GPUOPT_OP_TRANSPOSE, "transpose_cpu_blocked",
                                     "CPU: register tiles, whole cache lines written, large results streamed, threaded",
                                     kAnySignature, predict_us, launch);
  kernel.understands |= GPUOPT_FEATURE_COPY | GPUOPT_FEATURE_IN_PLACE;
  return kernel;
}

constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace cpu
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::cpu::kKernels);
