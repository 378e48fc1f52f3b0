// Memory of the suite selection's operands.
#pragma once
#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "../core/error.h"
#include "gpuopt_call/place.h"
#include "suite.h"

namespace gpuopt_bench {

// Random data of each type, made once; and one place for outputs. Calls walk through it, so that nothing they read is in
// the cache where a problem is long enough, and the timer clears it where not.
class OperandPools {
 public:
  explicit OperandPools(const Session &session)
      : stream_(session.stream()), bytes_(std::min<size_t>(size_t{5} << 29, session.device().memory_bytes / 20)) {}

  // The call on `sets` places of memory.
  LibraryCall place(gpuopt_call::Call call, int sets) {
    auto calls = std::make_shared<std::vector<std::shared_ptr<const void>>>();
    for (int set = 0; set < sets; ++set) {
      auto own = std::make_shared<gpuopt_call::Call>(call);
      move(own.get());
      const gpuopt_call::GroupWords groups = gpuopt_call::group_words(own.get());  // no random numbers
      if (!groups.bytes.empty())
        BENCH_CUDA(cudaMemcpy(groups.data, groups.bytes.data(), groups.bytes.size(), cudaMemcpyHostToDevice));
      const void *args = own->args();
      calls->push_back(std::shared_ptr<const void>(own, args));
    }
    return calls;
  }
  size_t bytes() const { return bytes_; }

 private:
  struct Pool {
    DeviceMemory memory;
    size_t next = 0;
  };

  Pool &pool(int32_t dtype) {  // 0: outputs
    Pool &p = pools_[dtype];
    if (p.memory.data() != nullptr) return p;
    const int32_t filled = dtype == 0 ? GPUOPT_F32 : dtype;
    p.memory = DeviceMemory(bytes_);
    fill_normal(p.memory.data(), filled, static_cast<int64_t>(bytes_) / gpuopt_dtype_size(filled), 0x5eed, stream_);
    BENCH_CUDA(cudaStreamSynchronize(stream_));
    return p;
  }

  void *take(Pool *p, int64_t bytes, uintptr_t offset) {
    const size_t room = (static_cast<size_t>(bytes) + offset + 511) / 256 * 256;
    if (room > bytes_) throw Refused("an operand is larger than the pool");
    if (p->next + room > bytes_) p->next = 0;
    void *data = static_cast<char *>(p->memory.data()) + p->next + offset;
    p->next += room;
    return data;
  }

  void move(gpuopt_call::Call *call) {
    gpuopt_call::place(call, [&](const gpuopt_call::Block &b) -> void * {
      if (b.scalar) return pool(b.dtype).memory.data();
      // In place, a transpose only moves what lies there; results of arithmetic stay apart from the data.
      const bool output = b.written && !(b.read && call->op() == GPUOPT_OP_TRANSPOSE);
      return take(&pool(output ? 0 : b.dtype), b.bytes, static_cast<uintptr_t>(b.offset));
    });
  }

  cudaStream_t stream_;
  size_t bytes_;
  std::map<int32_t, Pool> pools_;
};

}  // namespace gpuopt_bench
