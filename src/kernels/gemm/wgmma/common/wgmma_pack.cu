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

// 16 bytes of each of kLines lines, of those that exist, from anywhere; none beyond a line are touched. All that is read is under
// way before any is shifted into place: no branch is between two loads but that of a line's last bytes.
template <class T, int kLines, class LineOf>
__device__ __forceinline__ void wgmma_pack_read(const WgmmaPackOperand &o, const char *from, int64_t byte,
                                                LineOf &&line_of, uint4 (&x)[kLines]) {
  constexpr int kElements = 16 / sizeof(T);
  const char *at[kLines];
  uint4 one[kLines], other[kLines];
  bool exists[kLines], whole[kLines];
#pragma unroll
  for (int i = 0; i < kLines; ++i) {
    const int64_t l = line_of(i);
    at[i] = from + l * o.pitch + byte;
    exists[i] = l < o.lines && byte < o.line_bytes;
    const auto past = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(at[i]) % 16);
    whole[i] = exists[i] && byte - past + (past == 0 ? 16 : 32) <= o.line_bytes;
    const auto *const pieces = reinterpret_cast<const uint4 *>(at[i] - past);
    one[i] = other[i] = {};
    if (whole[i]) one[i] = *pieces;
    if (whole[i] && past != 0) other[i] = pieces[1];
  }
#pragma unroll
  for (int i = 0; i < kLines; ++i) {
    uint32_t w[8] = {one[i].x, one[i].y, one[i].z, one[i].w, other[i].x, other[i].y, other[i].z, other[i].w};
    x[i] = bits_as<uint4>(
        shift_into_place<T, kElements>(w, static_cast<uint32_t>(reinterpret_cast<uintptr_t>(at[i]) % 16)));
  }
  // The last bytes of lines, an element of all of them after the other.
  bool all = true;
#pragma unroll
  for (int i = 0; i < kLines; ++i) all = all && (whole[i] || !exists[i]);
  if (all) return;
  Bits<T, kElements> bits[kLines];
#pragma unroll
  for (int i = 0; i < kLines; ++i) bits[i] = bits_as<Bits<T, kElements>>(x[i]);
#pragma unroll
  for (int e = 0; e < kElements; ++e) {
    if (byte + e * static_cast<int>(sizeof(T)) >= o.line_bytes) break;
#pragma unroll
    for (int i = 0; i < kLines; ++i)
      if (exists[i] && !whole[i]) set_element(bits[i], e, reinterpret_cast<const T *>(at[i])[e]);
  }
#pragma unroll
  for (int i = 0; i < kLines; ++i) x[i] = bits_as<uint4>(bits[i]);
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
  uint4 read[4];  // word `words` of repeat i / kPer
  wgmma_pack_read<T>(
      o, from, byte + chunk * 16, [&](int i) { return line + (i / kPer * 32 + words) * kPer + i % kPer; }, read);
#pragma unroll
  for (int i = 0; i < 4; ++i) in[i].whole = read[i];
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
  wgmma_pack_read<T>(
      o, from, c, [&](int i) { return line + threadIdx.x / 32 + i * 8; }, x);
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
