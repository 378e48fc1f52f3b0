// GPUOPT_* variables: what each does, what a bad value does, and the golden form of log lines.
#include "support.h"

#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <regex>

using namespace gpuopt_test;

namespace {

// Creates a handle under one variable; the message when it fails, else "".
std::string create_with(const char *name, const char *value) {
  const scoped_env env(name, value);
  gpuopt_options o = GPUOPT_OPTIONS_INIT;
  gpuopt_handle *h = nullptr;
  const std::string message = gpuopt_create(&h, &o) == GPUOPT_OK ? "" : gpuopt_last_error();
  gpuopt_destroy(h);
  return message;
}

// Everything a handle logs to GPUOPT_LOG_FILE while it runs one gemm.
std::vector<std::string> logged(std::initializer_list<std::pair<const char *, const char *>> variables, int calls = 1) {
  char path[] = "gpuopt_log_XXXXXX";
  const int file = mkstemp(path);
  REQUIRE(file >= 0);
  close(file);
  {
    std::vector<std::unique_ptr<scoped_env>> env;
    env.push_back(std::make_unique<scoped_env>("GPUOPT_LOG_FILE", path));
    for (const auto &v : variables) env.push_back(std::make_unique<scoped_env>(v.first, v.second));
    const handle h = cpu_handle();
    small_gemm g;
    for (int i = 0; i < calls; ++i) gpuopt_gemm(h.get(), &g.args);
  }
  std::vector<std::string> lines;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  unlink(path);
  return lines;
}

bool any(const std::vector<std::string> &lines, const std::string &part) {
  for (const std::string &line : lines)
    if (contains(line, part)) return true;
  return false;
}

}  // namespace

TEST_CASE("environment: bad values fail create and name variable, value and rule") {
  CHECK(create_with("GPUOPT_DEVICE", "gpu0") == "gpuopt_create: GPUOPT_DEVICE=gpu0 is not cpu or a CUDA ordinal");
  CHECK(create_with("GPUOPT_DEVICE", "-1") == "gpuopt_create: GPUOPT_DEVICE=-1 is not cpu or a CUDA ordinal");
  CHECK(create_with("GPUOPT_CPU_FALLBACK", "yes") ==
        "gpuopt_create: GPUOPT_CPU_FALLBACK=yes is not auto, never or always");
  CHECK(create_with("GPUOPT_NUM_THREADS", "0") ==
        "gpuopt_create: GPUOPT_NUM_THREADS=0 is not an integer within 1 and 4096");
  CHECK(create_with("GPUOPT_NUM_THREADS", "2x") ==
        "gpuopt_create: GPUOPT_NUM_THREADS=2x is not an integer within 1 and 4096");
  CHECK(create_with("GPUOPT_CPU_ISA", "sse9") == "gpuopt_create: GPUOPT_CPU_ISA=sse9 is not avx512, avx2 or baseline");
  CHECK(contains(create_with("GPUOPT_KERNEL", "gem=x"), "'gem' is not an operation"));
  CHECK(contains(create_with("GPUOPT_PLUGIN_PATH", "/nowhere"),
                 "GPUOPT_PLUGIN_PATH is set and this version loads no plugins"));
  CHECK(contains(create_with("GPUOPT_DEVICE", "1000"), "gpuopt_create: device 1000: there "));
  CHECK(create_with("GPUOPT_DEVICE", "cpu") == "");
  CHECK(create_with("GPUOPT_DEVICE", "") == "");
}

TEST_CASE("environment: options win over variables") {
  const scoped_env env("GPUOPT_NUM_THREADS", "3");
  const scoped_env isa("GPUOPT_CPU_ISA", "baseline");
  gpuopt_device_facts facts;
  CHECK(gpuopt_get_device(cpu_handle().get(), &facts) == GPUOPT_OK);
  CHECK(facts.cpu_threads == 3);
  CHECK(facts.cpu_isa == 0);
  gpuopt_options o = GPUOPT_OPTIONS_INIT;
  o.device = GPUOPT_DEVICE_CPU;
  o.num_threads = 5;
  gpuopt_handle *h = nullptr;
  REQUIRE(gpuopt_create(&h, &o) == GPUOPT_OK);
  gpuopt_get_device(h, &facts);
  CHECK(facts.cpu_threads == 5);
  gpuopt_destroy(h);
  o.cpu_isa = "mmx";
  CHECK(gpuopt_create(&h, &o) == GPUOPT_INVALID_ARGUMENT);
  CHECK(contains(gpuopt_last_error(), "options.cpu_isa=mmx is not"));
}

TEST_CASE("environment: a forced kernel by variable") {
  const scoped_env env("GPUOPT_KERNEL", "gemm=gemm_cpu_reference");
  const handle h = cpu_handle();
  small_gemm g;
  CHECK(gpuopt_gemm(h.get(), &g.args) == GPUOPT_OK);
  gpuopt_run_info info;
  gpuopt_last_kernel(h.get(), &info);
  CHECK(std::string(info.kernel) == "gemm_cpu_reference");
  CHECK(info.how == GPUOPT_HOW_FORCED);
}

TEST_CASE("environment: no device and the fallback off is an error, always means the CPU") {
  {
    const scoped_env env("GPUOPT_CPU_FALLBACK", "always");
    gpuopt_handle *h = nullptr;
    REQUIRE(gpuopt_create(&h, nullptr) == GPUOPT_OK);
    gpuopt_device_facts facts;
    gpuopt_get_device(h, &facts);
    CHECK(facts.cc == 0);
    small_gemm g;
    CHECK(gpuopt_gemm(h, &g.args) == GPUOPT_OK);
    gpuopt_run_info info;
    gpuopt_last_kernel(h, &info);
    CHECK(info.how == GPUOPT_HOW_CPU_FALLBACK);
    gpuopt_destroy(h);
  }
  const scoped_env hidden("CUDA_VISIBLE_DEVICES", "-1");
  const scoped_env env("GPUOPT_CPU_FALLBACK", "never");
  gpuopt_handle *h = nullptr;
  CHECK(gpuopt_create(&h, nullptr) == GPUOPT_NO_DEVICE);
  CHECK(contains(gpuopt_last_error(), "GPUOPT_CPU_FALLBACK=never"));
}

TEST_CASE("environment: unknown names and tokens are warned about, never ignored") {
  CHECK(any(logged({{"GPUOPT_KERNAL", "secret"}}),
            "gpuopt,v1,warn,env,GPUOPT_KERNAL,unknown variable; nearest: GPUOPT_KERNEL"));
  CHECK(!any(logged({{"GPUOPT_KERNAL", "secret"}}), "secret"));
  CHECK(any(logged({{"GPUOPT_VERBOSE", "exec,OFF"}}), "gpuopt,v1,warn,env,GPUOPT_VERBOSE,unknown token 'OFF'"));
  CHECK(any(logged({{"GPUOPT_DISABLE", "no_such_*"}}),
            "gpuopt,v1,warn,env,GPUOPT_DISABLE,'no_such_*' matches no kernel"));
  CHECK(any(logged({{"GPUOPT_TUNE_CACHE", "x"}}), "gpuopt,v1,warn,env,GPUOPT_TUNE_CACHE,"));
  CHECK(logged({{"GPUOPT_VERBOSE", "none"}, {"GPUOPT_KERNAL", "x"}}).empty());
  CHECK(logged({}).empty());
}

TEST_CASE("log: golden lines") {
  const auto lines = logged({{"GPUOPT_VERBOSE", "exec"}, {"GPUOPT_KERNEL", "gemm_cpu_reference"}}, 2);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0] == "gpuopt,v1,info,template:exec,op,kernel,device,problem,how,workspace,ms");
  for (size_t i = 1; i < 3; ++i)
    CHECK_MESSAGE(std::regex_match(lines[i], std::regex("gpuopt,v1,exec,gemm,gemm_cpu_reference,cpu,m3n5k4:f32:row:f32:"
                                                        "row>f32:f32,forced,0,[0-9]+\\.[0-9]{6}")),
                  lines[i]);
  const auto dispatch = logged({{"GPUOPT_VERBOSE", "dispatch"}, {"GPUOPT_DISABLE", "gemm_cpu_reference"}});
  CHECK(
      any(dispatch,
          "gpuopt,v1,dispatch,gemm,gemm_cpu_reference,rejected,DISABLED,DISABLED: it was disabled by GPUOPT_DISABLE"));
  CHECK(any(logged({{"GPUOPT_VERBOSE", "info"}}), "gpuopt,v1,info,gpuopt 0."));
  CHECK(any(logged({{"GPUOPT_VERBOSE", "profile"}, {"GPUOPT_KERNEL", "gemm_cpu_reference"}}, 3),
            "gpuopt,v1,profile,gemm,gemm_cpu_reference,3,"));
}

TEST_CASE("log: a callback sees the lines, and the choice is the same with the log on and off") {
  log_lines seen;  // outlives the handles, which write their last lines when destroyed
  const handle quiet = cpu_handle(), loud = cpu_handle();
  CHECK(gpuopt_set_log(loud.get(), log_lines::add, &seen) == GPUOPT_OK);
  CHECK(gpuopt_set_verbose(loud.get(), "all") == GPUOPT_OK);
  small_gemm g;
  CHECK(gpuopt_gemm(quiet.get(), &g.args) == GPUOPT_OK);
  CHECK(gpuopt_gemm(loud.get(), &g.args) == GPUOPT_OK);
  CHECK(gpuopt_gemm(loud.get(), &g.args) == GPUOPT_OK);
  gpuopt_run_info a, b;
  gpuopt_last_kernel(quiet.get(), &a);
  gpuopt_last_kernel(loud.get(), &b);
  CHECK(std::string(a.kernel) == b.kernel);
  size_t chosen = 0;
  for (const std::string &line : seen.lines) chosen += contains(line, ",chosen,");
  CHECK(chosen == 2);
  CHECK(gpuopt_set_verbose(loud.get(), "loud") == GPUOPT_INVALID_ARGUMENT);
  CHECK(contains(gpuopt_last_error(), "unknown token 'loud'"));
}

TEST_CASE("counters: calls and time per kernel, in order of first use") {
  const handle h = cpu_handle();
  small_gemm g;
  for (int i = 0; i < 3; ++i) CHECK(gpuopt_gemm(h.get(), &g.args) == GPUOPT_OK);
  gpuopt_set_kernel(h.get(), "gemm_cpu_reference");
  CHECK(gpuopt_gemm(h.get(), &g.args) == GPUOPT_OK);
  gpuopt_counter counters[8];
  size_t count = 0;
  CHECK(gpuopt_counters(h.get(), counters, 8, &count) == GPUOPT_OK);
  REQUIRE(count >= 1);
  int64_t calls = 0;
  for (size_t i = 0; i < count; ++i) {
    calls += counters[i].calls;
    CHECK(counters[i].ms > 0);
    CHECK(counters[i].op == GPUOPT_OP_GEMM);
  }
  CHECK(calls == 4);
  CHECK(gpuopt_reset_counters(h.get()) == GPUOPT_OK);
  CHECK(gpuopt_counters(h.get(), nullptr, 0, &count) == GPUOPT_OK);
  CHECK(count == 0);
}

TEST_CASE("workspace: the caller's buffer, its limit, and its alignment") {
  const handle h = cpu_handle();
  alignas(256) static unsigned char buffer[4096];
  CHECK(gpuopt_set_workspace(h.get(), buffer + 1, 512) == GPUOPT_INVALID_ARGUMENT);
  CHECK(contains(gpuopt_last_error(), "is not 256-byte aligned"));
  CHECK(gpuopt_set_workspace(h.get(), buffer, 0) == GPUOPT_INVALID_ARGUMENT);
  CHECK(gpuopt_set_workspace(h.get(), buffer, sizeof buffer) == GPUOPT_OK);
  CHECK(gpuopt_set_workspace(h.get(), nullptr, 0) == GPUOPT_OK);
  small_gemm g;
  size_t bytes = 1;
  CHECK(gpuopt_workspace_size(h.get(), &g.args, &bytes) == GPUOPT_OK);
  CHECK(gpuopt_prepare(h.get(), &g.args) == GPUOPT_OK);
}
