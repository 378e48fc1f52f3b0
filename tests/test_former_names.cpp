// Former names: each finds its kernel wherever a kernel is named, and reports give the present name.
#include "support.h"

#include <cstddef>

#include "registry.h"
#include "synthetic_kernel.h"

using namespace gpuopt_test;

namespace {

constexpr gpuopt_signature kTensorF32[] = {
    {{GPUOPT_F32, GPUOPT_F32, GPUOPT_F32, GPUOPT_F32}, GPUOPT_COMPUTE_F32_TENSOR}};

gpuopt_kernel named(const char *name, const char *aliases, uint64_t stage_kinds = ~0ull) {
  gpuopt_kernel k = synthetic_kernel(GPUOPT_OP_GEMM, name, GPUOPT_KERNEL_HOST | GPUOPT_KERNEL_TEACHING, kTensorF32);
  k.understands = ~0u;
  k.stage_kinds = stage_kinds;
  k.max_stages = GPUOPT_MAX_STAGES;
  k.launch = [](const gpuopt_problem *, const gpuopt_launch *) { return static_cast<gpuopt_status>(GPUOPT_OK); };
  k.aliases = aliases;
  return k;
}

const gpuopt_kernel &renamed() {
  static const gpuopt_kernel k = named("gemm_renamed", "gemm_old_one,gemm_old_two");
  static const gpuopt_status once = gpuopt_register_kernel(&k);
  REQUIRE(once == GPUOPT_OK);
  return k;
}

std::string last_kernel(const Handle &h) {
  gpuopt_run_info info = GPUOPT_RUN_INFO_INIT;
  REQUIRE(gpuopt_last_kernel(h.get(), &info) == GPUOPT_OK);
  return info.kernel;
}

}  // namespace

TEST_CASE("former names: a former name finds the kernel and is forced, and the present name is reported") {
  const gpuopt_kernel &k = renamed();
  for (const char *name : {"gemm_renamed", "gemm_old_one", "gemm_old_two"}) CHECK(gpuopt_kernel_find(name) == &k);
  CHECK(gpuopt_kernel_find("gemm_old_") == nullptr);
  CHECK(gpuopt_kernel_find("gemm_old_one,gemm_old_two") == nullptr);
  const Handle h = cpu_handle();
  SmallGemm g(GPUOPT_COMPUTE_F32_TENSOR);
  for (const char *forced : {"gemm_old_one", "gemm=gemm_old_two", "transpose=transpose_cpu_reference,gemm_old_one"}) {
    REQUIRE(gpuopt_set_kernel(h.get(), forced) == GPUOPT_OK);
    REQUIRE_MESSAGE(gpuopt_gemm(h.get(), &g.args) == GPUOPT_OK, last_error());
    CHECK(last_kernel(h) == "gemm_renamed");
    Candidates Seen;
    CHECK(gpuopt_explain(h.get(), &g.args, nullptr, Candidates::add, &Seen) == GPUOPT_OK);
    CHECK(Seen.all[0].kernel == "gemm_renamed");
    CHECK(Seen.all[0].how == GPUOPT_HOW_FORCED);
    CHECK(Seen.find("gemm_old_one") == nullptr);
  }
  {
    const ScopedEnv env("GPUOPT_KERNEL", "gemm_old_two");
    const Handle other = cpu_handle();
    REQUIRE(gpuopt_gemm(other.get(), &g.args) == GPUOPT_OK);
    CHECK(last_kernel(other) == "gemm_renamed");
  }
  gpuopt_options o = GPUOPT_OPTIONS_INIT;
  o.device = GPUOPT_DEVICE_CPU;
  o.kernel = "gemm_old_one";
  gpuopt_handle *by_option = nullptr;
  REQUIRE(gpuopt_create(&by_option, &o) == GPUOPT_OK);
  const Handle owner(by_option);
  REQUIRE(gpuopt_gemm(by_option, &g.args) == GPUOPT_OK);
  CHECK(last_kernel(owner) == "gemm_renamed");
}

TEST_CASE("former names: either step of two may be a former name") {
  static const gpuopt_kernel first = named("gemm_renamed_plain", "gemm_old_plain", 0);
  static gpuopt_kernel second = named("fused_act_renamed", "fused_act_old");
  static constexpr gpuopt_signature kAny[] = {{{-1, -1, -1, -1}, -1}};
  second.op = GPUOPT_OP_FUSED_ACT;
  second.signatures = kAny;
  REQUIRE(gpuopt_register_kernel(&first) == GPUOPT_OK);
  REQUIRE(gpuopt_register_kernel(&second) == GPUOPT_OK);
  const Handle h = cpu_handle();
  SmallGemm g(GPUOPT_COMPUTE_F32_TENSOR);
  const gpuopt_stage relu = gpuopt_act(GPUOPT_STAGE_RELU, 0, 0);
  g.args.stages = &relu;
  g.args.stage_count = 1;
  REQUIRE(gpuopt_set_kernel(h.get(), "gemm_old_plain+fused_act_old") == GPUOPT_OK);
  REQUIRE_MESSAGE(gpuopt_gemm(h.get(), &g.args) == GPUOPT_OK, last_error());
  CHECK(last_kernel(h) == "gemm_renamed_plain+fused_act_renamed");
}

TEST_CASE("former names: disabled by a former name, and suggested with it") {
  renamed();
  const Handle h = cpu_handle();
  LogLines log;
  REQUIRE(gpuopt_set_log(h.get(), LogLines::add, &log) == GPUOPT_OK);
  SmallGemm g(GPUOPT_COMPUTE_F32_TENSOR);
  for (const char *glob : {"gemm_old_two", "gemm_old_*", "*ld_on?"}) {
    REQUIRE(gpuopt_set_disabled(h.get(), glob) == GPUOPT_OK);
    CHECK(log.lines.empty());
    REQUIRE(gpuopt_set_kernel(h.get(), "gemm_renamed") == GPUOPT_OK);
    CHECK(gpuopt_gemm(h.get(), &g.args) == GPUOPT_KERNEL_REJECTED);
    CHECK(contains(gpuopt_last_error(), "gemm_renamed cannot run this call: DISABLED"));
  }
  REQUIRE(gpuopt_set_disabled(h.get(), "gemm_old_three") == GPUOPT_OK);
  CHECK(log.lines.size() == 1);
  REQUIRE(gpuopt_set_kernel(h.get(), "gemm_old_onne") == GPUOPT_OK);
  CHECK(gpuopt_gemm(h.get(), &g.args) == GPUOPT_KERNEL_NOT_FOUND);
  CHECK_MESSAGE(contains(gpuopt_last_error(), "nearest: gemm_renamed (formerly gemm_old_one), "), last_error());
}

TEST_CASE("former names: a name has one owner, and former names are names") {
  renamed();
  const auto refused = [](const char *name, const char *aliases, const char *text) {
    const gpuopt_kernel k = named(name, aliases);
    const size_t before = gpuopt_kernel_count();
    CHECK(gpuopt_register_kernel(&k) == GPUOPT_INVALID_ARGUMENT);
    CHECK_MESSAGE(contains(gpuopt_last_error(), text), last_error());
    CHECK(gpuopt_kernel_count() == before);
  };
  refused("gemm_old_one", nullptr, "the name gemm_old_one is taken");
  refused("gemm_other", "gemm_old_two", "the name gemm_old_two is taken");
  refused("gemm_other", "gemm_x,gemm_cpu_reference", "the name gemm_cpu_reference is taken");
  refused("gemm_other", "gemm_other", "the name gemm_other is given twice");
  refused("gemm_other", "gemm_x,gemm_x", "the name gemm_x is given twice");
  refused("gemm_other", "", "aliases: '' is empty");
  refused("gemm_other", "gemm_x,", "aliases: '' is empty");
  refused("gemm_other", ",gemm_x", "aliases: '' is empty");
  refused("gemm_other", "gemm_x, gemm_y", "aliases: ' gemm_y' has a character outside [a-z0-9_]");
  refused("gemm_other", "gemm_x+gemm_y", "has a character outside [a-z0-9_]");
  const std::string endless(97, 'a');
  refused("gemm_other", endless.c_str(), "is longer than 96 characters");
  CHECK(gpuopt_kernel_find("gemm_x") == nullptr);
}

TEST_CASE("former names: a descriptor from before they were there registers all the same") {
  // What lies behind an older descriptor is not its own: here it would be read as a malformed alias.
  static gpuopt_kernel k = named("gemm_without_aliases", "NOT AN ALIAS");
  k.struct_size = offsetof(gpuopt_kernel, aliases);
  REQUIRE_MESSAGE(gpuopt_register_kernel(&k) == GPUOPT_OK, last_error());
  const gpuopt_kernel *found = gpuopt_kernel_find("gemm_without_aliases");
  REQUIRE(found != nullptr);
  CHECK(found->aliases == nullptr);
  CHECK(found->struct_size == sizeof(gpuopt_kernel));
  CHECK((found->launch == k.launch));
  const Handle h = cpu_handle();
  SmallGemm g(GPUOPT_COMPUTE_F32_TENSOR);
  REQUIRE(gpuopt_set_kernel(h.get(), "gemm_without_aliases") == GPUOPT_OK);
  CHECK(gpuopt_gemm(h.get(), &g.args) == GPUOPT_OK);
  CHECK(last_kernel(h) == "gemm_without_aliases");
  k.struct_size = offsetof(gpuopt_kernel, aliases) - 1;
  CHECK(gpuopt_register_kernel(&k) == GPUOPT_INVALID_ARGUMENT);
}

TEST_CASE("former names: those of the built-in kernels are names of one kernel each") {
  size_t names = 0;
  for (size_t i = 0; gpuopt_kernel_get(i); ++i) {
    const gpuopt_kernel &k = *gpuopt_kernel_get(i);
    ++names;
    gpuopt::for_each_alias(k, [&](std::string_view alias) {
      ++names;
      CAPTURE(std::string(alias));
      CHECK(gpuopt_kernel_find(std::string(alias).c_str()) == &k);
      CHECK(alias.rfind(std::string(gpuopt_op_name(k.op)) + "_", 0) == 0);
      CHECK(alias.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos);
    });
  }
  CHECK(gpuopt::current_snapshot()->names.size() == names);
}
