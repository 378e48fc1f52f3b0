// Step 4 of the call: which tuned entry decides, and what passes one over.
#include "gpuopt/kernel.h"
#include "tuned.h"

using namespace gpuopt_test;

namespace {

gpuopt_kernel &teaching() {
  static gpuopt_kernel k = make_tuned_kernel({"gemm_test_tuned_teaching", 3});
  register_once(k);
  return k;
}
gpuopt_kernel &silent() {  // without a prediction
  static gpuopt_kernel k = make_tuned_kernel({"gemm_test_tuned_silent", 1, 0});
  register_once(k);
  return k;
}
gpuopt_kernel &unrepeatable() {
  static gpuopt_kernel k = make_tuned_kernel({"gemm_test_tuned_random", 1, GPUOPT_KERNEL_NONDETERMINISTIC});
  register_once(k);
  return k;
}
gpuopt_kernel &refusing() {
  static gpuopt_kernel k = [] {
    gpuopt_kernel made = make_tuned_kernel({"gemm_test_tuned_refusing", 1});
    made.prepare = [](const gpuopt_problem *, const gpuopt_launch *) {
      return static_cast<gpuopt_status>(GPUOPT_NOT_SUPPORTED);
    };
    return made;
  }();
  register_once(k);
  return k;
}

// One call under a tuned-choice file of such entries; explain must have named what ran.
struct Called {
  std::string ran, text;  // text: of the chosen candidate
  Candidates candidates;
  std::vector<std::string> passed_over;  // what the log says of them
};
Called call(TunedHandle &h, const gpuopt_gemm_args &args) {
  Called out;
  const gpuopt_status explained = gpuopt_explain(h.get(), &args, nullptr, Candidates::add, &out.candidates);
  REQUIRE_MESSAGE(explained == GPUOPT_OK, last_error());
  const Candidate chosen = out.candidates.all.at(0);
  LogLines log;
  REQUIRE(gpuopt_set_log(h.get(), LogLines::add, &log) == GPUOPT_OK);
  REQUIRE_MESSAGE(gpuopt_gemm(h.get(), &args) == GPUOPT_OK, last_error());
  REQUIRE(gpuopt_set_log(h.get(), nullptr, nullptr) == GPUOPT_OK);
  out.ran = ran(h.get());
  out.text = chosen.text;
  CHECK(chosen.verdict == GPUOPT_VERDICT_CHOSEN);
  CHECK(out.ran.rfind(chosen.kernel + " ", 0) == 0);
  gpuopt_run_info info = GPUOPT_RUN_INFO_INIT;
  REQUIRE(gpuopt_last_kernel(h.get(), &info) == GPUOPT_OK);
  CHECK(info.how == chosen.how);
  for (const std::string &line : log.lines)
    if (contains(line, ",passed-over,")) out.passed_over.push_back(line);
  return out;
}

struct Case {
  TempFolder folder;
  std::string path = folder / "x.tune";
  SmallGemm g;
  std::string exact, wide;
  Case() {
    const TunedHandle h("none");
    exact = tune_key(h.get(), &g.args);
    wide = tune_key(h.get(), &g.args, GPUOPT_TUNE_CLASS);
  }
  Called with(const std::string &entries) {
    write_file(path, kHeaderLine + entries);
    TunedHandle h(path, "dispatch");
    return call(h, g.args);
  }
  std::string untuned() {
    TunedHandle h("none");
    return call(h, g.args).ran;
  }
};

constexpr const char *kReference = "gemm_cpu_reference", *kBlocked = "gemm_cpu_blocked";

}  // namespace

TEST_CASE("tuned: an exact entry decides before a class entry, and either before predictions") {
  Case c;
  CHECK(c.untuned() == std::string(kBlocked) + " predicted");
  CHECK(c.with("").ran == std::string(kBlocked) + " predicted");
  const Called by_class = c.with(entry(c.wide, kReference));
  CHECK(by_class.ran == std::string(kReference) + " tuned");
  CHECK(by_class.text == "can run; by class entry " + c.path + ":2");
  const Armed now;
  teaching();
  const Called by_exact =
      c.with("# both\n" + entry(c.wide, kReference) + entry(c.exact, "gemm_test_tuned_teaching", "3"));
  CHECK(by_exact.ran == "gemm_test_tuned_teaching tuned");
  CHECK(contains(by_exact.text, "; by exact entry " + c.path + ":4"));
  CHECK(c.g.d[0] == 7);
}

TEST_CASE("tuned: the exec line of a call says that it was tuned") {
  Case c;
  write_file(c.path, kHeaderLine + entry(c.exact, kReference));
  const TunedHandle h(c.path, "exec");
  REQUIRE_MESSAGE(gpuopt_gemm(h.get(), &c.g.args) == GPUOPT_OK, last_error());
  const std::string log = read_file(h.log);
  CHECK_MESSAGE(contains(log, "gpuopt,v2,exec,gemm,gemm_cpu_reference,cpu,gemm compute=f32 "), log);
  CHECK_MESSAGE(contains(log, ",tuned,0,"), log);
}

TEST_CASE("tuned: a class entry decides for the shapes near its own") {
  Case c;
  alignas(16) float a[24] = {}, b[20] = {}, d[30];
  gpuopt_gemm_args g = GPUOPT_GEMM_ARGS_INIT;
  g.b = gpuopt_mat(b, 4, 5, GPUOPT_F32);
  const auto of = [&](int64_t m) {
    g.a = gpuopt_mat(a, m, 4, GPUOPT_F32);
    g.d = gpuopt_mat(d, m, 5, GPUOPT_F32);
    return g;
  };
  const TunedHandle none("none");
  const gpuopt_gemm_args four = of(4);
  write_file(c.path, kHeaderLine + entry(tune_key(none.get(), &four, GPUOPT_TUNE_CLASS), kReference));
  TunedHandle h(c.path);
  for (const int64_t m : {3, 4, 5}) CHECK(call(h, of(m)).ran == std::string(kReference) + " tuned");
  for (const int64_t m : {2, 6}) CHECK(call(h, of(m)).ran == std::string(kBlocked) + " predicted");
  // Rows that are not as aligned are another class.
  gpuopt_gemm_args off = of(4);
  off.d.data = d + 1;
  CHECK(call(h, off).ran == std::string(kBlocked) + " predicted");
}

TEST_CASE("tuned: of two entries with one key the later one counts") {
  Case c;
  CHECK(c.with(entry(c.exact, kReference) + entry(c.exact, kBlocked)).text ==
        "can run; by exact entry " + c.path + ":3");
}

TEST_CASE("tuned: kernels that teach or predict nothing run, one that is not deterministic where the call allows it") {
  const Armed now;
  silent();
  unrepeatable();
  Case c;
  CHECK(c.with(entry(c.exact, "gemm_test_tuned_silent")).ran == "gemm_test_tuned_silent tuned");
  const Called not_allowed = c.with(entry(c.exact, "gemm_test_tuned_random"));
  CHECK(not_allowed.ran == std::string(kBlocked) + " predicted");
  REQUIRE(not_allowed.passed_over.size() == 1);
  CHECK(contains(not_allowed.passed_over[0],
                 "dispatch,gemm,gemm_test_tuned_random,passed-over,NOT_DETERMINISTIC,its tuned exact entry " + c.path +
                     ":2 is passed over: NOT_DETERMINISTIC: "));
  c.g.args.flags = GPUOPT_ALLOW_NONDETERMINISTIC;
  const TunedHandle h("none");
  const std::string allowed = tune_key(h.get(), &c.g.args);
  CHECK(c.with(entry(allowed, "gemm_test_tuned_random")).ran == "gemm_test_tuned_random tuned");
}

TEST_CASE("tuned: an entry of another version, name, op or algorithm is passed over, and the log says why") {
  const Armed now;
  teaching();
  Case c;
  struct {
    std::string entry, why;
    bool candidate;  // whose text says it too
  } const cases[] = {
      {entry(c.exact, "gemm_test_tuned_teaching", "2"),
       "version=2: gemm_test_tuned_teaching is of version 3; so it must be tuned again", true},
      {entry(c.exact, "gemm_test_tuned_teach", "3"),
       "kernel=gemm_test_tuned_teach: no kernel is named 'gemm_test_tuned_teach'; nearest: gemm_test_tuned_teaching",
       false},
      {entry(c.exact, "transpose_cpu_reference", "1"), "kernel=transpose_cpu_reference: it is no kernel of gemm",
       false},
      {entry(c.exact, "gemm_cpu_reference+gemm_cpu_blocked", "1+1"),
       "kernel=gemm_cpu_reference+gemm_cpu_blocked: two steps are a kernel of gemm and one of fused_act", false},
      {c.exact + " kernel=gemm_cpu_reference version=1 algorithm=66.3\n",
       "algorithm=66.3: gemm_cpu_reference offers no algorithms", true}};
  for (const auto &one : cases) {
    const Called called = c.with(one.entry + entry(c.wide, kReference));
    CHECK(called.ran == std::string(kReference) + " tuned");
    REQUIRE(called.passed_over.size() == 1);
    CHECK_MESSAGE(contains(called.passed_over[0], c.path + ":2 is passed over: " + one.why), called.passed_over[0]);
    bool told = false;
    for (const Candidate &candidate : called.candidates.all)
      told = told || contains(candidate.text, c.path + ":2 is passed over: ");
    CHECK(told == one.candidate);
  }
}

TEST_CASE("tuned: an entry is bound to its kernel's version and to nothing else of a release") {
  const Armed now;
  gpuopt_kernel &k = teaching();
  Case c;
  const std::string entries = entry(c.exact, k.name, "3");
  CHECK(c.with(entries).ran == "gemm_test_tuned_teaching tuned");
  // A release with other kernels in it, and with another version of one that is not in the entry.
  static gpuopt_kernel added = make_tuned_kernel({"gemm_test_tuned_added", 1});
  register_once(added);
  silent().version = 9;
  CHECK(c.with(entries).ran == "gemm_test_tuned_teaching tuned");
  k.version = 4;
  CHECK(c.with(entries).ran == std::string(kBlocked) + " predicted");
  k.version = 3;
}

TEST_CASE("tuned: a kernel that cannot run the call is passed over with its reject") {
  teaching();
  Case c;  // which is not armed, so can_run says no
  const Called called = c.with(entry(c.exact, "gemm_test_tuned_teaching", "3"));
  CHECK(called.ran == std::string(kBlocked) + " predicted");
  REQUIRE(called.passed_over.size() == 1);
  CHECK(contains(called.passed_over[0], ",passed-over,SIZE_LIMIT,"));
  const Candidate *candidate = called.candidates.find("gemm_test_tuned_teaching");
  REQUIRE(candidate);
  CHECK(candidate->verdict == GPUOPT_VERDICT_REJECTED);
  CHECK(contains(candidate->text, "; its tuned exact entry " + c.path + ":2 is passed over: SIZE_LIMIT: "));
}

TEST_CASE("tuned: forced kernels come before, and disabled ones are passed over") {
  Case c;
  write_file(c.path, kHeaderLine + entry(c.exact, kReference));
  TunedHandle h(c.path, "dispatch");
  REQUIRE(gpuopt_set_kernel(h.get(), kBlocked) == GPUOPT_OK);
  CHECK(call(h, c.g.args).ran == std::string(kBlocked) + " forced");
  REQUIRE(gpuopt_set_kernel(h.get(), "") == GPUOPT_OK);
  CHECK(call(h, c.g.args).ran == std::string(kReference) + " tuned");
  REQUIRE(gpuopt_set_disabled(h.get(), "*_reference") == GPUOPT_OK);
  const Called off = call(h, c.g.args);
  CHECK(off.ran == std::string(kBlocked) + " predicted");
  REQUIRE(off.passed_over.size() == 1);
  CHECK(contains(off.passed_over[0], ",passed-over,DISABLED,"));
}

TEST_CASE("tuned: two steps run by both names, each in its version") {
  const Armed now;
  teaching();
  Case c;
  const gpuopt_stage chain[] = {gpuopt_act(GPUOPT_STAGE_NEG, 0, 0)};
  c.g.args.stages = chain;
  c.g.args.stage_count = 1;
  const TunedHandle none("none");
  const std::string key = tune_key(none.get(), &c.g.args), pair = "gemm_test_tuned_teaching+fused_act_cpu_reference";
  const Called called = c.with(entry(key, pair, "3+1"));
  CHECK(called.ran == pair + " tuned");
  CHECK(c.g.d[0] == -7);
  CHECK(c.with(entry(key, "gemm_cpu_reference+fused_act_cpu_reference", "1+1")).ran ==
        "gemm_cpu_reference+fused_act_cpu_reference tuned");
  const Called stale = c.with(entry(key, pair, "3+2"));
  CHECK(stale.ran != pair + " tuned");
  REQUIRE(stale.passed_over.size() == 1);
  CHECK(contains(stale.passed_over[0],
                 "version=3+2: gemm_test_tuned_teaching is of version 3 and "
                 "fused_act_cpu_reference of version 1"));
  // One that teaches cannot run without its second step, and a call without stages has none.
  const Called whole = c.with(entry(key, "gemm_test_tuned_teaching", "3"));
  REQUIRE(whole.passed_over.size() == 1);
  CHECK(contains(whole.passed_over[0], ",passed-over,STAGE,"));
  c.g.args.stage_count = 0;
  const Called without = c.with(entry(c.exact, pair, "3+1"));
  REQUIRE(without.passed_over.size() == 1);
  CHECK(contains(without.passed_over[0], "cannot be split in two steps"));
}

TEST_CASE("tuned: a kernel that refuses in prepare is replaced, and explain knows from then on") {
  const Armed now;
  refusing();
  Case c;
  write_file(c.path, kHeaderLine + entry(c.exact, "gemm_test_tuned_refusing"));
  TunedHandle h(c.path, "none");
  Candidates before;
  REQUIRE(gpuopt_explain(h.get(), &c.g.args, nullptr, Candidates::add, &before) == GPUOPT_OK);
  CHECK(before.all.at(0).kernel == "gemm_test_tuned_refusing");
  CHECK(before.all.at(0).how == GPUOPT_HOW_TUNED);
  REQUIRE_MESSAGE(gpuopt_gemm(h.get(), &c.g.args) == GPUOPT_OK, last_error());
  CHECK(ran(h.get()) == std::string(kBlocked) + " predicted");
  const Called after = call(h, c.g.args);
  CHECK(after.ran == std::string(kBlocked) + " predicted");
  CHECK(
      contains(after.candidates.find("gemm_test_tuned_refusing")->text, "refused this problem; its tuned exact entry"));
}

TEST_CASE("tuned: a kernel is found by a name it had before") {
  const Armed now;
  static gpuopt_kernel k = make_tuned_kernel({"gemm_test_tuned_renamed", 5});
  k.aliases = "gemm_test_tuned_formerly";
  register_once(k);
  Case c;
  CHECK(c.with(entry(c.exact, "gemm_test_tuned_formerly", "5")).ran == "gemm_test_tuned_renamed tuned");
}

TEST_CASE(
    "tuned: what is tuned for another device or number of threads says nothing here, and pretending asks for it") {
  Case c;
  const gpuopt_device_facts h200 = pretend("sm_90");
  gpuopt_explain_options o = GPUOPT_EXPLAIN_OPTIONS_INIT;
  o.pretend = &h200;
  o.any_build = 1;
  const TunedHandle none("none");
  const std::string there = tune_key(none.get(), &c.g.args, GPUOPT_TUNE_EXACT, &o);
  std::string more_threads = c.exact;
  more_threads.replace(more_threads.find("threads=1 "), 10, "threads=2 ");
  CHECK(c.with(entry(there, kReference) + entry(more_threads, kReference)).ran == std::string(kBlocked) + " predicted");
  // With the data on that device, of which a CPU kernel is not the kernel.
  TunedHandle h(c.path);
  Candidates seen;
  static_cast<void>(gpuopt_explain(h.get(), &c.g.args, &o, Candidates::add, &seen));
  const Candidate *candidate = seen.find(kReference);
  REQUIRE(candidate);
  CHECK(contains(candidate->text, "its tuned exact entry " + c.path + ":2 is passed over: DEVICE_DATA"));
  // Host data there is the CPU's, and not looked up.
  o.space = GPUOPT_SPACE_HOST;
  Candidates host;
  CHECK(gpuopt_explain(h.get(), &c.g.args, &o, Candidates::add, &host) == GPUOPT_OK);
  CHECK(host.all.at(0).how == GPUOPT_HOW_CPU_FALLBACK);
  CHECK(!contains(host.find(kReference)->text, "tuned"));
}

TEST_CASE("tuned: every op is looked up, and a call without output is not") {
  TempFolder folder;
  const std::string path = folder / "x.tune";
  float x[64] = {1, 2, 3, 4}, y[64] = {};
  gpuopt_transpose_args t = GPUOPT_TRANSPOSE_ARGS_INIT;
  t.src = gpuopt_mat(x, 3, 5, GPUOPT_F32);
  t.dst = gpuopt_mat(y, 5, 3, GPUOPT_F32);
  gpuopt_reduce_args r = GPUOPT_REDUCE_ARGS_INIT;
  r.x = t.src;
  r.out = gpuopt_mat(y, 1, 1, GPUOPT_F32);
  gpuopt_reduce_args of_none = r;  // whose result is 0
  of_none.axis = GPUOPT_EACH_ROW;
  of_none.x = gpuopt_mat(x, 3, 0, GPUOPT_F32);
  of_none.out = gpuopt_mat(y, 3, 1, GPUOPT_F32);
  gpuopt_fused_act_args f = GPUOPT_FUSED_ACT_ARGS_INIT;
  const gpuopt_stage relu = gpuopt_act(GPUOPT_STAGE_RELU, 0, 0);
  f.x = t.src;
  f.out = gpuopt_mat(y, 3, 5, GPUOPT_F32);
  f.stages = &relu;
  f.stage_count = 1;
  gpuopt_norm_args n = GPUOPT_NORM_ARGS_INIT;
  n.x = t.src;
  n.out = f.out;
  std::string entries = kHeaderLine;
  const TunedHandle none("none");
  const void *const all[] = {&t, &r, &of_none, &f, &n};
  for (const void *args : all)
    entries += entry(tune_key(none.get(), args),
                     std::string(gpuopt_op_name(static_cast<const gpuopt_args *>(args)->op)) + "_cpu_reference");
  write_file(path, entries);
  TunedHandle h(path);
  for (const void *args : all) {
    const int32_t op = static_cast<const gpuopt_args *>(args)->op;
    gpuopt_status s = GPUOPT_INTERNAL;
    if (op == GPUOPT_OP_TRANSPOSE) s = gpuopt_transpose(h.get(), &t);
    if (op == GPUOPT_OP_REDUCE) s = gpuopt_reduce(h.get(), static_cast<const gpuopt_reduce_args *>(args));
    if (op == GPUOPT_OP_FUSED_ACT) s = gpuopt_fused_act(h.get(), &f);
    if (op == GPUOPT_OP_NORM) s = gpuopt_norm(h.get(), &n);
    REQUIRE_MESSAGE(s == GPUOPT_OK, last_error());
    CHECK(ran(h.get()) == std::string(gpuopt_op_name(op)) + "_cpu_reference tuned");
  }
  CHECK(h.warnings().empty());
  t.src.rows = t.dst.cols = 0;
  CHECK(gpuopt_transpose(h.get(), &t) == GPUOPT_OK);
}
