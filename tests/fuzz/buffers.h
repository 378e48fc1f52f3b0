// Operand memory for one fuzzed call. Every buffer is exactly as large as its matrix says, so that AddressSanitizer sees an
// access past it; a copy kept aside shows what the call wrote.
#pragma once
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "gpuopt/gpuopt.h"
#include "input.h"

namespace fuzz {

constexpr int64_t kMostBytes = 1 << 18;  // a matrix that would need more gets no memory: its call must be refused

// Bytes from the first element to the end of the last, by the header's rule; -1: not a matrix, or too large.
inline int64_t bytes_of(const gpuopt_matrix &m, int64_t batch) {
  const int64_t size = gpuopt_dtype_size(m.dtype);
  if (size == 0 || m.rows < 0 || m.cols < 0 || m.ld < 0 || m.batch_stride < GPUOPT_PACKED || batch < 0) return -1;
  if (m.layout != GPUOPT_ROW && m.layout != GPUOPT_COL) return -1;
  if (m.rows == 0 || m.cols == 0 || batch == 0) return 0;
  const __int128 lines = m.layout == GPUOPT_ROW ? m.rows : m.cols, extent = m.layout == GPUOPT_ROW ? m.cols : m.rows;
  const __int128 ld = m.ld == 0 ? extent : m.ld;
  if (ld < extent) return -1;
  const __int128 stride = m.batch_stride == GPUOPT_PACKED ? ld * lines : m.batch_stride;
  const __int128 one = (lines - 1) * ld + extent;
  if (one > kMostBytes || lines > kMostBytes || stride > kMostBytes || batch > kMostBytes) {
    if (one > kMostBytes || batch > 1) return -1;
  }
  const __int128 bytes = ((batch > 1 ? (batch - 1) * stride : 0) + one) * size;
  return bytes > kMostBytes ? -1 : static_cast<int64_t>(bytes);
}

class Buffers {
 public:
  // Gives m its data: a new buffer, or, now and then, a piece of an earlier one.
  void place(Input &in, gpuopt_matrix &m, int64_t batch) {
    const int64_t bytes = bytes_of(m, batch), size = gpuopt_dtype_size(m.dtype);
    m.data = nullptr;
    if (bytes < 0 || in.rarely(60)) return;
    if (!all_.empty() && in.rarely(5)) {
      Buffer &b = all_[in.below(static_cast<uint32_t>(all_.size()))];
      const int64_t room = static_cast<int64_t>(b.size) - bytes;
      if (room >= 0) {
        const int64_t offset = in.rarely(2) ? 0 : in.below(64) * size;
        m.data = b.memory.get() + (offset <= room ? offset : 0);
        return;
      }
    }
    // Odd bases, in elements and rarely in bytes; the end stays exact.
    const size_t lead = static_cast<size_t>(in.rarely(30) ? 1 : in.rarely(3) ? in.below(8) * size : 0);
    m.data = add(in, lead + static_cast<size_t>(bytes)) + lead;
  }

  // A scalar in its own exact buffer.
  void *scalar(Input &in, double value, bool is_double) {
    char *p = add(in, is_double ? 8 : 4);
    const float narrow = static_cast<float>(value);
    if (!in.rarely(8)) std::memcpy(p, is_double ? static_cast<const void *>(&value) : &narrow, is_double ? 8 : 4);
    keep(all_.back());
    return p;
  }

  void may_write(const gpuopt_matrix &m, int64_t batch) {
    if (m.data != nullptr && bytes_of(m, batch) > 0) written_.push_back({m, batch});
  }

  // After the call: a refused one wrote nothing, an accepted one wrote its outputs' elements alone.
  void check(gpuopt_status status) {
    for (Buffer &b : all_) {
      if (b.size == 0 || std::memcmp(b.memory.get(), b.before.data(), b.size) == 0) continue;
      if (status != GPUOPT_OK) finding("a refused call wrote", gpuopt_last_error());
      restore_outputs(b);
      if (std::memcmp(b.memory.get(), b.before.data(), b.size) != 0)
        finding("a call wrote outside its outputs", "input or padding changed");
    }
  }

 private:
  struct Buffer {
    std::unique_ptr<char[]> memory;
    size_t size;
    std::vector<char> before;
  };
  struct Output {
    gpuopt_matrix m;
    int64_t batch;
  };

  char *add(Input &in, size_t size) {
    all_.push_back({std::unique_ptr<char[]>(new char[size]), size, {}});
    Buffer &b = all_.back();
    // Any bits: NaN, infinities and subnormals are among them; or plain small values.
    const bool any_bits = in.rarely(3);
    uint32_t state = in.word() | 1;
    for (size_t i = 0; i < size; ++i) {
      state = state * 1664525u + 1013904223u;
      b.memory[i] = static_cast<char>(any_bits ? state >> 24 : (state >> 24) & 0x3f);
    }
    keep(b);
    return b.memory.get();
  }
  static void keep(Buffer &b) { b.before.assign(b.memory.get(), b.memory.get() + b.size); }

  void restore_outputs(Buffer &b) {
    for (const Output &o : written_) {
      const char *base = static_cast<const char *>(o.m.data);
      if (base < b.memory.get() || base >= b.memory.get() + b.size) continue;
      const size_t size = static_cast<size_t>(gpuopt_dtype_size(o.m.dtype));
      const bool row = o.m.layout == GPUOPT_ROW;
      const int64_t lines = row ? o.m.rows : o.m.cols, extent = row ? o.m.cols : o.m.rows;
      const int64_t ld = o.m.ld == 0 ? extent : o.m.ld;
      const int64_t stride = o.m.batch_stride == GPUOPT_PACKED ? ld * lines : o.m.batch_stride;
      const size_t start = static_cast<size_t>(base - b.memory.get());
      for (int64_t p = 0; p < o.batch; ++p)
        for (int64_t line = 0; line < lines; ++line) {
          const size_t at = start + static_cast<size_t>((o.batch > 1 ? p * stride : 0) + line * ld) * size;
          std::memcpy(b.memory.get() + at, b.before.data() + at, static_cast<size_t>(extent) * size);
        }
    }
  }

  std::vector<Buffer> all_;
  std::vector<Output> written_;
};

}  // namespace fuzz
