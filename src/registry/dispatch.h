// The call of docs/dispatch.md, all eight steps; api.cpp's entries are thin shells around it.
#pragma once
#include "decide.h"

namespace gpuopt {

// Steps 1 to 8, or what prepare and workspace_size need of them. workspace_bytes: measure_workspace only.
gpuopt_status dispatch(gpuopt_handle *handle, const char *function, const void *args, int32_t op, Action what,
                       size_t *workspace_bytes);

}  // namespace gpuopt
