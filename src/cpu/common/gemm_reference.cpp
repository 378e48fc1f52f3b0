/* The idea: turn whatever the operands are into doubles, a small tile at a time, and multiply those plainly.
 * A tile of 32 x 32 sums walks k in chunks of 32; the chunk of A and of B is converted into two arrays on
 * the stack (8 KiB each), so each element is converted once for 32 uses. Eight products are summed plainly, then added to
 * the running sum with what that addition rounds away kept on the side: the error is a few units in the last
 * place however long k is, and the tests can hold fp64 kernels against it. I8 products are exact in double up
 * to k = 2^38, so compute I32 is the same sum, wrapped to 32 bits before the epilogue. TF32 and the like take
 * the inputs as they are: the reference is what those modes approximate. */
#include "gemm_reference.h"

#include <cmath>

#include "../../common/block_scales.h"
#include "chain.h"
#include "tasks.h"
#include "views.h"

namespace gpuopt {
namespace cpu {
namespace {

constexpr int64_t kTile = 32;  /* rows and columns of D at a time */
constexpr int64_t kChunk = 32; /* of k converted at a time; a multiple of kGroup */
constexpr int64_t kGroup = 8;  /* of k summed plainly at a time */

double scale_of(const gpuopt_operand &operand) { return operand.m.scale ? *operand.m.scale : 1.0; }

/* What element (i, j) of matrix p of a factor is multiplied by. */
class FactorScales {
 public:
  explicit FactorScales(const gpuopt_operand &operand)
      : one_(has_block_scales(operand.m) ? 1 : scale_of(operand)), blocks_(block_scales(operand.m)) {}
  double at(int64_t i, int64_t j, int64_t p) const {
    return blocks_.data ? double(blocks_.data[blocks_.offset(p, i, j)]) : one_;
  }

 private:
  double one_;
  BlockScales blocks_;
};

/* alpha or beta: the pointer wins. */
double scalar(const gpuopt_problem &problem, double value, const void *pointer) {
  if (!pointer) return value;
  const bool wide = problem.compute == GPUOPT_COMPUTE_F64 || problem.compute == GPUOPT_COMPUTE_I32;
  return wide ? *static_cast<const double *>(pointer) : double(*static_cast<const float *>(pointer));
}

double wrap_to_i32(double integer) { return double(int32_t(uint32_t(int64_t(integer)))); }

struct Tile {
  int64_t i, j, p, rows, cols; /* its first element, its matrix, its extents */
};

/* What the tile's elements have so far: exactly sum + lost, but for the rounding inside a group. */
struct Sums {
  double sum[kTile][kTile], lost[kTile][kTile];
};

/* Once a sum is infinite or NaN there is nothing lost to speak of, and the formula for it yields NaN. */
double total(const Sums &sums, int64_t r, int64_t c) {
  return std::isfinite(sums.sum[r][c]) ? sums.sum[r][c] + sums.lost[r][c] : sums.sum[r][c];
}

/* One row of the tile: adds partial to it (Knuth's two-sum). */
void add_row(const double (&partial)[kTile], double (&sum)[kTile], double (&lost)[kTile]) {
  for (int64_t c = 0; c < kTile; ++c) {
    const double next = sum[c] + partial[c], added = next - sum[c];
    lost[c] += (sum[c] - (next - added)) + (partial[c] - added);
    sum[c] = next;
  }
}

/* Element (r, c): row i + r of A times column j + c of B. */
void multiply_tile(const gpuopt_problem &problem, const Tile &tile, Sums &sums) {
  const View a = view_of(problem.operand[GPUOPT_OPERAND_A]), b = view_of(problem.operand[GPUOPT_OPERAND_B]);
  const FactorScales a_scales(problem.operand[GPUOPT_OPERAND_A]), b_scales(problem.operand[GPUOPT_OPERAND_B]);
  double a_chunk[kTile][kChunk], b_chunk[kChunk][kTile] = {}; /* columns past the edge stay zero and go nowhere */

  for (int64_t first = 0; first < problem.k; first += kChunk) {
    const int64_t depth = least(kChunk, problem.k - first);
    for (int64_t r = 0; r < tile.rows; ++r)
      for (int64_t t = 0; t < depth; ++t)
        a_chunk[r][t] = load_at(a, tile.i + r, first + t, tile.p) * a_scales.at(tile.i + r, first + t, tile.p);
    for (int64_t t = 0; t < depth; ++t)
      for (int64_t c = 0; c < tile.cols; ++c)
        b_chunk[t][c] = load_at(b, first + t, tile.j + c, tile.p) * b_scales.at(first + t, tile.j + c, tile.p);
    for (int64_t r = 0; r < tile.rows; ++r)
      for (int64_t group = 0; group < depth; group += kGroup) {
        double partial[kTile] = {};
        for (int64_t t = group; t < least(group + kGroup, depth); ++t)
          for (int64_t c = 0; c < kTile; ++c) partial[c] += a_chunk[r][t] * b_chunk[t][c];
        add_row(partial, sums.sum[r], sums.lost[r]);
      }
  }
}

}  // namespace

void reference_gemm_rows(const gpuopt_problem &problem, int64_t p, int64_t first, int64_t end) {
  const gpuopt_operand &c_operand = problem.operand[GPUOPT_OPERAND_C], &d_operand = problem.operand[GPUOPT_OPERAND_D];
  const View c_view = view_of(c_operand), d_view = view_of(d_operand);
  const double alpha = scalar(problem, problem.alpha, problem.alpha_ptr);
  const double beta = scalar(problem, problem.beta, problem.beta_ptr);
  const bool reads_c = beta != 0 && c_operand.m.dtype != 0;
  const double c_scale = reads_c ? scale_of(c_operand) : 1, d_scale = scale_of(d_operand);

  for (int64_t i = first; i < end; i += kTile)
    for (int64_t j = 0; j < problem.n; j += kTile) {
      const Tile tile = {i, j, p, least(kTile, end - i), least(kTile, problem.n - j)};
      Sums sums = {};
      multiply_tile(problem, tile, sums);
      for (int64_t r = 0; r < tile.rows; ++r)
        for (int64_t c = 0; c < tile.cols; ++c) {
          const double sum = total(sums, r, c);
          const double product = problem.compute == GPUOPT_COMPUTE_I32 ? wrap_to_i32(sum) : sum;
          double x = problem.k == 0 ? 0 : alpha * product;
          if (reads_c) x += beta * (load_at(c_view, i + r, j + c, p) * c_scale); /* just before d, which c may be */
          x = apply_chain(problem, x, i + r, j + c, p);
          store_at(d_view, i + r, j + c, p, x * d_scale);
        }
    }
}

}  // namespace cpu
}  // namespace gpuopt
