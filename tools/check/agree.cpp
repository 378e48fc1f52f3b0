#include "agree.h"

#include "gpuopt/kernel.h"

namespace gpuopt_check {
namespace {

bool is_refusal(gpuopt_status s, int32_t reject) {
  if (s == GPUOPT_KERNEL_REJECTED) return true;
  if (reject == GPUOPT_REJECT_WORKSPACE) return s == GPUOPT_WORKSPACE_TOO_SMALL;
  return reject == GPUOPT_REJECT_NOT_CAPTURABLE && s == GPUOPT_NOT_CAPTURABLE;
}

// What is wrong with the refusal itself.
std::string check_refusal(const Outcome &out, const Candidate &c) {
  if (out.status == GPUOPT_OK) return "explain rejects it (" + c.text + ") and it ran when forced";
  if (!is_refusal(out.status, c.reject))
    return std::string("explain rejects it (") + c.text + ") and forcing gave " + gpuopt_status_name(out.status) +
           ": " + out.error;
  if (out.error.find(c.text) == std::string::npos)
    return "explain says '" + c.text + "' and the forced call says '" + out.error + "'";
  if (c.text.empty()) return "it is rejected without a reason";
  return "";
}

// Every rejected candidate is forced on the same memory, which must come out as it went in. Only where it does not, each
// is forced once more on memory of its own.
template <class Note>
void check_rejected(Session &session, const Problem &p, const std::vector<const Candidate *> &rejected, Note &&note) {
  if (rejected.empty()) return;
  if (session.upload(p) != GPUOPT_OK) return note("memory", gpuopt_last_error());
  for (const Candidate *c : rejected) note(c->kernel, check_refusal(session.call(p, c->kernel), *c));
  std::vector<uint8_t> after;
  if (session.fetch(p, &after) != GPUOPT_OK) return note("memory", gpuopt_last_error());
  if (after == p.image) return;
  for (const Candidate *c : rejected)
    note(c->kernel, session.run(p, c->kernel).after == p.image ? "" : "it was refused and memory changed");
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
  gpuopt_run_info info = GPUOPT_RUN_INFO_INIT;
  gpuopt_last_kernel(session.handle(), &info);
  if (!info.kernel || chosen->kernel != info.kernel)
    return "explain chooses " + chosen->kernel + " and the call ran " + (info.kernel ? info.kernel : "nothing");
  return "";
}

const Candidate *chosen_of(const Explanation &e) {
  for (const Candidate &c : e.candidates)
    if (c.verdict == GPUOPT_VERDICT_CHOSEN) return &c;
  return nullptr;
}

// The same inside a stream capture, which has no say in the choice. On a CPU handle, whose calls nothing captures, explain
// must see no difference.
std::string check_captured(Session &session, const Problem &p, const Truth &truth, const Explanation &plain) {
  const Explanation e = session.explain(p, nullptr, true);
  const Outcome out = session.run_captured(p);
  if (out.status != e.status)
    return std::string("explain returns ") + gpuopt_status_name(e.status) + " (" + e.error + ") and the call " +
           gpuopt_status_name(out.status) + ": " + out.error;
  const Candidate *before = chosen_of(plain), *now = chosen_of(e);
  if ((before ? before->kernel : "") != (now ? now->kernel : "")) return "explain chooses otherwise than outside of it";
  if (out.status != GPUOPT_OK) return out.after == p.image ? "" : "the call failed and memory changed";
  return compare(p, truth, out.after);
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
  if (session.can_capture()) note("captured", check_captured(session, p, truth, e));
  std::vector<const Candidate *> rejected;
  for (const Candidate &c : e.candidates) {
    if (c.verdict == GPUOPT_VERDICT_REJECTED) {
      rejected.push_back(&c);
    } else {
      ++result.ran;
      note(c.kernel, verify(session, p, truth, c.kernel, 1));
    }
  }
  result.refused = static_cast<int>(rejected.size());
  check_rejected(session, p, rejected, note);
  return result;
}

}  // namespace gpuopt_check
