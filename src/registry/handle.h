// The state behind gpuopt_handle. One thread at a time; nothing here is locked.
#pragma once
#include <atomic>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "arena.h"
#include "capture_memory.h"
#include "choice_cache.h"
#include "environment.h"
#include "fork.h"
#include "log.h"
#include "select.h"
#include "tuning/tuning.h"

namespace gpuopt {

struct PendingTime {  // an event pair of a profiled call, not yet read
  size_t counter = 0;
  void *start = nullptr, *stop = nullptr;
  std::string line;  // the call's exec line, to which the time is added; empty: none
};

}  // namespace gpuopt

struct gpuopt_handle {
  const gpuopt::RegistryUser user;
  gpuopt_device_facts facts = {};
  bool cuda = false;             // bound to a CUDA device; else the CPU
  bool cpu_is_fallback = false;  // the CPU because no device could be used, not because it was asked for
  int32_t cpu_fallback = GPUOPT_FALLBACK_AUTO;
  int32_t space = GPUOPT_SPACE_QUERY;
  struct CUstream_st *stream = nullptr;
  size_t workspace_limit = 0;
  void *workspace = nullptr;
  size_t workspace_bytes = 0;
  gpuopt::Allocator source;
  gpuopt::Log log;
  gpuopt::Policy policy;
  gpuopt::Tuning tuning;
  gpuopt::TableHold pretended;  // the shipped one of the device last pretended: not read again for every explain
  bool profiling = false;
  void *nvtx = nullptr;  // the domain in which launches are named; nullptr: nobody listens
  bool warned_host_data = false;

  std::atomic<bool> in_call{false};                 // HandleInCall's
  gpuopt::Arena arena, host_arena;                  // host_arena: of CPU kernels on a GPU handle
  std::shared_ptr<const gpuopt::Snapshot> kernels;  // that the cache was filled from
  gpuopt::ChoiceCache cache;

  gpuopt_run_info last = {};
  std::vector<gpuopt_counter> counters;
  std::deque<gpuopt::PendingTime> pending;
  size_t pending_bytes = 0;  // of their lines
  std::vector<void *> spare_events;

  unsigned born = gpuopt::fork_count();
  bool is_lost() const { return cuda && born != gpuopt::fork_count(); }  // this is a child of the process that made it
  gpuopt_status check_fork(const char *function) const;                  // an error and its message where it is lost
  int ordinal() const { return cuda ? facts.ordinal : -1; }
  gpuopt::CaptureMemory captures;  // what captured sequences under way have been given
  // Workspace is ours to allocate: captured sequences then own theirs.
  bool has_own_workspace() const { return cuda && !workspace && !source.allocate; }
  gpuopt::Arena &arena_for(bool host_kernel) { return host_kernel && cuda ? host_arena : arena; }
  // The kernels there are now; forgets the choices among others.
  const gpuopt::Snapshot &current_kernels();
  // Reads the times of profiled calls and writes their lines; waits for those calls.
  void read_pending_times();
  // The last of them is of this counter and has this line. Reads all where they have become many.
  void wait_for_time(size_t counter, std::string line);
  void keep_event(void *event);  // for another profiled call; destroyed where there is no memory to keep it
  // Bytes a call may use: the caller's buffer when there is one, else the limit.
  size_t usable_workspace() const { return workspace ? workspace_bytes : workspace_limit; }
  void finish();  // before it is deleted
};

namespace gpuopt {

// A call that works with a handle has it to itself until it returns: another one, of a callback or a kernel that the first
// call runs or of another thread, is refused. Calls that only read what never changes do without.
class HandleInCall {
 public:
  HandleInCall(const char *function, gpuopt_handle *handle);
  ~HandleInCall() {
    if (held_) held_->in_call.store(false, std::memory_order_release);
  }
  HandleInCall(const HandleInCall &) = delete;
  HandleInCall &operator=(const HandleInCall &) = delete;
  gpuopt_status status() const { return held_ ? GPUOPT_OK : GPUOPT_INVALID_ARGUMENT; }

 private:
  gpuopt_handle *held_;
};

}  // namespace gpuopt
