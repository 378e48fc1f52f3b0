// A group of 1 to 32 neighbouring threads a row, for rows of at most a few loads of a warp; several rows of a thread
// under way.
//
// Data movement: the lanes of a group read neighbouring pieces of a row, the groups of a warp neighbouring rows, and
// the warp's next loads the rows after those: a warp reads one contiguous run where rows are packed, however short they
// are. The rows of a thread are joined across the lanes of its group all at once: in each exchange a lane keeps half of
// its rows and gives the other half away, so four rows in 16 lanes cost five exchanges, not 16. Where rows have 128
// bytes and more, a block keeps its results in shared memory and writes them thousands at a time: memory has to turn
// round for every burst of writes among the reads, and results written as they come, 1.5 % of the bytes, cost 7 % of
// the time (measured once).
#ifndef GPUOPT_KERNELS_REDUCE_ROWS_GROUP_CUH
#define GPUOPT_KERNELS_REDUCE_ROWS_GROUP_CUH

#include "common/dependent_launch.cuh"
#include "dispatch.cuh"
#include "divide.cuh"
#include "join.cuh"
#include "lanes.cuh"
#include "lines.h"
#include "output.cuh"
#include "plan.cuh"

namespace gpuopt {
namespace reduce {

constexpr int kGroupThreads = 256;
constexpr int kGroupRows = 4;  // rows of a thread
// Blocks a multiprocessor: that many are launched, and registers are to suffice for them.
constexpr int group_blocks(int dtype, int op, bool vectors) {
  return vectors && (op == kDot || dtype_bytes(dtype) == 1) ? 2 : 4;
}
constexpr int64_t kGroupMemory = 32 * 1024;  // bytes of results that a block keeps

// What is looked at before the first load comes first: each further line of the parameters costs a miss in the constant
// cache.
struct GroupWalk {
  View x;
  int32_t group, vectors;  // lanes a row, a power of two; loads a row
  uint32_t rows;           // of all matrices together
  uint32_t range, stage;   // rows of a block, and those whose results it keeps before it writes them
  int32_t cols;
  bool has_many;  // matrices
  SmallDivider per_matrix;
  View y;
};

// Joins row r of every lane of the group for all kGroupRows rows r. A lane is left with the totals of `count` rows from
// `first` on, in of_row[0] and following; lanes whose index has bits of `idle` repeat others' totals.
struct JoinedRows {
  int first, count, idle;
};
template <class Op>
__device__ __forceinline__ JoinedRows join_rows_of_group(typename Op::Partial (&of_row)[kGroupRows], int lane,
                                                         int group) {
  JoinedRows joined = {0, kGroupRows, 0};
  int distance = group / 2;
#pragma unroll
  for (int half = kGroupRows / 2; half > 0; half /= 2) {
    if (distance == 0) break;
    const bool upper = (lane & distance) != 0;
#pragma unroll
    for (int r = 0; r < half; ++r) {
      const typename Op::Partial given = upper ? of_row[r] : of_row[r + half],
                                 kept = upper ? of_row[r + half] : of_row[r];
      of_row[r] = Op::combine(kept, shuffle_across(given, distance));
    }
    joined.first += upper ? half : 0;
    joined.count = half;
    distance /= 2;
  }
  joined.idle = distance > 0 ? 2 * distance - 1 : 0;
  for (; distance > 0; distance /= 2) of_row[0] = Op::combine(of_row[0], shuffle_across(of_row[0], distance));
  return joined;
}

// N elements a load. The block takes the rows of its range tile by tile, and keeps results in shared memory until it
// has `stage` of them.
template <int kDtype, int kOp, int N>
__device__ __forceinline__ void reduce_groups(OpState state, const GroupWalk &walk, const Output &output) {
  using Op = OpOfChoice<kOp, kDtype>;
  using Second = typename Op::Second;
  using T = typename TypesOf<kDtype>::Stored;
  extern __shared__ uint4 memory[];
  auto *results = reinterpret_cast<typename Op::Partial *>(memory);
  const Op op{state_of_choice<kOp>(state)};
  wait_for_stream();
  const int lane = threadIdx.x & (walk.group - 1), log_group = 31 - __clz(walk.group), groups = kWarp >> log_group;
  const uint32_t tile = kGroupThreads / kWarp * groups * kGroupRows, begin = blockIdx.x * walk.range;
  const uint32_t end = walk.rows - begin < walk.range ? walk.rows : begin + walk.range;
  const uint32_t place = threadIdx.x / kWarp * groups * kGroupRows + (threadIdx.x % kWarp >> log_group);
  for (uint32_t from = begin; from < end; from += walk.stage) {
    const uint32_t to = end - from < walk.stage ? end : from + walk.stage;
#pragma unroll 1
    for (uint32_t first = from + place; first - place < to; first += tile) {
      const T *x[kGroupRows], *y[kGroupRows];
      // Beyond the last row, the tile's first.
      const uint32_t first_here = first < to ? first : from;
      if (walk.has_many) {
#pragma unroll
        for (int u = 0; u < kGroupRows; ++u) {
          const uint32_t row = first + u * groups;
          uint32_t i = row < to ? row : first_here;
          const uint32_t p = walk.per_matrix.divide(i, i);
          x[u] = static_cast<const T *>(walk.x.data) + walk.x.offset(p, i, 0);
          y[u] = Op::kReadsY ? static_cast<const T *>(walk.y.data) + walk.y.offset(p, i, 0) : nullptr;
        }
      } else {
        x[0] = static_cast<const T *>(walk.x.data) + first_here * walk.x.row_step;
        y[0] = Op::kReadsY ? static_cast<const T *>(walk.y.data) + first_here * walk.y.row_step : nullptr;
        const int64_t x_step = groups * walk.x.row_step, y_step = groups * walk.y.row_step;
#pragma unroll
        for (int u = 1; u < kGroupRows; ++u) {
          const bool is_row = first + u * groups < to;
          x[u] = is_row ? x[0] + u * x_step : x[0];
          y[u] = Op::kReadsY && is_row ? y[0] + u * y_step : y[0];
        }
      }
      Lane<Op, T, N, 1> lanes[kGroupRows];
#pragma unroll 1
      for (int v = lane; v < walk.vectors; v += walk.group) {
        Loaded<Op, T, N> of_x[kGroupRows][1], of_y[kGroupRows][1];
#pragma unroll
        for (int u = 0; u < kGroupRows; ++u) {
          of_x[u][0] = reinterpret_cast<const Loaded<Op, T, N> *>(x[u])[v];
          if constexpr (Op::kReadsY) {
            if constexpr (N > 1)
              of_y[u][0] = reinterpret_cast<const Loaded<Op, T, N> *>(y[u])[v];
            else
              of_y[u][0].v[0] = y[u][v * walk.y.col_step];
          }
        }
#pragma unroll
        for (int u = 0; u < kGroupRows; ++u) lanes[u].absorb(op, 1, of_x[u], of_y[u], v * N, 0);
      }
      typename Op::Partial of_row[kGroupRows];
#pragma unroll
      for (int u = 0; u < kGroupRows; ++u) of_row[u] = lanes[u].partial(op);
      if (N > 1 && walk.vectors * N < walk.cols) {
        using C = typename Op::Computed;
#pragma unroll 1
        for (int e = walk.vectors * N + lane; e < walk.cols; e += walk.group) {
#pragma unroll
          for (int u = 0; u < kGroupRows; ++u)
            of_row[u] = Op::combine(of_row[u], op.map(widen<C>(x[u][e]), Op::kReadsY ? widen<C>(y[u][e]) : C(0), e));
        }
      }
      const JoinedRows joined = join_rows_of_group<Op>(of_row, lane, walk.group);
      if ((lane & joined.idle) == 0) {
#pragma unroll
        for (int r = 0; r < kGroupRows; ++r) {
          const uint32_t row = first + (joined.first + r) * groups;
          if (r < joined.count && row < to) results[row - from] = of_row[r];
        }
      }
    }
    // Of a single tile each warp writes its own rows, and waits for no other.
    const bool is_tile = walk.range == tile;
    const uint32_t warps_rows = groups * kGroupRows, start = threadIdx.x / kWarp * warps_rows;
    const uint32_t start_here = from + (is_tile ? start + threadIdx.x % kWarp : threadIdx.x);
    const uint32_t stop = is_tile && from + start + warps_rows < to ? from + start + warps_rows : to;
    if (is_tile)
      __syncwarp();
    else
      __syncthreads();
#pragma unroll 1
    for (uint32_t row = start_here; row < stop; row += is_tile ? kWarp : kGroupThreads) {
      uint32_t p = 0, i = row;
      if (walk.has_many) p = walk.per_matrix.divide(i, i);
      const T *line = static_cast<const T *>(walk.x.data) + walk.x.offset(p, i, 0);
      write_result<T>(Second{state}, output, p, i,
                      static_cast<typename Second::Partial>(resolve<N>(op, results[row - from], line, walk.cols)));
    }
    if (!is_tile) __syncthreads();
  }
}

// Loads a row, and the most columns.
inline int64_t group_loads(const gpuopt_problem &problem, bool vectors) {
  const int bytes = dtype_bytes(problem.operand[GPUOPT_OPERAND_X].m.dtype);
  return vectors ? problem.n * bytes / 16 : problem.n;
}
inline int64_t most_group_columns(int32_t dtype, bool vectors) {
  return 4 * kWarp * (vectors ? 16 / dtype_bytes(dtype) : 1);
}

inline int can_run_groups(const gpuopt_problem *problem, gpuopt_reject *reject, bool vectors) {
  const auto refuse = [&](int32_t code, int operand, int64_t have, int64_t need, const char *what) {
    *reject = {code, operand, have, need, what};
    return 0;
  };
  const int64_t most = most_group_columns(problem->operand[GPUOPT_OPERAND_X].m.dtype, vectors);
  if (problem->n > most) return refuse(GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, problem->n, most, "columns");
  // Below 2^31 by more than the rows of a block, which may be past the last.
  const int64_t rows = problem->batch * problem->m, most_rows = kSmallEnd - kGroupThreads * kGroupRows;
  if (rows > most_rows) return refuse(GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, rows, most_rows, "rows");
  for (int o = 0; vectors && o < (problem->variant == GPUOPT_REDUCE_DOT ? 2 : 1); ++o) {
    if (problem->operand[o].m.layout != GPUOPT_ROW)
      return refuse(GPUOPT_REJECT_LAYOUT, o, problem->operand[o].m.layout, GPUOPT_ROW, nullptr);
  }
  return 1;
}

inline GroupWalk group_walk(const gpuopt_problem &problem, bool vectors) {
  GroupWalk walk = {};
  walk.x = matrix_view(problem.operand[GPUOPT_OPERAND_X]);
  walk.y = matrix_view(problem.operand[GPUOPT_OPERAND_Y]);
  walk.rows = static_cast<uint32_t>(problem.batch * problem.m);
  walk.cols = static_cast<int32_t>(problem.n);
  walk.per_matrix = SmallDivider(problem.m > 0 ? problem.m : 1);
  walk.has_many = problem.batch > 1;
  walk.vectors = static_cast<int32_t>(group_loads(problem, vectors));
  walk.group = power_of_two(walk.vectors > 0 ? walk.vectors : 1, kWarp);
  return walk;
}

// kernels(choice): the kernel function of a choice.
template <class Kernels>
gpuopt_status launch_groups(const gpuopt_problem *problem, const gpuopt_launch *launch, const char *name, bool vectors,
                            Kernels &&kernels) {
  GroupWalk walk = group_walk(*problem, vectors);
  if (walk.rows == 0) return GPUOPT_OK;
  const Output output = make_output(*problem);
  const OpState state = state_of(problem->variant);
  const int64_t tile = int64_t{kGroupThreads / walk.group} * kGroupRows, tiles = ceil_div(walk.rows, tile);
  // Rows of less than 128 bytes are so many that each block has enough results of one tile.
  const int64_t blocks = group_blocks(walk.x.dtype, op_of(problem->variant), vectors) * problem->device->sm_count;
  const int64_t range = walk.group < 8 ? tile : ceil_div(tiles, blocks) * tile;
  const int64_t bytes = partial_bytes(op_of(problem->variant), walk.x.dtype), kept = kGroupMemory / bytes / tile * tile;
  walk.range = static_cast<uint32_t>(range);
  walk.stage = static_cast<uint32_t>(range < kept ? range : kept);
  // Blocks of several tiles fill the device at once; those of the next launch between them would end unevenly
  // (1,048,576 rows of 64 in a graph: early 74 us, otherwise 64, measured once).
  LaunchAttributes attributes = early_launch(*problem);
  attributes.early = attributes.early && range == tile;
  return with_choice(*problem, [&](auto choice) {
    return launch_kernel(attributes, launch, name, dim3(static_cast<unsigned>(ceil_div(walk.rows, range))),
                         dim3(kGroupThreads), static_cast<size_t>(walk.stage) * static_cast<size_t>(bytes),
                         kernels(choice), state, walk, output);
  });
}

// Reading and writing at the rate of memory, or issuing the loads where those are small.
inline double predict_groups_us(const gpuopt_problem &problem, bool vectors) {
  const gpuopt_device_facts &device = *problem.device;
  const LineFacts facts = line_facts(problem);
  const GroupWalk walk = group_walk(problem, vectors);
  const double memory = (facts.read_bytes + 8.0 * static_cast<double>(walk.rows)) / (0.93 * device.memory_gbs * 1e3);
  const double steps = static_cast<double>(ceil_div(walk.vectors, walk.group)) + 6;
  const double warps = static_cast<double>(walk.rows) * walk.group / kWarp;
  const double issue = warps * steps * 12 / (device.sm_count * 4.0 * device.clock_mhz);
  return 3.2 + (memory > issue ? memory : issue);
}

}  // namespace reduce
}  // namespace gpuopt

#endif
