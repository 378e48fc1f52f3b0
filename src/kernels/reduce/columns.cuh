// Threads side by side along the columns, a 16-byte piece (of 1-byte types 8) of the row each, walking down; the rest
// of the block, and further blocks, take other rows.
//
// Data movement: every byte once. A warp's load covers up to 512 contiguous bytes of a row, and four such rows are
// under way in every thread; nothing is exchanged until the end, when the block joins its threads in shared memory.
// Where a strip of columns is shared by several blocks (its splits), they meet within the launch: each leaves a partial
// a column, and the block that started last combines them in the order of the splits (meeting.cuh). Two kernels share
// this:
//   reduce_columns_vec16   rows that begin at 16-byte boundaries
//   reduce_columns_scalar  any rows: each thread takes columns a warp's width apart, one element a load, so that
//                          each load of a warp is still contiguous
#ifndef GPUOPT_KERNELS_REDUCE_COLUMNS_CUH
#define GPUOPT_KERNELS_REDUCE_COLUMNS_CUH

#include "common/launch.h"
#include "dispatch.cuh"
#include "divide.cuh"
#include "lanes.cuh"
#include "lines.h"
#include "meeting.cuh"
#include "output.cuh"
#include "plan.cuh"

namespace gpuopt {
namespace reduce {

constexpr int kColumnThreads = 256;
// Rows of a thread under way.
constexpr int rows_under_way(int bytes, int op) {
  return bytes == 1 || (bytes == 2 && (op == kArg || op == kDot)) ? 2 : 4;
}

// Columns of a thread, and the bytes it loads at once where it loads them at once.
constexpr int columns_of_thread(int bytes) { return bytes == 1 ? 8 : 16 / bytes; }

struct ColumnWalk {
  View x, y;
  int64_t rows, cols, range;  // range: rows a split
  SmallDivider strips, splits;
  int32_t split_count;
  int32_t lanes;  // threads side by side; a power of two up to a warp
};

// The partials of `width` columns for each of `rows` (a power of two) lanes of rows, lane by lane in shared memory:
// those of lane 0 become the totals.
template <class Op>
__device__ __forceinline__ void join_rows(typename Op::Partial *shared, int width, int rows) {
  for (int below = rows / 2; below > 0; below /= 2) {
    __syncthreads();
    for (int at = threadIdx.x; at < below * width; at += kColumnThreads)
      shared[at] = Op::combine(shared[at], shared[at + below * width]);
  }
  __syncthreads();
}

template <int kDtype, int kOp, bool kVectors>
__device__ __forceinline__ void reduce_columns(OpState state, const ColumnWalk &walk, const Meeting &meeting,
                                               const Output &output) {
  using Op = OpOfChoice<kOp, kDtype>;
  using Second = typename Op::Second;
  using T = typename TypesOf<kDtype>::Stored;
  constexpr int N = columns_of_thread(sizeof(T)), kColumnRows = rows_under_way(sizeof(T), kOp);
  const Op op{state_of_choice<kOp>(state)};
  const int lane = threadIdx.x % walk.lanes, row_lane = threadIdx.x / walk.lanes;
  const int row_lanes = kColumnThreads / walk.lanes, width = walk.lanes * N;
  uint32_t strip, split;
  const uint32_t strip_of_all = walk.splits.divide(blockIdx.x, split);
  const uint32_t p = walk.strips.divide(strip_of_all, strip);
  constexpr int W = kWords<typename Op::Partial>;
  uint32_t ticket = 0;
  if (meeting.tickets != nullptr) {
    ticket = draw_ticket(meeting, strip_of_all);
    if (threadIdx.x < width) fetch_slot(meeting.slots + (int64_t{blockIdx.x} * width + threadIdx.x) * W);
  }
  const int64_t first_col = int64_t{strip} * width;
  const int in_strip = walk.cols - first_col < width ? static_cast<int>(walk.cols - first_col) : width;
  const auto column = [&](int e) { return kVectors ? lane * N + e : e * walk.lanes + lane; };

  Lane<Op, T, 1> of_column[N];
  int64_t row = int64_t{split} * walk.range + row_lane;
  const int64_t range_end = (int64_t{split} + 1) * walk.range, end = range_end < walk.rows ? range_end : walk.rows;
  const int64_t col = first_col + column(0);
  const T *x = static_cast<const T *>(walk.x.data) + walk.x.offset(p, row, col);
  const T *y = Op::kReadsY ? static_cast<const T *>(walk.y.data) + walk.y.offset(p, row, col) : nullptr;
  const int64_t x_step = row_lanes * walk.x.row_step, y_step = row_lanes * walk.y.row_step;
  const int col_step = kVectors ? 1 : walk.lanes;
  const auto absorb = [&](auto of_rows, int left, const auto &of_x, const auto &of_y, int e) {
    constexpr int kRows = decltype(of_rows)::value;
    Pack<T, 1> x_of_column[kRows], y_of_column[kRows];
#pragma unroll
    for (int u = 0; u < kRows; ++u) {
      x_of_column[u].v[0] = of_x[u].v[e];
      y_of_column[u].v[0] = Op::kReadsY ? of_y[u].v[e] : of_x[u].v[e];
    }
    of_column[e].absorb(op, left, x_of_column, y_of_column, row, row_lanes);
  };
  if (column(N - 1) < in_strip) {
    for (; row < end; row += kColumnRows * row_lanes) {
      const int left = (static_cast<int>(end - row) + row_lanes - 1) >> (31 - __clz(row_lanes));
      Pack<T, N> of_x[kColumnRows], of_y[kColumnRows];
#pragma unroll
      for (int u = 0; u < kColumnRows; ++u) {
        if (u >= left) continue;
        if constexpr (kVectors) {
          of_x[u] = *reinterpret_cast<const Pack<T, N> *>(x + u * x_step);
          if constexpr (Op::kReadsY) of_y[u] = *reinterpret_cast<const Pack<T, N> *>(y + u * y_step);
        } else {
#pragma unroll
          for (int e = 0; e < N; ++e) {
            of_x[u].v[e] = x[u * x_step + e * col_step];
            if constexpr (Op::kReadsY) of_y[u].v[e] = y[u * y_step + e * col_step * walk.y.col_step];
          }
        }
      }
#pragma unroll
      for (int e = 0; e < N; ++e) absorb(cuda::std::integral_constant<int, kColumnRows>{}, left, of_x, of_y, e);
      x += kColumnRows * x_step;
      if constexpr (Op::kReadsY) y += kColumnRows * y_step;
    }
  } else {  // the last strip's threads that have some of their columns, or none
#pragma unroll 1
    for (; row < end; row += row_lanes) {
      Pack<T, N> of_x[1], of_y[1];
#pragma unroll
      for (int e = 0; e < N; ++e) {
        if (column(e) >= in_strip) continue;
        of_x[0].v[e] = x[e * col_step];
        if constexpr (Op::kReadsY) of_y[0].v[e] = y[e * col_step * walk.y.col_step];
        absorb(cuda::std::integral_constant<int, 1>{}, 1, of_x, of_y, e);
      }
      x += x_step;
      if constexpr (Op::kReadsY) y += y_step;
    }
  }

  __shared__ typename Op::Partial shared[kColumnThreads * N];
#pragma unroll
  for (int e = 0; e < N; ++e) shared[row_lane * width + column(e)] = of_column[e].partial(op);
  join_rows<Op>(shared, width, row_lanes);

  if (walk.split_count == 1) {
    for (int c = threadIdx.x; c < in_strip; c += kColumnThreads)
      write_result<T>(Second{state}, output, p, first_col + c, static_cast<typename Second::Partial>(shared[c]));
    return;
  }
  uint64_t *slots = meeting.slots + int64_t{strip_of_all} * walk.split_count * (width * W);
  if (!is_last_block(meeting, strip_of_all, walk.split_count, ticket)) {
    for (int c = threadIdx.x; c < in_strip; c += kColumnThreads)
      leave_partial(slots + (split * width + c) * W, shared[c]);
    return;
  }
  // width and the number of threads are powers of two: `parts` threads a column share its splits.
  __shared__ typename Second::Partial of_part[kColumnThreads];
  const int parts = kColumnThreads / width, c = threadIdx.x % width, part = threadIdx.x / width;
  if (c < in_strip) {
    of_part[threadIdx.x] = gather_partials<Op, 4>(slots + c * W, width * W, part, walk.split_count, parts,
                                                  static_cast<int>(split), shared[c]);
  }
  join_rows<Second>(of_part, width, parts);
  if (part == 0 && c < in_strip) write_result<T>(Second{state}, output, p, first_col + c, of_part[c]);
}

constexpr int64_t kMostRowsOfLane = 1024;  // a chain of additions

struct ColumnPlan {
  ColumnWalk walk;
  int64_t strips, splits, blocks;  // strips of all matrices
};

inline ColumnPlan column_plan(const gpuopt_problem &problem) {
  ColumnPlan plan = {};
  ColumnWalk &walk = plan.walk;
  walk.x = matrix_view(problem.operand[GPUOPT_OPERAND_X]);
  walk.y = matrix_view(problem.operand[GPUOPT_OPERAND_Y]);
  walk.rows = problem.m;
  walk.cols = problem.n;
  const int bytes = dtype_bytes(walk.x.dtype), columns = columns_of_thread(bytes);
  const int64_t pieces = ceil_div(problem.n, columns), wanted = int64_t{4} * problem.device->sm_count;
  // Narrower strips where that fills the device; but at least 128 bytes.
  walk.lanes = power_of_two(pieces, kWarp);
  while (walk.lanes > 8 && problem.batch * ceil_div(pieces, walk.lanes) * ceil_div(problem.m, 128) < wanted / 2)
    walk.lanes /= 2;
  const int64_t strips = ceil_div(pieces, walk.lanes), row_lanes = kColumnThreads / walk.lanes;
  plan.strips = problem.batch * (strips > 0 ? strips : 1);
  const int64_t step = row_lanes * rows_under_way(bytes, op_of(problem.variant)),
                steps = ceil_div(problem.m > 0 ? problem.m : 1, step);
  const int64_t most = wanted / plan.strips > 1 ? wanted / plan.strips : 1;
  const int64_t range = ceil_div(steps, most) * step, longest = kMostRowsOfLane * row_lanes;
  walk.range = range < longest ? range : longest;
  plan.splits = problem.m > 0 ? ceil_div(problem.m, walk.range) : 1;
  plan.blocks = plan.strips * plan.splits;
  walk.split_count = static_cast<int32_t>(plan.splits);
  walk.strips = SmallDivider(strips > 0 ? strips : 1);
  walk.splits = SmallDivider(plan.splits);
  return plan;
}

inline size_t column_ticket_bytes(const ColumnPlan &plan) {
  return (static_cast<size_t>(plan.strips) * 4 + 255) / 256 * 256;
}

inline void column_workspace(const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
  const ColumnPlan plan = column_plan(*problem);
  *scratch = *zeroed = 0;
  if (plan.splits == 1) return;
  const int32_t dtype = problem->operand[GPUOPT_OPERAND_X].m.dtype;
  const size_t columns = static_cast<size_t>(plan.walk.lanes) * columns_of_thread(dtype_bytes(dtype));
  *zeroed = column_ticket_bytes(plan) +
            static_cast<size_t>(plan.blocks) * columns * 2 * partial_bytes(op_of(problem->variant), dtype);
}

inline int can_run_columns(const gpuopt_problem *problem, gpuopt_reject *reject) {
  if (problem->batch == 0 || problem->n == 0) return 1;  // no output, no launch
  const int64_t blocks = column_plan(*problem).blocks;
  if (blocks < kSmallEnd) return 1;
  *reject = {GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, blocks, kSmallEnd - 1, "blocks"};
  return 0;
}

// kernels(choice): the kernel function of a choice.
template <class Kernels>
gpuopt_status launch_columns(const gpuopt_problem *problem, const gpuopt_launch *launch, const char *name,
                             Kernels &&kernels) {
  const ColumnPlan plan = column_plan(*problem);
  const Output output = make_output(*problem);
  const OpState state = state_of(problem->variant);
  Meeting meeting = {};
  if (plan.splits > 1) {
    meeting.tickets = static_cast<uint32_t *>(launch->zeroed);
    meeting.slots = reinterpret_cast<uint64_t *>(static_cast<char *>(launch->zeroed) + column_ticket_bytes(plan));
  }
  return with_choice(*problem, [&](auto choice) {
    return launch_kernel(launch, name, dim3(static_cast<unsigned>(plan.blocks)), dim3(kColumnThreads), 0,
                         kernels(choice), state, plan.walk, meeting, output);
  });
}

template <class Kernels>
gpuopt_status prepare_columns(const gpuopt_problem *problem, const gpuopt_launch *launch, const char *name,
                              Kernels &&kernels) {
  return with_choice(*problem, [&](auto choice) { return load_kernel(launch, name, kernels(choice)); });
}

template <bool kVectors>
double predict_columns_us(const gpuopt_problem *problem) {
  const gpuopt_device_facts &device = *problem->device;
  const ColumnPlan plan = column_plan(*problem);
  const double bytes = dtype_bytes(plan.walk.x.dtype);
  const double elements =
      static_cast<double>(problem->batch) * static_cast<double>(problem->m) * static_cast<double>(problem->n);
  const double read = elements * bytes * (problem->variant == GPUOPT_REDUCE_DOT ? 2 : 1);
  const double threads = static_cast<double>(plan.blocks) * kColumnThreads, resident = 1024.0 * device.sm_count;
  const double busy = threads < resident ? threads / resident : 1;
  const double memory = read / (device.memory_gbs * 1e3 * (kVectors ? 0.96 : 0.9));
  const double instructions = (kVectors ? 4.0 : 8.0) + (op_of(problem->variant) == kArg ? 12 : 0);
  const double issue = elements * instructions / (device.sm_count * 100.0 * device.clock_mhz);
  return (plan.splits > 1 ? 4.3 : 3.5) + (memory > issue ? memory : issue) / busy;
}

}  // namespace reduce
}  // namespace gpuopt

#endif
