// NCCL as Control and Mover: sends and receives on a stream of its own, one group for each pair of blocks. What hosts exchange
// goes the same way through a small buffer, so that nothing but NCCL is needed.
#include <sched.h>

#include <cstring>
#include <vector>

#include "cuda_calls.h"
#include "device.h"
#include "gpu.h"
#include "handle.h"
#include "nccl_api.h"

namespace gpuopt::dist {
namespace {

class Nccl final : public Control, public Mover {
 public:
  Nccl(const NcclApi *api, NcclComm comm, bool owns, gpuopt_handle *handle)
      : api_(*api), comm_(comm), owns_(owns), handle_(handle) {
    api_.CommUserRank(comm, &rank);
    api_.CommCount(comm, &size);
    arrived_.resize(static_cast<size_t>(size) * kSlots);
  }
  ~Nccl() override {
    const device::ScopedCurrent current(handle_->ordinal());
    if (comm_ && owns_) api_.CommDestroy(comm_);
    cudaFree(letters_);
    if (stream_) cudaStreamDestroy(stream_);
  }
  gpuopt_status begin() {
    const device::ScopedCurrent current(handle_->ordinal());
    GPUOPT_CUDA_TRY(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    GPUOPT_CUDA_TRY(cudaMalloc(&letters_, (static_cast<size_t>(size) + 1) * kMostLetter));
    return GPUOPT_OK;
  }
  const char *name() const override { return "nccl"; }

  gpuopt_status exchange_letters(const void *mine, void *all, size_t bytes) override {
    if (!comm_) return fail(GPUOPT_COMM_ERROR, "rank %d: the communicator was aborted", rank);
    if (bytes > kMostLetter) return fail(GPUOPT_INTERNAL, "a letter of %zu bytes", bytes);
    const device::ScopedCurrent current(handle_->ordinal());
    const device::RelaxedCapture relaxed(true);
    // Calls of this communicator are over, or the ranks would use it in two orders.
    gpuopt_status s = drain(handle_->stream);
    if (s != GPUOPT_OK) return s;
    char *const letters = static_cast<char *>(letters_);
    char *const own = letters + static_cast<size_t>(size) * kMostLetter;
    GPUOPT_CUDA_TRY(cudaMemcpyAsync(own, mine, bytes, cudaMemcpyHostToDevice, stream_));
    s = told(api_.GroupStart(), "ncclGroupStart");
    for (int32_t r = 0; r < size && s == GPUOPT_OK; ++r) {
      if (r == rank) continue;
      s = told(api_.Send(own, bytes, kNcclBytes, r, comm_, stream_), "ncclSend");
      if (s == GPUOPT_OK)
        s = told(api_.Recv(letters + static_cast<size_t>(r) * bytes, bytes, kNcclBytes, r, comm_, stream_), "ncclRecv");
    }
    const gpuopt_status ended = told(api_.GroupEnd(), "ncclGroupEnd");
    if (s == GPUOPT_OK) s = ended;
    if (s == GPUOPT_OK) s = drain(stream_);
    if (s != GPUOPT_OK) return s;
    GPUOPT_CUDA_TRY(cudaMemcpyAsync(all, letters, static_cast<size_t>(size) * bytes, cudaMemcpyDeviceToHost, stream_));
    GPUOPT_CUDA_TRY(cudaStreamSynchronize(stream_));
    std::memcpy(static_cast<char *>(all) + static_cast<size_t>(rank) * bytes, mine, bytes);
    return GPUOPT_OK;
  }
  gpuopt_status check() override {
    int error = kNcclSuccess;
    if (comm_) api_.CommGetAsyncError(comm_, &error);
    return error == kNcclInProgress ? static_cast<gpuopt_status>(GPUOPT_OK) : told(error, "NCCL");
  }
  void abort() override {
    if (!comm_) return;
    const device::ScopedCurrent current(handle_->ordinal());
    api_.CommAbort(comm_);
    comm_ = nullptr;
  }

  gpuopt_status attach(char *window, size_t) override {
    window_ = window;
    return GPUOPT_OK;
  }
  gpuopt_status start(const Block &out, const void *from, const Block &in, Stream after) override {
    if (out.bytes == 0 && in.bytes == 0) return GPUOPT_OK;
    const device::ScopedCurrent current(handle_->ordinal());
    gpuopt_status s = order(&ready_, after, stream_);
    if (s == GPUOPT_OK) s = told(api_.GroupStart(), "ncclGroupStart");
    if (s != GPUOPT_OK) return s;
    if (out.bytes > 0) s = told(api_.Send(from, out.bytes, kNcclBytes, out.peer, comm_, stream_), "ncclSend");
    if (in.bytes > 0 && s == GPUOPT_OK)
      s = told(api_.Recv(window_ + in.offset, in.bytes, kNcclBytes, in.peer, comm_, stream_), "ncclRecv");
    const gpuopt_status ended = told(api_.GroupEnd(), "ncclGroupEnd");
    if (s == GPUOPT_OK) s = ended;
    return s == GPUOPT_OK && in.bytes > 0 ? arrival(in).record(stream_) : s;
  }
  gpuopt_status await(const Block &in, Stream stream) override {
    if (in.bytes == 0) return GPUOPT_OK;
    const device::ScopedCurrent current(handle_->ordinal());
    return arrival(in).hold(stream);
  }
  gpuopt_status finish(Stream stream) override {
    const device::ScopedCurrent current(handle_->ordinal());
    // The next call's blocks start after something on `stream`, and so after what this one reads.
    return order(&left_, stream_, stream);
  }

 private:
  static constexpr size_t kMostLetter = 1024;

  Event &arrival(const Block &in) {
    return arrived_[static_cast<size_t>(in.peer) * kSlots + static_cast<size_t>(in.slot)];
  }
  gpuopt_status told(int error, const char *what) const {
    if (error == kNcclSuccess || error == kNcclInProgress) return GPUOPT_OK;
    return fail(GPUOPT_COMM_ERROR, "rank %d: %s: %s", rank, what, api_.GetErrorString(error));
  }
  gpuopt_status drain(Stream stream) {
    const Deadline deadline(limit_ms);
    for (int turn = 0;; ++turn) {
      const cudaError_t e = cudaStreamQuery(stream);
      if (e == cudaSuccess) return GPUOPT_OK;
      if (e != cudaErrorNotReady) return cuda_status(e, "cudaStreamQuery");
      if (turn % 256 != 255) continue;
      const gpuopt_status s = check();
      if (s != GPUOPT_OK) return s;
      if (deadline.is_over())
        return fail(GPUOPT_TIME_LIMIT, "rank %d waited for another rank for longer than %d ms", rank, limit_ms);
      sched_yield();
    }
  }

  const NcclApi &api_;
  NcclComm comm_;
  bool owns_;
  gpuopt_handle *handle_;
  cudaStream_t stream_ = nullptr;
  void *letters_ = nullptr;
  char *window_ = nullptr;
  Event ready_, left_;
  std::vector<Event> arrived_;
};

gpuopt_status wrap(const NcclApi *api, NcclComm comm, bool owns, int32_t limit_ms, gpuopt_handle *handle,
                   Transport *out) {
  auto nccl = std::make_unique<Nccl>(api, comm, owns, handle);
  nccl->limit_ms = limit_ms;
  const gpuopt_status s = nccl->begin();
  if (s != GPUOPT_OK) return s;
  out->mover = nccl.get();
  out->control = std::move(nccl);
  return GPUOPT_OK;
}

}  // namespace

gpuopt_status make_nccl_id(gpuopt_unique_id *id) {
  const NcclApi *api = nccl_load();
  if (!api) return GPUOPT_NOT_SUPPORTED;
  const int error = api->GetUniqueId(id);
  return error == kNcclSuccess ? static_cast<gpuopt_status>(GPUOPT_OK)
                               : fail(GPUOPT_COMM_ERROR, "ncclGetUniqueId: %s", api->GetErrorString(error));
}

gpuopt_status join_nccl(const gpuopt_unique_id &id, int32_t rank, int32_t size, int32_t limit_ms, gpuopt_handle *handle,
                        Transport *out) {
  const NcclApi *api = nccl_load();
  if (!api) return GPUOPT_NOT_SUPPORTED;
  const device::ScopedCurrent current(handle->ordinal());
  NcclComm comm = nullptr;
  const int error = api->CommInitRank(&comm, size, id, rank);
  if (error != kNcclSuccess)
    return fail(GPUOPT_COMM_ERROR, "ncclCommInitRank, rank %d of %d: %s", rank, size, api->GetErrorString(error));
  return wrap(api, comm, true, limit_ms, handle, out);
}

gpuopt_status adopt_nccl(void *nccl_comm, int32_t limit_ms, gpuopt_handle *handle, Transport *out) {
  const NcclApi *api = nccl_load();
  if (!api) return GPUOPT_NOT_SUPPORTED;
  auto *const comm = static_cast<NcclComm>(nccl_comm);
  int device = -1;
  const int error = api->CommCuDevice(comm, &device);
  if (error != kNcclSuccess)
    return fail(GPUOPT_COMM_ERROR, "gpuopt_comm_from_nccl: ncclCommCuDevice: %s", api->GetErrorString(error));
  if (device != handle->ordinal())
    return fail(GPUOPT_INVALID_ARGUMENT, "gpuopt_comm_from_nccl: nccl_comm is of device %d and handle of device %d",
                device, handle->ordinal());
  return wrap(api, comm, false, limit_ms, handle, out);
}

}  // namespace gpuopt::dist
