// Short rows: a group of 1 to 32 neighbouring threads a row.
//
// Data movement: see rows_group.cuh. By 16-byte loads where rows are at such boundaries; the commonest reductions wherever
// rows begin; else by elements.
// Needs: rows of at most 2 KB by 16-byte loads (row-major, at 16-byte boundaries), of at most 4 KB where the commonest
// begin anywhere, of at most 128 elements otherwise.
// Predicted: the memory's time with the results written, or that of issuing the steps where rows are very short or read
// by elements.
// arch class: performance
#include <cuda_runtime.h>

#include "common/dependent_launch.cuh"
#include "common/dtypes.cuh"
#include "reduce/common/choices.h"
#include "reduce/common/cost.h"
#include "reduce/common/every_choice.cuh"
#include "reduce/rows/figures.h"
#include "reduce/rows/rows_group.h"

namespace gpuopt {

namespace {

constexpr char kName[] = "reduce_rows_group";

// Four vectors of a lane, eight where rows begin anywhere, and elements.
constexpr int64_t kMostVectors = 4 * kWarp, kMostPieces = 8 * kWarp, kMostElements = 4 * kWarp;

// What keeps the problem from 16-byte loads, if anything.
int can_use_vectors(const gpuopt_problem &problem, gpuopt_reject *reject) {
  const int64_t most = kMostVectors * (16 / dtype_bytes(problem.operand[GPUOPT_OPERAND_X].m.dtype));
  if (problem.n > most)
    return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, problem.n, most, "columns");
  for (int o = 0; o < (problem.variant == GPUOPT_REDUCE_DOT ? 2 : 1); ++o) {
    const gpuopt_operand &x = problem.operand[o];
    if (x.m.layout != GPUOPT_ROW) return refuse(reject, GPUOPT_REJECT_LAYOUT, o, x.m.layout, GPUOPT_ROW, nullptr);
    const int32_t of_rows = x.ld_align < x.stride_align ? x.ld_align : x.stride_align;
    const int32_t least = x.align < of_rows ? x.align : of_rows;
    if (least < 16) return refuse(reject, GPUOPT_REJECT_ALIGN, o, least, 16, "base, ld and batch stride");
  }
  return 1;
}
GroupLoads loads_of(const gpuopt_problem &problem) {
  gpuopt_reject ignored;
  if (can_use_vectors(problem, &ignored)) return GroupLoads::vectors;
  const int32_t dtype = problem.operand[GPUOPT_OPERAND_X].m.dtype;
  return has_pieces(dtype, choice_of(problem)) && problem.n <= kMostPieces * (16 / dtype_bytes(dtype))
             ? GroupLoads::pieces
             : GroupLoads::any;
}

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  // Below 2^31 by more than the rows of a block, which may be past the last.
  const int64_t rows = problem->batch * problem->m, most_rows = kSmallEnd - kGroupThreads * kGroupRows;
  if (rows > most_rows) return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, rows, most_rows, "rows");
  return problem->n <= kMostElements || loads_of(*problem) == GroupLoads::pieces || can_use_vectors(*problem, reject);
}

// Lanes of a row of so many vectors: at first a vector each, up to a warp. Half as many have more turns, whose loads wait, but
// fewer of them may be idle in the last, and more rows share what is done once for several. They must leave every multiprocessor
// two blocks.
int32_t group_of(const gpuopt_problem &problem, int32_t most, int64_t vectors) {
  constexpr int32_t kLeast = 8;  // a line of memory
  const double of_half = reduce_rows_figures.plan_half_group;
  const int64_t rows = problem.batch * problem.m, two_blocks = int64_t{2} * problem.device->sm_count;
  const auto lanes = [&](int32_t group) { return static_cast<double>(ceil_div(vectors, group) * group); };
  int32_t best = most;
  double best_lanes = lanes(best), times = 1;
  for (int32_t group = most / 2; group >= kLeast; group /= 2) {
    times *= of_half;
    if (ceil_div(rows, kGroupThreads / group * kGroupRows) < two_blocks) break;
    if (lanes(group) * times >= best_lanes) continue;
    best_lanes = lanes(group) * times;
    best = group;
  }
  return best;
}

GroupWalk group_walk(const gpuopt_problem &problem, GroupLoads loads) {
  GroupWalk walk = {};
  walk.x = matrix_view(problem.operand[GPUOPT_OPERAND_X]);
  walk.y = matrix_view(problem.operand[GPUOPT_OPERAND_Y]);
  const int bytes = dtype_bytes(walk.x.dtype);
  walk.rows = static_cast<uint32_t>(problem.batch * problem.m);
  walk.cols = static_cast<int32_t>(problem.n);
  walk.per_matrix = UnsignedDivider(problem.m > 0 ? problem.m : 1);
  walk.has_many = problem.batch > 1;
  walk.vectors = static_cast<int32_t>(loads == GroupLoads::vectors ? problem.n * bytes / 16 : problem.n);
  int32_t lanes = walk.vectors;
  if (loads == GroupLoads::pieces) {
    const int64_t of_vector = 16 / bytes;
    lanes = walk.whole = static_cast<int32_t>(problem.n / of_vector);
    walk.vectors = problem.n > 0 ? static_cast<int32_t>((problem.n + 2 * (of_vector - 1)) / of_vector) : 0;
  }
  walk.group = power_of_two(lanes > 0 ? lanes : 1, kWarp);
  if (loads != GroupLoads::any) walk.group = group_of(problem, walk.group, walk.vectors);
  if (loads == GroupLoads::any) {
    for (View *view : {&walk.x, &walk.y}) {
      view->batch_step *= bytes;
      view->row_step *= bytes;
    }
  }
  return walk;
}

const auto kernel_of = [](auto choice, GroupLoads loads) {
  using C = decltype(choice);
  if (loads == GroupLoads::vectors) return reduce_group_vectors<C::kDtype, C::kOp>;
  if constexpr (has_pieces(C::kDtype, C::kOp))
    return reduce_group_pieces<C::kDtype, C::kOp>;
  else
    return reduce_group_any<C::kComputed, C::kAnyOp>;
};

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const GroupLoads loads = loads_of(*problem);
  GroupWalk walk = group_walk(*problem, loads);
  if (walk.rows == 0) return GPUOPT_OK;
  const int32_t op = op_of(*problem);
  const int64_t tile = int64_t{kGroupThreads / walk.group} * kGroupRows, tiles = ceil_div(walk.rows, tile);
  // Rows of less than 128 bytes are so many that each block has enough results of one tile.
  const gpuopt_device_facts &device = *problem->device;
  const int64_t blocks = group_blocks(walk.x.dtype, op, loads, device.cc) * int64_t{device.sm_count};
  const int64_t range = walk.group < 8 ? tile : ceil_div(tiles, blocks) * tile;
  const int64_t bytes = partial_bytes(op, walk.x.dtype), kept = kGroupMemory / bytes / tile * tile;
  walk.range = static_cast<uint32_t>(range);
  walk.stage = static_cast<uint32_t>(range < kept ? range : kept);
  // Blocks of several tiles fill the device at once; those of the next launch between them would end unevenly.
  LaunchAttributes attributes = early_launch(*problem);
  attributes.early = attributes.early && range == tile;
  return with_choice(*problem, [&](auto choice) {
    return launch_kernel(attributes, launch, kName, dim3(static_cast<unsigned>(ceil_div(walk.rows, range))),
                         dim3(kGroupThreads), static_cast<size_t>(walk.stage) * static_cast<size_t>(bytes),
                         kernel_of(choice, loads), state_of(problem->variant), walk, reduce_output(*problem));
  });
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_choice(*problem,
                     [&](auto choice) { return load_kernel(launch, kName, kernel_of(choice, loads_of(*problem))); });
}

// Reading and writing at the rate of memory, or issuing the loads, what joins the rows of a warp, and the results.
double predict_us(const gpuopt_problem *problem) {
  const ReduceRowsFigures &f = reduce_rows_figures;
  const GroupLoads loads = loads_of(*problem);
  const GroupWalk walk = group_walk(*problem, loads);
  const int op = op_of(*problem), bytes = dtype_bytes(walk.x.dtype);
  const bool vectors = loads == GroupLoads::vectors, is_slow = bytes == 1 || walk.x.dtype == GPUOPT_F64;
  const double steps = static_cast<double>(ceil_div(walk.vectors, walk.group));
  const int64_t left = vectors ? walk.cols - walk.vectors * (16 / bytes) : 0;
  const double of_op = op == kArg       ? f.group_arg
                       : op == kExtreme ? f.group_extreme
                       : op == kProduct ? f.group_product
                       : op == kDot     ? f.group_dot
                                        : 1;
  const double of_loads =
      loads == GroupLoads::any ? f.group_any : std::sqrt(16.0 / bytes) * (vectors ? 1 : f.group_pieces);
  const double of_step = of_op * of_loads * (is_slow ? f.group_slow : 1);
  const double rows = walk.rows, warps = rows * walk.group / kWarp;
  const double clocks = warps * (f.group_clocks + f.group_step_clocks * steps * of_step +
                                 f.group_rest_clocks * static_cast<double>(ceil_div(left, walk.group))) +
                        rows * (f.group_row_clocks + (op == kArg ? f.group_arg_clocks : 0));
  const double memory = read_us(*problem, touched_bytes(*problem) + 8 * rows, f.group_share);
  return f.group_launch_us + overlapped_us(memory, issue_us(*problem, kWarp * clocks), 0) + f.group_turn_us * steps;
}

#define GPUOPT_PIECES_(op)                                                \
  GPUOPT_REDUCE_RESOURCE_(reduce_group_pieces, kGroupThreads, 1, op),     \
      GPUOPT_REDUCE_RESOURCE_(reduce_group_pieces, kGroupThreads, 3, op), \
      GPUOPT_REDUCE_RESOURCE_(reduce_group_pieces, kGroupThreads, 4, op)
#define GPUOPT_ANY_(op)                                                \
  GPUOPT_REDUCE_RESOURCE_(reduce_group_any, kGroupThreads, 1, op),     \
      GPUOPT_REDUCE_RESOURCE_(reduce_group_any, kGroupThreads, 2, op), \
      GPUOPT_REDUCE_RESOURCE_(reduce_group_any, kGroupThreads, 10, op)
// clang-format off
gpuopt_resource kResources[] = {
    GPUOPT_REDUCE_RESOURCES(reduce_group_vectors, kGroupThreads),
    GPUOPT_PIECES_(kSum), GPUOPT_PIECES_(kExtreme), GPUOPT_PIECES_(kArg),
    GPUOPT_ANY_(kSum), GPUOPT_ANY_(kDot), GPUOPT_ANY_(kProduct), GPUOPT_ANY_(kExtreme), GPUOPT_ANY_(kArg),
    GPUOPT_REDUCE_RESOURCE_(reduce_group_any, kGroupThreads, 10, kWideSum)};
// clang-format on
#undef GPUOPT_PIECES_
#undef GPUOPT_ANY_

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = line_kernel_descriptor(
      kName,
      "a group of threads a row: by 16-byte loads up to 2 KB, the commonest 4 KB wherever they begin; any 128 elements",
      1u << GPUOPT_EACH_ROW);
  k.version = 3;
  k.aliases = "reduce_rows_group_scalar";
  k.can_run = can_run;
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}

constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
