// 32 x 32 tiles in shared memory, columns exchanged by an XOR with the row: no bank conflicts and no padding.
//
// Data movement: as tile32.cuh says. Element (row, col) lies at column col ^ row: a row is still 32 different
// columns and so 32 banks, and a column, whose rows differ, is too. It costs one XOR an access and saves 1/32 of the
// shared memory, which no kernel of this size runs out of; larger tiles that are read 16 bytes at a time have no
// other choice, because a padded row would not be aligned.
// Needs: nothing of extents, ld and alignment. It does not copy between layouts (no corner to turn).
// arch class: teaching
#include "transpose/tile/tile32.cuh"

namespace gpuopt {
namespace {

constexpr char kName[] = "transpose_swizzled";
constexpr gpuopt_kernel kKernels[] = {tile32_descriptor<TileLayout::swizzled, kName>(
    "32 x 32 tiles in shared memory, swizzled by XOR instead of padded")};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
