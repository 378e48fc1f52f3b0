// gemm_warptile_skinny_along_k: D of few rows (or few columns) where the large operand is contiguous along k: dot
// products, a warp's lanes along k.
//
// Idea and data movement: the ring of the other warptile kernels keeps k across shared memory, so an operand that is
// contiguous along k gets there by 4 bytes. With few rows the product is bound by reading the large operand once, and
// then it is better never to transpose it: a lane copies four steps of k of eight columns into a ring of its own in shared
// memory, 16 bytes each, reads back what it copied itself, and keeps 16 x 8 sums over its own steps. The few rows lie
// in shared memory, 4 KB a 64 steps, in the same order. At the end lanes exchange sums, half of them at each of five
// steps, until each has four finished ones. k is split over blocks in slices of at most 1024, whose sums finish_gemm()
// adds.
// Needs: f32, sm_80; every layout and alignment is right, others than k-contiguous lines on 16 bytes are read element
// by element.
// Prediction: the large operand's bytes once at about half of the bandwidth, or the multiply-adds at half of the peak;
// then finish_gemm()'s pass over the slices.
#include <cuda_pipeline_primitives.h>

#include "gemm/common/gemm_demand.h"
#include "gemm/warptile/skinny_lines.h"
#include "gemm/warptile/warptile_launch.cuh"

namespace gpuopt {

namespace {

constexpr int kFew = 16, kMany = 8;  // rows of the small operand; rows of the large one a warp has at once
constexpr int kWarps = 8, kPasses = 2, kThreads = 32 * kWarps, kManyOfBlock = kWarps * kPasses * kMany;
constexpr int kStep = 128;  // steps of k of a warp at once

// Steps that a warp has under way, and steps of k of a block: what shared memory allows.
template <int kRing>
constexpr int kMostOfSlice = kRing == 4 ? 1024 : 512;
template <int kRing>
constexpr int kSmem = (kFew * kMostOfSlice<kRing> + kRing * kWarps * kMany * kStep) * 4;

}  // namespace

struct SkinnyAlongK {
  SkinnyLines few, many;
  int64_t k, batch;
  int32_t k_of_slice, slices;
  int64_t groups_few, groups_many;
  bool few_are_rows;  // of D
  PlainOutput<float> out;
};

// Four steps of k of a row to shared memory, zeros beyond either end.
__device__ __forceinline__ void copy_along_k(const SkinnyLines &o, const float *matrix, int64_t row, int64_t k,
                                             int64_t end, float4 *to) {
  const float *const from = matrix + row * o.line_step + k * o.k_step;
  if (o.by_16_bytes && row < o.lines && k + 4 <= end) {
    __pipeline_memcpy_async(to, from, 16);
    return;
  }
  float v[4] = {};
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    if (row < o.lines && k + e < end) v[e] = from[e * o.k_step];
  }
  *to = make_float4(v[0], v[1], v[2], v[3]);
}

// Sums v over the warp: lane l ends with the sums of v[4 * l] ... v[4 * l + 3] in v[0] ... v[3]. A lane keeps one half
// of what it has and hands the other to the lane kFar away.
template <int kHalf = kFew *kMany / 2, int kFar = 16>
__device__ __forceinline__ void sum_over_lanes(float (&v)[kFew * kMany], int lane) {
  const bool upper = (lane & kFar) != 0;
#pragma unroll
  for (int i = 0; i < kHalf; ++i) {
    const float mine = upper ? v[i + kHalf] : v[i], other = upper ? v[i] : v[i + kHalf];
    v[i] = mine + __shfl_xor_sync(~0u, other, kFar);
  }
  if constexpr (kFar > 1) sum_over_lanes<kHalf / 2, kFar / 2>(v, lane);
}

template <int kRing>
__global__ void __launch_bounds__(kThreads)
    gemm_warptile_skinny_along_k_kernel(const __grid_constant__ SkinnyAlongK g) {
  extern __shared__ float4 few[];  // [row][k / 4], then every warp's ring: [step][column][lane]
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int64_t index = blockIdx.x;
  const int64_t many_group = index % g.groups_many;
  index /= g.groups_many;
  const int64_t slice = index % g.slices;
  index /= g.slices;
  const int64_t few_group = index % g.groups_few, p = index / g.groups_few;

  const int64_t first_k = slice * g.k_of_slice, end = min(g.k, first_k + g.k_of_slice);
  const float *const few_matrix = g.few.data + p * g.few.batch_step;
  const float *const many_matrix = g.many.data + p * g.many.batch_step;
  const int64_t first_many = many_group * kManyOfBlock + warp * (kPasses * kMany);
  const int steps = g.k_of_slice / kStep;

  const int packs = g.k_of_slice / 4;
  float4 *const ring = few + kFew * packs + warp * (kRing * kMany * 32) + lane;  // what a lane copies it alone reads
  const auto issue = [&](int step) {
    if (step < kPasses * steps) {
      const int64_t row = first_many + step / steps * kMany, k = first_k + step % steps * kStep + lane * 4;
#pragma unroll
      for (int c = 0; c < kMany; ++c) {
        copy_along_k(g.many, many_matrix, row + c, k, end, ring + (step % kRing * kMany + c) * 32);
      }
    }
    __pipeline_commit();
  };
  for (int i = threadIdx.x; i < kFew * packs; i += kThreads) {
    const int row = i / packs;
    copy_along_k(g.few, few_matrix, few_group * kFew + row, first_k + (i - row * packs) * 4, end, few + i);
  }
#pragma unroll 1
  for (int step = 0; step < kRing - 1; ++step) issue(step);  // the first one has the small operand with it
  __pipeline_wait_prior(kRing - 2);
  __syncthreads();

  const PlainOutput<float>::Scalars scalars = g.out.scalars();
#pragma unroll 1
  for (int pass = 0; pass < kPasses; ++pass) {
    float sums[kFew * kMany] = {};
#pragma unroll 1
    for (int step = pass * steps; step < (pass + 1) * steps; ++step) {
      __pipeline_wait_prior(kRing - 2);
      float4 b[kMany];
#pragma unroll
      for (int c = 0; c < kMany; ++c) b[c] = ring[(step % kRing * kMany + c) * 32];
      issue(step + kRing - 1);
      const float4 *const a = few + (step - pass * steps) * (kStep / 4) + lane;
#pragma unroll
      for (int r = 0; r < kFew; ++r) {
        const float4 x = a[r * packs];
#pragma unroll
        for (int c = 0; c < kMany; ++c) sums[r * kMany + c] += x.x * b[c].x;
#pragma unroll
        for (int c = 0; c < kMany; ++c) sums[r * kMany + c] += x.y * b[c].y;
#pragma unroll
        for (int c = 0; c < kMany; ++c) sums[r * kMany + c] += x.z * b[c].z;
#pragma unroll
        for (int c = 0; c < kMany; ++c) sums[r * kMany + c] += x.w * b[c].w;
      }
    }
    sum_over_lanes(sums, lane);
    const int64_t row = few_group * kFew + lane / 2;
    if (row >= g.few.lines) continue;
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int64_t col = first_many + pass * kMany + lane % 2 * 4 + e;
      if (col >= g.many.lines) break;
      g.out.store(scalars, p + slice * g.batch, g.few_are_rows ? row : col, g.few_are_rows ? col : row, sums[e]);
    }
  }
}

namespace {

constexpr char kName[] = "gemm_warptile_skinny_along_k";

struct SkinnyPlan {
  int64_t groups_few, groups_many;
  int32_t k_of_slice, slices;
  int64_t blocks(const gpuopt_problem &problem) const { return groups_few * groups_many * slices * problem.batch; }
  bool in_slices(const gpuopt_problem &problem) const { return slices > 1 || !is_plain_gemm(problem); }
};

bool has_long_ring(const gpuopt_problem &problem) {
  const int32_t cc = problem.device->cc;
  return cc == 90 || cc == 100;
}

SkinnyPlan plan_of(const gpuopt_problem &problem) {
  SkinnyPlan plan = {ceil_div(std::min(problem.m, problem.n), kFew),
                     ceil_div(std::max(problem.m, problem.n), kManyOfBlock),
                     has_long_ring(problem) ? kMostOfSlice<4> : kMostOfSlice<2>, 1};
  const auto slices = [&] { return ceil_div(std::max<int64_t>(problem.k, 1), plan.k_of_slice); };
  const int64_t sms = std::max(problem.device->sm_count, 1);
  while (plan.k_of_slice > kStep && plan.groups_few * plan.groups_many * problem.batch * slices() * 4 < sms * 3) {
    plan.k_of_slice /= 2;
  }
  plan.slices = static_cast<int32_t>(slices());
  return plan;
}

SkinnyLines lines_of(const gpuopt_problem &problem, int index) {
  SkinnyLines o = skinny_lines(problem, index);
  o.by_16_bytes = o.by_16_bytes && o.k_step == 1;
  return o;
}

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  constexpr int64_t kMostBlocks = (int64_t{1} << 31) - 1, kMostK = int64_t{1} << 24;
  if (!warptile_limit(reject, GPUOPT_OPERAND_NONE, static_cast<double>(problem->k), kMostK, "k")) return 0;
  const double blocks = std::ceil(static_cast<double>(problem->m) / kFew) *
                        std::ceil(static_cast<double>(problem->n) / kFew) *
                        std::ceil(static_cast<double>(problem->k) / kStep + 1) * static_cast<double>(problem->batch);
  return warptile_limit(reject, GPUOPT_OPERAND_NONE, blocks, kMostBlocks, "tiles of D") ? 1 : 0;
}

double predict_us(const gpuopt_problem *problem) {
  const GemmWarptileFigures &g = gemm_warptile_figures;
  const gpuopt_device_facts &device = *problem->device;
  if (device.sm_count <= 0 || device.clock_mhz <= 0 || device.memory_gbs <= 0) return 0;
  const SkinnyPlan plan = plan_of(*problem);
  const SkinnyLines many = lines_of(*problem, many_operand(*problem));
  const double k = static_cast<double>(problem->k), batch = static_cast<double>(problem->batch);
  const SkinnyLines few = lines_of(*problem, few_operand(*problem));
  const double on_busiest = std::ceil(static_cast<double>(plan.blocks(*problem)) / device.sm_count);
  const double depth = std::ceil(std::min<double>(k, plan.k_of_slice) / kStep) * kStep;
  const double fma_per_clock = (device.cc <= 80 ? 64 : 128) * g.along_k_fma_share;
  // Lines element by element cost instructions, and more where k is not contiguous.
  const auto reading = [&](const SkinnyLines &lines) {
    return lines.by_16_bytes ? 0 : lines.k_step == 1 ? g.along_k_element_clocks : g.along_k_strided_clocks;
  };
  const double passes = many.lines > kWarps * kMany ? kPasses : 1;
  const double block_clocks = g.along_k_block_clocks + passes * g.along_k_pass_clocks +
                              passes * kWarps * kMany * depth * (kFew / fma_per_clock + reading(many)) +
                              depth * kFew * reading(few);
  const double reads = 4 * k * batch * static_cast<double>(plan.groups_few) * static_cast<double>(many.lines);
  const double memory_us = reads / (g.along_k_share * device.memory_gbs * 1e3) *
                           (many.by_16_bytes   ? 1
                            : many.k_step == 1 ? g.along_k_by_element_factor
                                               : g.along_k_strided_factor);
  const double finish_us = plan.in_slices(*problem) ? finish_gemm_us(*problem, plan.slices, sizeof(float)) : 0;
  return g.along_k_us + overlapped_us(on_busiest * block_clocks / device.clock_mhz, memory_us, 0, g.along_k_sharpness) +
         finish_us;
}

void workspace(const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
  const SkinnyPlan plan = plan_of(*problem);
  *scratch = plan.in_slices(*problem) ? gemm_partials_bytes(*problem, plan.slices, sizeof(float)) : 0;
  *zeroed = 0;
}

auto kernel_of(const gpuopt_problem &problem) {
  return has_long_ring(problem) ? gemm_warptile_skinny_along_k_kernel<4> : gemm_warptile_skinny_along_k_kernel<2>;
}
size_t smem_of(const gpuopt_problem &problem) {
  return static_cast<size_t>(has_long_ring(problem) ? kSmem<4> : kSmem<2>);
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const gpuopt_status status = load_kernel(launch, kName, kernel_of(*problem), smem_of(*problem));
  return status != GPUOPT_OK || !plan_of(*problem).in_slices(*problem) ? status : load_finish_gemm<float>(launch);
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const SkinnyPlan plan = plan_of(*problem);
  float *const partials = plan.in_slices(*problem) ? static_cast<float *>(launch->scratch) : nullptr;
  SkinnyAlongK g = {};
  g.few = lines_of(*problem, few_operand(*problem));
  g.many = lines_of(*problem, many_operand(*problem));
  g.k = problem->k;
  g.batch = problem->batch;
  g.k_of_slice = plan.k_of_slice;
  g.slices = plan.slices;
  g.groups_few = plan.groups_few;
  g.groups_many = plan.groups_many;
  g.few_are_rows = few_are_rows(*problem);
  g.out = make_plain_output<float>(*problem, partials);
  const gpuopt_status status = launch_kernel(launch, kName, static_cast<uint32_t>(plan.blocks(*problem)), kThreads,
                                             smem_of(*problem), kernel_of(*problem), g);
  if (status != GPUOPT_OK || partials == nullptr) return status;
  return finish_gemm<float>(*problem, launch, partials, plan.slices);
}

gpuopt_resource kResources[] = {
    {kThreads, kSmem<4>, reinterpret_cast<const void *>(gemm_warptile_skinny_along_k_kernel<4>)},
    {kThreads, kSmem<2>, reinterpret_cast<const void *>(gemm_warptile_skinny_along_k_kernel<2>)},
};

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel kernel = gemm_descriptor(
      kName, "fp32, few rows or columns: dot products along k, the large operand straight to registers");
  set_signatures(kernel, kWarptileSignatures);
  kernel.can_run = can_run;
  set_functions_in_parts<workspace, predict_us, prepare, launch>(kernel);
  set_resources(kernel, kResources);
  kernel.cc_min = 80;
  return kernel;
}
constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
