#include "session.h"

#include <algorithm>
#include <cstring>

#include "capture.h"
#include "gpuopt/kernel.h"
#include "residue.h"

namespace gpuopt_check {
namespace {

void collect(void *user, const gpuopt_candidate *c) {
  static_cast<std::vector<Candidate> *>(user)->push_back(candidate_of(*c));
}

}  // namespace

Candidate candidate_of(const gpuopt_candidate &c) {
  Candidate copy;
  copy.kernel = c.kernel;
  copy.text = c.text ? c.text : "";
  copy.verdict = c.verdict;
  copy.how = c.how;
  copy.reject = c.reject;
  copy.operand = c.operand;
  copy.have = c.have;
  copy.need = c.need;
  copy.predicted_us = c.predicted_us;
  copy.workspace_bytes = c.workspace_bytes;
  return copy;
}

const Candidate *Explanation::find(const std::string &kernel) const {
  for (const Candidate &c : candidates)
    if (c.kernel == kernel) return &c;
  return nullptr;
}

Session::~Session() {
  if (block_) gpuopt_free(handle_, block_);
}

bool Session::is_cpu() const {
  gpuopt_device_facts facts = GPUOPT_DEVICE_FACTS_INIT;
  return gpuopt_get_device(handle_, &facts) == GPUOPT_OK && facts.cc == 0;
}

gpuopt_status Session::reserve(size_t bytes) {
  if (bytes <= bytes_) return GPUOPT_OK;
  if (block_) gpuopt_free(handle_, block_);
  block_ = nullptr;
  bytes_ = 0;
  const size_t wanted = bytes + bytes / 2;
  const gpuopt_status s = gpuopt_malloc(handle_, &block_, wanted);
  if (s == GPUOPT_OK) bytes_ = wanted;
  return s;
}

gpuopt_status Session::upload(const Problem &p) {
  gpuopt_status s = reserve(p.image.size());
  if (s == GPUOPT_OK) s = gpuopt_copy(handle_, block_, p.image.data(), p.image.size());
  if (s == GPUOPT_OK && p.list_bytes() != 0) {
    const Args args(p, block_);  // whose products have their addresses here
    s = gpuopt_copy(handle_, static_cast<uint8_t *>(block_) + p.t[GPUOPT_OPERAND_LIST].pos, args.products().data(),
                    p.list_bytes());
  }
  gpuopt_device_facts facts = GPUOPT_DEVICE_FACTS_INIT;
  if (s == GPUOPT_OK && gpuopt_get_device(handle_, &facts) == GPUOPT_OK) leave_nan_behind(facts.ordinal, stream_);
  return s;
}

Outcome Session::call(const Problem &p, const std::string &kernel) {
  Outcome out;
  out.status = gpuopt_set_kernel(handle_, kernel.c_str());
  if (out.status == GPUOPT_OK) out.status = Args(p, block_).run(handle_);
  if (out.status != GPUOPT_OK) out.error = gpuopt_last_error();
  gpuopt_set_kernel(handle_, nullptr);
  return out;
}

gpuopt_status Session::fetch(const Problem &p, std::vector<uint8_t> *after) {
  after->resize(p.image.size());
  gpuopt_status s = gpuopt_synchronize(handle_);
  if (s == GPUOPT_OK) s = gpuopt_copy(handle_, after->data(), block_, after->size());
  if (s == GPUOPT_OK) s = gpuopt_synchronize(handle_);
  if (s != GPUOPT_OK || p.list_bytes() == 0) return s;
  // A list that is as it was counts as the image has it, which knows no addresses.
  const Args args(p, block_);
  const auto pos = static_cast<std::ptrdiff_t>(p.t[GPUOPT_OPERAND_LIST].pos);
  if (std::memcmp(after->data() + pos, args.products().data(), p.list_bytes()) == 0)
    std::copy_n(p.image.begin() + pos, p.list_bytes(), after->begin() + pos);
  return s;
}

Outcome Session::run(const Problem &p, const std::string &kernel) {
  Outcome out;
  out.status = upload(p);
  if (out.status == GPUOPT_OK)
    out = call(p, kernel);
  else
    out.error = gpuopt_last_error();
  // The call's own status and words come first; the copy is made all the same.
  const gpuopt_status s = fetch(p, &out.after);
  if (s != GPUOPT_OK && out.status == GPUOPT_OK) {
    out.status = s;
    out.error = gpuopt_last_error();
  }
  return out;
}

Outcome Session::run_captured(const Problem &p) {
  Outcome out;
  out.status = upload(p);
  if (out.status == GPUOPT_OK) out.status = gpuopt_synchronize(handle_);
  if (out.status != GPUOPT_OK) {
    out.error = gpuopt_last_error();
  } else if (stream_ == nullptr) {
    out = call(p, "");
  } else {
    const std::string wrong = capture_and_launch(stream_, [&] { out = call(p, ""); });
    if (!wrong.empty() && out.status == GPUOPT_OK) {
      out.status = GPUOPT_CUDA_ERROR;
      out.error = wrong;
    }
  }
  const gpuopt_status s = fetch(p, &out.after);
  if (s != GPUOPT_OK && out.status == GPUOPT_OK) {
    out.status = s;
    out.error = gpuopt_last_error();
  }
  return out;
}

double Session::heap_kept_by_graph() const { return gpuopt_check::heap_kept_by_graph(stream_); }

Explanation Session::explain(const Problem &p, const gpuopt_device_facts *pretend, bool capturing) {
  Explanation e;
  e.status = reserve(p.image.size());
  if (e.status != GPUOPT_OK) return e;
  gpuopt_explain_options options = GPUOPT_EXPLAIN_OPTIONS_INIT;
  options.pretend = pretend;
  options.any_build = pretend != nullptr;
  options.capturing = capturing;
  const Args args(p, block_);
  e.status = gpuopt_explain(handle_, args.get(), &options, collect, &e.candidates);
  if (e.status != GPUOPT_OK) e.error = gpuopt_last_error();
  return e;
}

std::string difference(const char *what, const std::vector<uint8_t> &one, const std::vector<uint8_t> &other) {
  if (one == other) return "";
  size_t at = 0;
  while (at < one.size() && at < other.size() && one[at] == other[at]) ++at;
  return std::string(what) + " differ, first at byte " + std::to_string(at) + " of the image";
}

std::string verify(Session &session, const Problem &problem, const Truth &truth, const std::string &kernel, int runs) {
  const Outcome first = session.run(problem, kernel);
  if (first.status != GPUOPT_OK) return std::string(gpuopt_status_name(first.status)) + ": " + first.error;
  std::string wrong = compare(problem, truth, first.after);
  for (int run = 2; run <= runs && wrong.empty(); ++run) {
    const Outcome again = session.run(problem, kernel);
    wrong = again.status == GPUOPT_OK
                ? difference("two runs of the same call", first.after, again.after)
                : "run " + std::to_string(run) + ": " + gpuopt_status_name(again.status) + ": " + again.error;
  }
  return wrong;
}

bool is_empty(const Problem &p) {
  if (p.batch == 0) return true;
  const Tensor &t = p.t[is_product(p.op) ? 3 : p.op == GPUOPT_OP_TRANSPOSE ? 1 : 2];
  return t.rows == 0 || t.cols == 0;
}

}  // namespace gpuopt_check
