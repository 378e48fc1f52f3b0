// The square block of elements that one thread turns over in its registers: as many vectors as a vector has elements.
// For elements of 4 bytes and more it costs no instruction (registers are renamed); 2-byte elements take a byte
// permutation for each two of them, 1-byte elements one for each 2 (two levels).
#pragma once

#include "transpose/common/words.cuh"

namespace gpuopt {

// What one access moves. word: its 32-bit parts.
template <int kVector>
using VectorOf = BySize<kVector, void, void, uint32_t, uint2, uint4>;
template <int kVector>
union Vector {
  VectorOf<kVector> whole;
  uint32_t word[kVector / 4];
};

// Byte r of out[c] is byte c of the r-th word.
__device__ __forceinline__ void transpose_bytes(uint32_t r0, uint32_t r1, uint32_t r2, uint32_t r3,
                                                uint32_t (&out)[4]) {
  const uint32_t top01 = __byte_perm(r0, r1, 0x5140), bottom01 = __byte_perm(r2, r3, 0x5140);
  const uint32_t top23 = __byte_perm(r0, r1, 0x7362), bottom23 = __byte_perm(r2, r3, 0x7362);
  out[0] = __byte_perm(top01, bottom01, 0x5410);
  out[1] = __byte_perm(top01, bottom01, 0x7632);
  out[2] = __byte_perm(top23, bottom23, 0x5410);
  out[3] = __byte_perm(top23, bottom23, 0x7632);
}

// out[c] holds element c of every in[r], in the order of r.
template <int kBytes, int kVector>
__device__ __forceinline__ void transpose_registers(const Vector<kVector> (&in)[kVector / kBytes],
                                                    Vector<kVector> (&out)[kVector / kBytes]) {
  constexpr int kSide = kVector / kBytes;
  if constexpr (kBytes >= 4) {
    constexpr int kWords = kBytes / 4;
#pragma unroll
    for (int c = 0; c < kSide; ++c) {
#pragma unroll
      for (int r = 0; r < kSide; ++r) {
#pragma unroll
        for (int w = 0; w < kWords; ++w) out[c].word[r * kWords + w] = in[r].word[c * kWords + w];
      }
    }
  } else if constexpr (kBytes == 2) {
#pragma unroll
    for (int c = 0; c < kSide; ++c) {
#pragma unroll
      for (int w = 0; w < kSide / 2; ++w) {
        out[c].word[w] = __byte_perm(in[2 * w].word[c / 2], in[2 * w + 1].word[c / 2], c % 2 == 0 ? 0x5410 : 0x7632);
      }
    }
  } else {
#pragma unroll
    for (int c = 0; c < kSide; c += 4) {
#pragma unroll
      for (int w = 0; w < kSide / 4; ++w) {
        uint32_t turned[4];
        transpose_bytes(in[4 * w].word[c / 4], in[4 * w + 1].word[c / 4], in[4 * w + 2].word[c / 4],
                        in[4 * w + 3].word[c / 4], turned);
#pragma unroll
        for (int e = 0; e < 4; ++e) out[c + e].word[w] = turned[e];
      }
    }
  }
}

}  // namespace gpuopt
