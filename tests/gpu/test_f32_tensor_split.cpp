// The parts of fp32 operands (gemm/common/f32_split.h) bit for bit against the host's, and what is found out of their lines: along
// k and not, on 16 bytes and not, batches, lines longer than registers hold.
#include <cuda_fp16.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "gemm/common/f32_split.h"
#include "gemm/wgmma/wgmma_results.h"
#include "gpu_support.h"

using namespace gpuopt;
using namespace gpuopt_test;

namespace {

constexpr int kTop = 14;  // the exponent that a line's largest is brought to

struct Shape {
  int64_t m, n, k, matrices;
  bool a_along_k, b_along_k;
  int64_t padding, offset;
};

// An operand on the host and the device.
struct Split {
  std::vector<float> host;
  DeviceArray<float> from;
  int64_t pitch;
  DeviceArray<char> to;
  DeviceArray<int32_t> exponents;
  DeviceArray<char> strips;
  F32SplitOperand operand;

  Split(const Shape &s, int64_t lines, bool along_k, std::vector<float> values)
      : host(std::move(values)),
        from(host),
        pitch((s.k * 4 + 127) / 128 * 128),
        to(static_cast<size_t>(pitch * lines * s.matrices)),
        exponents(static_cast<size_t>(lines * s.matrices)),
        strips(static_cast<size_t>(ceil_div(lines, kF32SplitStripLines) * s.matrices) * sizeof(F32SplitStrip)) {
    const int64_t ld = (along_k ? s.k : lines) + s.padding, step = (along_k ? lines : s.k) * ld;
    to.fill(0xff);
    strips.fill(0);
    operand = {from.data + s.offset,
               ld,
               step,
               along_k,
               (s.offset | ld | (s.matrices == 1 ? 0 : step)) % 4 == 0,
               to.data,
               pitch,
               pitch * lines,
               lines,
               s.k,
               s.matrices,
               exponents.data,
               reinterpret_cast<F32SplitStrip *>(strips.data)};
  }
  static std::vector<float> values(const Shape &s, int64_t lines, bool along_k) {
    const int64_t ld = (along_k ? s.k : lines) + s.padding;
    return normal_values(static_cast<size_t>((along_k ? lines : s.k) * ld * s.matrices + s.offset),
                         static_cast<uint32_t>(lines * 31 + s.k));
  }
  float at(const Shape &s, int64_t p, int64_t l, int64_t i) const {
    const F32SplitOperand &o = operand;
    return host[static_cast<size_t>(s.offset + p * o.batch_step + (o.along_k ? l * o.ld + i : i * o.ld + l))];
  }
};

// Compares parts and exponents of a line, and adds what is true of it. A line with an infinity or NaN has no parts to compare.
bool is_right(const Shape &s, const Split &x, const char *parts, int32_t exponent, int64_t p, int64_t l,
              F32SplitFacts *all) {
  float largest = 0;
  bool finite = true;
  for (int64_t i = 0; i < s.k; ++i) {
    largest = std::max(largest, std::fabs(x.at(s, p, l, i)));
    finite = finite && std::isfinite(x.at(s, p, l, i));
  }
  if (!finite) all->bad = 1;
  if (!finite || largest == 0) return true;
  const int top = std::ilogb(largest);
  bool right = exponent == top - kTop;
  uint32_t small = 0, within[2] = {0, 0};
  for (int64_t i = 0; i < ceil_div(s.k, 32) * 32; ++i) {
    const float value = i < s.k ? x.at(s, p, l, i) : 0, scaled = std::ldexp(value, kTop - top);
    const __half high = __float2half_rn(scaled), low = __float2half_rn(scaled - __half2float(high));
    const float magnitude = std::fabs(__half2float(high));
    small += value != 0 && magnitude < std::ldexp(1.0f, kTop - kF32SplitSmall) ? 1 : 0;
    for (int level = 0; level < 2; ++level)
      within[level] += magnitude >= std::ldexp(1.0f, kTop - f32_split_level(level)) ? 1 : 0;
    const char *const at = parts + i / 32 * 128 + i % 32 * 2;
    right = right && std::memcmp(at, &high, 2) == 0 && std::memcmp(at + 64, &low, 2) == 0;
  }
  all->small = std::max(all->small, small);
  for (int level = 0; level < 2; ++level) {
    const uint32_t lacks = static_cast<uint32_t>(s.k) - within[level];
    all->all[level] = std::max(all->all[level], lacks);
    if (small != 0) all->uneven[level] = std::max(all->uneven[level], lacks);
  }
  return right;
}
F32SplitFacts compare(const Shape &s, const Split &x) {
  const std::vector<char> parts = x.to.get();
  const std::vector<int32_t> exponents = x.exponents.get();
  F32SplitFacts all = {};
  int64_t wrong = 0;
  for (int64_t line = 0; line < s.matrices * x.operand.lines; ++line)
    wrong += is_right(s, x, parts.data() + line * x.pitch, exponents[static_cast<size_t>(line)], line / x.operand.lines,
                      line % x.operand.lines, &all)
                 ? 0
                 : 1;
  CHECK(wrong == 0);
  const std::vector<char> left = x.strips.get();
  CHECK(std::all_of(left.begin(), left.end(), [](char byte) { return byte == 0; }));
  return all;
}

constexpr Shape kShapes[] = {
    {64, 64, 64, 1, true, false, 0, 0},    {5, 7, 3, 1, true, false, 0, 0},       {130, 70, 300, 1, true, true, 0, 0},
    {130, 72, 300, 1, false, false, 0, 0}, {131, 70, 301, 3, true, false, 1, 1},  {131, 70, 301, 3, false, true, 3, 2},
    {33, 65, 4096, 1, true, false, 0, 0},  {33, 65, 4101, 1, true, false, 0, 0},  {7, 66, 17000, 1, true, false, 4, 0},
    {40, 64, 1025, 2, true, false, 3, 0},  {7, 66, 17001, 2, true, false, 0, 3},  {9, 68, 2048, 5, false, false, 0, 0},
    {1, 1, 1, 1, true, false, 0, 0},       {300, 2100, 640, 1, true, false, 0, 0}};

}  // namespace

TEST_CASE("f32_tensor: parts and what is known of lines are the host's bit for bit") {
  GPUOPT_NEED_GPU();
  const Gpu g;
  gpuopt_device_facts facts = {};
  facts.struct_size = sizeof facts;
  REQUIRE(gpuopt_get_device(g.handle, &facts) == GPUOPT_OK);
  if (facts.cc != 90) return;
  char error[256] = "";
  gpuopt_launch launch = {};
  launch.struct_size = sizeof launch;
  launch.stream = g.stream;
  launch.error = error;
  launch.error_bytes = sizeof error;
  DeviceArray<char> state(kF32SplitHead), result(kF32SplitHead);
  state.fill(0);
  for (const Shape &s : kShapes) {
    for (const char *kind : {"normal", "half zero", "some small", "one NaN"}) {
      const std::string data = kind;
      CAPTURE(data);
      CAPTURE(s.m);
      CAPTURE(s.k);
      std::vector<float> of_b = Split::values(s, s.n, s.b_along_k);
      for (size_t i = 0; i < of_b.size(); ++i) {
        if (data == "half zero") of_b[i] = std::max(of_b[i], 0.0f);
        if (data == "some small" && i % 53 == 7) of_b[i] *= 1e-9f;
      }
      if (data == "one NaN") of_b[of_b.size() - 1 - static_cast<size_t>(s.padding)] = NAN;
      const Split a(s, s.m, s.a_along_k, Split::values(s, s.m, s.a_along_k)), b(s, s.n, s.b_along_k, of_b);
      gpuopt_problem problem = {};
      problem.struct_size = sizeof problem;
      problem.k = s.k;
      problem.device = &facts;
      const F32Split split = {a.operand, b.operand, reinterpret_cast<F32SplitState *>(state.data),
                              reinterpret_cast<F32SplitResult *>(result.data)};
      for (int run = 0; run < 2; ++run) REQUIRE_MESSAGE(f32_split(problem, &launch, split) == GPUOPT_OK, error);
      g.sync();
      const F32SplitFacts expected[2] = {compare(s, a), compare(s, b)};
      F32SplitResult found;
      std::memcpy(&found, result.get().data(), sizeof found);
      CHECK(std::memcmp(found.lines, expected, sizeof expected) == 0);
      CHECK(found.path == (f32_split_fits(expected[0], expected[1], s.k) ? kF32SplitByParts : kF32SplitStrict));
      const std::vector<char> left = state.get();
      CHECK(std::all_of(left.begin(), left.end(), [](char byte) { return byte == 0; }));
    }
  }
}
