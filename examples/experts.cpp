// A mixture of experts: tokens that are sorted by expert, each group of rows multiplied by its expert's weights in one call.
// Where groups begin is said in the memory of the device, so that a router can write it there and nothing is read back.
#include <cstdio>
#include <gpuopt/gpuopt.hpp>

using namespace gpuopt;

static void print(const char *what, const std::vector<float> &rows, std::size_t cols) {
  std::printf("%s", what);
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::printf("%s%g", i % cols == 0 ? " | " : " ", static_cast<double>(rows[i]));
  std::printf("\n");
}

int main() try {
  handle h;
  // Five tokens of two features; three experts of two by two weights, below each other, and a bias for each.
  buffer<float> tokens(h, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  buffer<float> weights(h, {1, 0, 0, 1, 10, 0, 0, 10, 0, 1, -1, 0}), bias(h, {0, 0, 1, 1, 0, 0}), out(h, 10);
  // The first expert has tokens 0 and 1, the second token 2, the third the rest; then one without any.
  buffer<std::int64_t> offsets(h, {0, 2, 3, 5});
  const stages after = {add(per_col(bias.view(1, 2))), relu()};
  h.gemm_grouped(tokens.view(5, 2), weights.view(2, 2), out.view(5, 2), offsets.view(1, 4), after);
  print("2, 1 and 2 tokens:", out.download(), 2);

  offsets.upload({0, 0, 4, 5});
  h.gemm_grouped(tokens.view(5, 2), weights.view(2, 2), out.view(5, 2), offsets.view(1, 4), after);
  print("0, 4 and 1 tokens:", out.download(), 2);
  std::printf("by %s\n", h.last_kernel().kernel);

  // Offsets of the host are looked at before anything runs.
  try {
    h.gemm_grouped(tokens.view(5, 2), weights.view(2, 2), out.view(5, 2), std::vector<std::int64_t>{0, 3, 2, 5});
  } catch (const error &e) {
    std::printf("%s: %s\n", gpuopt_status_name(e.status()), e.what());
  }
  return 0;
} catch (const error &e) {
  std::fprintf(stderr, "experts: %s\n", e.what());
  return 1;
}
