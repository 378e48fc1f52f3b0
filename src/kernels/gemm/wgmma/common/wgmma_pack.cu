// wgmma_pack.h's kernel.
//
// Idea and data movement: a block moves 16 KB: 128 lines by 128 bytes where it transposes, so that a thread turns over square
// blocks of words in its registers and the rest in shared memory, in 16-byte chunks exchanged by the chunk's number (no bank
// conflicts); else 32 lines by 512 bytes. Chunks that begin anywhere are read by the aligned ones that they lie in. What a
// line of scratch has beyond the matrix is never read: the tensor map knows the extents.
#include "gemm/wgmma/wgmma_pack.h"

#include "common/dependent_launch.cuh"
#include "common/register_transpose.cuh"
#include "common/unaligned.cuh"

namespace gpuopt {

constexpr int kWgmmaPackThreads = 256;
constexpr size_t kWgmmaPackShared = 16384;

// 16 bytes of a line that ends at `end`, from anywhere; none beyond it are touched.
template <class T>
__device__ __forceinline__ uint4 wgmma_pack_read(const char *from, const char *end) {
  constexpr int kElements = 16 / sizeof(T);
  const uint32_t past = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(from) % 16);
  if (from - past + (past == 0 ? 16 : 32) <= end) {
    if (past == 0) return *reinterpret_cast<const uint4 *>(from);
    return bits_as<uint4>(load_unaligned<T, kElements>(reinterpret_cast<const Access<16> *>(from - past), past));
  }
  Bits<T, kElements> bits = {};
#pragma unroll
  for (int e = 0; e < kElements; ++e) {
    const auto *const at = reinterpret_cast<const T *>(from) + e;
    if (reinterpret_cast<const char *>(at) < end) set_element(bits, e, *at);
  }
  return bits_as<uint4>(bits);
}

// To nearest, halves away from zero; infinities and NaN stay what they are.
__device__ __forceinline__ uint32_t round_to_tf32(uint32_t bits) {
  return (bits & 0x7f800000u) == 0x7f800000u ? bits : (bits + 0x1000u) & 0xffffe000u;
}
template <class T>
__device__ __forceinline__ uint4 wgmma_pack_round(uint4 x) {
  if constexpr (std::is_same_v<T, float>)
    return {round_to_tf32(x.x), round_to_tf32(x.y), round_to_tf32(x.z), round_to_tf32(x.w)};
  else
    return x;
}

// A thread's lines follow each other by kPer = 4 / sizeof(T), which make words of neighbours along the new lines.
template <class T>
__device__ __forceinline__ void wgmma_pack_transposed(const WgmmaPackOperand &o, const char *from, char *to,
                                                      int64_t line, int64_t byte, char *shared) {
  constexpr int kSize = sizeof(T), kPer = 4 / kSize, kRepeats = 4 / kPer;
  constexpr int kPitch = 128 * kSize;  // of a new line in shared memory: 128 elements
  const int chunk = static_cast<int>(threadIdx.x) % 8, words = static_cast<int>(threadIdx.x) / 8;
  Vector<16> in[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {  // word `words` of repeat i / kPer
    const int64_t l = line + (i / kPer * 32 + words) * kPer + i % kPer, c = byte + chunk * 16;
    const char *const at = from + l * o.pitch;
    in[i].whole = l < o.lines && c < o.line_bytes ? wgmma_pack_read<T>(at + c, at + o.line_bytes) : uint4{};
  }
#pragma unroll
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    uint32_t out[4 * kPer];  // by new line
    if constexpr (kSize == 4) {
#pragma unroll
      for (int w = 0; w < 4; ++w) out[w] = round_to_tf32(in[repeat].word[w]);
    } else if constexpr (kSize == 2) {
#pragma unroll
      for (int w = 0; w < 4; ++w) {
        const uint32_t one = in[2 * repeat].word[w], other = in[2 * repeat + 1].word[w];
        out[2 * w] = __byte_perm(one, other, 0x5410);
        out[2 * w + 1] = __byte_perm(one, other, 0x7632);
      }
    } else {
#pragma unroll
      for (int w = 0; w < 4; ++w) {
        uint32_t turned[4];
        transpose_bytes(in[0].word[w], in[1].word[w], in[2].word[w], in[3].word[w], turned);
#pragma unroll
        for (int e = 0; e < 4; ++e) out[4 * w + e] = turned[e];
      }
    }
#pragma unroll
    for (int c = 0; c < 4 * kPer; ++c)
      *reinterpret_cast<uint32_t *>(shared + (chunk * 4 * kPer + c) * kPitch + repeat * 128 + (words ^ chunk * 4) * 4) =
          out[c];
  }
  __syncthreads();
  const int64_t new_line_bytes = o.lines * kSize, first = byte / kSize;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int at = static_cast<int>(threadIdx.x) + i * kWgmmaPackThreads;  // 16 bytes of the tile
    const int c = at / (8 * kSize), quad = at % (8 * kSize);
    const int64_t l_bytes = line * kSize + quad * 16;
    if ((first + c) * kSize >= o.line_bytes || l_bytes >= new_line_bytes) continue;
    const int swapped = quad % 8 ^ c / (4 * kPer);
    *reinterpret_cast<uint4 *>(to + (first + c) * o.to_pitch + l_bytes) =
        *reinterpret_cast<const uint4 *>(shared + c * kPitch + quad / 8 * 128 + swapped * 16);
  }
}

template <class T>
__device__ __forceinline__ void wgmma_pack_as_it_is(const WgmmaPackOperand &o, const char *from, char *to, int64_t line,
                                                    int64_t byte) {
  const int64_t c = byte + threadIdx.x % 32 * 16;
  if (c >= o.line_bytes) return;
  uint4 x[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int64_t l = line + threadIdx.x / 32 + i * 8;
    const char *const at = from + l * o.pitch;
    if (l < o.lines) x[i] = wgmma_pack_read<T>(at + c, at + o.line_bytes);
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int64_t l = line + threadIdx.x / 32 + i * 8;
    if (l < o.lines) *reinterpret_cast<uint4 *>(to + l * o.to_pitch + c) = wgmma_pack_round<T>(x[i]);
  }
}

// Tiles of A, then of B. T: a word of the elements' size, float for those that are rounded.
template <class T>
__global__ void __launch_bounds__(kWgmmaPackThreads) gemm_wgmma_pack_kernel(const __grid_constant__ WgmmaPack pack) {
  extern __shared__ __align__(16) char shared[];  // where an operand is transposed
  wait_for_stream();
  const bool is_a = blockIdx.x < pack.a.tiles;
  const WgmmaPackOperand &o = is_a ? pack.a : pack.b;
  const int64_t tile = is_a ? blockIdx.x : blockIdx.x - pack.a.tiles;
  const int64_t per_matrix = o.tiles_l * o.tiles_c, p = tile / per_matrix, in_matrix = tile - p * per_matrix;
  const int64_t tile_l = in_matrix / o.tiles_c, tile_c = in_matrix - tile_l * o.tiles_c;
  const char *const from = o.from + p * o.batch_pitch;
  char *const to = o.to + p * o.to_batch_pitch;
  if (o.transposes)
    return wgmma_pack_transposed<T>(o, from, to, tile_l * wgmma_pack_lines(true), tile_c * wgmma_pack_bytes(true),
                                    shared);
  wgmma_pack_as_it_is<T>(o, from, to, tile_l * wgmma_pack_lines(false), tile_c * wgmma_pack_bytes(false));
}

namespace {

using WgmmaPackFunction = void (*)(WgmmaPack);
WgmmaPackFunction function_of(int size) {
  return size == 1   ? gemm_wgmma_pack_kernel<uint8_t>
         : size == 2 ? gemm_wgmma_pack_kernel<uint16_t>
                     : gemm_wgmma_pack_kernel<float>;
}
constexpr char kName[] = "gemm_wgmma_pack";

}  // namespace

gpuopt_status wgmma_pack(const gpuopt_problem &problem, const gpuopt_launch *launch, int size, const WgmmaPack &pack) {
  return launch_kernel(early_launch(problem), launch, kName, dim3(static_cast<unsigned>(pack.a.tiles + pack.b.tiles)),
                       dim3(kWgmmaPackThreads), pack.a.transposes || pack.b.transposes ? kWgmmaPackShared : 0,
                       function_of(size), pack);
}
gpuopt_status load_wgmma_pack(const gpuopt_launch *launch, int size) {
  return load_kernel(launch, kName, function_of(size), kWgmmaPackShared);
}

}  // namespace gpuopt
