#include "agree.h"

#include "gpuopt/kernel.h"

namespace gpuopt_check {
namespace {

bool is_refusal(gpuopt_status s, int32_t reject) {
  if (s == GPUOPT_KERNEL_REJECTED) return true;
  if (reject == GPUOPT_REJECT_WORKSPACE) return s == GPUOPT_WORKSPACE_TOO_SMALL;
  return reject == GPUOPT_REJECT_NOT_CAPTURABLE && s == GPUOPT_NOT_CAPTURABLE;
}

std::string check_rejected(Session &session, const Problem &p, const Candidate &c) {
  const Outcome out = session.run(p, c.kernel);
  if (out.status == GPUOPT_OK) return "explain rejects it (" + c.text + ") and it ran when forced";
  if (!is_refusal(out.status, c.reject))
    return std::string("explain rejects it (") + c.text + ") and forcing gave " + gpuopt_status_name(out.status) +
           ": " + out.error;
  if (out.error.find(c.text) == std::string::npos)
    return "explain says '" + c.text + "' and the forced call says '" + out.error + "'";
  if (c.text.empty()) return "it is rejected without a reason";
  if (out.after != p.image) return "it was refused and memory changed";
  return "";
}

std::string check_automatic(Session &session, const Problem &p, const Truth &truth, const Explanation &e) {
  const Outcome out = session.run(p, "");
  if (out.status != e.status)
    return std::string("explain returns ") + gpuopt_status_name(e.status) + " and the call " +
           gpuopt_status_name(out.status) + ": " + out.error;
  const Candidate *chosen = nullptr;
  for (const Candidate &c : e.candidates)
    if (c.verdict == GPUOPT_VERDICT_CHOSEN) {
      if (chosen) return "explain chooses both " + chosen->kernel + " and " + c.kernel;
      chosen = &c;
    }
  if (out.status != GPUOPT_OK) {
    if (chosen) return "the call fails and explain chooses " + chosen->kernel;
    return out.after == p.image ? "" : "the call failed and memory changed";
  }
  if (!chosen) return "the call runs and explain chooses nothing";
  if (chosen != &e.candidates[0]) return "the chosen candidate is not the first";
  const std::string wrong = compare(p, truth, out.after);
  if (!wrong.empty() || is_empty(p)) return wrong;
  gpuopt_run_info info = {};
  info.struct_size = sizeof info;
  gpuopt_last_kernel(session.handle(), &info);
  if (!info.kernel || chosen->kernel != info.kernel)
    return "explain chooses " + chosen->kernel + " and the call ran " + (info.kernel ? info.kernel : "nothing");
  return "";
}

}  // namespace

Agreement agree(Session &session, const Problem &p) {
  Agreement result;
  const auto note = [&](const std::string &kernel, const std::string &wrong) {
    if (!wrong.empty()) result.failures.push_back(kernel + ": " + wrong);
  };
  const Explanation e = session.explain(p);
  if (e.status != GPUOPT_OK && e.status != GPUOPT_NOT_SUPPORTED) {
    note("explain", std::string(gpuopt_status_name(e.status)) + ": " + e.error);
    return result;
  }
  for (size_t i = 0; i < gpuopt_kernel_count(); ++i) {
    const gpuopt_kernel *k = gpuopt_kernel_get(i);
    if (k->op == p.op && !e.find(k->name)) note(k->name, "explain does not mention it");
  }
  const Truth truth = find_truth(p);
  note("automatic", check_automatic(session, p, truth, e));
  for (const Candidate &c : e.candidates) {
    if (c.verdict == GPUOPT_VERDICT_REJECTED) {
      ++result.refused;
      note(c.kernel, check_rejected(session, p, c));
    } else {
      ++result.ran;
      note(c.kernel, verify(session, p, truth, c.kernel, false));
    }
  }
  return result;
}

}  // namespace gpuopt_check
