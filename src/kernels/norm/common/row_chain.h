// Stages after a norm in either form, for kernels that take both.
#pragma once

#include "norm/common/row_work.h"

namespace gpuopt {

// Where it is not linear, the stages are the work's, interpreted.
struct RowChain {
  bool linear;
  RowLinear chain;
};

}  // namespace gpuopt
