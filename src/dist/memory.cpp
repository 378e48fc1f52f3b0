#include "memory.h"

#include <cstdlib>
#include <vector>

#include "error.h"

namespace gpuopt::dist {
namespace {

class HostMemory final : public Memory {
 public:
  ~HostMemory() override {
    std::free(window);
    std::free(scratch);
  }
  gpuopt_status reserve(size_t more_window, size_t more_scratch) override {
    const gpuopt_status s = grow(&window, &window_bytes, more_window);
    return s != GPUOPT_OK ? s : grow(&scratch, &scratch_bytes, more_scratch);
  }
  gpuopt_status enter(int) override { return GPUOPT_OK; }
  Stream lane(int) override { return nullptr; }
  gpuopt_status fork() override { return GPUOPT_OK; }
  gpuopt_status join() override { return GPUOPT_OK; }
  void restore() override {}
  gpuopt_status wait(const Deadline &, gpuopt_status (*)(void *), void *) override { return GPUOPT_OK; }

 private:
  static gpuopt_status grow(char **block, size_t *has, size_t needs) {
    if (needs <= *has) return GPUOPT_OK;
    const size_t bytes = (needs + 4095) / 4096 * 4096;
    void *fresh = std::aligned_alloc(4096, bytes);
    if (!fresh) return fail(GPUOPT_OUT_OF_MEMORY, "no %zu bytes for blocks of other ranks", bytes);
    std::free(*block);
    *block = static_cast<char *>(fresh);
    *has = bytes;
    return GPUOPT_OK;
  }
};

}  // namespace

std::unique_ptr<Memory> host_memory() { return std::make_unique<HostMemory>(); }

}  // namespace gpuopt::dist
