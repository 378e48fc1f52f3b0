// Structs of callers: sizes that are too small, too large or lies, structs that were cleared, fields that must be zero.
#include "support.h"

#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cmath>
#include <cstddef>
#include <functional>

using namespace gpuopt_test;

namespace {

// Memory whose end is the end of what may be read and written.
class LastPage {
 public:
  LastPage() : page_(static_cast<size_t>(sysconf(_SC_PAGESIZE))) {
    base_ = static_cast<char *>(mmap(nullptr, 3 * page_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    REQUIRE(base_ != MAP_FAILED);
    REQUIRE(mprotect(base_ + 2 * page_, page_, PROT_NONE) == 0);
  }
  ~LastPage() { munmap(base_, 3 * page_); }
  LastPage(const LastPage &) = delete;
  // The last bytes, holding as many of what.
  template <class T>
  T *hold(const T &what, size_t bytes = sizeof(T)) {
    char *const at = base_ + 2 * page_ - bytes;
    std::memcpy(at, &what, bytes);
    return reinterpret_cast<T *>(at);
  }

 private:
  size_t page_;
  char *base_;
};

// Where a sandbox forbids it, sizes that lie are believed.
bool can_look() {
  char from = 0, to = 0;
  const iovec source = {&from, 1}, target = {&to, 1};
  return process_vm_readv(getpid(), &target, 1, &source, 1, 0) == 1;
}

const size_t kLies[] = {1, 8, 9, 100, 2000};
const size_t kMadness[] = {5000, 1 << 20, SIZE_MAX / 2, SIZE_MAX};

// Any entry that takes the struct at `at`: sizes that are not true are refused, each with its reason.
template <class T>
void check_input(const T &honest, const char *field, const std::function<gpuopt_status(T *)> &call) {
  CAPTURE(std::string(field));
  LastPage page;
  CHECK_MESSAGE(call(page.hold(honest)) == GPUOPT_OK, last_error());
  const auto refused = [&](size_t size, size_t there, const char *why) {
    T lying = honest;
    lying.struct_size = size;
    CAPTURE(size);
    CHECK(call(page.hold(lying, there)) == GPUOPT_INVALID_ARGUMENT);
    CHECK_MESSAGE((contains(gpuopt_last_error(), field) && contains(gpuopt_last_error(), why)), last_error());
  };
  refused(0, sizeof(size_t), "struct_size=0 is smaller than");
  refused(8, sizeof(size_t), "struct_size=8 is smaller than");
  refused(15, 15, "struct_size=15 is smaller than");
  for (const size_t more : kMadness) refused(more, sizeof(T), "is larger than any struct");
  if (!can_look()) return;
  for (const size_t more : kLies) refused(sizeof(T) + more, sizeof(T), "cannot be read");
}

// Any entry that fills the struct: nothing is written beyond struct_size, nor beyond what the library knows.
template <class T>
void check_output(const char *init, const std::function<gpuopt_status(T *)> &call) {
  CAPTURE(std::string(init));
  LastPage page;
  T honest;
  std::memset(static_cast<void *>(&honest), 0x5a, sizeof honest);
  honest.struct_size = sizeof honest;
  CHECK_MESSAGE(call(page.hold(honest)) == GPUOPT_OK, last_error());
  CHECK(page.hold(honest)->struct_size == sizeof(T));
  for (const size_t size : {size_t{0}, size_t{8}, size_t{16}, sizeof(T) - 1}) {
    T small = honest;
    small.struct_size = size;
    const size_t there = size < sizeof(size_t) ? sizeof(size_t) : size;
    T *const at = page.hold(small, there);
    CHECK(call(at) == GPUOPT_INVALID_ARGUMENT);
    CHECK_MESSAGE(contains(gpuopt_last_error(), std::string("(start from ") + init + ")"), last_error());
    CHECK(std::memcmp(at, &small, there) == 0);
  }
  for (const size_t more : kLies) {
    T lying = honest;
    lying.struct_size = sizeof(T) + more;
    T *const at = page.hold(lying);
    CHECK_MESSAGE(call(at) == GPUOPT_OK, last_error());
    CHECK(at->struct_size == sizeof(T) + more);
  }
  T mad = honest;
  mad.struct_size = SIZE_MAX;
  CHECK(call(page.hold(mad)) == GPUOPT_INVALID_ARGUMENT);
  struct {
    T known;
    unsigned char tail[64];
  } newer;
  std::memset(static_cast<void *>(&newer), 0x77, sizeof newer);
  newer.known.struct_size = sizeof newer;
  CHECK(call(&newer.known) == GPUOPT_OK);
  for (const unsigned char byte : newer.tail) REQUIRE(byte == 0x77);
}

// One valid problem of every op over one buffer.
struct Problems {
  alignas(64) float memory[256] = {};
  gpuopt_stage stage = gpuopt_act(GPUOPT_STAGE_RELU, 0, 0);
  gpuopt_gemm_args gemm;
  gpuopt_transpose_args transpose;
  gpuopt_reduce_args reduce;
  gpuopt_fused_act_args fused;
  gpuopt_norm_args norm;
  gpuopt_gemm_grouped_args grouped;
  int64_t offsets[2] = {0, 4};
  Problems() { reset(); }
  Problems(const Problems &) = delete;
  gpuopt_matrix at(int part, int64_t rows, int64_t cols) {
    return gpuopt_mat(memory + 32 * part, rows, cols, GPUOPT_F32);
  }
  void reset() {
    gemm = GPUOPT_GEMM_ARGS_INIT;
    transpose = GPUOPT_TRANSPOSE_ARGS_INIT;
    reduce = GPUOPT_REDUCE_ARGS_INIT;
    fused = GPUOPT_FUSED_ACT_ARGS_INIT;
    norm = GPUOPT_NORM_ARGS_INIT;
    grouped = GPUOPT_GEMM_GROUPED_ARGS_INIT;
    fill();
  }
  void fill() {
    stage = gpuopt_act_outer(1, at(2, 4, 1), at(3, 1, 4));
    gemm.a = gemm.b = transpose.src = reduce.x = fused.x = norm.x = at(0, 4, 4);
    gemm.d = transpose.dst = fused.out = norm.out = at(1, 4, 4);
    reduce.out = at(1, 1, 1);
    grouped.a = gemm.a, grouped.b = gemm.b, grouped.d = gemm.d;
    grouped.host_offsets = offsets;
  }
  gpuopt_status run(gpuopt_handle *h, int op) {
    switch (op) {
      case GPUOPT_OP_GEMM:
        return gpuopt_gemm(h, &gemm);
      case GPUOPT_OP_TRANSPOSE:
        return gpuopt_transpose(h, &transpose);
      case GPUOPT_OP_REDUCE:
        return gpuopt_reduce(h, &reduce);
      case GPUOPT_OP_FUSED_ACT:
        return gpuopt_fused_act(h, &fused);
      case GPUOPT_OP_GEMM_GROUPED:
        return gpuopt_gemm_grouped(h, &grouped);
      default:
        return gpuopt_norm(h, &norm);
    }
  }
};

}  // namespace

TEST_CASE("structs: what callers pass in may end at the end of a page, and sizes that lie are refused") {
  const Handle h = cpu_handle();
  Problems p;
  check_input<gpuopt_gemm_args>(p.gemm, "args", [&](auto *a) { return gpuopt_gemm(h.get(), a); });
  check_input<gpuopt_transpose_args>(p.transpose, "args", [&](auto *a) { return gpuopt_transpose(h.get(), a); });
  check_input<gpuopt_gemm_grouped_args>(p.grouped, "args", [&](auto *a) { return gpuopt_gemm_grouped(h.get(), a); });
  check_input<gpuopt_reduce_args>(p.reduce, "args", [&](auto *a) { return gpuopt_reduce(h.get(), a); });
  check_input<gpuopt_fused_act_args>(p.fused, "args", [&](auto *a) { return gpuopt_fused_act(h.get(), a); });
  check_input<gpuopt_norm_args>(p.norm, "args", [&](auto *a) { return gpuopt_norm(h.get(), a); });
  check_input<gpuopt_norm_args>(p.norm, "args", [&](auto *a) { return gpuopt_prepare(h.get(), a); });
  const gpuopt_explain_options e = GPUOPT_EXPLAIN_OPTIONS_INIT;
  check_input<gpuopt_explain_options>(e, "options",
                                      [&](auto *o) { return gpuopt_explain(h.get(), &p.gemm, o, nullptr, nullptr); });
  char text[GPUOPT_CALL_TEXT_BYTES];
  size_t length = 0;
  check_input<gpuopt_gemm_args>(p.gemm, "args",
                                [&](auto *a) { return gpuopt_call_text(a, nullptr, text, sizeof text, &length); });
  check_input<gpuopt_explain_options>(
      e, "options", [&](auto *o) { return gpuopt_call_text(&p.gemm, o, text, sizeof text, &length); });
  check_input<gpuopt_device_facts>(pretend("sm_90"), "options.pretend", [&](auto *facts) {
    gpuopt_explain_options with = GPUOPT_EXPLAIN_OPTIONS_INIT;
    with.pretend = facts;
    const gpuopt_status s = gpuopt_explain(h.get(), &p.gemm, &with, nullptr, nullptr);
    return s == GPUOPT_NOT_SUPPORTED ? static_cast<gpuopt_status>(GPUOPT_OK) : s;
  });
  gpuopt_options o = GPUOPT_OPTIONS_INIT;
  o.device = GPUOPT_DEVICE_CPU;
  check_input<gpuopt_options>(o, "options", [&](auto *options) {
    gpuopt_handle *made = nullptr;
    const gpuopt_status s = gpuopt_create(&made, options);
    CHECK((made != nullptr) == (s == GPUOPT_OK));
    gpuopt_destroy(made);
    return s;
  });
  check_input<gpuopt_kernel>(*gpuopt_kernel_get(0), "kernel", [&](auto *k) -> gpuopt_status {
    const gpuopt_status s = gpuopt_register_kernel(k);
    return contains(gpuopt_last_error(), "is taken") ? static_cast<gpuopt_status>(GPUOPT_OK) : s;
  });
}

TEST_CASE(
    "structs: options of a program that was compiled before tune_cache are taken, and what lies behind is not read") {
  LastPage page;
  gpuopt_options o = GPUOPT_OPTIONS_INIT;
  o.struct_size = offsetof(gpuopt_options, tune_cache);
  o.device = GPUOPT_DEVICE_CPU;
  gpuopt_handle *h = nullptr;
  CHECK_MESSAGE(gpuopt_create(&h, page.hold(o, o.struct_size)) == GPUOPT_OK, last_error());
  gpuopt_destroy(h);
}

TEST_CASE("structs: what callers have filled is filled as far as its struct_size goes") {
  const Handle h = cpu_handle();
  check_output<gpuopt_device_facts>("GPUOPT_DEVICE_FACTS_INIT",
                                    [&](auto *facts) { return gpuopt_get_device(h.get(), facts); });
  check_output<gpuopt_device_facts>("GPUOPT_DEVICE_FACTS_INIT",
                                    [&](auto *facts) { return gpuopt_pretend_device("sm_90", facts); });
  check_output<gpuopt_device_facts>("GPUOPT_DEVICE_FACTS_INIT",
                                    [&](auto *facts) { return gpuopt_pretend_device("none", facts); });
  check_output<gpuopt_run_info>("GPUOPT_RUN_INFO_INIT", [&](auto *info) { return gpuopt_last_kernel(h.get(), info); });
  const gpuopt_device_facts facts = pretend("sm_90");
  for (size_t i = 0; const gpuopt_kernel *k = gpuopt_kernel_get(i); ++i) {  // a build without CUDA has none
    gpuopt_occupancy occupancy = GPUOPT_OCCUPANCY_INIT;
    if (gpuopt_kernel_occupancy(k, &facts, 0, &occupancy) != GPUOPT_OK) continue;
    check_output<gpuopt_occupancy>("GPUOPT_OCCUPANCY_INIT",
                                   [&](auto *o) { return gpuopt_kernel_occupancy(k, &facts, 0, o); });
    break;
  }
}

TEST_CASE("structs: args that were cleared are refused, an empty batch is not") {
  const Handle h = cpu_handle();
  Problems p;
  std::memset(static_cast<void *>(&p.gemm), 0, sizeof p.gemm);
  CHECK(gpuopt_gemm(h.get(), &p.gemm) == GPUOPT_INVALID_ARGUMENT);
  CHECK(contains(gpuopt_last_error(), "struct_size=0"));
  p.reset();
  const auto clear = [](auto &args, int op) {
    std::memset(static_cast<void *>(&args), 0, sizeof args);
    args.struct_size = sizeof args;
    args.op = op;
  };
  for (const bool by_hand : {false, true}) {
    clear(p.gemm, GPUOPT_OP_GEMM);
    clear(p.transpose, GPUOPT_OP_TRANSPOSE);
    clear(p.reduce, GPUOPT_OP_REDUCE);
    clear(p.fused, GPUOPT_OP_FUSED_ACT);
    clear(p.norm, GPUOPT_OP_NORM);
    clear(p.grouped, GPUOPT_OP_GEMM_GROUPED);
    p.fill();
    p.reduce.reduce = GPUOPT_REDUCE_SUM;
    p.reduce.axis = GPUOPT_ALL;
    p.norm.norm = GPUOPT_NORM_RMSNORM;
    if (by_hand)
      for (gpuopt_matrix *m : {&p.gemm.d, &p.transpose.dst, &p.reduce.out, &p.fused.out, &p.norm.out})
        m->batch_stride = 0;
    for (int op = GPUOPT_OP_GEMM; op < GPUOPT_OP_COUNT_; ++op) {
      CAPTURE(std::string(gpuopt_op_name(op)));
      const bool shows = by_hand || (op != GPUOPT_OP_TRANSPOSE && op != GPUOPT_OP_FUSED_ACT);
      CHECK(p.run(h.get(), op) == (shows ? static_cast<int>(GPUOPT_INVALID_ARGUMENT) : static_cast<int>(GPUOPT_OK)));
      if (shows) CHECK_MESSAGE(contains(gpuopt_last_error(), "cleared rather than started from"), last_error());
    }
  }
  p.reset();
  p.gemm.batch = p.transpose.batch = p.reduce.batch = p.fused.batch = p.norm.batch = 0;
  for (gpuopt_matrix *m : {&p.gemm.a, &p.transpose.src, &p.reduce.x, &p.fused.x, &p.norm.x}) m->batch_stride = 0;
  p.grouped.groups = 0;
  for (int op = GPUOPT_OP_GEMM; op < GPUOPT_OP_COUNT_; ++op)
    CHECK_MESSAGE(p.run(h.get(), op) == GPUOPT_OK, last_error());
}

TEST_CASE("structs: reserved fields of every matrix and struct must be zero") {
  const Handle h = cpu_handle();
  Problems p;
  const auto refused = [&](int op, auto &reserved, const char *field) {
    CHECK_MESSAGE(p.run(h.get(), op) == GPUOPT_OK, last_error());
    reserved = 1;
    CAPTURE(std::string(field));
    CHECK(p.run(h.get(), op) == GPUOPT_INVALID_ARGUMENT);
    CHECK_MESSAGE(contains(gpuopt_last_error(), std::string(field) + " is not zero"), last_error());
    reserved = 0;
  };
  for (int32_t gpuopt_scales::*field : {&gpuopt_scales::layout, &gpuopt_scales::block}) {
    refused(GPUOPT_OP_GEMM, p.gemm.a.scales.layout, "a.scales");
    refused(GPUOPT_OP_GEMM, p.gemm.b.scales.ld, "b.scales");
    refused(GPUOPT_OP_GEMM, p.gemm.c.scales.*field, "c.scales");
    refused(GPUOPT_OP_GEMM, p.gemm.d.scales.*field, "d.scales");
    refused(GPUOPT_OP_TRANSPOSE, p.transpose.src.scales.*field, "src.scales");
    refused(GPUOPT_OP_TRANSPOSE, p.transpose.dst.scales.*field, "dst.scales");
    refused(GPUOPT_OP_REDUCE, p.reduce.x.scales.*field, "x.scales");
    refused(GPUOPT_OP_REDUCE, p.reduce.y.scales.*field, "y.scales");
    refused(GPUOPT_OP_REDUCE, p.reduce.out.scales.*field, "out.scales");
    refused(GPUOPT_OP_REDUCE, p.reduce.value.scales.*field, "value.scales");
    refused(GPUOPT_OP_FUSED_ACT, p.fused.x.scales.*field, "x.scales");
    refused(GPUOPT_OP_FUSED_ACT, p.fused.out.scales.*field, "out.scales");
    for (gpuopt_matrix gpuopt_norm_args::*m :
         {&gpuopt_norm_args::x, &gpuopt_norm_args::residual, &gpuopt_norm_args::gamma, &gpuopt_norm_args::beta,
          &gpuopt_norm_args::out, &gpuopt_norm_args::sum, &gpuopt_norm_args::statistics})
      refused(GPUOPT_OP_NORM, (p.norm.*m).scales.*field, ".scales");
    p.fused.stages = &p.stage;
    p.fused.stage_count = 1;
    for (const int i : {0, 1}) refused(GPUOPT_OP_FUSED_ACT, p.stage.reserved[i], "stages[0].reserved");
    refused(GPUOPT_OP_FUSED_ACT, p.stage.a.scales.*field, "stages[0].a.scales");
    refused(GPUOPT_OP_FUSED_ACT, p.stage.b.scales.*field, "stages[0].b.scales");
    p.stage = gpuopt_act(GPUOPT_STAGE_RELU, 0, 0);
    refused(GPUOPT_OP_FUSED_ACT, p.stage.a.scales.*field, "stages[0].a.scales");
    refused(GPUOPT_OP_FUSED_ACT, p.stage.b.scales.*field, "stages[0].b.scales");
    p.reset();
  }
  for (int32_t *reserved : {&p.fused.reserved0, &p.norm.reserved0, &p.norm.reserved1}) {
    *reserved = 1;
    CHECK(p.run(h.get(), reserved == &p.fused.reserved0 ? GPUOPT_OP_FUSED_ACT : GPUOPT_OP_NORM) ==
          GPUOPT_INVALID_ARGUMENT);
    CHECK_MESSAGE(contains(gpuopt_last_error(), " is not zero"), last_error());
    *reserved = 0;
  }
  gpuopt_explain_options e = GPUOPT_EXPLAIN_OPTIONS_INIT;
  e.capturing = 2;
  CHECK(gpuopt_explain(h.get(), &p.gemm, &e, nullptr, nullptr) == GPUOPT_INVALID_ARGUMENT);
}

TEST_CASE("structs: alpha, beta and scales by pointer are aligned to what they point at") {
  const Handle h = cpu_handle();
  alignas(16) char scalars[32] = {};
  SmallGemm g;
  const auto refused = [&](const char *words) {
    CHECK(gpuopt_gemm(h.get(), &g.args) == GPUOPT_INVALID_ARGUMENT);
    CHECK_MESSAGE(contains(gpuopt_last_error(), words), last_error());
    CHECK(g.untouched());
  };
  for (const int off : {1, 2, 3}) {
    g.args.alpha_ptr = scalars + off;
    refused("is not aligned to one float (4 bytes)");
    CHECK(contains(gpuopt_last_error(), "alpha_ptr="));
  }
  g.args.alpha_ptr = scalars + 4;
  CHECK_MESSAGE(gpuopt_gemm(h.get(), &g.args) == GPUOPT_OK, last_error());
  g.reset();
  g.args.c = gpuopt_mat(g.c, 3, 5, GPUOPT_F32);
  g.args.beta_ptr = scalars + 2;
  refused("beta_ptr=");
  g.reset();
  double a[1] = {2}, b[1] = {3}, d[1] = {0};
  gpuopt_gemm_args wide = GPUOPT_GEMM_ARGS_INIT;
  wide.a = gpuopt_mat(a, 1, 1, GPUOPT_F64);
  wide.b = gpuopt_mat(b, 1, 1, GPUOPT_F64);
  wide.d = gpuopt_mat(d, 1, 1, GPUOPT_F64);
  wide.alpha_ptr = scalars + 4;
  CHECK(gpuopt_gemm(h.get(), &wide) == GPUOPT_INVALID_ARGUMENT);
  CHECK_MESSAGE(contains(gpuopt_last_error(), "is not aligned to one double (8 bytes)"), last_error());
  const double two = 2;
  wide.alpha_ptr = &two;
  CHECK_MESSAGE(gpuopt_gemm(h.get(), &wide) == GPUOPT_OK, last_error());
  CHECK(d[0] == 12);
  g.args.a.dtype = GPUOPT_E4M3;
  g.args.a.scale = reinterpret_cast<const float *>(scalars + 1);
  refused("a.scale=");
  CHECK(contains(gpuopt_last_error(), "is not aligned to one float"));
}

TEST_CASE("norm: rows without elements have statistics of zero") {
  const Handle h = cpu_handle();
  for (const int32_t kind : {GPUOPT_NORM_LAYERNORM, GPUOPT_NORM_RMSNORM, GPUOPT_NORM_SOFTMAX, GPUOPT_NORM_LOG_SOFTMAX})
    for (const int32_t layout : {GPUOPT_ROW, GPUOPT_COL}) {
      CAPTURE(kind);
      CAPTURE(layout);
      constexpr int64_t rows = 5, batch = 3;
      float values[256];
      for (float &v : values) v = 7;
      gpuopt_norm_args n = GPUOPT_NORM_ARGS_INIT;
      n.norm = kind;
      n.batch = batch;
      n.x = n.out = gpuopt_mat(nullptr, rows, 0, GPUOPT_F32);
      n.statistics = gpuopt_mat(values, rows, 2, GPUOPT_F32);
      n.statistics.layout = layout;
      n.statistics.ld = layout == GPUOPT_ROW ? 3 : 6;
      n.statistics.batch_stride = 40;
      CHECK_MESSAGE(gpuopt_norm(h.get(), &n) == GPUOPT_OK, last_error());
      for (int64_t i = 0; i < 256; ++i) {
        const int64_t in = i % 40, line = in / n.statistics.ld, at = in % n.statistics.ld;
        const bool one = i < 40 * batch && (layout == GPUOPT_ROW ? line < rows && at < 2 : line < 2 && at < rows);
        CHECK(values[i] == (one ? 0.0f : 7.0f));
      }
      CHECK_MESSAGE(gpuopt_explain(h.get(), &n, nullptr, nullptr, nullptr) == GPUOPT_OK, last_error());
      n.batch = 1;
      n.statistics = gpuopt_mat(nullptr, rows, 2, GPUOPT_F32);
      CHECK(gpuopt_norm(h.get(), &n) == GPUOPT_INVALID_ARGUMENT);
    }
}
