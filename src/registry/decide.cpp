#include "decide.h"

#include <cstring>

#include "call_log.h"
#include "error.h"

namespace gpuopt {
namespace {

// All operands are in one space, which becomes the problem's.
gpuopt_status classify_operands(const gpuopt_handle &h, const char *function, gpuopt_problem *p) {
  p->space = GPUOPT_SPACE_DEVICE;
  int32_t first = GPUOPT_OPERAND_NONE;
  gpuopt_status status = GPUOPT_OK;
  for_each_operand(*p, [&](const gpuopt_operand &o) {
    if (status != GPUOPT_OK || o.m.data == nullptr) return;
    int actual = 0;
    const device::Place place = device::classify(o.m.data, h.facts.ordinal, &actual);
    const std::string name = operand_name(p->op, o.user_operand);
    if (place == device::Place::failed) {
      status = fail_within(GPUOPT_CUDA_ERROR, "%s: %s.data", function, name.c_str());
    } else if (place == device::Place::other_device) {
      status = fail(GPUOPT_INVALID_ARGUMENT,
                    "%s: %s.data=%p is memory of CUDA device %d and the handle is bound to device %d", function,
                    name.c_str(), o.m.data, actual, h.facts.ordinal);
    } else {
      const int32_t space = place == device::Place::host ? GPUOPT_SPACE_HOST : GPUOPT_SPACE_DEVICE;
      if (first == GPUOPT_OPERAND_NONE) {
        first = o.user_operand;
        p->space = space;
      } else if (space != p->space) {
        status = fail(GPUOPT_INVALID_ARGUMENT,
                      "%s: %s.data is in %s memory and %s.data in %s memory: all operands must be in one space",
                      function, name.c_str(), space == GPUOPT_SPACE_HOST ? "pageable host" : "device",
                      operand_name(p->op, first).c_str(), p->space == GPUOPT_SPACE_HOST ? "pageable host" : "device");
      }
    }
  });
  return status;
}

// Where the data is: as the question states it; else what the handle was promised; else its pointers are asked. A device
// that is only assumed, and the CPU, have their data in their own memory.
gpuopt_status find_space(const gpuopt_handle &h, const Question &q, bool own_gpu, gpuopt_problem *p) {
  const int32_t Stated = q.assumed ? q.assumed->space : GPUOPT_SPACE_QUERY;
  const int32_t known = Stated != GPUOPT_SPACE_QUERY ? Stated
                        : own_gpu                    ? h.space
                        : p->device->cc != 0         ? GPUOPT_SPACE_DEVICE
                                                     : GPUOPT_SPACE_HOST;
  if (known == GPUOPT_SPACE_QUERY) return classify_operands(h, q.function, p);
  p->space = known;
  return GPUOPT_OK;
}

// Is the call captured into a CUDA graph? The CPU has no streams: nothing of a CPU handle ever is.
gpuopt_status find_capture(const gpuopt_handle &h, const Question &q, bool own_gpu, gpuopt_problem *p) {
  p->capturing = q.assumed && q.assumed->capturing != 0 && p->device->cc != 0;
  if (!own_gpu) return GPUOPT_OK;
  const device::Capture state = device::capture_state(h.stream);
  if (state == device::Capture::failed)
    return fail_within(GPUOPT_CUDA_ERROR, "%s: the CUDA context was in error before this call, which did nothing",
                       q.function);
  if (state == device::Capture::blocked)
    return fail(GPUOPT_NOT_CAPTURABLE,
                "%s: the handle uses the legacy default stream while another stream is being captured; "
                "give it a stream of its own (gpuopt_set_stream, cudaStreamNonBlocking)",
                q.function);
  if (state == device::Capture::active) p->capturing = 1;
  return GPUOPT_OK;
}

// Writes a dispatch line per candidate.
struct LogVisitor final : Visitor {
  gpuopt::Log &log;
  const char *op;
  LogVisitor(gpuopt::Log &l, const char *o) : log(l), op(o) {}
  void candidate(const gpuopt_candidate &c) override {
    const char *verdict = c.verdict == GPUOPT_VERDICT_CHOSEN     ? "chosen"
                          : c.verdict == GPUOPT_VERDICT_ACCEPTED ? "accepted"
                                                                 : "rejected";
    log.line("dispatch", {op, c.kernel, verdict, gpuopt_reject_name(c.reject), sentence(c.text)});
  }
  void passed_over(const char *kernel, int32_t reject, const std::string &why) override {
    log.line("dispatch", {op, kernel, "passed-over", gpuopt_reject_name(reject), sentence(why)});
  }
};

// Steps 3 to 6 through the handle's memory of earlier choices.
ChoiceCache::Entry *choose(gpuopt_handle *h, gpuopt_problem &p) {
  const Snapshot &kernels = h->current_kernels();
  const ProblemKey key(p);
  ChoiceCache::Entry *e = h->cache.find(key);
  if (e && !h->log.on(kDispatch)) return e;
  LogVisitor lines(h->log, gpuopt_op_name(p.op));
  Selection s = select(p, h->policy, kernels, h->log.on(kDispatch) ? &lines : nullptr, e ? &e->refused : nullptr);
  return e ? e : h->cache.insert(key, std::move(s));
}

// The same for explain, which leaves nothing behind. On the handle's own device it knows what an earlier call found out.
Selection explain(gpuopt_handle *h, gpuopt_problem &p, Visitor *visit) {
  const Snapshot &kernels = h->current_kernels();
  const ChoiceCache::Entry *e = p.device == &h->facts ? h->cache.find(ProblemKey(p)) : nullptr;
  return select(p, h->policy, kernels, visit, e ? &e->refused : nullptr);
}

}  // namespace

gpuopt_status take_args(const char *function, const void *args, int32_t op, AnyArgs *out) {
  if (args == nullptr) return fail(GPUOPT_INVALID_ARGUMENT, "%s: args is NULL", function);
  gpuopt_args head;
  std::memcpy(&head.struct_size, args, sizeof head.struct_size);
  if (head.struct_size < sizeof head)
    return fail(GPUOPT_INVALID_ARGUMENT,
                "%s: args.struct_size=%zu is smaller than any args struct (start from a GPUOPT_*_ARGS_INIT macro)",
                function, head.struct_size);
  std::memcpy(&head, args, sizeof head);
  const OpDefinition *definition = find_op(head.op);
  if (definition == nullptr || (op != 0 && head.op != op))
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: args.op=%d %s (start from GPUOPT_%s_ARGS_INIT)", function, head.op,
                definition ? "is another operation's" : "is not a GPUOPT_OP_* value",
                op == GPUOPT_OP_GEMM           ? "GEMM"
                : op == GPUOPT_OP_TRANSPOSE    ? "TRANSPOSE"
                : op == GPUOPT_OP_REDUCE       ? "REDUCE"
                : op == GPUOPT_OP_FUSED_ACT    ? "FUSED_ACT"
                : op == GPUOPT_OP_NORM         ? "NORM"
                : op == GPUOPT_OP_GEMM_GROUPED ? "GEMM_GROUPED"
                                               : "*");
  const gpuopt_status s = check_struct_size(function, "args", args, definition->args_size, nullptr);
  if (s != GPUOPT_OK) return s;
  std::memcpy(static_cast<void *>(out), args, definition->args_size);
  return GPUOPT_OK;
}

gpuopt_status validate(const AnyArgs &args, const BuildOptions &options, gpuopt_problem *p) {
  std::memset(static_cast<void *>(p), 0, sizeof *p);
  p->struct_size = sizeof *p;
  p->op = args.head.op;
  BuildOptions all = options;
  all.args = &args;
  return find_op(args.head.op)->build(&args, all, p);
}

gpuopt_status build_problem(gpuopt_handle *h, const AnyArgs &args, const BuildOptions &options, gpuopt_problem *p) {
  const gpuopt_status s = validate(args, options, p);
  p->device = &h->facts;
  p->workspace_limit = h->usable_workspace();
  return s;
}

gpuopt_status check_capture(const gpuopt_handle &h, const Question &q, const Decision &d) {
  const Selection &c = *d.choice;
  if (!d.problem.capturing) return GPUOPT_OK;
  if (is_empty(d.problem)) {
    if (!d.host_data_on_gpu || !has_empty_statistics(d.problem)) return GPUOPT_OK;
    return fail(GPUOPT_NOT_CAPTURABLE, "%s: statistics in host memory cannot be written by a CUDA graph", q.function);
  }
  constexpr uint32_t never = GPUOPT_KERNEL_HOST | GPUOPT_KERNEL_NOT_CAPTURABLE;
  if ((c.kernel->flags | (c.second ? c.second->flags : 0)) & never)
    return fail(GPUOPT_NOT_CAPTURABLE, "%s: %s cannot be captured into a CUDA graph", q.function, c.name);
  // A captured sequence gets memory of its own; a caller's buffer was counted with the kernel's needs. Of a caller's
  // allocator nothing is asked in a capture.
  const bool assumed_device = q.assumed && q.assumed->pretend;
  if (q.what == Action::prepare || q.what == Action::algorithms || assumed_device || h.workspace ||
      h.has_own_workspace())
    return GPUOPT_OK;
  return fail_within(h.arena.check_capture(h.stream, c.scratch, c.zeroed), "%s: %s", q.function, c.name);
}

gpuopt_status decide(gpuopt_handle *h, const Question &q, Decision *d) {
  gpuopt_status s = h->check_fork(q.function);
  if (s != GPUOPT_OK || (s = take_args(q.function, q.args, q.op, &d->args)) != GPUOPT_OK) return s;
  gpuopt_problem &p = d->problem;
  if ((s = build_problem(h, d->args, {q.function, q.assumed}, &p)) != GPUOPT_OK) return s;
  const bool pretend = q.assumed && q.assumed->pretend;
  if (pretend) p.device = q.assumed->pretend;
  const bool own_gpu = h->cuda && !pretend;
  if (own_gpu) {
    d->current.emplace(h->ordinal());
    if (!d->current->ok()) return fail_within(GPUOPT_CUDA_ERROR, "%s", q.function);
  }
  if ((s = find_capture(*h, q, own_gpu, &p)) != GPUOPT_OK) return s;
  if ((s = find_space(*h, q, own_gpu, &p)) != GPUOPT_OK) return s;

  // Neither the capture nor the workspace that is left has a say in the choice.
  d->host_data_on_gpu = p.device->cc != 0 && p.space == GPUOPT_SPACE_HOST;
  h->policy.cpu_allowed = !d->host_data_on_gpu || h->cpu_fallback != GPUOPT_FALLBACK_NEVER;
  h->policy.any_build = q.assumed && q.assumed->any_build != 0;
  h->policy.all_needs = q.assumed && q.assumed->all_needs != 0;
  h->policy.cpu_is_fallback = d->host_data_on_gpu || (h->cpu_is_fallback && !pretend);
  if (pretend) {
    d->pretended_tuning.emplace(h->tuning, *p.device);
    h->pretended = d->pretended_tuning->shipped();
  }
  h->policy.tuning = pretend ? &*d->pretended_tuning : &h->tuning;
  if (q.what == Action::run && h->log.on(kCommand)) log_command(h, *d);
  if (q.what == Action::explain) {
    d->explained = explain(h, p, q.visit);
    d->choice = &d->explained;
  } else {
    d->entry = choose(h, p);
    d->choice = &d->entry->choice;
  }
  if (d->choice->status != GPUOPT_OK) return fail(d->choice->status, "%s: %s", q.function, d->choice->message.c_str());
  return q.what == Action::measure_workspace ? static_cast<gpuopt_status>(GPUOPT_OK) : check_capture(*h, q, *d);
}

}  // namespace gpuopt
