#include "dispatch.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "device.h"
#include "error.h"
#include "two_step.h"

namespace gpuopt {
namespace {

std::string problem_text(const gpuopt_problem &p) { return find_op(p.op)->describe(p); }

std::string device_text(const gpuopt_handle &h) {
  return h.cuda ? "cuda" + std::to_string(h.facts.ordinal) + ":sm_" + std::to_string(h.facts.cc) : "cpu";
}

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

// All operands are in one space, which decides the problem's. On a CPU handle everything is host memory.
gpuopt_status classify_operands(const gpuopt_handle &h, const char *function, gpuopt_problem *p) {
  if (!h.cuda) {
    p->space = GPUOPT_SPACE_HOST;
    return GPUOPT_OK;
  }
  if (h.space != GPUOPT_SPACE_QUERY) {
    p->space = h.space;
    return GPUOPT_OK;
  }
  p->space = GPUOPT_SPACE_DEVICE;
  int32_t first = GPUOPT_OPERAND_NONE;
  gpuopt_status status = GPUOPT_OK;
  for_each_operand(*p, [&](const gpuopt_operand &o) {
    if (status != GPUOPT_OK || o.m.data == nullptr) return;
    int actual = 0;
    const device::place place = device::classify(o.m.data, h.facts.ordinal, &actual);
    const std::string name = operand_name(p->op, o.user_operand);
    if (place == device::place::failed) {
      status = GPUOPT_CUDA_ERROR;
    } else if (place == device::place::other_device) {
      status = fail(GPUOPT_INVALID_ARGUMENT,
                    "%s: %s.data=%p is memory of CUDA device %d and the handle is bound to device %d", function,
                    name.c_str(), o.m.data, actual, h.facts.ordinal);
    } else {
      const int32_t space = place == device::place::host ? GPUOPT_SPACE_HOST : GPUOPT_SPACE_DEVICE;
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

// Writes a dispatch line per candidate.
struct log_visitor final : visitor {
  gpuopt::log &log;
  const char *op;
  log_visitor(gpuopt::log &l, const char *o) : log(l), op(o) {}
  void candidate(const gpuopt_candidate &c) override {
    const char *verdict = c.verdict == GPUOPT_VERDICT_CHOSEN     ? "chosen"
                          : c.verdict == GPUOPT_VERDICT_ACCEPTED ? "accepted"
                                                                 : "rejected";
    std::string text = c.text;
    std::replace(text.begin(), text.end(), ',', ';');
    log.line("dispatch",
             std::string(op) + "," + c.kernel + "," + verdict + "," + gpuopt_reject_name(c.reject) + "," + text);
  }
};

// Steps 3 to 6 through the handle's memory of earlier choices.
choice_cache::entry *choose(gpuopt_handle *h, const gpuopt_problem &p, bool cpu_allowed, bool cpu_is_fallback) {
  const snapshot &kernels = current_snapshot();
  if (h->cache_generation != kernels.generation) {
    h->cache.clear();
    h->cache_generation = kernels.generation;
  }
  const problem_key key(p);
  choice_cache::entry *e = h->cache.find(key);
  if (e && !h->log.on(kDispatch)) return e;
  h->policy.cpu_allowed = cpu_allowed;
  h->policy.cpu_is_fallback = cpu_is_fallback;
  log_visitor lines(h->log, gpuopt_op_name(p.op));
  selection s = select(p, h->policy, kernels, h->log.on(kDispatch) ? &lines : nullptr);
  return e ? e : h->cache.insert(key, std::move(s));
}

gpuopt_status launch_one(const char *function, const gpuopt_kernel &k, const gpuopt_problem &p, gpuopt_launch *l,
                         gpuopt_status (*entry)(const gpuopt_problem *, const gpuopt_launch *)) {
  char text[512] = "";
  l->error = text;
  l->error_bytes = sizeof text;
  const gpuopt_status s = entry(&p, l);
  if (s == GPUOPT_OK) return s;
  return fail(s, "%s: %s: %s", function, k.name, *text ? text : gpuopt_status_name(s));
}

// An automatic choice whose kernel found in prepare that its library refuses the problem: the next best takes its place
// for this problem, and the log says so. Forced kernels are never replaced.
bool replace_refused(gpuopt_handle *h, const gpuopt_problem &p, choice_cache::entry *e) {
  if (e->choice.how == GPUOPT_HOW_FORCED) return false;
  policy rules = h->policy;
  for (const char *refused : e->refused) rules.disabled.push_back(refused);
  rules.disabled.push_back(e->choice.kernel->name);
  selection next = select(p, rules, current_snapshot(), nullptr);
  if (next.status != GPUOPT_OK) return false;
  if (h->log.on(kDispatch))
    h->log.line("dispatch",
                std::string(gpuopt_op_name(p.op)) + "," + e->choice.name + ",refused,NONE," + gpuopt_last_error());
  e->refused.push_back(e->choice.kernel->name);
  e->choice = std::move(next);
  return true;
}

size_t counter_of(gpuopt_handle *h, const char *name, int32_t op) {
  for (size_t i = 0; i < h->counters.size(); ++i)
    if (h->counters[i].kernel == name && h->counters[i].op == op) return i;
  h->counters.push_back({name, op, 0, 0, 0});
  return h->counters.size() - 1;
}

// Step 7, for one kernel or two steps; steps is set when there are two.
gpuopt_status launch(const char *function, const selection &choice, const gpuopt_problem &p, two_step *steps,
                     gpuopt_launch *l) {
  if (!steps) return launch_one(function, *choice.kernel, p, l, choice.kernel->launch);
  place_intermediate(steps, l->scratch);
  gpuopt_launch inner = *l;
  inner.scratch = static_cast<char *>(l->scratch) + steps->intermediate_bytes;
  const gpuopt_status s = launch_one(function, *choice.kernel, steps->first, &inner, choice.kernel->launch);
  if (s != GPUOPT_OK) return s;
  return launch_one(function, *choice.second, steps->second, &inner, choice.second->launch);
}

gpuopt_status prepare(const char *function, choice_cache::entry *e, const gpuopt_problem &p, two_step *steps,
                      gpuopt_launch *l) {
  const selection &c = e->choice;
  gpuopt_status s = GPUOPT_OK;
  if (c.kernel->prepare) s = launch_one(function, *c.kernel, steps ? steps->first : p, l, c.kernel->prepare);
  if (s == GPUOPT_OK && c.second && c.second->prepare)
    s = launch_one(function, *c.second, steps->second, l, c.second->prepare);
  e->prepared = s == GPUOPT_OK;
  return s;
}

// The caller's buffer, or the arena's. A CPU kernel on a GPU handle cannot use device memory: it has an arena of its own.
gpuopt_status find_workspace(gpuopt_handle *h, const char *function, const selection &c, bool capturing, bool host,
                             gpuopt_launch *l) {
  if (c.scratch + c.zeroed == 0) return GPUOPT_OK;
  if (h->workspace && host != h->cuda) {
    l->scratch = h->workspace;
    l->zeroed = c.zeroed ? static_cast<char *>(h->workspace) + (h->workspace_bytes - c.zeroed) / 256 * 256 : nullptr;
    if ((c.scratch + 255) / 256 * 256 + (c.zeroed + 255) / 256 * 256 > h->workspace_bytes)
      return fail(GPUOPT_WORKSPACE_TOO_SMALL, "%s: %s needs %zu bytes of workspace and the caller's buffer has %zu",
                  function, c.name, c.scratch + c.zeroed, h->workspace_bytes);
    if (c.zeroed == 0) return GPUOPT_OK;
    // The buffer's contents are the caller's affair, so its zeroed part is cleared for each call.
    if (h->cuda) return device::fill(l->zeroed, 0, c.zeroed, h->stream);
    std::memset(l->zeroed, 0, c.zeroed);
    return GPUOPT_OK;
  }
  return fail_within(h->arena_for(host).get(c.scratch, c.zeroed, capturing, &l->scratch, &l->zeroed), "%s: %s",
                     function, c.name);
}

// Step 8.
void record(gpuopt_handle *h, const gpuopt_problem &p, const selection &c, double host_ms, bool host) {
  h->last.struct_size = sizeof h->last;
  h->last.op = p.op;
  h->last.how = c.how;
  h->last.kernel = c.name;
  h->last.predicted_us = c.predicted_us;
  h->last.workspace_bytes = c.scratch + c.zeroed;
  const size_t i = counter_of(h, c.name, p.op);
  ++h->counters[i].calls;
  if (host) h->counters[i].ms += host_ms;
  if (!h->log.on(kExec)) return;
  std::string ms;
  if (host) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6f", host_ms);
    ms = text;
  }
  h->log.line("exec", std::string(gpuopt_op_name(p.op)) + "," + c.name + "," + device_text(*h) + "," + problem_text(p) +
                          "," + how_text(c.how) + "," + std::to_string(c.scratch + c.zeroed) + "," + ms);
}

}  // namespace

gpuopt_status take_args(const char *function, const gpuopt_handle *handle, const void *args, int32_t op,
                        any_args *out) {
  if (handle == nullptr) return fail(GPUOPT_INVALID_ARGUMENT, "%s: handle is NULL", function);
  if (args == nullptr) return fail(GPUOPT_INVALID_ARGUMENT, "%s: args is NULL", function);
  gpuopt_args head;
  std::memcpy(&head.struct_size, args, sizeof head.struct_size);
  if (head.struct_size < sizeof head)
    return fail(GPUOPT_INVALID_ARGUMENT,
                "%s: args.struct_size=%zu is smaller than any args struct (start from a GPUOPT_*_ARGS_INIT macro)",
                function, head.struct_size);
  std::memcpy(&head, args, sizeof head);
  const op_definition *definition = find_op(head.op);
  if (definition == nullptr || (op != 0 && head.op != op))
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: args.op=%d %s (start from GPUOPT_%s_ARGS_INIT)", function, head.op,
                definition ? "is another operation's" : "is not a GPUOPT_OP_* value",
                op == GPUOPT_OP_GEMM        ? "GEMM"
                : op == GPUOPT_OP_TRANSPOSE ? "TRANSPOSE"
                : op == GPUOPT_OP_REDUCE    ? "REDUCE"
                : op == GPUOPT_OP_FUSED_ACT ? "FUSED_ACT"
                : op == GPUOPT_OP_NORM      ? "NORM"
                                            : "*");
  const gpuopt_status s = check_struct_size(function, "args", args, definition->args_size, nullptr);
  if (s != GPUOPT_OK) return s;
  std::memcpy(static_cast<void *>(out), args, definition->args_size);
  return GPUOPT_OK;
}

gpuopt_status build_problem(gpuopt_handle *h, const any_args &args, const build_options &options, gpuopt_problem *p) {
  std::memset(static_cast<void *>(p), 0, sizeof *p);
  p->struct_size = sizeof *p;
  p->op = args.head.op;
  p->device = &h->facts;
  p->workspace_limit = h->usable_workspace();
  return find_op(args.head.op)->build(&args, options, p);
}

gpuopt_status dispatch(gpuopt_handle *h, const char *function, const void *user_args, int32_t op, action what,
                       size_t *workspace_bytes) try {
  any_args args;
  gpuopt_status s = take_args(function, h, user_args, op, &args);
  if (s != GPUOPT_OK) return s;
  gpuopt_problem p;
  build_options options;
  options.function = function;
  if ((s = build_problem(h, args, options, &p)) != GPUOPT_OK) return s;

  const device::scoped_current current(h->ordinal());
  if (!current.ok()) return GPUOPT_CUDA_ERROR;
  bool capturing = false;
  if (h->cuda) {
    const device::capture state = device::capture_state(h->stream);
    if (state == device::capture::failed)
      return fail_within(GPUOPT_CUDA_ERROR, "%s: the CUDA context was in error before this call, which did nothing",
                         function);
    if (state == device::capture::blocked)
      return fail(GPUOPT_NOT_CAPTURABLE,
                  "%s: the handle uses the legacy default stream while another stream is being captured; "
                  "give it a stream of its own (gpuopt_set_stream, cudaStreamNonBlocking)",
                  function);
    capturing = state == device::capture::active;
  }
  if ((s = classify_operands(*h, function, &p)) != GPUOPT_OK) return s;
  p.capturing = capturing;
  const bool host_data_on_gpu = h->cuda && p.space == GPUOPT_SPACE_HOST;
  const bool cpu_allowed = !host_data_on_gpu || h->cpu_fallback != GPUOPT_FALLBACK_NEVER;

  choice_cache::entry *e = choose(h, p, cpu_allowed, h->cpu_is_fallback || host_data_on_gpu);
  const selection &c = e->choice;
  if (c.status != GPUOPT_OK) return fail(c.status, "%s: %s", function, c.message.c_str());
  if (what == action::measure_workspace) {
    *workspace_bytes = c.scratch + c.zeroed;
    return GPUOPT_OK;
  }
  if (is_empty(p)) return GPUOPT_OK;
  gpuopt_launch l = {};
  l.struct_size = sizeof l;
  l.stream = h->stream;
  l.device = &h->facts;
  // A first call loads modules and allocates, which must not invalidate a capture of another thread.
  const device::relaxed_capture relaxed(h->cuda && !e->prepared);
  two_step steps;
  two_step *two = nullptr;
  for (bool ready = false; !ready;) {
    two = c.second ? &steps : nullptr;
    if (two && !split_gemm(p, two))
      return fail(GPUOPT_INTERNAL, "%s: %s: the problem does not split", function, c.name);
    s = e->prepared ? GPUOPT_OK : prepare(function, e, p, two, &l);
    ready = s == GPUOPT_OK;
    if (!ready && (s != GPUOPT_NOT_SUPPORTED || !replace_refused(h, p, e))) return s;
  }
  const bool host = (c.kernel->flags & GPUOPT_KERNEL_HOST) != 0;
  if (capturing && (host || ((c.kernel->flags | (c.second ? c.second->flags : 0)) & GPUOPT_KERNEL_NOT_CAPTURABLE)))
    return fail(GPUOPT_NOT_CAPTURABLE, "%s: %s cannot be captured into a CUDA graph", function, c.name);
  if (what == action::prepare) {
    if ((h->workspace && host != h->cuda) || c.scratch + c.zeroed == 0) return GPUOPT_OK;
    return fail_within(h->arena_for(host).reserve(c.scratch, c.zeroed), "%s: %s", function, c.name);
  }
  if ((s = find_workspace(h, function, c, capturing, host, &l)) != GPUOPT_OK) return s;

  if (host) {
    if (host_data_on_gpu) {
      if (!h->warned_host_data && h->log.on(kWarn)) {
        h->warned_host_data = true;
        h->log.line("warn", std::string(gpuopt_op_name(op)) + "," + c.name +
                                ",operands are in pageable host memory: the CPU runs it after a stream synchronise");
      }
      if ((s = device::synchronize(h->stream)) != GPUOPT_OK) return s;
    }
    const auto start = std::chrono::steady_clock::now();
    if ((s = launch(function, c, p, two, &l)) != GPUOPT_OK) return s;
    const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
    record(h, p, c, spent.count(), true);
    return GPUOPT_OK;
  }

  pending_time timing = {};
  const auto take_event = [&] {
    if (h->spare_events.empty()) return device::make_event();
    void *event = h->spare_events.back();
    h->spare_events.pop_back();
    return event;
  };
  if (h->profiling && !capturing) {
    timing.start = take_event();
    timing.stop = take_event();
    if (timing.start && !device::record_event(timing.start, h->stream)) timing.start = nullptr;
  }
  if ((s = launch(function, c, p, two, &l)) != GPUOPT_OK) return s;
  record(h, p, c, 0, false);
  if (timing.start && timing.stop && device::record_event(timing.stop, h->stream)) {
    timing.counter = counter_of(h, c.name, p.op);
    h->pending.push_back(timing);
    if (h->pending.size() >= 4096) h->read_pending_times();
  }
  return GPUOPT_OK;
} catch (...) {
  return fail(GPUOPT_OUT_OF_MEMORY, "%s: out of host memory", function);
}

}  // namespace gpuopt
