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
    const double us = rows > 0 ? explained_us(handle, pretend, &g) : 0;
    (*known)[{rows, adds}] = us;
    return us;
  };
  const gpuopt_device_facts &facts = pretend ? *pretend : handle->facts;
  const double gbs = facts.memory_gbs > 0 ? facts.memory_gbs * 0.85 : 8;
  setting->pass_us = [gbs](double bytes) { return bytes / (gbs * 1e3); };
}

}  // namespace gpuopt::dist
