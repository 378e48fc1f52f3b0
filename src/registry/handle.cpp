// Creating, configuring and destroying handles.
#include "handle.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "api_scope.h"
#include "call_log.h"
#include "cublaslt_probe.h"
#include "device.h"
#include "error.h"
#include "facts.h"
#include "nvtx.h"
#include "plugins/loader.h"
#include "text.h"

using namespace gpuopt;

const gpuopt::Snapshot &gpuopt_handle::current_kernels() {
  if (kernels && kernels->generation == current_generation()) return *kernels;
  kernels = current_snapshot();
  cache.clear();
  return *kernels;
}

void gpuopt_handle::keep_event(void *event) {
  try {
    spare_events.push_back(event);
  }
  GPUOPT_CATCH_ALL { device::destroy_event(event); }
}

void gpuopt_handle::read_pending_times() {
  pending_bytes = 0;
  while (!pending.empty()) {
    PendingTime t = std::move(pending.front());
    pending.pop_front();
    float ms = 0;
    bool known = false;
    {
      const device::RelaxedCapture relaxed(true);  // waiting must not invalidate a capture elsewhere
      known = device::elapsed_ms(t.start, t.stop, &ms);
      if (known) counters[t.counter].ms += static_cast<double>(ms);
      keep_event(t.start);
      keep_event(t.stop);
    }
    if (t.line.empty()) continue;
    try {  // may call the application, which may end the thread: what is still pending stays whole
      end_exec_line(this, std::move(t.line), known ? milliseconds(static_cast<double>(ms)) : "");
    }
    GPUOPT_CATCH_ALL {}
  }
}

void gpuopt_handle::wait_for_time(size_t counter, std::string line) {
  constexpr size_t kMostCalls = 4096, kMostBytes = 1 << 20;
  pending_bytes += line.size();
  pending.back().counter = counter;
  pending.back().line = std::move(line);
  if (pending.size() >= kMostCalls || pending_bytes >= kMostBytes) read_pending_times();
}

// All of destroying that may call the application back, which may end the thread. Out of memory, what is written of
// counters stops.
void gpuopt_handle::finish() {
  const bool usable = cuda && !is_lost();
  const device::ScopedCurrent current(usable ? ordinal() : -1);
  const device::RelaxedCapture relaxed(usable);  // freeing must not invalidate a capture of another thread
  bool ended = false;
  if (usable) {
    // An unusable stream must not keep the handle's memory alive, and waiting must not end a capture that it is in.
    ended = device::capture_state(stream) == device::Capture::none && device::synchronize(stream) == GPUOPT_OK;
    read_pending_times();
    for (void *event : spare_events) device::destroy_event(event);
  }
  try {
    if (log.on(kProfile))
      for (const gpuopt_counter &c : counters)
        log.line("profile", {gpuopt_op_name(c.op), c.kernel, std::to_string(c.calls), milliseconds(c.ms)});
  }
  GPUOPT_CATCH_ALL {}
  if (is_lost())
    arena.forget();  // the device's memory is the parent's
  else
    arena.clear(stream, ended);
}

gpuopt_status gpuopt_handle::check_fork(const char *function) const {
  if (!is_lost()) return GPUOPT_OK;
  return fail(
      GPUOPT_CUDA_ERROR,
      "%s: the handle was made before fork(), which CUDA does not survive: in the child, use a handle of the CPU "
      "(GPUOPT_DEVICE_CPU), or execute a program",
      function);
}

namespace gpuopt {

HandleInCall::HandleInCall(const char *function, gpuopt_handle *handle) : held_(handle) {
  if (handle == nullptr) {
    fail(GPUOPT_INVALID_ARGUMENT, "%s: handle is NULL", function);
  } else if (handle->in_call.exchange(true, std::memory_order_acquire)) {
    held_ = nullptr;
    fail(GPUOPT_INVALID_ARGUMENT,
         "%s: handle=%p is in a call, of whose callbacks or kernels this is one, or of another thread: use a handle of "
         "your own there",
         function, static_cast<void *>(handle));
  }
}

namespace {

// The defaults, or a copy of what the caller gave.
gpuopt_status take_options(const gpuopt_options *options, gpuopt_options *out) {
  *out = GPUOPT_OPTIONS_INIT;
  if (options == nullptr) return GPUOPT_OK;
  const gpuopt_status s = check_struct_size("gpuopt_create", "options", options, offsetof(gpuopt_options, tune_cache),
                                            "GPUOPT_OPTIONS_INIT", sizeof *out);
  if (s != GPUOPT_OK) return s;
  std::memcpy(out, options, std::min(options->struct_size, sizeof *out));
  return GPUOPT_OK;
}

gpuopt_status choose_device(const Settings &chosen, gpuopt_handle *h) {
  read_cpu_facts(chosen.num_threads, chosen.cpu_isa, &h->facts);
  h->cpu_fallback = chosen.cpu_fallback;
  h->policy.fallback_off_by =
      *chosen.cpu_fallback_source == 'G' ? "GPUOPT_CPU_FALLBACK=never" : "options.cpu_fallback=GPUOPT_FALLBACK_NEVER";
  if (chosen.device == GPUOPT_DEVICE_CPU || chosen.cpu_fallback == GPUOPT_FALLBACK_ALWAYS) {
    h->cpu_is_fallback = chosen.device != GPUOPT_DEVICE_CPU;
    return GPUOPT_OK;
  }
  const bool forked = !may_use_cuda();
  const device::RelaxedCapture relaxed(!forked);
  std::string why = "this process is a fork of one that used CUDA, which does not survive that";
  const int devices = forked ? 0 : device::count(&why);
  const int ordinal = chosen.device == GPUOPT_DEVICE_AUTO ? 0 : chosen.device;
  if (ordinal < devices) {
    h->cuda = true;
    const gpuopt_status s = device::read_facts(ordinal, &h->facts);
    h->facts.cublaslt = cublaslt_available();
    return fail_within(s, "gpuopt_create");
  }
  if (chosen.device >= 0)
    return fail(GPUOPT_NO_DEVICE, "gpuopt_create: device %d: there %s %d CUDA device%s%s%s (%s=%d)", ordinal,
                devices == 1 ? "is" : "are", devices, devices == 1 ? "" : "s", why.empty() ? "" : ": ", why.c_str(),
                chosen.device_source, ordinal);
  if (chosen.cpu_fallback == GPUOPT_FALLBACK_NEVER)
    return fail(GPUOPT_NO_DEVICE, "gpuopt_create: no CUDA device (%s) and the CPU fallback is off (%s)", why.c_str(),
                h->policy.fallback_off_by);
  h->cpu_is_fallback = true;
  if (h->log.on(kInfo)) h->log.line("info", {sentence("no CUDA device (" + why + "): the CPU kernels run")});
  return GPUOPT_OK;
}

// The setters, for themselves and for gpuopt_create. function and field: as the caller wrote them.
gpuopt_status force(gpuopt_handle *h, const char *function, const char *field, const char *text) {
  ForcedNames forced;
  const gpuopt_status s = parse_forced(std::string(function) + ": " + field, text, &forced);
  if (s != GPUOPT_OK) return s;
  h->policy.forced = forced;
  h->policy.forced_by = std::strcmp(field, "kernel") == 0 ? function : field;
  h->cache.clear();
  return GPUOPT_OK;
}

gpuopt_status disable(gpuopt_handle *h, const char *function, const char *field, const char *globs) {
  const gpuopt_status s = check_length(std::string(function) + ": " + field, globs);
  if (s != GPUOPT_OK) return s;
  h->policy.disabled = split_list(globs);
  h->policy.disabled_by = std::strcmp(field, "globs") == 0 ? function : field;
  h->cache.clear();
  const Snapshot &kernels = h->current_kernels();
  for (const std::string &glob : h->policy.disabled) {
    const bool matches = std::any_of(kernels.all.begin(), kernels.all.end(),
                                     [&](const gpuopt_kernel *k) { return glob_match_kernel(glob.c_str(), *k); });
    if (!matches) warn(&h->log, h->policy.disabled_by, quoted(glob) + " matches no kernel");
  }
  return GPUOPT_OK;
}

// source: who names the file.
void tune(gpuopt_handle *h, const char *source, const std::string &setting) {
  std::vector<std::string> warnings;
  Tuning tuning(setting, h->facts, h->current_kernels(), &warnings);
  h->cache.clear();
  h->tuning = std::move(tuning);
  for (const std::string &text : warnings) warn(&h->log, source, text);
  const size_t own = h->tuning.entry_count(0), shipped = h->tuning.entry_count(1);
  if (own + shipped > 0 && h->log.on(kInfo))
    h->log.line("info", {"tuned choices for this device: " + std::to_string(own) + " of the user and " +
                         std::to_string(shipped) + " of the library"});
}

gpuopt_status use_workspace(gpuopt_handle *h, const char *prefix, void *workspace, const char *bytes_field,
                            size_t bytes) {
  if ((workspace == nullptr) != (bytes == 0))
    return fail(GPUOPT_INVALID_ARGUMENT, "%sworkspace=%p with %s=%zu: give both or neither", prefix, workspace,
                bytes_field, bytes);
  if (reinterpret_cast<uintptr_t>(workspace) % 256 != 0)
    return fail(GPUOPT_INVALID_ARGUMENT, "%sworkspace=%p is not 256-byte aligned", prefix, workspace);
  h->workspace = workspace;
  h->workspace_bytes = bytes;
  h->cache.clear();
  return GPUOPT_OK;
}

gpuopt_status configure(const gpuopt_options &o, gpuopt_handle *h) {
  Settings chosen;
  gpuopt_status s = read_settings(&o, &chosen);
  if (s != GPUOPT_OK) return s;
  if (o.space < 0 || o.space > GPUOPT_SPACE_HOST)
    return fail(GPUOPT_INVALID_ARGUMENT, "gpuopt_create: options.space=%d is not a GPUOPT_SPACE_* value", o.space);
  if ((o.allocate == nullptr) != (o.deallocate == nullptr))
    return fail(GPUOPT_INVALID_ARGUMENT,
                "gpuopt_create: options.%s is NULL: give both of allocate and deallocate or neither",
                o.allocate ? "deallocate" : "allocate");
  open_log(chosen, &h->log);
  h->profiling = h->log.on(kProfile);
  if (chosen.nvtx) h->nvtx = gpuopt_nvtx_domain();
  if (!chosen.plugin_path.value.empty()) {
    const std::string where = std::string("gpuopt_create: ") + chosen.plugin_path.source;
    if ((s = check_length(where, chosen.plugin_path.value.c_str())) != GPUOPT_OK) return s;
    if ((s = load_plugin_list(where, chosen.plugin_path.value, &h->log)) != GPUOPT_OK) return s;
  }
  if ((s = choose_device(chosen, h)) != GPUOPT_OK) return s;
  h->space = o.space;
  h->stream = o.stream;
  h->workspace_limit = o.workspace_limit ? o.workspace_limit : size_t{256} << 20;
  h->source = {h->cuda, o.allocate, o.deallocate, o.allocator_user};
  h->arena.set_source(h->source, h->workspace_limit);
  h->host_arena.set_source(Allocator(), h->workspace_limit);
  const char *const fn = "gpuopt_create";
  s = use_workspace(h, "gpuopt_create: options.", o.workspace, "options.workspace_bytes", o.workspace_bytes);
  if (s == GPUOPT_OK) s = force(h, fn, chosen.kernel.source, chosen.kernel.value.c_str());
  if (s == GPUOPT_OK) s = disable(h, fn, chosen.disable.source, chosen.disable.value.c_str());
  if (s != GPUOPT_OK) return s;
  tune(h, chosen.tune_cache.source, chosen.tune_cache.value);
  if (h->log.on(kInfo)) {
    h->log.line("info", {sentence(std::string(gpuopt_build_info()) + " on " + device_text(*h) + " with " +
                                  std::to_string(gpuopt_kernel_count()) + " kernels")});
  }
  return GPUOPT_OK;
}

}  // namespace
}  // namespace gpuopt

#define GPUOPT_HOLD(handle)                             \
  const gpuopt::HandleInCall in_call(__func__, handle); \
  if (in_call.status() != GPUOPT_OK) return in_call.status()

extern "C" {

gpuopt_status gpuopt_create(gpuopt_handle **handle, const gpuopt_options *options) try {
  const ApiScope scope;
  if (handle == nullptr) return fail(GPUOPT_INVALID_ARGUMENT, "gpuopt_create: handle is NULL");
  *handle = nullptr;
  static_cast<void>(lock_across_forks());  // counts forks from here on
  gpuopt_options o;
  gpuopt_status s = take_options(options, &o);
  if (s != GPUOPT_OK) return s;
  auto h = std::make_unique<gpuopt_handle>();
  if ((s = configure(o, h.get())) != GPUOPT_OK) return s;
  *handle = h.release();
  return GPUOPT_OK;
}
GPUOPT_CATCH_ALL { return fail_caught("gpuopt_create"); }

void gpuopt_destroy(gpuopt_handle *handle) {
  const ApiScope scope;
  if (handle == nullptr) return;
  // Not HandleInCall: what it would let go is gone. The handle stays in this call for the callbacks that it still makes.
  if (handle->in_call.exchange(true, std::memory_order_acquire)) {
    fail(GPUOPT_INVALID_ARGUMENT,
         "gpuopt_destroy: handle=%p is in a call, of whose callbacks or kernels this is one, or of another thread: it "
         "stays as it is",
         static_cast<void *>(handle));
    return;
  }
  const std::unique_ptr<gpuopt_handle> owned(handle);
  handle->finish();
}

gpuopt_status gpuopt_set_stream(gpuopt_handle *handle, CUstream_st *stream) {
  GPUOPT_HOLD(handle);
  handle->stream = stream;
  return GPUOPT_OK;
}

gpuopt_status gpuopt_set_kernel(gpuopt_handle *handle, const char *kernel) try {
  GPUOPT_HOLD(handle);
  return force(handle, "gpuopt_set_kernel", "kernel", kernel);
}
GPUOPT_CATCH_ALL { return fail_caught("gpuopt_set_kernel"); }

gpuopt_status gpuopt_set_disabled(gpuopt_handle *handle, const char *globs) try {
  const ApiScope scope;
  GPUOPT_HOLD(handle);
  return disable(handle, "gpuopt_set_disabled", "globs", globs);
}
GPUOPT_CATCH_ALL { return fail_caught("gpuopt_set_disabled"); }

gpuopt_status gpuopt_set_tune_cache(gpuopt_handle *handle, const char *path) try {
  const ApiScope scope;
  GPUOPT_HOLD(handle);
  tune(handle, "gpuopt_set_tune_cache", path ? path : "");
  return GPUOPT_OK;
}
GPUOPT_CATCH_ALL { return fail_caught("gpuopt_set_tune_cache"); }

gpuopt_status gpuopt_set_verbose(gpuopt_handle *handle, const char *tokens) try {
  GPUOPT_HOLD(handle);
  std::string unknown;
  const uint32_t bits = tokens && *tokens ? parse_verbose(tokens, &unknown) : kVerboseDefault;
  if (!unknown.empty())
    return fail(GPUOPT_INVALID_ARGUMENT, "gpuopt_set_verbose: unknown token %s; known: %s", quoted(unknown).c_str(),
                kKnownVerbose);
  handle->log.bits = bits;
  return GPUOPT_OK;
}
GPUOPT_CATCH_ALL { return fail_caught("gpuopt_set_verbose"); }

gpuopt_status gpuopt_set_workspace(gpuopt_handle *handle, void *workspace, size_t bytes) {
  GPUOPT_HOLD(handle);
  return use_workspace(handle, "gpuopt_set_workspace: ", workspace, "bytes", bytes);
}

gpuopt_status gpuopt_set_log(gpuopt_handle *handle, gpuopt_log_fn fn, void *user) {
  GPUOPT_HOLD(handle);
  handle->log.set_callback(fn, user);
  return GPUOPT_OK;
}

gpuopt_status gpuopt_set_profiling(gpuopt_handle *handle, int32_t on) {
  GPUOPT_HOLD(handle);
  handle->profiling = on != 0;
  return GPUOPT_OK;
}

gpuopt_status gpuopt_get_device(const gpuopt_handle *handle, gpuopt_device_facts *facts) {
  constexpr const char *fn = "gpuopt_get_device";
  if (handle == nullptr) return fail(GPUOPT_INVALID_ARGUMENT, "%s: handle is NULL", fn);
  if (facts == nullptr) return fail(GPUOPT_INVALID_ARGUMENT, "%s: facts is NULL", fn);
  return write_struct(fn, "facts", facts, &handle->facts, sizeof *facts, sizeof *facts, "GPUOPT_DEVICE_FACTS_INIT");
}

}  // extern "C"
