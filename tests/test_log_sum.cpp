// Logs of applications read back and summed up by problem: what does not belong in a sum is counted, and nothing is lost in
// silence.
#include "support.h"

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "gpuopt_log/median.h"
#include "gpuopt_log/read.h"

using namespace gpuopt_test;
using namespace gpuopt_log;

namespace {

const char *const kSmall = "transpose src=3x5:f32 dst=5x3:f32", *const kLarge = "transpose src=300x5:f32 dst=5x300:f32";

std::string exec(const std::string &kernel, const std::string &problem, const std::string &how, const std::string &ms,
                 const std::string &device = "cuda0:sm_90", const std::string &predicted = "2.000") {
  return "gpuopt,v2,exec," + problem.substr(0, problem.find(' ')) + "," + kernel + "," + device + "," + problem + "," +
         how + ",0," + predicted + "," + ms;
}

LogSum sum_of(const std::vector<std::string> &lines) {
  LogSum sum;
  for (const std::string &line : lines) sum.take(line);
  sum.finish();
  CHECK(sum.calls + sum.other + sum.version_1 + sum.unknown_version + sum.foreign + sum.malformed + sum.truncated ==
        sum.lines);
  return sum;
}

std::string why_malformed(const std::string &line) {
  const LogSum sum = sum_of({line});
  CHECK(sum.malformed == 1);
  CHECK(sum.first_malformed == 1);
  return sum.first_malformed_why;
}

}  // namespace

TEST_CASE("log sum: calls, times, kernels and choices by problem, most time first") {
  const LogSum sum = sum_of({
      exec("transpose_vec", kSmall, "predicted", "0.001"),
      exec("transpose_vec", kLarge, "predicted", "0.030"),
      exec("transpose_vec", kSmall, "predicted", "0.003"),
      exec("transpose_naive", kLarge, "forced", "0.010"),
      exec("transpose_vec", kLarge, "tuned", "0.020", "cuda0:sm_90", ""),
      exec("transpose_vec", kLarge, "predicted", ""),
      exec("transpose_vec", kLarge, "predicted", "0.5", "cuda1:sm_90"),
  });
  REQUIRE(sum.problems.size() == 3);
  CHECK(sum.problems[0].device == "cuda1:sm_90");
  const ProblemCalls &large = sum.problems[1];
  CHECK(large.problem == kLarge);
  CHECK(large.calls() == 4);
  CHECK(large.ms() == doctest::Approx(0.06));
  REQUIRE(large.kernels.size() == 2);
  CHECK(large.kernels[0].kernel == "transpose_vec");
  CHECK(large.kernels[0].calls == 3);
  CHECK(large.kernels[0].median.count() == 2);
  CHECK(large.kernels[0].median.value() == doctest::Approx(25));
  CHECK(large.kernels[0].how == std::map<std::string, int64_t>{{"predicted", 2}, {"tuned", 1}});
  CHECK(large.kernels[0].predicted_us == 2);
  CHECK(large.kernels[1].always_forced());
  // Two calls with a time that were not forced would have taken 10 us each in place of 25.
  CHECK(large.best()->kernel == "transpose_naive");
  CHECK(large.could_win_ms() == doctest::Approx(0.03));
  CHECK(sum.could_win_ms() == doctest::Approx(0.03));
  CHECK(sum.problems[2].kernels[0].median.value() == doctest::Approx(2));
  CHECK(sum.problems[2].could_win_ms() == 0);
  CHECK(sum.calls == 7);
  CHECK(sum.untimed_calls == 1);
}

TEST_CASE("log sum: lines that are no calls of version 2 are counted by what they are") {
  const LogSum sum = sum_of({
      "gpuopt,v2,info,template:exec,op,kernel,device,problem,how,workspace,predicted_us,ms",
      "gpuopt,v2,dispatch,gemm,gemm_naive,rejected,NO_DEVICE,NO_DEVICE: it needs a CUDA device",
      "gpuopt,v2,profile,gemm,gemm_naive,3,0.5",
      "gpuopt,v2,command,gemm,gpuopt run --problem 'gemm a=1x1:f32'",
      "gpuopt,v2,warn,env,GPUOPT_X,unknown variable",
      "gpuopt,v2,plugin,/opt/kernels/mine.so,loaded,mine 1.2 with 3 kernels",
      "gpuopt,v2,warn,log,lost,17 lines could not be written",
      "gpuopt,v1,exec,gemm,gemm_cpu_blocked,cpu,m3n5k4:f32:row:f32:row>f32:f32,predicted,0,0.020681",
      "gpuopt,v1,info,template:exec,op,kernel,device,problem,how,workspace,ms",
      "gpuopt,v3,exec,gemm,whatever",
      "loss 0.25 after 3 epochs",
      "",
      "gpuopt",
      "  " + exec("transpose_vec", kSmall, "predicted", "1"),
      exec("transpose_vec", kSmall, "predicted", "0.001") + "\r",
  });
  CHECK(sum.calls == 1);
  CHECK(sum.other == 7);
  CHECK(sum.malformed == 0);
  CHECK(sum.lost == 17);
  CHECK(sum.version_1 == 2);
  CHECK(sum.unknown_version == 1);
  CHECK(sum.foreign == 4);
}

TEST_CASE("log sum: a line of ours that does not read is counted, and the first is named with its reason") {
  const std::string good = exec("transpose_vec", kSmall, "predicted", "0.001");
  CHECK(why_malformed("gpuopt,v2,exec,transpose") == "an exec line has 11 fields");
  CHECK(why_malformed(good + ",1") == "an exec line has 11 fields");
  CHECK(why_malformed("gpuopt,v2,exce,transpose,x") == "its kind is none of version 2");
  CHECK(why_malformed("gpuopt,v2") == "its kind is none of version 2");
  CHECK(contains(why_malformed(exec("k", kSmall, "predicted", "fast")), "the time is no number"));
  CHECK(contains(why_malformed(exec("k", kSmall, "predicted", "-1")), "the time is no number"));
  CHECK(contains(why_malformed(exec("k", kSmall, "predicted", "nan")), "the time is no number"));
  CHECK(contains(why_malformed(exec("k", kSmall, "predicted", "1", "cpu", "x")), "predicted time is no number"));
  CHECK(contains(why_malformed(exec("k", kSmall, "guessed", "1")), "how it was chosen"));
  CHECK(contains(why_malformed(exec("k", kSmall, "predicted", "1", "tpu")), "neither cpu nor cudaN:sm_NN"));
  CHECK(contains(why_malformed(exec("", kSmall, "predicted", "1")), "cut short"));
  CHECK(contains(why_malformed(exec("k", "transpose src=3x5:f32 dst=5x3:f3...", "predicted", "1")),
                 "word 3 (column 23) 'dst=5x3:f3...': the type 'f3...' must be one of"));
  CHECK(contains(why_malformed(exec("k", "transpose src=3x5:f32", "predicted", "1")), "gpuopt_call_text: dst.dtype=0"));
  CHECK(contains(why_malformed("gpuopt,v2,device,cuda0:sm_90,H200,many"), "a device line has 13 fields"));
  CHECK(contains(why_malformed("gpuopt,v2,info," + std::string(5000, 'x')), "longer than a line of a log"));
  const LogSum sum = sum_of({good, "gpuopt,v2,exec,", good, exec("k", "norm of sorts", "predicted", "1"),
                             exec("k", "norm of sorts", "predicted", "1")});
  CHECK(sum.calls == 2);
  CHECK(sum.malformed == 3);
  CHECK(sum.first_malformed == 2);
}

TEST_CASE("log sum: facts of a device are those of its line, else those of its architecture") {
  const LogSum sum =
      sum_of({"gpuopt,v2,device,cuda0:sm_90,NVIDIA H200\\x2c half,66,1200,2400.5,31457280,75000000000,8,2,gpuopt 0.1.0",
              exec("transpose_vec", kSmall, "predicted", "0.001")});
  const DeviceFacts told = sum.facts_of("cuda0:sm_90");
  CHECK(told.source == FactsOf::log);
  CHECK(std::string(told.facts.name) == "NVIDIA H200, half");
  CHECK(told.facts.cc == 90);
  CHECK(told.facts.sm_count == 66);
  CHECK(told.facts.memory_gbs == 2400.5);
  const DeviceFacts assumed = sum.facts_of("cuda1:sm_80");
  CHECK(assumed.source == FactsOf::pretended);
  CHECK(assumed.facts.cc == 80);
  CHECK(sum.facts_of("cpu").source == FactsOf::nobody);
  CHECK(sum.facts_of("cuda0:sm_77").source == FactsOf::nobody);
}

TEST_CASE("log sum: numbers of a device line are finite and none is below 0, and its name is safe to show") {
  const auto line = [](const std::string &name, const std::string &numbers) {
    return "gpuopt,v2,device,cuda0:sm_90," + name + "," + numbers + ",gpuopt 0.1.0";
  };
  const char *const good = "66,1200,2400.5,31457280,75000000000,8,2";
  for (const char *bad : {"66,1200,nan,31457280,75000000000,8,2", "66,inf,2400.5,31457280,75000000000,8,2",
                          "66,1200,-1,31457280,75000000000,8,2", "-66,1200,2400.5,31457280,75000000000,8,2",
                          "66,1200,2400.5,31457280,75000000000,8,-2"}) {
    CAPTURE(bad);
    CHECK(contains(why_malformed(line("H200", bad)), "a device line has 13 fields, numbers where they belong"));
  }
  const LogSum sum = sum_of({line("H200 \\x1b[31m\\n\x1b\x7f half", good)});
  CHECK(std::string(sum.facts_of("cuda0:sm_90").facts.name) == "H200 ?[31m??? half");
}

TEST_CASE("log sum: a file is read whatever its pieces are, and a last line without an end is not summed") {
  char path[] = "/tmp/gpuopt_test_log_XXXXXX";
  const int file = mkstemp(path);
  REQUIRE(file >= 0);
  close(file);
  const std::string line = exec("transpose_vec", kSmall, "predicted", "0.001");
  const auto read = [&](const std::string &text) {
    std::ofstream(path, std::ios::binary) << text;
    return sum_file(path);
  };
  std::string long_text;  // more than is read at a time
  for (int i = 0; i < 20000; ++i) long_text += line + "\n" + (i % 7 == 0 ? "noise\n" : "");
  LogSum sum = read(long_text);
  CHECK(sum.calls == 20000);
  CHECK(sum.foreign == 2858);
  CHECK(!sum.truncated);
  CHECK(sum.malformed == 0);
  sum = read(line + "\n" + line);
  CHECK(sum.calls == 1);
  CHECK(sum.truncated);
  sum = read(line + "\ngpuo");
  CHECK(sum.truncated);
  sum = read(line + "\nthe application's last words");
  CHECK(!sum.truncated);
  CHECK(sum.foreign == 1);
  sum = read(std::string(3000000, 'x') + "\n" + line + "\n" + line.substr(0, 20) + std::string(3000000, 'y') + "\n" +
             line + "\n");
  CHECK(sum.calls == 2);
  CHECK(sum.foreign == 1);
  CHECK(sum.malformed == 1);
  sum = read(std::string("a\0b\n", 4) + line + "\n");
  CHECK(sum.calls == 1);
  sum = read("");
  CHECK(sum.lines == 0);
  std::filesystem::remove(path);
  CHECK_THROWS_WITH(sum_file(path),
                    ("'" + std::string(path) + "' cannot be opened: No such file or directory").c_str());
  CHECK_THROWS_WITH(sum_file("/tmp"), "'/tmp' cannot be read: Is a directory");
}

TEST_CASE("log sum: the problems that are kept are bounded, and calls of more are counted") {
  LogSum sum;
  const int64_t most = static_cast<int64_t>(LogSum::kMostRows);
  for (int64_t i = 1; i <= most; ++i) {
    const std::string n = std::to_string(i);
    sum.take(exec("transpose_vec", "transpose src=" + n + "x1:f32 dst=1x" + n + ":f32", "predicted", "0.001"));
  }
  CHECK(sum.further_calls == 0);
  sum.take(exec("transpose_vec", "transpose src=7x9:f32 dst=9x7:f32", "predicted", "0.001"));
  sum.take(exec("transpose_naive", "transpose src=7x1:f32 dst=1x7:f32", "forced", "0.001"));
  sum.take(exec("transpose_vec", "transpose src=7x1:f32 dst=1x7:f32", "predicted", "0.001"));
  sum.finish();
  CHECK(static_cast<int64_t>(sum.problems.size()) == most);
  CHECK(sum.calls == most + 3);
  CHECK(sum.further_calls == 2);
}

TEST_CASE("log sum: medians are exact for few values and near for many") {
  Median few;
  CHECK(few.value() == 0);
  for (const double x : {5.0, 1.0, 3.0}) few.add(x);
  CHECK(few.value() == 3);
  few.add(4);
  CHECK(few.value() == 3.5);
  Median many;
  for (int i = 0; i < 100000; ++i) many.add(std::exp2(static_cast<double>(i * 7919 % 100000) / 10000));  // 1 to 1024
  CHECK(many.count() == 100000);
  CHECK(std::abs(many.value() / 32 - 1) < 0.012);
  Median same;
  for (int i = 0; i < 1000; ++i) same.add(i == 0 ? 0 : 123.4);
  CHECK(std::abs(same.value() / 123.4 - 1) < 0.006);
}
