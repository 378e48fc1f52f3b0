// The timer. Two modes, two cache states, contenders in alternation:
//
//   single (S)   one call between two events, queued behind a kernel that spins until the host has queued all of it, so
//                the host's own time is not in the result; a sample whose spin ended too early is thrown away
//   graph (G)    the call captured some 64 times or more into one CUDA graph; the graph's time over the number of calls
//   cold         each call uses the next operand set, and what is used before one comes again exceeds twice the L2 cache;
//                where all sets, or those of a graph, do not, other memory is read between samples until the cache holds
//                nothing else
//   resident     each call uses set 0, which the call before it has touched
//
// docs/measuring.md says which to use when.
#pragma once
#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "device.h"
#include "measurement.h"
#include "memory.h"
#include "set_rotation.h"

namespace gpuopt_bench {

// One way to do the work. call enqueues it on the stream, on operand set number `set`; it throws Refused when it cannot.
struct Contender {
  std::string name;
  std::function<void(cudaStream_t stream, int set)> call;
  // Called before each captured call, outside the capture: what the call may not do while captured. May be empty.
  std::function<void(int set)> prepare;
};

struct MeasureOptions {
  Mode mode = Mode::single;
  Cache cache = Cache::cold;
  int sets = 1;               // operand sets there are
  int64_t bytes_per_set = 0;  // that one call touches
  double budget_ms = 60;      // device time for each contender, roughly
  int least = 7, most = 101;  // samples
  double noise = 0;           // no more samples once the median is known to this share of it; 0: whatever the noise
  int least_nodes = 64;       // calls in a graph, but for whole rounds of the sets
};

class Contest;

// A device, a stream, and what timing on it needs. Makes the device current for the calling thread.
class Session {
 public:
  explicit Session(int ordinal);
  ~Session();
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  const DeviceInfo &device() const { return device_; }
  cudaStream_t stream() const { return stream_; }
  // Keeps the device busy, so that clocks have left their idle state.
  void warm_up(double ms);
  // One Timing for each contender, in order. Throws CudaError when the device fails.
  std::vector<Timing> measure(const std::vector<Contender> &contenders, const MeasureOptions &options);
  // For suites with a procedure of their own, which keep one rotation for all that call on the same memory. A rough time,
  // after which nothing is done for the first time; one sample in mode S. Both throw Refused.
  double estimate_us(const Contender &contender, SetRotation *sets);
  double sample_us(const Contender &contender, double estimate_us, const MeasureOptions &options, SetRotation *sets);

 private:
  friend class Contest;
  double timed_us(const std::function<void()> &before, const std::function<void()> &lead,
                  const std::function<void()> &work, bool clear_l2);
  void clear_l2();

  DeviceInfo device_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t start_ = nullptr, stop_ = nullptr;
  DeviceMemory cleaner_, sink_;
  double spin_us_ = 25;
};

// Contenders made ready, of which samples are taken in any order: for procedures with rounds of their own.
class Contest {
 public:
  Contest(Session *session, std::vector<Contender> contenders, const MeasureOptions &options);
  ~Contest();
  Contest(const Contest &) = delete;
  Contest &operator=(const Contest &) = delete;

  size_t size() const { return entries_.size(); }
  double estimate_us(size_t i) const;          // rough, of a call
  int calls(size_t i) const;                   // in a sample
  const std::string &failure(size_t i) const;  // not empty: it cannot be timed, and why
  // Of a call, microseconds; 0 where it fails, which failure() tells from then on. Throws CudaError when the device fails.
  double sample(size_t i);

 private:
  struct Entry;
  void build_graph(Entry *entry);

  Session &session_;
  MeasureOptions options_;
  SetRotation sets_;
  bool clear_before_graphs_ = false;
  std::vector<std::unique_ptr<Entry>> entries_;
};

// Time on an idle device from the call to the end, by the host's clock: what a caller who waits sees.
double wall_us(const std::function<void()> &work);

}  // namespace gpuopt_bench
