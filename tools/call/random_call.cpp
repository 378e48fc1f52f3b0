#include "gpuopt_call/random_call.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "gpuopt_call/place.h"
#include "gpuopt_call/work.h"

namespace gpuopt_call {
namespace {

constexpr double kLeastUs = 0.5, kMostUs = 1000;  // of the time that a problem is sought for
constexpr int64_t kMostBytes = int64_t{1} << 30;
constexpr int kTries = 12;

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t bits() {  // splitmix64
    uint64_t x = state_ += 0x9E3779B97F4A7C15ull;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return x ^ (x >> 31);
  }
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  bool chance(double p) { return uniform() < p; }
  double log_uniform(double least, double most) { return least * std::pow(most / least, uniform()); }
  int64_t below(int64_t count) { return static_cast<int64_t>(uniform() * static_cast<double>(count)); }
  template <class T, size_t N>
  T of(const T (&values)[N]) {
    return values[below(static_cast<int64_t>(N))];
  }

 private:
  uint64_t state_;
};

// How the extents of one problem fall: all odd, all multiples of powers of two, or each as it likes.
class Extents {
 public:
  explicit Extents(Random *random) : random_(*random), odd_(random->chance(0.38) ? 1 : random->chance(0.6) ? 0 : 0.5) {}
  int64_t operator()(int64_t least, int64_t most) {
    int64_t value = std::llround(random_.log_uniform(static_cast<double>(least), static_cast<double>(most)));
    if (random_.chance(odd_)) return std::min(value | 1, most | 1);
    const int64_t power = int64_t{1} << (1 + random_.below(8));
    if (value < power) return value;  // a small one keeps its size
    return value / power * power;
  }

 private:
  Random &random_;
  double odd_;
};

// Extents of another member of the family: up to an eighth more or less, of the same alignment, and nearest to the same power of
// two, so that the member is of the same class for tuned entries as long as its lines are.
class Mover {
 public:
  Mover(Random random, bool moves) : random_(random), moves_(moves) {}
  int64_t operator()(int64_t value) {
    if (!moves_ || value < 1) return value;
    const int64_t step = 2 * std::min<int64_t>(value & -value, 256), reach = value / 8 / step;
    for (int tries = 0; tries < kTries && reach > 0; ++tries) {
      const int64_t moved = value + step * (random_.below(2 * reach + 1) - reach);
      if (nearest_power(moved) == nearest_power(value)) return moved;
    }
    return value;
  }

 private:
  static int nearest_power(int64_t value) {
    return static_cast<int>(std::lround(std::log2(static_cast<double>(value))));
  }
  Random random_;
  bool moves_;
};

// TFLOP/s of an H200, by compute type and the first operand's.
double peak_of(gpuopt_dtype a, int32_t compute) {
  const bool fp8 = a == GPUOPT_E4M3 || a == GPUOPT_E5M2;
  switch (compute) {
    case GPUOPT_COMPUTE_F64:
      return 60;
    case GPUOPT_COMPUTE_TF32:
      return 400;
    case GPUOPT_COMPUTE_F32_TENSOR:
      return 130;
    case GPUOPT_COMPUTE_I32:
      return 1000;
    case GPUOPT_COMPUTE_F32:
      return a == GPUOPT_F32 ? 50 : fp8 ? 1000 : 700;
    default:
      return fp8 ? 1000 : 700;
  }
}

double ideal_us(Call *call) {
  const double bytes_us = static_cast<double>(touched_bytes(call)) / 4e6;
  const bool grouped = call->op() == GPUOPT_OP_GEMM_GROUPED;
  if (call->op() != GPUOPT_OP_GEMM && !grouped) return bytes_us;
  const double peak = grouped ? peak_of(call->gemm_grouped.a.dtype, call->gemm_grouped.compute)
                              : peak_of(call->gemm.a.dtype, call->gemm.compute);
  return std::max(bytes_us, flops_of(*call) / peak / 1e6);
}

// Of a few problems made the same way, the one whose time is nearest to one drawn from the whole range.
template <class Make>
Call near_time(Random *random, Make make) {
  const double wanted = random->log_uniform(kLeastUs, kMostUs);
  Call best = make();
  double best_off = INFINITY;
  for (int i = 0; i < kTries || best_off == INFINITY; ++i) {
    Call call = make();
    const double us = ideal_us(&call);
    const double off = std::abs(std::log(std::max(us, kLeastUs) / wanted));
    if (us > 2 * kMostUs || touched_bytes(&call) > kMostBytes || off >= best_off) continue;
    best = std::move(call);
    best_off = off;
  }
  return best;
}

struct Ways {  // how operands lie
  double columns = 0.15, padded = 0.12, misplaced = 0.06;
};

// Where an operand lies, in which layout and with which pitch.
class Place {
 public:
  explicit Place(Random *random) : random_(*random) {}
  gpuopt_matrix operator()(int64_t rows, int64_t cols, gpuopt_dtype type, const Ways &ways) {
    gpuopt_matrix m = gpuopt_mat(nullptr, rows, cols, type);
    const int64_t size = gpuopt_dtype_size(type);
    if (random_.chance(ways.columns)) m.layout = GPUOPT_COL;
    const int64_t line = std::max<int64_t>(m.layout == GPUOPT_ROW ? cols : rows, 1);
    if (random_.chance(ways.padded)) {
      constexpr int64_t kPads[] = {1, 3, 8, 16, 64};
      const int64_t pad = random_.of(kPads);
      m.ld = pad < 8 ? line + pad : (line + pad) / pad * pad;
    }
    const bool misplaced = random_.chance(ways.misplaced);
    const int64_t steps[] = {size, 2 * size, 4 * size, 8 * size};
    m.data = nowhere(next_++, misplaced ? random_.of(steps) : 256);
    return m;
  }

 private:
  Random &random_;
  uintptr_t next_ = 0;
};

constexpr Ways kPlain = {0, 0, 0.03};

gpuopt_stage stage_without_operand(Random *random, int32_t kind) {
  if (kind == GPUOPT_STAGE_LEAKY_RELU) return gpuopt_act(kind, 0.01, 0);
  if (kind == GPUOPT_STAGE_CLAMP) return gpuopt_act(kind, -1, random->chance(0.5) ? 1 : 6);
  return gpuopt_act(kind, 0, 0);
}

// A stage as chains have them: biases and activations often, the rest now and then.
gpuopt_stage random_stage(Random *random, Place *place, int64_t rows, int64_t cols, gpuopt_dtype type, bool all_kinds) {
  const gpuopt_dtype own = random->chance(0.75) ? type : GPUOPT_F32;
  constexpr int32_t kArithmetic[] = {GPUOPT_STAGE_ADD, GPUOPT_STAGE_ADD, GPUOPT_STAGE_SUB, GPUOPT_STAGE_MUL,
                                     GPUOPT_STAGE_MUL};
  constexpr int32_t kCommon[] = {GPUOPT_STAGE_RELU, GPUOPT_STAGE_GELU,    GPUOPT_STAGE_GELU_TANH,
                                 GPUOPT_STAGE_SILU, GPUOPT_STAGE_SIGMOID, GPUOPT_STAGE_TANH,
                                 GPUOPT_STAGE_RELU, GPUOPT_STAGE_CLAMP,   GPUOPT_STAGE_LEAKY_RELU};
  constexpr int32_t kGrads[] = {GPUOPT_STAGE_RELU_GRAD, GPUOPT_STAGE_GELU_GRAD, GPUOPT_STAGE_SILU_GRAD};
  const auto vector = [&](bool per_row) {
    return per_row ? (*place)(rows, 1, own, kPlain) : (*place)(1, cols, own, kPlain);
  };
  const auto matrix = [&] { return (*place)(rows, cols, own, {all_kinds ? 0.1 : 0.05, 0.08, 0.03}); };
  const double what = random->uniform();
  if (what < 0.30) {
    const bool per_row = random->chance(0.2);
    return gpuopt_act_with(random->of(kArithmetic), per_row ? GPUOPT_PER_ROW : GPUOPT_PER_COL, vector(per_row));
  }
  if (what < 0.40) return gpuopt_act_with(random->of(kArithmetic), GPUOPT_MATRIX, matrix());
  if (what < 0.50) return gpuopt_act(random->of(kArithmetic), 1.25, 0);
  if (what < 0.85 || !all_kinds) return stage_without_operand(random, random->of(kCommon));
  if (what < 0.92)
    return stage_without_operand(random, static_cast<int32_t>(GPUOPT_STAGE_EXP + random->below(8)));  // to STEP
  if (what < 0.96) return gpuopt_act_with(random->of(kGrads), 0, matrix());
  if (what < 0.98) return gpuopt_act_with(GPUOPT_STAGE_STORE, 0, (*place)(rows, cols, own, {0.05, 0.05, 0}));
  const gpuopt_matrix u = vector(true), v = vector(false);
  return gpuopt_act_outer(0.5, u, v);
}

void add_stages(Random *random, Place *place, int64_t most, int64_t rows, int64_t cols, gpuopt_dtype type,
                bool all_kinds, Call *call) {
  const int64_t count = 1 + random->below(most);
  for (int64_t i = 0; i < count; ++i) call->stages.push_back(random_stage(random, place, rows, cols, type, all_kinds));
}

// ---- gemm ------------------------------------------------------------------------------------------------------------

struct GemmTypes {
  gpuopt_dtype a, b, c, d;
  int32_t compute;
};
constexpr GemmTypes kGemmTypes[] = {
#define GPUOPT_X_(A, B, C, D, compute) {GPUOPT_##A, GPUOPT_##B, GPUOPT_##C, GPUOPT_##D, GPUOPT_COMPUTE_##compute},
    GPUOPT_GEMM_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
};

bool is_fp8(gpuopt_dtype type) { return type == GPUOPT_E4M3 || type == GPUOPT_E5M2; }

// The 40 rows of fp8 count as four, half of them e4m3 with e4m3.
GemmTypes random_gemm_types(Random *random) {
  const bool fp8 = random->chance(0.25), plain = random->chance(0.5);
  for (;;) {
    const GemmTypes t = random->of(kGemmTypes);
    if (is_fp8(t.a) != fp8 || (fp8 && plain && (t.a != GPUOPT_E4M3 || t.b != GPUOPT_E4M3))) continue;
    return t;
  }
}

// Of fp8, some have scales; half of them of blocks, as activations and weights have them, now and then as gradients do.
void add_scales(Random *random, gpuopt_matrix *a, gpuopt_matrix *b) {
  if (!is_fp8(a->dtype) || !random->chance(0.4)) return;
  a->scale = static_cast<const float *>(nowhere(40, 256));
  b->scale = static_cast<const float *>(nowhere(41, 256));
  if (!random->chance(0.5)) return;
  a->scales.block = random->chance(0.8) ? GPUOPT_SCALE_1X128 : GPUOPT_SCALE_128X128;
  b->scales.block = random->chance(0.7) ? GPUOPT_SCALE_128X128 : GPUOPT_SCALE_128X1;
  a->scales.layout = random->chance(0.7) ? GPUOPT_ROW : GPUOPT_COL;
  b->scales.layout = random->chance(0.7) ? GPUOPT_COL : GPUOPT_ROW;
}

Call random_gemm(Random *random, Mover move) {
  const GemmTypes t = random_gemm_types(random);
  Extents extent(random);
  const bool batched = random->chance(0.25), reads_c = random->chance(0.25);
  const double columns_a = random->chance(0.5) ? 1 : 0, columns_b = random->chance(0.5) ? 1 : 0;
  Call call = near_time(random, [&] {
    Call c(GPUOPT_OP_GEMM);
    gpuopt_gemm_args &g = c.gemm;
    const int64_t m = extent(1, 16384), n = extent(1, 16384), k = extent(4, 16384);
    g.compute = t.compute;
    g.a = gpuopt_mat(nullptr, m, k, t.a);
    g.b = gpuopt_mat(nullptr, k, n, t.b);
    g.d = gpuopt_mat(nullptr, m, n, t.d);
    if (batched) g.batch = extent(2, 512);
    return c;
  });
  gpuopt_gemm_args &g = call.gemm;
  Place place(random);
  const int64_t m = move(g.d.rows), n = move(g.d.cols), k = move(g.a.cols);
  g.a = place(m, k, t.a, {columns_a, 0.1, 0.05});
  g.b = place(k, n, t.b, {columns_b, 0.1, 0.05});
  g.d = place(m, n, t.d, {0.1, 0.1, 0.03});
  if (batched && random->chance(0.2)) (random->chance(0.5) ? g.a : g.b).batch_stride = 0;
  if (reads_c) {
    g.beta = random->chance(0.5) ? 1 : 0.5;
    g.c = t.c == t.d && random->chance(0.5) ? g.d : place(m, n, t.c, {g.d.layout == GPUOPT_COL ? 1.0 : 0.0, 0.1, 0.03});
  }
  if (random->chance(0.1)) g.alpha = 0.5;
  add_scales(random, &g.a, &g.b);
  if (random->chance(0.33)) add_stages(random, &place, 3, m, n, t.d, false, &call);
  return call;
}

// Most as mixtures of experts have them: 16-bit or fp8, rows packed, offsets on the device.
Call random_gemm_grouped(Random *random, Mover move) {
  const GemmTypes t = random_gemm_types(random);
  Extents extent(random);
  const bool reads_c = random->chance(0.1);
  const double columns_b = random->chance(0.5) ? 1 : 0;
  Call call = near_time(random, [&] {
    Call c(GPUOPT_OP_GEMM_GROUPED);
    gpuopt_gemm_grouped_args &g = c.gemm_grouped;
    const int64_t m = extent(1, 16384), n = extent(1, 16384), k = extent(4, 16384);
    g.compute = t.compute;
    g.groups = std::llround(random->log_uniform(1, 256));
    g.a = gpuopt_mat(nullptr, m, k, t.a);
    g.b = gpuopt_mat(nullptr, k, n, t.b);
    g.d = gpuopt_mat(nullptr, m, n, t.d);
    return c;
  });
  gpuopt_gemm_grouped_args &g = call.gemm_grouped;
  Place place(random);
  const int64_t m = move(g.d.rows), n = move(g.d.cols), k = move(g.a.cols);
  g.a = place(m, k, t.a, {0.05, 0.1, 0.05});
  g.b = place(k, n, t.b, {columns_b, 0.1, 0.05});
  g.d = place(m, n, t.d, {0.05, 0.1, 0.03});
  if (random->chance(0.2))
    call.host_offsets = even_offsets(g);
  else
    g.offsets = place(1, g.groups + 1, random->chance(0.5) ? GPUOPT_I32 : GPUOPT_I64, kPlain);
  if (reads_c) {
    g.beta = 0.5;
    g.c = t.c == t.d && random->chance(0.5) ? g.d : place(m, n, t.c, {0, 0.1, 0.03});
  }
  add_scales(random, &g.a, &g.b);
  if (random->chance(0.33)) add_stages(random, &place, 3, m, n, t.d, false, &call);
  return call;
}

// ---- the others ------------------------------------------------------------------------------------------------------

Call random_transpose(Random *random, Mover move) {
  constexpr gpuopt_dtype kTypes[] = {GPUOPT_F32, GPUOPT_F32,  GPUOPT_F64, GPUOPT_F16, GPUOPT_BF16, GPUOPT_I8,
                                     GPUOPT_U8,  GPUOPT_E4M3, GPUOPT_I32, GPUOPT_I64, GPUOPT_B128};
  const gpuopt_dtype type = random->of(kTypes);
  Extents extent(random);
  const bool in_place = random->chance(0.1), batched = random->chance(0.3);
  const int64_t most = batched ? 8192 : int64_t{1} << 21;
  Call call = near_time(random, [&] {
    Call c(GPUOPT_OP_TRANSPOSE);
    const int64_t rows = extent(1, in_place ? 16384 : most), cols = in_place ? rows : extent(1, most);
    c.transpose.src = gpuopt_mat(nullptr, rows, cols, type);
    c.transpose.dst = gpuopt_mat(nullptr, cols, rows, type);
    if (batched) c.transpose.batch = extent(2, 65536);
    return c;
  });
  gpuopt_transpose_args &t = call.transpose;
  Place place(random);
  const int64_t rows = move(t.src.rows), cols = in_place ? rows : move(t.src.cols);
  const Ways ways = {0, 0.12, 0.06};
  t.src = place(rows, cols, type, {0.1, 0.12, 0.06});
  t.dst = in_place ? t.src : place(cols, rows, type, ways);
  if (!in_place && t.src.layout == GPUOPT_COL && random->chance(0.7)) {  // mostly both, now and then a copy
    t.dst = gpuopt_t(place(rows, cols, type, ways));
  }
  return call;
}

gpuopt_dtype reduce_output_of(Random *random, int32_t reduce, gpuopt_dtype x) {
  if (reduce == GPUOPT_REDUCE_ARGMIN || reduce == GPUOPT_REDUCE_ARGMAX) return GPUOPT_I64;
  const bool integer = x == GPUOPT_I8 || x == GPUOPT_U8 || x == GPUOPT_I32 || x == GPUOPT_I64;
  if (!integer) {
    constexpr gpuopt_dtype kFloats[] = {GPUOPT_F32, GPUOPT_F32, GPUOPT_F16, GPUOPT_BF16, GPUOPT_F64};
    if (!is_fp8(x) && random->chance(0.6)) return x;
    return random->of(kFloats);
  }
  if (reduce == GPUOPT_REDUCE_MEAN || reduce == GPUOPT_REDUCE_NRM2)
    return random->chance(0.7) ? GPUOPT_F32 : GPUOPT_F64;
  const bool extreme = reduce == GPUOPT_REDUCE_MIN || reduce == GPUOPT_REDUCE_MAX;
  return extreme && random->chance(0.7) ? x : GPUOPT_I64;
}

Call random_reduce(Random *random, Mover move) {
  constexpr gpuopt_dtype kTypes[] = {GPUOPT_F32,  GPUOPT_F32, GPUOPT_F32, GPUOPT_BF16, GPUOPT_BF16,
                                     GPUOPT_F16,  GPUOPT_F64, GPUOPT_I8,  GPUOPT_U8,   GPUOPT_E4M3,
                                     GPUOPT_E5M2, GPUOPT_I32, GPUOPT_I64};
  const gpuopt_dtype type = random->of(kTypes);
  const int32_t reduce =
      random->chance(0.25) ? int32_t{GPUOPT_REDUCE_SUM} : static_cast<int32_t>(1 + random->below(11));
  const int32_t axis = static_cast<int32_t>(GPUOPT_EACH_ROW + random->below(3));
  const bool batched = random->chance(0.15), dot = reduce == GPUOPT_REDUCE_DOT;
  const bool value = (reduce == GPUOPT_REDUCE_ARGMIN || reduce == GPUOPT_REDUCE_ARGMAX) && random->chance(0.3);
  const bool one_line = axis == GPUOPT_ALL && random->chance(0.4);
  Extents extent(random);
  Call call = near_time(random, [&] {
    Call c(GPUOPT_OP_REDUCE);
    const int64_t rows = one_line ? 1 : extent(1, 1 << 20), cols = extent(1, one_line ? 1 << 28 : 1 << 20);
    c.reduce.x = gpuopt_mat(nullptr, rows, cols, type);
    if (dot) c.reduce.y = c.reduce.x;
    if (batched) c.reduce.batch = extent(2, 1024);
    return c;
  });
  gpuopt_reduce_args &r = call.reduce;
  const int64_t rows = move(r.x.rows), cols = move(r.x.cols);
  const int64_t out_rows = axis == GPUOPT_EACH_ROW ? rows : 1, out_cols = axis == GPUOPT_EACH_COL ? cols : 1;
  Place place(random);
  r.reduce = reduce;
  r.axis = axis;
  r.x = place(rows, cols, type, {0.15, 0.12, 0.06});
  if (dot) r.y = place(rows, cols, type, {r.x.layout == GPUOPT_COL ? 0.9 : 0.1, 0.12, 0.06});
  r.out = place(out_rows, out_cols, reduce_output_of(random, reduce, type), {0, 0, 0.02});
  if (value) r.value = place(out_rows, out_cols, type, {0, 0, 0.02});
  if (random->chance(0.08)) r.flags = GPUOPT_REQUIRE_BATCH_INVARIANT;
  return call;
}

Call random_fused_act(Random *random, Mover move) {
  constexpr gpuopt_dtype kTypes[] = {GPUOPT_F32, GPUOPT_F32,  GPUOPT_BF16, GPUOPT_BF16, GPUOPT_F16, GPUOPT_F16,
                                     GPUOPT_F64, GPUOPT_E4M3, GPUOPT_E5M2, GPUOPT_I8,   GPUOPT_U8,  GPUOPT_I32};
  const gpuopt_dtype type = random->of(kTypes), out = random->chance(0.75) ? type : random->of(kTypes);
  Extents extent(random);
  const bool batched = random->chance(0.1), flat = random->chance(0.1);
  Call call = near_time(random, [&] {
    Call c(GPUOPT_OP_FUSED_ACT);
    const int64_t rows = flat ? 1 : extent(1, 1 << 20), cols = extent(1, flat ? 1 << 27 : 1 << 16);
    c.fused_act.x = gpuopt_mat(nullptr, rows, cols, type);
    c.fused_act.out = gpuopt_mat(nullptr, rows, cols, out);
    if (batched) c.fused_act.batch = extent(2, 256);
    return c;
  });
  gpuopt_fused_act_args &f = call.fused_act;
  const int64_t rows = move(f.x.rows), cols = move(f.x.cols);
  Place place(random);
  f.x = place(rows, cols, type, {0.2, 0.1, 0.06});
  f.out = place(rows, cols, out, {f.x.layout == GPUOPT_COL ? 0.3 : 0.05, 0.08, 0.06});
  add_stages(random, &place, 5, rows, cols, type, true, &call);
  return call;
}

Call random_norm(Random *random, Mover move) {
  constexpr gpuopt_dtype kTypes[] = {GPUOPT_F32, GPUOPT_F32, GPUOPT_BF16, GPUOPT_BF16, GPUOPT_F16,
                                     GPUOPT_F16, GPUOPT_F64, GPUOPT_E4M3, GPUOPT_E5M2};
  const gpuopt_dtype type = random->of(kTypes), out = random->chance(0.85) ? type : random->of(kTypes);
  const bool weighted = random->chance(0.65), residual = random->chance(0.3), sum = residual && random->chance(0.7);
  const int32_t norm =
      static_cast<int32_t>((weighted ? GPUOPT_NORM_LAYERNORM : GPUOPT_NORM_SOFTMAX) + random->below(2));
  const double columns = random->chance(0.06) ? 1 : 0;
  const bool batched = random->chance(0.1);
  Extents extent(random);
  Call call = near_time(random, [&] {
    Call c(GPUOPT_OP_NORM);
    const int64_t rows = extent(1, 1 << 19), cols = extent(8, 1 << 18);
    c.norm.x = gpuopt_mat(nullptr, rows, cols, type);
    c.norm.out = gpuopt_mat(nullptr, rows, cols, out);
    if (residual) c.norm.residual = c.norm.x;
    if (sum) c.norm.sum = c.norm.x;
    if (batched) c.norm.batch = extent(2, 128);
    return c;
  });
  gpuopt_norm_args &n = call.norm;
  const int64_t rows = move(n.x.rows), cols = move(n.x.cols);
  const Ways ways = {columns, 0.08, 0.05};
  Place place(random);
  n.norm = norm;
  n.x = place(rows, cols, type, ways);
  n.out = place(rows, cols, out, ways);
  if (residual) n.residual = place(rows, cols, type, ways);
  if (sum) n.sum = place(rows, cols, type, ways);
  const gpuopt_dtype weights = random->chance(0.7) ? type : GPUOPT_F32;
  if (weighted && random->chance(0.8)) n.gamma = place(1, cols, weights, kPlain);
  if (norm == GPUOPT_NORM_LAYERNORM && n.gamma.dtype != 0) n.beta = place(1, cols, weights, kPlain);
  const bool wide = type == GPUOPT_F64 || out == GPUOPT_F64;
  if (random->chance(0.1)) n.statistics = place(rows, 2, wide ? GPUOPT_F64 : GPUOPT_F32, {0, 0, 0});
  if (random->chance(0.2)) add_stages(random, &place, 2, rows, cols, type, false, &call);
  return call;
}

}  // namespace

Call random_call(int32_t op, uint64_t seed, uint64_t index, uint64_t member) {
  Random of_seed(seed);
  const uint64_t place = (index * 8 + static_cast<uint64_t>(op)) * 0xD1342543DE82EF95ull;
  Random random(of_seed.bits() ^ place);
  const Mover move(Random(seed ^ place ^ member * 0xA24BAED4963EE407ull), member > 0);
  for (;;) {
    Call call = op == GPUOPT_OP_GEMM        ? random_gemm(&random, move)
                : op == GPUOPT_OP_TRANSPOSE ? random_transpose(&random, move)
                : op == GPUOPT_OP_REDUCE    ? random_reduce(&random, move)
                : op == GPUOPT_OP_FUSED_ACT ? random_fused_act(&random, move)
                : op == GPUOPT_OP_NORM      ? random_norm(&random, move)
                                            : random_gemm_grouped(&random, move);
    if (touched_bytes(&call) <= kMostBytes) return call;  // matrices of stages and paddings came later
  }
}

}  // namespace gpuopt_call
