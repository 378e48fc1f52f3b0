// Ranks that are processes under MPI.
#pragma once
#include "threads.h"

namespace gpuopt::dist {

// Of the application's MPI_Comm, which is duplicated. NOT_SUPPORTED where this build has no MPI.
gpuopt_status join_mpi(const void *mpi_comm, int32_t limit_ms, Transport *out);

}  // namespace gpuopt::dist
