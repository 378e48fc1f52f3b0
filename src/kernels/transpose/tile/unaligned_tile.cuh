// A tile for rows that begin anywhere: aligned words in, aligned vectors of 16 bytes out, whatever the alignment of the
// matrices.
//
// With an odd leading dimension every row of the source and of the result begins somewhere else within its memory line.
// So each row of the result is cut where its own memory is a multiple of kCutBytes, up to kCut - 1 elements before the
// tile's first source row: the tile reads as many source rows more, and no sector of the result is written by two
// blocks. An element moves by the shift of its result row on its way into shared memory: shift and row decide where a
// thread's first element lies, and all others follow at distances that the compiler knows, so that an element costs one
// load, one store and nothing else. Rows follow each other with different shifts, which spreads kCut of them over
// neighbouring banks; a skew of one cut after every kCut rows spreads the rest.
// Elements of 1 and 2 bytes travel in words of 4 (units): a thread reads the two aligned words that its columns lie in,
// funnels them into one, transposes as many rows as a word has elements, and funnels again by what the shift leaves
// within a word.
// Where the result's rows do lie at vectors, as those of a matrix of odd width with an even number of rows, nothing is cut or
// moved: a thread stores what it has of a column as whole vectors, the vectors of a row turned by the row's lane so that those
// of lanes side by side lie in different banks.
#pragma once

#include "common/bits.cuh"
#include "common/register_transpose.cuh"
#include "transpose/common/tile_grid.cuh"

namespace gpuopt {

// kStepRows source rows, of which each of kWarps warps reads kWarpRows, by 32 * kAcross units; kBlocks on an SM. kCutBytes: an
// element's where the result's rows lie at vectors.
template <int kBytes, int kCutBytes, int kAcross, int kWarpRows, int kWarps, int kStepRows, int kBlocks>
struct UnalignedTile {
  static constexpr int kWordBytes = kBytes,
                       kPer = kBytes < 4 ? 4 / kBytes : 1;  // columns of a unit, rows transposed
  static constexpr int kCut = kCutBytes / kBytes,
                       kSide = 16 / kBytes;  // elements
  static constexpr int kTileRows = kStepRows, kTileCols = 32 * kPer * kAcross, kTileThreads = 32 * kWarps;
  static constexpr bool kByVectors = kCut == 1;
  static constexpr int kGroups = kWarpRows / kPer,
                       kCarry = kPer > 1 && !kByVectors ? 1 : 0;  // of kPer rows; one before the first
  static constexpr int kLoaded = kWarpRows * kWarps, kMinBlocks = kBlocks;
  static constexpr int kPitch = (kStepRows * kBytes + 127) / 128 * 128;
  static constexpr int kSkew = kCutBytes < 128 && !kByVectors ? kCutBytes : 0;
  static constexpr int kSmem = kTileCols * kPitch + kTileCols / kCut * kSkew;
  static constexpr int kVectors = kStepRows / kSide,
                       kLanes = kVectors > 16 ? 32 : kVectors > 8 ? 16 : 8;  // of a row
  static constexpr int kRowsAtOnce = 32 / kLanes * kWarps;
  static_assert(kStepRows % kCut == 0 && kLoaded >= kStepRows + kCut - 1 && kVectors <= 32, "rows are covered");
  static constexpr int kBanks = 8;  // vectors of a line of shared memory
  static_assert(!kByVectors || (kWarpRows % kSide == 0 && kLoaded == kStepRows && kVectors % kBanks == 0),
                "vectors are whole");
  static_assert(kWarpRows % kPer == 0 && kLoaded % kPer == 0 && kStepRows % kPer == 0, "groups are whole");

  using Element = Word<kBytes>;
  using Unit = Word<(kBytes < 4 ? 4 : kBytes)>;
  // In the order of loading: group, row within it, unit across. High: what follows, where a row's phase needs it.
  struct Rows {
    Unit low[kGroups + kCarry][kPer][kAcross], high[kGroups + kCarry][kPer][kAcross];
    uint32_t phase[kPer];  // bits
  };

  // The first row of an m x n matrix whose words from column j0 on may lie partly beyond the matrix's end.
  __device__ static __forceinline__ int64_t rows_by_words(int64_t m, int64_t n, int64_t j0, int64_t ld) {
    int64_t rows = m;
    for (int64_t left = n - j0; kPer > 1 && rows > 0 && left < kTileCols + 2 * kPer; left += ld) --rows;
    return rows;
  }

  // Where row j of the result lies, in bytes, if it is cut; its vector v; and its element e.
  __device__ static __forceinline__ int place(int j) { return j * kPitch + j / kCut * kSkew; }
  __device__ static __forceinline__ uint4 *vector_at(char *tile, int j, int v) {
    const int turned = kByVectors ? v ^ (j / kPer % kBanks) : v;
    return reinterpret_cast<uint4 *>(tile + place(j) + turned * 16);
  }
  __device__ static __forceinline__ Element *element_at(char *tile, int j, int e) {
    return reinterpret_cast<Element *>(vector_at(tile, j, e / kSide)) + e % kSide;
  }

  // The source rows from i on (a carried group, then the warp's own); from is the thread's first element in them. Rows
  // before the matrix or from by_words on, and columns from cols on, read as zeros, if not kInside.
  template <bool kInside>
  __device__ static __forceinline__ void load(Rows &rows, const Element *from, int64_t ld, int64_t i, int64_t by_words,
                                              int64_t cols) {
    const Unit *word[kPer];
#pragma unroll
    for (int r = 0; r < kPer; ++r) {
      // Pointers throughout, never an integer made one: the compiler would no longer know that they are global, and
      // would keep the tile's accesses in order with these.
      const char *address = reinterpret_cast<const char *>(from + r * ld);
      const uint32_t within = kPer > 1 ? static_cast<uint32_t>(reinterpret_cast<uintptr_t>(address) % sizeof(Unit)) : 0;
      rows.phase[r] = within * 8;
      word[r] = reinterpret_cast<const Unit *>(address - within);
    }
#pragma unroll
    for (int g = 0; g < kGroups + kCarry; ++g) {
#pragma unroll
      for (int r = 0; r < kPer; ++r) {
        const int64_t row = i + g * kPer + r;
#pragma unroll
        for (int c = 0; c < kAcross; ++c) {
          Unit &low = rows.low[g][r][c], &high = rows.high[g][r][c];
          low = high = Unit{};
          if (g < kCarry && r == 0) continue;  // kPer - 1 rows are carried
          const int column = (static_cast<int>(threadIdx.x) % 32 + c * 32) * kPer;
          if (!kInside && (row < 0 || row >= by_words || column >= cols)) continue;
          low = word[r][c * 32];
          if (kPer > 1 && rows.phase[r] != 0) high = word[r][c * 32 + 1];
        }
        word[r] = reinterpret_cast<const Unit *>(reinterpret_cast<const char *>(word[r]) + ld * kBytes * kPer);
      }
    }
    if constexpr (kPer > 1) {
#pragma unroll
      for (int g = 0; g < kGroups + kCarry; ++g) {
#pragma unroll
        for (int r = 0; r < kPer; ++r) {
#pragma unroll
          for (int c = 0; c < kAcross; ++c)
            rows.low[g][r][c] = __funnelshift_r(rows.low[g][r][c], rows.high[g][r][c], rows.phase[r]);
        }
      }
    }
  }

  // Column k of the units c of group g: kPer elements, one below the other.
  __device__ static __forceinline__ Unit transposed(const Rows &rows, int g, int c, int k) {
    if constexpr (kBytes == 1) {
      const uint32_t select = static_cast<uint32_t>(k | (k + 4) << 4);
      return __byte_perm(__byte_perm(rows.low[g][0][c], rows.low[g][1][c], select),
                         __byte_perm(rows.low[g][2][c], rows.low[g][3][c], select), 0x5410);
    } else if constexpr (kBytes == 2) {
      return __byte_perm(rows.low[g][0][c], rows.low[g][1][c], k == 0 ? 0x5410 : 0x7632);
    } else {
      return rows.low[g][0][c];
    }
  }

  // To the tile: column k of the units c, whose elements go where element `at` of its row of the result is the first;
  // at % kPer == 0. in_unit: by how many elements they move within their units. kChecked: some lie before the row's
  // first or after its last element.
  template <bool kChecked>
  __device__ static __forceinline__ void store(char *row, int at, int in_unit, const Rows &rows, int c, int k) {
    Unit before = transposed(rows, 0, c, k);
#pragma unroll
    for (int g = 0; g < kGroups; ++g) {
      Unit unit = transposed(rows, g + kCarry, c, k);
      if constexpr (kPer > 1) {
        const Unit now = unit;
        unit = __funnelshift_rc(before, now, static_cast<uint32_t>(32 - in_unit * kBytes * 8));
        before = now;
      }
      if (kChecked && (at + g * kPer < 0 || at + g * kPer >= kStepRows)) continue;
      *reinterpret_cast<Unit *>(row + (at + g * kPer) * kBytes) = unit;
    }
  }
  // Row j of the result, column k of the units c, whose first element is number `at` of its row, as whole vectors.
  __device__ static __forceinline__ void store_vectors(char *tile, int j, int at, const Rows &rows, int c, int k) {
    constexpr int kUnits = 16 / sizeof(Unit);
#pragma unroll
    for (int v = 0; v < kWarpRows / kSide; ++v) {
      struct {
        Unit u[kUnits];
      } units;
#pragma unroll
      for (int u = 0; u < kUnits; ++u) units.u[u] = transposed(rows, v * kUnits + u, c, k);
      *vector_at(tile, j, at / kSide + v) = bits_as<uint4>(units);
    }
  }
};

// kMinBlocks is tuned for sm_90. Turing has 1024 threads on an SM; later architectures take more registers.
template <class Tile>
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
constexpr int kBlocksOnSm = 1;
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ > 900
constexpr int kBlocksOnSm = Tile::kMinBlocks - 1;
#else
constexpr int kBlocksOnSm = Tile::kMinBlocks;
#endif

template <class Tile>
__global__ void __launch_bounds__(Tile::kTileThreads, kBlocksOnSm<Tile>)
    transpose_unaligned_kernel(View src, View dst, TileGrid grid) {
  constexpr int kBytes = Tile::kWordBytes, kPer = Tile::kPer, kCut = Tile::kCut, kSide = Tile::kSide;
  constexpr int kRows = Tile::kTileRows, kCols = Tile::kTileCols, kWarps = Tile::kTileThreads / 32;
  using Element = typename Tile::Element;
  extern __shared__ uint4 smem[];
  char *tile = reinterpret_cast<char *>(smem);
  const TileGrid::Tile at = grid.tile();
  const int64_t i0 = at.row * kRows, j0 = at.col * kCols;
  if (j0 >= grid.n) return;
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int r0 = warp * (Tile::kLoaded / kWarps) - (Tile::kLoaded - kRows);  // the warp's first row, from i0
  const int carried = r0 - Tile::kCarry * kPer;
  const Element *source = matrix_of<kBytes>(src, at.p),
                *from = source + (i0 + carried) * src.row_step + j0 + lane * kPer;
  Element *to = output_of<kBytes>(dst, at.p) + j0 * dst.row_step + i0;
  const bool whole = (Tile::kByVectors || i0 > 0) && i0 + kRows <= grid.m && j0 + kCols <= grid.n;
  wait_for_stream();

  const bool inside = whole && (kPer == 1 || i0 + kRows < grid.m || j0 + kCols + kPer < grid.n);
  const int64_t by_words = inside ? grid.m : Tile::rows_by_words(grid.m, grid.n, j0, src.row_step);
  typename Tile::Rows rows;
  if (inside) {
    Tile::template load<true>(rows, from, src.row_step, i0 + carried, grid.m, kCols);
  } else {
    Tile::template load<false>(rows, from, src.row_step, i0 + carried, by_words, grid.n - j0);
  }
  const uint32_t first = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(to) / kBytes);
  const uint32_t step = static_cast<uint32_t>(dst.row_step);
  // How many elements row j of the result reaches back to be aligned.
  const auto shift = [&](int j) { return static_cast<int>((first + static_cast<uint32_t>(j) * step) % kCut); };
  const bool checked = r0 < 0 || r0 + Tile::kLoaded / kWarps + kCut - 1 > kRows;
#pragma unroll
  for (int unit = 0; unit < kCols / 32; ++unit) {
    const int c = unit / kPer, k = unit % kPer, j = (lane + c * 32) * kPer + k;
    if constexpr (Tile::kByVectors) {
      Tile::store_vectors(tile, j, r0, rows, c, k);
    } else {
      const int in_unit = shift(j) % kPer, first_in_row = r0 + shift(j) - in_unit;
      char *row = tile + Tile::place(j);
      if (checked) {
        Tile::template store<true>(row, first_in_row, in_unit, rows, c, k);
      } else {
        Tile::template store<false>(row, first_in_row, in_unit, rows, c, k);
      }
    }
  }
  if (by_words < grid.m) {  // the last rows, an element a thread
    __syncthreads();
    const int64_t begin = by_words > i0 - (kCut - 1) ? by_words : i0 - (kCut - 1);
    const int64_t end = grid.m < i0 + kRows ? grid.m : i0 + kRows;
    for (int64_t i = begin + warp; i < end; i += kWarps) {
      for (int j = lane; j < kCols && j0 + j < grid.n; j += 32) {
        const int e = static_cast<int>(i - i0) + shift(j);
        if (e >= 0 && e < kRows) *Tile::element_at(tile, j, e) = source[i * src.row_step + j0 + j];
      }
    }
  }
  __syncthreads();

  const int v = lane % Tile::kLanes;
  if (v >= Tile::kVectors) return;
  constexpr uintptr_t kWithin = static_cast<uintptr_t>(kCut * kBytes - 1);
  const int64_t skip = Tile::kRowsAtOnce * dst.row_step * kBytes;
  int j = warp * (32 / Tile::kLanes) + lane / Tile::kLanes;
  char *out = reinterpret_cast<char *>(to + j * dst.row_step);
  if (whole) {
#pragma unroll
    for (int rest = kCols; rest > 0; rest -= Tile::kRowsAtOnce, j += Tile::kRowsAtOnce, out += skip) {
      if (rest < Tile::kRowsAtOnce && j >= kCols) break;
      *reinterpret_cast<uint4 *>(out - (reinterpret_cast<uintptr_t>(out) & kWithin) + v * 16) =
          *Tile::vector_at(tile, j, v);
    }
  } else {
    const int64_t cols = grid.n - j0 < kCols ? grid.n - j0 : kCols;
#pragma unroll 1
    for (; j < cols; j += Tile::kRowsAtOnce, out += skip) {
      const int within = static_cast<int>(reinterpret_cast<uintptr_t>(out) & kWithin);
      const int64_t i = i0 + v * kSide - within / kBytes;
      const char *vector = reinterpret_cast<const char *>(Tile::vector_at(tile, j, v));
      char *to_vector = out - within + v * 16;
      if (i >= 0 && i + kSide <= grid.m) {
        *reinterpret_cast<uint4 *>(to_vector) = *reinterpret_cast<const uint4 *>(vector);
      } else {
#pragma unroll
        for (int e = 0; e < kSide; ++e) {
          if (i + e >= 0 && i + e < grid.m)
            reinterpret_cast<Element *>(to_vector)[e] = reinterpret_cast<const Element *>(vector)[e];
        }
      }
    }
  }
}

}  // namespace gpuopt
