// 32 x 32 tiles transposed in shared memory: both the reads and the writes are coalesced, and the banks queue.
//
// Data movement: as tile32.cuh says, in the plainest layout. A column of 4-byte elements lies in a single memory
// bank, so the 32 reads of a warp that writes one row of the result take 32 turns; 8-byte elements conflict 16
// ways in each half of a warp, 2-byte and 1-byte elements 16 and 8 ways.
// Needs: nothing of extents, ld and alignment. It does not copy between layouts (no corner to turn).
// arch class: teaching
#include "transpose/tile/tile32.cuh"

namespace gpuopt {
namespace {

constexpr char kName[] = "transpose_tiled";
constexpr gpuopt_kernel kKernels[] = {
    tile32_descriptor<TileLayout::plain, kName>("32 x 32 tiles in shared memory, with its 32-way bank conflict")};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
