// What others hand in is held to its contract: descriptors, pretended facts, buffers, flags. Nothing here may crash, and a
// call that has written its output is a success.
#include "support.h"

#include <cmath>
#include <limits>

using namespace gpuopt_test;

namespace {

constexpr gpuopt_signature kTensorF32[] = {
    {{GPUOPT_F32, GPUOPT_F32, GPUOPT_F32, GPUOPT_F32}, GPUOPT_COMPUTE_F32_TENSOR}};

gpuopt_kernel *hostile(const char *name) {
  static auto *const all = new std::vector<gpuopt_kernel *>;  // descriptors live forever
  all->push_back(new gpuopt_kernel());
  gpuopt_kernel *k = all->back();
  k->struct_size = sizeof *k;
  k->name = name;
  k->summary = "hostile";
  k->op = GPUOPT_OP_GEMM;
  k->flags = GPUOPT_KERNEL_HOST | GPUOPT_KERNEL_TEACHING;
  k->understands = ~0u;
  k->signatures = kTensorF32;
  k->signature_count = 1;
  k->launch = [](const gpuopt_problem *, const gpuopt_launch *) { return static_cast<gpuopt_status>(GPUOPT_OK); };
  return k;
}

gpuopt_status forced(const gpuopt_kernel *k) {
  if (!gpuopt_kernel_find(k->name)) REQUIRE_MESSAGE(gpuopt_register_kernel(k) == GPUOPT_OK, last_error());
  const Handle h = cpu_handle();
  REQUIRE(gpuopt_set_kernel(h.get(), k->name) == GPUOPT_OK);
  const SmallGemm g(GPUOPT_COMPUTE_F32_TENSOR);
  return gpuopt_gemm(h.get(), &g.args);
}

}  // namespace

TEST_CASE("hostile: a status that is none is INTERNAL, and words without an end are cut") {
  gpuopt_kernel *k = hostile("gemm_hostile_status");
  k->launch = [](const gpuopt_problem *, const gpuopt_launch *) { return static_cast<gpuopt_status>(77); };
  CHECK(forced(k) == GPUOPT_INTERNAL);
  CHECK_MESSAGE(contains(gpuopt_last_error(), "gemm_hostile_status: it returned 77, which is no status"), last_error());
  k = hostile("gemm_hostile_words");
  k->launch = [](const gpuopt_problem *, const gpuopt_launch *l) {
    std::memset(l->error, 'x', l->error_bytes);
    return static_cast<gpuopt_status>(GPUOPT_CUDA_ERROR);
  };
  CHECK(forced(k) == GPUOPT_CUDA_ERROR);
  const std::string words = gpuopt_last_error();
  CHECK(words.size() < 700);
  CHECK(contains(words, "gemm_hostile_words: xxxx"));
  k = hostile("gemm_hostile_prepare");
  k->prepare = [](const gpuopt_problem *, const gpuopt_launch *) { return static_cast<gpuopt_status>(-5); };
  CHECK(forced(k) == GPUOPT_INTERNAL);
}

TEST_CASE("hostile: tables that are not there, and names that cannot be written down") {
  gpuopt_kernel *k = hostile("gemm_hostile_tables");
  k->resource_count = 3;
  CHECK(gpuopt_register_kernel(k) == GPUOPT_INVALID_ARGUMENT);
  CHECK(contains(gpuopt_last_error(), "resources is NULL and resource_count is not 0"));
  k->resource_count = 0;
  k->signatures = nullptr;
  k->signature_count = 4;
  CHECK(gpuopt_register_kernel(k) == GPUOPT_INVALID_ARGUMENT);
  for (const char *name : {"gemm hostile", "gemm,hostile", "gemm=hostile", "gemm+hostile", "gemm*", "gemm:hostile",
                           "gemm/hostile", "gemm\nhostile", "gemm\x80"}) {
    CHECK(gpuopt_register_kernel(hostile(name)) == GPUOPT_INVALID_ARGUMENT);
    CHECK(contains(gpuopt_last_error(), "character outside [a-z0-9_]"));
  }
  const std::string endless(100000, 'a');
  CHECK(gpuopt_register_kernel(hostile(endless.c_str())) == GPUOPT_INVALID_ARGUMENT);
  CHECK(std::string(gpuopt_last_error()).size() < 300);
}

TEST_CASE("hostile: workspace that wraps around is more than there is") {
  gpuopt_kernel *k = hostile("gemm_hostile_workspace");
  k->workspace = [](const gpuopt_problem *, size_t *scratch, size_t *zeroed) { *scratch = *zeroed = SIZE_MAX / 2 + 1; };
  CHECK(forced(k) == GPUOPT_KERNEL_REJECTED);
  CHECK_MESSAGE(contains(gpuopt_last_error(), "WORKSPACE"), last_error());
  k = hostile("gemm_hostile_rounding");
  k->workspace = [](const gpuopt_problem *, size_t *scratch, size_t *zeroed) { *scratch = SIZE_MAX - 7, *zeroed = 1; };
  CHECK(forced(k) == GPUOPT_KERNEL_REJECTED);
  k = hostile("gemm_hostile_size");
  k->workspace = [](const gpuopt_problem *, size_t *scratch, size_t *) { *scratch = SIZE_MAX; };
  CHECK(forced(k) == GPUOPT_KERNEL_REJECTED);
}

TEST_CASE("hostile: pretended facts that no device has are refused") {
  const Handle h = cpu_handle();
  gpuopt_gemm_args g = GPUOPT_GEMM_ARGS_INIT;
  g.a = gpuopt_mat(nullptr, 512, 512, GPUOPT_F32);
  g.b = g.d = g.a;
  const auto refused = [&](const char *field, auto change) {
    gpuopt_device_facts facts = pretend("sm_90");
    change(facts);
    gpuopt_explain_options o = GPUOPT_EXPLAIN_OPTIONS_INIT;
    o.pretend = &facts;
    CHECK(gpuopt_explain(h.get(), &g, &o, nullptr, nullptr) == GPUOPT_INVALID_ARGUMENT);
    CHECK_MESSAGE(contains(gpuopt_last_error(), std::string("gpuopt_explain: options.pretend->") + field),
                  last_error());
    const gpuopt_kernel *any = gpuopt_kernel_get(0);
    gpuopt_occupancy occupancy = GPUOPT_OCCUPANCY_INIT;
    CHECK(gpuopt_kernel_occupancy(any, &facts, 0, &occupancy) == GPUOPT_INVALID_ARGUMENT);
    CHECK_MESSAGE(contains(gpuopt_last_error(), std::string("gpuopt_kernel_occupancy: device->") + field),
                  last_error());
  };
  for (const int32_t bad : {0, -1, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()}) {
    refused("sm_count", [&](gpuopt_device_facts &f) { f.sm_count = bad; });
    refused("max_threads_per_sm", [&](gpuopt_device_facts &f) { f.max_threads_per_sm = bad; });
    refused("regs_per_sm", [&](gpuopt_device_facts &f) { f.regs_per_sm = bad; });
    refused("cpu_threads", [&](gpuopt_device_facts &f) { f.cpu_threads = bad; });
    if (bad != 0) refused("cc", [&](gpuopt_device_facts &f) { f.cc = bad; });
    if (bad < -2 || bad > 2) {
      refused("ordinal", [&](gpuopt_device_facts &f) { f.ordinal = bad; });
      refused("cpu_isa", [&](gpuopt_device_facts &f) { f.cpu_isa = bad; });
      refused("cublaslt", [&](gpuopt_device_facts &f) { f.cublaslt = bad; });
      refused("driver_version", [&](gpuopt_device_facts &f) { f.driver_version = bad; });
      refused("runtime_version", [&](gpuopt_device_facts &f) { f.runtime_version = bad; });
    }
  }
  for (const double bad : {0.0, -1.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
    refused("clock_mhz", [&](gpuopt_device_facts &f) { f.clock_mhz = bad; });
    refused("memory_gbs", [&](gpuopt_device_facts &f) { f.memory_gbs = bad; });
  }
  for (const int64_t bad : {int64_t{-1}, std::numeric_limits<int64_t>::max()}) {
    refused("smem_per_sm", [&](gpuopt_device_facts &f) { f.smem_per_sm = bad; });
    refused("smem_per_block", [&](gpuopt_device_facts &f) { f.smem_per_block = bad; });
    refused("smem_per_block_optin", [&](gpuopt_device_facts &f) { f.smem_per_block_optin = bad; });
    refused("l2_bytes", [&](gpuopt_device_facts &f) { f.l2_bytes = bad; });
    refused("memory_bytes", [&](gpuopt_device_facts &f) { f.memory_bytes = bad; });
  }
  refused("sm_count", [](gpuopt_device_facts &f) {  // only the architecture is known
    f = GPUOPT_DEVICE_FACTS_INIT;
    f.cc = 90;
  });
  refused("cpu_threads", [](gpuopt_device_facts &f) { f = GPUOPT_DEVICE_FACTS_INIT; });
  refused("name", [](gpuopt_device_facts &f) { std::memset(f.name, 'x', sizeof f.name); });
  for (const char *device : {"none", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"}) {
    const gpuopt_device_facts facts = pretend(device);
    gpuopt_explain_options o = GPUOPT_EXPLAIN_OPTIONS_INIT;
    o.pretend = &facts;
    const gpuopt_status s = gpuopt_explain(h.get(), &g, &o, nullptr, nullptr);
    CHECK_MESSAGE((s == GPUOPT_OK || s == GPUOPT_NOT_SUPPORTED), last_error());
  }
}

TEST_CASE("flags: unknown ones are refused by every op, and a promise that an op cannot keep by that op") {
  const Handle h = cpu_handle();
  float memory[64] = {};
  gpuopt_gemm_args gemm = GPUOPT_GEMM_ARGS_INIT;
  gpuopt_transpose_args transpose = GPUOPT_TRANSPOSE_ARGS_INIT;
  gpuopt_reduce_args reduce = GPUOPT_REDUCE_ARGS_INIT;
  gpuopt_fused_act_args fused = GPUOPT_FUSED_ACT_ARGS_INIT;
  gpuopt_norm_args norm = GPUOPT_NORM_ARGS_INIT;
  gpuopt_gemm_grouped_args grouped = GPUOPT_GEMM_GROUPED_ARGS_INIT;
  const int64_t offsets[] = {0, 2};
  grouped.host_offsets = offsets;
  gemm.a = gemm.b = gpuopt_mat(memory, 2, 2, GPUOPT_F32);
  transpose.src = reduce.x = fused.x = norm.x = gemm.a;
  gemm.d = transpose.dst = fused.out = norm.out = gpuopt_mat(memory + 32, 2, 2, GPUOPT_F32);
  reduce.out = gpuopt_mat(memory + 32, 1, 1, GPUOPT_F32);
  grouped.a = gemm.a, grouped.b = gemm.b, grouped.d = gemm.d;
  const auto run = [&](uint32_t flags, int op) -> gpuopt_status {
    gemm.flags = transpose.flags = reduce.flags = fused.flags = norm.flags = grouped.flags = flags;
    switch (op) {
      case GPUOPT_OP_GEMM:
        return gpuopt_gemm(h.get(), &gemm);
      case GPUOPT_OP_TRANSPOSE:
        return gpuopt_transpose(h.get(), &transpose);
      case GPUOPT_OP_REDUCE:
        return gpuopt_reduce(h.get(), &reduce);
      case GPUOPT_OP_FUSED_ACT:
        return gpuopt_fused_act(h.get(), &fused);
      case GPUOPT_OP_GEMM_GROUPED:
        return gpuopt_gemm_grouped(h.get(), &grouped);
      default:
        return gpuopt_norm(h.get(), &norm);
    }
  };
  constexpr uint32_t known =
      GPUOPT_ALLOW_NONDETERMINISTIC | GPUOPT_ALLOW_INTERMEDIATE_ROUNDING | GPUOPT_REQUIRE_BATCH_INVARIANT;
  for (int op = GPUOPT_OP_GEMM; op < GPUOPT_OP_COUNT_; ++op) {
    CAPTURE(std::string(gpuopt_op_name(op)));
    CHECK_MESSAGE(run(0, op) == GPUOPT_OK, last_error());
    for (uint32_t bit = 1; bit != 0; bit <<= 1) {
      if (bit & known) continue;
      CHECK(run(bit, op) == GPUOPT_INVALID_ARGUMENT);
      CHECK(contains(gpuopt_last_error(), "flags=0x"));
    }
    const bool keeps = op != GPUOPT_OP_NORM && op != GPUOPT_OP_GEMM_GROUPED;
    CHECK(run(GPUOPT_REQUIRE_BATCH_INVARIANT, op) ==
          (keeps ? static_cast<int>(GPUOPT_OK) : static_cast<int>(GPUOPT_INVALID_ARGUMENT)));
    if (!keeps) CHECK(contains(gpuopt_last_error(), "GPUOPT_REQUIRE_BATCH_INVARIANT"));
  }
}

TEST_CASE("workspace: what gpuopt_workspace_size says is enough, and one byte less is not") {
  struct Sizes {
    size_t scratch, zeroed;
  };
  static Sizes wanted;
  static Sizes given;
  gpuopt_kernel *k = hostile("gemm_hostile_sizes");
  k->workspace = [](const gpuopt_problem *, size_t *scratch, size_t *zeroed) {
    *scratch = wanted.scratch;
    *zeroed = wanted.zeroed;
  };
  static const char *begin;
  static size_t size;
  k->launch = [](const gpuopt_problem *, const gpuopt_launch *l) -> gpuopt_status {
    const auto inside = [&](const void *p, size_t bytes) {
      const char *at = static_cast<const char *>(p);
      return bytes == 0 || (at >= begin && at + bytes <= begin + size && reinterpret_cast<uintptr_t>(at) % 256 == 0);
    };
    if (!inside(l->scratch, wanted.scratch) || !inside(l->zeroed, wanted.zeroed)) return GPUOPT_INTERNAL;
    if (wanted.scratch && wanted.zeroed) {
      const char *s = static_cast<const char *>(l->scratch), *z = static_cast<const char *>(l->zeroed);
      if (s < z + wanted.zeroed && z < s + wanted.scratch) return GPUOPT_INTERNAL;
    }
    for (size_t i = 0; i < wanted.zeroed; ++i)
      if (static_cast<const char *>(l->zeroed)[i] != 0) return GPUOPT_INTERNAL;
    given = wanted;
    return GPUOPT_OK;
  };
  REQUIRE(gpuopt_register_kernel(k) == GPUOPT_OK);
  std::unique_ptr<void, void (*)(void *)> buffer(std::aligned_alloc(256, 8192), std::free);
  const SmallGemm g(GPUOPT_COMPUTE_F32_TENSOR);
  for (const size_t scratch : {size_t{0}, size_t{1}, size_t{255}, size_t{256}, size_t{257}, size_t{3000}})
    for (const size_t zeroed : {size_t{0}, size_t{1}, size_t{64}, size_t{256}, size_t{1000}}) {
      wanted = {scratch, zeroed};
      CAPTURE(scratch);
      CAPTURE(zeroed);
      const Handle h = cpu_handle();
      REQUIRE(gpuopt_set_kernel(h.get(), k->name) == GPUOPT_OK);
      REQUIRE(gpuopt_workspace_size(h.get(), &g.args, &size) == GPUOPT_OK);
      CHECK(size >= scratch + zeroed);
      if (size == 0) continue;
      begin = static_cast<const char *>(buffer.get());
      std::memset(buffer.get(), 0x5a, 8192);
      REQUIRE(gpuopt_set_workspace(h.get(), buffer.get(), size) == GPUOPT_OK);
      given = {~size_t{0}, 0};
      CHECK_MESSAGE(gpuopt_gemm(h.get(), &g.args) == GPUOPT_OK, last_error());
      CHECK(given.scratch == scratch);
      size_t again = 0;
      CHECK(gpuopt_workspace_size(h.get(), &g.args, &again) == GPUOPT_OK);
      CHECK(again == size);
      for (size_t i = size; i < 8192; ++i) REQUIRE(static_cast<char *>(buffer.get())[i] == 0x5a);
      if (size == 1) continue;
      REQUIRE(gpuopt_set_workspace(h.get(), buffer.get(), size - 1) == GPUOPT_OK);
      CHECK(gpuopt_gemm(h.get(), &g.args) == GPUOPT_KERNEL_REJECTED);
      CHECK_MESSAGE(contains(gpuopt_last_error(), "WORKSPACE: needs " + std::to_string(size)), last_error());
    }
}
