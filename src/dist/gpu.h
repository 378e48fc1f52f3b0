// What is of GPUs: NCCL as Control and Mover, copy engines as Mover, and their memory. In builds without CUDA all of it fails.
#pragma once
#include <string>

#include "memory.h"
#include "threads.h"

namespace gpuopt::dist {

gpuopt_status make_nccl_id(gpuopt_unique_id *id);
gpuopt_status join_nccl(const gpuopt_unique_id &id, int32_t rank, int32_t size, int32_t limit_ms, gpuopt_handle *handle,
                        Transport *out);
// Of the application's ncclComm_t.
gpuopt_status adopt_nccl(void *nccl_comm, int32_t limit_ms, gpuopt_handle *handle, Transport *out);
std::unique_ptr<Memory> gpu_memory(gpuopt_handle *handle, gpuopt_status *status);
// Collective. nullptr and the reason where some rank's memory cannot be mapped by another; every rank gets the same answer.
gpuopt_status map_peers(Control *control, gpuopt_handle *handle, std::unique_ptr<Mover> *out, std::string *why);

}  // namespace gpuopt::dist
