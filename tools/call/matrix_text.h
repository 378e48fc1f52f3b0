// One operand of a call's text: "64x36:bf16:col:ld=72:by=16".
#pragma once
#include <string>
#include <string_view>

#include "gpuopt/gpuopt.h"

namespace gpuopt_call {

struct MatrixText {
  gpuopt_matrix matrix = GPUOPT_MATRIX_INIT;  // without data; a scale's address means nothing
  int32_t by = 0;                             // its address modulo 256
  std::string at;                             // the operand in whose memory it lies, or ""
  int64_t distance = 0;                       // bytes from that operand's first byte to its own
};
MatrixText read_matrix(std::string_view text);  // throws BadWord

}  // namespace gpuopt_call
