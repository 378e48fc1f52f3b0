// GPUOPT_* variables: what each does, what a bad value does, and the golden form of log lines.
#include "support.h"

#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <fstream>
#include <regex>

using namespace gpuopt_test;

namespace {

// Creates a handle under one variable; the message when it fails, else "".
std::string create_with(const char *name, const char *value) {
  const ScopedEnv env(name, value);
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
    std::vector<std::unique_ptr<ScopedEnv>> env;
    env.push_back(std::make_unique<ScopedEnv>("GPUOPT_LOG_FILE", path));
    for (const auto &v : variables) env.push_back(std::make_unique<ScopedEnv>(v.first, v.second));
    const Handle h = cpu_handle();
    SmallGemm g;
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
  CHECK(create_with("GPUOPT_NUM_THREADS", " 2") ==
        "gpuopt_create: GPUOPT_NUM_THREADS= 2 is not an integer within 1 and 4096");
  CHECK(create_with("GPUOPT_NUM_THREADS", "4294967297") ==
        "gpuopt_create: GPUOPT_NUM_THREADS=4294967297 is not an integer within 1 and 4096");
  CHECK(create_with("GPUOPT_CPU_ISA", "sse9") == "gpuopt_create: GPUOPT_CPU_ISA=sse9 is not avx512, avx2 or baseline");
  CHECK(create_with("GPUOPT_NVTX", "on") == "gpuopt_create: GPUOPT_NVTX=on is not 0 or 1");
  CHECK(contains(create_with("GPUOPT_KERNEL", "gem=x"), "'gem' is not an operation"));
  CHECK(create_with("GPUOPT_PLUGIN_PATH", "/nowhere") ==
        "gpuopt_create: GPUOPT_PLUGIN_PATH: refused: /nowhere: No such file or directory");
  CHECK(contains(create_with("GPUOPT_DEVICE", "1000"), "gpuopt_create: device 1000: there "));
  CHECK(create_with("GPUOPT_DEVICE", "cpu") == "");
  CHECK(create_with("GPUOPT_DEVICE", "") == "");
}

TEST_CASE("environment: a message names the source of the setting: option, variable or setter") {
  const auto create_fails = [](auto change) {
    gpuopt_options o = GPUOPT_OPTIONS_INIT;
    change(o);
    gpuopt_handle *h = nullptr;
    const std::string message = gpuopt_create(&h, &o) == GPUOPT_OK ? "" : gpuopt_last_error();
    gpuopt_destroy(h);
    return message;
  };
  const std::string ops = " (gemm, transpose, reduce, fused_act, norm, gemm_grouped)";
  CHECK(create_with("GPUOPT_KERNEL", "gem=x") ==
        "gpuopt_create: GPUOPT_KERNEL='gem=x': 'gem' is not an operation" + ops);
  CHECK(create_fails([](gpuopt_options &o) { o.kernel = "gem=x"; }) ==
        "gpuopt_create: options.kernel='gem=x': 'gem' is not an operation" + ops);
  const Handle h = cpu_handle();
  CHECK(gpuopt_set_kernel(h.get(), "gem=x") == GPUOPT_INVALID_ARGUMENT);
  CHECK(last_error() == "gpuopt_set_kernel: kernel='gem=x': 'gem' is not an operation" + ops);
  CHECK(contains(create_with("GPUOPT_DEVICE", "1000"), "(GPUOPT_DEVICE=1000)"));
  CHECK(contains(create_fails([](gpuopt_options &o) { o.device = 1000; }), "(options.device=1000)"));
  CHECK(contains(create_fails([](gpuopt_options &o) { o.workspace_bytes = 8; }),
                 "gpuopt_create: options.workspace=(nil) with options.workspace_bytes=8: give both or neither"));
  CHECK(gpuopt_set_workspace(h.get(), nullptr, 8) == GPUOPT_INVALID_ARGUMENT);
  CHECK(contains(gpuopt_last_error(), "gpuopt_set_workspace: workspace=(nil) with bytes=8: give both or neither"));
  {
    const ScopedEnv hidden("CUDA_VISIBLE_DEVICES", "-1");
    CHECK(contains(create_with("GPUOPT_CPU_FALLBACK", "never"), "fallback is off (GPUOPT_CPU_FALLBACK=never)"));
    CHECK(contains(create_fails([](gpuopt_options &o) { o.cpu_fallback = GPUOPT_FALLBACK_NEVER; }),
                   "fallback is off (options.cpu_fallback=GPUOPT_FALLBACK_NEVER)"));
  }

  // What is found out in a call: forced and disabled kernels.
  const auto call_fails = [](gpuopt_handle *handle) {
    SmallGemm g;
    return gpuopt_gemm(handle, &g.args) == GPUOPT_OK ? "" : last_error();
  };
  const auto made = [](auto change) {
    gpuopt_options o = GPUOPT_OPTIONS_INIT;
    o.device = GPUOPT_DEVICE_CPU;
    change(o);
    gpuopt_handle *handle = nullptr;
    REQUIRE_MESSAGE(gpuopt_create(&handle, &o) == GPUOPT_OK, last_error());
    return Handle(handle);
  };
  const auto with = [&](const char *name, const char *value) {
    const ScopedEnv env(name, value);
    return made([](gpuopt_options &) {});
  };
  CHECK(contains(call_fails(with("GPUOPT_KERNEL", "nothing").get()), "(forced by GPUOPT_KERNEL)"));
  const Handle by_option = made([](gpuopt_options &o) { o.kernel = "nothing"; });
  CHECK(contains(call_fails(by_option.get()), "(forced by options.kernel)"));
  gpuopt_set_kernel(by_option.get(), "nothing");
  CHECK(contains(call_fails(by_option.get()), "(forced by gpuopt_set_kernel)"));
  CHECK(contains(call_fails(with("GPUOPT_DISABLE", "*").get()), "it was disabled by GPUOPT_DISABLE;"));
  const Handle without = made([](gpuopt_options &o) { o.disable = "*"; });
  CHECK(contains(call_fails(without.get()), "it was disabled by options.disable;"));
  gpuopt_set_disabled(without.get(), "gemm_*");
  CHECK(contains(call_fails(without.get()), "it was disabled by gpuopt_set_disabled;"));
}

TEST_CASE("environment: long values are refused or cut in no time") {
  const std::string million(1000000, 'x');
  const clock_t start = std::clock();
  const ScopedEnv quiet("GPUOPT_LOG_FILE", "/dev/null");
  CHECK(create_with(("GPUOPT_" + million).c_str(), "1") == "");
  for (const char *name : {"GPUOPT_KERNEL", "GPUOPT_DISABLE", "GPUOPT_PLUGIN_PATH"})
    CHECK(create_with(name, million.c_str()) ==
          std::string("gpuopt_create: ") + name + " is 1000000 bytes long, the limit is 16384");
  for (const char *name : {"GPUOPT_DEVICE", "GPUOPT_CPU_FALLBACK", "GPUOPT_NUM_THREADS", "GPUOPT_CPU_ISA"}) {
    const std::string message = create_with(name, million.c_str());
    CHECK(contains(message, std::string("gpuopt_create: ") + name + "=xxxx"));
    CHECK(contains(message, "xxx... is not "));
  }
  CHECK(create_with("GPUOPT_VERBOSE", million.c_str()) == "");
  const Handle h = cpu_handle();
  CHECK(gpuopt_set_kernel(h.get(), million.c_str()) == GPUOPT_INVALID_ARGUMENT);
  CHECK(gpuopt_set_disabled(h.get(), million.c_str()) == GPUOPT_INVALID_ARGUMENT);
  CHECK(gpuopt_set_verbose(h.get(), million.c_str()) == GPUOPT_INVALID_ARGUMENT);
  CHECK(contains(gpuopt_last_error(), "xxx...' (1000000 bytes); known: none error"));
  // The longest that is taken: the names nearest to it still follow.
  REQUIRE(gpuopt_set_kernel(h.get(), million.substr(0, 16384).c_str()) == GPUOPT_OK);
  SmallGemm g;
  CHECK(gpuopt_gemm(h.get(), &g.args) == GPUOPT_KERNEL_NOT_FOUND);
  CHECK(contains(gpuopt_last_error(), "xxx...' (16384 bytes); nearest: "));
  CHECK(std::clock() - start < CLOCKS_PER_SEC / 2);
}

TEST_CASE("environment: options win over variables") {
  const ScopedEnv env("GPUOPT_NUM_THREADS", "3");
  const ScopedEnv isa("GPUOPT_CPU_ISA", "baseline");
  gpuopt_device_facts facts = GPUOPT_DEVICE_FACTS_INIT;
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
  const ScopedEnv env("GPUOPT_KERNEL", "gemm=gemm_cpu_reference");
  const Handle h = cpu_handle();
  SmallGemm g;
  CHECK(gpuopt_gemm(h.get(), &g.args) == GPUOPT_OK);
  gpuopt_run_info info = GPUOPT_RUN_INFO_INIT;
  gpuopt_last_kernel(h.get(), &info);
  CHECK(std::string(info.kernel) == "gemm_cpu_reference");
  CHECK(info.how == GPUOPT_HOW_FORCED);
}

TEST_CASE("environment: no device and the fallback off is an error, always means the CPU") {
  {
    const ScopedEnv env("GPUOPT_CPU_FALLBACK", "always");
    gpuopt_handle *h = nullptr;
    REQUIRE(gpuopt_create(&h, nullptr) == GPUOPT_OK);
    gpuopt_device_facts facts = GPUOPT_DEVICE_FACTS_INIT;
    gpuopt_get_device(h, &facts);
    CHECK(facts.cc == 0);
    SmallGemm g;
    CHECK(gpuopt_gemm(h, &g.args) == GPUOPT_OK);
    gpuopt_run_info info = GPUOPT_RUN_INFO_INIT;
    gpuopt_last_kernel(h, &info);
    CHECK(info.how == GPUOPT_HOW_CPU_FALLBACK);
    gpuopt_destroy(h);
  }
  const ScopedEnv hidden("CUDA_VISIBLE_DEVICES", "-1");
  const ScopedEnv env("GPUOPT_CPU_FALLBACK", "never");
  gpuopt_handle *h = nullptr;
  CHECK(gpuopt_create(&h, nullptr) == GPUOPT_NO_DEVICE);
  CHECK(contains(gpuopt_last_error(), "GPUOPT_CPU_FALLBACK=never"));
}

TEST_CASE("environment: unknown names and tokens are warned about, never ignored") {
  CHECK(any(logged({{"GPUOPT_KERNAL", "secret"}}),
            "gpuopt,v2,warn,env,GPUOPT_KERNAL,unknown variable; nearest: GPUOPT_KERNEL"));
  CHECK(!any(logged({{"GPUOPT_KERNAL", "secret"}}), "secret"));
  CHECK(any(logged({{"GPUOPT_VERBOSE", "exec,OFF"}}), "gpuopt,v2,warn,env,GPUOPT_VERBOSE,unknown token 'OFF'"));
  CHECK(any(logged({{"GPUOPT_DISABLE", "no_such_*"}}),
            "gpuopt,v2,warn,env,GPUOPT_DISABLE,'no_such_*' matches no kernel"));
  CHECK(any(logged({{"GPUOPT_TUNE_CACHE", "x"}}), "gpuopt,v2,warn,env,GPUOPT_TUNE_CACHE,"));
  CHECK(logged({{"GPUOPT_VERBOSE", "none"}, {"GPUOPT_KERNAL", "x"}}).empty());
  CHECK(logged({}).empty());
}

TEST_CASE("log: golden lines") {
  const auto lines = logged({{"GPUOPT_VERBOSE", "exec"}, {"GPUOPT_KERNEL", "gemm_cpu_reference"}}, 2);
  REQUIRE(lines.size() == 4);
  CHECK(lines[0] == "gpuopt,v2,info,template:exec,op,kernel,device,problem,how,workspace,predicted_us,ms");
  CHECK_MESSAGE(
      std::regex_match(lines[1], std::regex("gpuopt,v2,device,cpu,[^,]+,0,0,0,0,0,[0-9]+,[0-2],gpuopt 0[^,]*")),
      lines[1]);
  for (size_t i = 2; i < 4; ++i)
    CHECK_MESSAGE(std::regex_match(lines[i], std::regex("gpuopt,v2,exec,gemm,gemm_cpu_reference,cpu,gemm compute=f32 "
                                                        "a=3x4:f32(:by=[0-9]+)? b=4x5:f32(:by=[0-9]+)? "
                                                        "d=3x5:f32(:by=[0-9]+)?,forced,0,[0-9]+\\.[0-9]{3},"
                                                        "[0-9]+\\.[0-9]{6}")),
                  lines[i]);
  const auto dispatch = logged({{"GPUOPT_VERBOSE", "dispatch"}, {"GPUOPT_DISABLE", "gemm_cpu_reference"}});
  CHECK(
      any(dispatch,
          "gpuopt,v2,dispatch,gemm,gemm_cpu_reference,rejected,DISABLED,DISABLED: it was disabled by GPUOPT_DISABLE"));
  CHECK(any(logged({{"GPUOPT_VERBOSE", "info"}}), "gpuopt,v2,info,gpuopt 0."));
  CHECK(any(logged({{"GPUOPT_VERBOSE", "profile"}, {"GPUOPT_KERNEL", "gemm_cpu_reference"}}, 3),
            "gpuopt,v2,profile,gemm,gemm_cpu_reference,3,"));
}

TEST_CASE("log: a callback sees the lines, and the choice is the same with the log on and off") {
  LogLines Seen;  // outlives the handles, which write their last lines when destroyed
  const Handle quiet = cpu_handle(), loud = cpu_handle();
  CHECK(gpuopt_set_log(loud.get(), LogLines::add, &Seen) == GPUOPT_OK);
  CHECK(gpuopt_set_verbose(loud.get(), "all") == GPUOPT_OK);
  SmallGemm g;
  CHECK(gpuopt_gemm(quiet.get(), &g.args) == GPUOPT_OK);
  CHECK(gpuopt_gemm(loud.get(), &g.args) == GPUOPT_OK);
  CHECK(gpuopt_gemm(loud.get(), &g.args) == GPUOPT_OK);
  gpuopt_run_info a = GPUOPT_RUN_INFO_INIT, b = a;
  gpuopt_last_kernel(quiet.get(), &a);
  gpuopt_last_kernel(loud.get(), &b);
  CHECK(std::string(a.kernel) == b.kernel);
  size_t chosen = 0;
  for (const std::string &line : Seen.lines) chosen += contains(line, ",chosen,");
  CHECK(chosen == 2);
  CHECK(gpuopt_set_verbose(loud.get(), "loud") == GPUOPT_INVALID_ARGUMENT);
  CHECK(contains(gpuopt_last_error(), "unknown token 'loud'"));
}

TEST_CASE("counters: calls and time per kernel, in order of first use") {
  const Handle h = cpu_handle();
  SmallGemm g;
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
  const Handle h = cpu_handle();
  alignas(256) static unsigned char buffer[4096];
  CHECK(gpuopt_set_workspace(h.get(), buffer + 1, 512) == GPUOPT_INVALID_ARGUMENT);
  CHECK(contains(gpuopt_last_error(), "is not 256-byte aligned"));
  CHECK(gpuopt_set_workspace(h.get(), buffer, 0) == GPUOPT_INVALID_ARGUMENT);
  CHECK(gpuopt_set_workspace(h.get(), buffer, sizeof buffer) == GPUOPT_OK);
  CHECK(gpuopt_set_workspace(h.get(), nullptr, 0) == GPUOPT_OK);
  SmallGemm g;
  size_t bytes = 1;
  CHECK(gpuopt_workspace_size(h.get(), &g.args, &bytes) == GPUOPT_OK);
  CHECK(gpuopt_prepare(h.get(), &g.args) == GPUOPT_OK);
}
