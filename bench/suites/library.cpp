#include "library.h"

#include <algorithm>

#include "../core/error.h"
#include "against_judge.h"
#include "gpuopt_call/run_args.h"

namespace gpuopt_bench {
namespace {

void require(gpuopt_status status, const char *what) {
  if (status == GPUOPT_OK) return;
  const std::string text = std::string(what) + ": " + gpuopt_status_name(status) + ": " + gpuopt_last_error();
  if (status == GPUOPT_CUDA_ERROR || status == GPUOPT_INTERNAL) throw CudaError(text);
  throw Refused(text);
}

void take(void *user, const gpuopt_candidate *c) {
  if (c->verdict == GPUOPT_VERDICT_REJECTED) return;
  static_cast<std::vector<AbleKernel> *>(user)->push_back(
      {c->kernel, std::max(c->predicted_us, 0.0), c->verdict == GPUOPT_VERDICT_CHOSEN});
}

}  // namespace

const AbleKernel &chosen_of(const std::vector<AbleKernel> &kernels) {
  for (const AbleKernel &k : kernels)
    if (k.chosen) return k;
  throw Refused("no kernel is chosen");
}

Library::~Library() {
  for (const auto &entry : handles_) gpuopt_destroy(entry.second);
}

gpuopt_options Library::options() const {
  gpuopt_options o = GPUOPT_OPTIONS_INIT;
  o.device = session_.device().ordinal;
  o.stream = session_.stream();
  o.space = GPUOPT_SPACE_DEVICE;
  o.cpu_fallback = GPUOPT_FALLBACK_NEVER;
  return o;
}

gpuopt_handle *Library::handle(const std::string &kernel) {
  gpuopt_handle *&h = handles_[kernel];
  if (h != nullptr) return h;
  gpuopt_options o = options();
  o.kernel = kernel.empty() ? nullptr : kernel.c_str();
  require(gpuopt_create(&h, &o), "gpuopt_create");
  return h;
}

Contender Library::contender(const LibraryCall &call, const std::string &name, const std::string &kernel) {
  handle(kernel);
  gpuopt_handle *const *slot = &handles_[kernel];
  const auto live = [this, kernel, slot] { return *slot != nullptr ? *slot : handle(kernel); };  // or it was given back
  return {name,
          [call, live](cudaStream_t, int set) {
            require(gpuopt_call::run_args(live(), (*call)[static_cast<size_t>(set)].get()), "gpuopt");
          },
          [call, live](int set) {
            require(gpuopt_prepare(live(), (*call)[static_cast<size_t>(set)].get()), "gpuopt_prepare");
          }};
}

Contender other_build(const OtherBuild &other, const LibraryCall &call) {
  const auto refuse = [](const std::function<void()> &work) {
    try {
      work();
    } catch (const std::runtime_error &e) {
      throw Refused(e.what());
    }
  };
  return {kOtherBuild,
          [&other, call, refuse](cudaStream_t, int set) {
            refuse([&] { other.run((*call)[static_cast<size_t>(set)].get()); });
          },
          [&other, call, refuse](int set) { refuse([&] { other.prepare((*call)[static_cast<size_t>(set)].get()); }); }};
}

Contender Library::automatic(const LibraryCall &call) { return contender(call, "gpuopt", ""); }

Contender Library::forced(const LibraryCall &call, const std::string &kernel) {
  return contender(call, "gpuopt:" + kernel, kernel);
}

std::vector<AbleKernel> Library::able_kernels(const LibraryCall &call) {
  std::vector<AbleKernel> able;
  require(gpuopt_explain(handle(), call->front().get(), nullptr, take, &able), "gpuopt_explain");
  return able;
}

void Library::forget_when_short_of_memory() {
  size_t free_bytes = 0, all_bytes = 0;
  BENCH_CUDA(cudaMemGetInfo(&free_bytes, &all_bytes));
  if (free_bytes > all_bytes / 4) return;
  for (auto &entry : handles_) {
    if (entry.first.empty()) continue;
    gpuopt_destroy(entry.second);
    entry.second = nullptr;  // made again when it is called
  }
}

}  // namespace gpuopt_bench
