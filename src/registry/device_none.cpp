// The build without CUDA: there are no devices, and nothing below count() is ever reached.
#include "device.h"
#include "error.h"

namespace gpuopt::device {
namespace {
gpuopt_status none() { return fail(GPUOPT_NO_DEVICE, "this build of gpuopt has no CUDA support"); }
}  // namespace

int count(std::string *why) {
  if (why) *why = "this build of gpuopt has no CUDA support";
  return 0;
}
gpuopt_status read_facts(int, gpuopt_device_facts *) { return none(); }
place classify(const void *, int, int *) { return place::host; }
capture capture_state(CUstream_st *) { return capture::none; }
scoped_current::scoped_current(int) {}
scoped_current::~scoped_current() { static_cast<void>(previous_); }
relaxed_capture::relaxed_capture(bool) {}
relaxed_capture::~relaxed_capture() { static_cast<void>(previous_); }
gpuopt_status allocate(void **, size_t) { return none(); }
void release(void *) {}
gpuopt_status allocate_ordered(void **, size_t, CUstream_st *) { return none(); }
gpuopt_status release_ordered(void *, CUstream_st *) { return none(); }
gpuopt_status copy(void *, const void *, size_t, CUstream_st *) { return none(); }
gpuopt_status fill(void *, int, size_t, CUstream_st *) { return none(); }
gpuopt_status synchronize(CUstream_st *) { return none(); }
void *make_event() { return nullptr; }
bool record_event(void *, CUstream_st *) { return false; }
bool elapsed_ms(void *, void *, float *) { return false; }
void destroy_event(void *) {}

}  // namespace gpuopt::device
