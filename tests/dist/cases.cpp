#include "cases.h"

#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <stdexcept>

namespace gpuopt_dist_test {
namespace {

void need(gpuopt_status s) {
  if (s != GPUOPT_OK) throw std::runtime_error(std::string(gpuopt_status_name(s)) + ": " + gpuopt_last_error());
}

// The whole operands of a case, on every rank the same.
struct Whole {
  std::vector<float> a, b, c, bias;
};

Whole make_whole(const Case &c) {
  const auto values = c.exact ? exact_values : normal_values;
  Whole w;
  w.a = values(c.m * c.k * (c.shared_a ? 1 : c.batch), 1);
  w.b = values(c.k * c.n * c.batch, 2);
  w.c = values(c.m * c.n * c.batch, 3);
  w.bias = values(c.n, 4);
  return w;
}

// Rows [row, row + rows) and columns [col, col + cols) of every matrix of the batch; as columns of a COL matrix where asked.
std::vector<float> cut(const std::vector<float> &from, int64_t batch, int64_t all_rows, int64_t all_cols, int64_t row,
                       int64_t rows, int64_t col, int64_t cols, bool as_col) {
  std::vector<float> out(static_cast<size_t>(batch * rows * cols));
  for (int64_t p = 0; p < batch; ++p)
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < cols; ++j)
        out[static_cast<size_t>(p * rows * cols + (as_col ? j * rows + i : i * cols + j))] =
            from[static_cast<size_t>((p * all_rows + row + i) * all_cols + col + j)];
  return out;
}

struct Operands {
  std::unique_ptr<Buffer> a, b, c, d, bias;
  std::vector<gpuopt_stage> stages;
  gpuopt_gemm_args args = GPUOPT_GEMM_ARGS_INIT;
};

// The part of the operands with these rows of A, this part of k, these columns, and these rows of D.
std::unique_ptr<Operands> make_operands(gpuopt_handle *h, const Case &c, const Whole &w, int64_t row, int64_t rows,
                                        int64_t k0, int64_t k, int64_t col, int64_t cols, int64_t d_row,
                                        int64_t d_rows) {
  auto o = std::make_unique<Operands>();
  const int64_t a_batch = c.shared_a ? 1 : c.batch;
  const auto buffer = [&](gpuopt_dtype dtype, const std::vector<float> &values) {
    auto fresh = std::make_unique<Buffer>(h, static_cast<int64_t>(values.size()), dtype);
    fresh->set(values);
    return fresh;
  };
  o->a = buffer(c.a, cut(w.a, a_batch, c.m, c.k, row, rows, k0, k, c.col_a));
  o->b = buffer(c.b, cut(w.b, c.batch, c.k, c.n, k0, k, col, cols, false));
  o->bias = buffer(GPUOPT_F32, cut(w.bias, 1, 1, c.n, 0, 1, col, cols, false));
  o->d = std::make_unique<Buffer>(h, d_rows * cols * c.batch, c.d);
  o->d->fill(0x5a);
  gpuopt_gemm_args &g = o->args;
  g.a = gpuopt_mat(o->a->data(), rows, k, c.a);
  if (c.col_a) g.a.layout = GPUOPT_COL;
  if (c.shared_a) g.a.batch_stride = 0;
  g.b = gpuopt_mat(o->b->data(), k, cols, c.b);
  g.d = gpuopt_mat(o->d->data(), d_rows, cols, c.d);
  g.batch = c.batch;
  g.compute = c.compute;
  if (c.rounds) g.flags |= GPUOPT_ALLOW_INTERMEDIATE_ROUNDING;
  if (c.add_c) {
    o->c = buffer(c.d, cut(w.c, c.batch, c.m, c.n, d_row, d_rows, col, cols, false));
    g.c = gpuopt_mat(o->c->data(), d_rows, cols, c.d);
    g.beta = 2;
  }
  if (c.stages) {
    gpuopt_matrix bias = gpuopt_mat(o->bias->data(), 1, cols, GPUOPT_F32);
    bias.batch_stride = 0;
    o->stages.push_back(gpuopt_act_with(GPUOPT_STAGE_ADD, GPUOPT_PER_COL, bias));
    o->stages.push_back(gpuopt_act(GPUOPT_STAGE_RELU, 0, 0));
    g.stages = o->stages.data();
    g.stage_count = static_cast<int32_t>(o->stages.size());
  }
  return o;
}

gpuopt_status call(gpuopt_comm *comm, int32_t op, const gpuopt_gemm_args *args) {
  return op == GPUOPT_DIST_ALL_GATHER_GEMM       ? gpuopt_all_gather_gemm(comm, args)
         : op == GPUOPT_DIST_GEMM_REDUCE_SCATTER ? gpuopt_gemm_reduce_scatter(comm, args)
                                                 : gpuopt_gemm_all_reduce(comm, args);
}

double element(const std::vector<char> &bytes, gpuopt_dtype dtype, size_t i) {
  if (dtype == GPUOPT_F32) {
    float x;
    std::memcpy(&x, &bytes[i * 4], 4);
    return x;
  }
  uint16_t half;
  std::memcpy(&half, &bytes[i * 2], 2);
  const uint32_t wide = static_cast<uint32_t>(half) << 16;  // bf16
  float x;
  std::memcpy(&x, &wide, 4);
  return x;
}

}  // namespace

Buffer::Buffer(gpuopt_handle *handle, int64_t elements, gpuopt_dtype dtype)
    : handle_(handle), elements_(elements), dtype_(dtype) {
  need(gpuopt_malloc(handle, &data_, static_cast<size_t>(elements * gpuopt_dtype_size(dtype) + 256)));
}
Buffer::~Buffer() { gpuopt_free(handle_, data_); }

void Buffer::set(const std::vector<float> &values) {
  if (values.empty()) return;
  if (dtype_ == GPUOPT_F32) {
    need(gpuopt_copy(handle_, data_, values.data(), values.size() * sizeof(float)));
  } else {
    Buffer wide(handle_, elements_, GPUOPT_F32);
    wide.set(values);
    gpuopt_fused_act_args f = GPUOPT_FUSED_ACT_ARGS_INIT;
    f.x = gpuopt_mat(wide.data(), 1, elements_, GPUOPT_F32);
    f.out = gpuopt_mat(data_, 1, elements_, dtype_);
    need(gpuopt_fused_act(handle_, &f));
  }
  need(gpuopt_synchronize(handle_));
}
void Buffer::fill(int32_t byte) {
  need(gpuopt_fill(handle_, data_, byte, static_cast<size_t>(elements_ * gpuopt_dtype_size(dtype_))));
}
std::vector<char> Buffer::bytes() const {
  std::vector<char> out(static_cast<size_t>(elements_ * gpuopt_dtype_size(dtype_)));
  if (!out.empty()) need(gpuopt_copy(handle_, out.data(), data_, out.size()));
  need(gpuopt_synchronize(handle_));
  return out;
}

std::vector<float> exact_values(int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> out(static_cast<size_t>(count));
  for (float &x : out) x = static_cast<float>(static_cast<int>(random() % 7) - 3);
  return out;
}
std::vector<float> normal_values(int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> out(static_cast<size_t>(count));
  for (float &x : out) x = normal(random);
  return out;
}

std::string words(const Case &c) {
  static const char *const ops[] = {"", "all_gather_gemm", "gemm_reduce_scatter", "gemm_all_reduce"};
  return std::string(ops[c.op]) + " " + std::to_string(c.m) + "x" + std::to_string(c.n) + "x" + std::to_string(c.k) +
         " batch " + std::to_string(c.batch) + " " + gpuopt_dtype_name(c.a) + " " + gpuopt_dtype_name(c.b) + " " +
         gpuopt_dtype_name(c.d) + " " + gpuopt_compute_name(c.compute) + (c.col_a ? " A by columns" : "") +
         (c.stages ? " stages" : "") + (c.shared_a ? " A shared" : "") + (c.add_c ? " C" : "") +
         (c.rounds ? " rounds" : "") + (c.exact ? "" : " normal");
}

std::vector<Case> every_type(int32_t size) {
  struct Types {
    gpuopt_dtype a, b, d;
    int32_t compute;
  };
  static const Types table[] = {
#define GPUOPT_X_(A, B, C, D, COMPUTE) {GPUOPT_##A, GPUOPT_##B, GPUOPT_##D, GPUOPT_COMPUTE_##COMPUTE},
      GPUOPT_GEMM_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
  };
  std::vector<Case> all;
  for (int32_t op = 1; op <= 3; ++op)
    for (const Types &t : table) all.push_back({op, 5 * size + 3, 17, 8 * size, 1, t.a, t.b, t.d, t.compute});
  return all;
}

std::vector<Case> every_shape(int32_t size) {
  std::vector<Case> all;
  for (int32_t op = 1; op <= 3; ++op) {
    const Case base = {op, 67, 33, 16 * size, 1, GPUOPT_F32, GPUOPT_F32, GPUOPT_F32, GPUOPT_COMPUTE_DEFAULT};
    const auto add = [&](auto change) {
      Case c = base;
      change(c);
      all.push_back(c);
    };
    add([](Case &) {});
    add([](Case &c) { c.m = 1; });  // most ranks have no row
    add([&](Case &c) { c.m = size + 1; });
    add([](Case &c) { c.batch = 3; });
    add([](Case &c) { c.batch = 3, c.shared_a = true; });
    add([](Case &c) { c.col_a = true; });
    add([](Case &c) { c.col_a = true, c.batch = 2, c.stages = true; });
    add([](Case &c) { c.stages = true; });
    add([](Case &c) { c.add_c = true; });
    add([](Case &c) { c.add_c = true, c.stages = true, c.batch = 2; });
    add([](Case &c) { c.a = c.b = c.d = GPUOPT_BF16, c.stages = true; });
    add([](Case &c) { c.a = c.b = c.d = GPUOPT_BF16, c.rounds = true, c.exact = false; });
    add([](Case &c) { c.exact = false, c.m = 128, c.n = 96, c.k = 256; });
  }
  return all;
}

std::string check(gpuopt_comm *comm, gpuopt_handle *handle, const Case &c, const char *plan,
                  std::vector<char> *result) {
  const std::string where = words(c) + ", plan " + (plan && *plan ? plan : "auto") + ": ";
  try {
    int32_t rank, size;
    need(gpuopt_comm_rank(comm, &rank, &size));
    need(gpuopt_comm_set_plan(comm, plan));
    const Whole whole = make_whole(c);
    int64_t row, rows, k0 = 0, k = c.k;
    gpuopt_dist_rows(c.m, rank, size, &row, &rows);
    const bool gathers = c.op == GPUOPT_DIST_ALL_GATHER_GEMM, scatters = c.op == GPUOPT_DIST_GEMM_REDUCE_SCATTER;
    if (!gathers) gpuopt_dist_rows(c.k, rank, size, &k0, &k);
    const int64_t d_row = scatters ? row : 0, d_rows = scatters ? rows : c.m;
    const auto mine = gathers ? make_operands(handle, c, whole, row, rows, 0, c.k, 0, c.n, 0, c.m)
                              : make_operands(handle, c, whole, 0, c.m, k0, k, 0, c.n, d_row, d_rows);
    need(call(comm, c.op, &mine->args));
    need(gpuopt_comm_synchronize(comm));
    const std::vector<char> got = mine->d->bytes();
    if (result) *result = got;
    const auto alone = make_operands(handle, c, whole, 0, c.m, 0, c.k, 0, c.n, 0, c.m);
    need(gpuopt_gemm(handle, &alone->args));
    const std::vector<char> all = alone->d->bytes();
    const size_t line = static_cast<size_t>(c.n * gpuopt_dtype_size(c.d));
    for (int64_t p = 0; p < c.batch; ++p) {
      const char *expected = all.data() + static_cast<size_t>(p * c.m + d_row) * line;
      const char *have = got.data() + static_cast<size_t>(p * d_rows) * line;
      if (c.exact && d_rows > 0 && std::memcmp(expected, have, static_cast<size_t>(d_rows) * line) != 0)
        return where + "rank " + std::to_string(rank) + ", matrix " + std::to_string(p) + ": not one rank's bits";
    }
    // Of normal data: within the roundings of sums of k terms whose size is about 1, and of D.
    if (!c.exact) {
      const double bound = std::sqrt(static_cast<double>(c.k)) * 4 * (c.d == GPUOPT_BF16 ? 0x1p-7 : 0x1p-18);
      for (size_t i = 0; i < static_cast<size_t>(d_rows * c.n); ++i) {
        const double want = element(all, c.d, static_cast<size_t>(d_row * c.n) + i), is = element(got, c.d, i);
        if (!(std::abs(want - is) <= bound))
          return where + "element " + std::to_string(i) + " is " + std::to_string(is) + ", one rank has " +
                 std::to_string(want);
      }
    }
    return "";
  } catch (const std::exception &e) {
    return where + e.what();
  }
}

}  // namespace gpuopt_dist_test
