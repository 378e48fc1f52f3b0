#include <cuda_runtime_api.h>

#include "capture.h"

namespace gpuopt_check {
namespace {

std::string text(const char *call, cudaError_t error) {
  return error == cudaSuccess ? "" : std::string(call) + ": " + cudaGetErrorString(error);
}

}  // namespace

std::string capture_and_launch(CUstream_st *stream, const std::function<void()> &call) {
  std::string wrong = text("cudaStreamBeginCapture", cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  if (!wrong.empty()) return wrong;
  call();
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  wrong = text("cudaStreamEndCapture", cudaStreamEndCapture(stream, &graph));
  size_t nodes = 0;
  if (wrong.empty()) wrong = text("cudaGraphGetNodes", cudaGraphGetNodes(graph, nullptr, &nodes));
  if (wrong.empty() && nodes > 0) wrong = text("cudaGraphInstantiate", cudaGraphInstantiate(&executable, graph, 0));
  if (executable) {
    wrong = text("cudaGraphLaunch", cudaGraphLaunch(executable, stream));
    const std::string waiting = text("cudaStreamSynchronize", cudaStreamSynchronize(stream));
    if (wrong.empty()) wrong = waiting;
    cudaGraphExecDestroy(executable);
  }
  if (graph) cudaGraphDestroy(graph);
  return wrong;
}

int64_t device_bytes_in_use(int32_t ordinal) {
  size_t free = 0, total = 0;
  int current = 0;
  if (ordinal < 0 || cudaGetDevice(&current) != cudaSuccess || cudaSetDevice(ordinal) != cudaSuccess) return 0;
  const bool known = cudaMemGetInfo(&free, &total) == cudaSuccess;
  cudaSetDevice(current);
  return known ? static_cast<int64_t>(total - free) : 0;
}

}  // namespace gpuopt_check
