/* Vectors of one width, for the files compiled for one instruction set.
 *
 * Such a file sets GPUOPT_VECTOR_BYTES, includes this, then a *_body.inc. Everything here has internal linkage: a
 * shared inline function compiled with several -m flags would leave one arbitrary copy in the program, perhaps with
 * instructions the machine lacks. For the same reason no STL here.
 */
#pragma once

#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#if defined(__clang__)
#define GPUOPT_UNROLL _Pragma("unroll")
#else
#define GPUOPT_UNROLL _Pragma("GCC unroll 32")
#endif
#define GPUOPT_INLINE static inline __attribute__((always_inline))
#define GPUOPT_NOINLINE __attribute__((noinline))

namespace {

constexpr int kVectorBytes = GPUOPT_VECTOR_BYTES;
constexpr int kFloats = kVectorBytes / 4;
constexpr int kDoubles = kVectorBytes / 8;

typedef float vfloat __attribute__((vector_size(GPUOPT_VECTOR_BYTES)));
typedef double vdouble __attribute__((vector_size(GPUOPT_VECTOR_BYTES)));
typedef int32_t vint __attribute__((vector_size(GPUOPT_VECTOR_BYTES)));
typedef uint32_t vuint __attribute__((vector_size(GPUOPT_VECTOR_BYTES)));
typedef int64_t vlong __attribute__((vector_size(GPUOPT_VECTOR_BYTES)));
typedef uint16_t vhalf __attribute__((vector_size(GPUOPT_VECTOR_BYTES / 2)));

template <class T>
struct vector_of;
template <>
struct vector_of<float> {
  typedef vfloat type;
  typedef vint mask;
};
template <>
struct vector_of<double> {
  typedef vdouble type;
  typedef vlong mask;
};

/* Loads and stores at any address. */
template <class V>
GPUOPT_INLINE V load_vector(const void *p) {
  V v;
  memcpy(&v, p, sizeof v);
  return v;
}
template <class V>
GPUOPT_INLINE void store_vector(void *p, V v) {
  memcpy(p, &v, sizeof v);
}

/* All lanes x. Not V{} + x: 0 + -0.0 is 0, so the compiler would have to keep the addition. */
GPUOPT_INLINE vfloat splat(float x) {
  vfloat v;
  for (int i = 0; i < kFloats; ++i) v[i] = x;
  return v;
}
GPUOPT_INLINE vdouble splat(double x) {
  vdouble v;
  for (int i = 0; i < kDoubles; ++i) v[i] = x;
  return v;
}
GPUOPT_INLINE vint splat(int32_t x) {
  vint v;
  for (int i = 0; i < kFloats; ++i) v[i] = x;
  return v;
}

/* Past the caches, to an address aligned to the vector. */
GPUOPT_INLINE void stream_vector(void *p, vfloat v) {
#if defined(__x86_64__) && GPUOPT_VECTOR_BYTES == 64
  _mm512_stream_ps(static_cast<float *>(p), (__m512)v);
#elif defined(__x86_64__) && GPUOPT_VECTOR_BYTES == 32
  _mm256_stream_ps(static_cast<float *>(p), (__m256)v);
#elif defined(__x86_64__)
  _mm_stream_ps(static_cast<float *>(p), (__m128)v);
#else
  store_vector(p, v);
#endif
}
/* Orders streamed stores before whatever tells another thread of them. */
GPUOPT_INLINE void stream_end() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

}  // namespace
