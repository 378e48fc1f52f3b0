/* Calls captured into a CUDA graph: no call before the capture is needed, data may change between replays, and the graph owns
 * the workspace of what it holds, so it is replayed after the handle is gone. */
#include <cuda_runtime_api.h>
#include <gpuopt/gpuopt.h>
#include <stdio.h>

enum { kRows = 64, kCols = 48, kElements = kRows * kCols, kBytes = kElements * (int)sizeof(float) };

static int cuda_failed(cudaError_t error) {
  if (error != cudaSuccess) fprintf(stderr, "graph_capture: %s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
static int failed(gpuopt_status status) {
  if (status != GPUOPT_OK) fprintf(stderr, "graph_capture: %s\n", gpuopt_last_error());
  return status != GPUOPT_OK;
}

/* Two calls, one after the other: y = x scaled by 2 and shifted by 1, and of that the row sums. */
static gpuopt_status issue(gpuopt_handle *h, float *x, float *y, float *sums) {
  gpuopt_fused_act_args scale = GPUOPT_FUSED_ACT_ARGS_INIT;
  gpuopt_reduce_args sum = GPUOPT_REDUCE_ARGS_INIT;
  gpuopt_stage stages[2];
  gpuopt_status status;
  stages[0] = gpuopt_act(GPUOPT_STAGE_MUL, 2, 0);
  stages[1] = gpuopt_act(GPUOPT_STAGE_ADD, 1, 0);
  scale.x = gpuopt_mat(x, kRows, kCols, GPUOPT_F32);
  scale.out = gpuopt_mat(y, kRows, kCols, GPUOPT_F32);
  scale.stages = stages;
  scale.stage_count = 2;
  sum.axis = GPUOPT_EACH_ROW;
  sum.x = scale.out;
  sum.out = gpuopt_mat(sums, kRows, 1, GPUOPT_F32);
  status = gpuopt_fused_act(h, &scale);
  return status != GPUOPT_OK ? status : gpuopt_reduce(h, &sum);
}

int main(void) {
  static float x[kElements], sums[kRows];
  float *device_x = NULL, *device_y = NULL, *device_sums = NULL;
  cudaStream_t stream = NULL;
  cudaGraph_t graph = NULL;
  cudaGraphExec_t executable = NULL;
  gpuopt_handle *h = NULL;
  gpuopt_options options = GPUOPT_OPTIONS_INIT;
  int devices = 0, round, i, wrong = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    puts("SKIP: graph_capture needs a CUDA device, and there is none here");
    return 0;
  }
  /* The legacy default stream cannot be captured: the handle needs one of its own. */
  if (cuda_failed(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking)) ||
      cuda_failed(cudaMalloc((void **)&device_x, kBytes)) || cuda_failed(cudaMalloc((void **)&device_y, kBytes)) ||
      cuda_failed(cudaMalloc((void **)&device_sums, sizeof sums)))
    return 1;
  options.device = 0;
  options.stream = stream;
  if (failed(gpuopt_create(&h, &options))) return 1;

  if (cuda_failed(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal))) return 1;
  const gpuopt_status issued = issue(h, device_x, device_y, device_sums);
  if (cuda_failed(cudaStreamEndCapture(stream, &graph)) || failed(issued) ||
      cuda_failed(cudaGraphInstantiate(&executable, graph, 0)))
    return 1;

  for (round = 1; round <= 3; ++round) {
    for (i = 0; i < kElements; ++i) x[i] = (float)(i % 5 * round);
    if (round == 3) gpuopt_destroy(h);
    if (cuda_failed(cudaMemcpyAsync(device_x, x, kBytes, cudaMemcpyHostToDevice, stream)) ||
        cuda_failed(cudaGraphLaunch(executable, stream)) ||
        cuda_failed(cudaMemcpyAsync(sums, device_sums, sizeof sums, cudaMemcpyDeviceToHost, stream)) ||
        cuda_failed(cudaStreamSynchronize(stream)))
      return 1;
    for (i = 0; i < kRows; ++i) {
      float right = 0;
      int j;
      for (j = 0; j < kCols; ++j) right += 2 * x[i * kCols + j] + 1;
      wrong += sums[i] != right;
    }
  }
  printf("3 replays, the last without the handle: %d of %d sums wrong\n", wrong, 3 * kRows);
  cudaGraphExecDestroy(executable), cudaGraphDestroy(graph);
  cudaFree(device_x), cudaFree(device_y), cudaFree(device_sums);
  cudaStreamDestroy(stream);
  return wrong != 0;
}
