#include "bench_call.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "gpuopt_call/place.h"
#include "gpuopt_call/work.h"

namespace gpuopt_cli {
namespace {

// Values are made as fp32, so an element counts as one at least.
void check_size(gpuopt_call::Call *call) {
  constexpr int64_t kMost = int64_t(1) << 40;
  for (const gpuopt_call::Call::Operand &o : call->operands()) {
    const gpuopt_matrix &m = *o.matrix;
    int64_t bytes;
    if (__builtin_mul_overflow(m.rows, m.cols, &bytes) || __builtin_mul_overflow(bytes, call->batch(), &bytes) ||
        __builtin_mul_overflow(bytes, std::max<int64_t>(gpuopt_dtype_size(m.dtype), 4), &bytes) || bytes > kMost)
      throw CLI::ValidationError("an operand", std::to_string(m.rows) + "x" + std::to_string(m.cols) + " of " +
                                                   gpuopt_dtype_name(m.dtype) + " in a batch of " +
                                                   std::to_string(call->batch()) + " must be within 2^40 bytes");
  }
}

}  // namespace

std::unique_ptr<BenchCall> make_bench_call(const gpuopt_call::Call &given, const BenchMemory &memory) {
  auto bench = std::make_unique<BenchCall>();
  gpuopt_call::Call &call = bench->call;
  call = given;
  check_size(&call);
  bench->flops = gpuopt_call::flops_of(call);
  bench->bytes = gpuopt_call::touched_bytes(&call);
  gpuopt_call::place(&call, [&](const gpuopt_call::Block &b) -> void * {
    const int64_t size = gpuopt_dtype_size(b.dtype);
    char *const data = static_cast<char *>(memory(b.dtype, (b.offset + b.bytes + size - 1) / size));
    return data ? data + b.offset : nullptr;
  });
  return bench;
}

}  // namespace gpuopt_cli
