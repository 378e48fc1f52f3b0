/* What the tests of the blocked CPU kernels share: matrices in exact heap blocks, runs on every instruction set of the
 * machine and on 1, 2 and 3 threads with equal bits. */
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "common/chain.h"
#include "common/views.h"
#include "normal_form.h"
#include "worst.h"

extern "C" const gpuopt_kernel_span gpuopt_kernels_gemm_cpu_blocked, gpuopt_kernels_transpose_cpu_blocked,
    gpuopt_kernels_reduce_cpu_blocked, gpuopt_kernels_fused_act_cpu_blocked;

namespace cpu_blocked {

using namespace gpuopt::cpu;
using gpuopt_test::note;
using normal_form::problem;
using normal_form::stage;
using normal_form::stage_with;

const double kNaN = std::nan("");

inline int best_isa() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    return 2;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return 1;
#endif
  return 0;
}

/* body(isa) for the instruction sets of the machine. */
template <class Body>
void on_each_isa(Body body) {
  for (int isa = 0; isa <= 2; ++isa) {
    if (isa > best_isa()) {
      MESSAGE("not run: this machine lacks cpu_isa " << isa);
      continue;
    }
    CAPTURE(isa);
    body(isa);
  }
}

/* A matrix, or a batch of them, in a heap block that ends with its last element; padding holds a pattern. */
struct Matrix {
  std::vector<unsigned char> bytes;
  gpuopt_operand operand = {};

  Matrix() = default;
  Matrix(int64_t rows, int64_t cols, int32_t dtype, int32_t layout = GPUOPT_ROW, int64_t pad = 0, int64_t batch = 1,
         bool broadcast = false) {
    gpuopt_matrix &m = operand.m;
    const int64_t lines = layout == GPUOPT_ROW ? rows : cols, length = layout == GPUOPT_ROW ? cols : rows;
    m.rows = rows;
    m.cols = cols;
    m.dtype = dtype;
    m.layout = layout;
    m.ld = length + pad;
    m.batch_stride = broadcast ? 0 : lines * m.ld + pad;
    const int64_t last = (batch - 1) * m.batch_stride + (lines - 1) * m.ld + length;
    bytes.assign(size_t(lines && length ? last : 0) * size_t(dtype_size(dtype)), 0xa5);
  }
  View view() {
    operand.m.data = bytes.data();
    return view_of(operand);
  }
  const gpuopt_operand &use() {
    view();
    return operand;
  }
  /* Normally distributed; scaled. */
  void randomize(uint64_t seed, double scale = 1, int64_t batch = 1) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    const View v = view();
    for (int64_t p = 0; p < batch; ++p)
      for (int64_t i = 0; i < operand.m.rows; ++i)
        for (int64_t j = 0; j < operand.m.cols; ++j) store_at(v, i, j, p, scale * normal(random));
  }
};

inline gpuopt_device_facts facts(int isa, int threads) {
  gpuopt_device_facts f = GPUOPT_DEVICE_FACTS_INIT;
  f.cpu_isa = isa;
  f.cpu_threads = threads;
  return f;
}

inline void run(const gpuopt_kernel_span &span, gpuopt_problem q, int isa, int threads) {
  const gpuopt_kernel &kernel = span.kernels[0];
  const gpuopt_device_facts device = facts(isa, threads);
  q.device = &device;
  size_t scratch = 0, zeroed = 0;
  if (kernel.workspace) kernel.workspace(&q, &scratch, &zeroed);
  REQUIRE(zeroed == 0);
  std::vector<unsigned char> block(scratch + 256, 0xff); /* as floats: NaN, which must not leak */
  gpuopt_launch how = {};
  how.struct_size = sizeof how;
  how.scratch = block.data() + (256 - reinterpret_cast<uintptr_t>(block.data()) % 256);
  how.device = &device;
  REQUIRE(kernel.launch(&q, &how) == GPUOPT_OK);
  const double us = kernel.predict_us(&q);
  CHECK((us > 0 && std::isfinite(us)));
}

/* Runs on 1, 2 and 3 threads; the outputs must come out with the same bits. Leaves them filled. */
inline void run_on_threads(const gpuopt_kernel_span &span, const gpuopt_problem &q, int isa,
                           std::vector<Matrix *> outputs) {
  std::vector<std::vector<unsigned char>> before, first;
  for (Matrix *m : outputs) before.push_back(m->bytes);
  for (int threads = 1; threads <= 3; ++threads) {
    for (size_t i = 0; i < outputs.size(); ++i)
      if (!before[i].empty()) std::memcpy(outputs[i]->bytes.data(), before[i].data(), before[i].size());
    run(span, q, isa, threads);
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (threads == 1)
        first.push_back(outputs[i]->bytes);
      else
        CHECK(outputs[i]->bytes == first[i]);
    }
  }
}

/* Padding of an output still holds its pattern. */
inline bool padding_intact(Matrix &m, int64_t batch) {
  std::vector<unsigned char> copy = m.bytes;
  Matrix probe = m;
  probe.bytes = copy;
  const View v = probe.view();
  const int64_t size = dtype_size(v.dtype);
  for (int64_t p = 0; p < batch; ++p)
    for (int64_t i = 0; i < m.operand.m.rows; ++i)
      for (int64_t j = 0; j < m.operand.m.cols; ++j)
        std::memset(static_cast<char *>(v.data) + index_of(v, i, j, p) * size, 0xa5, size_t(size));
  for (const unsigned char byte : probe.bytes)
    if (byte != 0xa5) return false;
  return true;
}

inline double epsilon(int32_t dtype) {
  return dtype == GPUOPT_F64 ? 0x1p-53 : dtype == GPUOPT_F32 ? 0x1p-24 : dtype == GPUOPT_F16 ? 0x1p-11 : 0x1p-8;
}

}  // namespace cpu_blocked
