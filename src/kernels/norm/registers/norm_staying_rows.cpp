// norm_staying_rows: warps stay for many rows of 272 bytes to 1 MB, one or some of them to a row, or those of a cluster.
//
// Idea and data movement: staying_rows.cuh, with one to four vectors a thread: a warp has up to 2 KB of a row, a block of an SM
// as many rows at a time as it has warps for, and up to 16 of them share a longer one. Weights are read and widened once a
// block; the next row is on its way to shared memory while one is normalised.
//
// norm_staying_softmax is the same for SOFTMAX and LOG_SOFTMAX, whose exponentials are computed once.
//
// Needs: sm_90; x, residual, out and sum of one type (f32, f16, bf16), row-major, whose rows begin alike; weights of that type
// or fp32; LAYERNORM, or RMSNORM without beta; where there is no residual an activation between two linear steps, or e4m3 whose
// vectors begin at whole accesses; one matrix; what a block has of shared memory; of many rows zeroed memory, from which their
// numbers are drawn. A softmax has no residual, stages or e4m3.
// Prediction: a copy's rate where a row's instructions, some 10 an element, take less than its bytes; beside that one row's
// way, and that of the weights.
// arch class: performance
#include <cuda_runtime.h>

#include "common/cluster_places.h"
#include "common/dtypes.cuh"
#include "common/wide_cluster.h"
#include "norm/common/begins_alike.h"
#include "norm/common/early_row_launch.h"
#include "norm/common/hiding.h"
#include "norm/common/row_linear.h"
#include "norm/registers/alike_period.h"
#include "norm/registers/figures.h"
#include "norm/registers/shared_loader.h"
#include "norm/registers/staying_rows.h"

namespace gpuopt {
namespace {

constexpr char kName[] = "norm_staying_rows";
constexpr int64_t kLeastVectors = 17;
constexpr int64_t kRoundsInTurn = 4;  // up to which no numbers are drawn; above a group's rows ahead
// Of rows that are drawn: counters at least, each of which gives a number in 2.8 ns. Of short rows more are taken in turn, for
// it is the counters that they wait for; longer ones are to come from memory in their order.
constexpr int64_t kLeastCounters = 16, kShortRow = 2 << 10;
// Rows of a block at once, where they are many: the bytes that hide memory's answers, by as many warps as have the
// instructions. More of them wait for memory longer, and leave lines that two rows share half written.
constexpr int64_t kBytesAtOnce = 30 << 10, kWarpsAtOnce = 16;
constexpr int64_t kManyAtOnce = 24;  // rows of a block that come in two rounds rather than in one

bool has_chain(const gpuopt_problem &problem) { return problem.stage_count > 0 || narrows(problem); }

struct Shape {
  bool any;                // rows begin anywhere
  int64_t classes;         // rows that begin alike are so many apart, or fewer
  int64_t unit;            // vectors that a row is dealt out in
  int64_t each, warps;     // vectors of a thread, warps of a block that have a row
  int64_t blocks, groups;  // of a cluster, which have a row; rows of a block at once
  int64_t clusters;        // of all
  int64_t rows, rounds;    // of the fullest cluster, and of one of its groups
  bool deep;               // two rows of a group are on their way
  bool draws;              // row numbers are drawn
  double late;             // share of the rows' time by which clusters that do not run at once end later
  int64_t bytes;           // of a block's shared memory
};

int64_t bytes_of(const gpuopt_problem &problem, const Shape &shape) {
  return staying_bytes(!is_f32(problem), staying_weights(problem.variant), static_cast<int>(shape.each),
                       has_residual(problem), shape.any, static_cast<int>(shape.warps), static_cast<int>(shape.groups),
                       shape.deep ? 2 : 1, shape.blocks > 1);
}
// Clusters are launched so that each has a multiprocessor for every block. Those that do not run at once with the others come when
// these have ended, and their rows with them: all of them, or those that are not drawn, whose ways nothing hides then. The share
// of the rows' time by which the last end later.
double late_share(const gpuopt_problem &problem, int64_t blocks, int64_t clusters, bool draws) {
  const int64_t with_rows = clusters < problem.m ? clusters : problem.m;
  const int64_t waves = ceil_div(with_rows, clusters_at_once(*problem.device, blocks, 1));
  return static_cast<double>(waves - 1) * (draws ? 0.75 : 1.0);
}
// As many as run at once. Rows that begin alike want a multiple of as many as there are ways to begin: where that would leave too many
// multiprocessors empty, some clusters come late.
int64_t clusters_of(const gpuopt_problem &problem, int64_t blocks, int64_t classes) {
  constexpr int64_t kTwoGroups = 33;  // of multiprocessors, in one of which a cluster is placed
  const gpuopt_device_facts &device = *problem.device;
  const auto whole = [&](int64_t most) {
    const int64_t clusters = (most < problem.m ? most : problem.m) / classes * classes;
    return clusters < classes ? classes : clusters;
  };
  const int64_t few = whole(clusters_at_once(device, blocks, 1));
  if (classes == 1 || blocks <= 2) return few;
  const int64_t many = whole(2 * device.sm_count / kTwoGroups * (kTwoGroups / 2 / blocks));
  const auto time_of = [&](int64_t clusters) {
    const int64_t rows = ceil_div(problem.m, clusters);
    return static_cast<double>(rows) * (1 + late_share(problem, blocks, clusters, rows > kRoundsInTurn));
  };
  return many > few && time_of(many) < time_of(few) ? many : few;
}
int64_t read_bytes_of_row(const gpuopt_problem &problem) {
  return problem.n * dtype_bytes(problem.operand[GPUOPT_OPERAND_X].m.dtype) * (has_residual(problem) ? 2 : 1);
}
// Numbers are drawn: fewer rows at once, and as many counters as short rows need, of a number of clusters that is a multiple,
// though a few multiprocessors may have no cluster then.
void set_drawn(const gpuopt_problem &problem, Shape &shape) {
  const RowFacts f = row_facts(problem);
  const int64_t acts = f.activations > 0 ? 1 : 0,
                warps = kWarpsAtOnce + 4 * (acts + (is_layer_norm(problem) ? acts : 0)),
                by_warps = ceil_div(warps, shape.warps),
                by_bytes = ceil_div(kBytesAtOnce * shape.blocks, read_bytes_of_row(problem)),
                enough = by_bytes > by_warps ? by_bytes : by_warps, alike = shape.classes;
  if (shape.groups > enough) shape.groups = enough;
  while (shape.classes < kLeastCounters && shape.classes + alike <= shape.clusters) shape.classes += alike;
  for (int64_t classes = shape.classes; classes <= 2 * kLeastCounters && classes <= shape.clusters; classes += alike) {
    if (shape.clusters % classes != 0) continue;
    shape.classes = classes;
    break;
  }
  shape.clusters = shape.clusters / shape.classes * shape.classes;
  shape.rows = ceil_div(problem.m, shape.clusters);
  shape.rounds = ceil_div(shape.rows, shape.groups);
}
// As many rows of a block at once as registers and shared memory are enough for, where so many blocks have a row; none where it
// does not fit.
Shape shape_with(const gpuopt_problem &problem, int64_t blocks, int64_t most_vectors = kMostStaying) {
  const int64_t vectors = problem.n / vector_elements(problem),
                limit = problem.device->smem_per_block_optin - kBesideWeights;
  Shape shape = {};
  shape.any = !all_aligned(problem);
  shape.blocks = blocks;
  shape.unit = shape.any ? kStayingUnit : vectors % 8 == 0 ? 8 : 1;  // whole lines of memory where the row has no other
  shape.classes = shape.any ? alike_period(problem.operand[GPUOPT_OPERAND_X],
                                           static_cast<int32_t>(shape.unit * vector_elements(problem)))
                            : 1;
  shape.clusters = clusters_of(problem, blocks, shape.classes);
  shape.rows = ceil_div(problem.m, shape.clusters);
  // As few warps as hold a row; then all of a thread's vectors but the last are there.
  const int64_t unit = shape.any ? kStayingUnit : 1, units = vectors / unit, of_lanes = 32 / unit;
  shape.warps = ceil_div(units, of_lanes * most_vectors * blocks);
  shape.each = ceil_div(ceil_div(units, shape.warps * blocks), of_lanes);
  if (shape.warps > kMostStayingWarps) return shape;
  shape.groups = staying_threads(!is_f32(problem), static_cast<int>(shape.each)) / (32 * shape.warps);
  if (shape.warps > 1 && shape.groups > kMostStayingGroups) shape.groups = kMostStayingGroups;
  if (shape.groups > shape.rows) shape.groups = shape.rows;
  while (shape.groups > 0 && bytes_of(problem, shape) > limit) --shape.groups;
  if (shape.groups == 0) return shape;
  shape.rounds = ceil_div(shape.rows, shape.groups);
  shape.draws = shape.rounds > kRoundsInTurn;
  if (shape.draws) set_drawn(problem, shape);
  // Rounds as full as each other.
  if (shape.rounds == 1 && shape.groups >= kManyAtOnce) shape.rounds = 2;
  if (!shape.draws) shape.groups = ceil_div(shape.rows, shape.rounds);
  shape.late = late_share(problem, blocks, shape.clusters, shape.draws);
  // One that has a block to itself would wait for its next row, if that came no sooner.
  shape.deep = shape.groups == 1 && shape.rounds > 1;
  if (shape.deep && bytes_of(problem, shape) > limit) shape.deep = false;
  shape.bytes = bytes_of(problem, shape);
  return shape;
}

// Of a warp and row, counted in the machine code: addresses, joins and factors; then of an element.
double instructions_of(const RowFacts &f, const Shape &shape) {
  const double row = 140 + (shape.any ? 30 : 0) + (f.activations > 0 ? 20 : 0) + (shape.warps > 1 ? 40 : 0) +
                     (shape.blocks > 1 ? 40 : 0);
  const double element = 4 + 2 * f.layernorm + 3 * f.softmax + 0.75 * f.weights + 2 * f.residual + 0.5 * f.sum +
                         (f.stages > 0 ? 1 : 0) +
                         norm_registers_figures.staying_activation_instructions * f.activations;
  return row + static_cast<double>(shape.each) * f.elements * element;
}
// The fullest block's rows, so many at once, without their bytes: a row's way, and all that is issued.
double rows_us(const gpuopt_problem &problem, const RowFacts &f, const Shape &shape) {
  const auto &figures = norm_registers_figures;
  const double instructions = instructions_of(f, shape), clock = problem.device->clock_mhz;
  const double way_us = figures.staying_row_us + (shape.warps > 1 ? figures.staying_join_us : 0) +
                        (shape.blocks > 1 ? figures.staying_meet_us : 0) +
                        instructions * figures.staying_clocks / clock;
  // A cluster's next row is on its way no sooner than all of its blocks have the one before, and of more than two one is late.
  const double next_us = shape.blocks > 2 ? figures.staying_next_us : 0;
  const double wave_us = static_cast<double>(shape.rounds) * way_us + static_cast<double>(shape.rounds - 1) * next_us +
                         issuing_us(*problem.device, static_cast<double>(shape.rows * shape.warps) * instructions);
  return (1 + shape.late) * wave_us;
}
// The fastest one. Blocks share a row that is too long for one, or where there are fewer rows than multiprocessors. Found for
// every launch, so few are tried: of many rows one, and never fewer vectors of a thread than it has registers for, which
// would be worth one per cent. Few rows take a warp's way through its vectors: as few of them as leave all rows at once.
Shape shape_of(const gpuopt_problem &problem) {
  Shape best = {};
  double best_us = 0;
  const RowFacts f = row_facts(problem);
  for (int64_t blocks = 1; blocks <= kMostStayingBlocks; blocks *= 2) {
    if (blocks > 1 && best.groups > 0 &&
        (best.blocks == 1 ? problem.m * blocks > problem.device->sm_count : blocks > 2 * best.blocks))
      break;
    // Each warp has some of the row: what has no elements has no mean.
    if (blocks > 1 && problem.n / vector_elements(problem) < 32 * blocks) break;
    Shape shape = shape_with(problem, blocks);
    if (shape.groups == 0) continue;
    for (int64_t most = kMostStaying - 1; shape.rounds == 1 && most > 0; --most) {
      const Shape wider = shape_with(problem, blocks, most);
      if (wider.groups == 0 || wider.rounds > 1) break;
      shape = wider;
    }
    const double us = rows_us(problem, f, shape);
    if (best.groups > 0 && us >= best_us) continue;
    best = shape;
    best_us = us;
  }
  return best;
}

StayingRows staying_rows(const gpuopt_problem &problem, const Shape &shape, void *zeroed) {
  const int64_t units = problem.n / vector_elements(problem) / shape.unit, warps = shape.warps * shape.blocks;
  const auto pitch_of = [&](int operand) {
    const gpuopt_operand &o = problem.operand[operand];
    return static_cast<uint32_t>(o.m.dtype != 0 ? o.m.ld * dtype_bytes(o.m.dtype) : 0);
  };
  const int weights = staying_weights(problem.variant), each = static_cast<int>(shape.each);
  const int64_t slots = shape.groups * shape.warps * staying_row_bytes(each, has_residual(problem));
  StayingRows rows = {};
  rows.classes = static_cast<int32_t>(shape.classes);
  rows.per_class = static_cast<uint32_t>((1 << 20) / shape.classes + 1);
  rows.step = static_cast<int32_t>(shape.groups * shape.clusters);
  rows.in_turn = INT32_MAX;
  if (shape.draws) {
    const int64_t thirds = read_bytes_of_row(problem) < kShortRow ? 2 : 1, ahead = shape.deep ? 2 : 1,
                  part = problem.m / rows.step * thirds / 3;
    rows.counters = static_cast<uint32_t *>(zeroed);
    rows.in_turn = static_cast<int32_t>(part > ahead + 2 ? part : ahead + 2);  // a number is drawn so many rows ahead
    // Each group draws ahead + 2 numbers that are no row's, and those of its first rows are not drawn.
    rows.beyond = static_cast<int32_t>(rows.step / shape.classes * (ahead + 2 - rows.in_turn));
  }
  while (int64_t{1} << rows.block_bits < shape.blocks) ++rows.block_bits;
  rows.slots_at = static_cast<int32_t>(shape.warps * staying_weight_bytes(!is_f32(problem), weights, each) +
                                       staying_single_bytes(weights, shape.any));
  rows.slot_step = static_cast<int32_t>(shape.deep ? slots : 0);
  rows.meetings_at = static_cast<int32_t>(rows.slots_at + slots + rows.slot_step);
  rows.low = static_cast<int32_t>(units / warps);
  rows.extra = static_cast<int32_t>(units % warps);
  rows.unit = static_cast<int32_t>(shape.unit);
  rows.x_pitch = pitch_of(GPUOPT_OPERAND_X);
  rows.residual_pitch = pitch_of(GPUOPT_OPERAND_RESIDUAL);
  rows.out_pitch = pitch_of(GPUOPT_OPERAND_OUT);
  rows.sum_pitch = pitch_of(GPUOPT_OPERAND_SUM);
  rows.per_element = 1.0f / static_cast<float>(problem.n);
  return rows;
}

// f(T's tag, the kernel, the chain, the rows).
template <class F>
gpuopt_status with_kernel(const gpuopt_problem &problem, const Shape &shape, void *zeroed, F &&f) {
  RowLinear chain = {};
  match_row_linear(problem, chain);
  const StayingRows rows = staying_rows(problem, shape, zeroed);
  return with_row_type(problem, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return with_constant<1, 2, 3, 4>(static_cast<int>(shape.each), [&](auto each) {
      return with_constant<GPUOPT_NORM_LAYERNORM, GPUOPT_NORM_RMSNORM, GPUOPT_NORM_SOFTMAX, GPUOPT_NORM_LOG_SOFTMAX>(
          problem.variant, [&](auto norm) {
            return with_constant<0, 1>(shape.any, [&](auto any) {
              constexpr int kNorm = decltype(norm)::value, V = decltype(each)::value;
              constexpr bool kAny = decltype(any)::value != 0;
              if constexpr (staying_weights(kNorm) > 0) {
                if (has_chain(problem))
                  return f(tag, norm_staying_rows_kernel<T, kNorm, V, false, kAny, RowLinear>, chain, rows);
                if (has_residual(problem))
                  return f(tag, norm_staying_rows_kernel<T, kNorm, V, true, kAny, NoChain>, NoChain{}, rows);
              }
              return f(tag, norm_staying_rows_kernel<T, kNorm, V, false, kAny, NoChain>, NoChain{}, rows);
            });
          });
    });
  });
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const Shape shape = shape_of(*problem);
  return with_kernel(*problem, shape, nullptr, [&](auto tag, auto kernel, auto &&...) {
    const gpuopt_status status = shared_row_loader(launch, kName, static_cast<size_t>(shape.bytes))(tag, kernel);
    if (status != GPUOPT_OK) return status;
    return allow_cluster(launch, kName, reinterpret_cast<const void *>(kernel), shape.blocks,
                         32 * shape.warps * shape.groups, shape.bytes);
  });
}
gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const Shape shape = shape_of(*problem);
  const auto launch_it = [&](auto tag, auto kernel, const auto &chain, const StayingRows &rows) {
    auto work = make_row_work<typename decltype(tag)::type>(*problem);
    // Early, for blocks of the next launch come up as these end, one after the other.
    LaunchAttributes attributes = early_launch(*problem);
    if (attributes.early) work.early_blocks = static_cast<uint32_t>(shape.clusters * shape.blocks);
    if (shape.blocks > 1) attributes.cluster = static_cast<int32_t>(shape.blocks);
    return launch_kernel(attributes, launch, kName, dim3(static_cast<unsigned>(shape.clusters * shape.blocks)),
                         dim3(static_cast<unsigned>(32 * shape.warps), static_cast<unsigned>(shape.groups)),
                         static_cast<size_t>(shape.bytes), kernel, work, chain, rows);
  };
  return with_kernel(*problem, shape, launch->zeroed, launch_it);
}

void workspace(const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
  *scratch = *zeroed = 0;
  if (has_no_elements(*problem)) return;
  const Shape shape = shape_of(*problem);
  if (shape.draws) *zeroed = static_cast<size_t>(shape.classes) * kCounterStep * sizeof(uint32_t);
}

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  RowLinear chain;
  const bool adds = has_residual(*problem);
  const int32_t unfit = match_row_linear(*problem, chain);
  if (unfit >= 0)
    return refuse(reject, GPUOPT_REJECT_STAGE, GPUOPT_OPERAND_STAGE + unfit, 0, 0,
                  "stages are no activation between two linear steps of numbers");
  if (adds && has_chain(*problem))
    return refuse(reject, GPUOPT_REJECT_DTYPE, GPUOPT_OPERAND_RESIDUAL,
                  problem->operand[GPUOPT_OPERAND_RESIDUAL].m.dtype, 0, "a residual before stages");
  const gpuopt_operand &beta = problem->extra[GPUOPT_OPERAND_BETA - 4];
  if (!is_layer_norm(*problem) && beta.m.dtype != 0)
    return refuse(reject, GPUOPT_REJECT_DTYPE, GPUOPT_OPERAND_BETA, beta.m.dtype, 0, "RMSNORM with beta");
  constexpr int64_t kMostVectors = int64_t{32} * kMostStayingWarps * kMostStaying * kMostStayingBlocks;
  if (!row_can_run(problem, kMostVectors + 1, reject, true)) return 0;
  if (has_no_elements(*problem)) return 1;
  for (int operand = 0; operand < 4; ++operand) {
    const gpuopt_operand &o = problem->operand[operand];
    constexpr int64_t kMostPitch = int64_t{1} << 31;
    if (o.m.dtype != 0 && o.m.ld >= kMostPitch / dtype_bytes(o.m.dtype))
      return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, operand, o.m.ld, kMostPitch / dtype_bytes(o.m.dtype), "ld");
  }
  if (!all_aligned(*problem)) {
    for (int operand : {GPUOPT_OPERAND_RESIDUAL, GPUOPT_OPERAND_OUT, GPUOPT_OPERAND_SUM})
      if (problem->operand[operand].m.dtype != 0 && !begins_alike(*problem, operand, reject)) return 0;
  }
  const int64_t vectors = problem->n / vector_elements(*problem);
  if (vectors < kLeastVectors)
    return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_X, vectors, kLeastVectors,
                  "16-byte vectors of a row, at least");
  if (shape_with(*problem, kMostStayingBlocks).groups > 0) return 1;
  return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_X, vectors, 0,
                "16-byte vectors of a row: more than a cluster has registers or shared memory for");
}

double predict_us(const gpuopt_problem *problem) {
  const auto &figures = norm_registers_figures;
  const gpuopt_device_facts &device = *problem->device;
  if (!is_known(device)) return 0;
  if (has_no_elements(*problem)) return figures.block_launch_us;
  const RowFacts f = row_facts(*problem);
  const Shape shape = shape_of(*problem);
  const double bytes_us = (f.read_bytes + f.written_bytes) / (figures.staying_share * device.memory_gbs * 1e3),
               work_us = rows_us(*problem, f, shape);
  // A block's first rows, and its weights in fp32, which nothing hides.
  const double fill_bytes = (static_cast<double>(shape.groups) * f.x_bytes / f.rows + 4 * f.weights * f.columns) /
                            static_cast<double>(shape.blocks);
  return figures.block_launch_us + figures.staying_start_us + figures.staying_fill_us * fill_bytes / 16384 +
         hiding_us(bytes_us, work_us);
}

// A block's memory goes by the row: here a layer norm's, or what there is, of as many warps as there are.
#define GPUOPT_ENTRY_(T, norm, V, adds, any, Chain)                                                                  \
  {staying_threads(sizeof(T) == 2, V),                                                                               \
   staying_bytes(sizeof(T) == 2, staying_weights(norm), V, adds, any, 1, staying_threads(sizeof(T) == 2, V) / 32, 1, \
                 false),                                                                                             \
   reinterpret_cast<const void *>(norm_staying_rows_kernel<T, norm, V, adds, any, Chain>)},
gpuopt_resource kResources[] = {
    GPUOPT_STAYING_INSTANCES(GPUOPT_ENTRY_, false, NoChain) GPUOPT_STAYING_INSTANCES(GPUOPT_ENTRY_, true, NoChain)
        GPUOPT_STAYING_INSTANCES(GPUOPT_ENTRY_, false, RowLinear)
            GPUOPT_STAYING_INSTANCES(GPUOPT_ENTRY_, true, RowLinear) GPUOPT_STAYING_SUM_INSTANCES(GPUOPT_ENTRY_, false)
                GPUOPT_STAYING_SUM_INSTANCES(GPUOPT_ENTRY_, true)};
gpuopt_resource kSoftmaxResources[] = {GPUOPT_STAYING_SOFTMAX_INSTANCES(GPUOPT_ENTRY_, false)  //
                                       GPUOPT_STAYING_SOFTMAX_INSTANCES(GPUOPT_ENTRY_, true)};
#undef GPUOPT_ENTRY_

constexpr gpuopt_kernel staying_kernel(const char *name, const char *summary, uint32_t variants) {
  gpuopt_kernel k = row_kernel(name, summary);
  k.understands = GPUOPT_FEATURE_LARGE;  // one matrix
  k.variants = variants;
  for (int32_t &align : k.align) align = 8;  // below that it is not known where vectors begin
  k.cc_min = 90;
  k.cc_max = 119;
  k.can_run = can_run;
  k.workspace = workspace;
  return k;
}
constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k =
      staying_kernel(kName, "rows of up to 1 MB, one after the other by warps that stay, with weights in shared memory",
                     1 << GPUOPT_NORM_LAYERNORM | 1 << GPUOPT_NORM_RMSNORM);
  k.version = 8;
  set_signatures(k, kRowSignaturesNarrow);
  k.stage_kinds = kLinearActKinds;
  k.max_stages = kMostChainStages;
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}
constexpr gpuopt_kernel make_softmax() {
  gpuopt_kernel k = staying_kernel("norm_staying_softmax", "softmax and log-softmax by norm_staying_rows",
                                   1 << GPUOPT_NORM_SOFTMAX | 1 << GPUOPT_NORM_LOG_SOFTMAX);
  k.version = 7;
  set_signatures(k, kRowSignaturesAlone);
  set_functions(k, predict_us, prepare, launch, kSoftmaxResources);
  return k;
}
constexpr gpuopt_kernel kKernels[] = {make_kernel(), make_softmax()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
