#include "arena.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "device.h"
#include "error.h"

namespace gpuopt {

gpuopt_status allocate_block(const allocator &source, CUstream_st *stream, size_t bytes, void **out) {
  *out = nullptr;
  if (source.allocate) {
    *out = source.allocate(source.user, bytes, stream);
    if (*out == nullptr) return fail(GPUOPT_OUT_OF_MEMORY, "the caller's allocator has no %zu bytes", bytes);
    if (reinterpret_cast<uintptr_t>(*out) % 256 != 0) {
      source.deallocate(source.user, *out, stream);
      *out = nullptr;
      return fail(GPUOPT_INVALID_ARGUMENT, "the caller's allocator returned a block that is not 256-byte aligned");
    }
    return GPUOPT_OK;
  }
  if (source.cuda) {
    const device::relaxed_capture relaxed(true);
    return device::allocate(out, bytes);
  }
  if (bytes > SIZE_MAX - 255 || (*out = std::aligned_alloc(256, (bytes + 255) / 256 * 256)) == nullptr)
    return fail(GPUOPT_OUT_OF_MEMORY, "no %zu bytes of host memory", bytes);
  return GPUOPT_OK;
}

void free_block(const allocator &source, CUstream_st *stream, void *data) {
  if (data == nullptr) return;
  if (source.deallocate) return source.deallocate(source.user, data, stream);
  if (source.cuda) return device::release(data);
  std::free(data);
}

arena::~arena() {
  release(scratch_);
  release(zeroed_);
  for (const block &b : retired_) release(b);
  for (const block &b : slots_) release(b);
}

void arena::release(const block &b) { free_block(source_, stream_, b.data); }

gpuopt_status arena::make(size_t bytes, bool zero, block *out) {
  const gpuopt_status s = allocate_block(source_, stream_, bytes, &out->data);
  if (s != GPUOPT_OK) return s;
  out->bytes = bytes;
  if (!zero) return GPUOPT_OK;
  if (!source_.cuda) {
    std::memset(out->data, 0, bytes);
    return GPUOPT_OK;
  }
  const gpuopt_status filled = device::fill(out->data, 0, bytes, stream_);
  if (filled != GPUOPT_OK) {
    release(*out);
    *out = block();
  }
  return filled;
}

gpuopt_status arena::grow(block *current, size_t bytes, bool zero) {
  if (bytes <= current->bytes) return GPUOPT_OK;
  // Doubling keeps all retired blocks together smaller than the one in use.
  block bigger;
  const size_t wanted = std::max({bytes, 2 * current->bytes, size_t{65536}});
  gpuopt_status s = make(wanted, zero, &bigger);
  if (s != GPUOPT_OK && wanted > bytes) s = make(bytes, zero, &bigger);
  if (s != GPUOPT_OK) return s;
  if (current->data) retired_.push_back(*current);
  *current = bigger;
  return GPUOPT_OK;
}

gpuopt_status arena::reserve(size_t scratch, size_t zeroed) {
  gpuopt_status s = grow(&scratch_, scratch, false);
  if (s == GPUOPT_OK && zeroed > 0) s = grow(&zeroed_, zeroed, true);
  if (s != GPUOPT_OK || zeroed == 0 || !source_.cuda) return s;
  block slot;
  s = make(zeroed, true, &slot);
  if (s == GPUOPT_OK) slots_.push_back(slot);
  return s;
}

gpuopt_status arena::get(size_t scratch, size_t zeroed, bool capturing, void **scratch_out, void **zeroed_out) {
  *scratch_out = *zeroed_out = nullptr;
  if (!capturing) {
    gpuopt_status s = grow(&scratch_, scratch, false);
    if (s == GPUOPT_OK && zeroed > 0) s = grow(&zeroed_, zeroed, true);
    if (s != GPUOPT_OK) return s;
    if (zeroed > 0) *zeroed_out = zeroed_.data;
  } else {
    constexpr const char *advice =
        "WORKSPACE: nothing is allocated in a stream capture; call gpuopt_prepare() with these args before "
        "it";
    if (scratch > scratch_.bytes)
      return fail(GPUOPT_WORKSPACE_TOO_SMALL, "%s (scratch: needs %zu bytes, has %zu)", advice, scratch,
                  scratch_.bytes);
    if (zeroed > 0) {
      const auto slot = std::find_if(slots_.begin(), slots_.end(), [&](const block &b) { return b.bytes >= zeroed; });
      if (slot == slots_.end())
        return fail(GPUOPT_WORKSPACE_TOO_SMALL, "%s (once per captured call: no zeroed slot of %zu bytes is left)",
                    advice, zeroed);
      *zeroed_out = slot->data;
      retired_.push_back(*slot);
      slots_.erase(slot);
    }
  }
  if (scratch > 0) *scratch_out = scratch_.data;
  return GPUOPT_OK;
}

}  // namespace gpuopt
