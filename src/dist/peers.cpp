// Copy engines as Mover: a block is written straight into the peer's window, and a word of the peer's memory says that it is there;
// streams wait for words, no kernel does. A word is 1 until who waited for it has set it to 0 again, so nothing counts calls, and
// a captured call can be replayed. Another word for each peer says that its window may be written: this rank's
// call before has used what was there.
#include <cuda.h>
#include <sys/random.h>

#include <cstring>
#include <vector>

#include "cuda_calls.h"
#include "device.h"
#include "gpu.h"
#include "handle.h"

namespace gpuopt::dist {
namespace {

// The driver's stream operations on memory, which the runtime does not have.
struct MemoryOps {
  CUresult (*wait)(CUstream, CUdeviceptr, cuuint32_t, unsigned) = nullptr;
  CUresult (*write)(CUstream, CUdeviceptr, cuuint32_t, unsigned) = nullptr;
};

gpuopt_status driver_status(CUresult r, const char *what) {
  return r == CUDA_SUCCESS ? static_cast<gpuopt_status>(GPUOPT_OK)
                           : fail(GPUOPT_CUDA_ERROR, "%s: the driver's error %d", what, static_cast<int>(r));
}

// A block of device memory that others may map.
struct Place {
  unsigned char process[16];  // drawn once: tells processes apart wherever they run
  int32_t device, ok;
  void *address;
  cudaIpcMemHandle_t handle;
};

const unsigned char *this_process() {
  static const auto *token = [] {
    static unsigned char bytes[16];
    if (getrandom(bytes, sizeof bytes, 0) != static_cast<ssize_t>(sizeof bytes)) std::memset(bytes, 0, sizeof bytes);
    return bytes;
  }();
  return token;
}

constexpr size_t kFlagBytes = size_t{2} << 20;

class Peers final : public Mover {
 public:
  Peers(Control *control, gpuopt_handle *handle) : control_(*control), handle_(handle) {}
  ~Peers() override {
    const device::ScopedCurrent current(handle_->ordinal());
    for (void *mapped : mapped_) cudaIpcCloseMemHandle(mapped);
    cudaFree(flags_);
    cudaFreeHost(ones_);
    if (stream_) cudaStreamDestroy(stream_);
    if (rescue_) cudaStreamDestroy(rescue_);
  }

  // Collective; the answer is the same on every rank. why stays empty where all is well.
  gpuopt_status begin(std::string *why) {
    const device::ScopedCurrent current(handle_->ordinal());
    gpuopt_status s = make_own();
    if (s != GPUOPT_OK) *why = gpuopt_last_error();
    std::vector<char *> flags;
    const gpuopt_status told = map(s == GPUOPT_OK ? flags_ : nullptr, &flags, why);
    if (told != GPUOPT_OK || !why->empty()) return told;
    for (char *f : flags) peer_flags_.push_back(reinterpret_cast<uint32_t *>(f));
    return try_words(why);
  }

  gpuopt_status attach(char *window, size_t) override {
    const device::ScopedCurrent current(handle_->ordinal());
    std::string why;
    windows_.clear();
    const gpuopt_status s = map(window, &windows_, &why);
    return s == GPUOPT_OK && !why.empty() ? fail(GPUOPT_CUDA_ERROR, "%s", why.c_str()) : s;
  }
  gpuopt_status start(const Block &out, const void *from, const Block &, Stream after) override {
    if (out.bytes == 0) return GPUOPT_OK;
    const device::ScopedCurrent current(handle_->ordinal());
    const size_t peer = static_cast<size_t>(out.peer);
    gpuopt_status s = order(&ready_, after, stream_);
    if (s == GPUOPT_OK && !is_open_[peer]) s = take(may_write(peer), stream_);
    is_open_[peer] = true;
    if (s != GPUOPT_OK) return s;
    GPUOPT_CUDA_TRY(cudaMemcpyAsync(windows_[peer] + out.offset, from, out.bytes, cudaMemcpyDefault, stream_));
    return give(peer_flags_[peer] + static_cast<size_t>(control_.rank) * kSlots + static_cast<size_t>(out.slot),
                stream_);
  }
  gpuopt_status await(const Block &in, Stream stream) override {
    if (in.bytes == 0) return GPUOPT_OK;
    const device::ScopedCurrent current(handle_->ordinal());
    const bool marks = control_.size > 2;
    gpuopt_status s = GPUOPT_OK;
    if (marks) s = write(marker(), static_cast<uint32_t>(in.peer) + 1, stream);
    if (s == GPUOPT_OK)
      s = take(flags_words() + static_cast<size_t>(in.peer) * kSlots + static_cast<size_t>(in.slot), stream);
    return s;
  }
  gpuopt_status finish(Stream stream) override {
    const device::ScopedCurrent current(handle_->ordinal());
    bool sent = false;
    for (size_t p = 0; p < is_open_.size(); ++p) sent = sent || is_open_[p], is_open_[p] = false;
    gpuopt_status s = sent ? order(&left_, stream_, stream) : GPUOPT_OK;
    for (size_t p = 0; p < peer_flags_.size() && s == GPUOPT_OK; ++p)
      if (static_cast<int32_t>(p) != control_.rank)
        s = give(peer_flags_[p] + first_may_write() + static_cast<size_t>(control_.rank), stream);
    return s;
  }
  int32_t missing_rank() override {
    if (control_.size == 2) return 1 - control_.rank;
    const device::ScopedCurrent current(handle_->ordinal());
    uint32_t mark = 0;
    if (cudaMemcpyAsync(&mark, marker(), sizeof mark, cudaMemcpyDeviceToHost, rescue_) != cudaSuccess ||
        cudaStreamSynchronize(rescue_) != cudaSuccess)
      return -1;
    return static_cast<int32_t>(mark) - 1;
  }
  // Every word is set until nothing waits any more.
  void abort() override {
    const device::ScopedCurrent current(handle_->ordinal());
    const Deadline deadline(5000);
    const size_t bytes = (first_may_write() + static_cast<size_t>(control_.size)) * sizeof(uint32_t);
    do {
      if (cudaMemcpyAsync(flags_, ones_, bytes, cudaMemcpyHostToDevice, rescue_) != cudaSuccess ||
          cudaStreamSynchronize(rescue_) != cudaSuccess)
        return;
    } while (!deadline.is_over() &&
             (cudaStreamQuery(handle_->stream) == cudaErrorNotReady || cudaStreamQuery(stream_) == cudaErrorNotReady));
  }

 private:
  // Words: arrived[rank][slot], may_write[rank], probe[rank], the marker.
  size_t first_may_write() const { return static_cast<size_t>(control_.size) * kSlots; }
  size_t first_probe() const { return first_may_write() + static_cast<size_t>(control_.size); }
  uint32_t *flags_words() const { return static_cast<uint32_t *>(flags_); }
  uint32_t *may_write(size_t peer) const { return flags_words() + first_may_write() + peer; }
  uint32_t *marker() const { return flags_words() + first_probe() + static_cast<size_t>(control_.size); }

  gpuopt_status make_own() {
    ops_.wait = reinterpret_cast<decltype(ops_.wait)>(device::driver_function("cuStreamWaitValue32", 12000));
    ops_.write = reinterpret_cast<decltype(ops_.write)>(device::driver_function("cuStreamWriteValue32", 12000));
    if (!ops_.wait || !ops_.write) return fail(GPUOPT_CUDA_ERROR, "the driver has no stream operations on memory");
    if ((static_cast<size_t>(control_.size) * (kSlots + 2) + 1) * sizeof(uint32_t) > kFlagBytes)
      return fail(GPUOPT_NOT_SUPPORTED, "%d ranks are too many", control_.size);
    GPUOPT_CUDA_TRY(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    GPUOPT_CUDA_TRY(cudaStreamCreateWithFlags(&rescue_, cudaStreamNonBlocking));
    GPUOPT_CUDA_TRY(cudaMalloc(&flags_, kFlagBytes));
    GPUOPT_CUDA_TRY(cudaMallocHost(&ones_, kFlagBytes));
    for (size_t i = 0; i < kFlagBytes / sizeof(uint32_t); ++i) static_cast<uint32_t *>(ones_)[i] = 1;
    GPUOPT_CUDA_TRY(cudaMemset(flags_, 0, kFlagBytes));
    GPUOPT_CUDA_TRY(
        cudaMemcpy(may_write(0), ones_, static_cast<size_t>(control_.size) * sizeof(uint32_t), cudaMemcpyHostToDevice));
    // What a copied word is copied from.
    GPUOPT_CUDA_TRY(cudaMemcpy(one(), ones_, sizeof(uint32_t), cudaMemcpyHostToDevice));
    is_open_.resize(static_cast<size_t>(control_.size));
    return GPUOPT_OK;
  }
  uint32_t *one() const { return flags_words() + kFlagBytes / sizeof(uint32_t) - 1; }

  // Where the others' block of the same kind lies for this rank.
  gpuopt_status map(void *own, std::vector<char *> *out, std::string *why) {
    Place mine = {};
    std::memcpy(mine.process, this_process(), sizeof mine.process);
    mine.device = handle_->ordinal();
    mine.address = own;
    mine.ok = own != nullptr && cudaIpcGetMemHandle(&mine.handle, own) == cudaSuccess;
    if (own && !mine.ok) cudaGetLastError();  // ours: it is no error of the application's next call
    std::vector<Place> all(static_cast<size_t>(control_.size));
    gpuopt_status s = control_.exchange(Topic::mapping, &mine, all.data(), sizeof mine);
    if (s != GPUOPT_OK) return s;
    for (int32_t r = 0; r < control_.size && why->empty(); ++r) {
      void *there = own;
      if (r != control_.rank && !reach(all[static_cast<size_t>(r)], mine, &there))
        *why = "rank " + std::to_string(control_.rank) + " cannot map the memory of rank " + std::to_string(r);
      out->push_back(static_cast<char *>(there));
    }
    return everybody(why);
  }
  bool reach(const Place &there, const Place &mine, void **out) {
    if (!there.address) return false;
    if (std::memcmp(there.process, mine.process, sizeof mine.process) == 0) {
      *out = there.address;
      if (there.device == mine.device) return true;
      int can = 0;
      if (cudaDeviceCanAccessPeer(&can, mine.device, there.device) != cudaSuccess || !can) return false;
      const cudaError_t e = cudaDeviceEnablePeerAccess(there.device, 0);
      if (e != cudaSuccess) cudaGetLastError();
      return e == cudaSuccess || e == cudaErrorPeerAccessAlreadyEnabled;
    }
    if (!there.ok || cudaIpcOpenMemHandle(out, there.handle, cudaIpcMemLazyEnablePeerAccess) != cudaSuccess) {
      cudaGetLastError();
      return false;
    }
    mapped_.push_back(*out);
    return true;
  }
  // A word each rank writes into each other's memory by the driver's operation; where one does not come, all copy their words.
  gpuopt_status try_words(std::string *why) {
    for (size_t p = 0; p < peer_flags_.size() && why->empty(); ++p)
      if (static_cast<int32_t>(p) != control_.rank &&
          write(peer_flags_[p] + first_probe() + static_cast<size_t>(control_.rank), 1, stream_) != GPUOPT_OK)
        copies_words_ = true;
    if (cudaStreamSynchronize(stream_) != cudaSuccess) *why = "a write to a peer's memory failed";
    const gpuopt_status s = everybody(why);
    if (s != GPUOPT_OK || !why->empty()) return s;
    std::vector<uint32_t> probes(static_cast<size_t>(control_.size));
    GPUOPT_CUDA_TRY(cudaMemcpy(probes.data(), flags_words() + first_probe(), probes.size() * sizeof(uint32_t),
                               cudaMemcpyDeviceToHost));
    for (int32_t r = 0; r < control_.size; ++r)
      if (r != control_.rank && probes[static_cast<size_t>(r)] != 1) copies_words_ = true;
    int32_t mine = copies_words_;
    std::vector<int32_t> all(static_cast<size_t>(control_.size));
    const gpuopt_status told = control_.exchange(Topic::mapping, &mine, all.data(), sizeof mine);
    for (int32_t each : all) copies_words_ = copies_words_ || each != 0;
    return told;
  }
  // One rank's reason is everybody's.
  gpuopt_status everybody(std::string *why) {
    char mine[200] = "";
    std::strncpy(mine, why->c_str(), sizeof mine - 1);
    std::vector<char> all(static_cast<size_t>(control_.size) * sizeof mine);
    const gpuopt_status s = control_.exchange(Topic::mapping, mine, all.data(), sizeof mine);
    for (size_t r = 0; s == GPUOPT_OK && why->empty() && r < static_cast<size_t>(control_.size); ++r)
      *why = &all[r * sizeof mine];
    return s;
  }

  gpuopt_status write(uint32_t *word, uint32_t value, Stream stream) {
    return driver_status(ops_.write(stream, reinterpret_cast<CUdeviceptr>(word), value, CU_STREAM_WRITE_VALUE_DEFAULT),
                         "cuStreamWriteValue32");
  }
  // Sets a word of a peer's, after everything before it on the stream.
  gpuopt_status give(uint32_t *word, Stream stream) {
    if (!copies_words_) return write(word, 1, stream);
    GPUOPT_CUDA_TRY(cudaMemcpyAsync(word, one(), sizeof *word, cudaMemcpyDefault, stream));
    return GPUOPT_OK;
  }
  // Waits for a word of this rank's, and sets it back.
  gpuopt_status take(uint32_t *word, Stream stream) {
    const gpuopt_status s = driver_status(
        ops_.wait(stream, reinterpret_cast<CUdeviceptr>(word), 1, CU_STREAM_WAIT_VALUE_EQ), "cuStreamWaitValue32");
    return s == GPUOPT_OK ? write(word, 0, stream) : s;
  }

  Control &control_;
  gpuopt_handle *handle_;
  MemoryOps ops_;
  bool copies_words_ = false;
  void *flags_ = nullptr, *ones_ = nullptr;
  cudaStream_t stream_ = nullptr, rescue_ = nullptr;
  std::vector<uint32_t *> peer_flags_;
  std::vector<char *> windows_;
  std::vector<void *> mapped_;
  std::vector<bool> is_open_;
  Event ready_, left_;
};

}  // namespace

gpuopt_status map_peers(Control *control, gpuopt_handle *handle, std::unique_ptr<Mover> *out, std::string *why) {
  auto peers = std::make_unique<Peers>(control, handle);
  why->clear();
  const gpuopt_status s = peers->begin(why);
  if (s == GPUOPT_OK && why->empty()) *out = std::move(peers);
  return s;
}

}  // namespace gpuopt::dist
