/* From gpuopt_device_facts.cpu_isa to the code compiled for it. Beside the baseline's code of each set of loops, so that a
 * program has those sets that its kernels use. */
#pragma once

#if defined(__x86_64__)
#define GPUOPT_PICK(name, isa) ((isa) >= 2 ? name##_avx512 : (isa) == 1 ? name##_avx2 : name##_baseline)
#else
#define GPUOPT_PICK(name, isa) ((void)(isa), name##_baseline)
#endif
