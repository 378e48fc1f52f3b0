// A buffer of the size that gpuopt_workspace_size and explain tell is enough, for every kernel of every op and device,
// and in a smaller one the kernel is refused or takes less; and facts at the ends of what a device may have are no fault of arithmetic.
#include <sys/mman.h>
#include <unistd.h>

#include <random>

#include "golden_problems.h"
#include "support.h"

using namespace gpuopt_test;

namespace {

struct Wants {
  std::string kernel;
  size_t bytes;
};

// Every candidate that can run, and its workspace.
gpuopt_status candidates(gpuopt_handle *h, const gpuopt::AnyArgs &args, const gpuopt_explain_options &o,
                         std::vector<Wants> *out) {
  const auto add = [](void *self, const gpuopt_candidate *c) {
    if (c->verdict != GPUOPT_VERDICT_REJECTED)
      static_cast<std::vector<Wants> *>(self)->push_back({c->kernel, c->workspace_bytes});
  };
  out->clear();
  return gpuopt_explain(h, &args, &o, add, out);
}

std::vector<GoldenProblems> every_problem() {
  std::vector<GoldenProblems> all = {golden_gemms(), golden_transposes(), golden_reduces(), golden_fused_acts(),
                                     golden_norms()};
  for (GoldenProblems &problems : all)
    for (GoldenProblem &c : problems) c.call();
  return all;
}

gpuopt_explain_options assuming(const gpuopt_device_facts &facts, const GoldenProblem &c) {
  gpuopt_explain_options o = c.assumptions();
  o.pretend = &facts;
  return o;
}

}  // namespace

TEST_CASE("workspace: the size that is told is exact for every kernel and op") {
  const Handle all = cpu_handle(), tight = cpu_handle();
  void *const somewhere = reinterpret_cast<void *>(uintptr_t{1} << 30);  // explain does not touch it
  int sizes = 0;
  for (const char *device : {"none", "sm_80", "sm_90"}) {
    const gpuopt_device_facts facts = pretend(device);
    for (GoldenProblems &problems : every_problem())
      for (const GoldenProblem &c : problems) {
        const gpuopt_explain_options o = assuming(facts, c);
        std::vector<Wants> can_run, seen;
        candidates(all.get(), c.args, o, &can_run);
        for (const Wants &w : can_run) {
          if (w.bytes == 0) continue;
          ++sizes;
          CAPTURE(w.kernel);
          CAPTURE(w.bytes);
          const std::string forced = std::string(gpuopt_op_name(c.args.head.op)) + "=" + w.kernel;
          REQUIRE(gpuopt_set_kernel(tight.get(), forced.c_str()) == GPUOPT_OK);
          REQUIRE(gpuopt_set_workspace(tight.get(), somewhere, w.bytes) == GPUOPT_OK);
          CHECK_MESSAGE(candidates(tight.get(), c.args, o, &seen) == GPUOPT_OK, last_error());
          REQUIRE(!seen.empty());
          CHECK(seen[0].kernel == w.kernel);
          CHECK(seen[0].bytes <= w.bytes);
          if (w.bytes == 1) continue;
          // One byte less: refused, or a plan that makes do with it.
          REQUIRE(gpuopt_set_workspace(tight.get(), somewhere, w.bytes - 1) == GPUOPT_OK);
          const gpuopt_status s = candidates(tight.get(), c.args, o, &seen);
          CHECK_MESSAGE((s == GPUOPT_KERNEL_REJECTED || (s == GPUOPT_OK && seen[0].bytes < w.bytes)), last_error());
        }
      }
  }
  MESSAGE("kernels and problems with workspace: ", sizes);
  CHECK(sizes > (GPUOPT_TEST_HAVE_CUDA ? 1000 : 0));
}

TEST_CASE("workspace: CPU kernels run in a buffer of that size at the end of a page") {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const Handle h = cpu_handle();
  constexpr int64_t n = 700;
  std::vector<float> x(n * n, 1.0f), y(n * n, 1.0f), out(n * n);
  int sizes = 0;
  const auto run = [&](const char *kernel, const auto &args, auto *call) {
    for (const int layout : {GPUOPT_ROW, GPUOPT_COL}) {
      auto with = args;
      if (layout == GPUOPT_COL) with.batch = 1;
      REQUIRE(gpuopt_set_workspace(h.get(), nullptr, 0) == GPUOPT_OK);
      REQUIRE(gpuopt_set_kernel(h.get(), kernel) == GPUOPT_OK);
      size_t bytes = 0;
      REQUIRE_MESSAGE(gpuopt_workspace_size(h.get(), &with, &bytes) == GPUOPT_OK, last_error());
      if (bytes == 0) continue;
      ++sizes;
      // 256-byte aligned, so up to 255 bytes may follow it: poisoned, and looked at afterwards.
      const size_t whole = (bytes + page - 1) / page * page, used = (bytes + 255) / 256 * 256;
      char *const base =
          static_cast<char *>(mmap(nullptr, whole + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
      REQUIRE(base != MAP_FAILED);
      REQUIRE(mprotect(base + whole, page, PROT_NONE) == 0);
      char *const buffer = base + whole - used;
      std::memset(buffer, 0x5a, used);
      REQUIRE(gpuopt_set_workspace(h.get(), buffer, bytes) == GPUOPT_OK);
      CHECK_MESSAGE(call(h.get(), &with) == GPUOPT_OK, kernel, ": ", last_error());
      for (size_t i = bytes; i < used; ++i) CHECK(buffer[i] == 0x5a);
      REQUIRE(gpuopt_set_workspace(h.get(), buffer, bytes - 1) == GPUOPT_OK);
      size_t less = 0;
      const gpuopt_status s = gpuopt_workspace_size(h.get(), &with, &less);
      CHECK((s == GPUOPT_KERNEL_REJECTED || (s == GPUOPT_OK && less < bytes)));
      munmap(base, whole + page);
    }
  };
  for (size_t i = 0; const gpuopt_kernel *k = gpuopt_kernel_get(i); ++i) {
    if (!(k->flags & GPUOPT_KERNEL_HOST) || k->isa_min > 1 || !k->workspace) continue;
    if (k->op == GPUOPT_OP_GEMM && contains(k->name, "gemm_cpu")) {
      gpuopt_gemm_args g = GPUOPT_GEMM_ARGS_INIT;
      g.a = gpuopt_mat(x.data(), n, n, GPUOPT_F32);
      g.b = gpuopt_mat(y.data(), n, n, GPUOPT_F32);
      g.d = gpuopt_mat(out.data(), n, n, GPUOPT_F32);
      run(k->name, g, gpuopt_gemm);
    }
    if (k->op == GPUOPT_OP_REDUCE && contains(k->name, "reduce_cpu"))
      for (const int32_t axis : {GPUOPT_EACH_ROW, GPUOPT_EACH_COL, GPUOPT_ALL}) {
        gpuopt_reduce_args r = GPUOPT_REDUCE_ARGS_INIT;
        r.axis = axis;
        r.x = gpuopt_mat(x.data(), n, n, GPUOPT_F32);
        r.out = gpuopt_mat(out.data(), axis == GPUOPT_EACH_ROW ? n : 1, axis == GPUOPT_EACH_COL ? n : 1, GPUOPT_F32);
        run(k->name, r, gpuopt_reduce);
      }
  }
  CHECK(sizes > 0);
}

TEST_CASE("hostile: facts at the ends of their ranges, alone and together, for every op") {
  const Handle h = cpu_handle();
  std::mt19937 random(3);
  std::vector<gpuopt_device_facts> all;
  for (const char *device : {"sm_75", "sm_80", "sm_90", "sm_100", "sm_120"}) {
    const gpuopt_device_facts base = pretend(device);
    const auto with = [&](auto field, double least, double most) {
      for (const double value : {least, most}) {
        gpuopt_device_facts f = base;
        using Field = std::decay_t<decltype(f.*field)>;
        f.*field = static_cast<Field>(value);
        all.push_back(f);
        for (gpuopt_device_facts &other : all)  // together with what went before
          if (random() % 64 == 0) other.*field = static_cast<Field>(value);
      }
    };
    with(&gpuopt_device_facts::sm_count, 1, 1 << 16);
    with(&gpuopt_device_facts::max_threads_per_sm, 32, 1 << 16);
    with(&gpuopt_device_facts::regs_per_sm, 1, 1 << 24);
    with(&gpuopt_device_facts::cpu_threads, 1, 1 << 16);
    with(&gpuopt_device_facts::smem_per_sm, 1, 1 << 30);
    with(&gpuopt_device_facts::smem_per_block, 1, 1 << 30);
    with(&gpuopt_device_facts::smem_per_block_optin, 1, 1 << 30);
    with(&gpuopt_device_facts::l2_bytes, 0, 0x1p40);
    with(&gpuopt_device_facts::memory_bytes, 0, 0x1p50);
    with(&gpuopt_device_facts::clock_mhz, 1, 1e6);
    with(&gpuopt_device_facts::memory_gbs, 1, 1e9);
  }
  for (gpuopt_device_facts f : {all[0], all[0]}) {
    f.cc = all.size() % 2 ? 10 : 999;
    all.push_back(f);
  }
  std::vector<Wants> seen;
  size_t next = 0;
  for (GoldenProblems &problems : every_problem())
    for (const GoldenProblem &c : problems)
      for (int i = 0; i < 16; ++i) {
        const gpuopt_device_facts &facts = all[next++ % all.size()];
        const gpuopt_status s = candidates(h.get(), c.args, assuming(facts, c), &seen);
        REQUIRE_MESSAGE((s == GPUOPT_OK || s == GPUOPT_NOT_SUPPORTED), last_error());
      }
}
