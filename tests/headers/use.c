/* Every public C header, and what it defines for use in other files: macros that are expanded, inline functions. */
#include <gpuopt/dist.h>
#include <gpuopt/gpuopt.h>
#include <gpuopt/kernel.h>

int use(const float *data);

int use(const float *data) {
  gpuopt_gemm_args gemm = GPUOPT_GEMM_ARGS_INIT;
  gpuopt_transpose_args transpose = GPUOPT_TRANSPOSE_ARGS_INIT;
  gpuopt_reduce_args reduce = GPUOPT_REDUCE_ARGS_INIT;
  gpuopt_fused_act_args fused_act = GPUOPT_FUSED_ACT_ARGS_INIT;
  gpuopt_norm_args norm = GPUOPT_NORM_ARGS_INIT;
  gpuopt_gemm_grouped_args grouped = GPUOPT_GEMM_GROUPED_ARGS_INIT;
  gpuopt_options options = GPUOPT_OPTIONS_INIT;
  gpuopt_explain_options explain = GPUOPT_EXPLAIN_OPTIONS_INIT;
  gpuopt_device_facts facts = GPUOPT_DEVICE_FACTS_INIT;
  gpuopt_run_info info = GPUOPT_RUN_INFO_INIT;
  gpuopt_occupancy occupancy = GPUOPT_OCCUPANCY_INIT;
  gpuopt_comm_options comm = GPUOPT_COMM_OPTIONS_INIT;
  gpuopt_dist_run_info ran = GPUOPT_DIST_RUN_INFO_INIT;
  gpuopt_dist_explain_options plans = GPUOPT_DIST_EXPLAIN_OPTIONS_INIT;
  int64_t begin, count;
  gpuopt_matrix none = GPUOPT_MATRIX_INIT, m = gpuopt_t(gpuopt_mat_ld(data, 2, 3, 4, GPUOPT_F32));
  gpuopt_stage stages[3];
  stages[0] = gpuopt_act(GPUOPT_STAGE_CLAMP, 0, 6);
  stages[1] = gpuopt_act_with(GPUOPT_STAGE_ADD, GPUOPT_PER_COL, m);
  stages[2] = gpuopt_act_outer(2, m, gpuopt_mat(data, 1, 2, GPUOPT_F32));
  none.batch_stride = GPUOPT_PACKED;
  gpuopt_dist_rows(7, 1, 2, &begin, &count);
  return gemm.op + transpose.op + reduce.op + fused_act.op + norm.op + grouped.op + options.device + explain.space +
         facts.cc + info.op + occupancy.limiter + (none.batch_stride < 0) + stages[0].kind + stages[1].kind +
         stages[2].kind + GPUOPT_FEATURE_BATCH + GPUOPT_KERNEL_HOST + comm.check + ran.chunks + plans.ranks +
         GPUOPT_TIME_LIMIT + (begin == 4) + (count == 3);
}
