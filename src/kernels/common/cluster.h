// How many clusters a device runs at once.
#pragma once

#include <cstdint>

namespace gpuopt {

// Of blocks that have a multiprocessor each. Clusters of more than two lie within one group of 16 to 18 multiprocessors; how many
// of those a device has, and which of its groups are smaller, differs from one to the next, so fewer are counted than there may be:
// one that does not come up waits for a whole other one.
inline int64_t clusters_at_once(int64_t sm_count, int64_t blocks) {
  constexpr int64_t kLeastOfGroup = 16, kMostOfGroup = 18;
  const int64_t fit = blocks <= 2 ? sm_count / blocks : sm_count / kMostOfGroup * (kLeastOfGroup / blocks);
  return fit < 1 ? 1 : fit;
}

}  // namespace gpuopt
