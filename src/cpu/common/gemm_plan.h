/* How gemm_cpu_blocked cuts a problem: blocks of k, panels of B, parts of A's rows, copies, scratch. */
#pragma once

#include "gpuopt/kernel.h"
#include "isa/gemm.h"
#include "isa/gemm_pack.h"
#include "tasks.h"

namespace gpuopt {
namespace cpu {

constexpr int64_t kPackedBytes = int64_t(32) << 20; /* of A at a time */
constexpr int64_t kRowsWithoutPacking = 72;         /* so few rows do not repay copying B */
constexpr int64_t kSumRows = 384;                   /* rows of fp32 sums beside a 16-bit D */
constexpr int64_t kChunkRows = 96;                  /* rows finished at a time, while they are in the cache */
constexpr int64_t kVectorChunk = 1024;              /* results of a matrix-vector task */
constexpr double kFlopsPerThread = 1.5e6;           /* less is not worth waking a thread for */

template <class T>
constexpr int32_t type_of() {
  return sizeof(T) == 4 ? GPUOPT_F32 : GPUOPT_F64;
}

static inline int isa_of(const gpuopt_problem &q) { return host_facts(q).isa; }

static inline int threads_for(const gpuopt_problem &q) {
  return threads_for(q, 2.0 * double(q.m) * double(q.n) * double(q.k) * double(q.batch) / kFlopsPerThread);
}

/* With GPUOPT_FEATURE_BATCH_INVARIANT a row's bits may not depend on how many there are: a product of one row or column is
 * summed as every other, and alpha and C meet whole sums, as tiles of other shapes may round their parts differently. */
static inline bool is_batch_invariant(const gpuopt_problem &q) {
  return (q.features & GPUOPT_FEATURE_BATCH_INVARIANT) != 0;
}

/* How a problem is cut, from its extents, types and layouts and the device's facts. */
template <class T>
struct Plan {
  const gpuopt_problem &q;
  const GemmIsa<T> &isa;
  Packer packer;
  int threads;
  int64_t k_block, k_blocks;
  int64_t panels, row_parts, part_rows;
  bool vector, pack_a, copy_b, sums_aside;
  int64_t packed_ld, packed_rows, packed_group; /* of A: rows of one matrix, and matrices, at a time */
  int64_t packed_bytes, panel_bytes, sums_bytes, temp_bytes;

  explicit Plan(const gpuopt_problem &problem)
      : q(problem),
        isa(gemm_isa<T>(isa_of(problem))),
        packer{&rows_isa(isa_of(problem)), &transpose_isa(isa_of(problem))},
        threads(threads_for(problem)) {
    const gpuopt_matrix &a = q.operand[GPUOPT_OPERAND_A].m, &b = q.operand[GPUOPT_OPERAND_B].m;
    const bool plain = a.dtype == type_of<T>(), direct_d = q.operand[GPUOPT_OPERAND_D].m.dtype == type_of<T>();
    vector = (q.m == 1 || q.n == 1) && plain && direct_d && !is_batch_invariant(q);
    k_blocks = most(1, ceil_div(q.k, isa.k_block));
    k_block = most(1, round_up(ceil_div(q.k, k_blocks), 8));
    k_blocks = most(1, ceil_div(q.k, k_block));
    panels = ceil_div(q.n, isa.panel_columns);

    pack_a = !plain || a.layout != GPUOPT_ROW;
    packed_ld = k_block + 64 / int64_t(sizeof(T)); /* rows one cache line apart from a power of two */
    const int64_t row_bytes = k_blocks * packed_ld * int64_t(sizeof(T));
    packed_rows = pack_a ? least(q.m, most(kChunkRows, kPackedBytes / row_bytes / kChunkRows * kChunkRows)) : q.m;
    packed_group = pack_a ? least(q.batch, most(1, kPackedBytes / (packed_rows * row_bytes))) : q.batch;
    packed_bytes = pack_a ? packed_group * packed_rows * row_bytes : 0;

    sums_aside = !direct_d || is_batch_invariant(q);  // whatever alpha is: the scratch memory of a plan serves any
    const int64_t units = packed_group * panels;
    row_parts = threads > 1 && units < 4 * threads ? ceil_div(4 * threads, units) : 1;
    part_rows = most(round_up(ceil_div(packed_rows, row_parts), isa.tile_rows), 8 * isa.tile_rows);
    if (sums_aside) part_rows = least(part_rows, kSumRows);
    row_parts = ceil_div(packed_rows, part_rows);
    copy_b = !plain || b.layout != GPUOPT_ROW || least(part_rows, q.m) > kRowsWithoutPacking;

    panel_bytes = k_block * isa.panel_columns * int64_t(sizeof(T));
    sums_bytes = sums_aside ? part_rows * isa.panel_columns * int64_t(sizeof(T)) : 0;
    temp_bytes = plain ? 0 : kPackRows * most(k_block, kChunkRows) * int64_t(sizeof(T));
    if (vector) {
      packed_bytes = round_up(q.k * int64_t(sizeof(T)), 64) * q.batch;
      panel_bytes = kVectorChunk * int64_t(sizeof(T));
    }
  }

  int64_t worker_bytes() const { return round_up(panel_bytes + sums_bytes + temp_bytes, 4096); }
  size_t scratch_bytes() const { return size_t(round_up(packed_bytes, 4096) + threads * worker_bytes()); }
};

}  // namespace cpu
}  // namespace gpuopt
