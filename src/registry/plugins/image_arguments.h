// The arguments that a manifest gives an entry function, in order: `args = a.ptr, d.ptr, m:i32, a.ld:i64, alpha:f32, null`.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "plugins/expression.h"
#include "plugins/image_manifest.h"
#include "plugins/image_variables.h"

namespace gpuopt {

enum class Scalar : uint8_t { alpha, beta, eps, stage_value };

struct Argument {
  enum class Kind : uint8_t { operand, scratch, zeroed, null, integer, scalar } kind = Kind::null;
  int32_t operand = 0;  // operand: its place; scalar of a stage: the stage
  Scalar scalar = Scalar::alpha;
  int32_t value = 0;  // of a stage: which of its two
  uint8_t bytes = 8;
  bool is_signed = true;  // integer
  Expression expression;  // integer
};

// Reads the list; what is wrong is told with its line and column.
std::vector<Argument> parse_arguments(const ManifestLine &line, int32_t op, const Expression::Names &names,
                                      const TellFault &fault);

bool fits(const Argument &argument, int64_t value);  // an integer of its size

// Splits at commas outside parentheses; fn(part, offset).
void for_each_part(std::string_view list, const std::function<void(std::string_view, size_t)> &fn);

}  // namespace gpuopt
