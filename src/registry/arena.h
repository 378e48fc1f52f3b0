// Workspace: per stream, one scratch block that calls share in stream order, and zeroed slots. Grown only
// outside capture, bounded by the handle's limit, freed at destroy. A block that a captured graph may hold is
// never freed or moved before that.
#pragma once
#include <cstddef>
#include <vector>

#include "gpuopt/gpuopt.h"

namespace gpuopt {

struct allocator {  // the handle's: CUDA, host, or the caller's
  bool cuda = false;
  void *(*allocate)(void *, size_t, struct CUstream_st *) = nullptr;
  void (*deallocate)(void *, void *, struct CUstream_st *) = nullptr;
  void *user = nullptr;
};

class arena {
 public:
  arena(const allocator &source, struct CUstream_st *stream) : source_(source), stream_(stream) {}
  ~arena();
  arena(const arena &) = delete;
  arena &operator=(const arena &) = delete;
  struct CUstream_st *stream() const {
    return stream_;
  }

  // Makes room so that a later get() of these sizes succeeds, captured or not: grows the blocks and reserves
  // one slot of zeroed bytes for a captured node.
  gpuopt_status reserve(size_t scratch, size_t zeroed);

  // Scratch and zeroed bytes for a call. While capturing nothing is allocated: WORKSPACE_TOO_SMALL when there
  // is not enough, and each captured call gets a zeroed slot of its own.
  gpuopt_status get(size_t scratch, size_t zeroed, bool capturing, void **scratch_out, void **zeroed_out);

 private:
  struct block {
    void *data = nullptr;
    size_t bytes = 0;
  };
  gpuopt_status make(size_t bytes, bool zero, block *out);
  gpuopt_status grow(block *current, size_t bytes, bool zero);
  void release(const block &b);

  allocator source_;
  struct CUstream_st *stream_;
  block scratch_, zeroed_;
  std::vector<block> retired_;  // outgrown; a captured graph may still use them
  std::vector<block> slots_;    // zeroed, for captured nodes, not yet given out
};

// A block of the allocator's space, 256-byte aligned.
gpuopt_status allocate_block(const allocator &source, struct CUstream_st *stream, size_t bytes, void **out);
void free_block(const allocator &source, struct CUstream_st *stream, void *data);

}  // namespace gpuopt
