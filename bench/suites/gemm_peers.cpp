#include "gemm_peers.h"

#include <algorithm>
#include <cstdio>

#include "../core/error.h"
#include "../peers/cublas.h"
#include "../peers/cublaslt.h"
#include "gpuopt_call/bound.h"

namespace gpuopt_bench {
namespace {

// The indices of the two fastest algorithms beside the first.
std::vector<size_t> fastest_two(Context &context, const Case &c, const std::shared_ptr<const CublasLt> &lt) {
  MeasureOptions o;
  o.sets = c.operands->sets();
  o.bytes_per_set = c.bytes_per_call;
  o.budget_ms = 3;
  o.least = 3;
  o.most = 9;
  std::vector<Contender> all;
  for (size_t i = 0; i < lt->algorithms(); ++i) all.push_back(cublaslt_contender("", lt, i, *c.operands));
  const std::vector<Timing> timings = context.session.measure(all, o);
  std::vector<size_t> order;
  for (size_t i = 1; i < timings.size(); ++i)
    if (timings[i].ok()) order.push_back(i);
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return timings[a].median_us < timings[b].median_us; });
  order.resize(std::min<size_t>(order.size(), 2));
  return order;
}

void add_cublaslt(Context &context, const GemmProblem &p, Case *c) {
  std::shared_ptr<const CublasLt> lt;
  try {
    lt = std::make_shared<const CublasLt>(p, false);
  } catch (const Refused &refused) {
    std::printf("%-52s no cuBLASLt: %s\n", c->label().c_str(), refused.what());
    return;
  }
  c->add(Role::peer, cublaslt_contender("cublaslt_first", lt, 0, *c->operands));
  const char *const names[] = {"cublaslt_best_of_16", "cublaslt_second_of_16"};
  const std::vector<size_t> best = fastest_two(context, *c, lt);
  for (size_t i = 0; i < best.size(); ++i) {
    c->add(Role::peer, cublaslt_contender(names[i], lt, best[i], *c->operands));
    std::printf("%-52s %s is number %zu, %s\n", c->label().c_str(), names[i], best[i], lt->name(best[i]).c_str());
  }
}

void add_cublas(Context &context, const GemmProblem &p, Case *c) {
  try {
    c->add(Role::peer, cublas_contender(p, *c->operands, context.session.stream()));
  } catch (const Refused &refused) {
    std::printf("%-52s no cuBLAS: %s\n", c->label().c_str(), refused.what());
  }
}

}  // namespace

void add_gemm_peers(Context &context, const GemmShape &shape, Case *c) {
  GemmProblem p = problem_of(shape);
  if (p.compute == GPUOPT_COMPUTE_F32_TENSOR) p.compute = GPUOPT_COMPUTE_F32;  // what cuBLAS has for this accuracy
  if (p.end == GemmEnd::none) add_cublas(context, p, c);
  add_cublaslt(context, p, c);
  const DeviceInfo &device = context.session.device();
  const double limit =
      gpuopt_call::gemm_limit_tflops(device.cc, device.sm_count, device.max_sm_mhz, shape.type, shape.compute);
  c->ceiling_us = limit > 0 ? c->work / limit * 1e-6 : 0;
}

}  // namespace gpuopt_bench
