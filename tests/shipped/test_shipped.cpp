// The table that a program carries for a device: used unless disabled, behind the user's, and bound to the versions of its
// kernels alone.
#include "../tuned.h"
#include "handle.h"

using namespace gpuopt_test;

namespace {

const std::string kTuned = "gemm_cpu_reference tuned", kPredicted = "gemm_cpu_blocked predicted";

void become_test_cpu(gpuopt_device_facts *facts) {
  std::snprintf(facts->name, sizeof facts->name, "Test CPU");
  facts->cpu_isa = 0;
  facts->cpu_threads = 1;
}

// A handle that believes to be on the CPU of test_cpu.tune.
Handle on_test_cpu(const char *tune_cache) {
  Handle h = cpu_handle();
  become_test_cpu(&h->facts);
  REQUIRE(gpuopt_set_tune_cache(h.get(), tune_cache) == GPUOPT_OK);
  return h;
}

struct Product {
  alignas(16) float a[28] = {}, b[20] = {}, d[35];
  gpuopt_gemm_args args = GPUOPT_GEMM_ARGS_INIT;
  const gpuopt_gemm_args *of(int64_t m) {
    args.a = gpuopt_mat(a, m, 4, GPUOPT_F32);
    args.b = gpuopt_mat(b, 4, 5, GPUOPT_F32);
    args.d = gpuopt_mat(d, m, 5, GPUOPT_F32);
    return &args;
  }
};

struct Outcome {
  std::string ran, text;  // text: explain's, of the chosen one
};
Outcome call(const Handle &h, const gpuopt_gemm_args *args) {
  Candidates seen;
  REQUIRE_MESSAGE(gpuopt_explain(h.get(), args, nullptr, Candidates::add, &seen) == GPUOPT_OK, last_error());
  REQUIRE_MESSAGE(gpuopt_gemm(h.get(), args) == GPUOPT_OK, last_error());
  return {ran(h.get()), seen.all.at(0).text};
}

}  // namespace

TEST_CASE("shipped: a table decides for its device, and explain says that it is the shipped one") {
  Product p;
  const Handle h = on_test_cpu(nullptr);
  const Outcome exact = call(h, p.of(3)), by_class = call(h, p.of(4));
  CHECK(exact.ran == kTuned);
  CHECK(exact.text == "can run; by exact entry shipped table test_cpu:3");
  CHECK(by_class.ran == kTuned);
  CHECK(by_class.text == "can run; by class entry shipped table test_cpu:4");
  const Outcome measured = call(h, p.of(1));
  CHECK(measured.ran == kTuned);
  CHECK(contains(measured.text, "; by 1 measured problems near it, shipped table test_cpu:7 the nearest"));
  CHECK(call(h, p.of(6)).ran == kPredicted);
  // On the machine's own CPU it says nothing, but where the other one is pretended.
  const Handle own = cpu_handle();
  CHECK(call(own, p.of(3)).ran == kPredicted);
  gpuopt_device_facts facts = pretend("none");
  become_test_cpu(&facts);
  gpuopt_explain_options o = GPUOPT_EXPLAIN_OPTIONS_INIT;
  o.pretend = &facts;
  Candidates seen;
  REQUIRE(gpuopt_explain(own.get(), p.of(3), &o, Candidates::add, &seen) == GPUOPT_OK);
  CHECK(seen.all.at(0).how == GPUOPT_HOW_TUNED);
  CHECK(seen.all.at(0).text == exact.text);
}

TEST_CASE("shipped: entries of kernels that a release has changed or dropped are passed over, the others hold") {
  Product p;
  const Handle h = on_test_cpu("");
  // The exact entries of both shapes are of another version and of a kernel that is gone; that of their class holds.
  for (const int64_t m : {4, 5}) {
    CHECK(call(h, p.of(m)).ran == kTuned);
    CHECK(contains(call(h, p.of(m)).text, "by class entry shipped table test_cpu:4"));
  }
  CHECK(contains(call(h, p.of(5)).text,
                 "; its tuned exact entry shipped table test_cpu:5 is passed over: version=0: "
                 "gemm_cpu_reference is of version 1"));
}

TEST_CASE("shipped: none disables it, and the user's entries come before, a class before an exact one too") {
  Product p;
  CHECK(call(on_test_cpu("none"), p.of(3)).ran == kPredicted);
  const TempFolder folder;
  const std::string path = folder / "x.tune";
  const std::string key = tune_key(on_test_cpu("none").get(), p.of(3), GPUOPT_TUNE_CLASS);
  write_file(path, kHeaderLine + entry(key, "gemm_cpu_blocked"));
  const Handle h = on_test_cpu(path.c_str());
  const Outcome users = call(h, p.of(3));
  CHECK(users.ran == "gemm_cpu_blocked tuned");
  CHECK(users.text == "can run; by class entry " + path + ":2");
  // Where the user's says nothing that can be used, the shipped one does.
  write_file(path, kHeaderLine + entry(key, "gemm_cpu_blocked", "99"));
  CHECK(call(on_test_cpu(path.c_str()), p.of(3)).ran == kTuned);
}

TEST_CASE("shipped: where a library has not the algorithm that was tuned, the next rule decides") {
  static gpuopt_kernel k = [] {
    gpuopt_kernel made = make_tuned_kernel({"gemm_test_offering", 4});
    made.algorithms = [](const gpuopt_problem *, const gpuopt_launch *, char *text) {
      std::strcpy(text, "own");
      return static_cast<gpuopt_status>(GPUOPT_OK);
    };
    made.prepare = [](const gpuopt_problem *p, const gpuopt_launch *) {
      return static_cast<gpuopt_status>(p->algorithm ? GPUOPT_NOT_SUPPORTED : GPUOPT_OK);
    };
    return made;
  }();
  register_once(k);
  const Armed now;
  Product p;
  const Handle h = on_test_cpu(nullptr);
  call(h, p.of(7));  // which asks the library
  const Outcome after = call(h, p.of(7));
  CHECK(after.ran == kPredicted);
  CHECK(after.text == "can run");
  Candidates seen;
  REQUIRE(gpuopt_explain(h.get(), p.of(7), nullptr, Candidates::add, &seen) == GPUOPT_OK);
  bool told = false;
  for (const Candidate &c : seen.all)
    told =
        told || contains(c.text,
                         "its tuned exact entry shipped table test_cpu:8 is passed over: its algorithm tile999 is not "
                         "there for this problem");
  CHECK(told);
}
