// gemm_warptile_skinny_rows, gemm_warptile_skinny_columns: D of few rows or few columns, bound by reading B (or A)
// once.
//
// Idea and data movement: a block holds all of 16 rows and 128 columns of D, 16 x 4 sums a thread; its four warps take
// turns at the steps of k, and k is split over blocks until two fill every SM. B streams through a ring of four
// stages, 48 KB of it in flight an SM for each block; A is small and comes from L2. _columns is the same with A and B
// exchanged.
// Needs: as gemm_warptile_128x256.
// Recorded (H200, 2026-11-21, single call, cold), nn: 64 cubed, where it is the automatic choice, 6.75 us by _rows
// (1.00 of the best peer; in a graph 3.94 us, 1.06), 512 cubed 16.2 us by _rows (1.02), tn 16.8 us by _columns (0.96);
// 1024, which it is not for, 70.8 us by _rows, 95.5 us by _columns.
// Measured once, not in a record (H200, 2026-11-21, single call, cold): 16 x 4096 x 4096 nn 28.9 us, 1.61 of the best
// peer, 2.3 TB/s; nt 36.9 us (1.41); 4096 x 16 x 4096 nn 37.8 us (1.13); 256^3 9.9 us (1.04).
#include "gemm/warptile_instance.cuh"
#include "gemm/warptile_shapes.cuh"

namespace gpuopt {

template struct WarptileKernels<WarpTile16x128>;
template struct WarptileKernels<WarpTile128x16>;

namespace {

struct FewRows {
  static constexpr char kName[] = "gemm_warptile_skinny_rows";
  static constexpr char kSummary[] = "fp32, few rows: 16 x 128 tiles and split-K, B streams through once";
  using Shape = WarpTile16x128;
  static constexpr WarptileFigures kFigures = kFigures16x128;
  static constexpr WarptileDeal kDeal = WarptileDeal::split_k;
  static constexpr bool kPacks = false;
};
struct FewColumns {
  static constexpr char kName[] = "gemm_warptile_skinny_columns";
  static constexpr char kSummary[] = "fp32, few columns: 128 x 16 tiles and split-K, A streams through once";
  using Shape = WarpTile128x16;
  static constexpr WarptileFigures kFigures = kFigures128x16;
  static constexpr WarptileDeal kDeal = WarptileDeal::split_k;
  static constexpr bool kPacks = false;
};

constexpr gpuopt_kernel kKernels[] = {warptile_kernel<FewRows>(), warptile_kernel<FewColumns>()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
