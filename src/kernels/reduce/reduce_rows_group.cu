// A group of 1 to 32 neighbouring threads a row, for rows of at most a warp's width; several rows of a thread under
// way.
//
// Data movement: the lanes of a group read neighbouring pieces of a row and the groups of a warp neighbouring rows, so
// a warp's load covers one contiguous run where rows are packed, however short they are; each thread has four such
// loads (of rows far apart) under way. Every lane of a group learns the group's results, and lane u stores the one of
// row u: one store of the warp instead of four.
//   reduce_rows_group         16-byte loads: rows at 16-byte boundaries
//   reduce_rows_group_scalar  element loads: any rows
// Needs: rows of at most 2 KB, or 128 elements.
// Measured on an H200 (2026-11-21, single call, cold): f32 sum of 1,048,576 rows of 64 74 us, 3,668 GB/s, of 4,194,304
// rows of 16 74 us, 3,855 GB/s, of 262,144 rows of 256 66 us, 4,084 GB/s; scalar 124, 191 us.
#include "common/launch.h"
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

struct GroupWalk {
  View x, y;
  int64_t cols;
  uint32_t rows;  // of all matrices together
  SmallDivider per_matrix;
  bool has_many;           // matrices
  int32_t group, vectors;  // lanes a row, a power of two; vectors a row
};

// N elements a load.
template <int kDtype, int kOp, int N>
__device__ __forceinline__ void reduce_groups(OpState state, const GroupWalk &walk, const Output &output) {
  using Op = OpOfChoice<kOp, kDtype>;
  using T = typename TypesOf<kDtype>::Stored;
  const Op op{state_of_choice<kOp>(state)};
  const int lane = threadIdx.x % walk.group, group = threadIdx.x / walk.group, groups = kGroupThreads / walk.group;
  const uint32_t first = blockIdx.x * (groups * kGroupRows) + group;
  const T *x[kGroupRows], *y[kGroupRows];
  bool is_row[kGroupRows];
#pragma unroll
  for (int u = 0; u < kGroupRows; ++u) {
    const uint32_t row = first + u * groups;
    is_row[u] = row < walk.rows;
    uint32_t p = 0, i = is_row[u] ? row : 0;
    if (walk.has_many) p = walk.per_matrix.divide(i, i);
    x[u] = static_cast<const T *>(walk.x.data) + walk.x.offset(p, i, 0);
    y[u] = Op::kReadsY ? static_cast<const T *>(walk.y.data) + walk.y.offset(p, i, 0) : nullptr;
  }
  Lane<Op, T, N> lanes[kGroupRows];
  for (int v = lane; v < walk.vectors; v += walk.group) {
    Pack<T, N> of_x[kGroupRows][1], of_y[kGroupRows][1];
#pragma unroll
    for (int u = 0; u < kGroupRows; ++u) {
      if (!is_row[u]) continue;
      of_x[u][0] = reinterpret_cast<const Pack<T, N> *>(x[u])[v];
      if constexpr (Op::kReadsY) {
        if constexpr (N > 1)
          of_y[u][0] = reinterpret_cast<const Pack<T, N> *>(y[u])[v];
        else
          of_y[u][0].v[0] = y[u][v * walk.y.col_step];
      }
    }
#pragma unroll
    for (int u = 0; u < kGroupRows; ++u) {
      if (is_row[u]) lanes[u].absorb(op, 1, of_x[u], of_y[u], int64_t{v} * N, 0);
    }
  }
  typename Op::Partial of_row[kGroupRows];
  const int past_vectors = walk.vectors * N, tail = static_cast<int>(walk.cols) - past_vectors;
#pragma unroll
  for (int u = 0; u < kGroupRows; ++u) {
    of_row[u] = lanes[u].partial(op);
    if (N > 1 && tail > 0 && is_row[u]) {
#pragma unroll 1
      for (int e = past_vectors + lane; e < past_vectors + tail; e += walk.group) {
        using C = typename Op::Computed;
        of_row[u] = Op::combine(of_row[u], op.map(widen<C>(x[u][e]), Op::kReadsY ? widen<C>(y[u][e]) : C(0), e));
      }
    }
    of_row[u] = join_lanes_all<Op>(of_row[u], walk.group);
  }
#pragma unroll 1
  for (int u = lane; u < kGroupRows; u += walk.group) {
    const uint32_t row = first + u * groups;
    if (row >= walk.rows) continue;
    typename Op::Partial total = of_row[0];
#pragma unroll
    for (int other = 1; other < kGroupRows; ++other) {
      if (other == u) total = of_row[other];
    }
    uint32_t p = 0, i = row;
    if (walk.has_many) p = walk.per_matrix.divide(i, i);
    const T *line = static_cast<const T *>(walk.x.data) + walk.x.offset(p, i, 0);
    using Second = typename Op::Second;
    write_result<T>(Second{state}, output, p, i,
                    static_cast<typename Second::Partial>(resolve<N>(op, total, line, walk.cols)));
  }
}

template <int kDtype, int kOp>
__global__ void __launch_bounds__(kGroupThreads) rows_group_vectors(OpState state, GroupWalk walk, Output output) {
  reduce_groups<kDtype, kOp, kVector<typename TypesOf<kDtype>::Stored>>(state, walk, output);
}
template <int kDtype, int kOp>
__global__ void __launch_bounds__(kGroupThreads) rows_group_elements(OpState state, GroupWalk walk, Output output) {
  reduce_groups<kDtype, kOp, 1>(state, walk, output);
}

namespace {

constexpr char kVectorName[] = "reduce_rows_group", kElementName[] = "reduce_rows_group_scalar";
constexpr int64_t kMostVectors = 4 * kWarp, kMostElements = 128;

int refuse(gpuopt_reject *reject, int32_t code, int operand, int64_t have, int64_t need, const char *what) {
  *reject = {code, operand, have, need, what};
  return 0;
}

template <bool kVectors>
int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  const int bytes = dtype_bytes(problem->operand[GPUOPT_OPERAND_X].m.dtype), per_vector = kVectors ? 16 / bytes : 1;
  const int64_t most = kVectors ? kMostVectors * per_vector : kMostElements;
  if (problem->n > most)
    return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, problem->n, most, "columns");
  // Below 2^31 by more than the rows of a block, which may be past the last.
  const int64_t rows = problem->batch * problem->m, most_rows = kSmallEnd - kGroupThreads * kGroupRows;
  if (rows > most_rows) return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, rows, most_rows, "rows");
  for (int o = 0; kVectors && o < (problem->variant == GPUOPT_REDUCE_DOT ? 2 : 1); ++o) {
    if (problem->operand[o].m.layout != GPUOPT_ROW)
      return refuse(reject, GPUOPT_REJECT_LAYOUT, o, problem->operand[o].m.layout, GPUOPT_ROW, nullptr);
  }
  return 1;
}

GroupWalk make_walk(const gpuopt_problem &problem, bool vectors) {
  GroupWalk walk = {};
  walk.x = matrix_view(problem.operand[GPUOPT_OPERAND_X]);
  walk.y = matrix_view(problem.operand[GPUOPT_OPERAND_Y]);
  walk.rows = static_cast<uint32_t>(problem.batch * problem.m);
  walk.cols = problem.n;
  walk.per_matrix = SmallDivider(problem.m > 0 ? problem.m : 1);
  walk.has_many = problem.batch > 1;
  walk.vectors = static_cast<int32_t>(vectors ? problem.n * dtype_bytes(walk.x.dtype) / 16 : problem.n);
  walk.group = power_of_two(walk.vectors > 0 ? walk.vectors : 1, kWarp);
  return walk;
}

template <bool kVectors>
gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  GroupWalk walk = make_walk(*problem, kVectors);
  const Output output = make_output(*problem);
  const OpState state = state_of(problem->variant);
  const int64_t rows_of_block = int64_t{kGroupThreads / walk.group} * kGroupRows;
  return with_choice(*problem, [&](auto choice) {
    using C = decltype(choice);
    return launch_kernel(launch, kVectors ? kVectorName : kElementName,
                         dim3(static_cast<unsigned>(ceil_div(walk.rows, rows_of_block))), dim3(kGroupThreads), 0,
                         kVectors ? rows_group_vectors<C::kDtype, C::kOp> : rows_group_elements<C::kDtype, C::kOp>,
                         state, walk, output);
  });
}

template <bool kVectors>
gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_choice(*problem, [&](auto choice) {
    using C = decltype(choice);
    return load_kernel(launch, kVectors ? kVectorName : kElementName,
                       kVectors ? rows_group_vectors<C::kDtype, C::kOp> : rows_group_elements<C::kDtype, C::kOp>);
  });
}

// Reading and writing at the rate of memory, or issuing the loads where those are small.
template <bool kVectors>
double predict_us(const gpuopt_problem *problem) {
  const gpuopt_device_facts &device = *problem->device;
  const LineFacts facts = line_facts(*problem);
  const GroupWalk walk = make_walk(*problem, kVectors);
  const double memory = (facts.read_bytes + 8.0 * static_cast<double>(walk.rows)) / (0.9 * device.memory_gbs * 1e3);
  const double steps = static_cast<double>(ceil_div(walk.vectors, walk.group)) + 6;
  const double warps = static_cast<double>(walk.rows) * walk.group / kWarp;
  const double issue = warps * steps * 12 / (device.sm_count * 4.0 * device.clock_mhz);
  return 3.2 + (memory > issue ? memory : issue);
}

gpuopt_resource kVectorResources[] = {GPUOPT_REDUCE_RESOURCES(rows_group_vectors, kGroupThreads)};
gpuopt_resource kElementResources[] = {GPUOPT_REDUCE_RESOURCES(rows_group_elements, kGroupThreads)};

constexpr gpuopt_kernel make_vector_kernel() {
  gpuopt_kernel k = line_kernel_descriptor(kVectorName, "a group of threads a row, 16-byte loads: rows of up to 2 KB",
                                           GPUOPT_EACH_ROW);
  for (int o : {GPUOPT_OPERAND_X, GPUOPT_OPERAND_Y}) k.align[o] = k.ld_align[o] = 16;
  k.can_run = can_run<true>;
  k.predict_us = predict_us<true>;
  k.prepare = prepare<true>;
  k.launch = launch<true>;
  k.resources = kVectorResources;
  k.resource_count = sizeof kVectorResources / sizeof kVectorResources[0];
  return k;
}
constexpr gpuopt_kernel make_element_kernel() {
  gpuopt_kernel k = line_kernel_descriptor(
      kElementName, "a group of threads a row, element loads: any rows of up to 128 elements", GPUOPT_EACH_ROW);
  k.can_run = can_run<false>;
  k.predict_us = predict_us<false>;
  k.prepare = prepare<false>;
  k.launch = launch<false>;
  k.resources = kElementResources;
  k.resource_count = sizeof kElementResources / sizeof kElementResources[0];
  return k;
}

constexpr gpuopt_kernel kKernels[] = {make_vector_kernel(), make_element_kernel()};

}  // namespace
}  // namespace reduce
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::reduce::kKernels);
