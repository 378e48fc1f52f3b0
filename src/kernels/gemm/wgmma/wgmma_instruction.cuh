// wgmma.mma_async: 64 rows of A times N columns of B, both in shared memory, 32 bytes of k an instruction, sums in the
// registers of a warpgroup.
//
// Operands are tiles as the tensor memory accelerator leaves them: lines of 128 bytes, swizzled. A tile that is
// contiguous along k has a line a row (of m or n); one that is contiguous along m or n, which only 16-bit types may be, has
// panels, each 64 of m or n wide and a line for each of k. The descriptor of either says how far the groups of eight
// lines lie apart (PTX: matrix descriptor, canonical layouts with 128-byte swizzle).
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cstdint>
#include <type_traits>

namespace gpuopt {

constexpr uint32_t kWgmmaPanelBytes = 8192;  // 64 lines

// A shared address as descriptors have it, in units of 16 bytes: without the rank of the block in a cluster.
__device__ __forceinline__ uint32_t wgmma_address(uint32_t shared) { return (shared & 0x3ffff) >> 4; }

// Of the 32 bytes of k from `step` on. first: wgmma_address() of the line (k-major) or panel where the operand begins.
template <bool kAlongK>
__device__ __forceinline__ uint64_t wgmma_descriptor(uint32_t first, int step) {
  constexpr uint32_t kLine = 128, kGroup = 8 * kLine;
  // k-major: eight rows of m or n to the next eight; else the groups along k, and panels of m or n.
  constexpr uint32_t kStep = (kAlongK ? 32 : 16 * kLine) / 16;
  constexpr uint64_t kStride = kGroup / 16, kSwizzle128 = 1;
  constexpr uint32_t kLeading = kAlongK ? 1 : kWgmmaPanelBytes / 16;
  return first + (kLeading << 16) + static_cast<uint32_t>(step) * kStep | kStride << 32 | kSwizzle128 << 62;
}

// Around the instructions: registers that were written before are seen; what was asked for so far is one group; no more
// than kMost groups are under way.
__device__ __forceinline__ void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int kMost>
__device__ __forceinline__ void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kMost) : "memory");
}

// An fp32 number as two f16 parts, high + low, each scaled by a power of two (f32_split.h). A line of 128 bytes has the high
// parts of 32 of them, then their low parts.
struct WgmmaParts {
  __half high, low;
};

// What sums of products of these types are kept in.
template <class A>
using WgmmaSum = std::conditional_t<std::is_same_v<A, int8_t>, int32_t, float>;

// clang-format off
#define GPUOPT_WGMMA_TEXT_4_ "{%0, %1, %2, %3"
#define GPUOPT_WGMMA_TEXT_8_ GPUOPT_WGMMA_TEXT_4_ ", %4, %5, %6, %7"
#define GPUOPT_WGMMA_TEXT_16_ GPUOPT_WGMMA_TEXT_8_ ", %8, %9, %10, %11, %12, %13, %14, %15"
#define GPUOPT_WGMMA_TEXT_32_ GPUOPT_WGMMA_TEXT_16_ ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define GPUOPT_WGMMA_TEXT_64_ GPUOPT_WGMMA_TEXT_32_ ", " \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47" ", " \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define GPUOPT_WGMMA_TEXT_72_ GPUOPT_WGMMA_TEXT_64_ ", %64, %65, %66, %67, %68, %69, %70, %71"
#define GPUOPT_WGMMA_TEXT_80_ GPUOPT_WGMMA_TEXT_72_ ", %72, %73, %74, %75, %76, %77, %78, %79"
#define GPUOPT_WGMMA_TEXT_88_ GPUOPT_WGMMA_TEXT_80_ ", %80, %81, %82, %83, %84, %85, %86, %87"
#define GPUOPT_WGMMA_TEXT_96_ GPUOPT_WGMMA_TEXT_88_ ", %88, %89, %90, %91, %92, %93, %94, %95"
#define GPUOPT_WGMMA_TEXT_104_ GPUOPT_WGMMA_TEXT_96_ ", %96, %97, %98, %99, %100, %101, %102, %103"
#define GPUOPT_WGMMA_TEXT_112_ GPUOPT_WGMMA_TEXT_104_ ", %104, %105, %106, %107, %108, %109, %110, %111"
#define GPUOPT_WGMMA_TEXT_120_ GPUOPT_WGMMA_TEXT_112_ ", %112, %113, %114, %115, %116, %117, %118, %119"
#define GPUOPT_WGMMA_TEXT_128_ GPUOPT_WGMMA_TEXT_120_ ", %120, %121, %122, %123, %124, %125, %126, %127"
#define GPUOPT_WGMMA_8_(c, i) c(d[i]), c(d[i + 1]), c(d[i + 2]), c(d[i + 3]), c(d[i + 4]), c(d[i + 5]), c(d[i + 6]), c(d[i + 7])
#define GPUOPT_WGMMA_SUMS_4_(c) c(d[0]), c(d[1]), c(d[2]), c(d[3])
#define GPUOPT_WGMMA_SUMS_8_(c) GPUOPT_WGMMA_8_(c, 0)
#define GPUOPT_WGMMA_SUMS_16_(c) GPUOPT_WGMMA_SUMS_8_(c), GPUOPT_WGMMA_8_(c, 8)
#define GPUOPT_WGMMA_SUMS_32_(c) GPUOPT_WGMMA_SUMS_16_(c), GPUOPT_WGMMA_8_(c, 16), GPUOPT_WGMMA_8_(c, 24)
#define GPUOPT_WGMMA_SUMS_64_(c) GPUOPT_WGMMA_SUMS_32_(c), GPUOPT_WGMMA_8_(c, 32), GPUOPT_WGMMA_8_(c, 40), GPUOPT_WGMMA_8_(c, 48), GPUOPT_WGMMA_8_(c, 56)
#define GPUOPT_WGMMA_SUMS_72_(c) GPUOPT_WGMMA_SUMS_64_(c), GPUOPT_WGMMA_8_(c, 64)
#define GPUOPT_WGMMA_SUMS_80_(c) GPUOPT_WGMMA_SUMS_72_(c), GPUOPT_WGMMA_8_(c, 72)
#define GPUOPT_WGMMA_SUMS_88_(c) GPUOPT_WGMMA_SUMS_80_(c), GPUOPT_WGMMA_8_(c, 80)
#define GPUOPT_WGMMA_SUMS_96_(c) GPUOPT_WGMMA_SUMS_88_(c), GPUOPT_WGMMA_8_(c, 88)
#define GPUOPT_WGMMA_SUMS_104_(c) GPUOPT_WGMMA_SUMS_96_(c), GPUOPT_WGMMA_8_(c, 96)
#define GPUOPT_WGMMA_SUMS_112_(c) GPUOPT_WGMMA_SUMS_104_(c), GPUOPT_WGMMA_8_(c, 104)
#define GPUOPT_WGMMA_SUMS_120_(c) GPUOPT_WGMMA_SUMS_112_(c), GPUOPT_WGMMA_8_(c, 112)
#define GPUOPT_WGMMA_SUMS_128_(c) GPUOPT_WGMMA_SUMS_120_(c), GPUOPT_WGMMA_8_(c, 120)
// from: A and B behind the sums; adds: whether to d.
#define GPUOPT_WGMMA_(sums, from, adds, c, shape, more)                                                          \
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, " adds ", 0;\n"                                                 \
               "wgmma.mma_async.sync.aligned." shape " " GPUOPT_WGMMA_TEXT_##sums##_ "}, " from ", p" more ";\n}\n" \
               : GPUOPT_WGMMA_SUMS_##sums##_(c)                                                                  \
               : "l"(a), "l"(b), "r"(scale_d), "n"(kTurnsA), "n"(kTurnsB))
// d += a * b, 64 rows of so many sums a thread, the first of an array; scale_d 0: d = a * b. turns: which of 16-bit A and B lie
// along m or n.
#define GPUOPT_WGMMA_OF_(sums, shape, from, adds, turns)                                                    \
  template <class A, class B, bool kTurnsA, bool kTurnsB, int kArray>                                       \
  __device__ __forceinline__ void wgmma_of(std::integral_constant<int, sums>, WgmmaSum<A> (&d)[kArray], \
                                           uint64_t a, uint64_t b, int scale_d) {                           \
    namespace std_ = cuda::std;                                                                             \
    constexpr bool kA4 = std_::is_same_v<A, __nv_fp8_e4m3>, kB4 = std_::is_same_v<B, __nv_fp8_e4m3>;         \
    if constexpr (std_::is_same_v<A, __half>)                                                               \
      GPUOPT_WGMMA_(sums, from, adds, "+f", shape "k16.f32.f16.f16", ", 1, 1, " turns);          \
    else if constexpr (std_::is_same_v<A, __nv_bfloat16>)                                                   \
      GPUOPT_WGMMA_(sums, from, adds, "+f", shape "k16.f32.bf16.bf16", ", 1, 1, " turns);        \
    else if constexpr (std_::is_same_v<A, float>)                                                           \
      GPUOPT_WGMMA_(sums, from, adds, "+f", shape "k8.f32.tf32.tf32", ", 1, 1");                                        \
    else if constexpr (std_::is_same_v<A, int8_t>)                                                          \
      GPUOPT_WGMMA_(sums, from, adds, "+r", shape "k32.s32.s8.s8", "");                                                 \
    else if constexpr (kA4 && kB4)                                                                          \
      GPUOPT_WGMMA_(sums, from, adds, "+f", shape "k32.f32.e4m3.e4m3", ", 1, 1");                                       \
    else if constexpr (kA4)                                                                                 \
      GPUOPT_WGMMA_(sums, from, adds, "+f", shape "k32.f32.e4m3.e5m2", ", 1, 1");                                       \
    else if constexpr (kB4)                                                                                 \
      GPUOPT_WGMMA_(sums, from, adds, "+f", shape "k32.f32.e5m2.e4m3", ", 1, 1");                                       \
    else                                                                                                    \
      GPUOPT_WGMMA_(sums, from, adds, "+f", shape "k32.f32.e5m2.e5m2", ", 1, 1");                                       \
  }
GPUOPT_WGMMA_OF_(4, "m64n8", "%4, %5", "%6", "%7, %8")
GPUOPT_WGMMA_OF_(8, "m64n16", "%8, %9", "%10", "%11, %12")
GPUOPT_WGMMA_OF_(16, "m64n32", "%16, %17", "%18", "%19, %20")
GPUOPT_WGMMA_OF_(32, "m64n64", "%32, %33", "%34", "%35, %36")
GPUOPT_WGMMA_OF_(64, "m64n128", "%64, %65", "%66", "%67, %68")
GPUOPT_WGMMA_OF_(72, "m64n144", "%72, %73", "%74", "%75, %76")
GPUOPT_WGMMA_OF_(80, "m64n160", "%80, %81", "%82", "%83, %84")
GPUOPT_WGMMA_OF_(88, "m64n176", "%88, %89", "%90", "%91, %92")
GPUOPT_WGMMA_OF_(96, "m64n192", "%96, %97", "%98", "%99, %100")
GPUOPT_WGMMA_OF_(104, "m64n208", "%104, %105", "%106", "%107, %108")
GPUOPT_WGMMA_OF_(112, "m64n224", "%112, %113", "%114", "%115, %116")
GPUOPT_WGMMA_OF_(120, "m64n240", "%120, %121", "%122", "%123, %124")
GPUOPT_WGMMA_OF_(128, "m64n256", "%128, %129", "%130", "%131, %132")
#undef GPUOPT_WGMMA_OF_
#undef GPUOPT_WGMMA_
// clang-format on

// kSums sums of a thread: 2 * kSums columns.
template <class A, class B, bool kTurnsA, bool kTurnsB, int kSums, int kArray>
__device__ __forceinline__ void wgmma(WgmmaSum<A> (&d)[kArray], uint64_t a, uint64_t b, int scale_d) {
  wgmma_of<A, B, kTurnsA, kTurnsB>(std::integral_constant<int, kSums>{}, d, a, b, scale_d);
}

}  // namespace gpuopt
