// Where the blocks that share a result meet (slots.cuh).
#pragma once

#include <cstdint>

namespace gpuopt {

struct Meeting {
  uint32_t *tickets;  // one a result
  uint64_t *slots;
};

}  // namespace gpuopt
