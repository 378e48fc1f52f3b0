// The few functions of NCCL that are used, declared here so that no header of NCCL's is needed. Their ABI is that of every 2.x
// since sends and receives came, 2.7.
#pragma once
#include <cstddef>

#include "gpuopt/dist.h"

namespace gpuopt::dist {

using NcclComm = struct ncclComm *;
constexpr int kNcclSuccess = 0, kNcclInProgress = 7, kNcclBytes = 1 /* ncclUint8 */;

// X(name, result, (arguments))
#define GPUOPT_NCCL_API(X)                                                       \
  X(GetVersion, int, (int *))                                                    \
  X(GetUniqueId, int, (gpuopt_unique_id *))                                      \
  X(CommInitRank, int, (NcclComm *, int, gpuopt_unique_id, int))                 \
  X(CommDestroy, int, (NcclComm))                                                \
  X(CommAbort, int, (NcclComm))                                                  \
  X(CommGetAsyncError, int, (NcclComm, int *))                                   \
  X(CommCount, int, (NcclComm, int *))                                           \
  X(CommUserRank, int, (NcclComm, int *))                                        \
  X(CommCuDevice, int, (NcclComm, int *))                                        \
  X(Send, int, (const void *, size_t, int, int, NcclComm, struct CUstream_st *)) \
  X(Recv, int, (void *, size_t, int, int, NcclComm, struct CUstream_st *))       \
  X(GroupStart, int, (void))                                                     \
  X(GroupEnd, int, (void))                                                       \
  X(GetErrorString, const char *, (int))

struct NcclApi {
#define GPUOPT_X_(name, result, arguments) result(*name) arguments;
  GPUOPT_NCCL_API(GPUOPT_X_)
#undef GPUOPT_X_
};

// Loads NCCL, one that the process has already first. nullptr and the thread's message where it cannot be.
const NcclApi *nccl_load();

}  // namespace gpuopt::dist
