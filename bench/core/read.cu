// One tile a CTA, `unroll` loads of 16 bytes in flight in every thread, one word written by each warp that finds a value
// which does not occur: so nothing but reading is left.
#include <cub/device/device_reduce.cuh>

#include <algorithm>

#include "error.h"
#include "read.h"

namespace gpuopt_bench {
namespace {

template <int kThreads, int kUnroll>
__global__ __launch_bounds__(kThreads) void read_vec16(const uint4 *src, size_t count, unsigned *sink) {
  const size_t first = static_cast<size_t>(blockIdx.x) * (kThreads * kUnroll) + threadIdx.x;
  uint4 v[kUnroll];
#pragma unroll
  for (int i = 0; i < kUnroll; ++i)
    v[i] = first + i * kThreads < count ? src[first + i * kThreads] : make_uint4(0, 0, 0, 0);
  unsigned bits = ~0u;
#pragma unroll
  for (int i = 0; i < kUnroll; ++i) bits &= v[i].x & v[i].y & v[i].z & v[i].w;
  if (bits == ~0u) *sink = bits;  // all ones in every word: NaN throughout, which normal data never is
}

template <int kThreads, int kUnroll>
void launch_read(const void *src, size_t bytes, void *sink, cudaStream_t stream) {
  constexpr size_t kTile = size_t{kThreads} * kUnroll;
  const size_t count = bytes / 16;
  const unsigned grid = static_cast<unsigned>(std::max<size_t>((count + kTile - 1) / kTile, 1));
  read_vec16<kThreads, kUnroll>
      <<<grid, kThreads, 0, stream>>>(static_cast<const uint4 *>(src), count, static_cast<unsigned *>(sink));
  BENCH_CUDA(cudaGetLastError());
}

template <int kThreads, int kUnroll>
Contender read_contender(const char *name, const OperandSets &sets, size_t src, size_t bytes) {
  auto sink = std::make_shared<DeviceMemory>(256);
  return {name,
          [&sets, src, bytes, sink](cudaStream_t stream, int set) {
            launch_read<kThreads, kUnroll>(sets.at(src, set), bytes, sink->data(), stream);
          },
          nullptr};
}

Contender cub_sum(Session &session, const OperandSets &sets, size_t src, size_t bytes) {
  const int64_t count = static_cast<int64_t>(bytes / sizeof(float));
  size_t needed = 0;
  BENCH_CUDA(cub::DeviceReduce::Sum(nullptr, needed, static_cast<const float *>(sets.at(src, 0)),
                                    static_cast<float *>(nullptr), count, session.stream()));
  auto temporary = std::make_shared<DeviceMemory>(needed);
  auto sum = std::make_shared<DeviceMemory>(256);
  return {"read_cub_sum",
          [&sets, src, count, temporary, sum](cudaStream_t stream, int set) {
            size_t size = temporary->bytes();
            BENCH_CUDA(cub::DeviceReduce::Sum(temporary->data(), size, static_cast<const float *>(sets.at(src, set)),
                                              static_cast<float *>(sum->data()), count, stream));
          },
          nullptr};
}

}  // namespace

std::vector<Contender> read_contenders(Session &session, const OperandSets &sets, size_t src, size_t bytes) {
  return {cub_sum(session, sets, src, bytes), read_contender<256, 4>("read_vec16_256x4", sets, src, bytes),
          read_contender<512, 8>("read_vec16_512x8", sets, src, bytes)};
}

}  // namespace gpuopt_bench
