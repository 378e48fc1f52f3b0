// gemm_warptile_streamk: stream-K. The tiles of the last, part-filled wave are cut along k, so that all SMs end
// together.
//
// Idea and data movement: all full waves but one are dealt out by tiles; the tiles that are left, between one and two
// waves, are one line of steps of k, cut into as many equal parts as blocks fit the device. A block's part ends or
// begins in the middle of a tile; it leaves such sums in scratch memory and the last block of a tile adds them in order
// of k (warptile_work.cuh), so nothing waits and the bits are the same every time. Where L2 holds both operands all
// tiles are that line: then blocks end their tiles at different times, and the stores of one hide behind the others'
// multiply-adds. Larger operands are read together, by blocks that are at the same step of k.
// Needs: as gemm_warptile_128x256.
// Recorded (H200, 2026-11-21, single call, cold), nn: 4096 cubed 2658 us, 51.7 TFLOP/s, 1.01 of the best peer; 8192
// cubed 22.0 ms, 49.9 TFLOP/s, 0.97, 75 % of the fp32 peak; with tiles of 128 x 256 51.5 and 51.0 TFLOP/s, of 64 x 128
// 52.0 and 52.6 (1.02 both), of 256 x 128 49.3 and 49.5.
// Measured once, not in a record (H200, 2026-11-21, single call, cold): 4096^3 tn 54.9 TFLOP/s (1.02 of the best peer,
// 53.5 without streaming), tt 51.9, nt 49.5; tiles of 128 x 128: 4097 x 4099 x 4101 nn 47.2 (1.14 of cuBLAS), 9477 x
// 1152 x 588 nn 283 us (1.13), tiles of 64 x 128 nn 281, tn 292 us.
#include "gemm/warptile_shapes.cuh"

namespace gpuopt {
namespace {

struct Stream128x128 {
  static constexpr char kName[] = "gemm_warptile_streamk";
  static constexpr char kSummary[] =
      "fp32 128 x 128 tiles, the last waves dealt out by k over all SMs, fixed order of sums";
  using Shape = WarpTile128x128;
  static constexpr WarptileFigures kFigures = kFigures128x128;
  static constexpr WarptileDeal kDeal = WarptileDeal::stream_k;
  static constexpr bool kPacks = false;
};
struct Stream128x256 {
  static constexpr char kName[] = "gemm_warptile_streamk_128x256";
  static constexpr char kSummary[] = "gemm_warptile_streamk with tiles of 128 x 256";
  using Shape = WarpTile128x256;
  static constexpr WarptileFigures kFigures = kFigures128x256;
  static constexpr WarptileDeal kDeal = WarptileDeal::stream_k;
  static constexpr bool kPacks = false;
};
struct Stream256x128 {
  static constexpr char kName[] = "gemm_warptile_streamk_256x128";
  static constexpr char kSummary[] = "gemm_warptile_streamk with tiles of 256 x 128";
  using Shape = WarpTile256x128;
  static constexpr WarptileFigures kFigures = kFigures256x128;
  static constexpr WarptileDeal kDeal = WarptileDeal::stream_k;
  static constexpr bool kPacks = false;
};
struct Stream64x128 {
  static constexpr char kName[] = "gemm_warptile_streamk_64x128";
  static constexpr char kSummary[] = "gemm_warptile_streamk with tiles of 64 x 128";
  using Shape = WarpTile64x128;
  static constexpr WarptileFigures kFigures = kFigures64x128;
  static constexpr WarptileDeal kDeal = WarptileDeal::stream_k;
  static constexpr bool kPacks = false;
};

constexpr gpuopt_kernel kKernels[] = {warptile_kernel<Stream128x128>(), warptile_kernel<Stream128x256>(),
                                      warptile_kernel<Stream256x128>(), warptile_kernel<Stream64x128>()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
