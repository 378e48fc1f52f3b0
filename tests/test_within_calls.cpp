// Callbacks and kernels run inside a call: they may not use its handle, what they throw becomes a status, and a call that
// they leave by longjmp keeps its handle.
#include "support.h"
#include "synthetic_kernel.h"

#include <csetjmp>
#include <functional>
#include <new>
#include <stdexcept>
#include <thread>

#if GPUOPT_ADDRESS_SANITIZED
#include <sanitizer/lsan_interface.h>
#endif

using namespace gpuopt_test;

namespace {

// What the hooks below do, with the handle of the test.
gpuopt_handle *handle = nullptr;
std::function<void(const char *where)> act;

void hook(const char *where) {
  if (act) act(where);
}

constexpr gpuopt_signature kTensorF32[] = {
    {{GPUOPT_F32, GPUOPT_F32, GPUOPT_F32, GPUOPT_F32}, GPUOPT_COMPUTE_F32_TENSOR}};

// Calls hook() from every function that a kernel has.
const char *kernel_with_hooks() {
  static gpuopt_kernel k = {};
  if (k.name != nullptr) return k.name;
  k = synthetic_kernel(GPUOPT_OP_GEMM, "gemm_test_hooks", GPUOPT_KERNEL_HOST, kTensorF32);
  k.understands = ~0u;
  k.can_run = [](const gpuopt_problem *p, gpuopt_reject *) {
    hook("can_run");
    return p->m == 3 && p->n == 5 ? 1 : 0;  // nobody else's problems
  };
  k.predict_us = [](const gpuopt_problem *) {
    hook("predict_us");
    return 1e12;  // only when forced
  };
  k.workspace = [](const gpuopt_problem *, size_t *scratch, size_t *zeroed) {
    hook("workspace");
    *scratch = *zeroed = 256;
  };
  k.prepare = [](const gpuopt_problem *, const gpuopt_launch *) -> gpuopt_status { return hook("prepare"), GPUOPT_OK; };
  k.launch = [](const gpuopt_problem *p, const gpuopt_launch *) -> gpuopt_status {
    hook("launch");
    *static_cast<float *>(p->operand[3].m.data) = 42;
    return GPUOPT_OK;
  };
  REQUIRE_MESSAGE(gpuopt_register_kernel(&k) == GPUOPT_OK, last_error());
  return k.name;
}

void on_line(void *, const char *line) { hook(contains(line, ",exec,") ? "exec line" : "line"); }
void on_candidate(void *, const gpuopt_candidate *) { hook("candidate"); }
void *on_allocate(void *, size_t bytes, CUstream_st *) {
  hook("allocate");
  return std::aligned_alloc(256, (bytes + 255) / 256 * 256);
}
void on_deallocate(void *, void *block, CUstream_st *) {
  std::free(block);
  hook("deallocate");
}

gpuopt_handle *create() {
  act = nullptr;
  const char *const name = kernel_with_hooks();
  gpuopt_options o = GPUOPT_OPTIONS_INIT;
  o.device = GPUOPT_DEVICE_CPU;
  o.verbose = "all";
  o.log_file = "/dev/null";
  o.allocate = on_allocate;
  o.deallocate = on_deallocate;
  handle = nullptr;
  REQUIRE_MESSAGE(gpuopt_create(&handle, &o) == GPUOPT_OK, last_error());
  REQUIRE(gpuopt_set_log(handle, on_line, nullptr) == GPUOPT_OK);
  REQUIRE(gpuopt_set_kernel(handle, name) == GPUOPT_OK);
  return handle;
}

// Every entry that takes the handle; how many did not answer as the header says.
int wrong_answers() {
  gpuopt_handle *const h = handle;
  SmallGemm g;
  gpuopt_transpose_args t = GPUOPT_TRANSPOSE_ARGS_INIT;
  gpuopt_reduce_args r = GPUOPT_REDUCE_ARGS_INIT;
  gpuopt_fused_act_args f = GPUOPT_FUSED_ACT_ARGS_INIT;
  gpuopt_norm_args n = GPUOPT_NORM_ARGS_INIT;
  size_t size = 0;
  int wrong = 0;
  const auto refused = [&](gpuopt_status s, const char *name) {
    const std::string words = gpuopt_last_error();
    if (s == GPUOPT_INVALID_ARGUMENT && words.rfind(std::string(name) + ": handle=", 0) == 0 &&
        contains(words, "is in a call"))
      return;
    ++wrong;
    MESSAGE(std::string(name), " answers ", gpuopt_status_name(s), ": ", words);
  };
#define REFUSED(name, ...) refused(name(__VA_ARGS__), #name)
  REFUSED(gpuopt_gemm, h, &g.args);
  REFUSED(gpuopt_transpose, h, &t);
  REFUSED(gpuopt_reduce, h, &r);
  REFUSED(gpuopt_fused_act, h, &f);
  REFUSED(gpuopt_norm, h, &n);
  REFUSED(gpuopt_prepare, h, &g.args);
  REFUSED(gpuopt_workspace_size, h, &g.args, &size);
  REFUSED(gpuopt_explain, h, &g.args, nullptr, nullptr, nullptr);
  REFUSED(gpuopt_set_stream, h, nullptr);
  REFUSED(gpuopt_set_kernel, h, "");
  REFUSED(gpuopt_set_disabled, h, "");
  REFUSED(gpuopt_set_verbose, h, "none");
  REFUSED(gpuopt_set_workspace, h, nullptr, 0);
  REFUSED(gpuopt_set_log, h, nullptr, nullptr);
  REFUSED(gpuopt_set_profiling, h, 1);
  REFUSED(gpuopt_counters, h, nullptr, 0, &size);
  REFUSED(gpuopt_reset_counters, h);
#undef REFUSED
  gpuopt_destroy(h);
  refused(GPUOPT_INVALID_ARGUMENT, "gpuopt_destroy");

  gpuopt_device_facts facts = GPUOPT_DEVICE_FACTS_INIT;
  gpuopt_run_info info = GPUOPT_RUN_INFO_INIT;
  void *memory = nullptr;
  wrong += gpuopt_get_device(h, &facts) != GPUOPT_OK;
  wrong += gpuopt_last_kernel(h, &info) != GPUOPT_OK;
  wrong += gpuopt_malloc(h, &memory, 64) != GPUOPT_OK;
  wrong += gpuopt_fill(h, memory, 1, 64) != GPUOPT_OK;
  wrong += gpuopt_copy(h, memory, static_cast<char *>(memory) + 32, 32) != GPUOPT_OK;
  wrong += gpuopt_synchronize(h) != GPUOPT_OK;
  wrong += gpuopt_free(h, memory) != GPUOPT_OK;
  return wrong;
}

constexpr const char *kPlaces[] = {"exec line",  "line",      "candidate", "allocate", "can_run",
                                   "predict_us", "workspace", "prepare",   "launch"};

// A call, or an explanation, in which the place is reached.
gpuopt_status reach(const std::string &place, SmallGemm *g) {
  if (place == "candidate") return gpuopt_explain(handle, &g->args, nullptr, on_candidate, nullptr);
  return gpuopt_gemm(handle, &g->args);
}

}  // namespace

TEST_CASE("re-entry: no callback and no kernel can use the handle of its call") {
  for (const char *place : kPlaces) {
    CAPTURE(std::string(place));
    const Handle owner(create());
    SmallGemm g(GPUOPT_COMPUTE_F32_TENSOR);
    int times = 0, wrong = 0;
    act = [&](const char *where) {
      if (std::strcmp(where, place) == 0 && times++ == 0) wrong = wrong_answers();
    };
    CHECK_MESSAGE(reach(place, &g) == GPUOPT_OK, last_error());
    CHECK(times > 0);
    CHECK(wrong == 0);
    act = nullptr;
    CHECK_MESSAGE(gpuopt_gemm(handle, &g.args) == GPUOPT_OK, last_error());
    CHECK(g.d[0] == 42);
  }
}

TEST_CASE("re-entry: nor while it is destroyed") {
  for (const char *place : {"line", "deallocate"}) {
    CAPTURE(std::string(place));
    create();
    const SmallGemm g(GPUOPT_COMPUTE_F32_TENSOR);
    REQUIRE_MESSAGE(gpuopt_gemm(handle, &g.args) == GPUOPT_OK, last_error());
    int times = 0, wrong = 0;
    act = [&](const char *where) {
      if (std::strcmp(where, place) == 0 && times++ == 0) wrong = wrong_answers();
    };
    gpuopt_destroy(handle);
    act = nullptr;
    CHECK(times > 0);
    CHECK(wrong == 0);
  }
}

TEST_CASE("re-entry: nor can another thread, and a handle of one's own works") {
  const Handle owner(create());
  SmallGemm g(GPUOPT_COMPUTE_F32_TENSOR), other;
  int wrong = -1;
  gpuopt_status own = GPUOPT_INTERNAL;
  act = [&](const char *where) {
    if (std::strcmp(where, "launch") != 0) return;
    std::thread([&] { wrong = wrong_answers(); }).join();
    const Handle h = cpu_handle();
    own = gpuopt_gemm(h.get(), &other.args);
  };
  CHECK_MESSAGE(gpuopt_gemm(handle, &g.args) == GPUOPT_OK, last_error());
  act = nullptr;
  CHECK(wrong == 0);
  CHECK(own == GPUOPT_OK);
}

TEST_CASE("exceptions: out of callbacks and kernels they become what the header says") {
  struct Expected {
    const char *place;
    gpuopt_status status;
    const char *words;
  };
  const Expected all[] = {
      {"exec line", GPUOPT_OK, nullptr},
      {"line", GPUOPT_OK, nullptr},
      {"candidate", GPUOPT_INVALID_ARGUMENT, "gpuopt_explain: fn: it threw std::runtime_error: wild words"},
      {"allocate", GPUOPT_OUT_OF_MEMORY, "the caller's allocator: it threw std::runtime_error: wild words"},
      {"can_run", GPUOPT_INTERNAL, "gpuopt_gemm: gemm_test_hooks: it threw std::runtime_error: wild words"},
      {"predict_us", GPUOPT_INTERNAL, "gemm_test_hooks: it threw std::runtime_error: wild words"},
      {"workspace", GPUOPT_INTERNAL, "gemm_test_hooks: it threw std::runtime_error: wild words"},
      {"prepare", GPUOPT_INTERNAL, "gemm_test_hooks: it threw std::runtime_error: wild words"},
      {"launch", GPUOPT_INTERNAL, "gemm_test_hooks: it threw std::runtime_error: wild words"},
  };
  for (const Expected &e : all)
    for (const int kind : {0, 1, 2}) {
      CAPTURE(std::string(e.place));
      CAPTURE(kind);
      const Handle owner(create());
      SmallGemm g(GPUOPT_COMPUTE_F32_TENSOR);
      int times = 0;
      act = [&](const char *where) {
        if (std::strcmp(where, e.place) != 0) return;
        ++times;
        if (kind == 0) throw std::runtime_error("wild words");
        if (kind == 1) throw 77;
        throw std::bad_alloc();
      };
      const gpuopt_status s = reach(e.place, &g);
      act = nullptr;
      CHECK(times > 0);
      if (e.words == nullptr) {
        CHECK_MESSAGE(s == GPUOPT_OK, last_error());
        CHECK(g.d[0] == 42);
        continue;
      }
      CHECK(g.untouched());
      if (kind == 2)
        CHECK(s == GPUOPT_OUT_OF_MEMORY);
      else
        CHECK(s == e.status);
      const char *words = kind == 0   ? e.words
                          : kind == 1 ? "it threw something that is no std::exception"
                                      : "out of host";
      CHECK_MESSAGE(contains(gpuopt_last_error(), words), last_error());
      CHECK_MESSAGE(gpuopt_gemm(handle, &g.args) == GPUOPT_OK, last_error());
      CHECK(g.d[0] == 42);
    }
}

TEST_CASE("exceptions: out of deallocate and of the last lines they end with the call") {
  create();
  const SmallGemm g(GPUOPT_COMPUTE_F32_TENSOR);
  REQUIRE_MESSAGE(gpuopt_gemm(handle, &g.args) == GPUOPT_OK, last_error());
  int times = 0;
  act = [&](const char *) {
    ++times;
    throw std::runtime_error("wild words");
  };
  gpuopt_destroy(handle);
  act = nullptr;
  CHECK(times > 2);
}

namespace {
std::jmp_buf out_of_the_call;
volatile int jumps = 0;
}  // namespace

TEST_CASE("longjmp: the handle stays in the call that never returned, and others work") {
  static gpuopt_handle *left;  // it cannot be destroyed any more
  static SmallGemm g(GPUOPT_COMPUTE_F32_TENSOR);
  left = create();
  act = [](const char *where) {
    if (std::strcmp(where, "exec line") != 0) return;
    jumps = jumps + 1;
    std::longjmp(out_of_the_call, 1);
  };
#if GPUOPT_ADDRESS_SANITIZED
  __lsan_disable();  // what the call held is lost, as the header says
#endif
  if (setjmp(out_of_the_call) == 0) gpuopt_gemm(left, &g.args);
#if GPUOPT_ADDRESS_SANITIZED
  __lsan_enable();
#endif
  act = nullptr;
  CHECK(jumps == 1);
  CHECK(g.d[0] == 42);
  CHECK(wrong_answers() == 0);
  const Handle h = cpu_handle();
  const SmallGemm other;
  CHECK_MESSAGE(gpuopt_gemm(h.get(), &other.args) == GPUOPT_OK, last_error());
}
