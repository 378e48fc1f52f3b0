/* An application that has a CUDA stream and device memory of its own: gpuopt works on that stream, between the application's
 * own work, and nothing waits in between. A second stream takes over by an event. */
#include <cuda_runtime_api.h>
#include <gpuopt/gpuopt.h>
#include <stdio.h>

enum { kExtent = 256, kBytes = kExtent * kExtent * (int)sizeof(float) };

static int cuda_failed(cudaError_t error) {
  if (error != cudaSuccess) fprintf(stderr, "own_stream: %s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
static int failed(gpuopt_status status) {
  if (status != GPUOPT_OK) fprintf(stderr, "own_stream: %s\n", gpuopt_last_error());
  return status != GPUOPT_OK;
}

int main(void) {
  static float x[kExtent * kExtent], product[kExtent * kExtent];
  float *device_x = NULL, *device_product = NULL;
  cudaStream_t first = NULL, second = NULL;
  cudaEvent_t ready = NULL;
  gpuopt_handle *h = NULL;
  int devices = 0, i, wrong = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    puts("SKIP: own_stream needs a CUDA device, and there is none here");
    return 0;
  }
  for (i = 0; i < kExtent * kExtent; ++i) x[i] = (float)(i % 7 - 3);

  if (cuda_failed(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking)) ||
      cuda_failed(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking)) ||
      cuda_failed(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming)) ||
      cuda_failed(cudaMalloc((void **)&device_x, kBytes)) || cuda_failed(cudaMalloc((void **)&device_product, kBytes)))
    return 1;

  /* The handle is told the stream, and that all data is in device memory: then no call asks where a pointer points. */
  gpuopt_options options = GPUOPT_OPTIONS_INIT;
  options.device = 0;
  options.stream = first;
  options.space = GPUOPT_SPACE_DEVICE;
  if (failed(gpuopt_create(&h, &options))) return 1;

  gpuopt_gemm_args square = GPUOPT_GEMM_ARGS_INIT; /* product = x * transpose(x) */
  square.a = gpuopt_mat(device_x, kExtent, kExtent, GPUOPT_F32);
  square.b = gpuopt_t(square.a);
  square.d = gpuopt_mat(device_product, kExtent, kExtent, GPUOPT_F32);
  if (cuda_failed(cudaMemcpyAsync(device_x, x, kBytes, cudaMemcpyHostToDevice, first)) ||
      failed(gpuopt_gemm(h, &square)) || cuda_failed(cudaEventRecord(ready, first)) ||
      cuda_failed(cudaStreamWaitEvent(second, ready, 0)))
    return 1;

  /* From here on the handle works on the other stream, which waits for the first one's event. */
  gpuopt_fused_act_args clamp = GPUOPT_FUSED_ACT_ARGS_INIT;
  gpuopt_stage relu = gpuopt_act(GPUOPT_STAGE_RELU, 0, 0);
  clamp.x = clamp.out = square.d;
  clamp.stages = &relu;
  clamp.stage_count = 1;
  if (failed(gpuopt_set_stream(h, second)) || failed(gpuopt_fused_act(h, &clamp)) ||
      cuda_failed(cudaMemcpyAsync(product, device_product, kBytes, cudaMemcpyDeviceToHost, second)) ||
      cuda_failed(cudaStreamSynchronize(second)))
    return 1;

  for (i = 0; i < kExtent * kExtent; ++i) { /* small whole numbers: every sum is exact */
    float right = 0;
    int k;
    for (k = 0; k < kExtent; ++k) right += x[i / kExtent * kExtent + k] * x[i % kExtent * kExtent + k];
    wrong += product[i] != (right > 0 ? right : 0);
  }
  printf("%d x %d products on the application's streams: %d wrong\n", kExtent, kExtent, wrong);
  gpuopt_destroy(h); /* before its stream */
  cudaFree(device_x), cudaFree(device_product);
  cudaEventDestroy(ready), cudaStreamDestroy(first), cudaStreamDestroy(second);
  return wrong != 0;
}
