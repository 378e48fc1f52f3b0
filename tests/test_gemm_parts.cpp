// Products whose sums do not fit the workspace go part by part (gemm/common/gemm_parts.h): the parts are all of it, and none needs
// more scratch memory than the call asked for. Without a GPU.
#if GPUOPT_TEST_HAVE_CUDA  // the build has the kernels' sources

#include "without_nvcc.h"

#include "gemm/common/gemm_parts.h"

#include <doctest/doctest.h>

#include <random>

#include "gemm/wgmma/wgmma_host.h"
#include "normal_form.h"

using namespace gpuopt;

namespace {

// 128 x 256, 16 bits: either layout of both operands, no chain of stages before the store, so that one asks for sums in scratch.
constexpr WgmmaFacts kFacts = {128, 256, 64, false, false, true, false, false, false, false, 2};

gpuopt_device_facts h200() {
  gpuopt_device_facts d = {};
  d.cc = 90;
  d.sm_count = 132;
  return d;
}

// f16, row-major, A's and B's lines on so many bytes. D's data is at 0: of a part, it says where the part is.
gpuopt_problem product(const gpuopt_device_facts &device, int64_t m, int64_t n, int64_t k, int64_t batch, int align_a,
                       int align_b) {
  gpuopt_problem p = normal_form::problem(GPUOPT_OP_GEMM, m, n, k);
  p.compute = GPUOPT_COMPUTE_F32;
  p.batch = batch;
  p.stage_count = 1;
  p.stage[0].kind = GPUOPT_STAGE_RELU;
  p.device = &device;
  p.workspace_limit = size_t{256} << 20;
  const auto set = [&](int index, int64_t rows, int64_t cols, int align) {
    const int64_t ld = cols + (align < 16 ? 1 : 0);
    gpuopt_operand &x = p.operand[index];
    x = normal_form::operand(gpuopt_mat_ld(nullptr, rows, cols, ld, GPUOPT_F16));
    x.m.batch_stride = rows * ld;
    x.align = x.stride_align = 256;
    x.ld_align = align;
  };
  set(GPUOPT_OPERAND_A, m, k, align_a);
  set(GPUOPT_OPERAND_B, k, n, align_b);
  set(GPUOPT_OPERAND_D, m, n, 256);
  return p;
}

void whole_workspace(const gpuopt_problem *p, size_t *scratch, size_t *zeroed) {
  wgmma_workspace(kFacts, p, scratch, zeroed);
}
size_t asked(const gpuopt_problem &p) {
  size_t scratch = 0, zeroed = 0;
  whole_workspace(&p, &scratch, &zeroed);
  return scratch + zeroed;
}
size_t asked_in_parts(const gpuopt_problem &p) {
  size_t scratch = 0, zeroed = 0;
  gemm_parts_workspace({whole_workspace, nullptr, nullptr, nullptr}, p, &scratch, &zeroed);
  return scratch + zeroed;
}

std::vector<gpuopt_problem> launched;  // by the launch under test
gpuopt_status keep(const gpuopt_problem *p, const gpuopt_launch *) {
  launched.push_back(*p);
  return GPUOPT_OK;
}

// How many parts there are; of each that it needs no more than all do and comes where the one before it ended.
size_t check_parts(gpuopt_problem p) {
  char d = 0;
  p.operand[GPUOPT_OPERAND_D].m.data = &d;
  launched.clear();
  CHECK(gemm_parts_launch({whole_workspace, nullptr, nullptr, keep}, p, nullptr) == GPUOPT_OK);
  const size_t most = asked_in_parts(p);
  int64_t row = 0, matrix = 0;
  for (const gpuopt_problem &part : launched) {
    CAPTURE(row);
    CAPTURE(matrix);
    const gpuopt_matrix &x = part.operand[GPUOPT_OPERAND_D].m;
    REQUIRE(part.m > 0);
    REQUIRE(part.batch > 0);
    CHECK(x.rows == part.m);
    CHECK(static_cast<char *>(x.data) - &d == 2 * (matrix * x.batch_stride + row * x.ld));
    CHECK(asked(part) <= most);
    row += part.m;
    if (row == p.m) {
      row = 0;
      matrix += part.batch;
    } else {
      CHECK(part.batch == 1);
      CHECK(row % 16 == 0);
    }
  }
  CHECK(row == 0);
  CHECK(matrix == p.batch);
  return launched.size();
}

}  // namespace

TEST_CASE("gemm parts: they are all of a product, and none needs more scratch memory than the call asked for") {
  const gpuopt_device_facts device = h200();
  // 44 rows come last: their sums leave room for the whole of a packed B, which the others had in two panels.
  CHECK(check_parts(product(device, 1068, 81920, 1280, 1, 256, 2)) == 5);
  CHECK(check_parts(product(device, 1068, 4096, 1280, 1, 256, 2)) == 1);
  CHECK(check_parts(product(device, 1000, 8192, 64, 40, 256, 2)) == 10);   // four matrices' sums fit
  CHECK(check_parts(product(device, 300, 262144, 64, 1, 256, 2)) == 3);    // 128 rows' do, 256 rows' do not
  CHECK(check_parts(product(device, 40, 2097152, 64, 1, 256, 256)) == 3);  // 16 rows' do
  std::mt19937 random(5);
  const auto draw = [&](int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random);
  };
  int cut = 0, fits = 0;
  for (int i = 0; i < 300; ++i) {
    gpuopt_problem p = product(device, draw(1, 5000), draw(1, 120000), draw(1, 4000), i % 4 == 0 ? draw(1, 9) : 1,
                               i % 2 == 0 ? 2 : 16, i % 3 == 0 ? 16 : 2);
    p.workspace_limit = size_t{static_cast<size_t>(draw(16, 256))} << 20;
    CAPTURE(p.m);
    CAPTURE(p.n);
    CAPTURE(p.k);
    CAPTURE(p.batch);
    CAPTURE(p.workspace_limit);
    cut += check_parts(p) > 1 ? 1 : 0;
    fits += asked_in_parts(p) <= p.workspace_limit ? 1 : 0;
  }
  CHECK(cut > 100);
  CHECK(fits > 290);
}

#endif
