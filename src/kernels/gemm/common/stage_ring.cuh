// A ring of stages in shared memory between threads that fill them and warps that read them. A stage has two barriers:
// one opens when it is full, the other when all warps have read it, so that nobody waits at a barrier of the whole
// block.
#pragma once

#include <cuda/ptx>

namespace gpuopt {

// Each side has a ring of its own and goes round by advance(). barriers: 16 bytes for each stage.
template <int kStages, int kStageBytes, int kReaderWarps>
class StageRing {
 public:
  __device__ __forceinline__ StageRing(char *stages, char *barriers)
      : stages_(stages), full_(reinterpret_cast<uint64_t *>(barriers)) {}

  // By one thread, before a barrier of the block; `writers` of them arrive at a full stage.
  __device__ __forceinline__ void init(int writers) const {
    for (int s = 0; s < kStages; ++s) {
      cuda::ptx::mbarrier_init(full_ + s, static_cast<uint32_t>(writers));
      cuda::ptx::mbarrier_init(full_ + kStages + s, kReaderWarps);
    }
  }
  // The same where one thread asks the tensor memory accelerator, which must see the barriers, too.
  __device__ __forceinline__ void init_for_tma() const {
    init(1);
    cuda::ptx::fence_mbarrier_init(cuda::ptx::sem_release, cuda::ptx::scope_cluster);
  }

  __device__ __forceinline__ char *stage() const { return stages_ + index_ * kStageBytes; }
  __device__ __forceinline__ uint64_t *full() const { return full_ + index_; }
  __device__ __forceinline__ void wait_full() const { wait(full_ + index_, phase_); }
  __device__ __forceinline__ void wait_empty() const { wait(full_ + kStages + index_, phase_ ^ 1); }
  // The stage is full when as many bytes have come.
  __device__ __forceinline__ void expect() const {
    namespace ptx = cuda::ptx;
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, full_ + index_, kStageBytes);
  }
  // When this thread's asynchronous copies have landed.
  __device__ __forceinline__ void arrive_full() const { cuda::ptx::cp_async_mbarrier_arrive_noinc(full_ + index_); }
  __device__ __forceinline__ void arrive_empty() const {
    __syncwarp();
    if (threadIdx.x % 32 == 0) cuda::ptx::mbarrier_arrive(full_ + kStages + index_);
  }
  __device__ __forceinline__ void advance() {
    if (++index_ == kStages) {
      index_ = 0;
      phase_ ^= 1;
    }
  }

 private:
  static __device__ __forceinline__ void wait(uint64_t *barrier, uint32_t phase) {
    while (!cuda::ptx::mbarrier_try_wait_parity(barrier, phase)) {
    }
  }

  char *stages_;
  uint64_t *full_;  // then the empty ones
  int index_ = 0;
  uint32_t phase_ = 0;
};

}  // namespace gpuopt
