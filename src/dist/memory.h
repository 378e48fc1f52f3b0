// What a communicator computes with: the window into which other ranks' blocks come, scratch for what goes out, and lanes, streams
// on which pieces of one call run beside each other. On CPUs the lanes are all the same one.
#pragma once
#include <memory>

#include "transport.h"

struct gpuopt_handle;

namespace gpuopt::dist {

class Memory {
 public:
  virtual ~Memory() = default;
  char *window = nullptr, *scratch = nullptr;
  size_t window_bytes = 0, scratch_bytes = 0;
  // Makes at least so much, and keeps what there was for graphs that know it.
  virtual gpuopt_status reserve(size_t window, size_t scratch) = 0;
  // The handle's calls from now on run on this lane; 0 is the caller's own stream.
  virtual gpuopt_status enter(int lane) = 0;
  virtual Stream lane(int index) = 0;
  virtual gpuopt_status fork() = 0;  // the lanes begin where the caller's stream is
  virtual gpuopt_status join() = 0;  // the caller's stream goes on when the lanes are done
  virtual void restore() = 0;        // the handle has its own stream again, whatever happened
  virtual bool is_capturing() { return false; }
  // The caller's stream is empty. Runs `look` now and then while it is not; a status of look's ends the wait.
  virtual gpuopt_status wait(const Deadline &deadline, gpuopt_status (*look)(void *), void *user) = 0;
};
constexpr int kLanes = 3;  // two for products in turn, one for copies into D

std::unique_ptr<Memory> host_memory();

}  // namespace gpuopt::dist
