// Facts of the CPU: threads the process may use, instruction set.
#pragma once
#include "gpuopt/gpuopt.h"

namespace gpuopt {
const char *isa_name(int32_t isa);  // of gpuopt_device_facts.cpu_isa: "avx2"; "?" for no such value

// num_threads 0: all usable; isa_limit -1: the best there is, else at most that.
void read_cpu_facts(int32_t num_threads, int32_t isa_limit, gpuopt_device_facts *facts);

// A copy of facts of the caller's. INVALID_ARGUMENT for a bad struct_size and for facts that no device has, with which a
// prediction could divide by 0. field: "options.pretend".
gpuopt_status take_facts(const char *function, const char *field, const gpuopt_device_facts *given,
                         gpuopt_device_facts *out);
}  // namespace gpuopt
