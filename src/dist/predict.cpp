// Predicted times of the core's own calls, which the plans are judged by.
#include <map>
#include <memory>

#include "handle.h"
#include "plan.h"

namespace gpuopt::dist {
namespace {

double explained_us(gpuopt_handle *handle, const gpuopt_device_facts *pretend, const void *args) {
  gpuopt_explain_options o = GPUOPT_EXPLAIN_OPTIONS_INIT;
  o.pretend = pretend;
  const bool on_gpu = pretend ? pretend->cc != 0 : handle->cuda;
  o.space = on_gpu ? GPUOPT_SPACE_DEVICE : GPUOPT_SPACE_HOST;
  o.any_build = pretend != nullptr;
  double us = 0;
  const auto take = [](void *user, const gpuopt_candidate *c) {
    if (c->verdict == GPUOPT_VERDICT_CHOSEN) *static_cast<double *>(user) = c->predicted_us;
  };
  return gpuopt_explain(handle, args, &o, take, &us) == GPUOPT_OK ? us : 0;
}

// Where this build has no kernel for a pretended GPU: two thirds of what its multiprocessors could do.
double bound_us(const gpuopt_device_facts &facts, const Problem &p, int64_t rows) {
  const int64_t bytes = gpuopt_dtype_size(p.args.a.dtype);
  const double dense = bytes == 1 ? 8192 : bytes == 2 ? 4096 : bytes == 4 ? 256 : 128;  // operations a clock, of Hopper
  const double of_sm = facts.cc >= 90 || bytes > 2 ? dense : dense / 2;
  const double operations = 2.0 * static_cast<double>(rows) * static_cast<double>(p.n) * static_cast<double>(p.k) *
                            static_cast<double>(p.args.batch);
  return 3 + operations / (of_sm * facts.sm_count * facts.clock_mhz * 0.67);
}

}  // namespace

void predict_products(Setting *setting, gpuopt_handle *handle, const gpuopt_device_facts *pretend, const Problem &p) {
  auto known = std::make_shared<std::map<std::pair<int64_t, bool>, double>>();
  setting->product_us = [=, problem = p](int64_t rows, bool adds) {
    const auto found = known->find({rows, adds});
    if (found != known->end()) return found->second;
    gpuopt_gemm_args g = problem.args;
    const gpuopt_dtype d = problem.gathers() || adds || problem.size == 1 ? g.d.dtype : problem.partial;
    g.a = gpuopt_mat(nullptr, rows, problem.k, g.a.dtype);
    g.b.data = nullptr;
    g.c = adds ? gpuopt_mat(nullptr, rows, problem.n, d) : gpuopt_matrix(GPUOPT_MATRIX_INIT);
    g.d = gpuopt_mat(nullptr, rows, problem.n, d);
    g.a.scale = g.b.scale = g.d.scale = nullptr;
    g.alpha_ptr = g.beta_ptr = nullptr;
    g.beta = adds ? 1 : 0;
    g.stages = nullptr, g.stage_count = 0;
    double us = rows > 0 ? explained_us(handle, pretend, &g) : 0;
    if (us <= 0 && rows > 0 && pretend && pretend->cc > 0) us = bound_us(*pretend, problem, rows);
    (*known)[{rows, adds}] = us;
    return us;
  };
  const gpuopt_device_facts &facts = pretend ? *pretend : handle->facts;
  const double gbs = facts.memory_gbs > 0 ? facts.memory_gbs * 0.85 : 8;
  setting->pass_us = [gbs](double bytes) { return bytes / (gbs * 1e3); };
}

}  // namespace gpuopt::dist
