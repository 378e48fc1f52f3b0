// norm_persistent_row: groups of blocks that stay share each row, a slice each, and keep their weights; for long rows (sm_90).
//
// Idea and data movement: persistent_row.cuh. Against norm_cluster_row, whose clusters each read all weights for every row,
// weights are read once. Three blocks an SM, each with a slice of 16 KB under way and two that wait for their row.
//
// Needs: sm_90; x, out, gamma, beta of one type (f32, f16, bf16), row-major, aligned to 16 bytes, or of a softmax rows of out
// that begin within 16 bytes where x's do; weights that are the same for all matrices; no residual and no stages; 8 bytes of
// zeroed memory for each row and slice of 16 KB, 72 for each group of blocks.
// Prediction: a turn moves a slice of every block in and out at nearly a copy's rate, and takes the time of its chain at
// least: slice, statistics, result. Before the first and behind the last turn memory waits for words.

#include <algorithm>

#include "common/dtypes.cuh"
#include "norm/common/begins_alike.h"
#include "norm/common/hiding.h"
#include "norm/shared/figures.h"
#include "norm/shared/persistent_row.h"

namespace gpuopt {

namespace {

constexpr char kName[] = "norm_persistent_row";
constexpr int64_t kMostWords = int64_t{1} << 19;

int64_t most_slices(const gpuopt_problem &problem) {
  const int64_t blocks = int64_t{problem.device->sm_count} * kPersistentBlocks;
  return blocks < kMostSlices ? blocks : kMostSlices;
}
int64_t rows_of(const gpuopt_problem &problem) { return problem.m * problem.batch; }

struct Shape {
  int64_t slices, groups;
};
// Bytes, and the chain of a turn; those that the statistics wait for count in part, as memory is busy meanwhile. Of the places
// that blocks have some are empty where slices do not come out even.
double turns_us(const gpuopt_problem &problem, const RowFacts &f, const Shape &shape) {
  const auto &figures = norm_shared_figures;
  const auto rows = static_cast<double>(rows_of(problem)), groups = static_cast<double>(shape.groups);
  const double turns = rows / groups, places = static_cast<double>(problem.device->sm_count * kPersistentBlocks),
               busy = turns > 1 ? groups * static_cast<double>(shape.slices) / places : 1.0;
  const double memory_us =
                   moving_us(*problem.device, f.read_bytes + f.written_bytes) / (busy * figures.persistent_rate_share),
               turn_us = figures.persistent_turn_us + figures.persistent_weight_us * f.weights,
               chain_us = (turns - 1 + kLagTurns * figures.persistent_lag_share) * turn_us;
  return turn_us + hiding_us(memory_us, chain_us);
}
// As few slices as blocks hold, or up to seven more where groups and turns come out more evenly.
Shape shape_of(const gpuopt_problem &problem) {
  constexpr int64_t kTried = 8, kLeastVectors = 32;
  const int64_t rows = rows_of(problem), blocks = int64_t{problem.device->sm_count} * kPersistentBlocks,
                vectors = row_vectors(problem), fewest = ceil_div(vectors, kPersistentThreads * kSliceVectors),
                least = fewest < 1 ? 1 : fewest,
                most = std::min({most_slices(problem), vectors / kLeastVectors, least + kTried - 1});
  const RowFacts f = row_facts(problem);
  Shape best = {};
  double best_us = 0;
  for (int64_t slices = least; slices == least || slices <= most; ++slices) {
    const int64_t fit = blocks / slices < 1 ? 1 : blocks / slices, groups = fit < rows ? fit : rows;
    const Shape shape = {slices, groups < 1 ? 1 : groups};
    const double us = turns_us(problem, f, shape);
    if (best.slices > 0 && us >= best_us) continue;
    best = shape;
    best_us = us;
  }
  return best;
}

template <class F>
gpuopt_status with_kernel(const gpuopt_problem &problem, F &&f) {
  return with_row_instance(problem, row_mode(problem), [&](auto tag, auto norm, auto mode) {
    constexpr int kNorm = decltype(norm)::value;
    constexpr bool kWeighs = kNorm == GPUOPT_NORM_LAYERNORM || kNorm == GPUOPT_NORM_RMSNORM;
    constexpr bool kAny = !kWeighs && decltype(mode)::value == kRowAny;
    return f(tag, norm_persistent_row_kernel<typename decltype(tag)::type, kNorm, kAny>);
  });
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_kernel(*problem, row_loader(launch, kName, kRingBytes));
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const LaunchAttributes together = {false, 0, true};
  const Shape shape = shape_of(*problem);
  auto *const drawn = static_cast<uint64_t *>(launch->zeroed);
  auto *const groups = reinterpret_cast<PersistentGroup *>(drawn + 1);
  const PersistentWork shared = {reinterpret_cast<unsigned *>(drawn), groups,
                                 reinterpret_cast<uint64_t *>(groups + shape.groups),
                                 static_cast<int32_t>(shape.slices), static_cast<int32_t>(shape.groups)};
  return with_kernel(*problem, [&](auto tag, auto kernel) {
    return launch_kernel(together, launch, kName, static_cast<unsigned>(shape.slices * shape.groups),
                         kPersistentBlockThreads, kRingBytes, kernel,
                         make_row_work<typename decltype(tag)::type>(*problem), shared);
  });
}

void workspace(const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
  *scratch = 0;
  const Shape shape = shape_of(*problem);
  *zeroed = sizeof(uint64_t) + static_cast<size_t>(shape.groups) * sizeof(PersistentGroup) +
            static_cast<size_t>(rows_of(*problem) * shape.slices) * 8;
}

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  if (!all_aligned(*problem, reject)) {
    if (!is_softmax(*problem)) return 0;
    if (!begins_alike(*problem, GPUOPT_OPERAND_OUT, reject)) return 0;
    constexpr int64_t kLeastVectors = 32;  // every slice has some, wherever a row begins
    const int64_t vectors = problem->n * dtype_bytes(problem->operand[GPUOPT_OPERAND_X].m.dtype) / 16;
    if (vectors < kLeastVectors)
      return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_X, vectors, kLeastVectors,
                    "16-byte vectors of a row, at least");
  }
  for (int i : {GPUOPT_OPERAND_GAMMA, GPUOPT_OPERAND_BETA}) {
    const gpuopt_matrix &weights = problem->extra[i - 4].m;
    if (weights.dtype == 0 || problem->batch <= 1 || weights.batch_stride == 0) continue;
    return refuse(reject, GPUOPT_REJECT_FEATURE, i, weights.batch_stride, 0, "weights of each matrix");
  }
  if (!row_can_run(problem, most_slices(*problem) * kPersistentThreads * kSliceVectors, reject)) return 0;
  const int64_t most = kMostWords / shape_of(*problem).slices;
  if (problem->m == 0 || problem->batch == 0 || problem->m <= most / problem->batch) return 1;
  return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_X, problem->m, most / problem->batch, "rows");
}

double predict_us(const gpuopt_problem *problem) {
  if (!is_known(*problem->device)) return 0;
  const double launch_us = norm_shared_figures.persistent_launch_us;
  return has_no_elements(*problem) ? launch_us
                                   : launch_us + turns_us(*problem, row_facts(*problem), shape_of(*problem));
}

#define GPUOPT_ENTRY_(T, norm, any) \
  {kPersistentBlockThreads, kRingBytes, reinterpret_cast<const void *>(norm_persistent_row_kernel<T, norm, any>)},
gpuopt_resource kResources[] = {GPUOPT_PERSISTENT_INSTANCES(GPUOPT_ENTRY_)};
#undef GPUOPT_ENTRY_

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = row_kernel(kName, "long rows held by groups of blocks, which keep their weights");
  for (int32_t &align : k.align) align = 8;  // below that it is not known where vectors begin
  k.version = 4;
  k.aliases = "norm_team_row";
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
