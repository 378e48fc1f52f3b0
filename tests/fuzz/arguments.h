// Arguments of the six operations out of the fuzzer's bytes: mostly a problem that could run, with one thing or another
// bent. Extents are small; huge ones get no memory.
#pragma once
#include <cmath>
#include <cstddef>
#include <limits>

#include "buffers.h"

namespace fuzz {

inline int64_t extent(Input &in) {
  static const int64_t usual[] = {0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 24, 31, 33, 40, 65};
  return in.rarely(80) ? in.edge() : usual[in.below(16)];
}

inline double scalar(Input &in) {
  static const double usual[] = {1, 0, -1, 0.5, 2, -0.0, 1e-300, 1e300, 3e38, 1e-40};
  switch (in.below(16)) {
    case 10:
      return std::nan("");
    case 11:
      return std::numeric_limits<double>::infinity();
    case 12:
      return -std::numeric_limits<double>::infinity();
    case 13:
      return static_cast<int32_t>(in.word()) / 256.0;
    default:
      return usual[in.below(10)];
  }
}

inline int32_t dtype(Input &in) { return static_cast<int32_t>(in.rarely(50) ? in.edge() : 1 + in.below(11)); }

// A matrix without data.
inline gpuopt_matrix matrix(Input &in, int64_t rows, int64_t cols, int32_t type) {
  gpuopt_matrix m = gpuopt_mat(nullptr, rows, cols, type);
  if (in.rarely(2)) m.layout = GPUOPT_COL;
  const int64_t line = m.layout == GPUOPT_ROW ? cols : rows, lines = m.layout == GPUOPT_ROW ? rows : cols;
  if (in.rarely(3) && line >= 0 && line < 4096) m.ld = line + in.below(9);
  if (in.rarely(6)) m.batch_stride = 0;
  if (in.rarely(6) && m.ld > 0 && lines >= 0 && lines < 4096) m.batch_stride = m.ld * lines + in.below(9);
  switch (in.byte()) {  // one field bent
    case 1:
      m.rows = in.edge();
      break;
    case 2:
      m.cols = in.edge();
      break;
    case 3:
      m.ld = in.edge();
      break;
    case 4:
      m.batch_stride = in.edge();
      break;
    case 5:
      m.layout = static_cast<int32_t>(in.edge());
      break;
    case 6:
      m.dtype = dtype(in);
      break;
    case 7:
      (in.below(2) == 0 ? m.scales.block : m.scales.layout) = static_cast<int32_t>(in.edge());
      if (in.rarely(2)) m.scales.ld = in.edge();
      break;
    case 8:
      if (m.rows < INT64_MAX) m.rows += 1;  // one conflict of shapes
      break;
    case 9:
      if (m.cols > INT64_MIN) m.cols -= 1;
      break;
    default:
      break;
  }
  return m;
}

struct Arguments {
  // Any of the six structs, in memory of exactly struct_size bytes.
  std::unique_ptr<char[]> memory;
  std::vector<gpuopt_stage> made;
  std::unique_ptr<gpuopt_stage[]> stages;
  std::unique_ptr<int64_t[]> offsets;
  std::unique_ptr<gpuopt_gemm_group[]> products;
  Buffers data;
  int32_t op = 0;
  const void *get() const { return memory.get(); }
};

inline int64_t batch(Input &in) {
  if (in.rarely(60)) return in.edge();
  return in.rarely(3) ? in.below(5) : 1;
}

// One, or those of blocks, whichever are then read.
inline void scale(Input &in, Arguments &a, gpuopt_matrix &m, int64_t batches) {
  const bool fp8 = m.dtype == GPUOPT_E4M3 || m.dtype == GPUOPT_E5M2;
  if (fp8 && in.rarely(4)) {
    m.scales.block = static_cast<int32_t>(1 + in.below(3));
    m.scales.layout = static_cast<int32_t>(in.below(2));
  }
  if (m.scales.block != GPUOPT_SCALE_ONE) {
    const int64_t rows = m.scales.block == GPUOPT_SCALE_1X128 ? m.rows : m.rows / 128 + (m.rows % 128 != 0);
    const int64_t cols = m.scales.block == GPUOPT_SCALE_128X1 ? m.cols : m.cols / 128 + (m.cols % 128 != 0);
    gpuopt_matrix s = gpuopt_mat_ld(nullptr, rows, cols, m.scales.ld, GPUOPT_F32);
    s.layout = m.scales.layout;
    if (m.batch_stride == 0) s.batch_stride = 0;
    a.data.place(in, s, batches);
    m.scale = static_cast<const float *>(s.data);
    return;
  }
  if (fp8 ? in.rarely(2) : in.rarely(60)) m.scale = static_cast<const float *>(a.data.scalar(in, scalar(in), false));
}

inline gpuopt_stage stage(Input &in, Arguments &a, int64_t rows, int64_t cols, int64_t batches) {
  const int32_t kind = static_cast<int32_t>(in.rarely(40) ? in.edge() : 1 + in.below(24));
  gpuopt_stage s = gpuopt_act(kind, scalar(in), scalar(in));
  const bool arithmetic = kind >= GPUOPT_STAGE_ADD && kind <= GPUOPT_STAGE_MUL;
  if (arithmetic) s.form = static_cast<int32_t>(in.below(4));
  if (in.rarely(40)) s.form = static_cast<int32_t>(in.edge());
  const bool outer = kind == GPUOPT_STAGE_ADD_OUTER;
  const bool operand = outer || kind >= GPUOPT_STAGE_STORE || (arithmetic && s.form != GPUOPT_SCALAR) || in.rarely(30);
  if (operand) {
    const bool per_row = outer || s.form == GPUOPT_PER_ROW, per_col = !outer && s.form == GPUOPT_PER_COL;
    s.a = matrix(in, per_col ? 1 : rows, per_row ? 1 : cols, dtype(in));
    a.data.place(in, s.a, batches);
    if (kind == GPUOPT_STAGE_STORE) a.data.may_write(s.a, batches);
  }
  if (outer || in.rarely(60)) {
    s.b = matrix(in, 1, cols, dtype(in));
    a.data.place(in, s.b, batches);
  }
  if (in.rarely(60)) s.reserved[in.below(2)] = in.edge();
  return s;
}

inline void stages(Input &in, Arguments &a, int64_t rows, int64_t cols, int64_t batches, const gpuopt_stage **list,
                   int32_t *count) {
  const uint32_t n = in.rarely(20) ? in.below(12) : in.below(4);
  a.stages.reset(new gpuopt_stage[n]);
  for (uint32_t i = 0; i < n; ++i) a.stages[i] = stage(in, a, rows, cols, batches);
  *list = n == 0 || in.rarely(60) ? nullptr : a.stages.get();
  *count = static_cast<int32_t>(n);
  // More stages than there are must be refused by their number alone, before any is read.
  if (in.rarely(60)) *count = in.rarely(2) ? -1 : INT32_MIN;
}

// A row of the table: A, B, C, D and the compute type.
inline const int32_t *gemm_types(Input &in) {
  static const int32_t rows_of_table[][5] = {
#define GPUOPT_X_(A, B, C, D, K) {GPUOPT_##A, GPUOPT_##B, GPUOPT_##C, GPUOPT_##D, GPUOPT_COMPUTE_##K},
      GPUOPT_GEMM_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
  };
  return rows_of_table[in.below(sizeof rows_of_table / sizeof rows_of_table[0])];
}

// alpha and beta by pointer, now and then.
template <class ProductArgs>
void factors(Input &in, Arguments &a, ProductArgs &g) {
  const bool wide = g.compute == GPUOPT_COMPUTE_F64 || g.compute == GPUOPT_COMPUTE_I32 ||
                    (g.compute == GPUOPT_COMPUTE_DEFAULT && (g.a.dtype == GPUOPT_F64 || g.a.dtype == GPUOPT_I8));
  if (in.rarely(6)) g.alpha_ptr = a.data.scalar(in, g.alpha, wide);
  if (in.rarely(6)) g.beta_ptr = a.data.scalar(in, g.beta, wide);
}

inline gpuopt_gemm_args gemm(Input &in, Arguments &a) {
  const int32_t *types = gemm_types(in);
  gpuopt_gemm_args g = GPUOPT_GEMM_ARGS_INIT;
  const int64_t m = extent(in), n = extent(in), k = extent(in);
  g.batch = batch(in);
  g.compute = in.rarely(2) ? types[4] : in.rarely(20) ? static_cast<int32_t>(in.edge()) : GPUOPT_COMPUTE_DEFAULT;
  g.a = matrix(in, m, k, types[0]);
  g.b = matrix(in, k, n, types[1]);
  a.data.place(in, g.a, g.batch);
  a.data.place(in, g.b, g.batch);
  g.d = matrix(in, m, n, types[3]);
  a.data.place(in, g.d, g.batch);
  g.alpha = scalar(in);
  g.beta = in.rarely(2) ? scalar(in) : 0;
  factors(in, a, g);
  if (g.beta != 0 || g.beta_ptr != nullptr || in.rarely(8)) {
    g.c = matrix(in, m, n, types[2]);
    if (in.rarely(2))
      g.c = g.d;
    else
      a.data.place(in, g.c, g.batch);
  }
  for (gpuopt_matrix *x : {&g.a, &g.b, &g.c, &g.d}) scale(in, a, *x, g.batch);
  stages(in, a, g.d.rows, g.d.cols, g.batch, &g.stages, &g.stage_count);
  g.flags = in.rarely(10) ? in.word() : in.below(4);
  a.data.may_write(g.d, g.batch);
  return g;
}

// In place of groups of rows, a list of the host: products that fit, with a number of one bent now and then.
inline void list_of(Input &in, Arguments &a, gpuopt_gemm_grouped_args &g) {
  const int64_t count = g.groups >= 0 ? g.groups : 1;
  a.products.reset(new gpuopt_gemm_group[static_cast<size_t>(count) + 1]());
  const auto within = [&](int64_t most) {
    return most <= 0 || most > 4096 ? most : in.rarely(3) ? in.below(5) % most : most;
  };
  const auto place = [&](const gpuopt_matrix &of_all, int64_t rows, int64_t cols, int64_t *ld) {
    gpuopt_matrix m = gpuopt_mat(nullptr, rows, cols, of_all.dtype);
    m.layout = of_all.layout;
    const int64_t line = m.layout == GPUOPT_ROW ? cols : rows;
    if (in.rarely(3) && line >= 0 && line < 4096) m.ld = line + in.below(9);
    if (in.rarely(120)) m.ld = in.edge();
    a.data.place(in, m, 1);
    *ld = m.ld;
    return m;
  };
  for (int64_t i = 0; i < count; ++i) {
    gpuopt_gemm_group &x = a.products[static_cast<size_t>(i)];
    x.m = in.rarely(80) ? in.edge() : within(g.d.rows);
    x.n = in.rarely(80) ? in.edge() : within(g.d.cols);
    x.k = in.rarely(80) ? in.edge() : within(g.a.cols);
    x.a = place(g.a, x.m, x.k, &x.lda).data;
    x.b = place(g.b, x.k, x.n, &x.ldb).data;
    const gpuopt_matrix d = place(g.d, x.m, x.n, &x.ldd);
    x.d = d.data;
    a.data.may_write(d, 1);
    x.c = x.d;
    x.ldc = x.ldd;
    if (g.c.dtype != 0 && !in.rarely(2)) x.c = place(g.c, x.m, x.n, &x.ldc).data;
    if (in.rarely(80)) x.reserved = in.edge();
  }
  g.host_list = a.products.get();
  if (in.rarely(60)) g.list_align[in.below(4)] = static_cast<int32_t>(in.edge());
}

// Offsets mostly ascend; those in a matrix hold whatever the fuzzer put there, and are clipped.
inline gpuopt_gemm_grouped_args gemm_grouped(Input &in, Arguments &a) {
  const int32_t *types = gemm_types(in);
  gpuopt_gemm_grouped_args g = GPUOPT_GEMM_GROUPED_ARGS_INIT;
  const int64_t rows = extent(in), n = extent(in), k = extent(in);
  g.groups = in.rarely(60) ? in.edge() : in.below(9);
  g.compute = in.rarely(2) ? types[4] : in.rarely(20) ? static_cast<int32_t>(in.edge()) : GPUOPT_COMPUTE_DEFAULT;
  g.a = matrix(in, rows, k, types[0]);
  g.b = matrix(in, k, n, types[1]);
  g.d = matrix(in, rows, n, types[3]);
  const bool list = in.rarely(3) && g.groups < 64;  // more than there are would be read
  if (!list || in.rarely(60)) {
    a.data.place(in, g.a, 1);
    a.data.place(in, g.b, g.groups);
    a.data.place(in, g.d, 1);
  }
  g.alpha = scalar(in);
  g.beta = in.rarely(2) ? scalar(in) : 0;
  factors(in, a, g);
  if (g.beta != 0 || g.beta_ptr != nullptr || in.rarely(8)) {
    g.c = matrix(in, rows, n, types[2]);
    if (list)
      g.c.data = nullptr;
    else if (in.rarely(2))
      g.c = g.d;
    else
      a.data.place(in, g.c, 1);
  }
  for (gpuopt_matrix *x : {&g.a, &g.b, &g.c, &g.d}) scale(in, a, *x, x == &g.b ? g.groups : 1);
  const bool few = g.groups >= 0 && g.groups < 64;
  if (list) {
    if (!in.rarely(20)) g.a.ld = g.b.ld = g.c.ld = g.d.ld = 0;
    list_of(in, a, g);
  } else if (few && !in.rarely(3)) {
    a.offsets.reset(new int64_t[static_cast<size_t>(g.groups) + 1]);
    for (int64_t i = 0; i <= g.groups; ++i) {
      const bool wild = rows <= 0 || rows > 4096 || in.rarely(30);
      a.offsets[i] = i == 0 && !wild ? 0 : wild ? in.edge() : g.groups == 0 ? rows : rows * i / g.groups;
    }
    g.host_offsets = a.offsets.get();
  }
  if (list ? in.rarely(80) : g.host_offsets == nullptr || in.rarely(40)) {
    g.offsets = matrix(in, 1, few ? g.groups + 1 : 1, in.rarely(2) ? GPUOPT_I32 : GPUOPT_I64);
    a.data.place(in, g.offsets, 1);
  }
  stages(in, a, g.d.rows, g.d.cols, few && g.groups > 0 ? g.groups : 1, &g.stages, &g.stage_count);
  g.flags = in.rarely(10) ? in.word() : in.below(4);
  a.data.may_write(g.d, 1);
  return g;
}

inline gpuopt_transpose_args transpose(Input &in, Arguments &a) {
  gpuopt_transpose_args t = GPUOPT_TRANSPOSE_ARGS_INIT;
  const int64_t rows = extent(in), cols = in.rarely(4) ? rows : extent(in);
  t.batch = batch(in);
  const int32_t type = dtype(in);
  t.src = matrix(in, rows, cols, type);
  a.data.place(in, t.src, t.batch);
  t.dst = matrix(in, cols, rows, type);
  if (in.rarely(5))
    t.dst = t.src;
  else
    a.data.place(in, t.dst, t.batch);
  if (in.rarely(10)) t.flags = in.word();
  a.data.may_write(t.dst, t.batch);
  return t;
}

inline gpuopt_reduce_args reduce(Input &in, Arguments &a) {
  gpuopt_reduce_args r = GPUOPT_REDUCE_ARGS_INIT;
  const int64_t rows = extent(in), cols = extent(in);
  r.batch = batch(in);
  r.reduce = static_cast<int32_t>(in.rarely(40) ? in.edge() : 1 + in.below(11));
  r.axis = static_cast<int32_t>(in.rarely(40) ? in.edge() : 1 + in.below(3));
  r.x = matrix(in, rows, cols, dtype(in));
  a.data.place(in, r.x, r.batch);
  if (r.reduce == GPUOPT_REDUCE_DOT || in.rarely(40)) {
    r.y = matrix(in, rows, cols, r.x.dtype);
    a.data.place(in, r.y, r.batch);
  }
  const int64_t out_rows = r.axis == GPUOPT_EACH_ROW ? rows : 1, out_cols = r.axis == GPUOPT_EACH_COL ? cols : 1;
  const bool index = r.reduce == GPUOPT_REDUCE_ARGMIN || r.reduce == GPUOPT_REDUCE_ARGMAX;
  const bool integer = r.x.dtype >= GPUOPT_I8 && r.x.dtype <= GPUOPT_I64;
  const int32_t type = index || (integer && in.rarely(2)) ? GPUOPT_I64 : in.rarely(2) ? r.x.dtype : dtype(in);
  r.out = matrix(in, out_rows, out_cols, type);
  a.data.place(in, r.out, r.batch);
  if (index ? in.rarely(2) : in.rarely(40)) {
    r.value = matrix(in, out_rows, out_cols, r.x.dtype);
    a.data.place(in, r.value, r.batch);
  }
  r.flags = in.rarely(10) ? in.word() : in.below(8);
  a.data.may_write(r.out, r.batch);
  a.data.may_write(r.value, r.batch);
  return r;
}

inline gpuopt_fused_act_args fused_act(Input &in, Arguments &a) {
  gpuopt_fused_act_args f = GPUOPT_FUSED_ACT_ARGS_INIT;
  const int64_t rows = extent(in), cols = extent(in);
  f.batch = batch(in);
  f.x = matrix(in, rows, cols, dtype(in));
  a.data.place(in, f.x, f.batch);
  f.out = matrix(in, rows, cols, in.rarely(2) ? f.x.dtype : dtype(in));
  if (in.rarely(4))
    f.out.data = f.x.data, f.out = f.x;
  else
    a.data.place(in, f.out, f.batch);
  stages(in, a, rows, cols, f.batch, &f.stages, &f.stage_count);
  if (in.rarely(10)) f.flags = in.word();
  if (in.rarely(60)) f.reserved0 = in.byte();
  a.data.may_write(f.out, f.batch);
  return f;
}

inline gpuopt_norm_args norm(Input &in, Arguments &a) {
  gpuopt_norm_args n = GPUOPT_NORM_ARGS_INIT;
  const int64_t rows = extent(in), cols = extent(in);
  n.batch = batch(in);
  n.norm = static_cast<int32_t>(in.rarely(40) ? in.edge() : 1 + in.below(4));
  const auto place = [&](gpuopt_matrix &m, int64_t r, int64_t c, int32_t type) {
    m = matrix(in, r, c, type);
    a.data.place(in, m, n.batch);
  };
  const auto type = [&] { return in.rarely(3) ? dtype(in) : static_cast<int32_t>(1 + in.below(4)); };
  place(n.x, rows, cols, type());
  if (in.rarely(3)) place(n.residual, rows, cols, type());
  if (in.rarely(4)) {
    place(n.sum, rows, cols, type());
    a.data.may_write(n.sum, n.batch);
  }
  if (n.norm < 3 ? in.rarely(2) : in.rarely(40)) place(n.gamma, 1, cols, dtype(in));
  if (n.norm < 3 ? in.rarely(2) : in.rarely(40)) place(n.beta, 1, cols, dtype(in));
  if (in.rarely(4)) {
    place(n.statistics, rows, 2, in.rarely(4) ? dtype(in) : GPUOPT_F32);
    a.data.may_write(n.statistics, n.batch);
  }
  if (in.rarely(4))
    n.out = n.x;
  else
    place(n.out, rows, cols, in.rarely(2) ? n.x.dtype : type());
  if (in.rarely(6)) n.eps = scalar(in);
  stages(in, a, rows, cols, n.batch, &n.stages, &n.stage_count);
  if (in.rarely(10)) n.flags = in.word();
  if (in.rarely(60)) n.reserved0 = in.byte();
  a.data.may_write(n.out, n.batch);
  return n;
}

// Puts args into memory of exactly the size that its struct_size states: too small, exact, or with a tail.
template <class Args>
void seal(Input &in, Arguments &a, Args args) {
  a.op = args.op;
  size_t size = sizeof args;
  bool dirty = false;
  if (in.rarely(30)) {
    size = in.rarely(2) ? in.below(sizeof args) : sizeof args + in.below(40);
    dirty = in.rarely(2);
    args.struct_size = size;
  }
  if (in.rarely(60)) args.op = static_cast<int32_t>(in.edge());
  const size_t readable = size > sizeof(gpuopt_args) ? size : sizeof(gpuopt_args);
  a.memory.reset(new char[readable]());
  std::memcpy(a.memory.get(), &args, readable < sizeof args ? readable : sizeof args);
  if (dirty && readable > sizeof args) a.memory[readable - 1] = 1;
}

inline void arguments_of(Input &in, Arguments &a) {
  switch (in.below(6)) {
    case 0:
      return seal(in, a, gemm(in, a));
    case 5:
      return seal(in, a, gemm_grouped(in, a));
    case 1:
      return seal(in, a, transpose(in, a));
    case 2:
      return seal(in, a, reduce(in, a));
    case 3:
      return seal(in, a, norm(in, a));
    default:
      return seal(in, a, fused_act(in, a));
  }
}

}  // namespace fuzz
