// A kernel runs only where this build has machine code for it: pretended devices against builds that are made up. That the
// build tells the truth is tests/archs.cmake's to check.
#include <algorithm>

#include "compiled_code.h"
#include "decide.h"
#include "manifest.h"
#include "support.h"
#include "synthetic_kernel.h"

using namespace gpuopt_test;

namespace {

using gpuopt::CompiledCode;
using gpuopt::kNoCode;

// The classes of builds: performance, fp8, teaching, sm90a.
constexpr CompiledCode kBuild80[] = {
    {"performance", {{80, 0, false}, {80, 0, true}}}, {"fp8", {}}, {"teaching", {}}, {"sm90a", {}}};
constexpr CompiledCode kBuild90[] = {{"performance", {{90, 0, false}}},
                                     {"fp8", {{90, 0, false}}},
                                     {"teaching", {{90, 0, false}}},
                                     {"sm90a", {{90, 'a', false}}}};
constexpr CompiledCode kBuild120Ptx[] = {{"performance", {{75, 0, false}, {80, 0, false}, {120, 0, true}}},
                                         {"fp8", {{120, 0, true}}},
                                         {"teaching", {{75, 0, true}}},
                                         {"sm90a", {{90, 'a', true}}}};
enum { kPerformance, kFp8, kTeaching, kSm90a };

gpuopt_kernel kernel(const char *name, int32_t cc_min, int32_t cc_exact = 0, int32_t op = GPUOPT_OP_GEMM) {
  gpuopt_kernel k = synthetic_kernel(op, name, 0, kAnySignature);
  k.cc_min = cc_min;
  k.cc_exact = cc_exact;
  k.predict_us = [](const gpuopt_problem *) { return 5.0; };
  k.launch = [](const gpuopt_problem *, const gpuopt_launch *) { return static_cast<gpuopt_status>(GPUOPT_OK); };
  return k;
}

struct Seen final : gpuopt::Visitor {
  Candidates all;
  void candidate(const gpuopt_candidate &c) override { Candidates::add(&all, &c); }
};

// A registry of its own with one kernel or more, all of one class, and what select() says of a product on a device.
struct Bench {
  gpuopt::Snapshot kernels;
  gpuopt::Policy policy;
  explicit Bench(const CompiledCode *build) { kernels.code = build; }
  void add(const gpuopt_kernel &k, int32_t code) {
    kernels.all.push_back(&k);
    kernels.by_op[k.op].push_back({&k, code});
    kernels.names.emplace_back(k.name, &k);
    std::sort(kernels.names.begin(), kernels.names.end());
  }
  gpuopt::Selection select(const char *device, Seen *seen = nullptr, int32_t stages = 0) {
    const gpuopt_device_facts facts = pretend(device);
    return select(facts, seen, stages);
  }
  gpuopt::Selection select(const gpuopt_device_facts &facts, Seen *seen = nullptr, int32_t stages = 0) {
    const Handle h = cpu_handle();
    gpuopt::AnyArgs args = {};
    args.gemm = GPUOPT_GEMM_ARGS_INIT;
    args.gemm.a = args.gemm.b = args.gemm.d = gpuopt_mat(nullptr, 64, 64, GPUOPT_F32);
    const gpuopt_stage relu = gpuopt_act(GPUOPT_STAGE_RELU, 0, 0);
    args.gemm.stages = &relu;
    args.gemm.stage_count = stages;
    const gpuopt_explain_options o = GPUOPT_EXPLAIN_OPTIONS_INIT;
    gpuopt_problem p;
    REQUIRE(gpuopt::build_problem(h.get(), args, {"test", &o}, &p) == GPUOPT_OK);
    p.device = &facts;
    p.space = GPUOPT_SPACE_DEVICE;
    return gpuopt::select(p, policy, kernels, seen);
  }
  // "" where the kernel can run, else the reason.
  std::string verdict(const char *device) {
    Seen seen;
    select(device, &seen);
    REQUIRE(seen.all.all.size() == 1);
    const Candidate &c = seen.all.all[0];
    CHECK((c.verdict == GPUOPT_VERDICT_REJECTED) == (c.reject == GPUOPT_REJECT_ARCH));
    return c.verdict == GPUOPT_VERDICT_REJECTED ? c.text : "";
  }
};

std::string verdict(const CompiledCode *build, int32_t code, const gpuopt_kernel &k, const char *device) {
  Bench b(build);
  b.add(k, code);
  return b.verdict(device);
}

std::string no_code(const char *device) {
  return std::string("ARCH: no machine code for ") + device + " in this build (" + gpuopt::kCompiledArchs + ")";
}

}  // namespace

TEST_CASE("builds: which code of a build a device runs") {
  const CompiledCode some = {"", {{75, 0, false}, {80, 0, false}, {86, 0, false}, {90, 0, true}, {100, 'f', false}}};
  const int32_t want[][2] = {{70, 0},  {75, 75},   {80, 80},   {86, 86}, {89, 86},
                             {90, 90}, {100, 100}, {103, 100}, {110, 90}};
  for (const auto &[cc, code] : want) CHECK(gpuopt::code_for(some, cc) == code);
  CHECK(gpuopt::code_for({"", {{90, 'a', false}}}, 90) == 90);
  CHECK(gpuopt::code_for({"", {{100, 'a', false}}}, 103) == 0);
  CHECK(gpuopt::code_for({"", {{90, 'a', true}}}, 100) == 0);   // not even its PTX
  CHECK(gpuopt::code_for({"", {{100, 'f', true}}}, 120) == 0);  // nor a family's
  CHECK(gpuopt::code_for({"", {{100, 'f', true}}}, 103) == 100);
  CHECK(gpuopt::code_for({"", {{100, 0, false}}}, 90) == 0);
  // A newer driver could compile the PTX, and takes the machine code that runs.
  CHECK(gpuopt::code_for({"", {{80, 0, false}, {89, 0, true}}}, 89) == 80);
  CHECK(gpuopt::code_for({"", {}}, 90) == 0);
}

TEST_CASE("builds: a kernel without machine code for the device is rejected, and the message names what there is") {
  const gpuopt_kernel any = kernel("gemm_any", 75), from90 = kernel("gemm_from90", 90),
                      only90 = kernel("gemm_only90", 90, 90);
  CHECK(verdict(kBuild90, kPerformance, any, "sm_90") == "");
  CHECK(verdict(kBuild90, kPerformance, any, "sm_80") == no_code("sm_80"));
  CHECK(verdict(kBuild90, kPerformance, any, "sm_100") == no_code("sm_100"));
  CHECK(verdict(kBuild90, kSm90a, only90, "sm_90") == "");
  CHECK(verdict(kBuild90, kSm90a, only90, "sm_100") == "ARCH: the device is sm_100, needs exactly sm_90");
  CHECK(verdict(kBuild90, kPerformance, from90, "sm_80") == "ARCH: the device is sm_80, needs at least sm_90");
  CHECK(verdict(kBuild120Ptx, kPerformance, any, "sm_86") == "");
  CHECK(verdict(kBuild120Ptx, kPerformance, any, "sm_90") == no_code("sm_90"));
  CHECK(verdict(kBuild120Ptx, kPerformance, any, "sm_120") == "");
}

TEST_CASE("builds: PTX for less than the kernel needs is no code of it") {
  const gpuopt_kernel any = kernel("gemm_any", 75), from90 = kernel("gemm_from90", 90),
                      only90 = kernel("gemm_only90", 90, 90);
  CHECK(verdict(kBuild80, kPerformance, any, "sm_90") == "");
  CHECK(verdict(kBuild80, kPerformance, from90, "sm_90") == no_code("sm_90"));
  CHECK(verdict(kBuild80, kPerformance, only90, "sm_90") == no_code("sm_90"));
  // Nor is machine code of an earlier minor version.
  CHECK(verdict(kBuild80, kPerformance, kernel("gemm_from89", 89), "sm_89") == no_code("sm_89"));
  // What every class calls is compiled as class performance is.
  CHECK(verdict(kBuild120Ptx, kTeaching, any, "sm_90") == no_code("sm_90"));
  CHECK(verdict(kBuild120Ptx, kTeaching, any, "sm_120") == "");
}

TEST_CASE("builds: the host part of a kernel sees the architecture that its PTX is of") {
  static int32_t asked, predicted;
  gpuopt_kernel k = kernel("gemm_tiles", 75);
  k.can_run = [](const gpuopt_problem *p, gpuopt_reject *r) {
    asked = p->device->cc;
    if (p->device->cc < 80) *r = {GPUOPT_REJECT_ARCH, GPUOPT_OPERAND_NONE, p->device->cc, 80, "for these data types"};
    return p->device->cc >= 80 ? 1 : 0;
  };
  k.predict_us = [](const gpuopt_problem *p) {
    predicted = p->device->cc;
    return 1.0;
  };
  const auto of = [&](const CompiledCode *build, int32_t code, const char *device) {
    asked = predicted = 0;
    Bench b(build);
    b.add(k, code);
    return b.select(device);
  };
  gpuopt::Selection s = of(kBuild80, kPerformance, "sm_90");
  CHECK(s.status == GPUOPT_OK);
  CHECK(s.arch == 80);
  CHECK(asked == 80);
  CHECK(predicted == 80);
  s = of(kBuild80, kPerformance, "sm_89");  // of the same generation: the device's own facts
  CHECK(s.arch == 80);
  CHECK(asked == 89);
  // What it then refuses is the build's doing, not the device's.
  s = of(kBuild120Ptx, kTeaching, "sm_120");
  CHECK(s.status == GPUOPT_NOT_SUPPORTED);
  CHECK(asked == 75);
  CHECK_MESSAGE(contains(s.message, no_code("sm_120")), s.message);
}

TEST_CASE("builds: another kernel runs the call, and kernels of the application are not asked for code") {
  gpuopt_kernel fast = kernel("gemm_fast", 75), own = kernel("gemm_own", 75);
  fast.predict_us = [](const gpuopt_problem *) { return 1.0; };
  Bench b(kBuild80);
  b.add(fast, kPerformance);
  b.add(own, kNoCode);
  CHECK(b.select("sm_80").name == std::string("gemm_fast"));
  CHECK(b.select("sm_75").name == std::string("gemm_own"));
  b.policy.forced.bare.push_back("gemm_fast");
  const gpuopt::Selection s = b.select("sm_75");
  CHECK(s.status == GPUOPT_KERNEL_REJECTED);
  CHECK_MESSAGE(contains(s.message, no_code("sm_75")), s.message);
  b.policy.any_build = true;
  CHECK(b.select("sm_75").name == std::string("gemm_fast"));
}

TEST_CASE("builds: a call of an operation without any kernel says that this build has none") {
  Bench b(kBuild90);
  Seen seen;
  const gpuopt::Selection s = b.select("sm_90", &seen);
  CHECK(s.status == GPUOPT_NOT_SUPPORTED);
  CHECK(seen.all.all.empty());
  CHECK_MESSAGE(contains(s.message, "this build has no kernels of gemm"), s.message);
  CHECK(gpuopt::kSelection[0] == 0);  // what the tests are of has them all
}

TEST_CASE("builds: both steps of two need code, each of its own class") {
  const gpuopt_kernel gemm = kernel("gemm_any", 75);
  gpuopt_kernel act = kernel("fused_act_any", 75, 0, GPUOPT_OP_FUSED_ACT);
  act.stage_kinds = uint64_t{1} << GPUOPT_STAGE_RELU;
  act.max_stages = 1;
  const auto chosen = [&](int32_t gemm_class, int32_t act_class, const char *device) {
    Bench b(kBuild120Ptx);
    b.add(gemm, gemm_class);
    b.add(act, act_class);
    Seen seen;
    const gpuopt::Selection with_visitor = b.select(device, &seen, 1), s = b.select(device, nullptr, 1);
    CHECK(with_visitor.status == s.status);
    CHECK(with_visitor.arch == s.arch);
    CHECK(with_visitor.second_arch == s.second_arch);
    return s;
  };
  gpuopt::Selection s = chosen(kPerformance, kTeaching, "sm_120");
  CHECK(s.name == std::string("gemm_any+fused_act_any"));
  CHECK(s.arch == 120);
  CHECK(s.second_arch == 75);
  CHECK(chosen(kPerformance, kFp8, "sm_80").status == GPUOPT_NOT_SUPPORTED);
  CHECK(chosen(kFp8, kPerformance, "sm_80").status == GPUOPT_NOT_SUPPORTED);
  CHECK(chosen(kNoCode, kPerformance, "sm_80").status == GPUOPT_OK);
}

TEST_CASE("builds: the manifest states a class for what has device code, and for nothing else") {
  for (size_t i = 0; i < gpuopt::kManifestCount; ++i) {
    const gpuopt::ManifestEntry &entry = gpuopt::kManifest[i];
    const gpuopt_kernel &k = entry.span->kernels[0];
    CAPTURE(k.name);
    CHECK(entry.code >= kNoCode);
    CHECK(entry.code < gpuopt::kCodeClasses);
    if (k.flags & GPUOPT_KERNEL_HOST) CHECK(entry.code == kNoCode);
    if (entry.code == kNoCode) continue;
    CHECK(gpuopt::kCompiledCode[entry.code].archs[0].cc != 0);
    CHECK((k.cc_exact == 90) == (entry.code == kSm90a));
    for (size_t j = 0; j < entry.span->count; ++j)
      CHECK(gpuopt::entry_of(*gpuopt::current_snapshot(), entry.span->kernels[j]).code == entry.code);
  }
}

TEST_CASE("builds: explain takes options from before any_build, and a value of it") {
  const Handle h = cpu_handle();
  const SmallGemm g;
  gpuopt_explain_options o = GPUOPT_EXPLAIN_OPTIONS_INIT;
  o.struct_size = offsetof(gpuopt_explain_options, any_build);
  o.any_build = 77;  // not read
  CHECK(gpuopt_explain(h.get(), &g.args, &o, nullptr, nullptr) == GPUOPT_OK);
  o.struct_size -= 8;
  CHECK(gpuopt_explain(h.get(), &g.args, &o, nullptr, nullptr) == GPUOPT_INVALID_ARGUMENT);
  o = GPUOPT_EXPLAIN_OPTIONS_INIT;
  o.any_build = 1;
  CHECK(gpuopt_explain(h.get(), &g.args, &o, nullptr, nullptr) == GPUOPT_OK);
  o.any_build = 2;
  CHECK(gpuopt_explain(h.get(), &g.args, &o, nullptr, nullptr) == GPUOPT_INVALID_ARGUMENT);
  CHECK_MESSAGE(contains(gpuopt_last_error(), "options.any_build=2 is not 0 or 1"), last_error());
  o.any_build = 0;
  o.all_needs = 2;
  CHECK(gpuopt_explain(h.get(), &g.args, &o, nullptr, nullptr) == GPUOPT_INVALID_ARGUMENT);
}
