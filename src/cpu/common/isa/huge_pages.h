/* Scratch on large pages, where it is not backed yet: 4 KiB pages cost a gemm up to a fifth of its speed. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace gpuopt {
namespace cpu {

/* Advice only: nothing depends on whether the system takes it. */
static inline void advise_huge_pages(void *block, size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  constexpr uintptr_t kHuge = uintptr_t(2) << 20;
  const uintptr_t first = (reinterpret_cast<uintptr_t>(block) + kHuge - 1) & ~(kHuge - 1);
  const uintptr_t last = (reinterpret_cast<uintptr_t>(block) + bytes) & ~(kHuge - 1);
  if (last > first) madvise(reinterpret_cast<void *>(first), last - first, MADV_HUGEPAGE);
#else
  (void)block;
  (void)bytes;
#endif
}

}  // namespace cpu
}  // namespace gpuopt
