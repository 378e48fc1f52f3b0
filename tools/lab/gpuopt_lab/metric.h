// What proves a technique: one number of a kernel, by the name that Nsight Compute has for it today. (The texts' names are those of
// older profilers: l1tex__average_t_sectors_per_request, sm__warp_divergence_rate.)
#pragma once
#include <string>

namespace gpuopt_lab {

enum class Metric {
  none,
  load_sectors,    // 32-byte sectors of a request that loads
  store_sectors,   // ... that stores
  bank_conflicts,  // passes that a shared-memory access took beyond its first
  threads,         // that were active, of a warp instruction's 32
  instructions,    // of warps
  issue_active,    // share of clocks in which a scheduler issued
  eligible_warps,  // that a scheduler could choose from, in a clock
  tensor_pipe,     // share of clocks in which it was busy
  local_requests,  // loads of local memory, by warps
  l2_bytes,        // that multiprocessors asked L2 for
  dram_share,      // of the memory's rate
  occupancy,       // warps that were there, of the most
  atomics,         // reductions on global memory, by warps
};

struct MetricName {
  const char *id;    // of JSON: "load_sectors"
  const char *text;  // "sectors a load request"
  const char *ncu;   // as ncu --metrics takes it
  double factor;     // of what ncu prints
  const char *unit;  // "", "%", "bytes"
};
const MetricName &name_of(Metric metric);  // of none: empty texts
std::string all_metrics();                 // their names for ncu, with commas between

}  // namespace gpuopt_lab
