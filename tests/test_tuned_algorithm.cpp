// Kernels that offer algorithms: one of them forced, tuned, refused, and named wherever the kernel is.
#include <cstddef>

#include "tuned.h"

using namespace gpuopt_test;

namespace {

constexpr const char *kName = "gemm_test_offering";
int prepared = 0;
const char *last_algorithm = nullptr;  // as launch saw it

// Offers "own", "tile64.split1" and "tile128"; writes how many letters the algorithm's name has, 0 for its own choice.
void offer() {
  static gpuopt_kernel k = [] {
    gpuopt_kernel made = make_tuned_kernel({kName, 4});
    made.algorithms = [](const gpuopt_problem *, const gpuopt_launch *, char *text) {
      std::strcpy(text, "own tile64.split1 tile128");
      return static_cast<gpuopt_status>(GPUOPT_OK);
    };
    made.prepare = [](const gpuopt_problem *p, const gpuopt_launch *l) {
      ++prepared;
      const std::string name = p->algorithm ? p->algorithm : "own";
      if (name == "own" || name == "tile64.split1" || name == "tile128") return static_cast<gpuopt_status>(GPUOPT_OK);
      std::snprintf(l->error, l->error_bytes, "there is no algorithm %s", name.c_str());
      return static_cast<gpuopt_status>(GPUOPT_NOT_SUPPORTED);
    };
    made.launch = [](const gpuopt_problem *p, const gpuopt_launch *) {
      last_algorithm = p->algorithm;
      const gpuopt_matrix &d = p->operand[GPUOPT_OPERAND_D].m;
      const float value = p->algorithm ? static_cast<float>(std::strlen(p->algorithm)) : 0;
      for (int64_t i = 0; i < p->m; ++i)
        for (int64_t j = 0; j < p->n; ++j) static_cast<float *>(d.data)[i * d.ld + j] = value;
      return static_cast<gpuopt_status>(GPUOPT_OK);
    };
    return made;
  }();
  register_once(k);
}

struct Offered {
  Armed now;
  TempFolder folder;
  std::string path = folder / "x.tune";
  SmallGemm g;
  std::string exact, wide;
  Offered() {
    offer();
    const TunedHandle h("none");
    exact = tune_key(h.get(), &g.args);
    wide = tune_key(h.get(), &g.args, GPUOPT_TUNE_CLASS);
  }
  void write(const std::string &key, const std::string &algorithm) const {
    write_file(path, kHeaderLine + key + " kernel=" + kName + " version=4 algorithm=" + algorithm + "\n");
  }
  void call(gpuopt_handle *h) { REQUIRE_MESSAGE(gpuopt_gemm(h, &g.args) == GPUOPT_OK, last_error()); }
  Candidate explained(gpuopt_handle *h) const {
    Candidates seen;
    REQUIRE_MESSAGE(gpuopt_explain(h, &g.args, nullptr, Candidates::add, &seen) == GPUOPT_OK, last_error());
    return seen.all.at(0);
  }
};

gpuopt_status list(gpuopt_handle *h, const void *args, std::string *names) {
  char text[GPUOPT_ALGORITHMS_BYTES];
  size_t length = 0;
  const gpuopt_status s = gpuopt_algorithms(h, args, text, sizeof text, &length);
  if (s == GPUOPT_OK) *names = std::string(text, length);
  return s;
}

}  // namespace

TEST_CASE("algorithms: those of the kernel that would run the call are named, its own choice first") {
  Offered o;
  const Handle h = cpu_handle();
  std::string names = "?";
  CHECK_MESSAGE(list(h.get(), &o.g.args, &names) == GPUOPT_OK, last_error());
  CHECK(names.empty());  // gemm_cpu_blocked has none
  REQUIRE(gpuopt_set_kernel(h.get(), kName) == GPUOPT_OK);
  CHECK_MESSAGE(list(h.get(), &o.g.args, &names) == GPUOPT_OK, last_error());
  CHECK(names == "own tile64.split1 tile128");
  CHECK(o.g.untouched());
  char small[8] = "before";
  size_t length = 0;
  CHECK(gpuopt_algorithms(h.get(), &o.g.args, small, sizeof small, &length) == GPUOPT_INVALID_ARGUMENT);
  CHECK(length == names.size());
  CHECK(std::string(small) == "before");
  CHECK(gpuopt_algorithms(h.get(), &o.g.args, nullptr, 0, &length) == GPUOPT_OK);
  CHECK(gpuopt_algorithms(h.get(), &o.g.args, nullptr, 0, nullptr) == GPUOPT_INVALID_ARGUMENT);
  CHECK(last_error() == "gpuopt_algorithms: length is NULL");
  CHECK(gpuopt_algorithms(h.get(), nullptr, nullptr, 0, &length) == GPUOPT_INVALID_ARGUMENT);
  CHECK(gpuopt_algorithms(nullptr, &o.g.args, nullptr, 0, &length) == GPUOPT_INVALID_ARGUMENT);
}

TEST_CASE("algorithms: one is forced behind the kernel's name, and every report names it so") {
  Offered o;
  const TunedHandle h(o.path + ".none", "exec");
  const std::string whole = std::string(kName) + "@tile64.split1";
  REQUIRE(gpuopt_set_kernel(h.get(), whole.c_str()) == GPUOPT_OK);
  const Candidate chosen = o.explained(h.get());
  CHECK(chosen.kernel == whole);
  CHECK(chosen.how == GPUOPT_HOW_FORCED);
  o.call(h.get());
  CHECK(o.g.d[0] == 13);
  CHECK(ran(h.get()) == whole + " forced");
  CHECK(contains(read_file(h.log), ",exec,gemm," + whole + ",cpu,"));
  REQUIRE(gpuopt_set_kernel(h.get(), ("gemm=" + std::string(kName)).c_str()) == GPUOPT_OK);
  o.call(h.get());
  CHECK(o.g.d[0] == 0);
  CHECK(last_algorithm == nullptr);
}

TEST_CASE("algorithms: a forced one that is not there fails the call, and is never replaced") {
  Offered o;
  const Handle h = cpu_handle();
  const auto fails = [&](const std::string &name, gpuopt_status status, const std::string &why) {
    REQUIRE(gpuopt_set_kernel(h.get(), name.c_str()) == GPUOPT_OK);
    CHECK(gpuopt_gemm(h.get(), &o.g.args) == status);
    CHECK_MESSAGE(contains(gpuopt_last_error(), why), last_error());
    CHECK(o.g.untouched());
  };
  fails(std::string(kName) + "@tile999", GPUOPT_NOT_SUPPORTED, "gemm_test_offering: there is no algorithm tile999");
  fails(std::string(kName) + "@", GPUOPT_KERNEL_REJECTED, "no algorithm is named behind the '@'");
  fails("gemm_cpu_blocked@tile64", GPUOPT_KERNEL_REJECTED, "gemm_cpu_blocked offers no algorithms");
  fails("gemm_cpu_blacked@tile64", GPUOPT_KERNEL_NOT_FOUND, "nearest: gemm_cpu_blocked");
}

TEST_CASE("algorithms: a tuned entry names one, which explain and log show") {
  for (const bool is_class : {false, true}) {
    Offered o;
    o.write(is_class ? o.wide : o.exact, "tile128");
    const TunedHandle h(o.path, "exec");
    CHECK(h.warnings().empty());
    const Candidate chosen = o.explained(h.get());
    CHECK(chosen.kernel == std::string(kName) + "@tile128");
    CHECK(chosen.how == GPUOPT_HOW_TUNED);
    CHECK(contains(chosen.text, std::string("; by ") + (is_class ? "class" : "exact") + " entry " + o.path + ":2"));
    o.call(h.get());
    CHECK(o.g.d[0] == 7);
    CHECK(ran(h.get()) == std::string(kName) + "@tile128 tuned");
    CHECK(contains(read_file(h.log), ",exec,gemm,gemm_test_offering@tile128,cpu,"));
  }
}

TEST_CASE("algorithms: a repeated call is not prepared again, and sees the same name at the same address") {
  Offered o;
  o.write(o.exact, "tile128");
  const TunedHandle h(o.path), other(o.path);
  prepared = 0;
  o.call(h.get());
  const char *const first = last_algorithm;
  for (int i = 0; i < 3; ++i) o.call(h.get());
  CHECK(prepared == 1);
  CHECK(last_algorithm == first);
  o.call(other.get());
  CHECK(last_algorithm == first);
}

TEST_CASE(
    "algorithms: a stale one gives way to the kernel's own choice, the log says so and explain knows from then on") {
  Offered o;
  o.write(o.exact, "tile999");
  TunedHandle h(o.path, "dispatch,exec");
  CHECK(o.explained(h.get()).kernel == std::string(kName) + "@tile999");
  prepared = 0;
  o.call(h.get());
  CHECK(o.g.d[0] == 0);
  CHECK(ran(h.get()) == std::string(kName) + " tuned");
  CHECK(prepared == 2);
  const std::string log = read_file(h.log);
  CHECK_MESSAGE(contains(log, ",dispatch,gemm,gemm_test_offering@tile999,refused,NONE,"), log);
  CHECK_MESSAGE(contains(log, "there is no algorithm tile999"), log);
  CHECK_MESSAGE(contains(log, ",exec,gemm,gemm_test_offering,cpu,"), log);
  const Candidate after = o.explained(h.get());
  CHECK(after.kernel == kName);
  CHECK(after.how == GPUOPT_HOW_TUNED);
  CHECK(contains(after.text, "without its algorithm tile999"));
  o.call(h.get());
  CHECK(prepared == 2);
}

TEST_CASE("algorithms: of two steps the first has one") {
  Offered o;
  const gpuopt_stage chain[] = {gpuopt_act(GPUOPT_STAGE_NEG, 0, 0)};
  o.g.args.stages = chain;
  o.g.args.stage_count = 1;
  const TunedHandle none("none");
  const std::string pair = std::string(kName) + "+fused_act_cpu_reference";
  write_file(o.path,
             kHeaderLine + tune_key(none.get(), &o.g.args) + " kernel=" + pair + " version=4+1 algorithm=tile128\n");
  const TunedHandle h(o.path);
  o.call(h.get());
  CHECK(o.g.d[0] == -7);
  const std::string whole = std::string(kName) + "@tile128+fused_act_cpu_reference";
  CHECK(ran(h.get()) == whole + " tuned");
  REQUIRE(gpuopt_set_kernel(h.get(), (std::string(kName) + "@tile64.split1+fused_act_cpu_reference").c_str()) ==
          GPUOPT_OK);
  o.call(h.get());
  CHECK(o.g.d[0] == -13);
  std::string names;
  CHECK_MESSAGE(list(h.get(), &o.g.args, &names) == GPUOPT_OK, last_error());
  CHECK(names == "own tile64.split1 tile128");
}

TEST_CASE("algorithms: a kernel that was compiled before there were any offers none") {
  offer();
  static gpuopt_kernel old = make_tuned_kernel({"gemm_test_offering_nothing", 1});
  old.struct_size = offsetof(gpuopt_kernel, algorithms);
  old.algorithms = [](const gpuopt_problem *, const gpuopt_launch *, char *) {
    return static_cast<gpuopt_status>(GPUOPT_OK);
  };
  register_once(old);
  CHECK((gpuopt_kernel_find(old.name)->algorithms == nullptr));
  CHECK((gpuopt_kernel_find(kName)->algorithms != nullptr));
}
