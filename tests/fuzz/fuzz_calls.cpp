// Fuzzes the six operations, and explain, workspace_size and prepare on the same arguments, on CPU handles of every
// instruction set. Beside what the sanitizers see, it is a finding when a refused call writes, an accepted one writes
// outside its outputs, or explain answers differently from the call.
#include <string>

#include "arguments.h"
#include "gpuopt/kernel.h"

namespace {

std::vector<gpuopt_handle *> make_handles() {
  std::vector<gpuopt_handle *> handles;
  for (const char *isa : {"baseline", "avx2", "avx512"})
    for (int threads : {1, 2}) {
      gpuopt_options options = GPUOPT_OPTIONS_INIT;
      options.device = GPUOPT_DEVICE_CPU;
      options.cpu_isa = isa;
      options.num_threads = threads;
      options.verbose = "none";
      gpuopt_handle *handle = nullptr;
      if (gpuopt_create(&handle, &options) == GPUOPT_OK) handles.push_back(handle);
    }
  if (handles.empty()) fuzz::finding("no handle", gpuopt_last_error());
  return handles;
}

struct Seen {
  size_t candidates = 0, letters = 0;
};
void look(void *user, const gpuopt_candidate *candidate) {
  Seen &s = *static_cast<Seen *>(user);
  ++s.candidates;
  s.letters += std::strlen(candidate->kernel) + std::strlen(candidate->text);
}

gpuopt_status call(gpuopt_handle *handle, int32_t op, const void *args) {
  switch (op) {
    case GPUOPT_OP_GEMM:
      return gpuopt_gemm(handle, static_cast<const gpuopt_gemm_args *>(args));
    case GPUOPT_OP_TRANSPOSE:
      return gpuopt_transpose(handle, static_cast<const gpuopt_transpose_args *>(args));
    case GPUOPT_OP_REDUCE:
      return gpuopt_reduce(handle, static_cast<const gpuopt_reduce_args *>(args));
    case GPUOPT_OP_GEMM_GROUPED:
      return gpuopt_gemm_grouped(handle, static_cast<const gpuopt_gemm_grouped_args *>(args));
    case GPUOPT_OP_NORM:
      return gpuopt_norm(handle, static_cast<const gpuopt_norm_args *>(args));
    default:
      return gpuopt_fused_act(handle, static_cast<const gpuopt_fused_act_args *>(args));
  }
}

void force_some_kernel(fuzz::Input &in, gpuopt_handle *handle) {
  const size_t count = gpuopt_kernel_count();
  if (in.rarely(4) && count > 0)
    gpuopt_set_kernel(handle, gpuopt_kernel_get(in.byte() % count)->name);
  else if (in.rarely(20))
    gpuopt_set_kernel(handle, "gemm_cpu_reference+fused_act_cpu_reference");
  else
    gpuopt_set_kernel(handle, nullptr);
}

void explain_otherwise(fuzz::Input &in, gpuopt_handle *handle, const void *args) {
  static const char *const names[] = {"none",  "sm_75",  "sm_80",  "sm_86", "sm_89",
                                      "sm_90", "sm_100", "sm_120", "",      "sm_"};
  struct {  // room for the tail that a larger struct_size states
    gpuopt_explain_options options = GPUOPT_EXPLAIN_OPTIONS_INIT;
    unsigned char tail[256] = {};
  } roomy;
  gpuopt_explain_options &options = roomy.options;
  gpuopt_device_facts facts = GPUOPT_DEVICE_FACTS_INIT;
  if (gpuopt_pretend_device(names[in.below(10)], &facts) == GPUOPT_OK) options.pretend = &facts;
  for (int32_t &align : options.align)
    align = static_cast<int32_t>(in.rarely(20) ? in.edge() : int64_t{1} << in.below(9));
  options.space = static_cast<int32_t>(in.rarely(20) ? in.edge() : in.below(3));
  options.capturing = static_cast<int32_t>(in.below(2));
  if (in.rarely(30)) options.struct_size = in.byte();
  if (in.rarely(30)) roomy.tail[in.byte()] = in.byte();
  Seen s;
  gpuopt_explain(handle, args, &options, in.rarely(8) ? nullptr : look, &s);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // Never freed: destruction at exit would come before the leak check that looks for them.
  static const std::vector<gpuopt_handle *> &handles = *new std::vector<gpuopt_handle *>(make_handles());
  fuzz::Input in(data, size);
  gpuopt_handle *handle = handles[in.byte() % handles.size()];
  force_some_kernel(in, handle);
  fuzz::Arguments arguments;
  fuzz::arguments_of(in, arguments);
  const void *args = in.rarely(100) ? nullptr : arguments.get();
  if (in.rarely(100)) handle = nullptr;

  explain_otherwise(in, handle, args);
  arguments.data.check(GPUOPT_INTERNAL);
  Seen s;
  const gpuopt_status explained = gpuopt_explain(handle, args, nullptr, look, &s);
  const std::string why = gpuopt_last_error();
  size_t bytes = 0;
  gpuopt_workspace_size(handle, args, &bytes);
  if (in.rarely(4)) gpuopt_prepare(handle, args);
  arguments.data.check(GPUOPT_INTERNAL);

  // explain takes any op and asks the struct; the functions insist on their own. NULL data is fine for explain alone.
  const gpuopt_status called = call(handle, arguments.op, args);
  arguments.data.check(called);
  if (called == GPUOPT_INTERNAL) fuzz::finding("an internal error", gpuopt_last_error());
  const std::string refused = gpuopt_last_error(), name = std::string("gpuopt_") + gpuopt_op_name(arguments.op) + ": ";
  if (called != GPUOPT_OK && refused.rfind(name, 0) != 0)
    fuzz::finding("a refusal without its function", refused.c_str());
  if (explained != GPUOPT_OK && why.rfind("gpuopt_explain: ", 0) != 0)
    fuzz::finding("a refusal without its function", why.c_str());
  if (explained != GPUOPT_OK && called == GPUOPT_OK) fuzz::finding("explain refused what the call did", why.c_str());
  return 0;
}
