// gemm_wgmma_one_group, gemm_wgmma_producer, gemm_wgmma_persistent, gemm_wgmma_pairs, gemm_wgmma_turns: from one warpgroup
// that does everything to the shape of the fast kernels (../wgmma/), a step at a time. bf16, sums in fp32.
//
// Idea. wgmma takes both operands from shared memory, 64 rows by 128 columns here, for a whole warpgroup (128 threads) at
// once, and is asynchronous: what feeds it decides. Each step keeps the 128 x 128 sums of a warpgroup and changes one thing:
//   one_group    a block is one warpgroup with a tile of 128 x 128. One of its threads asks the tensor memory accelerator for stages
//                of 64 of k, three ahead; products of a stage run while the next is waited for. Before a stage is overwritten
//                all four warps must have met, in every turn.
//   producer     a second warpgroup multiplies, so that B's stage serves 256 rows, and a third does nothing but ask, as far
//                ahead as the ring has room. It gives its registers away. Nobody meets: barriers in shared memory count bytes that
//                came and readers that left.
//   persistent   blocks stay and take tile after tile, so the ring is full when the next begins; results leave through shared memory,
//                by the accelerator, whole lines at a time, while the next tile is multiplied.
//   pairs        two blocks run as a cluster, one below the other; each brings half of B's stage for both, so L2 is read less.
//   turns        each warpgroup has a tile of its own, and they take turns at the tensor cores: one stores while the other multiplies.
// Data movement: wgmma_steps.cuh.
//
// Needs: sm_90 (machine code of sm_90a); bf16 A, B and D, row-major, on 16 bytes with pitches of multiples of 16; k at least 1;
// from the persistent ones on n a multiple of 8. No C, no stages.
// Prediction, of the tensor cores' limit at 4096 cubed, where power leaves three quarters of it: one_group half (they wait in every
// meeting and at every end of a tile, and two blocks an SM fill some of that), producer 0.6, persistent 0.65, pairs the same
// (L2 is not the limit at aligned pitches), turns 0.7. docs/ladder.md has what was measured.
// arch class: sm90a
#include <algorithm>

#include "common/descriptor.h"
#include "common/launch.h"
#include "common/tensor_map.h"
#include "gemm/ladder/wgmma_steps.cuh"

namespace gpuopt {

struct WgmmaOneGroup : WgmmaStep<1, false, false, false, false, 3> {
  static constexpr char kName[] = "gemm_wgmma_one_group";
  static constexpr char kSummary[] = "wgmma, one warpgroup that also asks the TMA for its stages";
};
struct WgmmaProducer : WgmmaStep<2, true, false, false, false, 4> {
  static constexpr char kName[] = "gemm_wgmma_producer";
  static constexpr char kSummary[] = "wgmma, two warpgroups multiply and a third only copies";
};
struct WgmmaPersistent : WgmmaStep<2, true, true, false, false, 4> {
  static constexpr char kName[] = "gemm_wgmma_persistent";
  static constexpr char kSummary[] = "wgmma, copying warpgroup, persistent blocks, results by the TMA";
};
struct WgmmaPairs : WgmmaStep<2, true, true, true, false, 4> {
  static constexpr char kName[] = "gemm_wgmma_pairs";
  static constexpr char kSummary[] = "wgmma, persistent, clusters of two blocks that share B";
};
struct WgmmaTurns : WgmmaStep<2, true, true, true, true, 5> {
  static constexpr char kName[] = "gemm_wgmma_turns";
  static constexpr char kSummary[] = "wgmma, persistent, in pairs, two warpgroups in turn, each a tile of its own";
};

namespace {

constexpr int64_t kMostExtent = 0x7fffffff - 128;

template <class Step>
gpuopt_status prepare(const gpuopt_problem *, const gpuopt_launch *launch) {
  if (tensor_map_encoder() == nullptr) return no_tensor_map(launch, Step::kName);
  return load_kernel(launch, Step::kName, gemm_wgmma_step_kernel<Step>, Step::kShared);
}

template <class Step>
gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const gpuopt_problem &p = *problem;
  const auto encode = [&](CUtensorMap *map, int operand, int64_t rows, int64_t cols, int box_rows) {
    const gpuopt_matrix &x = p.operand[operand].m;
    return encode_tensor_map(map, x.data, 2, cols, rows, x.ld * 2, p.batch, x.batch_stride * 2, box_rows);
  };
  CUtensorMap a = {}, b = {}, d = {};
  if (!encode(&a, GPUOPT_OPERAND_A, p.m, p.k, 128) || !encode(&b, GPUOPT_OPERAND_B, p.k, p.n, 64) ||
      !encode(&d, GPUOPT_OPERAND_D, p.m, p.n, 64))
    return no_tensor_map(launch, Step::kName);
  constexpr int64_t kUnitM = Step::kPairs ? 2 * Step::kTileM : Step::kTileM;
  const WgmmaStepGemm gemm = {static_cast<int32_t>(p.m),
                              static_cast<int32_t>(p.n),
                              static_cast<int32_t>(ceil_div(p.k, Step::kDepth)),
                              p.operand[GPUOPT_OPERAND_A].m.batch_stride != 0,
                              p.operand[GPUOPT_OPERAND_B].m.batch_stride != 0,
                              static_cast<float>(p.alpha),
                              matrix_view(p.operand[GPUOPT_OPERAND_D]),
                              TileSpace(p.m, p.n, p.batch, kUnitM, Step::kTileN, 1024 / kUnitM)};
  const int64_t places = p.device->sm_count / (Step::kPairs ? 2 : 1);
  int64_t blocks = Step::kPersistent ? std::min(gemm.tiles.total, places) : gemm.tiles.total;
  if (Step::kPairs) blocks *= 2;
  return launch_kernel({false, Step::kPairs ? 2 : 0}, launch, Step::kName, dim3(static_cast<unsigned>(blocks)),
                       dim3(Step::kThreads), Step::kShared, gemm_wgmma_step_kernel<Step>, a, b, d, gemm);
}

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  const gpuopt_problem &p = *problem;
  if (p.k < 1) return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, p.k, 1, "no empty sum");
  const int64_t most = std::max({p.m, p.n, p.k, p.batch});
  if (most > kMostExtent)
    return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, most, kMostExtent, "an extent");
  const int64_t blocks = ceil_div(p.m, 128) * ceil_div(p.n, 128) * p.batch;
  if (blocks > kMostExtent)
    return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, blocks, kMostExtent, "tiles of 128 x 128");
  return 1;
}

constexpr gpuopt_signature kSignatures[] = {{{GPUOPT_BF16, GPUOPT_BF16, GPUOPT_ANY, GPUOPT_BF16}, GPUOPT_COMPUTE_F32}};

template <class Step>
constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = kernel_descriptor(GPUOPT_OP_GEMM, Step::kName, Step::kSummary, kViewFeatures);
  k.flags = GPUOPT_KERNEL_TEACHING;
  k.cc_min = k.cc_exact = 90;
  set_signatures(k, kSignatures);
  for (const int i : {GPUOPT_OPERAND_A, GPUOPT_OPERAND_B, GPUOPT_OPERAND_D}) {
    k.layouts[i] = GPUOPT_LAYOUT_ROW;
    k.align[i] = k.ld_align[i] = 16;
  }
  // What the accelerator stores of a row are whole 16 bytes, or it would write beyond n.
  if (Step::kPersistent) k.multiple[1] = 8;
  k.can_run = can_run;
  set_functions(k, nullptr, prepare<Step>, launch<Step>,
                kResourcesOf<Step::kThreads, Step::kShared, gemm_wgmma_step_kernel<Step>>);
  return k;
}

constexpr gpuopt_kernel kKernels[] = {make_kernel<WgmmaOneGroup>(), make_kernel<WgmmaProducer>(),
                                      make_kernel<WgmmaPersistent>(), make_kernel<WgmmaPairs>(),
                                      make_kernel<WgmmaTurns>()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
