// Every kernel refuses what it was not written for: a stage kind, a norm and a reduction beyond today's tables, as the next
// line of tables.h would make them. Over the descriptors of the build, CPU and CUDA alike.
#include "support.h"

#include "manifest.h"
#include "needs.h"

using namespace gpuopt_test;

namespace {

int32_t lowest_bit(uint64_t mask, int32_t otherwise) {
  return mask == 0 ? otherwise : static_cast<int32_t>(__builtin_ctzll(mask));
}

// A problem that meets every declared need of the kernel.
struct Fitting {
  gpuopt_device_facts facts = pretend("none");
  gpuopt_problem p = {};
  explicit Fitting(const gpuopt_kernel &k) {
    facts.cpu_isa = k.isa_min > facts.cpu_isa ? k.isa_min : facts.cpu_isa;
    p.struct_size = sizeof p;
    p.op = k.op;
    p.space = GPUOPT_SPACE_HOST;
    if (!(k.flags & GPUOPT_KERNEL_HOST)) {
      facts.cc = k.cc_exact ? k.cc_exact : k.cc_min;
      p.space = GPUOPT_SPACE_DEVICE;
    }
    p.device = &facts;
    p.m = p.n = p.k = 4096;
    p.batch = 1;
    p.workspace_limit = SIZE_MAX;
    const gpuopt_signature &types = k.signatures[0];
    p.compute = types.compute == GPUOPT_ANY ? static_cast<int32_t>(GPUOPT_COMPUTE_F32) : types.compute;
    for (int i = 0; i < 4; ++i) {
      gpuopt_operand &o = p.operand[i];
      o.m = gpuopt_mat(nullptr, 4096, 4096, types.dtype[i] == GPUOPT_ANY ? GPUOPT_F32 : types.dtype[i]);
      o.m.ld = 4096;  // as the normal form has it
      o.m.layout = k.layouts[i] == GPUOPT_LAYOUT_COL ? GPUOPT_COL : GPUOPT_ROW;
      o.align = o.ld_align = o.stride_align = 256;
      o.user_operand = i;
    }
    for (int32_t i = 0; k.chain && i < k.max_stages; ++i) {  // the only one that it computes
      p.stage[i].kind = k.chain[i].kind;
      p.stage_count = i + 1;
    }
    if (k.op == GPUOPT_OP_REDUCE || k.op == GPUOPT_OP_NORM) p.variant = lowest_bit(k.variants, 0);
    if (k.op == GPUOPT_OP_REDUCE) p.axis = lowest_bit(k.axes, 0);
  }
};

// GPUOPT_REJECT_NONE: declared needs are met. Only they are looked at: can_run may be stricter, and must not be asked.
int32_t judged(gpuopt_kernel k, const gpuopt_problem &p) {
  k.can_run = nullptr;
  k.workspace = nullptr;
  gpuopt_reject reject = {};
  size_t scratch = 0, zeroed = 0;
  return gpuopt::check_needs(k, p, gpuopt::AskedOperands(p), &reject, &scratch, &zeroed)
             ? static_cast<int32_t>(GPUOPT_REJECT_NONE)
             : reject.code;
}

template <class Function>
void for_each_built_in(Function &&fn) {
  for (size_t i = 0; i < gpuopt::kManifestCount; ++i)
    for (size_t j = 0; j < gpuopt::kManifest[i].span->count; ++j) fn(gpuopt::kManifest[i].span->kernels[j]);
}

}  // namespace

TEST_CASE("masks: every kernel rejects a stage kind that is not in the table") {
  for_each_built_in([](const gpuopt_kernel &k) {
    CAPTURE(std::string(k.name));
    Fitting f(k);
    REQUIRE(std::string(gpuopt_reject_name(judged(k, f.p))) == "NONE");
    f.p.stage_count = 1;
    if (k.stage_kinds) {  // the fake is what is refused, not the stage as such
      f.p.stage[0].kind = lowest_bit(k.stage_kinds, 0);
      CHECK(judged(k, f.p) == GPUOPT_REJECT_NONE);
    }
    for (int32_t fake = GPUOPT_STAGE_COUNT_; fake < 70; ++fake) {
      f.p.stage[0].kind = fake;
      CHECK(judged(k, f.p) == GPUOPT_REJECT_STAGE);
    }
    f.p.stage[0].kind = 0;
    CHECK(judged(k, f.p) == GPUOPT_REJECT_STAGE);
  });
}

TEST_CASE("masks: every kernel rejects a norm, a reduction and an axis that are not in the table") {
  for_each_built_in([](const gpuopt_kernel &k) {
    if (k.op != GPUOPT_OP_REDUCE && k.op != GPUOPT_OP_NORM) return;
    CAPTURE(std::string(k.name));
    Fitting f(k);
    int32_t first = GPUOPT_NORM_COUNT_;
    if (k.op == GPUOPT_OP_REDUCE) first = GPUOPT_REDUCE_COUNT_;
    for (int32_t fake = first; fake < 40; ++fake) {
      f.p.variant = fake;
      CHECK(judged(k, f.p) == GPUOPT_REJECT_VARIANT);
    }
    if (k.op == GPUOPT_OP_NORM) return;
    f.p.variant = lowest_bit(k.variants, 0);
    for (int32_t fake = GPUOPT_ALL + 1; fake < 40; ++fake) {
      f.p.axis = fake;
      CHECK(judged(k, f.p) == GPUOPT_REJECT_VARIANT);
    }
  });
}

TEST_CASE("masks: every kernel rejects a feature that is not in the table") {
  uint32_t known = 0;
#define X(name, bit, what) known |= 1u << bit;
  GPUOPT_FEATURE_TABLE(X)
#undef X
  for_each_built_in([&](const gpuopt_kernel &k) {
    CAPTURE(std::string(k.name));
    CHECK((k.understands & ~known) == 0);
  });
}
