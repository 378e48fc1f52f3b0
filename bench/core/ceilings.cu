#include "ceilings.h"

#include <algorithm>
#include <cstdint>

#include "copy.h"
#include "error.h"
#include "gpuopt/gpuopt.h"
#include "read.h"

namespace gpuopt_bench {
namespace {

constexpr int kThreads = 512, kBlocksPerSm = 4, kChains = 8, kRounds = 512;

// Every thread keeps independent sums going; the compiler cannot leave out what may be stored.
template <class T>
__global__ __launch_bounds__(kThreads) void multiply_add(T *sink, T x, T y) {
  T sums[kChains];
#pragma unroll
  for (int c = 0; c < kChains; ++c) sums[c] = static_cast<T>(threadIdx.x + c);
#pragma unroll 1
  for (int r = 0; r < kRounds; ++r) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
      for (int c = 0; c < kChains; ++c) sums[c] = sums[c] * x + y;
    }
  }
  T sum = 0;
#pragma unroll
  for (int c = 0; c < kChains; ++c) sum += sums[c];
  if (sum == static_cast<T>(-1)) *sink = sum;
}

// 16 bytes a thread and access, neighbours beside each other: every bank once in four passes. volatile, or ptxas reads once.
__global__ __launch_bounds__(kThreads) void read_shared(unsigned *sink) {
  __shared__ uint4 words[kThreads];
  words[threadIdx.x] = make_uint4(threadIdx.x, 1, 2, 3);
  __syncthreads();
  const auto address = static_cast<uint32_t>(__cvta_generic_to_shared(words));
  uint32_t at = threadIdx.x, bits = 0;
#pragma unroll 1
  for (int r = 0; r < kRounds; ++r) {
#pragma unroll
    for (int i = 0; i < kChains; ++i) {
      uint32_t a, b, c, d;
      asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                   : "r"(address + ((at + 32 * i) % kThreads) * 16));
      bits |= a ^ b ^ c ^ d;
    }
  }
  if (bits == 0xffffffffu) *sink = bits;
}

// The same bytes again and again, past L1: every block begins at another place.
__global__ __launch_bounds__(kThreads) void read_l2(const uint4 *src, unsigned count, int passes, unsigned *sink) {
  const unsigned step = gridDim.x * kThreads;
  unsigned bits = ~0u, at = blockIdx.x * kThreads + threadIdx.x;
  const unsigned rounds = count / step;
#pragma unroll 1
  for (int p = 0; p < passes; ++p) {
    at = blockIdx.x * kThreads + threadIdx.x;
#pragma unroll 4
    for (unsigned r = 0; r < rounds; ++r, at += step) {
      uint32_t a, b, c, d;
      asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(src + at));
      bits &= a & b & c & d;
    }
  }
  if (bits == ~0u) *sink = bits;
}

// One cycle through `count` lines of 128 bytes: each names the one that is `step` further.
constexpr int kLineWords = 32;
__global__ void make_cycle(uint32_t *line, uint32_t count, uint32_t step) {
  for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    line[size_t{i} * kLineWords] = static_cast<uint32_t>((uint64_t{i} + step) % count);
}

__device__ uint64_t now_ns() {
  uint64_t ns;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns)::"memory");
  return ns;
}

struct Chased {
  unsigned long long clocks, ns;
  uint32_t last;
};

// kL1: through L1, else past it.
template <bool kL1>
__global__ void chase_global(const uint32_t *line, int warm, int steps, Chased *out) {
  uint32_t at = 0;
  const auto next = [&](uint32_t i) {
    const uint32_t *from = line + size_t{i} * kLineWords;
    return kL1 ? __ldca(from) : __ldcg(from);
  };
  for (int s = 0; s < warm; ++s) at = next(at);
  const uint64_t ns = now_ns();
  const long long clocks = clock64();
  for (int s = 0; s < steps; ++s) at = next(at);
  const long long end = clock64();
  *out = {static_cast<unsigned long long>(end - clocks), now_ns() - ns, at};
}

__global__ void chase_shared(int steps, Chased *out) {
  constexpr uint32_t kCount = 1024, kStep = 33;
  __shared__ uint32_t word[kCount];
  for (uint32_t i = 0; i < kCount; ++i) word[i] = (i + kStep) % kCount;
  uint32_t at = 0;
  const uint64_t ns = now_ns();
  const long long clocks = clock64();
  for (int s = 0; s < steps; ++s) at = word[at];
  const long long end = clock64();
  *out = {static_cast<unsigned long long>(end - clocks), now_ns() - ns, at};
}

double fastest_us(Session &session, const std::vector<Contender> &contenders, const MeasureOptions &o,
                  std::string *name) {
  const std::vector<Timing> timings = session.measure(contenders, o);
  double best = 0;
  for (size_t i = 0; i < timings.size(); ++i) {
    if (!timings[i].ok() || (best > 0 && timings[i].median_us >= best)) continue;
    best = timings[i].median_us;
    *name = contenders[i].name;
  }
  if (best <= 0) throw Refused(timings.empty() ? "nothing to measure" : timings[0].failure);
  return best;
}

Rate memory_rate(Session &session, const char *name, bool copies) {
  constexpr int64_t kBytes = int64_t{256} << 20;
  const int64_t moved = copies ? 2 * kBytes : kBytes;
  MeasureOptions o;
  o.sets = sets_past_l2(session.device(), moved);
  o.bytes_per_set = moved;
  const OperandShape buffer = {GPUOPT_F32, kBytes / 4};
  const OperandSets sets(copies ? std::vector<OperandShape>{buffer, buffer} : std::vector<OperandShape>{buffer}, o.sets,
                         session.stream());
  Rate rate = {name, false, 0, ""};
  const double us = fastest_us(session,
                               copies ? copy_contenders(session, sets, 0, 1, static_cast<size_t>(kBytes))
                                      : read_contenders(session, sets, 0, static_cast<size_t>(kBytes)),
                               o, &rate.method);
  rate.value = static_cast<double>(moved) / us * 1e-3;
  return rate;
}

Rate kernel_rate(Session &session, const char *name, bool flops, double work,
                 const std::function<void(cudaStream_t)> &launch) {
  MeasureOptions o;
  o.cache = Cache::resident;
  Rate rate = {name, flops, 0, ""};
  const double us =
      fastest_us(session, {{name, [&](cudaStream_t stream, int) { launch(stream); }, nullptr}}, o, &rate.method);
  rate.value = work / us * (flops ? 1e-6 : 1e-3);
  rate.method = "a kernel of nothing else";
  return rate;
}

template <class T>
Rate fma_rate(Session &session, const char *name, void *sink) {
  const int blocks = session.device().sm_count * kBlocksPerSm;
  return kernel_rate(session, name, true, 2.0 * 4 * kChains * kRounds * kThreads * blocks, [=](cudaStream_t stream) {
    multiply_add<T><<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(static_cast<T *>(sink), T(0.5), T(0.25));
    BENCH_CUDA(cudaGetLastError());
  });
}

}  // namespace

std::vector<Rate> measure_rates(Session &session) {
  session.warm_up(300);
  std::vector<Rate> rates = {memory_rate(session, "copy", true), memory_rate(session, "read", false)};
  const DeviceMemory sink(256);
  const auto blocks = static_cast<unsigned>(session.device().sm_count * kBlocksPerSm);
  {
    // A quarter of the cache, so that all of it stays; whole rounds of the grid.
    const size_t round = size_t{blocks} * kThreads * 16;
    const size_t bytes = std::max(session.device().l2_bytes / 4 / round, size_t{1}) * round;
    constexpr int kPasses = 16;
    const DeviceMemory buffer(bytes);
    fill_normal(buffer.data(), GPUOPT_F32, static_cast<int64_t>(bytes / 4), 1, session.stream());
    rates.push_back(kernel_rate(session, "L2", false, static_cast<double>(bytes) * kPasses, [&](cudaStream_t stream) {
      read_l2<<<blocks, kThreads, 0, stream>>>(static_cast<const uint4 *>(buffer.data()),
                                               static_cast<unsigned>(bytes / 16), kPasses,
                                               static_cast<unsigned *>(sink.data()));
      BENCH_CUDA(cudaGetLastError());
    }));
  }
  rates.push_back(kernel_rate(session, "shared memory", false, 16.0 * kChains * kRounds * kThreads * blocks,
                              [&](cudaStream_t stream) {
                                read_shared<<<blocks, kThreads, 0, stream>>>(static_cast<unsigned *>(sink.data()));
                                BENCH_CUDA(cudaGetLastError());
                              }));
  rates.push_back(fma_rate<float>(session, "fp32 FMA", sink.data()));
  rates.push_back(fma_rate<double>(session, "fp64 FMA", sink.data()));
  return rates;
}

std::vector<Latency> measure_latencies(Session &session) {
  constexpr int kSteps = 4096;
  constexpr size_t kLineBytes = 4 * kLineWords;
  const DeviceMemory out(sizeof(Chased));
  const auto result = [&](const char *name, int steps) {
    Chased chased = {};
    BENCH_CUDA(cudaGetLastError());
    BENCH_CUDA(cudaMemcpyAsync(&chased, out.data(), sizeof chased, cudaMemcpyDeviceToHost, session.stream()));
    BENCH_CUDA(cudaStreamSynchronize(session.stream()));
    return Latency{name, static_cast<double>(chased.clocks) / steps, static_cast<double>(chased.ns) / steps};
  };
  std::vector<Latency> all;
  chase_shared<<<1, 1, 0, session.stream()>>>(kSteps, static_cast<Chased *>(out.data()));
  all.push_back(result("shared memory", kSteps));
  const auto chase = [&](const char *name, size_t bytes, bool l1) {
    const auto count = static_cast<uint32_t>(bytes / kLineBytes);
    const DeviceMemory lines(bytes);
    // An odd step and a count that is a power of two: one cycle through all.
    const uint32_t step = (count / 8 * 5) | 1u;
    make_cycle<<<256, 256, 0, session.stream()>>>(static_cast<uint32_t *>(lines.data()), count, step);
    const int warm = bytes > session.device().l2_bytes ? 0 : static_cast<int>(count);
    (l1 ? chase_global<true> : chase_global<false>)<<<1, 1, 0, session.stream()>>>(
        static_cast<const uint32_t *>(lines.data()), warm, kSteps, static_cast<Chased *>(out.data()));
    all.push_back(result(name, kSteps));
  };
  chase("L1", 16 << 10, true);
  chase("L2", 4 << 20, false);
  chase("memory", size_t{512} << 20, false);
  return all;
}

int recommended_threads(const void *entry, size_t dynamic_smem) {
  int grid = 0, block = 0;
  const auto function = reinterpret_cast<void (*)()>(const_cast<void *>(entry));
  return cudaOccupancyMaxPotentialBlockSize(&grid, &block, function, dynamic_smem) == cudaSuccess ? block : 0;
}

}  // namespace gpuopt_bench
