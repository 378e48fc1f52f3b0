#include "library.h"

#include "../core/error.h"

namespace gpuopt_bench {
namespace {

void require(gpuopt_status status, const char *what) {
  if (status == GPUOPT_OK) return;
  const std::string text = std::string(what) + ": " + gpuopt_status_name(status) + ": " + gpuopt_last_error();
  if (status == GPUOPT_CUDA_ERROR || status == GPUOPT_INTERNAL) throw CudaError(text);
  throw Refused(text);
}

struct Able {
  std::vector<std::string> kernels;
  std::string chosen;
};

void take(void *user, const gpuopt_candidate *c) {
  Able &able = *static_cast<Able *>(user);
  if (c->verdict == GPUOPT_VERDICT_REJECTED) return;
  able.kernels.push_back(c->kernel);
  if (c->verdict == GPUOPT_VERDICT_CHOSEN) able.chosen = c->kernel;
}

}  // namespace

gpuopt_status run_args(gpuopt_handle *handle, const void *args) {
  switch (static_cast<const gpuopt_args *>(args)->op) {
    case GPUOPT_OP_GEMM:
      return gpuopt_gemm(handle, static_cast<const gpuopt_gemm_args *>(args));
    case GPUOPT_OP_TRANSPOSE:
      return gpuopt_transpose(handle, static_cast<const gpuopt_transpose_args *>(args));
    case GPUOPT_OP_REDUCE:
      return gpuopt_reduce(handle, static_cast<const gpuopt_reduce_args *>(args));
    case GPUOPT_OP_NORM:
      return gpuopt_norm(handle, static_cast<const gpuopt_norm_args *>(args));
    default:
      return gpuopt_fused_act(handle, static_cast<const gpuopt_fused_act_args *>(args));
  }
}

Library::~Library() {
  for (const auto &entry : handles_) gpuopt_destroy(entry.second);
}

gpuopt_handle *Library::handle(const std::string &kernel) {
  gpuopt_handle *&h = handles_[kernel];
  if (h != nullptr) return h;
  gpuopt_options o = GPUOPT_OPTIONS_INIT;
  o.device = session_.device().ordinal;
  o.stream = session_.stream();
  o.space = GPUOPT_SPACE_DEVICE;
  o.cpu_fallback = GPUOPT_FALLBACK_NEVER;
  o.kernel = kernel.empty() ? nullptr : kernel.c_str();
  require(gpuopt_create(&h, &o), "gpuopt_create");
  return h;
}

Contender Library::contender(const LibraryCall &call, const std::string &name, gpuopt_handle *h) {
  return {
      name,
      [call, h](cudaStream_t, int set) { require(run_args(h, (*call)[static_cast<size_t>(set)].get()), "gpuopt"); },
      [call, h](int set) { require(gpuopt_prepare(h, (*call)[static_cast<size_t>(set)].get()), "gpuopt_prepare"); }};
}

Contender Library::automatic(const LibraryCall &call) { return contender(call, "gpuopt", handle()); }

Contender Library::forced(const LibraryCall &call, const std::string &kernel) {
  return contender(call, "gpuopt:" + kernel, handle(kernel));
}

std::vector<std::string> Library::able_kernels(const LibraryCall &call, std::string *chosen) {
  Able able;
  require(gpuopt_explain(handle(), call->front().get(), nullptr, take, &able), "gpuopt_explain");
  *chosen = able.chosen;
  return able.kernels;
}

}  // namespace gpuopt_bench
