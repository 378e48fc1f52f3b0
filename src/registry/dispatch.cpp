#include "dispatch.h"

#include <chrono>
#include <cstring>
#include <optional>
#include <utility>

#include "api_scope.h"
#include "call_log.h"
#include "device.h"
#include "error.h"
#include "nvtx.h"
#include "text.h"
#include "two_step.h"

namespace gpuopt {
namespace {

// entry calls one of k's functions, prepare or launch itself, and arch is the architecture of the code of k that runs here.
template <class Entry>
gpuopt_status launch_one(const char *function, const gpuopt_kernel &k, int32_t arch, gpuopt_problem &p,
                         gpuopt_launch *l, const Entry &entry) {
  if (is_other_generation(arch, *p.device)) {
    ProblemForCode seen(p, arch);
    gpuopt_launch as_seen = *l;
    as_seen.device = &seen.device;
    return launch_one(function, k, arch, seen.problem, &as_seen, entry);
  }
  char text[512] = "";
  l->error = text;
  l->error_bytes = sizeof text;
  p.kernel = &k;
  gpuopt_status s = GPUOPT_OK;
  try {
    s = entry(&p, l);
  }
  GPUOPT_CATCH_ALL { throw_foreign(GPUOPT_INTERNAL, k.name); }
  if (s == GPUOPT_OK) return s;
  text[sizeof text - 1] = 0;
  const char *name = gpuopt_status_name(s);
  if (std::strcmp(name, "?") == 0)
    return fail(GPUOPT_INTERNAL, "%s: %s: it returned %d, which is no status%s%s", function, k.name, s,
                *text ? ": " : "", text);
  return fail(s, "%s: %s: %s", function, k.name, *text ? text : name);
}

// An automatic choice whose kernel found in prepare that its library refuses the problem: the next best takes its place
// for this problem, and the log says so; where it refuses the algorithm that was tuned, the kernel's own choice does. Forced
// kernels are never replaced.
bool replace_refused(gpuopt_handle *h, gpuopt_problem &p, const gpuopt_kernel *kernel, ChoiceCache::Entry *e) {
  if (e->choice.how == GPUOPT_HOW_FORCED) return false;
  e->refused.push_back({kernel, kernel == e->choice.kernel ? e->choice.algorithm : nullptr});
  Selection next = select(p, h->policy, *h->kernels, nullptr, &e->refused);  // not newer ones: *e would go
  if (next.status != GPUOPT_OK) {
    e->refused.pop_back();  // then it is asked again, and its own reason is the call's
    return false;
  }
  if (h->log.on(kDispatch))
    h->log.line("dispatch", {gpuopt_op_name(p.op), e->choice.name, "refused", "NONE", sentence(gpuopt_last_error())});
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
gpuopt_status launch(const char *function, const Selection &choice, gpuopt_problem &p, TwoStep *steps,
                     gpuopt_launch *l) {
  if (!steps) return launch_one(function, *choice.kernel, choice.arch, p, l, choice.kernel->launch);
  place_intermediate(steps, l->scratch);
  gpuopt_launch inner = *l;
  inner.scratch = static_cast<char *>(l->scratch) + steps->intermediate_bytes;
  const gpuopt_status s =
      launch_one(function, *choice.kernel, choice.arch, steps->first, &inner, choice.kernel->launch);
  if (s != GPUOPT_OK) return s;
  return launch_one(function, *choice.second, choice.second_arch, steps->second, &inner, choice.second->launch);
}

// *asked: the kernel that the status is of.
gpuopt_status prepare(const char *function, ChoiceCache::Entry *e, gpuopt_problem &p, TwoStep *steps, gpuopt_launch *l,
                      const gpuopt_kernel **asked) {
  const Selection &c = e->choice;
  gpuopt_status s = GPUOPT_OK;
  *asked = c.kernel;
  (steps ? steps->first : p).algorithm = c.algorithm;
  if (c.kernel->prepare) s = launch_one(function, *c.kernel, c.arch, steps ? steps->first : p, l, c.kernel->prepare);
  if (s == GPUOPT_OK && c.second && c.second->prepare) {
    *asked = c.second;
    s = launch_one(function, *c.second, c.second_arch, steps->second, l, c.second->prepare);
  }
  e->prepared = s == GPUOPT_OK;
  return s;
}

gpuopt_status list_algorithms(const char *function, const Selection &c, gpuopt_problem &p, gpuopt_launch *l,
                              std::string *names) {
  if (c.kernel->algorithms == nullptr) return GPUOPT_OK;
  char text[GPUOPT_ALGORITHMS_BYTES] = "";
  const gpuopt_status s = launch_one(
      function, *c.kernel, c.arch, p, l,
      [&text](const auto *problem, const auto *launch) { return problem->kernel->algorithms(problem, launch, text); });
  text[sizeof text - 1] = 0;
  *names = text;
  return s;
}

// The CPU's calls on a GPU handle are done when they return: one set of blocks serves them all.
CUstream_st *arena_stream(const gpuopt_handle &h, bool host) { return host && h.cuda ? nullptr : h.stream; }

// The caller's buffer, or the arena's. A CPU kernel on a GPU handle cannot use device memory: it has an arena of its own.
gpuopt_status find_workspace(gpuopt_handle *h, const char *function, const Selection &c, bool capturing, bool host,
                             gpuopt_launch *l) {
  if (c.workspace() == 0) return GPUOPT_OK;
  if (h->workspace && host != h->cuda) {
    // Its size is the limit of the choice, so it is large enough.
    l->scratch = h->workspace;
    if (c.zeroed == 0) return GPUOPT_OK;
    l->zeroed = static_cast<char *>(h->workspace) + zeroed_offset(c.scratch);
    // The buffer's contents are the caller's affair, so its zeroed part is cleared for each call.
    if (h->cuda) return fail_within(device::fill(l->zeroed, 0, c.zeroed, h->stream), "%s: %s", function, c.name);
    std::memset(l->zeroed, 0, c.zeroed);
    return GPUOPT_OK;
  }
  if (capturing && !host && h->has_own_workspace())
    return fail_within(h->captures.get(h->ordinal(), h->stream, c.scratch, c.zeroed, &l->scratch, &l->zeroed), "%s: %s",
                       function, c.name);
  return fail_within(
      h->arena_for(host).get(arena_stream(*h, host), c.scratch, c.zeroed, capturing, &l->scratch, &l->zeroed), "%s: %s",
      function, c.name);
}

// Behind a launch that went well: the arena's zeroed bytes are zero again, or will be.
void settle_workspace(gpuopt_handle *h, const Selection &c, bool capturing, bool host) {
  if (c.zeroed == 0 || capturing || (h->workspace && host != h->cuda)) return;
  h->arena_for(host).settle(arena_stream(*h, host));
}

// Makes room for a later call, captured or not. In a capture the arena's memory cannot be cleared, and a captured call of a
// caller's allocator gets none: there is only the captures' own pool to fill.
gpuopt_status reserve_workspace(gpuopt_handle *h, const char *function, const Selection &c, bool capturing, bool host) {
  if ((h->workspace && host != h->cuda) || c.workspace() == 0) return GPUOPT_OK;
  gpuopt_status s = GPUOPT_OK;
  if (host || !capturing) s = h->arena_for(host).reserve(arena_stream(*h, host), c.scratch, c.zeroed);
  if (s == GPUOPT_OK && !host && h->has_own_workspace()) s = reserve_capture_memory(h->ordinal(), c.scratch, c.zeroed);
  return fail_within(s, "%s: %s", function, c.name);
}

// They are zero.
gpuopt_status write_empty_statistics(const gpuopt_handle &h, const gpuopt_problem &p) {
  const gpuopt_matrix &m = p.extra[GPUOPT_OPERAND_STATISTICS - 4].m;
  const auto size = static_cast<size_t>(gpuopt_dtype_size(m.dtype)), pitch = static_cast<size_t>(m.ld) * size,
             stride = static_cast<size_t>(m.batch_stride) * size;
  size_t lines = static_cast<size_t>(m.layout == GPUOPT_ROW ? m.rows : m.cols), batch = static_cast<size_t>(p.batch);
  const size_t length = static_cast<size_t>(m.layout == GPUOPT_ROW ? m.cols : m.rows) * size;
  if (batch > 1 && stride == pitch * lines) lines *= batch, batch = 1;
  for (size_t i = 0; i < batch; ++i) {
    char *const first = static_cast<char *>(m.data) + i * stride;
    if (p.space == GPUOPT_SPACE_DEVICE) {
      if (const gpuopt_status s = device::zero_lines(first, pitch, length, lines, h.stream)) return s;
    } else {
      for (size_t j = 0; j < lines; ++j) std::memset(first + j * pitch, 0, length);
    }
  }
  return GPUOPT_OK;
}

// Events around a launch, for its time on the device; both or neither.
class EventPair {
 public:
  explicit EventPair(gpuopt_handle *h) : h_(h) {
    start_ = take();
    stop_ = take();
    if (!start_ || !stop_ || !device::record_event(start_, h->stream)) drop();
  }
  ~EventPair() { drop(); }
  EventPair(const EventPair &) = delete;
  EventPair &operator=(const EventPair &) = delete;
  void stop() {
    if (stop_ && !device::record_event(stop_, h_->stream)) drop();
  }
  // The pair is the caller's from here on, in a time that is to be read.
  bool give(PendingTime *to) {
    to->start = std::exchange(start_, nullptr);
    to->stop = std::exchange(stop_, nullptr);
    return to->stop != nullptr;
  }

 private:
  void *take() {
    if (h_->spare_events.empty()) return device::make_event();
    void *event = h_->spare_events.back();
    h_->spare_events.pop_back();
    return event;
  }
  void drop() {
    for (void **event : {&start_, &stop_})
      if (*event) h_->keep_event(std::exchange(*event, nullptr));
  }
  gpuopt_handle *h_;
  void *start_ = nullptr, *stop_ = nullptr;
};

// A range around a launch, for profilers.
class NvtxRange {
 public:
  NvtxRange(void *domain, const Decision &d) : domain_(domain) {
    if (domain_) gpuopt_nvtx_push(domain_, range_text(d).c_str());
  }
  ~NvtxRange() {
    if (domain_) gpuopt_nvtx_pop(domain_);
  }
  NvtxRange(const NvtxRange &) = delete;
  NvtxRange &operator=(const NvtxRange &) = delete;

 private:
  void *const domain_;
};

// Step 8. The output is written: what cannot be kept of the call for want of memory must not make it a failure. line: its
// exec line but for the time, or "". host_ms: a CPU kernel's time; events: around a GPU kernel's launch, where it is profiled,
// whose line waits for them.
void record(gpuopt_handle *h, const Decision &d, std::string line, const double *host_ms, EventPair *events) try {
  const Selection &c = *d.choice;
  h->last.struct_size = sizeof h->last;
  h->last.op = d.problem.op;
  h->last.how = c.how;
  h->last.kernel = c.name;
  h->last.predicted_us = c.predicted_us;
  h->last.workspace_bytes = c.workspace();
  const size_t i = counter_of(h, c.name, d.problem.op);
  ++h->counters[i].calls;
  if (host_ms) h->counters[i].ms += *host_ms;
  if (events) {
    h->pending.emplace_back();  // what needs memory comes first
    if (events->give(&h->pending.back())) return h->wait_for_time(i, std::move(line));
    h->pending.pop_back();
  }
  if (!line.empty()) end_exec_line(h, std::move(line), host_ms ? milliseconds(*host_ms) : "");
}
GPUOPT_CATCH_ALL {}

}  // namespace

gpuopt_status dispatch(gpuopt_handle *h, const char *function, const void *user_args, int32_t op, Action what,
                       Answer *answer) try {
  const ApiScope scope;
  const HandleInCall in_call(function, h);
  if (in_call.status() != GPUOPT_OK) return in_call.status();
  const Question asked = {function, user_args, op, what};
  Decision d;
  gpuopt_status s = decide(h, asked, &d);
  if (s != GPUOPT_OK) return s;
  gpuopt_problem &p = d.problem;
  ChoiceCache::Entry *const e = d.entry;
  const Selection &c = *d.choice;
  if (what == Action::measure_workspace) {
    answer->workspace_bytes = c.workspace();
    return GPUOPT_OK;
  }
  if (is_empty(p)) {
    if (what != Action::run || !has_empty_statistics(p)) return s;
    if (d.host_data_on_gpu && (s = device::synchronize(h->stream)) != GPUOPT_OK) return s;
    return fail_within(write_empty_statistics(*h, p), "%s", function);
  }
  gpuopt_launch l = {};
  l.struct_size = sizeof l;
  l.stream = h->stream;
  l.device = &h->facts;
  // A first call loads modules and allocates, which must not invalidate a capture of another thread.
  const device::RelaxedCapture relaxed(h->cuda && !e->prepared);
  TwoStep steps;
  TwoStep *two = nullptr;
  for (;;) {
    two = c.second ? &steps : nullptr;
    if (two && !split_gemm(p, two))
      return fail(GPUOPT_INTERNAL, "%s: %s: the problem does not split", function, c.name);
    const gpuopt_kernel *refused = nullptr;
    if (e->prepared || (s = prepare(function, e, p, two, &l, &refused)) == GPUOPT_OK) break;
    if (s != GPUOPT_NOT_SUPPORTED || !replace_refused(h, p, refused, e)) return s;
    if ((s = check_capture(*h, asked, d)) != GPUOPT_OK) return s;
  }
  const bool host = (c.kernel->flags & GPUOPT_KERNEL_HOST) != 0;
  (two ? two->first : p).algorithm = c.algorithm;
  if (what == Action::algorithms) return list_algorithms(function, c, two ? two->first : p, &l, &answer->algorithms);
  if (what == Action::prepare) return reserve_workspace(h, function, c, p.capturing != 0, host);
  if ((s = find_workspace(h, function, c, p.capturing != 0, host, &l)) != GPUOPT_OK) return s;
  // From the args as they are before any kernel writes.
  std::string line = h->log.on(kExec) ? begin_exec_line(h, d) : "";
  const NvtxRange range(h->nvtx, d);

  if (host) {
    if (d.host_data_on_gpu) {
      if (!h->warned_host_data && h->log.on(kWarn)) {
        h->warned_host_data = true;
        h->log.line("warn", {gpuopt_op_name(op), c.name,
                             "operands are in pageable host memory: the CPU runs it after a stream synchronise"});
      }
      if ((s = device::synchronize(h->stream)) != GPUOPT_OK) return fail_within(s, "%s: %s", function, c.name);
    }
    const auto start = std::chrono::steady_clock::now();
    if ((s = launch(function, c, p, two, &l)) != GPUOPT_OK) return s;
    settle_workspace(h, c, p.capturing != 0, host);
    const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
    const double ms = spent.count();
    record(h, d, std::move(line), &ms, nullptr);
    return GPUOPT_OK;
  }

  std::optional<EventPair> events;
  if (h->profiling && !p.capturing) events.emplace(h);
  if ((s = launch(function, c, p, two, &l)) != GPUOPT_OK) return s;
  settle_workspace(h, c, p.capturing != 0, host);
  if (events) events->stop();
  record(h, d, std::move(line), nullptr, events ? &*events : nullptr);
  return GPUOPT_OK;
}
GPUOPT_CATCH_ALL { return fail_caught(function); }

}  // namespace gpuopt
