// An application brings its own gemm kernel: it describes what the kernel needs, registers it, and from then on the
// library chooses it where it is the fastest, runs it when forced, and explains why it cannot where it cannot.
//
// The kernel is a CPU kernel for fp32, row-major, without batch, beta or stages: for every row of D it adds up rows of
// B, so the inner loop runs along contiguous memory.
#include <algorithm>
#include <cstdio>
#include <gpuopt/gpuopt.hpp>

namespace {

gpuopt_status launch(const gpuopt_problem *p, const gpuopt_launch *) {
  const gpuopt_matrix &a = p->operand[GPUOPT_OPERAND_A].m, &b = p->operand[GPUOPT_OPERAND_B].m;
  const gpuopt_matrix &d = p->operand[GPUOPT_OPERAND_D].m;
  const float alpha = static_cast<float>(p->alpha);
  for (int64_t i = 0; i < p->m; ++i) {
    float *d_row = static_cast<float *>(d.data) + i * d.ld;
    std::fill(d_row, d_row + p->n, 0.0f);
    for (int64_t k = 0; k < p->k; ++k) {
      const float factor = alpha * static_cast<const float *>(a.data)[i * a.ld + k];
      const float *b_row = static_cast<const float *>(b.data) + k * b.ld;
      for (int64_t j = 0; j < p->n; ++j) d_row[j] += factor * b_row[j];
    }
  }
  return GPUOPT_OK;
}

// Microseconds: a multiply-add of one element takes about a quarter of a nanosecond.
double predict_us(const gpuopt_problem *p) {
  return 0.1 + 0.25e-3 * static_cast<double>(p->m) * static_cast<double>(p->n) * static_cast<double>(p->k);
}

constexpr gpuopt_signature signatures[] = {{{GPUOPT_F32, GPUOPT_F32, GPUOPT_F32, GPUOPT_F32}, GPUOPT_COMPUTE_F32}};

// What is left zero: no features, no stages, no instruction set, no alignment, no workspace.
gpuopt_kernel sum_of_rows() {
  gpuopt_kernel kernel{};
  kernel.struct_size = sizeof kernel;
  kernel.name = "gemm_sum_of_rows";
  kernel.summary = "every row of D as a sum of rows of B; a kernel of the application";
  kernel.op = GPUOPT_OP_GEMM;
  kernel.version = 1;
  kernel.flags = GPUOPT_KERNEL_HOST;
  kernel.layouts[GPUOPT_OPERAND_A] = GPUOPT_LAYOUT_ROW;
  kernel.layouts[GPUOPT_OPERAND_B] = GPUOPT_LAYOUT_ROW;
  kernel.signatures = signatures;
  kernel.signature_count = 1;
  kernel.predict_us = predict_us;
  kernel.launch = launch;
  return kernel;
}

// The chosen kernel, and ours.
void print_candidates(const char *problem, const std::vector<gpuopt::candidate> &candidates) {
  std::printf("%s:\n", problem);
  for (const gpuopt::candidate &c : candidates)
    if (c.chosen() || c.kernel == "gemm_sum_of_rows")
      std::printf("  %-8s %s, predicted %.2f us\n", c.chosen() ? "chosen" : "accepted", c.kernel.c_str(),
                  c.predicted_us);
}

}  // namespace

int main() try {
  static const gpuopt_kernel kernel = sum_of_rows();  // must live as long as the process
  gpuopt::register_kernel(kernel);

  gpuopt::handle h(gpuopt::options::on(GPUOPT_DEVICE_CPU));
  gpuopt::buffer<float> a(h, {1, 2, 3, 4, 5, 6}), b(h, {1, 0, 0, 1, 1, -3}), d(h, 4);
  const auto A = a.view(2, 3), B = b.view(3, 2), D = d.view(2, 2);

  // It takes part in the automatic choice by what it predicts: no data is needed to ask.
  const gpuopt::matrix<float> large(nullptr, 512, 512);
  print_candidates("2 x 2 x 3", h.explain(gpuopt::handle::gemm_args(A, B, D)));
  print_candidates("512 x 512 x 512", h.explain(gpuopt::handle::gemm_args(large, large, large)));

  h.set_kernel("gemm_sum_of_rows");
  h.gemm(A, B, D);
  const std::vector<float> result = d.download();
  std::printf("forced: %s\n", h.last_kernel().kernel);
  std::printf("A * B = [%g %g; %g %g]\n", static_cast<double>(result[0]), static_cast<double>(result[1]),
              static_cast<double>(result[2]), static_cast<double>(result[3]));

  // Forced where it cannot run, it is not replaced in silence: the call fails and says why.
  try {
    h.gemm(A, b.view(2, 3).t(), D);
  } catch (const gpuopt::error &e) {
    std::printf("%s: %s\n", gpuopt_status_name(e.status()), e.what());
  }
  return 0;
} catch (const gpuopt::error &e) {
  std::fprintf(stderr, "custom_kernel: %s\n", e.what());
  return 1;
}
