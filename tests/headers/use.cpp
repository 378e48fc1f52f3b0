// The C++ header: every template is instantiated.
#include <gpuopt/gpuopt.hpp>

using namespace gpuopt;

namespace {

template <class T>
void use_views(handle &h) {
  buffer<T> a(h, 6);
  a = buffer<T>(h, std::vector<T>(6));
  matrix<const T> read = a.view(2, 3);
  h.gemm(read, a.view(2, 3).t(), a.view(2, 2), {add(per_row(a.view(2, 1))), relu(), clamp(0, 6), mul(times(2, read))},
         gemm_options());
  h.transpose(read, a.view(3, 2));
  h.reduce(GPUOPT_REDUCE_SUM, GPUOPT_EACH_ROW, read, a.view(2, 1));
  h.fused_act(read.block(0, 0, 2, 2), a.view(2, 2), {store(a.view(2, 2)), add(0.5), sub(read), add_outer(read, read)});
  h.norm(GPUOPT_NORM_SOFTMAX, read, a.view(2, 3));
  h.gemm_grouped(read, a.view(2, 3).t(), a.view(2, 2), buffer<std::int32_t>(h, 2).view(1, 2));
  h.gemm_grouped(read, a.view(2, 3).t(), a.view(2, 2), std::vector<std::int64_t>{0, 2}, {relu()});
  h.gemm_grouped(matrix<const T>(nullptr, 2, 3), matrix<const T>(nullptr, 3, 2), matrix<T>(nullptr, 2, 2),
                 std::vector<gpuopt_gemm_group>(2));
  const gpuopt_norm_args args =
      handle::norm_args(GPUOPT_NORM_SOFTMAX, read, a.view(2, 3).scaled(nullptr).batch_stride(6));
  h.prepare(args);
  static_cast<void>(h.workspace_size(args));
  static_cast<void>(h.explain(args));
  a.fill(0);
  static_cast<void>(a.download());
}

}  // namespace

void use(handle &h);
void use(handle &h) {
  use_views<float>(h);
  use_views<double>(h);
  h.set_log([](const char *) {});
  h.set_kernel("");
  h.set_disabled("");
  h.set_verbose("none");
  h.set_workspace(nullptr, 0);
  h.set_profiling(false);
  h.set_stream(nullptr);
  h.reset_counters();
  h.synchronize();
  static_cast<void>(h.device());
  static_cast<void>(h.counters());
  static_cast<void>(h.last_kernel());
  static_cast<void>(kernels());
  register_kernel(*kernels()[0]);
  static_cast<void>(pretend_device("sm_90"));
}
