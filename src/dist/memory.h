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
  // Makes at least so much, beside what there is. settle() puts it in the place of that where every rank has it, and gives it
  // back where one has not, so that window_bytes and scratch_bytes are the same on all.
  gpuopt_status reserve(size_t more_window, size_t more_scratch);
  void settle(bool everybody_has_it);
  // Both stay until the process ends: something may still read or write them.
  void abandon() { window = scratch = nullptr; }
  // The handle's calls from now on run on this lane; 0 is the caller's own stream.
  virtual gpuopt_status enter(int lane) = 0;
  virtual Stream lane(int index) = 0;
  virtual gpuopt_status fork() = 0;  // the lanes begin where the caller's stream is
  virtual gpuopt_status join() = 0;  // the caller's stream goes on when the lanes are done
  virtual void restore() = 0;        // the handle has its own stream again, whatever happened
  virtual bool is_capturing() { return false; }
  // The caller's stream is empty. Runs `look` now and then while it is not; a status of look's ends the wait.
  virtual gpuopt_status wait(const Deadline &deadline, gpuopt_status (*look)(void *), void *user) = 0;

 protected:
  // A block of at least so many bytes; how many is set.
  virtual gpuopt_status allocate(size_t needs, char **block, size_t *bytes) = 0;
  virtual void give_back(char *block) = 0;
  virtual void replaced(char *block) = 0;  // another one is in its place

 private:
  char *fresh_window_ = nullptr, *fresh_scratch_ = nullptr;
  size_t fresh_window_bytes_ = 0, fresh_scratch_bytes_ = 0;
};
constexpr int kLanes = 3;  // two for products in turn, one for copies into D

std::unique_ptr<Memory> host_memory();

}  // namespace gpuopt::dist
