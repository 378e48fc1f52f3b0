#include "evict.h"

#include <cstdint>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace gpuopt_measure {

#if defined(__x86_64__)
bool evict(const void *data, size_t bytes) {
  constexpr uintptr_t kLine = 64;
  const uintptr_t begin = reinterpret_cast<uintptr_t>(data), end = begin + bytes;
  for (uintptr_t at = begin & ~(kLine - 1); at < end; at += kLine) _mm_clflush(reinterpret_cast<const void *>(at));
  _mm_mfence();
  return true;
}
#elif defined(__aarch64__)
bool evict(const void *data, size_t bytes) {
  uint64_t type = 0;
  asm("mrs %0, ctr_el0" : "=r"(type));
  const uintptr_t line = uintptr_t{4} << ((type >> 16) & 15);
  const uintptr_t begin = reinterpret_cast<uintptr_t>(data), end = begin + bytes;
  for (uintptr_t at = begin & ~(line - 1); at < end; at += line) asm volatile("dc civac, %0" : : "r"(at) : "memory");
  asm volatile("dsb sy" : : : "memory");
  return true;
}
#else
bool evict(const void *, size_t) { return false; }
#endif

}  // namespace gpuopt_measure
