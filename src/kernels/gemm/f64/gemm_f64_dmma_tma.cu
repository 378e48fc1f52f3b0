// gemm_f64_dmma_tma_128x128: fp64 on Hopper's tensor cores, operands by the tensor memory accelerator.
//
// Idea and data movement: as gemm_f64_dmma_ws, but one thread asks for whole boxes of the operands, which arrive in a
// ring of stages without passing through an instruction or a register of anyone: 128 x 16 of each operand a stage,
// six stages, by barriers that count bytes. Eight warps read fragments and multiply, 64 x 32 of D each, by the
// deepest instruction (m16n8k16), which moves the least through the register file: at the power limit, where a long
// product runs, energy is speed. Four of them run a few thousand clocks behind the other four, so that one half
// multiplies while the other stores its tile. Blocks are persistent, and the tiles of a last, partly empty wave are
// cut along k (f64_stream_k.cuh).
// Needs: compute capability 9.0; A and B with bases, leading dimensions and batch strides that are multiples of 16
// bytes.
// Prediction: as gemm_f64_dmma_ws, at 97 % of the rate.
// arch class: sm90a
#include "common/tensor_map.h"
#include "gemm/f64/f64_dmma_tma.cuh"
#include "gemm/f64/f64_stream_k.h"

namespace gpuopt {

using F64DmmaTma = F64TmaTile<128, 128, 64, 32, 6, 2048>;

namespace {

using Function = void (*)(F64Gemm, CUtensorMap, CUtensorMap);

// Left and right as the kernel calls them (f64_gemm()): A and B, or where both are row-major B and A.
Function function_of(const gpuopt_problem &problem) {
  const bool a_by_rows = problem.operand[GPUOPT_OPERAND_A].m.layout == GPUOPT_COL;
  const bool b_by_rows = problem.operand[GPUOPT_OPERAND_B].m.layout == GPUOPT_ROW;
  if (!a_by_rows && b_by_rows) return gemm_f64_dmma_tma_kernel<F64DmmaTma, F64Lie::kMixed, true>;
  if (!a_by_rows) return gemm_f64_dmma_tma_kernel<F64DmmaTma, F64Lie::kByK, false>;
  return b_by_rows ? gemm_f64_dmma_tma_kernel<F64DmmaTma, F64Lie::kByRows, false>
                   : gemm_f64_dmma_tma_kernel<F64DmmaTma, F64Lie::kMixed, false>;
}

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  constexpr int64_t kMostExtent = 0x7fffffff - 256;       // coordinates are 32-bit
  constexpr int64_t kMostBytes = (int64_t{1} << 40) - 1;  // from row to row, from matrix to matrix
  for (const int64_t extent : {problem->m, problem->n, problem->k, problem->batch}) {
    if (extent <= kMostExtent) continue;
    return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, extent, kMostExtent, "an extent");
  }
  for (const int operand : {GPUOPT_OPERAND_A, GPUOPT_OPERAND_B}) {
    const gpuopt_matrix &m = problem->operand[operand].m;
    const int64_t longest = std::max(m.ld, m.batch_stride);
    if (longest <= kMostBytes / 8) continue;
    return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, operand, longest, kMostBytes / 8, "ld or batch_stride");
  }
  return 1;
}

// by k: a box is a line of 16 of k for each row of the tile; by rows: 16 lines of 16 rows.
bool encode(const gpuopt_operand &operand, int64_t batch, bool by_rows, CUtensorMap *map) {
  const gpuopt_matrix &m = operand.m;
  const bool row_major = m.layout == GPUOPT_ROW;
  const int64_t across = row_major ? m.cols : m.rows, lines = row_major ? m.rows : m.cols;
  return encode_tensor_map(map, m.data, 8, across, lines, m.ld * 8, batch, m.batch_stride * 8,
                           by_rows ? kF64Depth : F64DmmaTma::kBM);
}

struct Tma {
  using Tile = F64DmmaTma;
  static constexpr char kName[] = "gemm_f64_dmma_tma_128x128";
  static constexpr int kThreads = Tile::kThreads, kSharedBytes = Tile::kSharedBytes;
  static double start_us() { return gemm_f64_figures.dmma_tma_us; }
  static double factor() { return gemm_f64_figures.dmma_tma_factor; }
  static double share() { return gemm_f64_figures.dmma_tma_share; }
  static Function function(const gpuopt_problem &problem) { return function_of(problem); }
  static gpuopt_status run(const gpuopt_problem &problem, const gpuopt_launch *launch, unsigned blocks,
                           const F64Gemm &gemm) {
    const gpuopt_operand &a = problem.operand[GPUOPT_OPERAND_A], &b = problem.operand[GPUOPT_OPERAND_B];
    CUtensorMap map_a, map_b;
    if (!encode(a, problem.batch, a.m.layout == GPUOPT_COL, &map_a) ||
        !encode(b, problem.batch, b.m.layout == GPUOPT_ROW, &map_b))
      return no_tensor_map(launch, kName);
    return launch_kernel(launch, kName, blocks, kThreads, kSharedBytes, function(problem), gemm,
                         gemm.transposed ? map_b : map_a, gemm.transposed ? map_a : map_b);
  }
};

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  if (tensor_map_encoder() == nullptr) return no_tensor_map(launch, Tma::kName);
  return F64StreamLaunch<Tma>::prepare(problem, launch);
}
gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  // An empty operand has no map; the epilogue of no sums is all there is.
  if (problem->k == 0) return finish_gemm<double>(*problem, launch, nullptr, 0);
  return F64StreamLaunch<Tma>::launch(problem, launch);
}

#define GPUOPT_RESOURCES_(...)                                                            \
  {                                                                                       \
    F64DmmaTma::kThreads, F64DmmaTma::kSharedBytes,                                       \
        reinterpret_cast<const void *>(gemm_f64_dmma_tma_kernel<F64DmmaTma, __VA_ARGS__>) \
  }
gpuopt_resource kResources[] = {GPUOPT_RESOURCES_(F64Lie::kMixed, true),
                                GPUOPT_RESOURCES_(F64Lie::kByK, false),
                                GPUOPT_RESOURCES_(F64Lie::kByRows, false),
                                GPUOPT_RESOURCES_(F64Lie::kMixed, false),
                                {kF64TailThreads, 0, reinterpret_cast<const void *>(gemm_f64_tail_kernel<F64DmmaTma>)}};
#undef GPUOPT_RESOURCES_

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel kernel = f64_kernel<F64StreamLaunch<Tma>>(
      Tma::kName, "fp64 tensor cores: 128 x 128 tiles by the tensor memory accelerator, stream-K", 90, kResources);
  kernel.cc_exact = 90;
  kernel.align[GPUOPT_OPERAND_A] = kernel.align[GPUOPT_OPERAND_B] = 16;
  kernel.ld_align[GPUOPT_OPERAND_A] = kernel.ld_align[GPUOPT_OPERAND_B] = 16;
  kernel.can_run = can_run;
  kernel.prepare = prepare;
  kernel.launch = launch;
  return kernel;
}
constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
