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

enum class place { host, device, other_device, failed };
// Where the pointer's memory is: pageable host memory is host; pinned, managed and device memory are device.
place classify(const void *pointer, int ordinal, int *actual_ordinal);

enum class capture { none, active, blocked, failed };
// Is the stream being captured? blocked: it is the legacy stream and some other capture forbids using it.
capture capture_state(struct CUstream_st *stream);

// Makes ordinal current for a scope, if it is not already; ordinal < 0 does nothing.
class scoped_current {
 public:
  explicit scoped_current(int ordinal);
  ~scoped_current();
  scoped_current(const scoped_current &) = delete;
  scoped_current &operator=(const scoped_current &) = delete;
  bool ok() const { return ok_; }

 private:
  int previous_ = -1;
  bool ok_ = true;
};

// Lets this thread allocate and load modules while another thread captures, without invalidating that
// capture.
class relaxed_capture {
 public:
  explicit relaxed_capture(bool cuda);
  ~relaxed_capture();
  relaxed_capture(const relaxed_capture &) = delete;
  relaxed_capture &operator=(const relaxed_capture &) = delete;

 private:
  int previous_ = -1;
};

gpuopt_status allocate(void **pointer, size_t bytes);
void release(void *pointer);
gpuopt_status allocate_ordered(void **pointer, size_t bytes,
                               struct CUstream_st *stream);  // freed by release_ordered
gpuopt_status release_ordered(void *pointer, struct CUstream_st *stream);
gpuopt_status copy(void *dst, const void *src, size_t bytes, struct CUstream_st *stream);
gpuopt_status fill(void *dst, int byte, size_t bytes, struct CUstream_st *stream);
gpuopt_status synchronize(struct CUstream_st *stream);

// Event pairs for profiling; nullptr where they cannot be made.
void *make_event();
bool record_event(void *event, struct CUstream_st *stream);
bool elapsed_ms(void *start, void *stop, float *ms);  // waits for stop
void destroy_event(void *event);

}  // namespace gpuopt::device
