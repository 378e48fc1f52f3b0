#include "call_log.h"

#include <cmath>

#include "call_text.h"
#include "text.h"

namespace gpuopt {
namespace {

const char *how_text(int32_t how) {
  switch (how) {
    case GPUOPT_HOW_FORCED:
      return "forced";
    case GPUOPT_HOW_TUNED:
      return "tuned";
    case GPUOPT_HOW_CPU_FALLBACK:
      return "cpu-fallback";
    default:
      return "predicted";
  }
}

std::string call_text(const Decision &d) {
  gpuopt_explain_options beside = GPUOPT_EXPLAIN_OPTIONS_INIT;
  beside.space = d.host_data_on_gpu ? GPUOPT_SPACE_HOST : GPUOPT_SPACE_QUERY;
  beside.capturing = d.problem.capturing;
  std::string text;
  append_call_text(d.args, d.problem, beside, &text);
  return text;
}

void write_heading(gpuopt_handle *h) {
  const gpuopt_device_facts &f = h->facts;
  h->log.line("info", {"template:exec", "op", "kernel", "device", "problem", "how", "workspace", "predicted_us", "ms"});
  h->log.line("device", {device_text(*h), f.name, std::to_string(f.sm_count), shortest(f.clock_mhz),
                         shortest(f.memory_gbs), std::to_string(f.l2_bytes), std::to_string(f.memory_bytes),
                         std::to_string(f.cpu_threads), std::to_string(f.cpu_isa), sentence(gpuopt_build_info())});
  h->log.has_heading = true;
}

}  // namespace

std::string device_text(const gpuopt_handle &h) {
  return h.cuda ? "cuda" + std::to_string(h.facts.ordinal) + ":sm_" + std::to_string(h.facts.cc) : "cpu";
}

std::string begin_exec_line(gpuopt_handle *h, const Decision &d) {
  if (!h->log.has_heading) write_heading(h);
  const Selection &c = *d.choice;
  const bool predicted = c.predicted_us > 0 && std::isfinite(c.predicted_us);
  return Log::text("exec", {gpuopt_op_name(d.problem.op),
                            c.name,
                            device_text(*h),
                            {call_text(d), GPUOPT_CALL_TEXT_BYTES},
                            how_text(c.how),
                            std::to_string(c.workspace()),
                            predicted ? microseconds(c.predicted_us) : ""});
}

void end_exec_line(gpuopt_handle *h, std::string line, const std::string &ms) { h->log.write(line += "," + ms); }

std::string range_text(const Decision &d) { return std::string(d.choice->name) + " " + call_text(d); }

void log_command(gpuopt_handle *h, const Decision &d) {
  // Nothing in the text ends the quotes.
  const std::string command = "gpuopt run --problem '" + call_text(d) + "'";
  h->log.line("command", {gpuopt_op_name(d.problem.op), {command, GPUOPT_CALL_TEXT_BYTES + 64}});
}

}  // namespace gpuopt
