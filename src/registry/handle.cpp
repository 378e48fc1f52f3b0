// Creating, configuring and destroying handles.
#include "handle.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "cublaslt_probe.h"
#include "device.h"
#include "error.h"
#include "facts.h"

using namespace gpuopt;

gpuopt::arena &gpuopt_handle::arena_for(bool host_kernel) {
  if (host_kernel && cuda) {
    if (!host_arena) host_arena = std::make_unique<gpuopt::arena>(gpuopt::allocator(), nullptr);
    return *host_arena;
  }
  for (const auto &a : arenas)
    if (a->stream() == stream) return *a;
  arenas.push_back(std::make_unique<gpuopt::arena>(source, stream));
  return *arenas.back();
}

void gpuopt_handle::read_pending_times() {
  for (const pending_time &t : pending) {
    float ms = 0;
    if (device::elapsed_ms(t.start, t.stop, &ms)) counters[t.counter].ms += static_cast<double>(ms);
    spare_events.push_back(t.start);
    spare_events.push_back(t.stop);
  }
  pending.clear();
}

gpuopt_handle::~gpuopt_handle() {
  const device::scoped_current current(ordinal());
  const device::relaxed_capture relaxed(cuda);  // freeing must not invalidate a capture of another thread
  if (cuda) {
    // An unusable stream must not keep the handle's memory alive.
    static_cast<void>(device::synchronize(stream));
    read_pending_times();
    for (void *event : spare_events) device::destroy_event(event);
  }
  if (log.on(kProfile))
    for (const gpuopt_counter &c : counters)
      log.line("profile", std::string(gpuopt_op_name(c.op)) + "," + c.kernel + "," + std::to_string(c.calls) + "," +
                              std::to_string(c.ms));
  arenas.clear();
}

namespace gpuopt {
namespace {

// The defaults, or a copy of what the caller gave.
gpuopt_status take_options(const gpuopt_options *options, gpuopt_options *out) {
  *out = GPUOPT_OPTIONS_INIT;
  if (options == nullptr) return GPUOPT_OK;
  const gpuopt_status s = check_struct_size("gpuopt_create", "options", options, sizeof *out, "GPUOPT_OPTIONS_INIT");
  if (s != GPUOPT_OK) return s;
  *out = *options;
  return GPUOPT_OK;
}

gpuopt_status choose_device(const settings &chosen, gpuopt_handle *h) {
  read_cpu_facts(chosen.num_threads, chosen.cpu_isa, &h->facts);
  h->cpu_fallback = chosen.cpu_fallback;
  if (chosen.device == GPUOPT_DEVICE_CPU || chosen.cpu_fallback == GPUOPT_FALLBACK_ALWAYS) {
    h->cpu_is_fallback = chosen.device != GPUOPT_DEVICE_CPU;
    return GPUOPT_OK;
  }
  const device::relaxed_capture relaxed(true);
  std::string why;
  const int devices = device::count(&why);
  const int ordinal = chosen.device == GPUOPT_DEVICE_AUTO ? 0 : chosen.device;
  if (ordinal < devices) {
    h->cuda = true;
    const gpuopt_status s = device::read_facts(ordinal, &h->facts);
    h->facts.cublaslt = cublaslt_available();
    return s;
  }
  if (chosen.device >= 0)
    return fail(GPUOPT_NO_DEVICE, "gpuopt_create: device %d: there %s %d CUDA device%s%s%s", ordinal,
                devices == 1 ? "is" : "are", devices, devices == 1 ? "" : "s", why.empty() ? "" : ": ", why.c_str());
  if (chosen.cpu_fallback == GPUOPT_FALLBACK_NEVER)
    return fail(GPUOPT_NO_DEVICE,
                "gpuopt_create: no CUDA device (%s) and the CPU fallback is off (GPUOPT_CPU_FALLBACK=never)",
                why.c_str());
  h->cpu_is_fallback = true;
  if (h->log.on(kInfo)) h->log.line("info", "no CUDA device (" + why + "): the CPU kernels run");
  return GPUOPT_OK;
}

gpuopt_status configure(const gpuopt_options &o, gpuopt_handle *h) {
  settings chosen;
  gpuopt_status s = read_settings(&o, &chosen);
  if (s != GPUOPT_OK) return s;
  if (o.space < 0 || o.space > GPUOPT_SPACE_HOST)
    return fail(GPUOPT_INVALID_ARGUMENT, "gpuopt_create: options.space=%d is not a GPUOPT_SPACE_* value", o.space);
  if ((o.allocate == nullptr) != (o.deallocate == nullptr))
    return fail(GPUOPT_INVALID_ARGUMENT,
                "gpuopt_create: options.%s is NULL: give both of allocate and deallocate or neither",
                o.allocate ? "deallocate" : "allocate");
  h->log.bits = chosen.verbose;
  h->profiling = h->log.on(kProfile);
  if (!h->log.open(chosen.log_file))
    chosen.warnings.push_back("env,GPUOPT_LOG_FILE,cannot be opened; logging to stderr");
  if (h->log.on(kWarn))
    for (const std::string &warning : chosen.warnings) h->log.line("warn", warning);
  if ((s = choose_device(chosen, h)) != GPUOPT_OK) return s;
  h->space = o.space;
  h->stream = o.stream;
  h->workspace_limit = o.workspace_limit ? o.workspace_limit : size_t{256} << 20;
  h->source = {h->cuda, o.allocate, o.deallocate, o.allocator_user};
  if ((s = gpuopt_set_workspace(h, o.workspace, o.workspace_bytes)) != GPUOPT_OK) return s;
  if ((s = gpuopt_set_kernel(h, chosen.kernel.c_str())) != GPUOPT_OK) return s;
  if ((s = gpuopt_set_disabled(h, chosen.disable.c_str())) != GPUOPT_OK) return s;
  if (h->log.on(kInfo)) {
    std::string where =
        h->cuda ? "cuda" + std::to_string(h->facts.ordinal) + ":sm_" + std::to_string(h->facts.cc) : "cpu";
    h->log.line("info", std::string(gpuopt_build_info()) + " on " + where + " with " +
                            std::to_string(gpuopt_kernel_count()) + " kernels");
  }
  return GPUOPT_OK;
}

}  // namespace
}  // namespace gpuopt

#define GPUOPT_NEED_HANDLE(h)                                                                 \
  do {                                                                                        \
    if ((h) == nullptr) return fail(GPUOPT_INVALID_ARGUMENT, "%s: handle is NULL", __func__); \
  } while (0)

extern "C" {

gpuopt_status gpuopt_create(gpuopt_handle **handle, const gpuopt_options *options) try {
  if (handle == nullptr) return fail(GPUOPT_INVALID_ARGUMENT, "gpuopt_create: handle is NULL");
  *handle = nullptr;
  gpuopt_options o;
  gpuopt_status s = take_options(options, &o);
  if (s != GPUOPT_OK) return s;
  auto h = std::make_unique<gpuopt_handle>();
  if ((s = configure(o, h.get())) != GPUOPT_OK) return s;
  *handle = h.release();
  return GPUOPT_OK;
} catch (...) {
  return fail(GPUOPT_OUT_OF_MEMORY, "gpuopt_create: out of host memory");
}

void gpuopt_destroy(gpuopt_handle *handle) { delete handle; }

gpuopt_status gpuopt_set_stream(gpuopt_handle *handle, CUstream_st *stream) {
  GPUOPT_NEED_HANDLE(handle);
  handle->stream = stream;
  return GPUOPT_OK;
}

gpuopt_status gpuopt_set_kernel(gpuopt_handle *handle, const char *kernel) try {
  GPUOPT_NEED_HANDLE(handle);
  forced_names forced;
  const gpuopt_status s = parse_forced(kernel, &forced);
  if (s != GPUOPT_OK) return s;
  handle->policy.forced = forced;
  handle->cache.clear();
  return GPUOPT_OK;
} catch (...) {
  return fail(GPUOPT_OUT_OF_MEMORY, "gpuopt_set_kernel: out of host memory");
}

gpuopt_status gpuopt_set_disabled(gpuopt_handle *handle, const char *globs) try {
  GPUOPT_NEED_HANDLE(handle);
  handle->policy.disabled = split_list(globs);
  handle->cache.clear();
  const snapshot &kernels = current_snapshot();
  for (const std::string &glob : handle->policy.disabled) {
    const bool matches = std::any_of(kernels.all.begin(), kernels.all.end(),
                                     [&](const gpuopt_kernel *k) { return glob_match(glob.c_str(), k->name); });
    if (!matches && handle->log.on(kWarn))
      handle->log.line("warn", "env,GPUOPT_DISABLE,'" + glob + "' matches no kernel");
  }
  return GPUOPT_OK;
} catch (...) {
  return fail(GPUOPT_OUT_OF_MEMORY, "gpuopt_set_disabled: out of host memory");
}

gpuopt_status gpuopt_set_verbose(gpuopt_handle *handle, const char *tokens) try {
  GPUOPT_NEED_HANDLE(handle);
  std::string unknown;
  const uint32_t bits = tokens && *tokens ? parse_verbose(tokens, &unknown) : kVerboseDefault;
  if (!unknown.empty())
    return fail(GPUOPT_INVALID_ARGUMENT,
                "gpuopt_set_verbose: unknown token '%s'; known: none error warn info dispatch exec profile all",
                unknown.c_str());
  handle->log.bits = bits;
  return GPUOPT_OK;
} catch (...) {
  return fail(GPUOPT_OUT_OF_MEMORY, "gpuopt_set_verbose: out of host memory");
}

gpuopt_status gpuopt_set_workspace(gpuopt_handle *handle, void *workspace, size_t bytes) {
  GPUOPT_NEED_HANDLE(handle);
  if ((workspace == nullptr) != (bytes == 0))
    return fail(GPUOPT_INVALID_ARGUMENT, "gpuopt_set_workspace: workspace=%p with bytes=%zu: give both or neither",
                workspace, bytes);
  if (reinterpret_cast<uintptr_t>(workspace) % 256 != 0)
    return fail(GPUOPT_INVALID_ARGUMENT, "gpuopt_set_workspace: workspace=%p is not 256-byte aligned", workspace);
  handle->workspace = workspace;
  handle->workspace_bytes = bytes;
  handle->cache.clear();
  return GPUOPT_OK;
}

gpuopt_status gpuopt_set_log(gpuopt_handle *handle, gpuopt_log_fn fn, void *user) {
  GPUOPT_NEED_HANDLE(handle);
  handle->log.set_callback(fn, user);
  return GPUOPT_OK;
}

gpuopt_status gpuopt_set_profiling(gpuopt_handle *handle, int32_t on) {
  GPUOPT_NEED_HANDLE(handle);
  handle->profiling = on != 0;
  return GPUOPT_OK;
}

gpuopt_status gpuopt_get_device(const gpuopt_handle *handle, gpuopt_device_facts *facts) {
  GPUOPT_NEED_HANDLE(handle);
  if (facts == nullptr) return fail(GPUOPT_INVALID_ARGUMENT, "gpuopt_get_device: facts is NULL");
  *facts = handle->facts;
  return GPUOPT_OK;
}

}  // extern "C"
