#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstring>

#include "device.h"
#include "error.h"

namespace gpuopt::device {
namespace {

// What fails while it lives, and is answered or survived here, is not to be found by the application's next cudaGetLastError().
// Where the application has an error of its own pending, nothing is cleared.
class OwnErrors {
 public:
  OwnErrors() : none_before_(cudaPeekAtLastError() == cudaSuccess) {}
  ~OwnErrors() {
    if (none_before_ && cudaPeekAtLastError() != cudaSuccess) static_cast<void>(cudaGetLastError());
  }
  OwnErrors(const OwnErrors &) = delete;
  OwnErrors &operator=(const OwnErrors &) = delete;

 private:
  const bool none_before_;
};

gpuopt_status check(cudaError_t error, const char *call) {
  if (error == cudaSuccess) return GPUOPT_OK;
  return fail(error == cudaErrorMemoryAllocation ? GPUOPT_OUT_OF_MEMORY : GPUOPT_CUDA_ERROR, "%s: %s: %s", call,
              cudaGetErrorName(error), cudaGetErrorString(error));
}

int32_t attribute(cudaDeviceAttr which, int ordinal) {
  int value = 0;
  return cudaDeviceGetAttribute(&value, which, ordinal) == cudaSuccess ? value : 0;
}

}  // namespace

int count(std::string *why) {
  const OwnErrors own;
  int devices = 0;
  const cudaError_t error = cudaGetDeviceCount(&devices);
  if (error == cudaSuccess && devices > 0) return devices;
  if (why) *why = error == cudaSuccess ? "the CUDA driver reports no device" : cudaGetErrorString(error);
  return 0;
}

gpuopt_status read_facts(int ordinal, gpuopt_device_facts *f) {
  const OwnErrors own;
  cudaDeviceProp prop;
  if (const gpuopt_status s = check(cudaGetDeviceProperties(&prop, ordinal), "cudaGetDeviceProperties")) return s;
  std::snprintf(f->name, sizeof f->name, "%.63s", prop.name);
  f->ordinal = ordinal;
  f->cc = prop.major * 10 + prop.minor;
  f->sm_count = prop.multiProcessorCount;
  f->max_threads_per_sm = prop.maxThreadsPerMultiProcessor;
  f->regs_per_sm = prop.regsPerMultiprocessor;
  f->smem_per_sm = static_cast<int64_t>(prop.sharedMemPerMultiprocessor);
  f->smem_per_block = static_cast<int64_t>(prop.sharedMemPerBlock);
  f->smem_per_block_optin = static_cast<int64_t>(prop.sharedMemPerBlockOptin);
  f->l2_bytes = prop.l2CacheSize;
  f->memory_bytes = static_cast<int64_t>(prop.totalGlobalMem);
  f->clock_mhz = attribute(cudaDevAttrClockRate, ordinal) / 1e3;
  // kHz, bits, two transfers a clock.
  f->memory_gbs = 2.0 * attribute(cudaDevAttrMemoryClockRate, ordinal) * 1e3 * (prop.memoryBusWidth / 8) / 1e9;
  cudaDriverGetVersion(&f->driver_version);
  cudaRuntimeGetVersion(&f->runtime_version);
  return GPUOPT_OK;
}

Place classify(const void *pointer, int ordinal, int *actual) {
  cudaPointerAttributes attributes;
  const cudaError_t error = cudaPointerGetAttributes(&attributes, pointer);
  if (error != cudaSuccess) {
    check(error, "cudaPointerGetAttributes");
    return Place::failed;
  }
  *actual = attributes.device;
  if (attributes.type == cudaMemoryTypeUnregistered) return Place::host;
  if (attributes.type == cudaMemoryTypeDevice && attributes.device != ordinal) return Place::other_device;
  return Place::device;
}

Capture capture_state(CUstream_st *stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  const cudaError_t error = cudaStreamIsCapturing(stream, &status);
  if (error == cudaErrorStreamCaptureImplicit) return Capture::blocked;
  if (error != cudaSuccess) {
    check(error, "cudaStreamIsCapturing");
    return Capture::failed;
  }
  return status == cudaStreamCaptureStatusNone ? Capture::none : Capture::active;
}

gpuopt_status identify_capture(CUstream_st *stream, CaptureIdentity *identity) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  cudaGraph_t graph = nullptr;
  // The runtime of CUDA 13 has one function of this name, those before it a numbered one.
#if CUDART_VERSION >= 13000
  const cudaError_t error = cudaStreamGetCaptureInfo(stream, &status, &identity->capture, &graph);
#else
  const cudaError_t error = cudaStreamGetCaptureInfo_v2(stream, &status, &identity->capture, &graph);
#endif
  if (const gpuopt_status s = check(error, "cudaStreamGetCaptureInfo")) return s;
  if (status != cudaStreamCaptureStatusActive)
    return fail(GPUOPT_CUDA_ERROR, "the stream's capture was invalidated before this call");
  identity->graph = graph;
  identity->stream = stream;
  return GPUOPT_OK;
}

gpuopt_status retain_in_graph(void *graph, void *object, void (*let_go)(void *)) {
  // dlopen of what is already loaded, by the address of something in it; in a program linked statically there is nothing
  // that could be unloaded, and the call does no harm.
  static const bool stays = [] {
    Dl_info self = {};
    return dladdr(reinterpret_cast<const void *>(&retain_in_graph), &self) != 0 && self.dli_fname != nullptr &&
           dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE) != nullptr;
  }();
  static_cast<void>(stays);
  cudaUserObject_t user = nullptr;
  gpuopt_status s =
      check(cudaUserObjectCreate(&user, object, let_go, 1, cudaUserObjectNoDestructorSync), "cudaUserObjectCreate");
  if (s != GPUOPT_OK) return s;
  s = check(cudaGraphRetainUserObject(static_cast<cudaGraph_t>(graph), user, 1, cudaGraphUserObjectMove),
            "cudaGraphRetainUserObject");
  // Releasing it would call let_go, as the caller does.
  return s;
}

ScopedCurrent::ScopedCurrent(int ordinal) {
  if (ordinal < 0) return;
  int now = -1;
  ok_ = check(cudaGetDevice(&now), "cudaGetDevice") == GPUOPT_OK;
  if (!ok_ || now == ordinal) return;
  ok_ = check(cudaSetDevice(ordinal), "cudaSetDevice") == GPUOPT_OK;
  if (ok_) previous_ = now;
}
ScopedCurrent::~ScopedCurrent() {
  if (previous_ >= 0) static_cast<void>(cudaSetDevice(previous_));
}

RelaxedCapture::RelaxedCapture(bool cuda) {
  if (!cuda) return;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  if (cudaThreadExchangeStreamCaptureMode(&mode) == cudaSuccess) previous_ = mode;
}
RelaxedCapture::~RelaxedCapture() {
  if (previous_ < 0) return;
  auto mode = static_cast<cudaStreamCaptureMode>(previous_);
  static_cast<void>(cudaThreadExchangeStreamCaptureMode(&mode));
}

void *driver_function(const char *name, int version) {
  const OwnErrors own;
  void *entry = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
  const cudaError_t code =
      cudaGetDriverEntryPointByVersion(name, &entry, static_cast<unsigned>(version), cudaEnableDefault, &found);
#else
  static_cast<void>(version);
  const cudaError_t code = cudaGetDriverEntryPoint(name, &entry, cudaEnableDefault, &found);
#endif
  return code == cudaSuccess && found == cudaDriverEntryPointSuccess ? entry : nullptr;
}

gpuopt_status allocate(void **pointer, size_t bytes) {
  const OwnErrors own;  // who is refused may give memory back and ask again
  return check(cudaMalloc(pointer, bytes), "cudaMalloc");
}
void release(void *pointer) { static_cast<void>(cudaFree(pointer)); }
gpuopt_status allocate_ordered(void **pointer, size_t bytes, CUstream_st *stream) {
  const OwnErrors own;
  return check(cudaMallocAsync(pointer, bytes, stream), "cudaMallocAsync");
}
gpuopt_status release_ordered(void *pointer, CUstream_st *stream) {
  return check(cudaFreeAsync(pointer, stream), "cudaFreeAsync");
}
gpuopt_status copy(void *dst, const void *src, size_t bytes, CUstream_st *stream) {
  return check(cudaMemcpyAsync(dst, src, bytes, cudaMemcpyDefault, stream), "cudaMemcpyAsync");
}
gpuopt_status fill(void *dst, int byte, size_t bytes, CUstream_st *stream) {
  return check(cudaMemsetAsync(dst, byte, bytes, stream), "cudaMemsetAsync");
}
gpuopt_status synchronize(CUstream_st *stream) { return check(cudaStreamSynchronize(stream), "cudaStreamSynchronize"); }
gpuopt_status synchronize_device() {
  const OwnErrors own;
  const RelaxedCapture relaxed(true);
  return check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}
gpuopt_status zero_lines(void *pointer, size_t pitch, size_t length, size_t lines, CUstream_st *stream) {
  return check(cudaMemset2DAsync(pointer, pitch, 0, length, lines, stream), "cudaMemset2DAsync");
}

void *make_event() {
  const OwnErrors own;
  cudaEvent_t event = nullptr;
  return cudaEventCreate(&event) == cudaSuccess ? event : nullptr;
}
bool record_event(void *event, CUstream_st *stream) {
  const OwnErrors own;
  return cudaEventRecord(static_cast<cudaEvent_t>(event), stream) == cudaSuccess;
}
bool elapsed_ms(void *start, void *stop, float *ms) {
  const OwnErrors own;
  return cudaEventSynchronize(static_cast<cudaEvent_t>(stop)) == cudaSuccess &&
         cudaEventElapsedTime(ms, static_cast<cudaEvent_t>(start), static_cast<cudaEvent_t>(stop)) == cudaSuccess;
}
void destroy_event(void *event) { static_cast<void>(cudaEventDestroy(static_cast<cudaEvent_t>(event))); }

}  // namespace gpuopt::device
