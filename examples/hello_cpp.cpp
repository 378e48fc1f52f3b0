// The same in C++, and one call of each of the other operations.
#include <cstdio>
#include <gpuopt/gpuopt.hpp>

using namespace gpuopt;

static void print(const char *what, const std::vector<float> &values, const handle &h) {
  std::printf("%s = [", what);
  for (float value : values) std::printf(" %g", static_cast<double>(value));
  std::printf(" ] by %s\n", h.last_kernel().kernel);
}

int main() try {
  handle h;
  buffer<float> a(h, {1, 2, 3, 4, 5, 6}), b(h, {1, 0, 0, 1, 1, -3}), bias(h, {10, 0}), d(h, 4);

  h.gemm(a.view(2, 3), b.view(3, 2), d.view(2, 2), {add(per_col(bias.view(1, 2))), relu()});
  print("relu(A * B + bias)", d.download(), h);

  buffer<float> a_transposed(h, 6), sums(h, 2), scaled(h, 6);
  h.transpose(a.view(2, 3), a_transposed.view(3, 2));
  print("transpose(A)", a_transposed.download(), h);

  h.reduce(GPUOPT_REDUCE_SUM, GPUOPT_EACH_ROW, a.view(2, 3), sums.view(2, 1));
  print("row sums of A", sums.download(), h);

  // Each row divided by its sum: one pass over the sums, one over A.
  h.fused_act(sums.view(2, 1), sums.view(2, 1), {reciprocal()});
  h.fused_act(a.view(2, 3), scaled.view(2, 3), {mul(per_row(sums.view(2, 1))), mul(30)});
  print("30 * A / row sums", scaled.download(), h);

  buffer<float> softmax(h, 6);
  h.norm(GPUOPT_NORM_SOFTMAX, b.view(3, 2), softmax.view(3, 2));
  print("softmax of rows of B", softmax.download(), h);

  // A mistake is an exception that names the field, the value and the rule.
  try {
    h.gemm(a.view(2, 3), b.view(2, 3), d.view(2, 2));
  } catch (const error &e) {
    std::printf("%s: %s\n", gpuopt_status_name(e.status()), e.what());
  }
  return 0;
} catch (const error &e) {
  std::fprintf(stderr, "hello_cpp: %s\n", e.what());
  return 1;
}
