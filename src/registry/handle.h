// The state behind gpuopt_handle. One thread at a time; nothing here is locked.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "arena.h"
#include "choice_cache.h"
#include "environment.h"
#include "log.h"
#include "select.h"

namespace gpuopt {

struct pending_time {  // an event pair of a profiled call, not yet read
  size_t counter;
  void *start, *stop;
};

}  // namespace gpuopt

struct gpuopt_handle {
  gpuopt_device_facts facts = {};
  bool cuda = false;             // bound to a CUDA device; else the CPU
  bool cpu_is_fallback = false;  // the CPU because no device could be used, not because it was asked for
  int32_t cpu_fallback = GPUOPT_FALLBACK_AUTO;
  int32_t space = GPUOPT_SPACE_QUERY;
  struct CUstream_st *stream = nullptr;
  size_t workspace_limit = 0;
  void *workspace = nullptr;
  size_t workspace_bytes = 0;
  gpuopt::allocator source;
  gpuopt::log log;
  gpuopt::policy policy;
  bool profiling = false;
  bool warned_host_data = false;

  std::vector<std::unique_ptr<gpuopt::arena>> arenas;  // one a stream this handle has used
  std::unique_ptr<gpuopt::arena> host_arena;           // of CPU kernels on a GPU handle
  gpuopt::choice_cache cache;
  uint64_t cache_generation = 0;  // of the registry, when the cache was filled

  gpuopt_run_info last = {};
  std::vector<gpuopt_counter> counters;
  std::vector<gpuopt::pending_time> pending;
  std::vector<void *> spare_events;

  int ordinal() const { return cuda ? facts.ordinal : -1; }
  gpuopt::arena &arena_for(bool host_kernel);
  void read_pending_times();
  // Bytes a call may use: the caller's buffer when there is one, else the limit.
  size_t usable_workspace() const { return workspace ? workspace_bytes : workspace_limit; }
  ~gpuopt_handle();
};
