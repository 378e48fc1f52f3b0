// What batch invariance costs: products with GPUOPT_REQUIRE_BATCH_INVARIANT beside the choice without it (the peer) and beside
// reading the weights once (the ceiling, which few rows come near).
#include "../core/read.h"
#include "gemm_case.h"
#include "plans.h"

namespace gpuopt_bench {
namespace {

// y = x W^T in bf16, W of 64 MB and more.
struct Weights {
  int64_t out, in;
  bool quick;
};
constexpr Weights kWeights[] = {{8192, 8192, true}, {28672, 8192, false}, {8192, 28672, false}, {4096, 8192, false}};
constexpr int64_t kRows[] = {1, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096};

LibraryCall with_flags(const LibraryCall &call, uint32_t flags) {
  std::vector<gpuopt_gemm_args> calls;
  for (const auto &args : *call) {
    calls.push_back(*static_cast<const gpuopt_gemm_args *>(args.get()));
    calls.back().flags |= flags;
  }
  return library_call(std::move(calls));
}

Plan plan_invariant(const GemmShape &shape) {
  Plan p;
  p.names = gemm_case("gemm_invariant", shape);
  p.quick = shape.quick;
  p.build = [shape](Context &context, Case *c) {
    const LibraryCall call = gemm_operands(context, shape, c);
    c->add_library(context, with_flags(call, GPUOPT_REQUIRE_BATCH_INVARIANT));
    Contender any_order = context.library.automatic(call);
    any_order.name = "any_order";
    c->add(Role::peer, std::move(any_order), chosen_of(context.library.able_kernels(call)).kernel);
    const int64_t weights = shape.k * shape.n * gpuopt_dtype_size(shape.type);
    c->add(Role::ceiling, read_contenders(context.session, *c->operands, 1, static_cast<size_t>(weights)));
  };
  return p;
}

}  // namespace

void run_gemm_invariant(Context &context) {
  std::vector<GemmShape> shapes = asked_shapes(context.options, read_gemm_shape);
  if (shapes.empty())
    for (const Weights &w : kWeights)
      for (const int64_t m : kRows)
        shapes.push_back({m, w.out, w.in, GPUOPT_BF16, GPUOPT_BF16, GPUOPT_COMPUTE_F32, "nt", w.quick && m % 64 == 0});
  for (const GemmShape &s : shapes) run_plan(context, plan_invariant(s));
}

}  // namespace gpuopt_bench
