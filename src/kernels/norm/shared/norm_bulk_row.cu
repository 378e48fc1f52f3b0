// norm_bulk_row: blocks that stay walk over the rows, which bulk copies bring into a ring in shared memory (sm_90).
//
// Idea and data movement: one thread asks for whole rows (and the residual's) some rows ahead; the copy engine moves
// them while the block works on rows that are there, so loads are under way at all times and no thread waits for memory
// with registers full of it. A row goes from the ring into registers once, its place is refilled after the first
// barrier, and the rest is row.cuh.
//
// Needs: sm_90; x, residual, out, sum, gamma, beta of one type (f32, f16, bf16), row-major, aligned to 16 bytes in
// base, leading dimension and batch stride, columns too; at most 16,384 of them; no stages.
// Prediction: read once and written once; behind a copy's rate by what blocks that stay wait for the slowest, ahead of
// registers where those would hold a row and its residual in fp32.

#include <cuda/ptx>

#include "common/dtypes.cuh"
#include "norm/common/row.cuh"
#include "norm/common/row_launch.h"
#include "norm/shared/figures.h"

namespace gpuopt {

constexpr int kBulkRowThreads = 1024, kMostStages = 4;
template <class T>
constexpr int kBulkVectors = sizeof(T) == 4 ? 4 : 2;

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
// A block that does something when all its threads have read the row.
template <class Refill>
struct BulkGroup : BlockGroup<kBulkRowThreads / 32> {
  Refill refill;
  __device__ __forceinline__ BulkGroup(Moments (*shared)[kBulkRowThreads / 32], int uses, Refill when_read)
      : BlockGroup(shared), refill(when_read) {
    used = uses;
  }
  template <int kNorm, bool kSame>
  __device__ __forceinline__ Moments join(const Moments &m, float n) {
    const Moments joined = BlockGroup::join<kNorm, kSame>(m, n);
    refill();
    return joined;
  }
};
#endif

template <class T, int kNorm>
__global__ void __launch_bounds__(kBulkRowThreads)
    norm_bulk_row_kernel(const __grid_constant__ RowWork<T> work, int32_t total, int32_t stages) {
#if !defined(__CUDA_ARCH__) || (__CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1200)  // as the descriptor says
  namespace ptx = cuda::ptx;
  extern __shared__ __align__(128) unsigned char ring[];
  __shared__ uint64_t full[kMostStages];
  __shared__ Moments partials[2][kBulkRowThreads / 32];
  const auto row_bytes = static_cast<uint32_t>(work.cols * sizeof(T));
  const bool adds = work.residual.dtype != 0;
  const uint32_t stage_bytes = adds ? 2 * row_bytes : row_bytes;
  if (threadIdx.x == 0) {
    for (int s = 0; s < stages; ++s) ptx::mbarrier_init(&full[s], 1);
    ptx::fence_proxy_async(ptx::space_shared);
  }
  __syncthreads();
  const auto place = [&](int32_t row, int32_t &i) {
    i = row;
    if (work.batch == 1) return 0;
    const int32_t p = row / work.rows;
    i = row - p * work.rows;
    return p;
  };
  const auto load = [&](int32_t row, int stage) {  // one thread
    int32_t i;
    const int32_t p = place(row, i);
    unsigned char *const to = ring + stage * stage_bytes;
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[stage], stage_bytes);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, to, start_of_row<T>(work.x, p, i), row_bytes,
                       &full[stage]);
    if (adds)
      ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, to + row_bytes, start_of_row<T>(work.residual, p, i),
                         row_bytes, &full[stage]);
  };
  const auto step = static_cast<int32_t>(gridDim.x);
  if (threadIdx.x == 0) {
    for (int s = 0; s < stages; ++s) {
      const int32_t row = static_cast<int32_t>(blockIdx.x) + s * step;
      if (row < total) load(row, s);
    }
  }
  int stage = 0, uses = 0;
  uint32_t parity = 0;
  for (auto row = static_cast<int32_t>(blockIdx.x); row < total; row += step) {
    while (!ptx::mbarrier_try_wait_parity(&full[stage], parity)) {
    }
    const auto refill = [&] {
      const int64_t next = row + int64_t{stages} * step;
      if (threadIdx.x == 0 && next < total) load(static_cast<int32_t>(next), stage);
    };
    BulkGroup<decltype(refill)> group(partials, uses, refill);
    const T *const here = reinterpret_cast<const T *>(ring + stage * stage_bytes);
    int32_t i;
    const int32_t p = place(row, i);
    norm_row<T, kNorm, kBulkVectors<T>, kRowAligned, false>(work, group, here, here + work.cols, p, i, true);
    uses = group.used;
    if (++stage == stages) {
      stage = 0;
      parity ^= 1;
    }
  }
#endif
}

namespace {

constexpr char kName[] = "norm_bulk_row";
constexpr int64_t kRing = 224 * 1024;  // of an SM, less what blocks need beside it

int64_t stage_bytes(const gpuopt_problem &problem) {
  const int64_t row = problem.n * dtype_bytes(problem.operand[GPUOPT_OPERAND_X].m.dtype);
  return has_residual(problem) ? 2 * row : row;
}

struct Shape {
  int threads, blocks, stages;  // blocks of an SM
};
Shape shape_of(const gpuopt_problem &problem) {
  const int vectors = is_f32(problem) ? kBulkVectors<float> : kBulkVectors<__half>;
  Shape shape = {};
  shape.threads = static_cast<int>(whole_warps(row_vectors(problem), vectors));
  shape.blocks = shape.threads > 512 ? 1 : shape.threads > 256 ? 2 : 4;
  while (shape.blocks > 1 && kRing / shape.blocks < 2 * stage_bytes(problem)) shape.blocks /= 2;
  const int64_t stages = (kRing / shape.blocks - 1024) / stage_bytes(problem);
  shape.stages = static_cast<int>(stages < kMostStages ? stages : kMostStages);
  return shape;
}

template <class F>
gpuopt_status with_kernel(const gpuopt_problem &problem, F &&f) {
  const Shape shape = shape_of(problem);
  const int64_t rows = problem.m * problem.batch, most = int64_t{problem.device->sm_count} * shape.blocks;
  return with_row_instance(problem, kRowAligned, [&](auto tag, auto norm, auto) {
    return f(tag, norm_bulk_row_kernel<typename decltype(tag)::type, decltype(norm)::value>, rows < most ? rows : most,
             shape.threads, static_cast<int32_t>(rows), shape.stages);
  });
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_kernel(*problem, row_loader(launch, kName, kRing - 1024));
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const auto ring_bytes = static_cast<size_t>(shape_of(*problem).stages * stage_bytes(*problem));
  return with_kernel(*problem, row_launcher(*problem, launch, kName, ring_bytes));
}

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  const int vectors = is_f32(*problem) ? kBulkVectors<float> : kBulkVectors<__half>;
  if (!row_can_run(problem, int64_t{kBulkRowThreads} * vectors, reject)) return 0;
  if (!others_aligned(*problem, reject)) return 0;
  if (2 * stage_bytes(*problem) <= kRing - 1024) return 1;
  return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_X, problem->n, problem->n / 2,
                "columns with a residual");
}

// A block's rows follow each other: a turn of the ring waits for barriers and for the warps, not for memory.
double predict_us(const gpuopt_problem *problem) {
  const auto &figures = norm_shared_figures;
  const gpuopt_device_facts &device = *problem->device;
  if (!is_known(device)) return 0;
  if (has_no_elements(*problem)) return figures.bulk_launch_us;
  const Shape shape = shape_of(*problem);
  const RowFacts f = row_facts(*problem);
  const double turns = waves_of(f.rows / device.sm_count, shape.blocks), warps = shape.threads / 32.0;
  const double instructions =
      plain_instructions(f, static_cast<double>(ceil_div(row_vectors(*problem), shape.threads)));
  const double turn_us = figures.bulk_turn_us + figures.bulk_weight_us * f.weights +
                         (figures.bulk_warps_us + figures.bulk_mean_us * f.layernorm * f.residual) * warps / 16.0 +
                         instructions * figures.bulk_clocks / device.clock_mhz;
  return figures.bulk_launch_us + in_waves_us(moving_us(device, f.read_bytes + f.written_bytes), turns, turn_us,
                                              issuing_us(device, f.rows / device.sm_count * warps * instructions));
}

#define GPUOPT_ENTRY_(T, norm, V, mode) \
  {kBulkRowThreads, 0, reinterpret_cast<const void *>(norm_bulk_row_kernel<T, norm>)},
gpuopt_resource kResources[] = {GPUOPT_ROW_INSTANCES_OF(GPUOPT_ENTRY_, 0, kRowAligned)};
#undef GPUOPT_ENTRY_

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k =
      aligned_row_kernel(kName, "rows brought into a ring in shared memory by bulk copies, blocks that stay", 8);
  k.cc_min = 90;
  k.cc_max = 119;  // not measured on the small chips of sm_120, which have less shared memory
  k.can_run = can_run;
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}
constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
