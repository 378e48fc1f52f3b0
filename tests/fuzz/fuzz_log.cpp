// Fuzzes the reader of logs: whatever the lines are, each is counted once, and times add up to numbers.
#include <cmath>
#include <string>

#include "gpuopt_log/sum.h"
#include "input.h"

namespace {

const char *const kPieces[] = {
    "gpuopt,v2,exec,transpose,transpose_vec,cuda0:sm_90,transpose src=3x5:f32 dst=5x3:f32,predicted,0,1.000,0.001",
    "gpuopt,v2,exec,transpose,transpose_naive,cuda0:sm_90,transpose src=3x5:f32 dst=5x3:f32,forced,0,,",
    "gpuopt,v2,device,cuda0:sm_90,NVIDIA\\x20H200,132,1980,4800,62914560,150000000000,8,2,gpuopt 0.1.0",
    "gpuopt,v2,warn,log,lost,17 lines could not be written",
    "gpuopt,v1,exec,gemm,gemm_cpu_blocked,cpu,m3n5k4:f32,predicted,0,0.020681",
    "gpuopt,v2,",
    "exec,",
    "device,",
    "cuda0:sm_",
    "cpu",
    "forced",
    ",",
    "\n",
    "\r\n",
    "\\x",
    "1e308",
    "-1",
    "nan",
    "99999999999999999999",
    "gpuopt,v"};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz::Input in(data, size);
  std::string text;
  while (!in.done()) {
    if (in.rarely(6))
      text += static_cast<char>(in.byte());
    else
      text += kPieces[in.below(sizeof kPieces / sizeof kPieces[0])];
    if (in.rarely(3)) text += '\n';
  }
  gpuopt_log::LogSum sum;
  size_t at = 0;
  for (size_t end; (end = text.find('\n', at)) != std::string::npos; at = end + 1)
    sum.take(std::string_view(text).substr(at, end - at));
  if (at < text.size()) sum.take(std::string_view(text).substr(at), false);
  sum.finish();
  if (sum.calls + sum.other + sum.version_1 + sum.unknown_version + sum.foreign + sum.malformed + sum.truncated !=
      sum.lines)
    fuzz::finding("a line that is not counted once", text.c_str());
  if (!std::isfinite(sum.ms()) || sum.ms() < 0 || !std::isfinite(sum.could_win_ms()) || sum.could_win_ms() < 0)
    fuzz::finding("times that do not add up", text.c_str());
  int64_t calls = 0;
  for (const gpuopt_log::ProblemCalls &p : sum.problems) {
    if (p.kernels.empty()) fuzz::finding("a problem that nothing ran", p.problem.c_str());
    calls += p.calls();
    sum.facts_of(p.device);
  }
  if (calls + sum.further_calls != sum.calls) fuzz::finding("calls that are in no problem", text.c_str());
  return 0;
}
