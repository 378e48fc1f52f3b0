// The tensor-core instructions of the mma.sync kernels: ldmatrix, mma.sync and the conversions before it.
//
// A fragment is 16 rows of A (columns of B) by 32 bytes of k, in four registers of each lane. With r = lane / 4 and c =
// lane % 4, the four are rows r and r + 8, each with the bytes 4c .. 4c + 3 of k and those 16 bytes farther along. A
// counts them rows first, B bytes first, so that its halves are two operands of 8 columns. That serves m16n8k16
// (16-bit), m16n8k8 (tf32) and m16n8k32 (8-bit) alike. sm_75 knows only shorter products, which together give the same.
#pragma once

#include "common/element.cuh"

namespace gpuopt {

// First architecture with mma.sync for operands of this type (in the shapes used here).
template <class T>
constexpr int kMmaLeastArch = 800;
template <>
inline constexpr int kMmaLeastArch<__half> = 750;
template <>
inline constexpr int kMmaLeastArch<int8_t> = 750;
template <>
inline constexpr int kMmaLeastArch<__nv_fp8_e4m3> = 890;
template <>
inline constexpr int kMmaLeastArch<__nv_fp8_e5m2> = 890;

template <class T>
constexpr bool kIsFp8 = std::is_same_v<T, __nv_fp8_e4m3> || std::is_same_v<T, __nv_fp8_e5m2>;
template <class T>
using MmaSum = std::conditional_t<std::is_same_v<T, int8_t>, int32_t, float>;

// Four 8 x 8 matrices of 16-bit elements; lane l gives the address of row l % 8 of matrix l / 8.
template <bool kTransposed>
__device__ __forceinline__ void load_matrices(uint32_t (&q)[4], uint32_t address) {
  if constexpr (kTransposed) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3])
                 : "r"(address)
                 : "memory");
  } else {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3])
                 : "r"(address)
                 : "memory");
  }
}

__device__ __forceinline__ uint32_t load_shared_word(uint32_t address) {
  uint32_t word;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(address) : "memory");
  return word;
}

// To the nearest tf32, halves away from zero. The tensor core itself would cut the low bits off.
__device__ __forceinline__ uint32_t round_to_tf32(uint32_t x) {
#if __CUDA_ARCH__ >= 800
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(x) : "f"(__uint_as_float(x)));
#endif
  return x;
}

#define GPUOPT_MMA_(instruction, type)                                                                             \
  asm volatile("mma.sync.aligned." instruction " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"        \
               : "=" type(d[0]), "=" type(d[1]), "=" type(d[2]), "=" type(d[3])                                    \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1), type(c[0]), type(c[1]), type(c[2]), \
                 type(c[3]))

// d = a * b + c for 16 x 8 sums of operands of types A and B.
template <class A, class B>
__device__ __forceinline__ void mma_sync(MmaSum<A> (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1,
                                         const MmaSum<A> (&c)[4]) {
#if __CUDA_ARCH__ >= 800
  if constexpr (std::is_same_v<A, __half>) {
    GPUOPT_MMA_("m16n8k16.row.col.f32.f16.f16.f32", "f");
  } else if constexpr (std::is_same_v<A, __nv_bfloat16>) {
    GPUOPT_MMA_("m16n8k16.row.col.f32.bf16.bf16.f32", "f");
  } else if constexpr (std::is_same_v<A, float>) {
    GPUOPT_MMA_("m16n8k8.row.col.f32.tf32.tf32.f32", "f");
  } else if constexpr (std::is_same_v<A, int8_t>) {
    GPUOPT_MMA_("m16n8k32.row.col.s32.s8.s8.s32", "r");
  }
#if __CUDA_ARCH__ >= 890
  constexpr bool kWideA = std::is_same_v<A, __nv_fp8_e5m2>, kWideB = std::is_same_v<B, __nv_fp8_e5m2>;
  if constexpr (kIsFp8<A> && !kWideA && !kWideB) {
    GPUOPT_MMA_("m16n8k32.row.col.f32.e4m3.e4m3.f32", "f");
  } else if constexpr (kIsFp8<A> && !kWideA) {
    GPUOPT_MMA_("m16n8k32.row.col.f32.e4m3.e5m2.f32", "f");
  } else if constexpr (kIsFp8<A> && !kWideB) {
    GPUOPT_MMA_("m16n8k32.row.col.f32.e5m2.e4m3.f32", "f");
  } else if constexpr (kIsFp8<A>) {
    GPUOPT_MMA_("m16n8k32.row.col.f32.e5m2.e5m2.f32", "f");
  }
#endif
#elif __CUDA_ARCH__ >= 750
  if constexpr (std::is_same_v<A, __half>) {
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};"
                 : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(b0), "f"(c[0]), "f"(c[1]), "f"(c[2]), "f"(c[3]));
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[2]), "r"(a[3]), "r"(b1));
  } else if constexpr (std::is_same_v<A, int8_t>) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0,%1}, {%2}, {%3}, {%4,%5};"
                   : "=r"(d[2 * half]), "=r"(d[2 * half + 1])
                   : "r"(a[half]), "r"(b0), "r"(c[2 * half]), "r"(c[2 * half + 1]));
      asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0,%1}, {%2}, {%3}, {%0,%1};"
                   : "+r"(d[2 * half]), "+r"(d[2 * half + 1])
                   : "r"(a[half + 2]), "r"(b1));
    }
  }
#endif
}
#undef GPUOPT_MMA_

}  // namespace gpuopt
