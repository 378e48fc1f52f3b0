// C and residuals of wgmma products that come by panels through the ring of operands, and results that leave by panels, against the
// same kernels with the same values where the accelerator cannot bring or store them, which have to give the same bits.
#include <cstring>

#include "products.h"

using namespace gpuopt_test;

namespace {

struct Case {
  const char *kernel;
  int32_t in, out, compute;
};
constexpr Case kCases[] = {
    {"gemm_wgmma_16bit_128x256", GPUOPT_BF16, GPUOPT_BF16, GPUOPT_COMPUTE_F32},
    {"gemm_wgmma_16bit_128x256", GPUOPT_F16, GPUOPT_F32, GPUOPT_COMPUTE_F32},
    {"gemm_wgmma_16bit_128x192", GPUOPT_F16, GPUOPT_F16, GPUOPT_COMPUTE_F32},
    {"gemm_wgmma_16bit_128x192", GPUOPT_BF16, GPUOPT_F32, GPUOPT_COMPUTE_F32},
    {"gemm_wgmma_16bit_128x64", GPUOPT_BF16, GPUOPT_BF16, GPUOPT_COMPUTE_F32},
    {"gemm_wgmma_16bit_128x64", GPUOPT_BF16, GPUOPT_F32, GPUOPT_COMPUTE_F32},
    {"gemm_wgmma_16bit_pingpong_128x128", GPUOPT_BF16, GPUOPT_BF16, GPUOPT_COMPUTE_F32},
    {"gemm_wgmma_16bit_pingpong_128x128", GPUOPT_F16, GPUOPT_F32, GPUOPT_COMPUTE_F32},
    {"gemm_wgmma_16bit_pingpong_128x192", GPUOPT_BF16, GPUOPT_BF16, GPUOPT_COMPUTE_F32},
    {"gemm_wgmma_tf32_128x256", GPUOPT_F32, GPUOPT_F32, GPUOPT_COMPUTE_TF32},
    {"gemm_wgmma_tf32_128x192", GPUOPT_F32, GPUOPT_F32, GPUOPT_COMPUTE_TF32},
    {"gemm_wgmma_f32_tensor_128x128", GPUOPT_F32, GPUOPT_F32, GPUOPT_COMPUTE_F32_TENSOR},
    {"gemm_wgmma_f32_tensor_128x192", GPUOPT_F32, GPUOPT_F32, GPUOPT_COMPUTE_F32_TENSOR},
    {"gemm_wgmma_fp8_128x256", GPUOPT_E4M3, GPUOPT_BF16, GPUOPT_COMPUTE_F8_FAST},
    {"gemm_wgmma_fp8_pingpong_128x192", GPUOPT_E4M3, GPUOPT_F16, GPUOPT_COMPUTE_F8_FAST},
    {"gemm_wgmma_fp8_pingpong_128x128", GPUOPT_E4M3, GPUOPT_F32, GPUOPT_COMPUTE_F8_FAST},
    {"gemm_wgmma_fp8_promoting_128x128", GPUOPT_E4M3, GPUOPT_BF16, GPUOPT_COMPUTE_F32},
    {"gemm_wgmma_fp8_promoting_192x128", GPUOPT_E4M3, GPUOPT_F16, GPUOPT_COMPUTE_F32},
    {"gemm_wgmma_fp8_promoting_192x128", GPUOPT_E4M3, GPUOPT_F32, GPUOPT_COMPUTE_F32},
    {"gemm_wgmma_fp8_promoting_256x128", GPUOPT_E4M3, GPUOPT_F32, GPUOPT_COMPUTE_F32},
};

// Tiles' edges, k of less than a stage and than the ring, one tile and several for each block, pairs of blocks where lines of k are
// no whole 128 bytes, with an odd tile at their end.
struct Shape {
  int64_t m, n, k, batch;
};
constexpr Shape kShapes[] = {{128, 256, 64, 1},   {1, 16, 16, 1},     {130, 264, 208, 3},  {200, 32, 528, 2},
                             {257, 520, 1040, 1}, {65, 400, 4096, 1}, {1416, 3376, 144, 1}};

int64_t size_of(int32_t dtype) { return dtype == GPUOPT_F32 ? 4 : dtype == GPUOPT_E4M3 ? 1 : 2; }

// So many elements of any numbers of a size around one.
std::vector<uint8_t> values(int32_t dtype, int64_t count, uint32_t seed) {
  std::mt19937 engine(seed);
  std::vector<uint8_t> bytes(static_cast<size_t>(count * size_of(dtype)));
  for (int64_t i = 0; i < count; ++i) {
    const auto random = static_cast<uint32_t>(engine());
    const uint32_t bits = dtype == GPUOPT_F32    ? (random & 0x81ffffff) | 0x3e000000
                          : dtype == GPUOPT_BF16 ? (random & 0x81ff) | 0x3e00
                          : dtype == GPUOPT_F16  ? (random & 0x87ff) | 0x3800
                                                 : random & 0xbf;
    std::memcpy(bytes.data() + i * size_of(dtype), &bits, static_cast<size_t>(size_of(dtype)));
  }
  return bytes;
}

using Bytes = std::vector<uint8_t>;

// A product of a case and a shape, C and D of the same pitch, C from any element of its memory on.
struct Product {
  const Case &of;
  const Shape &shape;
  int64_t ld, count;
  DeviceArray<uint8_t> a, b, c, d;
  gpuopt_gemm_args args = GPUOPT_GEMM_ARGS_INIT;

  Product(const Case &case_, const Shape &s)
      : of(case_),
        shape(s),
        ld((s.n + 15) / 16 * 16 + 16),
        count(ld * s.m * s.batch + 64),
        a(values(of.in, s.m * s.k * s.batch, 1)),
        b(values(of.in, s.n * s.k * s.batch, 2)),
        c(static_cast<size_t>(count * size_of(of.out))),
        d(static_cast<size_t>(count * size_of(of.out))) {
    args.compute = of.compute;
    args.batch = s.batch;
    args.a = gpuopt_mat(a.data, s.m, s.k, of.in);
    args.b = gpuopt_t(gpuopt_mat(b.data, s.n, s.k, of.in));
    args.d = matrix(d);
    args.alpha = 0.5;
  }
  gpuopt_matrix matrix(const DeviceArray<uint8_t> &x, int64_t first = 0) const {
    gpuopt_matrix m = gpuopt_mat(x.data + first * size_of(of.out), shape.m, shape.n, of.out);
    m.ld = ld;
    return m;
  }
  // The same values from an element on.
  gpuopt_matrix c_at(int64_t first) {
    Bytes all(static_cast<size_t>(count * size_of(of.out)));
    const Bytes v = values(of.out, count - 64, 3);
    std::memcpy(all.data() + first * size_of(of.out), v.data(), v.size());
    c.set(all);
    return matrix(c, first);
  }
  Bytes run(const Gpu &g, const char *kernel = nullptr) {
    if (args.c.data != args.d.data) d.fill(0xa5);
    REQUIRE_MESSAGE(gpuopt_set_kernel(g.handle, kernel != nullptr ? kernel : of.kernel) == GPUOPT_OK, last_error());
    REQUIRE_MESSAGE(gpuopt_gemm(g.handle, &args) == GPUOPT_OK, last_error());
    g.sync();
    return d.get();
  }
};

template <class F>
void each_product(const Gpu &g, F &&f) {
  int ran = 0;
  for (const Case &of : kCases) {
    for (const Shape &shape : kShapes) {
      Product p(of, shape);
      if (!can_run(g, p.args, of.kernel)) continue;
      CAPTURE(std::string(of.kernel));
      CAPTURE(of.out);
      CAPTURE(shape.m);
      CAPTURE(shape.n);
      CAPTURE(shape.k);
      f(p);
      ++ran;
    }
  }
  MESSAGE(ran << " products");
}

}  // namespace

TEST_CASE("wgmma_fold: C by panels gives the bits of C read by lines, in place too, and writes nothing else") {
  GPUOPT_NEED_GPU();
  const Gpu g;
  each_product(g, [&](Product &p) {
    p.args.beta = 2;
    p.args.c = p.c_at(1);
    const Bytes by_lines = p.run(g);
    p.args.c = p.c_at(0);
    CHECK(p.run(g) == by_lines);
    p.args.c = p.args.d;
    GPUOPT_CUDA(cudaMemcpy(p.d.data, p.c.data, p.c.count, cudaMemcpyDeviceToDevice));
    const Bytes before = p.d.get(), after = p.run(g);
    int64_t wrong = 0, beyond = 0;
    const auto size = static_cast<size_t>(size_of(p.of.out));
    for (int64_t i = 0; i < p.count; ++i) {
      const auto at = static_cast<size_t>(i) * size;
      const bool inside = i < p.ld * p.shape.m * p.shape.batch && i % p.ld < p.shape.n;
      if (inside)
        wrong += std::memcmp(&after[at], &by_lines[at], size) != 0;
      else
        beyond += std::memcmp(&after[at], &before[at], size) != 0;
    }
    CHECK(wrong == 0);
    CHECK(beyond == 0);
  });
}

// Where warpgroups take turns, the one that multiplies next uses the ring's places again behind a matrix that the other one still
// waits for: with few stages of k, operands from L2 and the matrix from memory it came that far and took one for the other.
TEST_CASE("wgmma_fold: a C that comes later than the operands behind it gives the bits of one that is there") {
  GPUOPT_NEED_GPU();
  const Gpu g;
  constexpr size_t kMoreThanL2 = size_t{256} << 20;
  DeviceArray<uint8_t> other(kMoreThanL2);
  for (const Case &of : kCases) {
    const int64_t depth = 128 / size_of(of.in);
    for (const int64_t stages : {1, 2, 3, 4, 5, 9}) {
      const Shape shape = {3648, 1664, stages * depth, 1};
      Product p(of, shape);
      if (!can_run(g, p.args, of.kernel)) continue;
      CAPTURE(std::string(of.kernel));
      CAPTURE(shape.k);
      p.args.beta = 2;
      p.args.c = p.c_at(1);
      const Bytes by_lines = p.run(g);
      p.args.c = p.c_at(0);
      for (int i = 0; i < 20; ++i) {
        other.fill(static_cast<uint8_t>(i));
        CHECK(p.run(g) == by_lines);
      }
    }
  }
}

TEST_CASE("wgmma_fold: one C for all matrices of a batch by panels gives the bits of one by lines") {
  GPUOPT_NEED_GPU();
  const Gpu g;
  each_product(g, [&](Product &p) {
    if (p.shape.batch == 1) return;
    p.args.beta = 2;
    p.args.c = p.c_at(1);
    p.args.c.batch_stride = 0;
    const Bytes by_lines = p.run(g);
    p.args.c = p.c_at(0);
    p.args.c.batch_stride = 0;
    CHECK(p.run(g) == by_lines);
  });
}

TEST_CASE("wgmma_fold: a beta of 0 on the device leaves C of NaN unread, another is as by value") {
  GPUOPT_NEED_GPU();
  const Gpu g;
  const DeviceArray<float> zero(std::vector<float>{0.0f}), two(std::vector<float>{2.0f});
  each_product(g, [&](Product &p) {
    const Bytes without = p.run(g);
    p.args.c = p.c_at(0);
    p.args.beta = 2;
    const Bytes by_value = p.run(g);
    p.args.beta_ptr = two.data;
    CHECK(p.run(g) == by_value);
    p.c.fill(0xff);
    p.args.beta_ptr = zero.data;
    CHECK(p.run(g) == without);
  });
}

TEST_CASE("wgmma_fold: a residual that is the only stage gives what the same matrix gives as C") {
  GPUOPT_NEED_GPU();
  const Gpu g;
  each_product(g, [&](Product &p) {
    if (std::string(p.of.kernel) == "gemm_wgmma_16bit_pingpong_128x192")
      return;  // gemm_finish adds both there, each in its way
    for (const double beta : {1.5, -1.5}) {
      p.args.c = p.c_at(0);
      p.args.beta = beta;
      const Bytes as_c = p.run(g);
      gpuopt_stage stage = gpuopt_act_with(beta > 0 ? GPUOPT_STAGE_ADD : GPUOPT_STAGE_SUB, GPUOPT_MATRIX, p.args.c);
      stage.value[0] = 1.5;
      p.args.beta = 0;
      p.args.stages = &stage;
      p.args.stage_count = 1;
      const Bytes as_stage = p.run(g);
      p.args.stages = nullptr;
      p.args.stage_count = 0;
      CHECK(as_stage == as_c);
    }
  });
}

TEST_CASE("wgmma_lines: results that begin at any element are those of whole panels, and nothing else is written") {
  GPUOPT_NEED_GPU();
  const Gpu g;
  each_product(g, [&](Product &p) {
    const Bytes by_panels = p.run(g);
    const auto size = static_cast<size_t>(size_of(p.of.out));
    const int64_t aligned = p.ld, lines = p.shape.m * p.shape.batch;
    for (const int64_t first : {0, 1, 6, 7}) {
      p.ld = aligned - 3;
      p.args.d = p.matrix(p.d, first);
      const Bytes by_lines = p.run(g);
      int64_t wrong = 0, beyond = 0;
      for (int64_t i = 0; i < p.count; ++i) {
        const int64_t line = (i - first) / p.ld, column = (i - first) % p.ld;
        const bool inside = i >= first && line < lines && column < p.shape.n;
        for (size_t byte = 0; byte < size; ++byte) {
          const uint8_t is = by_lines[static_cast<size_t>(i) * size + byte];
          if (inside)
            wrong += is != by_panels[static_cast<size_t>(line * aligned + column) * size + byte];
          else
            beyond += is != 0xa5;
        }
      }
      CAPTURE(first);
      CHECK(wrong == 0);
      CHECK(beyond == 0);
    }
  });
}
