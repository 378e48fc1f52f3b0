// Host memory that is in no cache.
#pragma once
#include <cstddef>

namespace gpuopt_measure {

// Takes memory out of every cache of every core: what reads it next reads main memory. What was written is written back before this
// returns. false: there is no instruction for it that programs of this processor may use, and nothing was done.
bool evict(const void *data, size_t bytes);

}  // namespace gpuopt_measure
