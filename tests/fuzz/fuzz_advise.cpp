// Fuzzes the reader of Nsight Compute's tables and the rules: whatever the text is, it is read or refused with a line that it has,
// and what is read gets advice of finite numbers.
#include <algorithm>
#include <cmath>
#include <string>

#include "gpuopt_advise/advice.h"
#include "input.h"

namespace {

const char *const kPieces[] = {
    "\"ID\",\"Kernel Name\",\"Grid Size\",\"gpu__time_duration.sum\",\"launch__waves_per_multiprocessor\"\n",
    "\"ID\",\"Kernel Name\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\",\"Rule Description\"\n",
    "\"0\",\"f(int, int)\",\"(128, 1, 1)\",\"12.5\",\"0.3\"\n",
    "\"0\",\"f\",\"GPU Speed Of Light Throughput\",\"DRAM Throughput\",\"%\",\"91.00\",\n",
    "\"1\",\"g\",\"Rules\",\"\",\"\",\"\",\"only 4.0 of the 32 bytes transmitted per sector by global loads\"\n",
    "\"1\",\"g\",\"Rules\",\"\",\"\",\"\",\"a 4.1-way bank conflict, which represent 61.03% of the overall\"\n",
    "FMA is the highest-utilized pipeline (12.3%)",
    "==PROF== Disconnected from process 1\n",
    "\"\",\"\",\"\",\"msecond\",\"\"\n",
    "\"Kernel Name\"",
    "\"",
    "\"\"",
    ",",
    "\n",
    "\r\n",
    "(1, ",
    "%",
    "n/a",
    "1e308",
    "-1",
    "1,234,567",
    "nan",
    "99999999999999999999999",
    "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio",
    "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum"};

// A kernel with any numbers in the metrics that rules read.
gpuopt_advise::Kernel any_kernel(fuzz::Input *in) {
  static const std::vector<std::string> names = gpuopt_advise::wanted_metrics();
  static const double values[] = {0, -1, 1e-300, 1, 4, 32, 50, 100, 1e6, 1e300, -1e300, 0.5, 3.99, 60, 80, 97};
  gpuopt_advise::Kernel k;
  while (!in->done()) k.metrics[names[in->below(static_cast<uint32_t>(names.size()))]] = values[in->below(16)];
  return k;
}

void check_advice(const gpuopt_advise::Kernel &kernel) {
  const gpuopt_advise::Advice a = gpuopt_advise::advise(kernel);
  std::vector<gpuopt_advise::Finding> all = a.also;
  if (a.verdict.rule) all.push_back(a.verdict);
  for (const gpuopt_advise::Finding &f : all) {
    if (!std::isfinite(f.gain)) fuzz::finding("a gain that is no number", f.rule->bound);
    for (const gpuopt_advise::Evidence &e : f.evidence)
      if (!std::isfinite(e.value)) fuzz::finding("evidence that is no number", f.rule->bound);
  }
  if (!a.verdict.rule && a.missing.empty()) fuzz::finding("no verdict, and nothing is missing", kernel.name.c_str());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz::Input in(data, size);
  std::string text;
  if (size > 0 && data[0] == '"') {  // a report as it is: seeds/fuzz_advise
    text.assign(reinterpret_cast<const char *>(data), size);
  } else if (in.rarely(4)) {
    check_advice(any_kernel(&in));
    return 0;
  } else {
    while (!in.done()) {
      if (in.rarely(5))
        text += static_cast<char>(in.byte());
      else
        text += kPieces[in.below(sizeof kPieces / sizeof kPieces[0])];
    }
  }
  const int64_t lines = 1 + std::count(text.begin(), text.end(), '\n');
  try {
    for (const gpuopt_advise::Kernel &k : gpuopt_advise::read_report(text).kernels) {
      if (k.line < 1 || k.line > lines) fuzz::finding("a kernel of a line that is not there", text.c_str());
      check_advice(k);
    }
  } catch (const gpuopt_advise::ReportError &wrong) {
    if (wrong.line() < 1 || wrong.line() > lines + 1)
      fuzz::finding("an error of a line that is not there", wrong.what());
  }
  return 0;
}
