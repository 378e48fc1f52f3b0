// norm_team_row: teams of blocks that stay share each row, a slice each, and keep their weights; for long rows (sm_90).
//
// Idea and data movement: row_team.cuh. Against norm_cluster_row, whose clusters each read all weights for every row,
// weights are read once. Three blocks an SM, each with a slice of 16 KB under way and two that wait for their row.
//
// Needs: sm_90; x, out, gamma, beta of one type (f32, f16, bf16), row-major, aligned to 16 bytes; weights that are the
// same for all matrices; no residual and no stages; 8 bytes of zeroed memory for each row and slice of 16 KB.
// Recorded (H200, 2026-11-21, single call, cold), 256 x 262144: f32 layer norm 145.7 us, 89 % of copy, RMS norm 144.4,
// 89 %, softmax 144.3, 89 %; bf16 82.4 us, 81 %, 76.2, 88 %, and 84.4, 80 %. In a graph layer norm 143.8 and 79.3.
// Measured once, not in a record: 32 x 262144 f32 layer norm 26 us; norm_cluster_row takes 43.

#include "norm/row_launch.h"
#include "norm/row_team.cuh"

namespace gpuopt {

constexpr int kTeamBlocks = 3;  // of an SM
constexpr size_t kTeamBytes = sizeof(TeamRing);

template <class T, int kNorm>
__global__ void __launch_bounds__(kTeamThreads, blocks_at_once<kTeamThreads>(kTeamBlocks))
    norm_team_row_kernel(const __grid_constant__ RowWork<T> work, const TeamWork team_work) {
#if !defined(__CUDA_ARCH__) || (__CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1200)  // as the descriptor says
  extern __shared__ __align__(128) unsigned char memory[];
  norm_team_rows<T, kNorm>(work, team_work, *reinterpret_cast<TeamRing *>(memory));
#endif
}

namespace {

constexpr char kName[] = "norm_team_row";
constexpr int64_t kMostWords = int64_t{1} << 19;

int64_t slices_of(const gpuopt_problem &problem) {
  const int64_t slices = ceil_div(row_vectors(problem), kTeamThreads * kTeamVectors);
  return slices < 1 ? 1 : slices;
}
int64_t most_slices(const gpuopt_problem &problem) {
  const int64_t blocks = int64_t{problem.device->sm_count} * kTeamBlocks;
  return blocks < kMostOfTeam ? blocks : kMostOfTeam;
}
int64_t rows_of(const gpuopt_problem &problem) { return problem.m * problem.batch; }
int64_t teams_of(const gpuopt_problem &problem) {
  const int64_t teams = problem.device->sm_count * kTeamBlocks / slices_of(problem);
  return teams < rows_of(problem) ? teams : rows_of(problem);
}

template <class F>
gpuopt_status with_kernel(const gpuopt_problem &problem, F &&f) {
  return with_row_instance(problem, kRowAligned, [&](auto tag, auto norm, auto) {
    constexpr int kNorm = decltype(norm)::value;
    return f(tag, norm_team_row_kernel<typename decltype(tag)::type, kNorm>);
  });
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_kernel(*problem, [&](auto, auto kernel) { return load_kernel(launch, kName, kernel, kTeamBytes); });
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const LaunchAttributes together = {false, 0, true};
  const int64_t slices = slices_of(*problem), teams = teams_of(*problem);
  // The ticket lies before the words.
  auto *const zeroed = static_cast<uint64_t *>(launch->zeroed);
  const TeamWork team_work = {zeroed + 1, reinterpret_cast<unsigned *>(zeroed), static_cast<int32_t>(slices),
                              static_cast<int32_t>(teams)};
  return with_kernel(*problem, [&](auto tag, auto kernel) {
    return launch_kernel(together, launch, kName, static_cast<unsigned>(slices * teams), kTeamThreads, kTeamBytes,
                         kernel, make_row_work<typename decltype(tag)::type>(*problem), team_work);
  });
}

void workspace(const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
  *scratch = 0;
  *zeroed = static_cast<size_t>((rows_of(*problem) * slices_of(*problem) + 1) * 8);
}

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  const int elements = is_f32(*problem) ? 4 : 8;
  if (problem->n % elements != 0) {
    *reject = {GPUOPT_REJECT_DIM_MULTIPLE, GPUOPT_OPERAND_NONE, problem->n, elements, "n"};
    return 0;
  }
  if (!others_aligned(*problem, reject)) return 0;
  for (int i : {GPUOPT_OPERAND_GAMMA, GPUOPT_OPERAND_BETA}) {
    const gpuopt_matrix &weights = problem->extra[i - 4].m;
    if (weights.dtype == 0 || problem->batch <= 1 || weights.batch_stride == 0) continue;
    *reject = {GPUOPT_REJECT_FEATURE, i, weights.batch_stride, 0, "weights of each matrix"};
    return 0;
  }
  if (!row_can_run(problem, 0, most_slices(*problem) * kTeamThreads * kTeamVectors, reject)) return 0;
  const int64_t most = kMostWords / slices_of(*problem);
  if (problem->m == 0 || problem->batch == 0 || problem->m <= most / problem->batch) return 1;
  *reject = {GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_X, problem->m, most / problem->batch, "rows"};
  return 0;
}

// A turn moves a slice of every block in and out, and takes the time of its chain at least.
double predict_us(const gpuopt_problem *problem) {
  const gpuopt_device_facts &device = *problem->device;
  if (device.memory_gbs <= 0 || rows_of(*problem) == 0 || problem->n == 0) return 0;
  const int64_t teams = teams_of(*problem), turns = ceil_div(rows_of(*problem), teams) + kTeamLag;
  const double memory_us = 32.0 * static_cast<double>(teams * row_vectors(*problem)) / (0.835e3 * device.memory_gbs);
  return 4.0 + static_cast<double>(turns) * (memory_us > 3.0 ? memory_us : 3.0);
}

#define GPUOPT_ENTRY_(T, norm, V, mode) \
  { kTeamThreads, kTeamBytes, reinterpret_cast<const void *>(norm_team_row_kernel<T, norm>) }
gpuopt_resource kResources[] = {GPUOPT_ROW_INSTANCES_OF(GPUOPT_ENTRY_, 0, kRowAligned)};
#undef GPUOPT_ENTRY_

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = aligned_row_kernel(kName, "long rows held by teams of blocks, which keep their weights", 4);
  k.cc_min = 90;
  k.cc_max = 119;  // the small chips of sm_120 have less shared memory
  set_signatures(k, kRowSignaturesAlone);
  k.can_run = can_run;
  k.workspace = workspace;
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}
constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
