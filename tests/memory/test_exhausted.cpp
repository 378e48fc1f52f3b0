// Memory that runs out at any allocation of any entry point: a status, or nothing, never an exception and never an abort. A
// refused call has written nothing and leaks nothing, the handle goes on working, and once the output is written the call is
// a success.
#include "hooks.h"
#include "support.h"

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

using namespace gpuopt_test;

namespace {

constexpr gpuopt_signature kAny[] = {{{-1, -1, -1, -1}, -1}};

// A handle with one problem of every op, and what a test may do to it. Aligned, so that each is the same problems.
struct alignas(64) Bench {
  gpuopt_handle *h = nullptr;
  int lines = 0, candidates = 0, blocks = 0;
  SmallGemm g;
  gpuopt_stage relu = gpuopt_act(GPUOPT_STAGE_RELU, 0, 0);
  gpuopt_transpose_args t = GPUOPT_TRANSPOSE_ARGS_INIT;
  gpuopt_reduce_args r = GPUOPT_REDUCE_ARGS_INIT;
  gpuopt_fused_act_args f = GPUOPT_FUSED_ACT_ARGS_INIT;
  gpuopt_norm_args n = GPUOPT_NORM_ARGS_INIT;
  gpuopt_gemm_grouped_args grouped = GPUOPT_GEMM_GROUPED_ARGS_INIT;
  int64_t offsets[3] = {0, 1, 3};
  gpuopt_device_facts facts = GPUOPT_DEVICE_FACTS_INIT;
  gpuopt_run_info info = GPUOPT_RUN_INFO_INIT;
  gpuopt_occupancy occupancy = GPUOPT_OCCUPANCY_INIT;
  gpuopt_counter counters[8] = {};
  size_t size = 0;
  void *memory = nullptr;

  Bench() {
    g.args.stages = &relu;
    g.args.stage_count = 1;
    t.src = gpuopt_mat(g.c, 3, 5, GPUOPT_F32);
    t.dst = gpuopt_mat(g.d, 5, 3, GPUOPT_F32);
    r.axis = GPUOPT_EACH_COL;
    r.x = f.x = n.x = t.src;
    r.out = gpuopt_mat(g.d, 1, 5, GPUOPT_F32);
    f.out = n.out = gpuopt_mat(g.d, 3, 5, GPUOPT_F32);
    f.stages = &relu;
    f.stage_count = 1;
    grouped.a = gpuopt_mat(g.a, 3, 2, GPUOPT_F32);
    grouped.b = gpuopt_mat(g.b, 2, 2, GPUOPT_F32);
    grouped.b.batch_stride = 0;
    grouped.d = gpuopt_mat(g.d, 3, 2, GPUOPT_F32);
    grouped.groups = 2;
    grouped.host_offsets = offsets;
    grouped.stages = &relu;
    grouped.stage_count = 1;
  }
  Bench(const Bench &) = delete;
  ~Bench() { gpuopt_destroy(h); }

  static void line(void *self, const char *) { ++static_cast<Bench *>(self)->lines; }
  static void candidate(void *self, const gpuopt_candidate *) { ++static_cast<Bench *>(self)->candidates; }
  static void *allocate(void *self, size_t bytes, CUstream_st *) {
    void *block = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
    static_cast<Bench *>(self)->blocks += block != nullptr;
    return block;
  }
  static void deallocate(void *self, void *block, CUstream_st *) {
    --static_cast<Bench *>(self)->blocks;
    std::free(block);
  }
};

// A tuned-choice file with what can be right and wrong in one.
const char *tuned_file() {
  static const std::string path = [] {
    std::string made = "gpuopt_exhausted.tune";
    Bench b;
    gpuopt_options o = GPUOPT_OPTIONS_INIT;
    o.device = GPUOPT_DEVICE_CPU;
    REQUIRE(gpuopt_create(&b.h, &o) == GPUOPT_OK);
    std::ofstream file(made);
    file << "gpuopt tune 1\nnonsense of a file\n";
    const std::pair<const void *, const char *> entries[] = {
        {&b.g.args, " kernel=gemm_cpu_reference+fused_act_cpu_reference version=1+1\n"},
        {&b.t, " kernel=transpose_cpu_reference version=1\n"},
        {&b.r, " kernel=reduce_cpu_reference version=77\n"},
        {&b.n, " kernel=norm_cpu_referense_with_a_long_name version=1\n"}};
    for (const auto &e : entries) {
      char key[GPUOPT_TUNE_KEY_BYTES];
      for (const int32_t kind : {GPUOPT_TUNE_EXACT, GPUOPT_TUNE_CLASS}) {
        REQUIRE(gpuopt_tune_key(b.h, e.first, nullptr, kind, key, sizeof key, &b.size) == GPUOPT_OK);
        file << key << e.second;
      }
    }
    return made;
  }();
  return path.c_str();
}

struct Setting {
  const char *verbose, *kernels;
  bool own_allocator, tuned = false;
};

// threads: 0 asks the system, which takes longer than all the rest.
gpuopt_status create(Bench &b, const Setting &s, int32_t threads) {
  gpuopt_options o = GPUOPT_OPTIONS_INIT;
  o.device = GPUOPT_DEVICE_CPU;
  o.num_threads = threads;
  o.verbose = s.verbose;
  o.kernel = s.kernels;
  o.log_file = "/dev/null";
  o.tune_cache = s.tuned ? tuned_file() : nullptr;
  if (s.own_allocator) o.allocate = Bench::allocate, o.deallocate = Bench::deallocate, o.allocator_user = &b;
  return gpuopt_create(&b.h, &o);
}

// A gemm kernel with workspace of both kinds: the CPU's own ask for theirs only in larger problems.
gpuopt_status writes(const gpuopt_problem *p, const gpuopt_launch *l) {
  if (l->scratch == nullptr || l->zeroed == nullptr) return GPUOPT_INTERNAL;
  std::memset(p->operand[3].m.data, 1, static_cast<size_t>(p->m * p->n) * sizeof(float));
  return GPUOPT_OK;
}
const gpuopt_kernel *hungry() {
  static gpuopt_kernel *const k = [] {
    auto *made = new gpuopt_kernel();
    made->struct_size = sizeof *made;
    made->name = "gemm_test_hungry_with_a_long_name";
    made->summary = "synthetic";
    made->op = GPUOPT_OP_GEMM;
    made->flags = GPUOPT_KERNEL_HOST | GPUOPT_KERNEL_TEACHING;
    made->understands = ~0u;
    made->stage_kinds = ~UINT64_C(0);
    made->max_stages = GPUOPT_MAX_STAGES;
    made->signatures = kAny;
    made->signature_count = 1;
    made->workspace = [](const gpuopt_problem *, size_t *scratch, size_t *zeroed) { *scratch = 5000, *zeroed = 300; };
    made->launch = writes;
    made->algorithms = [](const gpuopt_problem *, const gpuopt_launch *, char *text) {
      std::strcpy(text, "an_algorithm_whose_name_is_longer_than_what_a_string_holds_in_itself other");
      return static_cast<gpuopt_status>(GPUOPT_OK);
    };
    return made;
  }();
  return k;
}

// One entry of the C ABI: OK where it did its work. `needs`: its status must be OUT_OF_MEMORY, or OK, when memory runs out;
// without, it has no status to say so.
struct Entry {
  const char *name;
  gpuopt_status (*call)(Bench &);
};
gpuopt_status yes(bool did) { return did ? GPUOPT_OK : GPUOPT_OUT_OF_MEMORY; }

template <class Struct, gpuopt_status (*initialise)(Struct *, size_t)>
gpuopt_status initial_values(Bench &) {
  Struct s;
  return initialise(&s, sizeof s);
}

const Entry kEntries[] = {
    {"matrix_init",
     [](Bench &) -> gpuopt_status {
       gpuopt_matrix m;
       return gpuopt_matrix_init(&m);
     }},
    {"gemm_args_init", initial_values<gpuopt_gemm_args, gpuopt_gemm_args_init>},
    {"transpose_args_init", initial_values<gpuopt_transpose_args, gpuopt_transpose_args_init>},
    {"reduce_args_init", initial_values<gpuopt_reduce_args, gpuopt_reduce_args_init>},
    {"fused_act_args_init", initial_values<gpuopt_fused_act_args, gpuopt_fused_act_args_init>},
    {"norm_args_init", initial_values<gpuopt_norm_args, gpuopt_norm_args_init>},
    {"gemm_grouped_args_init", initial_values<gpuopt_gemm_grouped_args, gpuopt_gemm_grouped_args_init>},
    {"options_init", initial_values<gpuopt_options, gpuopt_options_init>},
    {"explain_options_init", initial_values<gpuopt_explain_options, gpuopt_explain_options_init>},
    {"device_facts_init", initial_values<gpuopt_device_facts, gpuopt_device_facts_init>},
    {"run_info_init", initial_values<gpuopt_run_info, gpuopt_run_info_init>},
    {"occupancy_init", initial_values<gpuopt_occupancy, gpuopt_occupancy_init>},
    {"create",
     [](Bench &b) -> gpuopt_status {
       Bench other;
       const gpuopt_status s =
           create(other, {"all", "gemm=gemm_cpu_reference_with_a_long_name,transpose_cpu_reference", false}, 0);
       b.size = s == GPUOPT_OK;
       return s;
     }},
    {"destroy", [](Bench &b) -> gpuopt_status { return gpuopt_destroy(b.h), b.h = nullptr, GPUOPT_OK; }},
    {"set_stream", [](Bench &b) -> gpuopt_status { return gpuopt_set_stream(b.h, nullptr); }},
    {"set_kernel",
     [](Bench &b) -> gpuopt_status {
       return gpuopt_set_kernel(b.h, "gemm=a_kernel_with_a_name_that_does_not_fit_inside");
     }},
    {"set_disabled",
     [](Bench &b) -> gpuopt_status {
       return gpuopt_set_disabled(b.h, "a_glob_with_a_name_that_does_not_fit_inside*,other");
     }},
    {"set_tune_cache", [](Bench &b) -> gpuopt_status { return gpuopt_set_tune_cache(b.h, tuned_file()); }},
    {"set_verbose", [](Bench &b) -> gpuopt_status { return gpuopt_set_verbose(b.h, "error,dispatch,exec,profile"); }},
    {"set_workspace", [](Bench &b) -> gpuopt_status { return gpuopt_set_workspace(b.h, nullptr, 0); }},
    {"set_log", [](Bench &b) -> gpuopt_status { return gpuopt_set_log(b.h, Bench::line, &b); }},
    {"set_profiling", [](Bench &b) -> gpuopt_status { return gpuopt_set_profiling(b.h, 1); }},
    {"get_device", [](Bench &b) -> gpuopt_status { return gpuopt_get_device(b.h, &b.facts); }},
    {"malloc",
     [](Bench &b) -> gpuopt_status {
       const gpuopt_status s = gpuopt_malloc(b.h, &b.memory, 1000);
       return s != GPUOPT_OK ? s : gpuopt_free(b.h, b.memory);
     }},
    {"free", [](Bench &b) -> gpuopt_status { return gpuopt_free(b.h, nullptr); }},
    {"copy", [](Bench &b) -> gpuopt_status { return gpuopt_copy(b.h, b.g.a, b.g.b, sizeof b.g.a); }},
    {"fill", [](Bench &b) -> gpuopt_status { return gpuopt_fill(b.h, b.g.a, 1, sizeof b.g.a); }},
    {"synchronize", [](Bench &b) -> gpuopt_status { return gpuopt_synchronize(b.h); }},
    {"gemm", [](Bench &b) -> gpuopt_status { return gpuopt_gemm(b.h, &b.g.args); }},
    {"transpose", [](Bench &b) -> gpuopt_status { return gpuopt_transpose(b.h, &b.t); }},
    {"reduce", [](Bench &b) -> gpuopt_status { return gpuopt_reduce(b.h, &b.r); }},
    {"fused_act", [](Bench &b) -> gpuopt_status { return gpuopt_fused_act(b.h, &b.f); }},
    {"norm", [](Bench &b) -> gpuopt_status { return gpuopt_norm(b.h, &b.n); }},
    {"gemm_grouped", [](Bench &b) -> gpuopt_status { return gpuopt_gemm_grouped(b.h, &b.grouped); }},
    {"prepare", [](Bench &b) -> gpuopt_status { return gpuopt_prepare(b.h, &b.g.args); }},
    {"workspace_size", [](Bench &b) -> gpuopt_status { return gpuopt_workspace_size(b.h, &b.g.args, &b.size); }},
    {"explain",
     [](Bench &b) -> gpuopt_status { return gpuopt_explain(b.h, &b.g.args, nullptr, Bench::candidate, &b); }},
    {"tune_key",
     [](Bench &b) -> gpuopt_status {
       char key[GPUOPT_TUNE_KEY_BYTES];
       return gpuopt_tune_key(b.h, &b.g.args, nullptr, GPUOPT_TUNE_CLASS, key, sizeof key, &b.size);
     }},
    {"algorithms",
     [](Bench &b) -> gpuopt_status {
       char text[GPUOPT_ALGORITHMS_BYTES];
       return gpuopt_algorithms(b.h, &b.g.args, text, sizeof text, &b.size);
     }},
    {"call_text",
     [](Bench &b) -> gpuopt_status {
       char text[GPUOPT_CALL_TEXT_BYTES];
       return gpuopt_call_text(&b.g.args, nullptr, text, sizeof text, &b.size);
     }},
    {"pretend_device", [](Bench &b) -> gpuopt_status { return gpuopt_pretend_device("sm_120", &b.facts); }},
    {"last_kernel", [](Bench &b) -> gpuopt_status { return gpuopt_last_kernel(b.h, &b.info); }},
    {"counters", [](Bench &b) -> gpuopt_status { return gpuopt_counters(b.h, b.counters, 8, &b.size); }},
    {"reset_counters", [](Bench &b) -> gpuopt_status { return gpuopt_reset_counters(b.h); }},
    {"kernel_count", [](Bench &) -> gpuopt_status { return yes(gpuopt_kernel_count() > 0); }},
    {"kernel_get", [](Bench &) -> gpuopt_status { return yes(gpuopt_kernel_get(0) != nullptr); }},
    {"kernel_find", [](Bench &) -> gpuopt_status { return yes(gpuopt_kernel_find(hungry()->name) == hungry()); }},
    {"kernel_occupancy",
     [](Bench &b) -> gpuopt_status {
       const gpuopt_status s = gpuopt_kernel_occupancy(hungry(), &b.facts, 0, &b.occupancy);
       return s == GPUOPT_NOT_SUPPORTED ? static_cast<gpuopt_status>(GPUOPT_OK) : s;
     }},
    {"register_kernel",
     [](Bench &) -> gpuopt_status {
       static int made = 0;
       auto *k = static_cast<gpuopt_kernel *>(nullptr);
       with_memory([&] {  // descriptors live forever; one that was refused is tried no more
         static auto *const all = new std::vector<std::pair<gpuopt_kernel *, std::string *>>;
         all->emplace_back(new gpuopt_kernel(*hungry()), new std::string("gemm_test_scarce_" + std::to_string(made++)));
         k = all->back().first;
         k->name = all->back().second->c_str();
       });
       return gpuopt_register_kernel(k);
     }},
    {"kernel_origin",
     [](Bench &) -> gpuopt_status {
       const char *const origin = gpuopt_kernel_origin(hungry());
       return yes(origin != nullptr && std::strcmp(origin, "application") == 0);
     }},
    {"load_plugin", [](Bench &) -> gpuopt_status { return gpuopt_load_plugin(GPUOPT_TEST_SOUND_PLUGIN); }},
    {"check_plugin",
     [](Bench &b) -> gpuopt_status { return gpuopt_check_plugin(GPUOPT_TEST_SOUND_PLUGIN, Bench::line, &b); }},
    {"last_error", [](Bench &) -> gpuopt_status { return yes(gpuopt_last_error() != nullptr); }},
    {"version", [](Bench &) -> gpuopt_status { return yes(gpuopt_version() > 0); }},
    {"build_info", [](Bench &) -> gpuopt_status { return yes(gpuopt_build_info() != nullptr); }},
    {"status_name", [](Bench &) -> gpuopt_status { return yes(gpuopt_status_name(6) != nullptr); }},
    {"dtype_name", [](Bench &) -> gpuopt_status { return yes(gpuopt_dtype_name(1) != nullptr); }},
    {"dtype_size", [](Bench &) -> gpuopt_status { return yes(gpuopt_dtype_size(1) == 4); }},
    {"compute_name", [](Bench &) -> gpuopt_status { return yes(gpuopt_compute_name(1) != nullptr); }},
    {"op_name", [](Bench &) -> gpuopt_status { return yes(gpuopt_op_name(1) != nullptr); }},
    {"stage_name", [](Bench &) -> gpuopt_status { return yes(gpuopt_stage_name(1) != nullptr); }},
    {"reduce_name", [](Bench &) -> gpuopt_status { return yes(gpuopt_reduce_name(1) != nullptr); }},
    {"norm_name", [](Bench &) -> gpuopt_status { return yes(gpuopt_norm_name(1) != nullptr); }},
    {"reject_name", [](Bench &) -> gpuopt_status { return yes(gpuopt_reject_name(1) != nullptr); }},
};

bool writes_output(const std::string &name) {
  return name == "gemm" || name == "transpose" || name == "reduce" || name == "fused_act" || name == "norm" ||
         name == "gemm_grouped";
}

// Every allocation of one entry under one setting; returns how many runs failed somewhere.
int sweep(const Entry &entry, const Setting &setting, bool from_then_on) {
  const std::string name = entry.name;
  int failures = 0;
  for (int64_t n = 0; n < 5000; ++n) {
    const int64_t before = blocks_held();
    bool any = false;
    {
      Bench b;
      REQUIRE_MESSAGE(create(b, setting, 2) == GPUOPT_OK, last_error());
      gpuopt_set_log(b.h, Bench::line, &b);
      if (name == "counters" || name == "destroy" || name == "reset_counters") gpuopt_gemm(b.h, &b.g.args);
      if (name == "kernel_occupancy") gpuopt_pretend_device("sm_90", &b.facts);
      std::memset(b.g.d, 0x7f, sizeof b.g.d);
      gpuopt_status s = GPUOPT_INTERNAL;
      any = fails_at(n, from_then_on, [&] { s = entry.call(b); });
      CHECK_MESSAGE((s == GPUOPT_OK || (any && s == GPUOPT_OUT_OF_MEMORY)), name, ", allocation ", n, ": ",
                    gpuopt_status_name(s), ": ", last_error());
      if (writes_output(name)) {
        CHECK(b.g.untouched() == (s != GPUOPT_OK));
        gpuopt_last_kernel(b.h, &b.info);
        CHECK((b.info.kernel != nullptr) == (s == GPUOPT_OK));
      }
      failures += any;
      if (any && b.h != nullptr) {  // the handle is as good as new
        CHECK_MESSAGE(gpuopt_set_kernel(b.h, setting.kernels) == GPUOPT_OK, last_error());
        CHECK_MESSAGE(gpuopt_gemm(b.h, &b.g.args) == GPUOPT_OK, name, ", allocation ", n, ": ", last_error());
        if (name != "register_kernel") CHECK_MESSAGE(entry.call(b) == GPUOPT_OK, name, ": ", last_error());
      }
      gpuopt_destroy(b.h);
      b.h = nullptr;
      CHECK(b.blocks == 0);
    }
    // The registry keeps what it was given, and lists of it until the next one is made.
    if (name != "register_kernel") CHECK_MESSAGE(blocks_held() == before, name, ", allocation ", n, " leaks");
    if (!any) return failures;
  }
  FAIL_CHECK(name << ": it never comes to an end");
  return failures;
}

}  // namespace

TEST_CASE("out of memory: the test sees allocations of the library") {
  gpuopt_handle *h = nullptr;
  CHECK(fails_at(0, false, [&] { CHECK(gpuopt_create(&h, nullptr) == GPUOPT_OUT_OF_MEMORY); }));
  CHECK(h == nullptr);
  const Handle owner = cpu_handle();
  void *memory = nullptr;
  CHECK(fails_at(0, false, [&] { CHECK(gpuopt_malloc(owner.get(), &memory, 64) == GPUOPT_OUT_OF_MEMORY); }));
}

TEST_CASE("out of memory: the sweep knows every entry point of gpuopt.h") {
  std::ifstream file(GPUOPT_TEST_SOURCE_DIR "/../include/gpuopt/gpuopt.h");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::set<std::string> declared, swept;
  const std::regex entry("GPUOPT_API [^;(]*?gpuopt_(\\w+)\\(");
  for (std::sregex_iterator i(text.begin(), text.end(), entry), end; i != end; ++i) declared.insert((*i)[1]);
  for (const Entry &e : kEntries) swept.insert(e.name);
  CHECK(declared.size() > 40);
  for (const std::string &name : declared) CHECK_MESSAGE(swept.count(name) == 1, name);
  for (const std::string &name : swept) CHECK_MESSAGE(declared.count(name) == 1, name);
}

TEST_CASE("out of memory: every allocation of every entry point") {
  REQUIRE((gpuopt_kernel_find(hungry()->name) || gpuopt_register_kernel(hungry()) == GPUOPT_OK));
  tuned_file();
  {  // what the process keeps: the thread pool, names of two-step kernels, the list of kernels
    Bench warm, tuned;
    REQUIRE(create(warm, {"none", "", false}, 2) == GPUOPT_OK);
    for (const Entry &e : kEntries)
      if (std::string(e.name) != "destroy") e.call(warm);
    REQUIRE(create(tuned, {"none", "", false, true}, 2) == GPUOPT_OK);
    REQUIRE(gpuopt_gemm(tuned.h, &tuned.g.args) == GPUOPT_OK);
    gpuopt_last_kernel(tuned.h, &tuned.info);
    CHECK(tuned.info.how == GPUOPT_HOW_TUNED);
  }
  constexpr const char *kReferences =
      "gemm_cpu_reference,transpose_cpu_reference,reduce_cpu_reference,fused_act_cpu_reference,norm_cpu_reference,"
      "gemm_grouped_cpu_reference";
  int failures = 0;
  for (const bool from_then_on : {false, true})
    for (const char *verbose : {"none", "warn", "info", "dispatch", "exec", "profile", "all"}) {
      CAPTURE(std::string(verbose));
      for (const Setting &s :
           {Setting{verbose, "", false}, Setting{verbose, kReferences, false},
            Setting{verbose, "gemm_test_hungry_with_a_long_name", true}, Setting{verbose, "", false, true}}) {
        const std::string level = verbose;
        if (s.tuned && level != "none" && level != "all") continue;
        for (const Entry &e : kEntries) failures += sweep(e, s, from_then_on);
      }
    }
  std::remove(tuned_file());
  MESSAGE("allocations that failed: ", failures);
  CHECK(failures > 3000);
}

TEST_CASE("out of memory: a message that takes memory to write") {
  gpuopt_device_facts facts = GPUOPT_DEVICE_FACTS_INIT;
  for (int n = 0; n < 100; ++n) {
    gpuopt_status s = GPUOPT_OK;
    if (!fails_at(n, false, [&] { s = gpuopt_pretend_device("no_such_device", &facts); })) {
      CHECK(n > 0);
      return;
    }
    CHECK((s == GPUOPT_INVALID_ARGUMENT || s == GPUOPT_OUT_OF_MEMORY));
  }
  FAIL_CHECK("it never comes to an end");
}

TEST_CASE("out of memory: the registry is as it was, or has one kernel more") {
  static gpuopt_kernel k = *hungry(), other = k;
  k.name = "gemm_test_scarce_with_a_long_name";
  k.aliases = "gemm_test_scarce_one_with_a_long_name,gemm_test_scarce_two_with_a_long_name";
  const size_t before = gpuopt_kernel_count();
  int n = 0;
  for (bool any = true; any; ++n) {
    REQUIRE(n < 1000);
    gpuopt_status s = GPUOPT_OK;
    any = fails_at(n, false, [&] { s = gpuopt_register_kernel(&k); });
    CHECK(s == (any ? static_cast<int>(GPUOPT_OUT_OF_MEMORY) : static_cast<int>(GPUOPT_OK)));
    CHECK(gpuopt_kernel_count() == before + (s == GPUOPT_OK ? 1 : 0));
    for (const char *name : {k.name, "gemm_test_scarce_one_with_a_long_name"})
      CHECK(gpuopt_kernel_find(name) == (s == GPUOPT_OK ? &k : nullptr));
  }
  CHECK(n > 3);
  // The first look after a registration makes the new list; without memory there is nothing to see, and later there is.
  other.name = "gemm_test_scarce_other";
  REQUIRE(gpuopt_register_kernel(&other) == GPUOPT_OK);
  for (n = 0;; ++n) {
    REQUIRE(n < 100);
    const gpuopt_kernel *first = nullptr;
    if (!fails_at(n, false, [&] { first = gpuopt_kernel_get(0); })) {
      CHECK(first != nullptr);
      break;
    }
  }
  CHECK(n > 0);
  CHECK(gpuopt_kernel_get(0) != nullptr);
  CHECK(gpuopt_kernel_find("gemm_test_scarce_other") == &other);
}
