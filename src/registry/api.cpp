// The extern "C" entries of the operations, of explain and of the records of what ran.
#include <cstring>

#include "device.h"
#include "dispatch.h"
#include "error.h"

using namespace gpuopt;

namespace {

gpuopt_status need_handle(const char *function, const gpuopt_handle *handle) {
  return handle ? GPUOPT_OK : fail(GPUOPT_INVALID_ARGUMENT, "%s: handle is NULL", function);
}

struct callback_visitor final : visitor {
  gpuopt_explain_fn fn;
  void *user;
  callback_visitor(gpuopt_explain_fn f, void *u) : fn(f), user(u) {}
  void candidate(const gpuopt_candidate &c) override {
    if (fn) fn(user, &c);
  }
};

gpuopt_status take_explain_options(const gpuopt_explain_options *options, gpuopt_explain_options *out) {
  *out = GPUOPT_EXPLAIN_OPTIONS_INIT;
  if (options == nullptr) return GPUOPT_OK;
  const gpuopt_status s =
      check_struct_size("gpuopt_explain", "options", options, sizeof *out, "GPUOPT_EXPLAIN_OPTIONS_INIT");
  if (s != GPUOPT_OK) return s;
  *out = *options;
  if (out->space < 0 || out->space > GPUOPT_SPACE_HOST)
    return fail(GPUOPT_INVALID_ARGUMENT, "gpuopt_explain: options.space=%d is not a GPUOPT_SPACE_* value", out->space);
  for (int i = 0; i < 8; ++i)
    if (out->align[i] < 0 || (out->align[i] & (out->align[i] - 1)) != 0)
      return fail(GPUOPT_INVALID_ARGUMENT, "gpuopt_explain: options.align[%d]=%d is not 0 or a power of two", i,
                  out->align[i]);
  if (out->pretend && out->pretend->struct_size < sizeof(gpuopt_device_facts))
    return fail(GPUOPT_INVALID_ARGUMENT, "gpuopt_explain: options.pretend->struct_size=%zu is smaller than %zu",
                out->pretend->struct_size, sizeof(gpuopt_device_facts));
  return GPUOPT_OK;
}

// Where the data of an explained call counts as being.
gpuopt_status explained_space(const gpuopt_handle &h, const gpuopt_explain_options &o, gpuopt_problem *p) {
  const bool gpu = p->device->cc != 0;
  if (o.space != GPUOPT_SPACE_QUERY) {
    p->space = o.space;
    return GPUOPT_OK;
  }
  p->space = gpu ? GPUOPT_SPACE_DEVICE : GPUOPT_SPACE_HOST;
  if (o.pretend || !h.cuda || h.space != GPUOPT_SPACE_QUERY) return GPUOPT_OK;
  for_each_operand(*p, [&](const gpuopt_operand &operand) {
    int actual = 0;
    if (operand.m.data && device::classify(operand.m.data, h.facts.ordinal, &actual) == device::place::host)
      p->space = GPUOPT_SPACE_HOST;
  });
  return GPUOPT_OK;
}

}  // namespace

extern "C" {

gpuopt_status gpuopt_gemm(gpuopt_handle *handle, const gpuopt_gemm_args *args) {
  return dispatch(handle, "gpuopt_gemm", args, GPUOPT_OP_GEMM, action::run, nullptr);
}
gpuopt_status gpuopt_transpose(gpuopt_handle *handle, const gpuopt_transpose_args *args) {
  return dispatch(handle, "gpuopt_transpose", args, GPUOPT_OP_TRANSPOSE, action::run, nullptr);
}
gpuopt_status gpuopt_reduce(gpuopt_handle *handle, const gpuopt_reduce_args *args) {
  return dispatch(handle, "gpuopt_reduce", args, GPUOPT_OP_REDUCE, action::run, nullptr);
}
gpuopt_status gpuopt_fused_act(gpuopt_handle *handle, const gpuopt_fused_act_args *args) {
  return dispatch(handle, "gpuopt_fused_act", args, GPUOPT_OP_FUSED_ACT, action::run, nullptr);
}
gpuopt_status gpuopt_norm(gpuopt_handle *handle, const gpuopt_norm_args *args) {
  return dispatch(handle, "gpuopt_norm", args, GPUOPT_OP_NORM, action::run, nullptr);
}

gpuopt_status gpuopt_prepare(gpuopt_handle *handle, const void *args) {
  return dispatch(handle, "gpuopt_prepare", args, 0, action::prepare, nullptr);
}

gpuopt_status gpuopt_workspace_size(gpuopt_handle *handle, const void *args, size_t *bytes) {
  if (bytes == nullptr) return fail(GPUOPT_INVALID_ARGUMENT, "gpuopt_workspace_size: bytes is NULL");
  return dispatch(handle, "gpuopt_workspace_size", args, 0, action::measure_workspace, bytes);
}

gpuopt_status gpuopt_explain(gpuopt_handle *handle, const void *user_args, const gpuopt_explain_options *options,
                             gpuopt_explain_fn fn, void *user) try {
  any_args args;
  gpuopt_status s = take_args("gpuopt_explain", handle, user_args, 0, &args);
  if (s != GPUOPT_OK) return s;
  gpuopt_explain_options o;
  if ((s = take_explain_options(options, &o)) != GPUOPT_OK) return s;
  build_options build;
  build.function = "gpuopt_explain";
  build.explain = &o;
  gpuopt_problem p;
  if ((s = build_problem(handle, args, build, &p)) != GPUOPT_OK) return s;
  if (o.pretend) p.device = o.pretend;
  p.capturing = o.capturing != 0;
  if ((s = explained_space(*handle, o, &p)) != GPUOPT_OK) return s;
  policy rules = handle->policy;
  const bool host_data_on_gpu = p.device->cc != 0 && p.space == GPUOPT_SPACE_HOST;
  rules.cpu_allowed = !host_data_on_gpu || (handle->cpu_fallback != GPUOPT_FALLBACK_NEVER && !p.capturing);
  rules.cpu_is_fallback = host_data_on_gpu || (!o.pretend && handle->cpu_is_fallback);
  callback_visitor visit(fn, user);
  const selection c = select(p, rules, current_snapshot(), &visit);
  if (c.status != GPUOPT_OK) return fail(c.status, "gpuopt_explain: %s", c.message.c_str());
  if (p.capturing &&
      ((c.kernel->flags | (c.second ? c.second->flags : 0)) & (GPUOPT_KERNEL_NOT_CAPTURABLE | GPUOPT_KERNEL_HOST)))
    return fail(GPUOPT_NOT_CAPTURABLE, "gpuopt_explain: %s cannot be captured into a CUDA graph", c.name);
  return GPUOPT_OK;
} catch (...) {
  return fail(GPUOPT_OUT_OF_MEMORY, "gpuopt_explain: out of host memory");
}

gpuopt_status gpuopt_last_kernel(const gpuopt_handle *handle, gpuopt_run_info *info) {
  if (const gpuopt_status s = need_handle("gpuopt_last_kernel", handle)) return s;
  if (info == nullptr) return fail(GPUOPT_INVALID_ARGUMENT, "gpuopt_last_kernel: info is NULL");
  *info = handle->last;
  info->struct_size = sizeof *info;
  return GPUOPT_OK;
}

gpuopt_status gpuopt_counters(gpuopt_handle *handle, gpuopt_counter *counters, size_t capacity, size_t *count) {
  if (const gpuopt_status s = need_handle("gpuopt_counters", handle)) return s;
  if (count == nullptr || (counters == nullptr && capacity > 0))
    return fail(GPUOPT_INVALID_ARGUMENT, "gpuopt_counters: %s is NULL", count == nullptr ? "count" : "counters");
  const device::scoped_current current(handle->ordinal());
  handle->read_pending_times();
  *count = handle->counters.size();
  for (size_t i = 0; i < capacity && i < *count; ++i) counters[i] = handle->counters[i];
  return GPUOPT_OK;
}

gpuopt_status gpuopt_reset_counters(gpuopt_handle *handle) {
  if (const gpuopt_status s = need_handle("gpuopt_reset_counters", handle)) return s;
  const device::scoped_current current(handle->ordinal());
  handle->read_pending_times();
  handle->counters.clear();
  return GPUOPT_OK;
}

}  // extern "C"
