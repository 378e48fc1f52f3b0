// Which tile a block works on. The tiles of a batch of m x n matrices are numbered down the columns of tiles, along the
// three dimensions of the grid where these are large enough (grid.y and grid.z end at 65535), else along one: blocks
// that run together read a strip of a few tile columns and write a few whole rows of the result. What matters most is
// that the memory open for writing at one time is contiguous.
#pragma once

#include "common/dependent_launch.cuh"
#include "common/divider.cuh"
#include "transpose/common/words.cuh"

namespace gpuopt {

struct TileGrid {
  int64_t m, n, first;             // first: the tile of block 0, where there are more tiles than a grid has blocks
  Divider per_matrix, per_column;  // tiles
  bool direct;                     // x, y, z of the grid are tile row, tile column, matrix
  int32_t beside_bits;             // then 2^beside_bits tile columns side by side are walked down together, in x
  struct Tile {
    int64_t p, row, col;  // matrix of the batch, tile row, tile column
  };

  __device__ __forceinline__ Tile tile() const {
    if (direct) {
      const uint32_t among = (1u << beside_bits) - 1;
      return {blockIdx.z, blockIdx.x >> beside_bits, (blockIdx.y << beside_bits) + (blockIdx.x & among)};
    }
    int64_t in_matrix, row;
    const int64_t p = per_matrix.divide(first + blockIdx.x, in_matrix);
    const int64_t col = per_column.divide(in_matrix, row);
    return {p, row, col};
  }

  // The first element of the tile of rows x cols that is so many blocks further on, if it lies within the matrix.
  __device__ __forceinline__ bool ahead(const Tile &at, int blocks, int rows, int cols, int64_t &i, int64_t &j) const {
    i = (at.row + blocks) * rows;
    j = at.col * cols;
    if (direct && at.row + blocks >= gridDim.x) {  // one column beside no other
      i -= static_cast<int64_t>(gridDim.x) * rows;
      j += cols;
    }
    return i >= 0 && i + rows <= m && j + cols <= n;
  }
};

// Asks L2 for the memory line with the byte at `at`.
__device__ __forceinline__ void prefetch_line(const void *at) { asm volatile("prefetch.global.L2 [%0];" ::"l"(at)); }

namespace {

// The matrices of the problem as the kernels of one element size see them: first element of matrix p.
template <int kBytes>
__device__ __forceinline__ const Word<kBytes> *matrix_of(const View &view, int64_t p) {
  return static_cast<const Word<kBytes> *>(view.data) + p * view.batch_step;
}
template <int kBytes>
__device__ __forceinline__ Word<kBytes> *output_of(const View &view, int64_t p) {
  return static_cast<Word<kBytes> *>(view.data) + p * view.batch_step;
}

// Launches one block for each tile of tile_rows x tile_cols source elements; tiles cover rows_covered rows (m, or more
// where they overlap). The kernel is given both matrices in the caller's form, and the grid. beside: so many tile columns,
// a power of two, are walked down together; the last of them may lie beyond the matrix.
inline gpuopt_status launch_tiles(const char *name, const gpuopt_problem &problem, const gpuopt_launch *launch,
                                  int64_t rows_covered, int tile_rows, int tile_cols, dim3 threads, size_t smem,
                                  void (*kernel)(View, View, TileGrid), int64_t beside = 1) {
  const View src = matrix_view(problem.operand[GPUOPT_OPERAND_SRC]),
             dst = matrix_view(problem.operand[GPUOPT_OPERAND_DST]);
  constexpr int64_t kMaxGrid = 0x7fffffff, kMaxAcross = 0xffff;
  const int64_t per_column = ceil_div(rows_covered, tile_rows), columns = ceil_div(problem.n, tile_cols);
  const int64_t per_matrix = per_column * columns, total = problem.batch * per_matrix;
  if (total == 0) return GPUOPT_OK;
  TileGrid grid = {problem.m, problem.n, 0, Divider(per_matrix, total), Divider(per_column, per_matrix), false, 0};
  if (per_column <= kMaxGrid / beside && columns <= kMaxAcross && problem.batch <= kMaxAcross) {
    grid.direct = true;
    while (beside >> grid.beside_bits > 1) ++grid.beside_bits;
    return launch_kernel(early_launch(problem), launch, name,
                         dim3(static_cast<unsigned>(per_column * beside),
                              static_cast<unsigned>(ceil_div(columns, beside)), static_cast<unsigned>(problem.batch)),
                         threads, smem, kernel, src, dst, grid);
  }
  gpuopt_status status = GPUOPT_OK;
  for (; grid.first < total && status == GPUOPT_OK; grid.first += kMaxGrid) {
    const dim3 blocks(static_cast<unsigned>(total - grid.first < kMaxGrid ? total - grid.first : kMaxGrid));
    status = launch_kernel(early_launch(problem), launch, name, blocks, threads, smem, kernel, src, dst, grid);
  }
  return status;
}

}  // namespace
}  // namespace gpuopt
