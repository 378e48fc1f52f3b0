// Rows of half a KB and more: a team of neighbouring threads a row, of a warp or of up to a block.
//
// Data movement: every byte once, in 16-byte vectors, four of every thread under way. Rows begin and end anywhere: the
// elements before the first 16-byte boundary and after the last are asked for first, one a thread, and added last, so
// that any alignment reads at full speed. A result needs nothing from outside its team: shuffles, and one barrier
// where the team is more than a warp.
// Rows that are whole vectors have a kernel of their own, for sums and ARGs, which is shorter.
//   reduce_rows_warp   a warp a row, eight rows a block
//   reduce_rows_block  64 to 256 threads a row, so that each has about four vectors: many short lives hide each other's
//                      beginnings and ends better than few long ones
// Needs: DOT: rows of both operands at 16-byte boundaries.
// Recorded (H200, 2026-11-21, single call, cold): f32 sums of 8192 rows of 8192 62.2 us, 4,313 GB/s, 99 % of read (1.00
// of CUB's speed), of 4097 rows of 4099 18.6 us, 97 % (1.05), of 32 rows of 4096 4.26 us, 86 % (0.97), in a graph 1.38
// us (1.21); bf16 of 8192 rows of 8192 32.9 us, 98 % (1.14); ARGMAX of 8192 rows of 8192 f32 63.4 us, 97 %, bf16 34.6
// us, 93 %; all by reduce_rows_block. Forced, reduce_rows_warp: f32 sum of 8192 rows of 8192 71.5 us, 85 % (0.88).
// Measured once, not in a record (H200, 2026-11-21, single call, cold), a warp a row: f32 4097 rows of 4099 19.8 us,
// bf16 65,536 rows of 1024 33.4 us.
#include "common/dependent_launch.cuh"
#include "dispatch.cuh"
#include "divide.cuh"
#include "join.cuh"
#include "line.cuh"
#include "lines.h"
#include "output.cuh"
#include "plan.cuh"

namespace gpuopt {
namespace reduce {

constexpr int kRowThreads = 256;
// Blocks a multiprocessor that registers are to suffice for. sm_75 has room for four; on sm_80 extremes take more
// registers than five leave.
#if __CUDA_ARCH__ == 750
constexpr int kMostRowBlocks = 4, kMostExtremeBlocks = 4;
#elif __CUDA_ARCH__ == 800
constexpr int kMostRowBlocks = 5, kMostExtremeBlocks = 4;
#else
constexpr int kMostRowBlocks = 5, kMostExtremeBlocks = 5;
#endif
constexpr int row_blocks(int dtype, int op) {
  if (dtype_bytes(dtype) == 1) return 2;
  if (computed_dtype(dtype) != GPUOPT_F32 || op == kDot) return 4;
  return op == kExtreme ? kMostExtremeBlocks : kMostRowBlocks;
}

// What every thread looks at comes first: each further line of the parameters costs a miss in the constant cache.
struct RowWalk {
  View x;
  int64_t length;
  uint32_t rows;     // of all matrices together
  int16_t log_team;  // of the threads of a row, 32 to kRowThreads
  bool has_many;     // matrices
  void *plain;       // where write_plain() writes; NULL: see output
  SmallDivider per_matrix;
  View y;
};

// Whether a key and an index within a row (32 bits each then) go into one word, whose least is the first of the best.
template <class Op>
constexpr bool kIsOneWord = cuda::std::is_same_v<Op, Arg<float>>;

// Joins the partials of the teams of a block; the first thread of each gets the result. All threads call it.
template <class Op>
__device__ __forceinline__ typename Op::Partial join_team(typename Op::Partial partial, int team, int thread) {
  if constexpr (kIsOneWord<Op>) {
    const uint64_t word =
        join_team<Extreme<double>>(uint64_t{partial.key} << 32 | static_cast<uint32_t>(partial.index), team, thread);
    return {static_cast<uint32_t>(word >> 32), static_cast<int64_t>(word & 0xffffffffu)};
  } else {
    constexpr int kWarps = kRowThreads / kWarp;
    __shared__ typename Op::Partial of_warp[kWarps];
    const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
    partial = join_warp<Op>(partial);
    if (team == kWarp) return partial;
    if (lane == 0) of_warp[warp] = partial;
    __syncthreads();
    if (thread < kWarp) {
      partial = lane < team / kWarp ? of_warp[warp + lane] : Op::identity();
#pragma unroll
      for (int distance = kWarps / 2; distance > 0; distance /= 2)
        partial = Op::combine(partial, shuffle_down(partial, distance));
    }
    return partial;
  }
}

// As resolve(), for the partial of lane 0, by a whole warp: an element a lane.
template <int N, class Op, class T>
__device__ __forceinline__ typename Op::Partial resolve_by_warp(const Op &op, typename Op::Partial of_line,
                                                                const T *line, int64_t length) {
  if constexpr (cuda::std::is_same_v<Op, Arg<typename Op::Computed>>) {
    const int lane = threadIdx.x % kWarp;
    const int64_t first = __shfl_sync(~0u, of_line.index, 0);
    const auto key = __shfl_sync(~0u, of_line.key, 0);
    const bool is_it = lane < N && first + lane < length &&
                       to_key(widen<typename Op::Computed>(line[first + lane]), op.state.most) == key;
    of_line.index += __ffs(static_cast<int>(__ballot_sync(~0u, is_it))) - 1;
  }
  return of_line;
}

// kWhole: rows of one matrix that are whole vectors at their boundaries, and totals of the commonest kind: half the
// instructions before the first load, of which a small call waits for every line, and a large one issues them all.
constexpr bool has_whole(int dtype, int op) {
  return (op == kSum || op == kArg) && (dtype == GPUOPT_F32 || dtype == GPUOPT_F16 || dtype == GPUOPT_BF16);
}
template <int kDtype, int kOp, bool kWhole = false>
__global__ void __launch_bounds__(kRowThreads, row_blocks(kDtype, kOp))
    rows_of_teams(OpState state, RowWalk walk, Output output) {
  using Op = OpOfChoice<kOp, kDtype>;
  using C = typename Op::Computed;
  using T = typename TypesOf<kDtype>::Stored;
  constexpr int N = kVector<T>;
  const Op op{state_of_choice<kOp>(state)};
  const int team = 1 << walk.log_team, thread = threadIdx.x & (team - 1);
  const uint32_t row = (blockIdx.x << (31 - __clz(kRowThreads) - walk.log_team)) + (threadIdx.x >> walk.log_team);
  const bool is_row = row < walk.rows;
  uint32_t p = 0, i = is_row ? row : 0;
  if (!kWhole && walk.has_many) p = walk.per_matrix.divide(i, i);
  wait_for_stream();
  const T *x = static_cast<const T *>(walk.x.data) + walk.x.offset(p, i, 0);
  const T *y = Op::kReadsY ? static_cast<const T *>(walk.y.data) + walk.y.offset(p, i, 0) : nullptr;

  const int head = kWhole ? 0 : head_of(x, walk.length);
  const int64_t body = (walk.length - head) / N;
  // The ends have less than N, so at most 15 elements each: the first warp's halves take them.
  const int tail = static_cast<int>(walk.length - head - body * N), half = thread & 15;
  const bool has_end = !kWhole && is_row && thread < kWarp && half < (thread < 16 ? head : tail);
  const int64_t end_index = half + (thread < 16 ? 0 : head + body * N);
  T end_x = T(), end_y = T();
  if (has_end) {
    end_x = x[end_index];
    if constexpr (Op::kReadsY) end_y = y[end_index];
  }

  Lane<Op, T, N> lane;
  int64_t index = head + int64_t{thread} * N;
  const auto *from_x = reinterpret_cast<const Loaded<Op, T, N> *>(x + index);
  const auto *from_y = reinterpret_cast<const Loaded<Op, T, N> *>(y + (Op::kReadsY ? index : 0));
  int left = is_row && body > thread ? static_cast<int>((body - thread + team - 1) >> walk.log_team) : 0;
  constexpr int U = Op::kReadsY ? kLineInFlight / 2 : kLineInFlight;
  for (; left > 0; left -= U) {
    Loaded<Op, T, N> of_x[U], of_y[U];
#pragma unroll
    for (int u = 0; u < U; ++u) {
      if (u < left) of_x[u] = from_x[u * team];
      if constexpr (Op::kReadsY) {
        if (u < left) of_y[u] = from_y[u * team];
      }
    }
    lane.absorb(op, left, of_x, of_y, index, int64_t{team} * N);
    from_x += U * team;
    if constexpr (Op::kReadsY) from_y += U * team;
    index += int64_t{U} * team * N;
  }
  typename Op::Partial partial = lane.partial(op);
  if (has_end) partial = Op::combine(partial, op.map(widen<C>(end_x), Op::kReadsY ? widen<C>(end_y) : C(0), end_index));

  partial = join_team<Op>(partial, team, thread);
  if (thread >= kWarp || !is_row) return;
  partial = resolve_by_warp<N>(op, partial, x, walk.length);
  using Second = typename Op::Second;
  if (thread != 0) return;
  const auto total = static_cast<typename Second::Partial>(partial);
  if (kWhole || walk.plain != nullptr) return write_plain<C>(Second{state}, walk.plain, row, total);
  write_result<T>(Second{state}, output, p, i, total);
}

namespace {

constexpr char kWarpName[] = "reduce_rows_warp", kBlockName[] = "reduce_rows_block";

// Follows from the length of a row and the op.
int32_t team_of(const gpuopt_problem &problem, const LineFacts &facts, bool of_warp) {
  if (of_warp) return kWarp;
  // An ARG has more to do in the end.
  const int64_t vectors = op_of(problem.variant) == kArg ? 10 : 5;  // of a thread, at most
  const int32_t team = power_of_two(ceil_div(facts.vectors, vectors), kRowThreads);
  return team < 2 * kWarp ? 2 * kWarp : team;
}

// The kernel of a choice; of whole rows where it has one.
const auto kernel_of = [](auto choice, bool whole) {
  using Choice = decltype(choice);
  const auto any = rows_of_teams<Choice::kDtype, Choice::kOp>;
  if constexpr (has_whole(Choice::kDtype, Choice::kOp))
    return whole ? rows_of_teams<Choice::kDtype, Choice::kOp, true> : any;
  else
    return any;
};

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  constexpr int64_t kMostColumns = 0xfffffffe;  // the index of an ARG is a half of a word
  if (op_of(problem->variant) == kArg && problem->n > kMostColumns) {
    *reject = {GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, problem->n, kMostColumns, "columns"};
    return 0;
  }
  return can_run_lines(problem, reject);
}

template <bool kOfWarp>
gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const LineFacts facts = line_facts(*problem);
  const int32_t team = team_of(*problem, facts, kOfWarp);
  RowWalk walk = {};
  walk.x = matrix_view(problem->operand[GPUOPT_OPERAND_X]);
  walk.y = matrix_view(problem->operand[GPUOPT_OPERAND_Y]);
  walk.length = facts.length;
  walk.rows = static_cast<uint32_t>(facts.results);
  walk.per_matrix = SmallDivider(problem->m > 0 ? problem->m : 1);
  walk.has_many = problem->batch > 1;
  while (1 << walk.log_team < team) ++walk.log_team;
  const Output output = make_output(*problem);
  walk.plain = plain_output(*problem);
  const OpState state = state_of(problem->variant);
  const gpuopt_operand &x = problem->operand[GPUOPT_OPERAND_X];
  const bool whole = walk.plain != nullptr && !walk.has_many && x.align >= 16 && x.ld_align >= 16 &&
                     facts.length * facts.bytes % 16 == 0;
  return with_choice(*problem, [&](auto choice) {
    return launch_kernel(early_launch(*problem), launch, kOfWarp ? kWarpName : kBlockName,
                         dim3(static_cast<unsigned>(ceil_div(facts.results, kRowThreads / team))), dim3(kRowThreads), 0,
                         kernel_of(choice, whole), state, walk, output);
  });
}
template <bool kOfWarp>
gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const char *name = kOfWarp ? kWarpName : kBlockName;
  return with_choice(*problem, [&](auto choice) {
    const gpuopt_status status = load_kernel(launch, name, kernel_of(choice, false));
    return status == GPUOPT_OK ? load_kernel(launch, name, kernel_of(choice, true)) : status;
  });
}

// Memory's time, or that of the teams' lives one after the other: a life is about 0.9 us from the first load to the
// result, and 0.45 us for every four vectors of a thread beyond the first. The last lives end when most are over.
template <bool kOfWarp>
double predict_us(const gpuopt_problem *problem) {
  const gpuopt_device_facts &device = *problem->device;
  const LineFacts facts = line_facts(*problem);
  const int32_t team = team_of(*problem, facts, kOfWarp);
  const double steps = static_cast<double>(ceil_div(facts.vectors > 0 ? facts.vectors : 1, team * kLineInFlight));
  const double waves = static_cast<double>(facts.results) * team / (1280.0 * device.sm_count);
  const double life = 0.9 + 0.45 * (steps - 1), lives = (waves < 1 ? 1 : waves) * life;
  const double memory = facts.read_bytes / (0.97 * device.memory_gbs * 1e3) + 0.6;
  const double shared =
      team > kWarp && team < kRowThreads && facts.vectors < 768 ? 0.6 : 0;  // rows of a block wait for each other
  return 3.0 + (memory > lives ? memory : lives) + 0.2 * life + 0.02 * lives + shared;
}

#define GPUOPT_WHOLE_ROWS_(op)                                                                 \
  {kRowThreads, 0, reinterpret_cast<const void *>(rows_of_teams<GPUOPT_F32, op, true>)},       \
      {kRowThreads, 0, reinterpret_cast<const void *>(rows_of_teams<GPUOPT_F16, op, true>)}, { \
    kRowThreads, 0, reinterpret_cast<const void *>(rows_of_teams<GPUOPT_BF16, op, true>)       \
  }
gpuopt_resource kResources[] = {GPUOPT_REDUCE_RESOURCES(rows_of_teams, kRowThreads), GPUOPT_WHOLE_ROWS_(kSum),
                                GPUOPT_WHOLE_ROWS_(kArg)};
#undef GPUOPT_WHOLE_ROWS_

template <bool kOfWarp>
constexpr gpuopt_kernel make_kernel(const char *summary) {
  gpuopt_kernel k = line_kernel_descriptor(kOfWarp ? kWarpName : kBlockName, summary, GPUOPT_EACH_ROW);
  k.can_run = can_run;
  set_functions(k, predict_us<kOfWarp>, prepare<kOfWarp>, launch<kOfWarp>, kResources);
  return k;
}

constexpr gpuopt_kernel kKernels[] = {
    make_kernel<true>("a warp a row, 16-byte loads: rows of half a KB to some KB"),
    make_kernel<false>("64 to 256 threads a row, 16-byte loads: rows of some KB and more"),
};

}  // namespace
}  // namespace reduce
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::reduce::kKernels);
