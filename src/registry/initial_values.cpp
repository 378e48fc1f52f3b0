// The _INIT macros as functions, for languages without macros: structs of the caller's version, filled with values of ours.
#include <cstddef>

#include "error.h"
#include "gpuopt/gpuopt.h"

namespace gpuopt {
namespace {

// version_1: the size of the struct in the interface's first version.
template <class Struct>
gpuopt_status initialise(const char *function, const char *field, Struct *given, size_t struct_size,
                         const Struct &values, size_t version_1 = sizeof(Struct)) {
  if (given == nullptr) return fail(GPUOPT_INVALID_ARGUMENT, "%s: %s is NULL", function, field);
  return initialise_struct(function, field, given, struct_size, &values, sizeof values, version_1);
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_matrix_init(gpuopt_matrix *matrix) {
  if (matrix == nullptr) return fail(GPUOPT_INVALID_ARGUMENT, "gpuopt_matrix_init: matrix is NULL");
  *matrix = GPUOPT_MATRIX_INIT;
  return GPUOPT_OK;
}
gpuopt_status gpuopt_gemm_args_init(gpuopt_gemm_args *args, size_t struct_size) {
  return initialise("gpuopt_gemm_args_init", "args", args, struct_size, GPUOPT_GEMM_ARGS_INIT);
}
gpuopt_status gpuopt_transpose_args_init(gpuopt_transpose_args *args, size_t struct_size) {
  return initialise("gpuopt_transpose_args_init", "args", args, struct_size, GPUOPT_TRANSPOSE_ARGS_INIT);
}
gpuopt_status gpuopt_reduce_args_init(gpuopt_reduce_args *args, size_t struct_size) {
  return initialise("gpuopt_reduce_args_init", "args", args, struct_size, GPUOPT_REDUCE_ARGS_INIT);
}
gpuopt_status gpuopt_fused_act_args_init(gpuopt_fused_act_args *args, size_t struct_size) {
  return initialise("gpuopt_fused_act_args_init", "args", args, struct_size, GPUOPT_FUSED_ACT_ARGS_INIT);
}
gpuopt_status gpuopt_norm_args_init(gpuopt_norm_args *args, size_t struct_size) {
  return initialise("gpuopt_norm_args_init", "args", args, struct_size, GPUOPT_NORM_ARGS_INIT);
}
gpuopt_status gpuopt_gemm_grouped_args_init(gpuopt_gemm_grouped_args *args, size_t struct_size) {
  return initialise("gpuopt_gemm_grouped_args_init", "args", args, struct_size, GPUOPT_GEMM_GROUPED_ARGS_INIT);
}
gpuopt_status gpuopt_options_init(gpuopt_options *options, size_t struct_size) {
  return initialise("gpuopt_options_init", "options", options, struct_size, GPUOPT_OPTIONS_INIT,
                    offsetof(gpuopt_options, tune_cache));
}
gpuopt_status gpuopt_explain_options_init(gpuopt_explain_options *options, size_t struct_size) {
  return initialise("gpuopt_explain_options_init", "options", options, struct_size, GPUOPT_EXPLAIN_OPTIONS_INIT,
                    offsetof(gpuopt_explain_options, any_build));
}
gpuopt_status gpuopt_device_facts_init(gpuopt_device_facts *facts, size_t struct_size) {
  return initialise("gpuopt_device_facts_init", "facts", facts, struct_size, GPUOPT_DEVICE_FACTS_INIT);
}
gpuopt_status gpuopt_run_info_init(gpuopt_run_info *info, size_t struct_size) {
  return initialise("gpuopt_run_info_init", "info", info, struct_size, GPUOPT_RUN_INFO_INIT);
}
gpuopt_status gpuopt_occupancy_init(gpuopt_occupancy *occupancy, size_t struct_size) {
  return initialise("gpuopt_occupancy_init", "occupancy", occupancy, struct_size, GPUOPT_OCCUPANCY_INIT);
}

}  // extern "C"
