// Where the operands of a call lie. Operands whose bytes overlap, or hang together by others, share a block of memory, in which
// they keep their distances; every other one has a block of its own, and so have scales and every scalar that is given by pointer.
#pragma once
#include <functional>

#include "gpuopt_call/call.h"

namespace gpuopt_call {

struct Block {
  int64_t bytes = 0;
  int64_t offset = 0;      // its first byte lies so many bytes behind a multiple of 256
  gpuopt_dtype dtype = 0;  // of the first operand in it
  bool read = false, written = false;
  bool scalar = false;  // a scale, alpha or beta
};

// Moves a call that the library takes to other memory; memory(block) is where the block's first byte is to lie. An operand
// without data gets a block. May throw what memory throws.
void place(Call *call, const std::function<void *(const Block &)> &memory);

// An address that nothing lies at, far from those of other indices: good for explain. A multiple of align and of no more;
// 256 or more: of 256.
void *nowhere(uintptr_t index, int64_t align);

}  // namespace gpuopt_call
