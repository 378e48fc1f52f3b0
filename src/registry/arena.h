// Workspace of a handle's direct calls: per stream, one scratch and one zeroed block that calls share in stream order, grown
// as needed, freed at destroy. Bounded in all: no block is larger than the limit of a call, and before all of them would take
// more than twice that limit, or more than kMostStreams streams have some, the least recently used streams give theirs back.
//
// Captured calls have memory of their own (capture_memory.h) but where the caller's allocator makes the blocks: there they
// share the stream's scratch block and each has a zeroed slot, all of it made before the capture and kept until destroy.
#pragma once
#include <cstddef>
#include <list>
#include <vector>

#include "gpuopt/gpuopt.h"

namespace gpuopt {

struct Allocator {  // the handle's: CUDA, host, or the caller's
  bool cuda = false;
  void *(*allocate)(void *, size_t, struct CUstream_st *) = nullptr;
  void (*deallocate)(void *, void *, struct CUstream_st *) = nullptr;
  void *user = nullptr;
};

class Arena {
 public:
  Arena() = default;
  ~Arena();  // keeps the blocks of a caller's allocator that clear() was not called for: it may not be called here
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;

  // Before first use. limit: most bytes of one call.
  void set_source(const Allocator &source, size_t limit) { source_ = source, limit_ = limit; }

  // Frees all blocks; ended: the work of this one stream has. A caller's deallocate may end the thread: then what is left stays.
  void clear(struct CUstream_st *stream, bool ended);
  void forget() { streams_.clear(), kept_.clear(); }  // without freeing them

  // Makes room so that a later get() of these sizes succeeds, captured or not: grows the blocks and, from a caller's
  // allocator of device memory, reserves one slot of zeroed bytes for a captured call. The stream is not being captured.
  gpuopt_status reserve(struct CUstream_st *stream, size_t scratch, size_t zeroed);

  // WORKSPACE_TOO_SMALL when a captured call of these sizes could not be served now.
  gpuopt_status check_capture(struct CUstream_st *stream, size_t scratch, size_t zeroed) const;

  // Scratch and zeroed bytes for a call. While capturing nothing is allocated: WORKSPACE_TOO_SMALL when there
  // is not enough, and each captured call gets a zeroed slot of its own. Kernels leave zeroes behind them: of a call that was not
  // captured, settle() says that its launch went well; where it did not, the next call's zeroed bytes are cleared.
  gpuopt_status get(struct CUstream_st *stream, size_t scratch, size_t zeroed, bool capturing, void **scratch_out,
                    void **zeroed_out);
  void settle(struct CUstream_st *stream) { of(stream).zeroed_in_use = false; }

  size_t bytes() const;  // that direct calls hold: without what was made for captured ones

 private:
  static constexpr size_t kMostStreams = 128;

  struct Block {
    void *data = nullptr;
    size_t bytes = 0;
    bool captured = false;  // a graph may use it: kept until destroy
  };
  struct Stream {
    struct CUstream_st *stream = nullptr;
    Block scratch, zeroed;
    bool zeroed_in_use = false;  // by a call that has not settled
    std::vector<Block> slots;    // zeroed, for captured nodes, not yet given out
  };

  Stream &of(struct CUstream_st *stream);  // made the most recently used one
  gpuopt_status fill_zeroes(const Block &block, struct CUstream_st *stream) const;
  gpuopt_status make(struct CUstream_st *stream, size_t bytes, bool zero, Block *out);
  gpuopt_status grow(Stream *user, Block *current, size_t bytes, bool zero);
  void release(struct CUstream_st *stream, Block *block);
  void give_back_others(size_t most_bytes, size_t most_streams);

  Allocator source_;
  size_t limit_ = 0;
  std::list<Stream> streams_;  // the most recently used first
  struct Kept {
    struct CUstream_st *stream;
    Block block;
  };
  std::vector<Kept> kept_;  // outgrown or given out, and a captured graph may still use them
};

// A block of the allocator's space, 256-byte aligned.
gpuopt_status allocate_block(const Allocator &source, struct CUstream_st *stream, size_t bytes, void **out);
void free_block(const Allocator &source, struct CUstream_st *stream, void *data);

}  // namespace gpuopt
