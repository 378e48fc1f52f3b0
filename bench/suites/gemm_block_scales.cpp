// fp8 products with a scale for each 1 x 128 of A and 128 x 128 of B, as DeepSeek-V3 stores them, or 128 x 1 of B, as a weight's
// gradient has them, beside our own choice without scales: fast accumulation, and sums in fp32 (the peers). Grouped: beside one
// dense product with scales of as many rows.
#include "suite.h"

namespace gpuopt_bench {
namespace {

struct Product {
  int64_t m, n, k, groups;      // groups 0: dense
  bool quick, columns = false;  // of B by columns
};
constexpr Product kProducts[] = {
    {4096, 7168, 16384, 0, true},       {4096, 4096, 4096, 0, false},       {8192, 8192, 8192, 0, false},
    {2048, 2048, 2048, 0, false},       {4096, 4096, 7168, 0, false},       {4096, 24576, 1536, 0, false},
    {4096, 7168, 2048, 0, false},       {128, 7168, 16384, 0, false},       {4097, 7168, 4096, 0, false},
    {8192, 4096, 7168, 8, true},        {8192, 7168, 2048, 8, false},       {2048, 4096, 7168, 8, false},
    {65536, 4096, 7168, 64, false},     {4096, 7168, 16384, 0, true, true}, {7168, 2048, 8192, 0, false, true},
    {2112, 7168, 4096, 0, false, true},
};
constexpr int64_t kBlock = 128;
constexpr gpuopt_dtype kType = GPUOPT_E4M3, kOut = GPUOPT_BF16;

int64_t blocks(int64_t extent) { return (extent + kBlock - 1) / kBlock; }

// Operands A, B, D, scales of A and of B.
std::vector<OperandShape> operands_of(const Product &p) {
  const int64_t matrices = p.groups != 0 ? p.groups : 1;
  return {{kType, p.m * p.k},
          {kType, matrices * p.k * p.n},
          {kOut, p.m * p.n},
          {GPUOPT_F32, p.m * blocks(p.k)},
          {GPUOPT_F32, matrices * blocks(p.k) * (p.columns ? p.n : blocks(p.n))}};
}

enum class Scales { none, blocks };

template <class Args>
void fill(const Product &p, const OperandSets &memory, int set, Scales scales, Args *g) {
  g->a = gpuopt_mat(memory.at(0, set), p.m, p.k, kType);
  g->b = gpuopt_t(gpuopt_mat(memory.at(1, set), p.n, p.k, kType));
  g->d = gpuopt_mat(memory.at(2, set), p.m, p.n, kOut);
  if (scales == Scales::none) return;
  g->a = gpuopt_mat_scales(g->a, static_cast<const float *>(memory.at(3, set)), GPUOPT_SCALE_1X128);
  g->b = gpuopt_t(gpuopt_mat_scales(gpuopt_t(g->b), static_cast<const float *>(memory.at(4, set)),
                                    p.columns ? GPUOPT_SCALE_1X128 : GPUOPT_SCALE_128X128));
}

LibraryCall dense_call(const Product &p, const OperandSets &memory, Scales scales, int32_t compute) {
  std::vector<gpuopt_gemm_args> calls;
  for (int set = 0; set < memory.sets(); ++set) {
    gpuopt_gemm_args g = GPUOPT_GEMM_ARGS_INIT;
    g.compute = compute;
    fill(p, memory, set, scales, &g);
    calls.push_back(g);
  }
  return library_call(std::move(calls));
}

LibraryCall grouped_call(const Product &p, const OperandSets &memory, const int64_t *offsets) {
  std::vector<gpuopt_gemm_grouped_args> calls;
  for (int set = 0; set < memory.sets(); ++set) {
    gpuopt_gemm_grouped_args g = GPUOPT_GEMM_GROUPED_ARGS_INIT;
    fill(p, memory, set, Scales::blocks, &g);
    g.host_offsets = offsets;
    g.groups = p.groups;
    calls.push_back(g);
  }
  return library_call(std::move(calls));
}

void add_peer(Context &context, Case *c, const LibraryCall &call, const char *name) {
  Contender peer = context.library.automatic(call);
  peer.name = name;
  c->add(Role::peer, std::move(peer), chosen_of(context.library.able_kernels(call)).kernel);
}

void build(Context &context, const Product &p, Case *c) {
  const int sets = sets_past_l2(context.session.device(), c->bytes_per_call);
  c->operands = std::make_shared<OperandSets>(operands_of(p), sets, context.session.stream());
  if (p.groups == 0) {
    c->add_library(context, dense_call(p, *c->operands, Scales::blocks, GPUOPT_COMPUTE_DEFAULT));
    add_peer(context, c, dense_call(p, *c->operands, Scales::none, GPUOPT_COMPUTE_F8_FAST), "F8_FAST without scales");
    add_peer(context, c, dense_call(p, *c->operands, Scales::none, GPUOPT_COMPUTE_F32), "F32 without scales");
    return;
  }
  const auto offsets = std::make_shared<std::vector<int64_t>>();
  for (int64_t i = 0; i <= p.groups; ++i) offsets->push_back(i * p.m / p.groups);
  c->kept.push_back(offsets);
  c->add_library(context, grouped_call(p, *c->operands, offsets->data()));
  add_peer(context, c, dense_call(p, *c->operands, Scales::blocks, GPUOPT_COMPUTE_DEFAULT), "one dense product");
}

Plan plan_of(const Product &p) {
  Plan plan;
  plan.names = named_case("gemm_block_scales", shape_text(p.m, p.n, p.k), gpuopt_dtype_name(kType),
                          p.groups != 0 ? std::to_string(p.groups) + " groups"
                          : p.columns   ? "nt, by columns"
                                        : "nt");
  plan.names.work = 2.0 * static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
  plan.names.is_flops = true;
  for (const OperandShape &operand : operands_of(p))
    plan.names.bytes_per_call += operand.count * gpuopt_dtype_size(operand.dtype);
  plan.quick = p.quick;
  plan.build = [p](Context &context, Case *c) { build(context, p, c); };
  return plan;
}

}  // namespace

void run_gemm_block_scales(Context &context) {
  for (const Product &p : kProducts) run_plan(context, plan_of(p));
}

}  // namespace gpuopt_bench
