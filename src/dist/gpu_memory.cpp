// Window, scratch and lanes on a GPU. Blocks are cudaMalloc's and whole multiples of 2 MiB, which other processes can map.
#include <sched.h>

#include <algorithm>
#include <vector>

#include "cuda_calls.h"
#include "device.h"
#include "gpu.h"
#include "handle.h"

namespace gpuopt::dist {
namespace {

class GpuMemory final : public Memory {
 public:
  explicit GpuMemory(gpuopt_handle *handle) : handle_(handle) {}
  ~GpuMemory() override {
    const device::ScopedCurrent current(handle_->ordinal());
    for (void *block : blocks_) cudaFree(block);
    for (cudaStream_t stream : streams_)
      if (stream) cudaStreamDestroy(stream);
  }
  gpuopt_status start() {
    const device::ScopedCurrent current(handle_->ordinal());
    for (int i = 1; i < kLanes; ++i) GPUOPT_CUDA_TRY(cudaStreamCreateWithFlags(&streams_[i], cudaStreamNonBlocking));
    return GPUOPT_OK;
  }
  gpuopt_status enter(int lane) override { return gpuopt_set_stream(handle_, this->lane(lane)); }
  Stream lane(int index) override { return index == 0 ? own_ : streams_[index]; }
  gpuopt_status fork() override {
    const device::ScopedCurrent current(handle_->ordinal());
    own_ = handle_->stream;
    gpuopt_status s = begun_.record(own_);
    for (int i = 1; i < kLanes && s == GPUOPT_OK; ++i) s = begun_.hold(streams_[i]);
    return s;
  }
  gpuopt_status join() override {
    const device::ScopedCurrent current(handle_->ordinal());
    gpuopt_status s = GPUOPT_OK;
    for (int i = 1; i < kLanes && s == GPUOPT_OK; ++i) s = order(&ended_[i], streams_[i], own_);
    return s;
  }
  void restore() override { handle_->stream = own_; }
  bool is_capturing() override { return device::capture_state(handle_->stream) == device::Capture::active; }
  gpuopt_status wait(const Deadline &deadline, gpuopt_status (*look)(void *), void *user) override {
    const device::ScopedCurrent current(handle_->ordinal());
    for (int turn = 0;; ++turn) {
      const cudaError_t e = cudaStreamQuery(handle_->stream);
      if (e == cudaSuccess) return GPUOPT_OK;
      if (e != cudaErrorNotReady) return cuda_status(e, "cudaStreamQuery");
      if (turn % 256 != 255) continue;
      const gpuopt_status s = look(user);
      if (s != GPUOPT_OK) return s;
      if (deadline.is_over())
        return fail(GPUOPT_TIME_LIMIT, "the work of this rank is not done after %d ms", deadline.ms());
      sched_yield();
    }
  }

 private:
  gpuopt_status allocate(size_t needs, char **block, size_t *bytes) override {
    const device::ScopedCurrent current(handle_->ordinal());
    constexpr size_t kPage = size_t{2} << 20;
    *bytes = (needs + kPage - 1) / kPage * kPage;
    void *fresh = nullptr;
    blocks_.reserve(blocks_.size() + 1);
    GPUOPT_CUDA_TRY(cudaMalloc(&fresh, *bytes));
    blocks_.push_back(fresh);
    *block = static_cast<char *>(fresh);
    return GPUOPT_OK;
  }
  void give_back(char *block) override {
    const device::ScopedCurrent current(handle_->ordinal());
    blocks_.erase(std::remove(blocks_.begin(), blocks_.end(), static_cast<void *>(block)), blocks_.end());
    cudaFree(block);
  }
  void replaced(char *) override {}  // captured graphs, and calls under way on other ranks, know the earlier ones

  gpuopt_handle *handle_;
  Stream own_ = nullptr;
  cudaStream_t streams_[kLanes] = {};
  Event begun_, ended_[kLanes];
  std::vector<void *> blocks_;
};

}  // namespace

std::unique_ptr<Memory> gpu_memory(gpuopt_handle *handle, gpuopt_status *status) {
  auto memory = std::make_unique<GpuMemory>(handle);
  *status = memory->start();
  return memory;
}

}  // namespace gpuopt::dist
