// The registry: manifest, order, listing, registration, and the names of things.
#include "support.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ctime>
#include <set>

#include "environment.h"
#include "manifest.h"
#include "registry.h"
#include "synthetic_kernel.h"

using namespace gpuopt_test;

namespace {
gpuopt_status nothing(const gpuopt_problem *, const gpuopt_launch *) { return GPUOPT_OK; }
gpuopt_kernel valid(const char *name) {
  gpuopt_kernel k =
      synthetic_kernel(GPUOPT_OP_TRANSPOSE, name, GPUOPT_KERNEL_HOST | GPUOPT_KERNEL_TEACHING, kAnySignature);
  k.launch = nothing;
  return k;
}
}  // namespace

TEST_CASE("registry: every kernel file's span is there, names follow their file and are in order") {
  size_t declared = 0;
  for (size_t i = 0; i < gpuopt::kManifestCount; ++i) {
    CHECK(gpuopt::kManifest[i].span->count > 0);
    declared += gpuopt::kManifest[i].span->count;
  }
  std::set<std::string> names;
  for (size_t i = 0; gpuopt_kernel_get(i); ++i) {
    const gpuopt_kernel &k = *gpuopt_kernel_get(i);
    CAPTURE(k.name);
    CHECK(names.insert(k.name).second);
    CHECK(std::string(k.name).rfind(std::string(gpuopt_op_name(k.op)) + "_", 0) == 0);
    CHECK(k.struct_size == sizeof(gpuopt_kernel));
    CHECK(k.summary != nullptr);
    CHECK((k.launch != nullptr));
    CHECK(k.signature_count > 0);
    CHECK(gpuopt_kernel_find(k.name) == &k);
    if (i > 0) {
      const gpuopt_kernel &previous = *gpuopt_kernel_get(i - 1);
      CHECK((previous.op < k.op || (previous.op == k.op && std::strcmp(previous.name, k.name) < 0)));
    }
  }
  CHECK(names.size() == gpuopt_kernel_count());
  CHECK(declared <= gpuopt_kernel_count());
  CHECK(gpuopt_kernel_get(gpuopt_kernel_count()) == nullptr);
  CHECK(gpuopt_kernel_find("nothing") == nullptr);
  CHECK(gpuopt_kernel_find(nullptr) == nullptr);
  for (const char *name :
       {"gemm_cpu_reference", "transpose_cpu_reference", "reduce_cpu_reference", "fused_act_cpu_reference"})
    CHECK(gpuopt_kernel_find(name) != nullptr);
#if GPUOPT_TEST_HAVE_CUDA
  for (const char *name : {"gemm_naive", "transpose_naive", "fused_act_scalar"})
    CHECK(gpuopt_kernel_find(name) != nullptr);
#endif
}

TEST_CASE("registry: what cannot be registered, and why") {
  const auto refused = [](const gpuopt_kernel *k, const char *text) {
    const size_t before = gpuopt_kernel_count();
    CHECK(gpuopt_register_kernel(k) == GPUOPT_INVALID_ARGUMENT);
    CHECK_MESSAGE(contains(gpuopt_last_error(), text), last_error());
    CHECK(gpuopt_kernel_count() == before);
  };
  refused(nullptr, "kernel is NULL");
  gpuopt_kernel k = valid("transpose_test_refused");
  k.struct_size = 16;
  refused(&k, "struct_size=16 is smaller");
  k = valid("Transpose");
  refused(&k, "character outside [a-z0-9_]");
  k = valid("");
  refused(&k, "name is empty");
  k = valid("transpose_cpu_reference");
  refused(&k, "the name transpose_cpu_reference is taken");
  k = valid("transpose_test_refused");
  k.op = 9;
  refused(&k, "op is not a GPUOPT_OP_* value");
  k = valid("transpose_test_refused");
  k.launch = nullptr;
  refused(&k, "launch is NULL");
  k = valid("transpose_test_refused");
  k.signatures = nullptr;
  refused(&k, "signatures are missing");
  k = valid("transpose_test_refused");
  k.max_stages = 99;
  refused(&k, "max_stages");
  const auto broken = [&](const char *text, void (*change)(gpuopt_kernel &)) {
    gpuopt_kernel b = valid("transpose_test_refused");
    change(b);
    refused(&b, text);
  };
  broken("signature_count is more than 4096", [](gpuopt_kernel &b) { b.signature_count = SIZE_MAX; });
  broken("resource_count is more than 4096", [](gpuopt_kernel &b) {
    static const gpuopt_resource one = {};
    b.resources = &one;
    b.resource_count = 1 << 20;
  });
  broken("flags has bits", [](gpuopt_kernel &b) { b.flags |= 1u << 30; });
  broken("layouts has a value", [](gpuopt_kernel &b) { b.layouts[2] = 4; });
  broken("align has a value", [](gpuopt_kernel &b) { b.align[1] = 3; });
  broken("align has a value", [](gpuopt_kernel &b) { b.align[0] = -16; });
  broken("align has a value", [](gpuopt_kernel &b) { b.align[0] = 512; });
  broken("ld_align has a value", [](gpuopt_kernel &b) { b.ld_align[3] = 24; });
  broken("multiple has a negative value", [](gpuopt_kernel &b) { b.multiple[2] = -1; });
  broken("summary is longer than 1000 characters", [](gpuopt_kernel &b) {
    static const std::string endless(100000, 'x');
    b.summary = endless.c_str();
  });
  broken("data_paths is longer than 1000 characters", [](gpuopt_kernel &b) {
    static const std::string endless(1001, 'x');
    b.data_paths = endless.c_str();
  });
  k = valid("reduce_test_refused");
  k.op = GPUOPT_OP_REDUCE;
  refused(&k, "needs variants and axes");
}

TEST_CASE("registry: registration adds one kernel for good") {
  static const gpuopt_kernel k = valid("transpose_test_added");
  const size_t before = gpuopt_kernel_count();
  CHECK(gpuopt_register_kernel(&k) == GPUOPT_OK);
  CHECK(gpuopt_kernel_count() == before + 1);
  CHECK(gpuopt_kernel_find("transpose_test_added") == &k);
  CHECK(gpuopt_register_kernel(&k) == GPUOPT_INVALID_ARGUMENT);
}

TEST_CASE("registry: ten thousand registrations cost as many, not their square") {
  // A process of its own: the registry never forgets.
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    static std::vector<gpuopt_kernel> many;
    static std::vector<std::string> names;
    many.reserve(30000);
    names.reserve(30000);
    gpuopt_handle *h = nullptr;
    gpuopt_options o = GPUOPT_OPTIONS_INIT;
    o.device = GPUOPT_DEVICE_CPU;
    float matrix[4] = {1, 2, 3, 4}, out[4];
    gpuopt_transpose_args t = GPUOPT_TRANSPOSE_ARGS_INIT;
    t.src = gpuopt_mat(matrix, 2, 2, GPUOPT_F32);
    t.dst = gpuopt_mat(out, 2, 2, GPUOPT_F32);
    if (gpuopt_create(&h, &o) != GPUOPT_OK) _exit(6);
    // Alone; with every name looked up, taken a second time and listed; with a call now and then.
    for (const int kind : {0, 1, 2}) {
      const std::clock_t start = std::clock();  // of the processor, which others may use too
      for (int i = 0; i < 10000; ++i) {
        names.push_back("transpose_test_many_" + std::to_string(names.size()));
        many.push_back(valid(names.back().c_str()));
        if (gpuopt_register_kernel(&many.back()) != GPUOPT_OK) _exit(2);
        if (gpuopt_kernel_count() < names.size()) _exit(3);
        if (kind == 1) {
          const size_t earlier = static_cast<size_t>(i) * 7919 % names.size();
          if (gpuopt_kernel_find(names[earlier].c_str()) != &many[earlier]) _exit(4);
          if (gpuopt_register_kernel(&many[earlier]) != GPUOPT_INVALID_ARGUMENT) _exit(5);
        }
        if (kind == 2 && i % 100 == 0 && gpuopt_transpose(h, &t) != GPUOPT_OK) _exit(7);
      }
      if (gpuopt_kernel_find(names.back().c_str()) != &many.back()) _exit(4);
      const double ms = static_cast<double>(std::clock() - start) * 1e3 / CLOCKS_PER_SEC;
      rusage used;
      getrusage(RUSAGE_SELF, &used);
      // Lists of ten thousand kernels for each registration take half a minute and two gigabytes, watched by a sanitizer
      // some times as long.
      const double most_ms = GPUOPT_ADDRESS_SANITIZED || GPUOPT_THREAD_SANITIZED ? 6000 : 2000;
      if (ms > most_ms || used.ru_maxrss > (300 << 10)) _exit(8 + kind);
    }
    gpuopt_destroy(h);
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("registry: globs and nearest names") {
  using gpuopt::glob_match;
  CHECK(glob_match("*", ""));
  CHECK(glob_match("gemm_*", "gemm_naive"));
  CHECK(glob_match("*naive", "gemm_naive"));
  CHECK(glob_match("g?mm*_n*e", "gemm_naive"));
  CHECK(!glob_match("gemm", "gemm_naive"));
  CHECK(!glob_match("gemm_naive?", "gemm_naive"));
  CHECK(!glob_match("", "x"));
  CHECK(glob_match("a*b*c", "a__b_b_c"));
  CHECK(!glob_match("*a*a*a*a*a*a*a*a*b", std::string(5000, 'a').c_str()));
  CHECK(gpuopt::edit_distance("kitten", "sitting") == 3);
  CHECK(gpuopt::edit_distance("", "abc") == 3);
}

TEST_CASE("registry: names of enum values") {
  CHECK(std::string(gpuopt_status_name(GPUOPT_KERNEL_REJECTED)) == "KERNEL_REJECTED");
  CHECK(std::string(gpuopt_status_name(12345)) == "?");
  CHECK(std::string(gpuopt_dtype_name(GPUOPT_BF16)) == "bf16");
  CHECK(gpuopt_dtype_size(GPUOPT_B128) == 16);
  CHECK(gpuopt_dtype_size(0) == 0);
  CHECK(std::string(gpuopt_stage_name(GPUOPT_STAGE_ADD_OUTER)) == "ADD_OUTER");
  CHECK(gpuopt_version() == GPUOPT_VERSION_NUMBER);
  CHECK(contains(gpuopt_build_info(), "gpuopt 0."));
}

TEST_CASE("registry: the tables' counts and pinned values") {
  int dtypes = 0, stages = 0, reduces = 0, rejects = 0, computes = 0;
#define X(...) ++dtypes;
  GPUOPT_DTYPE_TABLE(X)
#undef X
#define X(...) ++stages;
  GPUOPT_STAGE_TABLE(X)
#undef X
#define X(...) ++reduces;
  GPUOPT_REDUCE_TABLE(X)
#undef X
#define X(...) ++rejects;
  GPUOPT_REJECT_TABLE(X)
#undef X
#define X(...) ++computes;
  GPUOPT_COMPUTE_TABLE(X)
#undef X
  CHECK(dtypes == GPUOPT_DTYPE_COUNT_ - 1);
  CHECK(stages == GPUOPT_STAGE_COUNT_ - 1);
  CHECK(reduces == GPUOPT_REDUCE_COUNT_ - 1);
  CHECK(rejects == GPUOPT_REJECT_COUNT_);
  CHECK(computes == GPUOPT_COMPUTE_COUNT_);
  CHECK(GPUOPT_F32 == 1);
  CHECK(GPUOPT_STAGE_SILU_GRAD == 24);
  CHECK(GPUOPT_INTERNAL == 99);
  CHECK(sizeof(gpuopt_matrix) == 72);
  CHECK(sizeof(gpuopt_stage) == 184);
  CHECK(sizeof(gpuopt_gemm_args) == 360);
}
