// Everything the registry asks of CUDA, and nothing else: one implementation over the CUDA runtime
// (device_cuda.cpp), one for builds without CUDA (device_none.cpp). All functions return false or a status
// and set the thread's message.
#pragma once
#include <cstddef>
#include <string>

#include "gpuopt/kernel.h"

namespace gpuopt::device {

// CUDA devices that can be used; 0 where there is no driver. why: what the runtime said when 0.
int count(std::string *why);
gpuopt_status read_facts(int ordinal, gpuopt_device_facts *facts);

enum class Place { host, device, other_device, failed };
// Where the pointer's memory is: pageable host memory is host; pinned, managed and device memory are device.
Place classify(const void *pointer, int ordinal, int *actual_ordinal);

enum class Capture { none, active, blocked, failed };
// Is the stream being captured? blocked: it is the legacy stream and some other capture forbids using it.
Capture capture_state(struct CUstream_st *stream);

// A capture under way: its id, unique in the process; the stream, whose pointer tells the branches of one capture apart
// (cudaStreamGetId is refused while a stream is captured); the graph under construction.
struct CaptureIdentity {
  unsigned long long capture;
  const void *stream;
  void *graph;
};
gpuopt_status identify_capture(struct CUstream_st *stream, CaptureIdentity *identity);
// The graph, its executables and all their copies keep `object`; when the last is gone let_go(object) is called, on any
// thread, even after this library was unloaded, which therefore stays in memory. let_go must not call CUDA.
gpuopt_status retain_in_graph(void *graph, void *object, void (*let_go)(void *));

// Makes ordinal current for a scope, if it is not already; ordinal < 0 does nothing.
class ScopedCurrent {
 public:
  explicit ScopedCurrent(int ordinal);
  ~ScopedCurrent();
  ScopedCurrent(const ScopedCurrent &) = delete;
  ScopedCurrent &operator=(const ScopedCurrent &) = delete;
  bool ok() const { return ok_; }

 private:
  int previous_ = -1;
  bool ok_ = true;
};

// Lets this thread allocate and load modules while another thread captures, without invalidating that
// capture.
class RelaxedCapture {
 public:
  explicit RelaxedCapture(bool cuda);
  ~RelaxedCapture();
  RelaxedCapture(const RelaxedCapture &) = delete;
  RelaxedCapture &operator=(const RelaxedCapture &) = delete;

 private:
  int previous_ = -1;
};

// The function of the CUDA driver as that version of it has it (12000 for 12.0), or nullptr. The library links no libcuda.
void *driver_function(const char *name, int version);

gpuopt_status allocate(void **pointer, size_t bytes);
void release(void *pointer);
gpuopt_status allocate_ordered(void **pointer, size_t bytes,
                               struct CUstream_st *stream);  // freed by release_ordered
gpuopt_status release_ordered(void *pointer, struct CUstream_st *stream);
gpuopt_status copy(void *dst, const void *src, size_t bytes, struct CUstream_st *stream);
gpuopt_status fill(void *dst, int byte, size_t bytes, struct CUstream_st *stream);
gpuopt_status synchronize(struct CUstream_st *stream);
gpuopt_status synchronize_device();  // fails where some stream of the device is being captured
// Zeros in `lines` lines of `length` bytes that start `pitch` apart.
gpuopt_status zero_lines(void *pointer, size_t pitch, size_t length, size_t lines, struct CUstream_st *stream);

// Event pairs for profiling; nullptr where they cannot be made.
void *make_event();
bool record_event(void *event, struct CUstream_st *stream);
bool elapsed_ms(void *start, void *stop, float *ms);  // waits for stop
void destroy_event(void *event);

}  // namespace gpuopt::device
