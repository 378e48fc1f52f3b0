// A call of the component in its own terms: which rows are whose, what a partial product is made of, and the calls of the
// core that compute a part of it.
#pragma once
#include <string>
#include <vector>

#include "gpuopt/dist.h"

namespace gpuopt::dist {

struct Rows {
  int64_t begin, count;
};

struct Problem {
  int32_t op = 0;
  int32_t rank = 0, size = 1;
  gpuopt_gemm_args args = GPUOPT_GEMM_ARGS_INIT;  // the caller's, strides and leading dimensions written out
  int64_t m = 0, n = 0, k = 0;                    // of the whole product; k: this rank's
  gpuopt_dtype partial = 0;                       // of a partial product, as it travels
  int64_t a_batch = 1;                            // matrices of A that there really are

  bool gathers() const { return op == GPUOPT_DIST_ALL_GATHER_GEMM; }
  bool reduces_all() const { return op == GPUOPT_DIST_GEMM_ALL_REDUCE; }
  Rows rows(int32_t of_rank) const;
  Rows chunk(int32_t of_rank, int32_t index, int32_t chunks) const;
  // Bytes of one row of all matrices of a batch, as it travels: of A, of a partial product, of D.
  size_t a_row_bytes() const;
  size_t partial_row_bytes() const;
  size_t d_row_bytes() const;
  // Where rows begin in D: D of reduce_scatter has this rank's rows only.
  int64_t d_row(int64_t row) const;
};

const char *dist_op_name(int32_t op);

// Checks all that the core does of the whole product, so that no part of it is refused when others wait for it; and sizes
// between the operands of different ranks, and what the op does not take. needs_data: no operand may be NULL.
gpuopt_status make_problem(const char *function, int32_t op, const gpuopt_gemm_args *args, int32_t rank, int32_t size,
                           bool needs_data, Problem *out);

// `count` rows from `first` on of a matrix, or of a batch of them.
gpuopt_matrix row_view(const gpuopt_matrix &matrix, int64_t first, int64_t count);
// A block of rows x cols, matrix after matrix, at this address.
gpuopt_matrix packed_block(const void *data, int64_t rows, int64_t cols, gpuopt_dtype dtype);
// The stages, their operands cut to these rows.
std::vector<gpuopt_stage> stage_rows(const Problem &p, int64_t first, int64_t count);

// What every rank must agree on, in a fixed size that can be compared and sent, and in words.
struct Digest {
  char text[384];
};
Digest digest_of(const Problem &p, const std::string &forced_plan);

}  // namespace gpuopt::dist
