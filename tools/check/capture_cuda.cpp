#include <cuda_runtime_api.h>
#include <malloc.h>

#include <algorithm>

#include "capture.h"

namespace gpuopt_check {
namespace {

std::string text(const char *call, cudaError_t error) {
  return error == cudaSuccess ? "" : std::string(call) + ": " + cudaGetErrorString(error);
}

constexpr int kGraphs = 4000;

// What the C library has handed out and not got back.
int64_t heap_in_use() {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
  return static_cast<int64_t>(mallinfo2().uordblks);
#else
  return 0;
#endif
}

void CUDART_CB nothing_to_release(void *) {}

// Makes, launches and destroys a graph of one node that owns a user object.
bool use_owning_graph(CUstream_st *stream, void *word) {
  cudaMemsetParams memset = {};
  memset.dst = word;
  memset.elementSize = sizeof(int32_t);
  memset.width = memset.height = 1;
  cudaGraph_t graph = nullptr;
  cudaGraphNode_t node = nullptr;
  cudaUserObject_t object = nullptr;
  cudaGraphExec_t executable = nullptr;
  if (cudaGraphCreate(&graph, 0) != cudaSuccess) return false;
  bool done =
      cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &memset) == cudaSuccess &&
      cudaUserObjectCreate(&object, word, nothing_to_release, 1, cudaUserObjectNoDestructorSync) == cudaSuccess &&
      cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove) == cudaSuccess &&
      cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess;
  done = done && cudaGraphLaunch(executable, stream) == cudaSuccess && cudaStreamSynchronize(stream) == cudaSuccess;
  if (executable) cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  return done;
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

double heap_kept_by_graph(CUstream_st *stream) {
  void *word = nullptr;
  if (stream == nullptr || cudaMalloc(&word, sizeof(int32_t)) != cudaSuccess) return 0;
  int64_t before = 0;
  bool done = true;
  for (int i = -kGraphs / 8; i < kGraphs && done; ++i) {  // the first eighth warms up
    if (i == 0) before = heap_in_use();
    done = use_owning_graph(stream, word);
  }
  const double kept = done ? static_cast<double>(heap_in_use() - before) / kGraphs : 0;
  cudaFree(word);
  return std::max(kept, 0.0);
}

}  // namespace gpuopt_check
