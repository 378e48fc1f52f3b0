// How much stack a function needs: it runs on a thread whose stack was painted before.
#pragma once
#include <pthread.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <functional>

#include "support.h"

namespace gpuopt_test {

class PaintedStack {
 public:
  static constexpr size_t kBytes = size_t{1} << 20;
  PaintedStack() : stack_(mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    REQUIRE(stack_ != MAP_FAILED);
  }
  ~PaintedStack() { munmap(stack_, kBytes); }
  PaintedStack(const PaintedStack &) = delete;

  // Bytes below the frame that called it. first: runs on the thread before, and does not count.
  size_t used_by(const std::function<void()> &run, const std::function<void()> &first = nullptr) {
    std::memset(stack_, kPaint, kBytes);
    Run context = {&run, &first, stack_, 0};
    pthread_attr_t attributes;
    REQUIRE(pthread_attr_init(&attributes) == 0);
    REQUIRE(pthread_attr_setstack(&attributes, stack_, kBytes) == 0);
    pthread_t thread;
    REQUIRE(pthread_create(&thread, &attributes, enter, &context) == 0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
    const auto *bytes = static_cast<const unsigned char *>(stack_);
    size_t lowest = 0;
    while (lowest < kBytes && bytes[lowest] == kPaint) ++lowest;
    return context.top - reinterpret_cast<uintptr_t>(bytes) - lowest;
  }

 private:
  static constexpr unsigned char kPaint = 0xc5;
  struct Run {
    const std::function<void()> *run, *first;
    void *stack;
    uintptr_t top;
  };
  static void *enter(void *argument) {
    auto *context = static_cast<Run *>(argument);
    context->top = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    if (*context->first) {
      (*context->first)();
      constexpr size_t kInUse = 1024;  // by this frame and by memset's
      std::memset(context->stack, kPaint, context->top - reinterpret_cast<uintptr_t>(context->stack) - kInUse);
    }
    (*context->run)();
    return nullptr;
  }
  void *stack_;
};

}  // namespace gpuopt_test
