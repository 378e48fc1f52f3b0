// gemm_warptile_packed: the product of packed operands, in every layout as fast as in the best one.
//
// Idea and data movement: the product wants both operands as [k][x] with lines on 16 bytes. One that lies otherwise
// costs the main loop 4-byte copies, once for every tile that reads it: 4096 / 128 = 32 times each element at 4096. So
// a first kernel transposes it once, through 64 x 64 tiles of shared memory, into scratch memory. That is 8 bytes
// of traffic an element, at 4096 square 1.4 % of the product's time, and the product then is that of tn.
// Packs every operand that would go by 4 bytes, or only one of two where the time model finds the other not worth it.
// Operands too large for the default workspace go panel by panel, and few rows or columns behind whole tiles get tiles
// of 16 (warptile_panels.cuh): 8192 cubed nn is two panels of 4096 rows, 4097 x 4099 a piece of 4096 x 4096 and two
// strips. The product's blocks come up while the last of the packing runs.
// gemm_warptile_packed has tiles of 128 x 128.
// Needs: as gemm_warptile_128x256, and scratch memory for the packed panels.
// Prediction: the packing's bytes, twice each operand that is packed, and the pieces as gemm_warptile_128x256.
#include "gemm/warptile/warptile_packed_launch.cuh"

namespace gpuopt {
namespace {

constexpr WarptileRung kPacked128x128 = {"gemm_warptile_packed",
                                         {&warptile_128x128, nullptr},
                                         &gemm_warptile_figures.packed_start_us,
                                         &gemm_warptile_figures.packed_factor};

constexpr gpuopt_kernel kKernels[] = {
    warptile_kernel<WarptilePackedLaunch<kPacked128x128>>(
        kPacked128x128.name, "gemm_warptile_128x128 on operands that are first packed as [k][x]",
        "gemm_warptile_packed_256x128,gemm_warptile_packed_128x256", warptile_128x128_resources),
};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
