// The extern "C" entries of the operations, of explain and of the records of what ran.
#include <algorithm>
#include <cstddef>
#include <cstring>

#include "api_scope.h"
#include "call_text.h"
#include "device.h"
#include "dispatch.h"
#include "error.h"
#include "facts.h"
#include "tuning/tune_text.h"

using namespace gpuopt;

namespace {

struct CallbackVisitor final : Visitor {
  gpuopt_explain_fn fn;
  void *user;
  CallbackVisitor(gpuopt_explain_fn f, void *u) : fn(f), user(u) {}
  void candidate(const gpuopt_candidate &c) override try {
    const CallbackScope application;
    if (fn) fn(user, &c);
  }
  GPUOPT_CATCH_ALL { throw_foreign(GPUOPT_INVALID_ARGUMENT, "fn"); }
};

gpuopt_status take_explain_options(const char *fn, const gpuopt_explain_options *options, gpuopt_explain_options *out,
                                   gpuopt_device_facts *facts) {
  *out = GPUOPT_EXPLAIN_OPTIONS_INIT;
  if (options == nullptr) return GPUOPT_OK;
  gpuopt_status s = check_struct_size(fn, "options", options, offsetof(gpuopt_explain_options, any_build),
                                      "GPUOPT_EXPLAIN_OPTIONS_INIT", sizeof *out);
  if (s != GPUOPT_OK) return s;
  std::memcpy(out, options, std::min(options->struct_size, sizeof *out));
  if (out->space < 0 || out->space > GPUOPT_SPACE_HOST)
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: options.space=%d is not a GPUOPT_SPACE_* value", fn, out->space);
  if (out->capturing < 0 || out->capturing > 1)
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: options.capturing=%d is not 0 or 1", fn, out->capturing);
  if (out->any_build != 0 && out->any_build != 1)
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: options.any_build=%d is not 0 or 1", fn, out->any_build);
  if (out->all_needs != 0 && out->all_needs != 1)
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: options.all_needs=%d is not 0 or 1", fn, out->all_needs);
  for (int i = 0; i < 8; ++i)
    if (out->align[i] < 0 || (out->align[i] & (out->align[i] - 1)) != 0)
      return fail(GPUOPT_INVALID_ARGUMENT, "%s: options.align[%d]=%d is not 0 or a power of two", fn, i, out->align[i]);
  if (out->pretend == nullptr) return GPUOPT_OK;
  s = take_facts(fn, "options.pretend", out->pretend, facts);
  out->pretend = facts;
  return s;
}

// Text for the caller: as many bytes as there is room for, and the end, or none.
gpuopt_status check_text(const char *fn, const char *text, size_t capacity, const size_t *length) {
  if (length == nullptr) return fail(GPUOPT_INVALID_ARGUMENT, "%s: length is NULL", fn);
  if (text == nullptr && capacity > 0)
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: text is NULL and capacity=%zu", fn, capacity);
  return GPUOPT_OK;
}
gpuopt_status give_text(const char *fn, const std::string &from, char *text, size_t capacity, size_t *length) {
  *length = from.size();
  if (text == nullptr) return GPUOPT_OK;
  if (capacity <= from.size())
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: capacity=%zu does not hold the text of %zu bytes and its end", fn,
                capacity, from.size());
  std::memcpy(text, from.c_str(), from.size() + 1);
  return GPUOPT_OK;
}

}  // namespace

extern "C" {

gpuopt_status gpuopt_gemm(gpuopt_handle *handle, const gpuopt_gemm_args *args) {
  return dispatch(handle, "gpuopt_gemm", args, GPUOPT_OP_GEMM, Action::run, nullptr);
}
gpuopt_status gpuopt_transpose(gpuopt_handle *handle, const gpuopt_transpose_args *args) {
  return dispatch(handle, "gpuopt_transpose", args, GPUOPT_OP_TRANSPOSE, Action::run, nullptr);
}
gpuopt_status gpuopt_reduce(gpuopt_handle *handle, const gpuopt_reduce_args *args) {
  return dispatch(handle, "gpuopt_reduce", args, GPUOPT_OP_REDUCE, Action::run, nullptr);
}
gpuopt_status gpuopt_fused_act(gpuopt_handle *handle, const gpuopt_fused_act_args *args) {
  return dispatch(handle, "gpuopt_fused_act", args, GPUOPT_OP_FUSED_ACT, Action::run, nullptr);
}
gpuopt_status gpuopt_norm(gpuopt_handle *handle, const gpuopt_norm_args *args) {
  return dispatch(handle, "gpuopt_norm", args, GPUOPT_OP_NORM, Action::run, nullptr);
}
gpuopt_status gpuopt_gemm_grouped(gpuopt_handle *handle, const gpuopt_gemm_grouped_args *args) {
  return dispatch(handle, "gpuopt_gemm_grouped", args, GPUOPT_OP_GEMM_GROUPED, Action::run, nullptr);
}

gpuopt_status gpuopt_prepare(gpuopt_handle *handle, const void *args) {
  return dispatch(handle, "gpuopt_prepare", args, 0, Action::prepare, nullptr);
}

gpuopt_status gpuopt_workspace_size(gpuopt_handle *handle, const void *args, size_t *bytes) {
  if (bytes == nullptr) return fail(GPUOPT_INVALID_ARGUMENT, "gpuopt_workspace_size: bytes is NULL");
  Answer answer;
  const gpuopt_status s = dispatch(handle, "gpuopt_workspace_size", args, 0, Action::measure_workspace, &answer);
  if (s == GPUOPT_OK) *bytes = answer.workspace_bytes;
  return s;
}

gpuopt_status gpuopt_explain(gpuopt_handle *handle, const void *args, const gpuopt_explain_options *options,
                             gpuopt_explain_fn fn, void *user) try {
  const ApiScope scope;
  const HandleInCall in_call("gpuopt_explain", handle);
  if (in_call.status() != GPUOPT_OK) return in_call.status();
  gpuopt_explain_options assumed;
  gpuopt_device_facts pretended;
  if (const gpuopt_status s = take_explain_options("gpuopt_explain", options, &assumed, &pretended)) return s;
  CallbackVisitor visit(fn, user);
  Decision d;
  return decide(handle, {"gpuopt_explain", args, 0, Action::explain, &assumed, &visit}, &d);
}
GPUOPT_CATCH_ALL { return fail_caught("gpuopt_explain"); }

gpuopt_status gpuopt_tune_key(gpuopt_handle *handle, const void *args, const gpuopt_explain_options *options,
                              int32_t kind, char *text, size_t capacity, size_t *length) try {
  constexpr const char *fn = "gpuopt_tune_key";
  const ApiScope scope;
  const HandleInCall in_call(fn, handle);
  if (in_call.status() != GPUOPT_OK) return in_call.status();
  if (kind != GPUOPT_TUNE_EXACT && kind != GPUOPT_TUNE_CLASS)
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: kind=%d is not GPUOPT_TUNE_EXACT or GPUOPT_TUNE_CLASS", fn, kind);
  if (const gpuopt_status s = check_text(fn, text, capacity, length)) return s;
  gpuopt_explain_options assumed;
  gpuopt_device_facts pretended;
  AnyArgs taken;
  gpuopt_problem p;
  gpuopt_status s = take_explain_options(fn, options, &assumed, &pretended);
  if (s == GPUOPT_OK) s = handle->check_fork(fn);
  if (s == GPUOPT_OK) s = take_args(fn, args, 0, &taken);
  if (s == GPUOPT_OK) s = build_problem(handle, taken, {fn, &assumed}, &p);
  if (s != GPUOPT_OK) return s;
  if (is_empty(p)) return fail(GPUOPT_INVALID_ARGUMENT, "%s: the call has no output, so nothing can be tuned", fn);
  const TuneKey exact = exact_key(p);
  return give_text(fn,
                   key_text(device_id(assumed.pretend ? *assumed.pretend : handle->facts),
                            kind == GPUOPT_TUNE_EXACT ? exact : class_of(exact)),
                   text, capacity, length);
}
GPUOPT_CATCH_ALL { return fail_caught("gpuopt_tune_key"); }

gpuopt_status gpuopt_algorithms(gpuopt_handle *handle, const void *args, char *text, size_t capacity,
                                size_t *length) try {
  constexpr const char *fn = "gpuopt_algorithms";
  if (const gpuopt_status s = check_text(fn, text, capacity, length)) return s;
  Answer answer;
  const gpuopt_status s = dispatch(handle, fn, args, 0, Action::algorithms, &answer);
  return s == GPUOPT_OK ? give_text(fn, answer.algorithms, text, capacity, length) : s;
}
GPUOPT_CATCH_ALL { return fail_caught("gpuopt_algorithms"); }

gpuopt_status gpuopt_call_text(const void *user_args, const gpuopt_explain_options *options, char *text,
                               size_t capacity, size_t *length) try {
  constexpr const char *fn = "gpuopt_call_text";
  const ApiScope scope;
  if (const gpuopt_status s = check_text(fn, text, capacity, length)) return s;
  gpuopt_explain_options assumed;
  gpuopt_device_facts pretended;
  AnyArgs args;
  gpuopt_problem problem;
  gpuopt_status s = take_explain_options(fn, options, &assumed, &pretended);
  if (s == GPUOPT_OK) s = take_args(fn, user_args, 0, &args);
  if (s == GPUOPT_OK) s = validate(args, {fn, &assumed}, &problem);
  if (s != GPUOPT_OK) return s;
  std::string line;
  append_call_text(args, problem, assumed, &line);
  return give_text(fn, line, text, capacity, length);
}
GPUOPT_CATCH_ALL { return fail_caught("gpuopt_call_text"); }

gpuopt_status gpuopt_last_kernel(const gpuopt_handle *handle, gpuopt_run_info *info) {
  if (handle == nullptr) return fail(GPUOPT_INVALID_ARGUMENT, "gpuopt_last_kernel: handle is NULL");
  if (info == nullptr) return fail(GPUOPT_INVALID_ARGUMENT, "gpuopt_last_kernel: info is NULL");
  return write_struct("gpuopt_last_kernel", "info", info, &handle->last, sizeof *info, sizeof *info,
                      "GPUOPT_RUN_INFO_INIT");
}

gpuopt_status gpuopt_counters(gpuopt_handle *handle, gpuopt_counter *counters, size_t capacity, size_t *count) {
  const HandleInCall in_call("gpuopt_counters", handle);
  if (in_call.status() != GPUOPT_OK) return in_call.status();
  const ApiScope scope;
  if (count == nullptr || (counters == nullptr && capacity > 0))
    return fail(GPUOPT_INVALID_ARGUMENT, "gpuopt_counters: %s is NULL", count == nullptr ? "count" : "counters");
  if (const gpuopt_status s = handle->check_fork("gpuopt_counters")) return s;
  const device::ScopedCurrent current(handle->ordinal());
  handle->read_pending_times();
  *count = handle->counters.size();
  for (size_t i = 0; i < capacity && i < *count; ++i) counters[i] = handle->counters[i];
  return GPUOPT_OK;
}

gpuopt_status gpuopt_reset_counters(gpuopt_handle *handle) {
  const HandleInCall in_call("gpuopt_reset_counters", handle);
  if (in_call.status() != GPUOPT_OK) return in_call.status();
  const ApiScope scope;
  if (const gpuopt_status s = handle->check_fork("gpuopt_reset_counters")) return s;
  const device::ScopedCurrent current(handle->ordinal());
  handle->read_pending_times();
  handle->counters.clear();
  return GPUOPT_OK;
}

}  // extern "C"
