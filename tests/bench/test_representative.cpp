// Every GPU kernel has a problem that represents it: chosen from descriptors and predictions, without a GPU.
#include <doctest/doctest.h>

#include <map>
#include <string>

#include "suites/problems.h"
#include "suites/representative.h"

using namespace gpuopt_bench;

namespace {

gpuopt_device_facts pretend(const char *name) {
  gpuopt_device_facts facts = GPUOPT_DEVICE_FACTS_INIT;
  REQUIRE(gpuopt_pretend_device(name, &facts) == GPUOPT_OK);
  return facts;
}

struct Handle {
  Handle() {
    gpuopt_options o = GPUOPT_OPTIONS_INIT;
    o.device = GPUOPT_DEVICE_CPU;
    REQUIRE(gpuopt_create(&handle, &o) == GPUOPT_OK);
  }
  ~Handle() { gpuopt_destroy(handle); }
  gpuopt_handle *handle = nullptr;
};

std::map<std::string, Representative> by_name(const char *device) {
  const Handle h;
  std::map<std::string, Representative> all;
  for (const Representative &r : representatives(h.handle, pretend(device))) all[r.kernel->name] = r;
  return all;
}

// Kernels of a registry without any: what they run and how fast they think they are is all that is looked at.
int short_rows_only(const gpuopt_problem *p, gpuopt_reject *reject) {
  if (p->n <= 3) return 1;
  *reject = {GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_SRC, p->n, 3, "columns"};
  return 0;
}
int never(const gpuopt_problem *, gpuopt_reject *reject) {
  *reject = {GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_SRC, 1, 0, "anything at all"};
  return 0;
}
double nearly_nothing(const gpuopt_problem *) { return 1e-9; }
double one_us(const gpuopt_problem *) { return 1; }
double ages(const gpuopt_problem *p) { return p->n == 64 ? 1e-3 : 1e9; }
gpuopt_status no_launch(const gpuopt_problem *, const gpuopt_launch *) { return GPUOPT_INTERNAL; }

constexpr gpuopt_signature kAnyOfTwo[] = {{{GPUOPT_F64, GPUOPT_F64, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_ANY},
                                          {{GPUOPT_F32, GPUOPT_F32, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_ANY}};

void add_kernel(const char *name, uint32_t flags, int (*can_run)(const gpuopt_problem *, gpuopt_reject *),
                double (*predict_us)(const gpuopt_problem *)) {
  static gpuopt_kernel kernels[8];
  static int count = 0;
  gpuopt_kernel &k = kernels[count++];
  k.struct_size = sizeof k;
  k.name = name;
  k.summary = "does nothing";
  k.op = GPUOPT_OP_TRANSPOSE;
  k.version = 1;
  k.flags = flags;
  k.understands = ~0u;
  k.cc_min = 90;
  k.signatures = kAnyOfTwo;
  k.signature_count = 2;
  k.can_run = can_run;
  k.predict_us = predict_us;
  k.launch = no_launch;
  REQUIRE_MESSAGE(gpuopt_register_kernel(&k) == GPUOPT_OK, gpuopt_last_error());
}

}  // namespace

#if GPUOPT_TEST_HAVE_CUDA
namespace {

bool ends_with(const std::string &text, const std::string &end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

bool is_synthetic(const std::string &name) { return name.find("_synthetic_") != std::string::npos; }

}  // namespace

TEST_CASE("representative: every kernel that runs on a GPU has a problem, and could run it") {
  const Handle h;
  const gpuopt_device_facts device = pretend("sm_90");
  size_t kernels = 0;
  for (size_t i = 0; i < gpuopt_kernel_count(); ++i) {
    const gpuopt_kernel *k = gpuopt_kernel_get(i);
    const bool has_suite = k->op == GPUOPT_OP_GEMM_GROUPED;  // which forces its kernels on its own problems
    if (!(k->flags & GPUOPT_KERNEL_HOST) && !is_synthetic(k->name) && !has_suite) ++kernels;
  }
  size_t found = 0;
  for (const Representative &r : representatives(h.handle, device)) {
    if (is_synthetic(r.kernel->name)) continue;
    CAPTURE(r.kernel->name);
    CAPTURE(r.problem);
    CAPTURE(r.reason);
    CHECK_FALSE(r.problem.empty());
    CHECK(r.problem.rfind(gpuopt_op_name(r.kernel->op), 0) == 0);
    if (r.kernel->flags & GPUOPT_KERNEL_TEACHING) CHECK(r.share == 0);
    ++found;
  }
  CHECK(found == kernels);
  CHECK(kernels > 80);
}

TEST_CASE("representative: kernels made for one thing get that thing") {
  auto all = by_name("sm_90");
  const auto problem = [&](const char *kernel) {
    REQUIRE(all.count(kernel) == 1);
    return all[kernel].problem;
  };
  CHECK(problem("gemm_tiled_16") == "gemm 4096x4096x4096:f32:f32:f32:nn");
  CHECK(problem("gemm_wmma_tf32") == "gemm 4096x4096x4096:f32:f32:tf32:nn");
  CHECK(problem("gemm_warptile_skinny_warp_ring").find("gemm 16x4096x4096:f32") == 0);
  CHECK(problem("gemm_mma_fp8_unaligned_64x64").find(":e4m3:") != std::string::npos);
  CHECK(problem("transpose_small").find("x65536:f32") != std::string::npos);
  CHECK(ends_with(problem("reduce_columns_vec16"), ":col"));
  CHECK(ends_with(problem("reduce_one_launch"), ":all"));
  CHECK(problem("fused_act_branchy") == "fused_act 8192x8192:f32:TANH:row");
  CHECK(problem("fused_act_predicated") == problem("fused_act_branchy"));
  CHECK(ends_with(problem("fused_act_tiles"), ":col"));
  CHECK(problem("norm_persistent_row").find("x262144:") != std::string::npos);
}
#endif

TEST_CASE("representative: a problem is the call that rows of its suites name") {
  CHECK(call_text("gemm 8x16x32:bf16:bf16:f32:nt") == "gemm compute=f32 a=8x32:bf16 b=32x16:bf16:col d=8x16:bf16");
  CHECK(call_text("transpose 8x8:f32:in_place") == "transpose src=8x8:f32 dst=8x8:f32:at=src");
  CHECK(call_text("norm 4x8:f32:rmsnorm_silu") == "norm norm=RMSNORM x=4x8:f32 out=4x8:f32 gamma=1x8:f32 stage=SILU");
}

// The last one: what it registers stays.
TEST_CASE("representative: predictions, predicates and flags decide") {
  add_kernel("transpose_synthetic_short", 0, short_rows_only, nearly_nothing);
  add_kernel("transpose_synthetic_plain", 0, nullptr, one_us);
  add_kernel("transpose_synthetic_one", 0, nullptr, ages);
  add_kernel("transpose_synthetic_teaching", GPUOPT_KERNEL_TEACHING, nullptr, nearly_nothing);
  add_kernel("transpose_synthetic_never", 0, never, nearly_nothing);
  auto all = by_name("sm_90");
  CHECK(all["transpose_synthetic_short"].problem == "transpose 4194304x3:f32");
  CHECK(all["transpose_synthetic_short"].share >= 1);
  CHECK(all["transpose_synthetic_one"].problem == "transpose 1048576x64:f32");
  CHECK(all["transpose_synthetic_plain"].problem == "transpose 8192x8192:f32");
  CHECK(all["transpose_synthetic_teaching"].problem == "transpose 8192x8192:f32");
  CHECK(all["transpose_synthetic_teaching"].share == 0);
  CHECK(all["transpose_synthetic_never"].problem.empty());
  CHECK(all["transpose_synthetic_never"].reason.find("anything at all") != std::string::npos);
  CHECK(all.count("transpose_cpu_reference") == 0);
  auto older = by_name("sm_80");
  CHECK(older["transpose_synthetic_one"].problem.empty());
  CHECK_FALSE(older["transpose_synthetic_one"].reason.empty());
}
