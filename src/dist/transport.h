// What connects the ranks. Control carries a few bytes between hosts, to agree and to report faults; a Mover carries the blocks
// of a call into the other ranks' windows. NCCL, MPI and threads of one process are both; the copy engines are a Mover.
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "gpuopt/dist.h"

namespace gpuopt::dist {

using Stream = struct CUstream_st *;

// How long a rank still waits for another one.
class Deadline {
 public:
  explicit Deadline(int32_t ms) : end_(std::chrono::steady_clock::now() + std::chrono::milliseconds(ms)), ms_(ms) {}
  bool is_over() const { return std::chrono::steady_clock::now() >= end_; }
  int32_t ms() const { return ms_; }

 private:
  std::chrono::steady_clock::time_point end_;
  int32_t ms_;
};

// What the ranks exchange. Each letter says it, so that ranks that are not at the same point of the same calls are told so.
enum class Topic : uint32_t { joining, mapping, offer, memory, leaving };

class Control {
 public:
  static constexpr size_t kMostBytes = 504;  // of an exchange
  int32_t rank = 0, size = 1;
  int32_t limit_ms = 30000;

  virtual ~Control() = default;
  virtual const char *name() const = 0;
  // Every rank gives `bytes` bytes and gets those of all, in the order of the ranks. COMM_ERROR: a rank is at another topic.
  gpuopt_status exchange(Topic topic, const void *mine, void *all, size_t bytes);
  // COMM_ERROR where the connection has reported an error of its own.
  virtual gpuopt_status check() { return GPUOPT_OK; }
  // After a fault: lets nothing wait any more. What this rank's blocks leave from is the caller's again.
  virtual void abort() = 0;

 protected:
  // The same of letters, all of one size whatever they are about: none is cut, and none waits for the rest of another.
  virtual gpuopt_status exchange_letters(const void *mine, void *all, size_t bytes) = 0;
};

// A block on its way: to or from peer, at this offset of the receiver's window. slot < kSlots tells the blocks apart that
// one rank sends to another in one call; both name the same blocks in the same order.
struct Block {
  int32_t peer;
  int32_t slot;
  size_t offset, bytes;
};
constexpr int32_t kMostChunks = 16;
constexpr int32_t kSlots = 2 * kMostChunks;

class Mover {
 public:
  virtual ~Mover() = default;
  // This rank's window, as large on every rank. Collective; earlier windows stay, for graphs that know them.
  virtual gpuopt_status attach(char *window, size_t bytes) = 0;
  // Starts on a block out, from memory that `after` has written when it gets there, and a block in. Either may have 0 bytes.
  virtual gpuopt_status start(const Block &out, const void *from, const Block &in, Stream after) = 0;
  // What comes on `stream` afterwards, or, without streams, the caller, finds the block that came in.
  virtual gpuopt_status await(const Block &in, Stream stream) = 0;
  // All blocks have left and been used: what they left from and where they came may be written again once `stream` is here.
  virtual gpuopt_status finish(Stream stream) = 0;
  // Who has not sent what `stream` waits for, where that can be seen; -1 elsewhere.
  virtual int32_t missing_rank() { return -1; }
  // After a fault: blocks may still come into the window, or leave the scratch, for as long as the process lives.
  virtual bool is_under_way() { return false; }
  virtual void abort() {}
};

}  // namespace gpuopt::dist
