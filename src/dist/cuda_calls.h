// Calls of the CUDA runtime that turn a failure into a status and its words.
#pragma once
#include <cuda_runtime_api.h>

#include "error.h"

namespace gpuopt::dist {

inline gpuopt_status cuda_status(cudaError_t e, const char *what) {
  if (e == cudaSuccess) return GPUOPT_OK;
  const gpuopt_status s = e == cudaErrorMemoryAllocation ? GPUOPT_OUT_OF_MEMORY : GPUOPT_CUDA_ERROR;
  return fail(s, "%s: %s: %s", what, cudaGetErrorName(e), cudaGetErrorString(e));
}

#define GPUOPT_CUDA_TRY(call)                                                       \
  do {                                                                              \
    const gpuopt_status cuda_try_status = ::gpuopt::dist::cuda_status(call, #call); \
    if (cuda_try_status != GPUOPT_OK) return cuda_try_status;                       \
  } while (0)

// An event that orders streams and times nothing.
class Event {
 public:
  Event() = default;
  Event(Event &&other) noexcept : event_(other.event_) { other.event_ = nullptr; }
  Event(const Event &) = delete;
  Event &operator=(const Event &) = delete;
  ~Event() {
    if (event_) cudaEventDestroy(event_);
  }
  gpuopt_status record(cudaStream_t stream) {
    if (!event_) GPUOPT_CUDA_TRY(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming));
    GPUOPT_CUDA_TRY(cudaEventRecord(event_, stream));
    return GPUOPT_OK;
  }
  gpuopt_status hold(cudaStream_t stream) const {
    GPUOPT_CUDA_TRY(cudaStreamWaitEvent(stream, event_, 0));
    return GPUOPT_OK;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

// Later work of `behind` waits for what `ahead` has now.
inline gpuopt_status order(Event *event, cudaStream_t ahead, cudaStream_t behind) {
  if (ahead == behind) return GPUOPT_OK;
  const gpuopt_status s = event->record(ahead);
  return s != GPUOPT_OK ? s : event->hold(behind);
}

}  // namespace gpuopt::dist
