#include "arena.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "api_scope.h"
#include "device.h"
#include "error.h"

namespace gpuopt {
namespace {

void *call_allocate(const Allocator &source, size_t bytes, CUstream_st *stream) {
  const CallbackScope application;
  return source.allocate(source.user, bytes, stream);
}

void call_deallocate(const Allocator &source, void *data, CUstream_st *stream) {
  const CallbackScope application;
  source.deallocate(source.user, data, stream);
}

}  // namespace

gpuopt_status allocate_block(const Allocator &source, CUstream_st *stream, size_t bytes, void **out) {
  *out = nullptr;
  if (source.allocate) {
    try {
      *out = call_allocate(source, bytes, stream);
    }
    GPUOPT_CATCH_ALL { throw_foreign(GPUOPT_OUT_OF_MEMORY, "the caller's allocator"); }
    if (*out == nullptr) return fail(GPUOPT_OUT_OF_MEMORY, "the caller's allocator has no %zu bytes", bytes);
    if (reinterpret_cast<uintptr_t>(*out) % 256 != 0) {
      free_block(source, stream, *out);
      *out = nullptr;
      return fail(GPUOPT_INVALID_ARGUMENT, "the caller's allocator returned a block that is not 256-byte aligned");
    }
    return GPUOPT_OK;
  }
  if (source.cuda) {
    const device::RelaxedCapture relaxed(true);
    return device::allocate(out, bytes);
  }
  if (bytes > SIZE_MAX - 255 || (*out = std::aligned_alloc(256, (bytes + 255) / 256 * 256)) == nullptr)
    return fail(GPUOPT_OUT_OF_MEMORY, "no %zu bytes of host memory", bytes);
  return GPUOPT_OK;
}

// What deallocate throws ends here: the block is no longer ours whatever became of it.
void free_block(const Allocator &source, CUstream_st *stream, void *data) {
  if (data == nullptr) return;
  if (!source.deallocate) return source.cuda ? device::release(data) : std::free(data);
  try {
    call_deallocate(source, data, stream);
  }
  GPUOPT_CATCH_ALL { fail_caught("deallocate"); }
}

Arena::~Arena() {
  if (source_.deallocate == nullptr) clear(nullptr, false);
}

// A block leaves the books before it is given back, which need not return.
void Arena::clear(CUstream_st *stream, bool ended) {
  const bool alone = streams_.size() == 1 && streams_.front().stream == stream && ended;
  if (source_.cuda && source_.deallocate && !(kept_.empty() && (streams_.empty() || alone)))
    static_cast<void>(device::synchronize_device());  // its streams may be gone, its work may not
  for (; !streams_.empty(); streams_.pop_back()) {
    Stream &s = streams_.back();
    free_block(source_, s.stream, std::exchange(s.scratch, Block()).data);
    free_block(source_, s.stream, std::exchange(s.zeroed, Block()).data);
    while (!s.slots.empty()) {
      const Block last = s.slots.back();
      s.slots.pop_back();
      free_block(source_, s.stream, last.data);
    }
  }
  while (!kept_.empty()) {
    const Kept last = kept_.back();
    kept_.pop_back();
    free_block(source_, last.stream, last.block.data);
  }
}

size_t Arena::bytes() const {
  size_t sum = 0;
  for (const Stream &s : streams_) sum += s.scratch.bytes + s.zeroed.bytes;
  return sum;
}

Arena::Stream &Arena::of(CUstream_st *stream) {
  const auto found =
      std::find_if(streams_.begin(), streams_.end(), [&](const Stream &s) { return s.stream == stream; });
  if (found != streams_.end()) {
    streams_.splice(streams_.begin(), streams_, found);
  } else {
    streams_.emplace_front();
    streams_.front().stream = stream;
    give_back_others(SIZE_MAX, kMostStreams);
  }
  return streams_.front();
}

void Arena::release(CUstream_st *stream, Block *block) {
  if (block->captured) kept_.push_back({stream, *block});
  const Block old = std::exchange(*block, Block());
  if (!old.captured) free_block(source_, stream, old.data);
}

// From the end of the list, until the others hold no more than that. What was made for captured calls stays.
void Arena::give_back_others(size_t most_bytes, size_t most_streams) {
  size_t held = bytes(), count = streams_.size();
  if (held <= most_bytes && count <= most_streams) return;
  // A caller's deallocate is promised that no work uses the block, and a stream that is not the call's may be gone.
  if (source_.cuda && source_.deallocate && device::synchronize_device() != GPUOPT_OK) return;
  const device::RelaxedCapture relaxed(source_.cuda);
  for (auto s = std::prev(streams_.end()); s != streams_.begin() && (held > most_bytes || count > most_streams);) {
    const auto oldest = s--;
    if (!oldest->slots.empty()) continue;
    held -= oldest->scratch.bytes + oldest->zeroed.bytes;
    --count;
    release(oldest->stream, &oldest->scratch);
    release(oldest->stream, &oldest->zeroed);
    streams_.erase(oldest);
  }
}

gpuopt_status Arena::fill_zeroes(const Block &block, CUstream_st *stream) const {
  if (block.bytes == 0) return GPUOPT_OK;
  if (source_.cuda) return device::fill(block.data, 0, block.bytes, stream);
  std::memset(block.data, 0, block.bytes);
  return GPUOPT_OK;
}

gpuopt_status Arena::make(CUstream_st *stream, size_t bytes, bool zero, Block *out) {
  const gpuopt_status s = allocate_block(source_, stream, bytes, &out->data);
  if (s != GPUOPT_OK) return s;
  out->bytes = bytes;
  if (!zero) return GPUOPT_OK;
  const gpuopt_status filled = fill_zeroes(*out, stream);
  if (filled != GPUOPT_OK) {
    free_block(source_, stream, out->data);
    *out = Block();
  }
  return filled;
}

gpuopt_status Arena::grow(Stream *user, Block *current, size_t bytes, bool zero) {
  if (bytes <= current->bytes) return GPUOPT_OK;
  // Doubling makes growing rare; no block is larger than a call may ask for.
  const size_t doubled =
      std::max({bytes, current->bytes > SIZE_MAX / 2 ? SIZE_MAX : 2 * current->bytes, size_t{65536}});
  const size_t wanted = std::max(bytes, std::min(doubled, limit_));
  if (current->data && source_.cuda && source_.deallocate && !current->captured) {
    const gpuopt_status done = device::synchronize(user->stream);
    if (done != GPUOPT_OK) return done;
  }
  {
    const device::RelaxedCapture relaxed(source_.cuda);
    release(user->stream, current);
  }
  const size_t most = limit_ > SIZE_MAX / 2 ? SIZE_MAX : 2 * limit_;
  give_back_others(most > wanted ? most - wanted : 0, kMostStreams);
  gpuopt_status s = make(user->stream, wanted, zero, current);
  if (s != GPUOPT_OUT_OF_MEMORY) return s;
  give_back_others(0, 1);
  return make(user->stream, bytes, zero, current);
}

gpuopt_status Arena::reserve(CUstream_st *stream, size_t scratch, size_t zeroed) {
  Stream &user = of(stream);
  gpuopt_status s = grow(&user, &user.scratch, scratch, false);
  if (s == GPUOPT_OK && zeroed > 0) s = grow(&user, &user.zeroed, zeroed, true);
  if (s != GPUOPT_OK || zeroed == 0 || !source_.allocate || !source_.cuda) return s;  // the CPU captures nothing
  user.slots.emplace_back();
  s = make(stream, zeroed, true, &user.slots.back());
  if (s != GPUOPT_OK) user.slots.pop_back();
  return s;
}

namespace {

template <class Blocks>
auto slot_of(Blocks &slots, size_t zeroed) {
  return std::find_if(slots.begin(), slots.end(), [&](const auto &slot) { return slot.bytes >= zeroed; });
}

}  // namespace

gpuopt_status Arena::check_capture(CUstream_st *stream, size_t scratch, size_t zeroed) const {
  constexpr const char *advice =
      "WORKSPACE: nothing is allocated in a stream capture; call gpuopt_prepare() with these args before "
      "it";
  const auto user = std::find_if(streams_.begin(), streams_.end(), [&](const Stream &s) { return s.stream == stream; });
  const size_t has = user == streams_.end() ? 0 : user->scratch.bytes;
  if (scratch > has)
    return fail(GPUOPT_WORKSPACE_TOO_SMALL, "%s (scratch: needs %zu bytes, has %zu)", advice, scratch, has);
  if (zeroed > 0 && (user == streams_.end() || slot_of(user->slots, zeroed) == user->slots.end()))
    return fail(GPUOPT_WORKSPACE_TOO_SMALL, "%s (once per captured call: no zeroed slot of %zu bytes is left)", advice,
                zeroed);
  return GPUOPT_OK;
}

gpuopt_status Arena::get(CUstream_st *stream, size_t scratch, size_t zeroed, bool capturing, void **scratch_out,
                         void **zeroed_out) {
  *scratch_out = *zeroed_out = nullptr;
  if (!capturing) {
    Stream &user = of(stream);
    gpuopt_status s = grow(&user, &user.scratch, scratch, false);
    if (s == GPUOPT_OK && zeroed > 0) {
      if (user.zeroed_in_use) s = fill_zeroes(user.zeroed, stream);
      if (s == GPUOPT_OK) s = grow(&user, &user.zeroed, zeroed, true);
      user.zeroed_in_use = true;
    }
    if (s != GPUOPT_OK) return s;
    if (scratch > 0) *scratch_out = user.scratch.data;
    if (zeroed > 0) *zeroed_out = user.zeroed.data;
    return GPUOPT_OK;
  }
  const gpuopt_status s = check_capture(stream, scratch, zeroed);
  if (s != GPUOPT_OK) return s;
  Stream &user = of(stream);
  if (zeroed > 0) {
    const auto slot = slot_of(user.slots, zeroed);
    kept_.push_back({stream, *slot});
    *zeroed_out = slot->data;
    user.slots.erase(slot);
  }
  if (scratch > 0) {
    *scratch_out = user.scratch.data;
    user.scratch.captured = true;
  }
  return GPUOPT_OK;
}

}  // namespace gpuopt
