// Copy kernels of two methods in many shapes; which is fastest depends on the device and the size, so the benchmark tries.
//
//   vec16    one tile a CTA: every thread loads `unroll` times 16 bytes, all before its first store. The fewer bytes a CTA
//            and the fewer CTAs an SM holds, the smaller the window of memory that is open at one time; `ctas` limits
//            the CTAs per SM by asking for shared memory that is not used.
//   bulk     a ring of tiles in shared memory that one thread moves with bulk copies (sm_90): global to shared completing
//            on an mbarrier, shared to global in bulk groups. Loads and stores reach memory as whole tiles. `_run`: each
//            CTA copies one contiguous run, otherwise tiles are dealt round.
#include <algorithm>
#include <cstdint>
#include <map>

#include "copy.h"
#include "error.h"
#include "gpuopt/gpuopt.h"

namespace gpuopt_bench {
namespace {

template <int kThreads, int kUnroll>
__global__ __launch_bounds__(kThreads) void copy_vec16(uint4 *dst, const uint4 *src, size_t count, int tail) {
  const size_t first = static_cast<size_t>(blockIdx.x) * (kThreads * kUnroll) + threadIdx.x;
  uint4 v[kUnroll];
  if (first - threadIdx.x + kThreads * kUnroll <= count) {
#pragma unroll
    for (int i = 0; i < kUnroll; ++i) v[i] = src[first + i * kThreads];
#pragma unroll
    for (int i = 0; i < kUnroll; ++i) dst[first + i * kThreads] = v[i];
  } else {
    for (size_t i = first; i < count; i += kThreads) dst[i] = src[i];
  }
  if (blockIdx.x == 0 && threadIdx.x < tail)
    reinterpret_cast<char *>(dst + count)[threadIdx.x] = reinterpret_cast<const char *>(src + count)[threadIdx.x];
}

template <int kThreads, int kUnroll, int kCtas>
void launch_vec16(void *dst, const void *src, size_t bytes, cudaStream_t stream) {
  constexpr size_t kTile = size_t{kThreads} * kUnroll;
  constexpr int kShared = kCtas == 0 ? 0 : 224 * 1024 / kCtas - 2048;  // so that kCtas and no more fit an SM of Hopper
  const size_t count = bytes / 16;
  const unsigned grid = static_cast<unsigned>(std::max<size_t>((count + kTile - 1) / kTile, 1));
  if (kShared > 48 * 1024)
    BENCH_CUDA(
        cudaFuncSetAttribute(copy_vec16<kThreads, kUnroll>, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared));
  copy_vec16<kThreads, kUnroll><<<grid, kThreads, kShared, stream>>>(
      static_cast<uint4 *>(dst), static_cast<const uint4 *>(src), count, static_cast<int>(bytes % 16));
  BENCH_CUDA(cudaGetLastError());
}

__device__ uint32_t shared_address(const void *p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }

__device__ void load_tile(uint32_t shared, const char *global, uint32_t bytes, uint32_t barrier) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared),
               "l"(global), "r"(bytes), "r"(barrier)
               : "memory");
}

__device__ void wait_full(uint32_t barrier, uint32_t parity) {
  uint32_t done = 0;
  while (!done)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(barrier), "r"(parity)
                 : "memory");
}

__device__ void store_tile(char *global, uint32_t shared, uint32_t bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(global), "r"(shared), "r"(bytes)
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

// Half of the stages may be on their way out while the other half comes in.
template <int kTileBytes, int kStages, bool kRun>
__global__ void copy_bulk(char *dst, const char *src, size_t bytes) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ __align__(128) char tiles[];
  __shared__ uint64_t full[kStages];
  constexpr int kPending = kStages / 2;
  const size_t body = bytes / 16 * 16, total = (body + kTileBytes - 1) / kTileBytes;
  const size_t share = (total + gridDim.x - 1) / gridDim.x;
  const size_t first = kRun ? blockIdx.x * share : blockIdx.x, step = kRun ? 1 : gridDim.x;
  const size_t end = kRun ? (first + share < total ? first + share : total) : total;
  const auto size_of = [&](size_t tile) {
    return static_cast<uint32_t>((tile + 1) * kTileBytes <= body ? kTileBytes : body - tile * kTileBytes);
  };
  const auto load = [&](size_t tile, int stage) {
    load_tile(shared_address(tiles + stage * kTileBytes), src + tile * kTileBytes, size_of(tile),
              shared_address(&full[stage]));
  };
  for (int s = 0; s < kStages; ++s)
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&full[s])) : "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  for (int s = 0; s < kStages; ++s)
    if (first + s * step < end) load(first + s * step, s);
  uint32_t parity = 0;
  int stage = 0, refill = 0, stored = 0;
  for (size_t tile = first; tile < end; tile += step) {
    wait_full(shared_address(&full[stage]), parity);
    store_tile(dst + tile * kTileBytes, shared_address(tiles + stage * kTileBytes), size_of(tile));
    if (++stage == kStages) {
      stage = 0;
      parity ^= 1;
    }
    if (++stored > kPending) {  // the store kPending tiles ago has left its stage: refill it
      asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kPending) : "memory");
      const size_t next = tile + (kStages - kPending) * step;
      if (next < end) load(next, refill);
      if (++refill == kStages) refill = 0;
    }
  }
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  if (blockIdx.x == 0)
    for (size_t i = body; i < bytes; ++i) dst[i] = src[i];
#endif
}

template <int kTileBytes, int kStages, int kCtas, bool kRun>
void launch_bulk(void *dst, const void *src, size_t bytes, cudaStream_t stream) {
  constexpr int kShared = kTileBytes * kStages;
  static const int sms = [] {
    int device = 0, count = 0;
    BENCH_CUDA(cudaGetDevice(&device));
    BENCH_CUDA(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
    return count;
  }();
  BENCH_CUDA(
      cudaFuncSetAttribute(copy_bulk<kTileBytes, kStages, kRun>, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared));
  const size_t tiles = std::max<size_t>((bytes / 16 * 16 + kTileBytes - 1) / kTileBytes, 1);
  const unsigned grid = static_cast<unsigned>(std::min<size_t>(tiles, static_cast<size_t>(sms) * kCtas));
  copy_bulk<kTileBytes, kStages, kRun>
      <<<grid, 1, kShared, stream>>>(static_cast<char *>(dst), static_cast<const char *>(src), bytes);
  BENCH_CUDA(cudaGetLastError());
}

constexpr int kKiB = 1024;

bool can_run_bulk(const DeviceInfo &device) {
  cudaFuncAttributes attributes;
  BENCH_CUDA(cudaFuncGetAttributes(&attributes, copy_bulk<8 * kKiB, 8, false>));
  return device.cc >= 90 && attributes.ptxVersion >= 90;  // not compiled from the PTX of an older architecture
}

}  // namespace

const std::vector<CopyShape> &copy_shapes(const DeviceInfo &device) {
  static const std::vector<CopyShape> shapes = [&] {
    std::vector<CopyShape> all = {
        {"vec16_128x1", launch_vec16<128, 1, 0>},   {"vec16_256x1", launch_vec16<256, 1, 0>},
        {"vec16_1024x1", launch_vec16<1024, 1, 0>}, {"vec16_256x2", launch_vec16<256, 2, 0>},
        {"vec16_512x2", launch_vec16<512, 2, 0>},   {"vec16_256x4", launch_vec16<256, 4, 0>},
        {"vec16_1024x4", launch_vec16<1024, 4, 0>}, {"vec16_512x8", launch_vec16<512, 8, 0>},
    };
    if (device.cc >= 90 && device.cc < 120) {  // as much shared memory as the limits below assume
      all.push_back({"vec16_256x4_ctas2", launch_vec16<256, 4, 2>});
      all.push_back({"vec16_256x4_ctas4", launch_vec16<256, 4, 4>});
      all.push_back({"vec16_512x4_ctas1", launch_vec16<512, 4, 1>});
      all.push_back({"vec16_512x4_ctas2", launch_vec16<512, 4, 2>});
      all.push_back({"vec16_1024x4_ctas1", launch_vec16<1024, 4, 1>});
      if (can_run_bulk(device)) {
        all.push_back({"bulk_4kx8", launch_bulk<4 * kKiB, 8, 1, false>});
        all.push_back({"bulk_8kx6", launch_bulk<8 * kKiB, 6, 1, false>});
        all.push_back({"bulk_8kx8", launch_bulk<8 * kKiB, 8, 1, false>});
        all.push_back({"bulk_16kx4", launch_bulk<16 * kKiB, 4, 1, false>});
        all.push_back({"bulk_16kx6", launch_bulk<16 * kKiB, 6, 1, false>});
        all.push_back({"bulk_16kx8", launch_bulk<16 * kKiB, 8, 1, false>});
        all.push_back({"bulk_32kx4", launch_bulk<32 * kKiB, 4, 1, false>});
        all.push_back({"bulk_32kx6", launch_bulk<32 * kKiB, 6, 1, false>});
        all.push_back({"bulk_16kx4_ctas2", launch_bulk<16 * kKiB, 4, 2, false>});
        all.push_back({"bulk_8kx4_ctas4", launch_bulk<8 * kKiB, 4, 4, false>});
        all.push_back({"bulk_16kx6_run", launch_bulk<16 * kKiB, 6, 1, true>});
        all.push_back({"bulk_32kx6_run", launch_bulk<32 * kKiB, 6, 1, true>});
      }
    }
    return all;
  }();
  return shapes;
}

const CopyShape &best_copy_shape(Session &session, size_t bytes) {
  static std::map<int, const CopyShape *> known;
  int power = 10;
  while (power < 30 && (size_t{2} << power) <= bytes) ++power;
  const CopyShape *&best = known[power];
  if (best != nullptr) return *best;
  const std::vector<CopyShape> &shapes = copy_shapes(session.device());
  const int64_t words = static_cast<int64_t>(size_t{1} << power) / 4;
  MeasureOptions o;
  o.bytes_per_set = 8 * words;
  o.sets = sets_past_l2(session.device(), o.bytes_per_set);
  o.budget_ms = 5;
  o.least = 5;
  o.most = 9;
  const OperandSets sets({{GPUOPT_F32, words}, {GPUOPT_F32, words}}, o.sets, session.stream());
  std::vector<Contender> contenders;
  for (const CopyShape &shape : shapes)
    contenders.push_back({shape.name,
                          [&](cudaStream_t stream, int set) {
                            shape.launch(sets.at(1, set), sets.at(0, set), static_cast<size_t>(4 * words), stream);
                          },
                          nullptr});
  const std::vector<Timing> timings = session.measure(contenders, o);
  const auto fastest = std::min_element(timings.begin(), timings.end(), [](const Timing &a, const Timing &b) {
    return a.ok() != b.ok() ? a.ok() : a.median_us < b.median_us;
  });
  best = &shapes[static_cast<size_t>(fastest - timings.begin())];
  return *best;
}

std::vector<Contender> copy_contenders(Session &session, const OperandSets &sets, size_t src, size_t dst,
                                       size_t bytes) {
  const CopyShape &shape = best_copy_shape(session, bytes);
  return {{"copy_memcpy",
           [&sets, src, dst, bytes](cudaStream_t stream, int set) {
             BENCH_CUDA(cudaMemcpyAsync(sets.at(dst, set), sets.at(src, set), bytes, cudaMemcpyDeviceToDevice, stream));
           },
           nullptr},
          {"copy_" + shape.name,
           [&sets, &shape, src, dst, bytes](cudaStream_t stream, int set) {
             shape.launch(sets.at(dst, set), sets.at(src, set), bytes, stream);
           },
           nullptr}};
}

}  // namespace gpuopt_bench
