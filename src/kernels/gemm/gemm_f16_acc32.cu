// gemm_f16_acc32: half-precision operands, products and sums in fp32 on CUDA cores.
//
// Idea and data movement: gemm_vec4 with A and B in half precision: eight elements to a 16-byte access, so global
// traffic halves. They become fp32 on their way into shared memory, 16 conversions a thread for 1,024 multiply-adds;
// converted after shared memory instead, every step of k would convert 16 elements for 64 multiply-adds. A product of
// two halves is exact in fp32, so the result differs from an fp32 gemm of the same operands by nothing but D's
// rounding. What it does not do is compute faster than fp32: that takes tensor cores (or half-precision sums, which
// lose accuracy with k).
//
// Needs: f16 A and B, f16 or f32 C and D. Where lines of A or B do not start on multiples of 16 bytes, that operand
// is read element by element. Counterparts: gemm_vec4, gemm_wmma_f16.
// Recorded (H200, 2026-11-21, single call, cold), nn, f16 D: 156 us, 3.47 ms, 32.2 ms for 1024, 4096, 8192 cubed; 39.6
// TFLOP/s at 4096, 0.05 of the best peer, 59 % of the fp32 peak (f32 D: 3.45 ms, and 31.2 ms at 8192; in the suites
// targets and every_kernel 3.59 and 3.84 ms at 4096). No faster than gemm_vec4 on fp32 operands (41.5 TFLOP/s): halving
// the traffic does not help a kernel that waits for issue slots.
// arch class: teaching

#include "gemm/quad_tile.cuh"

namespace gpuopt {

template <class D>
__global__ void __launch_bounds__(kQuadThreads, 2) gemm_f16_acc32_kernel(const __grid_constant__ PlainGemm<D> gemm) {
  __shared__ alignas(16) QuadPanel panel_a, panel_b;
  const QuadThread thread;

  for (int64_t t = blockIdx.x; t < gemm.tiles.total; t += gridDim.x) {
    const TileSpace::Tile tile = gemm.tiles.tile(t);
    const int64_t row = tile.row * kQuadTile, col = tile.col * kQuadTile;
    const int rows = tile_extent(gemm.m, row, kQuadTile), cols = tile_extent(gemm.n, col, kQuadTile);
    VectorReader<__half> a(gemm.a, Side::kRowsOfA, gemm.quads_a, tile.p, row);
    VectorReader<__half> b(gemm.b, Side::kColsOfB, gemm.quads_b, tile.p, col);

    float acc[8][8] = {};
    for (int64_t s = 0; s < gemm.k; s += kQuadDepth) {
      const int depth = tile_extent(gemm.k, s, kQuadDepth);
      __half from_a[VectorReader<__half>::kCount], from_b[VectorReader<__half>::kCount];
      a.load(rows, depth, from_a);
      b.load(cols, depth, from_b);
      a.store(from_a, panel_a);
      b.store(from_b, panel_b);
      __syncthreads();
      multiply_quads(panel_a, panel_b, thread, acc);
      __syncthreads();
    }
    store_quads(gemm, tile.p, row, col, thread, acc);
  }
}

namespace {

constexpr char kName[] = "gemm_f16_acc32";

template <class D>
gpuopt_status launch_as(const gpuopt_problem &problem, const gpuopt_launch *launch, D *partials) {
  const TileSpace tiles(problem.m, problem.n, problem.batch, kQuadTile, kQuadTile, 8);
  return launch_kernel(launch, kName, tiles.blocks(), kQuadThreads, 0, gemm_f16_acc32_kernel<D>,
                       make_plain_gemm<D>(problem, tiles, partials));
}

bool stores_halves(const gpuopt_problem &problem) {
  return is_plain_gemm(problem) && problem.operand[GPUOPT_OPERAND_D].m.dtype == GPUOPT_F16;
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  if (stores_halves(*problem)) return load_kernel(launch, kName, gemm_f16_acc32_kernel<__half>);
  const gpuopt_status status = load_kernel(launch, kName, gemm_f16_acc32_kernel<float>);
  return status != GPUOPT_OK || is_plain_gemm(*problem) ? status : load_finish_gemm<float>(launch);
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  if (stores_halves(*problem)) return launch_as<__half>(*problem, launch, nullptr);
  if (is_plain_gemm(*problem)) return launch_as<float>(*problem, launch, nullptr);
  float *partials = static_cast<float *>(launch->scratch);
  const gpuopt_status status = launch_as<float>(*problem, launch, partials);
  return status != GPUOPT_OK ? status : finish_gemm<float>(*problem, launch, partials, 1);
}

double predict_us(const gpuopt_problem *problem) {
  const double finish_us = is_plain_gemm(*problem) ? 0 : finish_gemm_us(*problem, 1, sizeof(float));
  return simt_gemm_us(*problem, {kQuadTile, kQuadTile, 2, 150.0, 290.0}) + finish_us;
}

constexpr gpuopt_signature kSignatures[] = {
    {{GPUOPT_F16, GPUOPT_F16, GPUOPT_F16, GPUOPT_F16}, GPUOPT_COMPUTE_F32},
    {{GPUOPT_F16, GPUOPT_F16, GPUOPT_F32, GPUOPT_F32}, GPUOPT_COMPUTE_F32},
};
gpuopt_resource kResources[] = {
    {kQuadThreads, 0, reinterpret_cast<const void *>(gemm_f16_acc32_kernel<__half>)},
    {kQuadThreads, 0, reinterpret_cast<const void *>(gemm_f16_acc32_kernel<float>)},
};

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel kernel = simt_gemm_kernel(kName, "half operands, fp32 products and sums on CUDA cores");
  kernel.flags = GPUOPT_KERNEL_TEACHING;
  set_signatures(kernel, kSignatures);
  kernel.workspace = plain_gemm_workspace;
  set_functions(kernel, predict_us, prepare, launch, kResources);
  return kernel;
}
constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
