// The fuzzer's bytes, read front to back as choices. Past the end every choice is 0, so any prefix is a whole input.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace fuzz {

class Input {
 public:
  Input(const uint8_t *data, size_t size) : at_(data), end_(data + size) {}

  uint8_t byte() { return at_ < end_ ? *at_++ : 0; }
  uint32_t word() {
    uint32_t value = 0;
    for (int i = 0; i < 4; ++i) value = value << 8 | byte();
    return value;
  }
  uint32_t below(uint32_t n) { return byte() % n; }
  // True about once in n.
  bool rarely(uint32_t n) { return byte() % n == n - 1; }
  bool done() const { return at_ == end_; }
  size_t left() const { return static_cast<size_t>(end_ - at_); }
  const uint8_t *rest() const { return at_; }

  // Numbers at the edges of what a field can hold.
  int64_t edge() {
    static const int64_t edges[] = {-1,        -2,        INT64_MIN,     INT64_MAX,       INT64_MAX / 2,
                                    INT32_MAX, INT32_MIN, 1LL << 31,     1LL << 32,       1LL << 40,
                                    1LL << 61, 1LL << 62, INT64_MAX - 1, INT64_MIN + 1,   0,
                                    1,         4096,      65537,         (1LL << 31) + 1, 3037000500LL};
    return edges[below(sizeof edges / sizeof edges[0])];
  }

 private:
  const uint8_t *at_, *end_;
};

// Stops the fuzzer with a finding of our own, beside those of the sanitizers.
[[noreturn]] inline void finding(const char *what, const char *detail) {
  std::fprintf(stderr, "FINDING: %s: %s\n", what, detail);
  std::abort();
}

}  // namespace fuzz
