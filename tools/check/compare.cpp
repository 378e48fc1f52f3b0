// compare: results against ranges, and every other byte against what it was.
#include <cstdio>
#include <cstring>

#include "truth.h"
#include "values.h"

namespace gpuopt_check {
namespace {

// What a correct kernel leaves that wrote this: the image, with the outputs as they are now.
std::vector<uint8_t> image_with_outputs(const Problem &p, const std::vector<uint8_t> &after) {
  std::vector<uint8_t> left = p.image;
  for_each_tensor(p, [&](const Tensor &t) {
    if (!t.output) return;
    const auto size = size_t(t.size());
    for (int64_t m = 0; m < p.batch; ++m)
      for (int64_t i = 0; i < t.rows; ++i)
        for (int64_t j = 0; j < t.cols && p.has(m, i, j); ++j) {
          const auto at = size_t(t.at(m, i, j));
          std::memcpy(&left[at], &after[at], size);
        }
  });
  return left;
}

std::string place_text(const Problem &p, const Tensor &t, int64_t m, int64_t i, int64_t j) {
  std::string name = "an operand";
  for (int k = 0; k < kOperands; ++k)
    if (&t == &p.t[k]) name = operand_name(p.op, k);
  for (size_t k = 0; k < p.stages.size(); ++k)
    if (&t == &p.stages[k].a) name = "stages[" + std::to_string(k) + "].a";
  if (p.batch > 1) name += "[" + std::to_string(m) + "]";
  return name + "(" + std::to_string(i) + ", " + std::to_string(j) + ")";
}

class Findings {
 public:
  void add(const std::string &text) {
    if (count_++ == 0) first_ = text;
  }
  void checked() { ++checked_; }
  std::string text() const {
    if (count_ == 0) return "";
    return first_ + " (" + std::to_string(count_) + " of " + std::to_string(checked_) + " elements are wrong)";
  }

 private:
  std::string first_;
  int64_t count_ = 0, checked_ = 0;
};

void compare_output(const Problem &p, const Truth &truth, const Output &o, const std::vector<uint8_t> &after,
                    Findings *f) {
  const Tensor &t = *o.tensor;
  size_t k = 0;
  for (int64_t m = 0; m < p.batch; ++m)
    for (int64_t i : truth.rows)
      for (int64_t j = 0; j < t.cols && p.has(m, i, j); ++j, ++k) {
        const uint8_t *e = after.data() + t.at(m, i, j);
        f->checked();
        if (o.exact) {
          const int64_t got = decode_integer(t.dtype, e);
          if (got != o.integers[k])
            f->add(place_text(p, t, m, i, j) + " = " + std::to_string(got) + ", must be " +
                   std::to_string(o.integers[k]));
        } else {
          const double got = decode(t.dtype, e);
          if (accepts(t.dtype, got, o.ranges[k])) continue;
          char text[64];
          std::snprintf(text, sizeof text, " = %.9g, must be within ", got);
          f->add(place_text(p, t, m, i, j) + text + to_text(t.dtype, o.ranges[k]));
        }
      }
}

void compare_transposed(const Problem &p, const std::vector<uint8_t> &after, Findings *f) {
  const Tensor &src = p.t[0], &dst = p.t[1];
  for (int64_t m = 0; m < p.batch; ++m)
    for (int64_t i = 0; i < src.rows; ++i)
      for (int64_t j = 0; j < src.cols; ++j) {
        f->checked();
        const uint8_t *got = after.data() + dst.at(m, j, i), *want = p.image.data() + src.at(m, i, j);
        if (std::memcmp(got, want, size_t(src.size())) != 0)
          f->add(place_text(p, dst, m, j, i) + " is not src at the mirrored place");
      }
}

}  // namespace

std::string compare(const Problem &p, const Truth &truth, const std::vector<uint8_t> &after) {
  const std::vector<uint8_t> left = image_with_outputs(p, after);
  if (left != after) {
    int64_t stray = 0, first = -1;
    for (size_t i = 0; i < after.size(); ++i)
      if (after[i] != left[i] && stray++ == 0) first = int64_t(i);
    return std::to_string(stray) + " bytes outside the outputs were written, the first at byte " +
           std::to_string(first) + " of the image (padding, guard band or input)";
  }
  Findings findings;
  if (p.op == GPUOPT_OP_TRANSPOSE) compare_transposed(p, after, &findings);
  for (const Output &o : truth.outputs) compare_output(p, truth, o, after, &findings);
  return findings.text();
}

}  // namespace gpuopt_check
