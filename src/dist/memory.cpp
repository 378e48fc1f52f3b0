#include "memory.h"

#include <cstdlib>

#include "error.h"

namespace gpuopt::dist {
namespace {

class HostMemory final : public Memory {
 public:
  ~HostMemory() override {
    settle(false);
    std::free(window);
    std::free(scratch);
  }
  gpuopt_status enter(int) override { return GPUOPT_OK; }
  Stream lane(int) override { return nullptr; }
  gpuopt_status fork() override { return GPUOPT_OK; }
  gpuopt_status join() override { return GPUOPT_OK; }
  void restore() override {}
  gpuopt_status wait(const Deadline &, gpuopt_status (*)(void *), void *) override { return GPUOPT_OK; }

 private:
  gpuopt_status allocate(size_t needs, char **block, size_t *bytes) override {
    *bytes = (needs + 4095) / 4096 * 4096;
    *block = static_cast<char *>(std::aligned_alloc(4096, *bytes));
    if (!*block) return fail(GPUOPT_OUT_OF_MEMORY, "no %zu bytes for blocks of other ranks", *bytes);
    return GPUOPT_OK;
  }
  void give_back(char *block) override { std::free(block); }
  void replaced(char *block) override { std::free(block); }
};

}  // namespace

gpuopt_status Memory::reserve(size_t more_window, size_t more_scratch) {
  gpuopt_status s = GPUOPT_OK;
  if (more_window > window_bytes) s = allocate(more_window, &fresh_window_, &fresh_window_bytes_);
  if (s == GPUOPT_OK && more_scratch > scratch_bytes)
    s = allocate(more_scratch, &fresh_scratch_, &fresh_scratch_bytes_);
  return s;
}

void Memory::settle(bool everybody_has_it) {
  const auto settle_one = [&](char **fresh, size_t fresh_bytes, char **block, size_t *bytes) {
    if (!*fresh) return;
    if (everybody_has_it) {
      if (*block) replaced(*block);
      *block = *fresh, *bytes = fresh_bytes;
    } else {
      give_back(*fresh);
    }
    *fresh = nullptr;
  };
  settle_one(&fresh_window_, fresh_window_bytes_, &window, &window_bytes);
  settle_one(&fresh_scratch_, fresh_scratch_bytes_, &scratch, &scratch_bytes);
}

std::unique_ptr<Memory> host_memory() { return std::make_unique<HostMemory>(); }

}  // namespace gpuopt::dist
