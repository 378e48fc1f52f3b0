// Compiled with -fno-exceptions; see without_exceptions.h.
#include "without_exceptions.h"

#include <thread>

#include "gpuopt/gpuopt.hpp"

#if defined(__cpp_exceptions)
#error "this file must be compiled with -fno-exceptions"
#endif

namespace gpuopt_test::without_exceptions {
namespace {

using gpuopt::buffer, gpuopt::handle;

std::string taken() {
  const gpuopt::error e = gpuopt::take_error();
  return e ? std::string(gpuopt_status_name(e.status())) + ": " + e.what() : "";
}

handle on_cpu() { return handle(gpuopt::options::on(GPUOPT_DEVICE_CPU)); }

}  // namespace

std::vector<float> product() {
  handle h = on_cpu();
  buffer<float> a(h, {1, 2, 3, 4, 5, 6}), b(h, {1, 0, 0, 1, 1, 1}), d(h, 4);
  h.gemm(a.view(2, 3), b.view(3, 2), d.view(2, 2));
  return taken().empty() ? d.download() : std::vector<float>();
}

std::vector<std::string> failures() {
  std::vector<std::string> all;
  const auto after = [&] { all.push_back(taken()); };
  handle nobody(gpuopt::options::on(100000));
  after();
  handle h = on_cpu();
  buffer<float> a(h, {1, 2, 3, 4, 5, 6}), d(h, 4);
  after();
  h.gemm(a.view(2, 3), a.view(2, 3), d.view(2, 2));
  after();
  a.view(3, 3);
  after();
  a.view(2, 3).block(1, 1, 2, 1);
  after();
  a.upload(std::vector<float>(7));
  after();
  gpuopt::matrix<double> wrong(gpuopt_mat(nullptr, 1, 1, GPUOPT_F32));
  after();
  h.set_kernel("=");
  after();
  gpuopt::pretend_device("sm_0");
  after();
  const buffer<float> wrapped(h, SIZE_MAX / 2);
  after();
  all.push_back(wrapped.view(1, 1).rows() == 0 ? taken() : "a view of nothing");
  return all;
}

std::vector<std::string> first_failure_wins() {
  handle h = on_cpu();
  h.set_verbose("nothing");
  gpuopt::pretend_device("sm_0");
  h.set_kernel("=");
  return {taken(), taken()};
}

std::string of_another_thread() {
  std::thread([] { gpuopt::pretend_device("sm_0"); }).join();
  return taken();
}

bool nothing_is_left_of_a_failure() {
  handle nobody(gpuopt::options::on(100000));
  buffer<float> empty(nobody, 10);
  const std::vector<float> nothing = empty.download();
  const bool right = !nobody && empty.data() == nullptr && empty.size() == 0 && nothing.empty() &&
                     nobody.counters().empty() && nobody.last_kernel().kernel == nullptr &&
                     nobody.workspace_size(gpuopt_gemm_args GPUOPT_GEMM_ARGS_INIT) == 0 && empty.view(2, 2).rows() == 0;
  taken();
  return right;
}

}  // namespace gpuopt_test::without_exceptions
