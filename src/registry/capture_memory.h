// Workspace of captured sequences. A graph owns what its nodes use: each block is handed to the graph under construction
// through a CUDA user object and comes back when the graph, its executables and their clones are gone, so a graph
// outlives the handle that captured it and runs beside the handle's own calls and beside other graphs.
//
// The calls of one sequence, the same capture on the same stream, run one after the other and share one set of blocks,
// scratch and zeroed; a forked stream of the same capture has a set of its own. The zeroed block is cleared by one memset
// node at its first use; who uses it leaves it zero. Blocks come from a pool of the process, one a device, since they
// outlive handles.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include "gpuopt/gpuopt.h"

namespace gpuopt {

struct CaptureBlock;

class CaptureMemory {
 public:
  // Scratch and zeroed bytes for a call that the stream, which is being captured on the current device, records. Nothing
  // is recorded and the capture stays valid where there is no memory.
  gpuopt_status get(int ordinal, struct CUstream_st *stream, size_t scratch, size_t zeroed, void **scratch_out,
                    void **zeroed_out);

 private:
  struct Sequence {
    uint64_t capture = 0, used = 0;
    const void *stream = nullptr;
    CaptureBlock *scratch = nullptr, *zeroed = nullptr;  // the graph's; valid while the capture is under way
  };
  Sequence &find(uint64_t capture, const void *stream);

  // Captures end without a word to us. A sequence that falls out of the table while its capture goes on gets new blocks.
  std::array<Sequence, 16> sequences_;
  uint64_t clock_ = 0;
};

// Makes room in the pool for what a captured call will need. The pool keeps it, up to its bound.
gpuopt_status reserve_capture_memory(int ordinal, size_t scratch, size_t zeroed);

// What the pool of a device holds: bytes that graphs own, and bytes that wait for the next capture.
struct CaptureMemoryUse {
  size_t owned = 0, waiting = 0;
};
CaptureMemoryUse capture_memory_use(int ordinal);
// Gives the bytes that wait back to the device.
void trim_capture_memory(int ordinal);

}  // namespace gpuopt
