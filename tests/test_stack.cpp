// Stack: a call needs at most 64 KiB, whatever kernel runs, so that threads with small stacks may call.
#include <algorithm>
#include <cstdio>

#include "kernel_report.h"
#include "painted_stack.h"
#include "spec.h"

using namespace gpuopt_check;
using namespace gpuopt_test;

namespace {

constexpr size_t kMostBytes = size_t{64} << 10;

Handle handle_of(const char *isa) {
  gpuopt_options o = GPUOPT_OPTIONS_INIT;
  o.device = GPUOPT_DEVICE_CPU;
  o.num_threads = 1;  // all of the work on the caller
  o.cpu_isa = isa;
  gpuopt_handle *h = nullptr;
  REQUIRE_MESSAGE(gpuopt_create(&h, &o) == GPUOPT_OK, last_error());
  return Handle(h);
}

// The image of a problem at an address as aligned as the kernels may assume.
class Block {
 public:
  void *hold(const std::vector<uint8_t> &image) {
    if (image.size() > size_) {
      size_ = (image.size() * 2 + 255) / 256 * 256;
      memory_.reset(std::aligned_alloc(256, size_));
    }
    std::memcpy(memory_.get(), image.data(), image.size());
    return memory_.get();
  }

 private:
  struct Free {
    void operator()(void *memory) const { std::free(memory); }
  };
  std::unique_ptr<void, Free> memory_;
  size_t size_ = 0;
};

}  // namespace

TEST_CASE("stack: a call of any CPU kernel needs at most 64 KiB") {
  if (kSanitized) {
    std::printf("SKIP: sanitizers make frames larger\n");
    return;
  }
  PaintedStack stack;
  Block block;
  for (const char *isa : {"baseline", "avx2", "avx512"}) {
    const Handle h = handle_of(isa);
    for (size_t i = 0; i < gpuopt_kernel_count(); ++i) {
      const gpuopt_kernel &kernel = *gpuopt_kernel_get(i);
      if (!contains(kernel.name, "_cpu_")) continue;  // other tests register kernels of their own
      if (contains(kernel.name, "_reference") && contains(isa, "avx")) continue;  // it has one code
      const Needs needs = needs_of_kernel(kernel);
      REQUIRE(gpuopt_set_kernel(h.get(), kernel.name) == GPUOPT_OK);
      size_t most = 0;
      int ran = 0;
      std::string which;
      for (int64_t problem = 0; problem < 60; ++problem) {
        const Size size = problem % 30 == 0 ? Size::large : problem % 3 ? Size::small : Size::tiny;
        const Problem p = random_problem(needs, kernel.name, 7, problem, size);
        void *const memory = block.hold(p.image);
        gpuopt_status status = GPUOPT_INTERNAL;
        const Args args(p, memory);
        if (p.list_bytes() != 0)  // which knows where its products lie
          std::memcpy(static_cast<uint8_t *>(memory) + p.t[GPUOPT_OPERAND_LIST].pos, args.products().data(),
                      p.list_bytes());
        const size_t used = stack.used_by([&] { status = args.run(h.get()); });
        ran += status == GPUOPT_OK;
        if (used > most) most = used, which = p.text();
      }
      if (std::getenv("GPUOPT_TEST_SHOW")) std::printf("%s %s: %zu bytes, %d ran\n", isa, kernel.name, most, ran);
      const std::string name = kernel.name;
      CHECK_MESSAGE(most <= kMostBytes, name << " with " << std::string(isa) << ": " << most << " bytes for " << which);
      CHECK_MESSAGE(ran >= 20, name);
    }
  }
}
