// operator new and delete are replaced; malloc's family is wrapped by the linker (CMakeLists.txt), for what is compiled into
// this program: the library is.
#include "hooks.h"

#include <malloc.h>

#include <cstdlib>
#include <new>

namespace {

constexpr int64_t kNever = -1;
// Of each thread.
thread_local int64_t left = kNever;  // allocations until one fails
thread_local bool sticky = false, failed = false;
thread_local int64_t blocks = 0, bytes = 0;

bool fails_now() {
  if (left == kNever) return false;
  if (left > 0) return --left, false;
  if (!sticky) left = kNever;
  failed = true;
  return true;
}

void *held(void *memory) {
  if (memory != nullptr) ++blocks, bytes += static_cast<int64_t>(malloc_usable_size(memory));
  return memory;
}
void let_go(void *memory) {
  if (memory != nullptr) --blocks, bytes -= static_cast<int64_t>(malloc_usable_size(memory));
}

}  // namespace

extern "C" {
void *__real_malloc(size_t);
void *__real_calloc(size_t, size_t);
void *__real_realloc(void *, size_t);
void *__real_aligned_alloc(size_t, size_t);
int __real_posix_memalign(void **, size_t, size_t);
void __real_free(void *);

void *__wrap_malloc(size_t size) { return fails_now() ? nullptr : held(__real_malloc(size)); }
void *__wrap_calloc(size_t count, size_t size) { return fails_now() ? nullptr : held(__real_calloc(count, size)); }
void *__wrap_realloc(void *memory, size_t size) {
  if (fails_now()) return nullptr;
  let_go(memory);
  return held(__real_realloc(memory, size));
}
void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  return fails_now() ? nullptr : held(__real_aligned_alloc(alignment, size));
}
int __wrap_posix_memalign(void **out, size_t alignment, size_t size) {
  if (fails_now()) return 12;
  const int status = __real_posix_memalign(out, alignment, size);
  if (status == 0) held(*out);
  return status;
}
void __wrap_free(void *memory) {
  let_go(memory);
  __real_free(memory);
}
}

namespace {

void *take(size_t size) { return fails_now() ? nullptr : held(__real_malloc(size ? size : 1)); }
void *take_aligned(size_t size, std::align_val_t alignment) {
  const auto to = static_cast<size_t>(alignment);
  return fails_now() ? nullptr : held(__real_aligned_alloc(to, (size + to - 1) / to * to));
}
void *or_throw(void *memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void give(void *memory) {
  let_go(memory);
  __real_free(memory);
}

}  // namespace

void *operator new(size_t size) { return or_throw(take(size)); }
void *operator new[](size_t size) { return or_throw(take(size)); }
void *operator new(size_t size, const std::nothrow_t &) noexcept { return take(size); }
void *operator new[](size_t size, const std::nothrow_t &) noexcept { return take(size); }
void *operator new(size_t size, std::align_val_t to) { return or_throw(take_aligned(size, to)); }
void *operator new[](size_t size, std::align_val_t to) { return or_throw(take_aligned(size, to)); }
void *operator new(size_t size, std::align_val_t to, const std::nothrow_t &) noexcept { return take_aligned(size, to); }
void *operator new[](size_t size, std::align_val_t to, const std::nothrow_t &) noexcept {
  return take_aligned(size, to);
}
void operator delete(void *memory) noexcept { give(memory); }
void operator delete[](void *memory) noexcept { give(memory); }
void operator delete(void *memory, size_t) noexcept { give(memory); }
void operator delete[](void *memory, size_t) noexcept { give(memory); }
void operator delete(void *memory, const std::nothrow_t &) noexcept { give(memory); }
void operator delete[](void *memory, const std::nothrow_t &) noexcept { give(memory); }
void operator delete(void *memory, std::align_val_t) noexcept { give(memory); }
void operator delete[](void *memory, std::align_val_t) noexcept { give(memory); }
void operator delete(void *memory, size_t, std::align_val_t) noexcept { give(memory); }
void operator delete[](void *memory, size_t, std::align_val_t) noexcept { give(memory); }

namespace gpuopt_test {

bool fails_at(int64_t n, bool from_then_on, const std::function<void()> &call) {
  failed = false;
  sticky = from_then_on;
  left = n;
  call();
  left = kNever;
  return failed;
}

void with_memory(const std::function<void()> &call) {
  const int64_t kept = left;
  left = kNever;
  call();
  left = kept;
}

int64_t blocks_held() { return blocks; }
int64_t bytes_held() { return bytes; }

}  // namespace gpuopt_test
