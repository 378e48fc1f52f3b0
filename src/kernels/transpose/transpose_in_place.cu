// A square matrix turned over in its own memory: a block owns a tile and its mirror image.
//
// Data movement: vector_tile.cuh, twice: the block reads both tiles into shared memory, then writes each where the
// other was. Tiles on the diagonal are their own mirror images. The grid holds the pairs only: rows r and t - 1 - r of
// the triangle of t tile rows have t + 1 pairs together, so pairs are numbered as a rectangle of ceil(t / 2) rows. Out
// of place the same tiles are moved one by one, as in transpose_vec8_64.
// Needs: base, leading dimension and batch stride that are multiples of 8 bytes (16-byte elements: 16); extents may be
// any.
// Recorded (H200, 2026-11-21, single call, cold), in place: 8192^2 f32 150.0 us, 86 % of copy, in a graph 146.7 us.
#include "vector_tile.cuh"

namespace gpuopt {

template <int kBytes>
using InPlaceTile =
    BySize<kBytes, VectorTile<1, 8, 128, 128, 256>, VectorTile<2, 8, 128, 128, 512>, VectorTile<4, 8, 64, 64, 512>,
           VectorTile<8, 8, 32, 32, 512>, VectorTile<16, 16, 16, 16, 256>>;

// Pairs of tiles of a batch of n x n matrices.
struct PairGrid {
  int64_t n, tiles;
  Divider per_matrix, per_row;
};

template <int kBytes>
__global__ void __launch_bounds__(InPlaceTile<kBytes>::kTileThreads, kBytes == 2 ? 2 : 1)
    transpose_in_place_kernel(View matrix, PairGrid grid) {
  using Tile = InPlaceTile<kBytes>;
  constexpr int kSize = Tile::kTileRows;
  static_assert(Tile::kTileCols == kSize, "a tile's mirror image has its shape");
  extern __shared__ uint4 smem[];
  typename Tile::Access *above = reinterpret_cast<typename Tile::Access *>(smem);
  typename Tile::Access *below = above + Tile::kSmem / sizeof(typename Tile::Access);
  wait_for_stream();
  int64_t in_matrix, col;
  const int64_t p = grid.per_matrix.divide(blockIdx.x, in_matrix);
  int64_t row = grid.per_row.divide(in_matrix, col);
  col += row;
  if (col >= grid.tiles) {  // past the end of this row: the pair belongs to its partner
    const int64_t partner = grid.tiles - 1 - row;
    if (partner == row) return;  // the middle row of an odd number has none
    col = col - grid.tiles + partner;
    row = partner;
  }
  const int64_t i0 = row * kSize, j0 = col * kSize, ld = matrix.row_step;
  Word<kBytes> *data = output_of<kBytes>(matrix, p);
  Word<kBytes> *first = data + i0 * ld + j0, *second = data + j0 * ld + i0;
  const bool twice = row != col;
  if (j0 + kSize <= grid.n) {
    Tile::read(above, first, ld);
    if (twice) Tile::read(below, second, ld);
    __syncthreads();
    Tile::write(second, ld, above);
    if (twice) Tile::write(first, ld, below);
  } else {
    const int cols = static_cast<int>(grid.n - j0), rows = twice ? kSize : cols;
    Tile::read_edge(above, first, ld, rows, cols);
    if (twice) Tile::read_edge(below, second, ld, cols, rows);
    __syncthreads();
    Tile::write_edge(second, ld, above, rows, cols);
    if (twice) Tile::write_edge(first, ld, below, cols, rows);
  }
}

namespace {

constexpr char kName[] = "transpose_in_place";
template <int kBytes>
constexpr int kSmem = 2 * InPlaceTile<kBytes>::kSmem;
template <int kBytes>
constexpr int kThreads = InPlaceTile<kBytes>::kTileThreads;

int64_t pairs(const gpuopt_problem &problem, int64_t tiles) { return (tiles + 1) / 2 * (tiles + 1) * problem.batch; }

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  if (!(problem->features & GPUOPT_FEATURE_IN_PLACE)) return 1;
  constexpr int64_t kMaxGrid = 0x7fffffff;
  const int64_t blocks = pairs(*problem, ceil_div(problem->n, tile_extent<InPlaceTile>(*problem).rows));
  if (blocks <= kMaxGrid) return 1;
  *reject = {GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_SRC, blocks, kMaxGrid, "the number of pairs of tiles"};
  return 0;
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  if (!(problem->features & GPUOPT_FEATURE_IN_PLACE)) return launch_vector<InPlaceTile, kName>(problem, launch);
  return with_bytes(*problem, [&](auto bytes) {
    constexpr int kBytes = decltype(bytes)::value;
    const int64_t tiles = ceil_div(problem->n, InPlaceTile<kBytes>::kTileRows);
    const int64_t total = pairs(*problem, tiles), per_matrix = total / problem->batch;
    const PairGrid grid = {problem->n, tiles, Divider(per_matrix, total), Divider(tiles + 1, per_matrix)};
    return launch_kernel(early_launch(*problem), launch, kName, dim3(static_cast<unsigned>(total)),
                         dim3(kThreads<kBytes>), kSmem<kBytes>, transpose_in_place_kernel<kBytes>,
                         matrix_view(problem->operand[GPUOPT_OPERAND_DST]), grid);
  });
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  if (!(problem->features & GPUOPT_FEATURE_IN_PLACE)) return prepare_vector<InPlaceTile, kName>(problem, launch);
  return with_bytes(*problem, [&](auto bytes) {
    constexpr int kBytes = decltype(bytes)::value;
    return load_kernel(launch, kName, transpose_in_place_kernel<kBytes>, kSmem<kBytes>);
  });
}

// Fitted on an H200.
constexpr TileCost kCost = {4.9, {0.78, 0.82, 0.84, 0.84, 0.84}};

// Out of place there are faster kernels.
double predict_us(const gpuopt_problem *problem) {
  if (!(problem->features & GPUOPT_FEATURE_IN_PLACE)) return 0;
  return vector_tiles_us<InPlaceTile>(*problem, kCost);
}

#define GPUOPT_RESOURCES_(kBytes) \
  { kThreads<kBytes>, kSmem<kBytes>, reinterpret_cast<const void *>(transpose_in_place_kernel<kBytes>) }
gpuopt_resource kResources[] = {GPUOPT_BY_WORD(GPUOPT_RESOURCES_)};
#undef GPUOPT_RESOURCES_

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = transpose_kernel(kName, "a square matrix in its own memory: pairs of tiles, 8-byte accesses",
                                     kViewFeatures | GPUOPT_FEATURE_IN_PLACE);
  need_vectors(k, 8);
  k.can_run = can_run;
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}

constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
