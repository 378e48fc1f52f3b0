// One stage of a call's text, "ADD:per_col:1", "CLAMP:0:6"; its operands are words of their own.
#pragma once
#include <string_view>

#include "gpuopt/gpuopt.h"

namespace gpuopt_call {

gpuopt_stage read_stage(std::string_view text);  // throws BadWord

}  // namespace gpuopt_call
