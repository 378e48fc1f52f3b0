// The call of docs/dispatch.md, all eight steps; api.cpp's entries are thin shells around it.
#pragma once
#include "handle.h"
#include "problem.h"

namespace gpuopt {

// A private copy of any of the five args structs.
union any_args {
  gpuopt_args head;
  gpuopt_gemm_args gemm;
  gpuopt_transpose_args transpose;
  gpuopt_reduce_args reduce;
  gpuopt_fused_act_args fused_act;
  gpuopt_norm_args norm;
};

// Checks handle, args, struct_size, op and the unknown tail; copies. op 0 takes any.
gpuopt_status take_args(const char *function, const gpuopt_handle *handle, const void *args, int32_t op, any_args *out);

// Steps 1 and 2: validates and builds the problem for this handle, classifying pointers.
gpuopt_status build_problem(gpuopt_handle *handle, const any_args &args, const build_options &options,
                            gpuopt_problem *problem);

enum class action { run, prepare, measure_workspace };
// Steps 1 to 8, or what prepare and workspace_size need of them.
gpuopt_status dispatch(gpuopt_handle *handle, const char *function, const void *args, int32_t op, action what,
                       size_t *workspace_bytes);

}  // namespace gpuopt
