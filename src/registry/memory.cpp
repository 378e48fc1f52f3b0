// Memory and order for programs without CUDA headers.
#include <cstdlib>
#include <cstring>

#include "api_scope.h"
#include "device.h"
#include "error.h"
#include "handle.h"

using namespace gpuopt;

namespace {

// Common start of every function here: the handle, and its device made current by the caller.
gpuopt_status start(const char *function, const gpuopt_handle *handle) {
  return handle ? handle->check_fork(function) : fail(GPUOPT_INVALID_ARGUMENT, "%s: handle is NULL", function);
}

}  // namespace

extern "C" {

gpuopt_status gpuopt_malloc(gpuopt_handle *handle, void **pointer, size_t bytes) {
  const DeferredCancellation deferred;
  if (pointer == nullptr) return fail(GPUOPT_INVALID_ARGUMENT, "gpuopt_malloc: pointer is NULL");
  *pointer = nullptr;
  if (const gpuopt_status s = start("gpuopt_malloc", handle)) return s;
  if (bytes == 0) return GPUOPT_OK;
  if (handle->cuda) {
    const device::ScopedCurrent current(handle->ordinal());
    return fail_within(device::allocate_ordered(pointer, bytes, handle->stream), "gpuopt_malloc");
  }
  if (bytes > SIZE_MAX - 255 || (*pointer = std::aligned_alloc(256, (bytes + 255) / 256 * 256)) == nullptr)
    return fail(GPUOPT_OUT_OF_MEMORY, "gpuopt_malloc: no %zu bytes of host memory", bytes);
  return GPUOPT_OK;
}

gpuopt_status gpuopt_free(gpuopt_handle *handle, void *pointer) {
  const DeferredCancellation deferred;
  if (const gpuopt_status s = start("gpuopt_free", handle)) return s;
  if (pointer == nullptr) return GPUOPT_OK;
  if (handle->cuda) {
    const device::ScopedCurrent current(handle->ordinal());
    return fail_within(device::release_ordered(pointer, handle->stream), "gpuopt_free");
  }
  std::free(pointer);
  return GPUOPT_OK;
}

gpuopt_status gpuopt_copy(gpuopt_handle *handle, void *dst, const void *src, size_t bytes) {
  const DeferredCancellation deferred;
  if (const gpuopt_status s = start("gpuopt_copy", handle)) return s;
  if (bytes == 0) return GPUOPT_OK;
  if (dst == nullptr || src == nullptr)
    return fail(GPUOPT_INVALID_ARGUMENT, "gpuopt_copy: %s is NULL and bytes=%zu", dst ? "src" : "dst", bytes);
  if (handle->cuda) {
    const device::ScopedCurrent current(handle->ordinal());
    return fail_within(device::copy(dst, src, bytes, handle->stream), "gpuopt_copy");
  }
  std::memmove(dst, src, bytes);
  return GPUOPT_OK;
}

gpuopt_status gpuopt_fill(gpuopt_handle *handle, void *dst, int32_t byte, size_t bytes) {
  const DeferredCancellation deferred;
  if (const gpuopt_status s = start("gpuopt_fill", handle)) return s;
  if (bytes == 0) return GPUOPT_OK;
  if (dst == nullptr) return fail(GPUOPT_INVALID_ARGUMENT, "gpuopt_fill: dst is NULL and bytes=%zu", bytes);
  if (handle->cuda) {
    const device::ScopedCurrent current(handle->ordinal());
    return fail_within(device::fill(dst, byte, bytes, handle->stream), "gpuopt_fill");
  }
  std::memset(dst, byte, bytes);
  return GPUOPT_OK;
}

gpuopt_status gpuopt_synchronize(gpuopt_handle *handle) {
  const DeferredCancellation deferred;
  if (const gpuopt_status s = start("gpuopt_synchronize", handle)) return s;
  if (!handle->cuda) return GPUOPT_OK;
  const device::ScopedCurrent current(handle->ordinal());
  return fail_within(device::synchronize(handle->stream), "gpuopt_synchronize");
}

}  // extern "C"
