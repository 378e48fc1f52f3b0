// Shapes given on the command line: "4096x4096x64:bf16:f32:f32:nt". Extents, then fields; what is left out takes its
// default. Every function throws BadShape, which names the text and the rule.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpuopt/gpuopt.h"

namespace gpuopt_bench {

struct BadShape : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct ShapeText {
  std::string text;
  std::vector<int64_t> extents;
  std::vector<std::string> fields;

  // The words after the extents; "" where there are fewer.
  std::string field(size_t index) const { return index < fields.size() ? fields[index] : ""; }
  [[noreturn]] void reject(const std::string &rule) const;
};

// least to most extents and at most `fields` fields.
ShapeText read_shape(const std::string &text, size_t least, size_t most, size_t fields);

// Names as the tables spell them; `otherwise` for the empty word.
gpuopt_dtype dtype_field(const ShapeText &shape, size_t index, gpuopt_dtype otherwise);
int32_t compute_field(const ShapeText &shape, size_t index, int32_t otherwise);
int32_t reduce_field(const ShapeText &shape, size_t index, int32_t otherwise);

std::vector<std::string> split(const std::string &text, char separator);
std::string lowered(std::string text);  // A to Z

// A problem with its suite before it, "gemm 64x64x64:f32", in two.
struct SuiteShape {
  std::string suite, shape;
};
SuiteShape split_problem(const std::string &problem);

}  // namespace gpuopt_bench
