/* What the device's part gives the table. */
#include <gpuopt/kernel.h>

#ifdef __cplusplus
extern "C"
#endif
    gpuopt_status
    relu_launch_cuda(const gpuopt_problem *problem, const gpuopt_launch *launch);
