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
gpuopt_status identify_capture(CUstream_st *, CaptureIdentity *) { return none(); }
gpuopt_status retain_in_graph(void *, void *, void (*)(void *)) { return none(); }
Place classify(const void *, int, int *) { return Place::host; }
Capture capture_state(CUstream_st *) { return Capture::none; }
ScopedCurrent::ScopedCurrent(int) {}
ScopedCurrent::~ScopedCurrent() { static_cast<void>(previous_); }
RelaxedCapture::RelaxedCapture(bool) {}
RelaxedCapture::~RelaxedCapture() { static_cast<void>(previous_); }
void *driver_function(const char *, int) { return nullptr; }
gpuopt_status allocate(void **, size_t) { return none(); }
void release(void *) {}
gpuopt_status allocate_ordered(void **, size_t, CUstream_st *) { return none(); }
gpuopt_status release_ordered(void *, CUstream_st *) { return none(); }
gpuopt_status copy(void *, const void *, size_t, CUstream_st *) { return none(); }
gpuopt_status fill(void *, int, size_t, CUstream_st *) { return none(); }
gpuopt_status synchronize(CUstream_st *) { return none(); }
gpuopt_status synchronize_device() { return none(); }
gpuopt_status zero_lines(void *, size_t, size_t, size_t, CUstream_st *) { return none(); }
void *make_event() { return nullptr; }
bool record_event(void *, CUstream_st *) { return false; }
bool elapsed_ms(void *, void *, float *) { return false; }
void destroy_event(void *) {}

}  // namespace gpuopt::device
