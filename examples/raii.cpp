// Ownership in C++: a network whose layers own their weights in device memory. Nothing is freed by hand, layers move into a
// vector, and one that cannot be made leaves those before it as they are.
#include <cstdio>
#include <gpuopt/gpuopt.hpp>
#include <stdexcept>

using namespace gpuopt;

// y = relu(x * weights + bias). Moved like the buffers that it owns; outlived by the handle that they came from.
class layer {
 public:
  layer(handle &h, std::int64_t inputs, std::int64_t outputs, const std::vector<float> &weights,
        const std::vector<float> &bias)
      : handle_(&h), inputs_(inputs), outputs_(outputs), weights_(h, weights), bias_(h, bias) {
    if (weights_.size() != static_cast<std::size_t>(inputs * outputs))
      throw std::invalid_argument(std::to_string(weights.size()) + " weights for " + std::to_string(inputs) + " x " +
                                  std::to_string(outputs));
  }
  // The result is the caller's, and so is its memory.
  buffer<float> operator()(const buffer<float> &x) const {
    const auto rows = static_cast<std::int64_t>(x.size()) / inputs_;
    buffer<float> y(*handle_, static_cast<std::size_t>(rows * outputs_));
    handle_->gemm(x.view(rows, inputs_), weights_.view(inputs_, outputs_), y.view(rows, outputs_),
                  {add(per_col(bias_.view(1, outputs_))), relu()});
    return y;
  }

 private:
  handle *handle_;
  std::int64_t inputs_, outputs_;
  buffer<float> weights_, bias_;
};

int main() try {
  handle h;  // declared first, so destroyed last
  std::printf("on %s\n", h.device().name);
  std::vector<layer> network;
  network.emplace_back(h, 2, 3, std::vector<float>{1, 0, -1, 0, 1, 1}, std::vector<float>{0, 0, 1});
  network.emplace_back(h, 3, 1, std::vector<float>{1, 2, 3}, std::vector<float>{-1});
  try {
    network.emplace_back(h, 4, 4, std::vector<float>(15), std::vector<float>(4));
  } catch (const std::invalid_argument &e) {
    std::printf("no third layer: %s\n", e.what());
  }

  buffer<float> x(h, {1, 2, 3, -4});
  for (const layer &next : network) x = next(x);  // what x held before is freed here, when its work is done
  const std::vector<float> y = x.download();
  std::printf("y = %g %g by %zu layers\n", static_cast<double>(y[0]), static_cast<double>(y[1]), network.size());

  // A handle of its own for a moment: its memory, threads and streams are gone at the end of the block.
  {
    handle on_cpu(options::on(GPUOPT_DEVICE_CPU));
    const layer copy(on_cpu, 2, 1, {1, 1}, {0});
    std::printf("on the CPU: %g\n", static_cast<double>(copy(buffer<float>(on_cpu, {20, 22})).download()[0]));
  }
  return 0;
} catch (const error &e) {
  std::fprintf(stderr, "raii: %s: %s\n", gpuopt_status_name(e.status()), e.what());
  return 1;
}
