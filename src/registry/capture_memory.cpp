#include "capture_memory.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "device.h"
#include "error.h"

namespace gpuopt {

struct CaptureBlock {
  void *data = nullptr;
  size_t bytes = 0;
  std::atomic<bool> owned{false};  // cleared by the user object's destructor, which may call nothing of CUDA
};

namespace {

// Waiting blocks beyond this many bytes go back to the device at the next use of the pool.
constexpr size_t kMostWaiting = size_t{256} << 20;
constexpr size_t kLeastBytes = 64 << 10;

// Blocks of like sizes serve each other: the size is rounded up to an eighth of its power of two.
size_t rounded(size_t bytes) {
  size_t step = kLeastBytes;
  while (step < bytes / 8) step *= 2;
  return bytes > SIZE_MAX - step ? bytes : (std::max(bytes, kLeastBytes) + step - 1) / step * step;
}

class Pool {
 public:
  gpuopt_status acquire(size_t bytes, CaptureBlock **out) {
    const std::lock_guard<std::mutex> lock(mutex_);
    *out = nullptr;
    const size_t size = rounded(bytes);
    for (const auto &b : blocks_)
      if (!b->owned.load(std::memory_order_acquire) && b->bytes >= bytes && b->bytes <= 2 * size &&
          (*out == nullptr || b->bytes < (*out)->bytes))
        *out = b.get();
    if (*out == nullptr) {
      const gpuopt_status s = add(size, out);
      if (s != GPUOPT_OK) return s;
    }
    (*out)->owned.store(true, std::memory_order_relaxed);
    give_back(kMostWaiting);
    return GPUOPT_OK;
  }
  CaptureMemoryUse use() {
    const std::lock_guard<std::mutex> lock(mutex_);
    CaptureMemoryUse use;
    for (const auto &b : blocks_) (b->owned.load(std::memory_order_acquire) ? use.owned : use.waiting) += b->bytes;
    return use;
  }
  void trim() {
    const std::lock_guard<std::mutex> lock(mutex_);
    give_back(0);
  }

 private:
  gpuopt_status add(size_t bytes, CaptureBlock **out) {
    blocks_.reserve(blocks_.size() + 1);
    auto block = std::make_unique<CaptureBlock>();
    gpuopt_status s = device::allocate(&block->data, bytes);
    if (s == GPUOPT_OUT_OF_MEMORY) {
      give_back(0);
      s = device::allocate(&block->data, bytes);
    }
    if (s != GPUOPT_OK) return s;
    block->bytes = bytes;
    *out = block.get();
    blocks_.push_back(std::move(block));
    return GPUOPT_OK;
  }
  // The largest first, until no more than `most` bytes wait. Graphs let go of blocks meanwhile, so it is counted anew each time.
  void give_back(size_t most) {
    for (;;) {
      size_t waiting = 0;
      auto largest = blocks_.end();
      for (auto b = blocks_.begin(); b != blocks_.end(); ++b) {
        if ((*b)->owned.load(std::memory_order_acquire)) continue;
        waiting += (*b)->bytes;
        if (largest == blocks_.end() || (*b)->bytes > (*largest)->bytes) largest = b;
      }
      if (waiting <= most) return;
      device::release((*largest)->data);
      blocks_.erase(largest);
    }
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<CaptureBlock>> blocks_;
};

// Never destroyed: a graph may end after main().
Pool &pool_of(int ordinal) {
  static std::mutex mutex;
  static auto *pools = new std::vector<std::unique_ptr<Pool>>;
  const std::lock_guard<std::mutex> lock(mutex);
  while (pools->size() <= static_cast<size_t>(ordinal)) pools->push_back(std::make_unique<Pool>());
  return *(*pools)[static_cast<size_t>(ordinal)];
}

void let_go(void *block) { static_cast<CaptureBlock *>(block)->owned.store(false, std::memory_order_release); }

// A block that the graph under construction owns from here on.
gpuopt_status acquire_for(void *graph, Pool &pool, size_t bytes, CaptureBlock **out) {
  CaptureBlock *block = nullptr;
  gpuopt_status s = pool.acquire(bytes, &block);
  if (s != GPUOPT_OK) return s;
  s = device::retain_in_graph(graph, block, let_go);
  if (s != GPUOPT_OK) {
    let_go(block);
    return s;
  }
  *out = block;
  return GPUOPT_OK;
}

}  // namespace

CaptureMemory::Sequence &CaptureMemory::find(uint64_t capture, const void *stream) {
  Sequence *oldest = &sequences_[0];
  for (Sequence &s : sequences_) {
    if (s.capture == capture && s.stream == stream && s.used != 0) return s;
    if (s.used < oldest->used) oldest = &s;
  }
  *oldest = {capture, 0, stream, nullptr, nullptr};
  return *oldest;
}

gpuopt_status CaptureMemory::get(int ordinal, CUstream_st *stream, size_t scratch, size_t zeroed, void **scratch_out,
                                 void **zeroed_out) try {
  *scratch_out = *zeroed_out = nullptr;
  if (scratch + zeroed == 0) return GPUOPT_OK;
  const device::RelaxedCapture relaxed(true);
  device::CaptureIdentity id = {};
  gpuopt_status s = device::identify_capture(stream, &id);
  if (s != GPUOPT_OK) return s;
  Sequence &sequence = find(id.capture, id.stream);
  sequence.used = ++clock_;
  Pool &pool = pool_of(ordinal);
  if (scratch > 0 && (sequence.scratch == nullptr || sequence.scratch->bytes < scratch) &&
      (s = acquire_for(id.graph, pool, scratch, &sequence.scratch)) != GPUOPT_OK)
    return s;
  if (zeroed > 0 && (sequence.zeroed == nullptr || sequence.zeroed->bytes < zeroed)) {
    CaptureBlock *block = nullptr;
    if ((s = acquire_for(id.graph, pool, zeroed, &block)) != GPUOPT_OK) return s;
    if ((s = device::fill(block->data, 0, block->bytes, stream)) != GPUOPT_OK) return s;
    sequence.zeroed = block;
  }
  if (scratch > 0) *scratch_out = sequence.scratch->data;
  if (zeroed > 0) *zeroed_out = sequence.zeroed->data;
  return GPUOPT_OK;
}
GPUOPT_CATCH_ALL { return fail(GPUOPT_OUT_OF_MEMORY, "out of host memory"); }

gpuopt_status reserve_capture_memory(int ordinal, size_t scratch, size_t zeroed) try {
  const device::RelaxedCapture relaxed(true);
  Pool &pool = pool_of(ordinal);
  CaptureBlock *blocks[2] = {};
  gpuopt_status s = scratch > 0 ? pool.acquire(scratch, &blocks[0]) : GPUOPT_OK;
  if (s == GPUOPT_OK && zeroed > 0) s = pool.acquire(zeroed, &blocks[1]);
  for (CaptureBlock *block : blocks)
    if (block != nullptr) let_go(block);
  return s;
}
GPUOPT_CATCH_ALL { return fail(GPUOPT_OUT_OF_MEMORY, "out of host memory"); }

CaptureMemoryUse capture_memory_use(int ordinal) { return pool_of(ordinal).use(); }
void trim_capture_memory(int ordinal) {
  const device::RelaxedCapture relaxed(true);
  pool_of(ordinal).trim();
}

}  // namespace gpuopt
