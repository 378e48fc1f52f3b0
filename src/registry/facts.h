// Facts of the CPU: threads the process may use, instruction set.
#pragma once
#include "gpuopt/gpuopt.h"

namespace gpuopt {
// num_threads 0: all usable; isa_limit -1: the best there is, else at most that.
void read_cpu_facts(int32_t num_threads, int32_t isa_limit, gpuopt_device_facts *facts);
}  // namespace gpuopt
