#include "problem.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

#include "gpuopt_call/run_args.h"
#include "hard_rows.h"
#include "values.h"

namespace gpuopt_check {
namespace {

gpuopt_matrix matrix_of(const Tensor &t, uint8_t *base) {
  gpuopt_matrix m = GPUOPT_MATRIX_INIT;
  if (!t.present()) return m;
  m.data = base + t.pos;
  m.rows = t.rows;
  m.cols = t.cols;
  m.ld = t.state_ld ? t.ld : 0;
  m.batch_stride = t.state_stride ? t.stride : GPUOPT_PACKED;
  m.dtype = t.dtype;
  m.layout = t.layout;
  if (t.scale_pos >= 0) m.scale = reinterpret_cast<const float *>(base + t.scale_pos);
  if (t.block) m.scales = {t.block, t.scale_layout, t.state_scale_ld ? t.scale_ld : 0};
  return m;
}

void transpose_tensor(Tensor *t) {
  std::swap(t->rows, t->cols);
  t->layout = t->layout == GPUOPT_ROW ? GPUOPT_COL : GPUOPT_ROW;
  if (t->block == 0) return;
  t->scale_layout = t->scale_layout == GPUOPT_ROW ? GPUOPT_COL : GPUOPT_ROW;
  if (t->block != GPUOPT_SCALE_128X128)
    t->block = t->block == GPUOPT_SCALE_1X128 ? GPUOPT_SCALE_128X1 : GPUOPT_SCALE_1X128;
}

std::string tensor_text(const char *name, const Tensor &t, int64_t batch) {
  char text[160];
  const int64_t line = t.layout == GPUOPT_ROW ? t.cols : t.rows;
  int n = std::snprintf(text, sizeof text, " %s=%s:%lldx%lld:%s", name, gpuopt_dtype_name(t.dtype),
                        static_cast<long long>(t.rows), static_cast<long long>(t.cols),
                        t.layout == GPUOPT_ROW ? "row" : "col");
  std::string s(text, size_t(n));
  if (t.ld != line) s += ":ld" + std::to_string(t.ld);
  if (batch > 1) s += t.stride == 0 ? ":shared" : ":stride" + std::to_string(t.stride);
  const int64_t off = t.pos % 256;
  if (off) s += ":base+" + std::to_string(off);
  static const char *const blocks[] = {"", "1x128", "128x1", "128x128"};
  if (t.scale_pos >= 0) s += std::string(":scaled") + blocks[t.block];
  if (t.block) s += (t.scale_layout == GPUOPT_ROW ? ":row" : ":col") + std::to_string(t.scale_ld);
  return s;
}

std::string stage_text(const Stage &s, int64_t batch) {
  static const char *const forms[] = {"scalar", "per_row", "per_col", "matrix"};
  std::string text = std::string(" ") + gpuopt_stage_name(s.kind);
  if (s.kind == GPUOPT_STAGE_ADD || s.kind == GPUOPT_STAGE_SUB || s.kind == GPUOPT_STAGE_MUL)
    text += std::string(":") + forms[s.form];
  if (s.value[0] != 0 || s.value[1] != 0) {
    char v[64];
    std::snprintf(v, sizeof v, "(%g,%g)", s.value[0], s.value[1]);
    text += v;
  }
  if (s.a.present()) text += tensor_text("a", s.a, batch);
  if (s.b.present()) text += tensor_text("b", s.b, batch);
  return text;
}

// alpha and beta of a product.
template <class ProductArgs>
void take_product(const Problem &p, uint8_t *base, ProductArgs *args) {
  args->compute = p.compute;
  args->a = matrix_of(p.t[0], base);
  args->b = matrix_of(p.t[1], base);
  args->c = matrix_of(p.t[2], base);
  args->d = matrix_of(p.t[3], base);
  args->alpha = p.alpha;
  args->beta = p.beta;
  if (p.alpha_pos >= 0) {  // the pointer wins over the value
    args->alpha = 1234.5;
    args->alpha_ptr = base + p.alpha_pos;
  }
  if (p.beta_pos >= 0) {
    args->beta = 1234.5;
    args->beta_ptr = base + p.beta_pos;
  }
}

bool holds_64_bits(gpuopt_dtype t) { return t == GPUOPT_F64 || t == GPUOPT_I32; }

}  // namespace

void Problem::make_image(int64_t bytes) {
  image.resize(static_cast<size_t>(bytes));
  // The pattern repeats after 256 bytes, and images are large.
  constexpr size_t kPeriod = 256;
  uint8_t *const to = image.data();
  for (size_t i = 0; i < std::min(image.size(), kPeriod); ++i) to[i] = static_cast<uint8_t>(0xa5 ^ (i * 29));
  for (size_t done = kPeriod; done < image.size(); done *= 2)
    std::memcpy(to + done, to, std::min(done, image.size() - done));
}

const char *operand_name(int32_t op, int operand) {
  static const char *const names[GPUOPT_OP_COUNT_][kOperands] = {
      {"", "", "", "", "", "", ""},
      {"a", "b", "c", "d", "", "", ""},
      {"src", "dst", "", "", "", "", ""},
      {"x", "y", "out", "value", "", "", ""},
      {"x", "", "out", "", "", "", ""},
      {"x", "residual", "out", "sum", "gamma", "beta", "statistics"},
      {"a", "b", "c", "d", "offsets", "list", ""}};
  return names[op][operand];
}

int64_t Problem::rows() const { return is_product(op) ? t[GPUOPT_OPERAND_D].rows : t[0].rows; }
int64_t Problem::cols() const { return is_product(op) ? t[GPUOPT_OPERAND_D].cols : t[0].cols; }

double Problem::decoded(const Tensor &v, int64_t p, int64_t i, int64_t j) const {
  return decode(v.dtype, image.data() + v.at(p, i, j));
}

double Problem::scaled(const Tensor &v, int64_t p, int64_t i, int64_t j) const {
  const double x = decoded(v, p, i, j);
  return v.block ? x * decode(GPUOPT_F32, image.data() + v.scale_at(p, i, j)) : x;
}

std::string Problem::text() const {
  static const char *const axes[] = {"", "each_row", "each_col", "all"};
  std::string s = gpuopt_op_name(op);
  if (is_product(op)) s += std::string(" ") + gpuopt_compute_name(gemm_compute(*this));
  if (op == GPUOPT_OP_REDUCE) s += std::string(" ") + gpuopt_reduce_name(variant) + " " + axes[axis];
  if (op == GPUOPT_OP_NORM) s += std::string(" ") + gpuopt_norm_name(variant);
  for (int k = 0; k < kOperands; ++k)
    if (t[k].present()) s += tensor_text(operand_name(op, k), t[k], batch);
  if (is_product(op)) {
    char ab[96];
    std::snprintf(ab, sizeof ab, " alpha=%g%s beta=%g%s", alpha, alpha_pos >= 0 ? "*" : "", beta,
                  beta_pos >= 0 ? "*" : "");
    s += ab;
    if (t[GPUOPT_OPERAND_C].present() && t[GPUOPT_OPERAND_C].pos == t[GPUOPT_OPERAND_D].pos) s += " d=c";
  } else if (op == GPUOPT_OP_TRANSPOSE ? t[0].pos == t[1].pos
                                       : (op == GPUOPT_OP_FUSED_ACT || op == GPUOPT_OP_NORM) && t[0].pos == t[2].pos) {
    s += " in place";
  }
  if (list != List::none) {
    s += list == List::host ? " host list" : " list";
    for (size_t i = 0; i < shapes.size() && i < 12; ++i)
      s += " " + std::to_string(shapes[i].m) + "x" + std::to_string(shapes[i].n) + "x" + std::to_string(shapes[i].k);
  } else if (op == GPUOPT_OP_GEMM_GROUPED) {
    s += t[GPUOPT_OPERAND_OFFSETS].present() ? " groups at" : " host groups at";
    for (size_t i = 0; i < offsets.size() && i < 12; ++i) s += " " + std::to_string(offsets[i]);
  }
  if (batch != 1) s += " batch=" + std::to_string(batch);
  for (const Stage &stage : stages) s += stage_text(stage, batch);
  if (flags) s += " flags=" + std::to_string(flags);
  if (hard_rows) s += " values=" + hard_rows_text(hard_rows);
  return s;
}

void transpose_problem(Problem *p) {
  for_each_tensor(*p, [p](Tensor &t) {
    if (&t != &p->t[GPUOPT_OPERAND_LIST] || p->list == List::none) transpose_tensor(&t);
  });
  if (is_product(p->op)) std::swap(p->t[GPUOPT_OPERAND_A], p->t[GPUOPT_OPERAND_B]);
  for (ProductShape &shape : p->shapes) std::swap(shape.m, shape.n);
  std::swap(p->list_align[GPUOPT_OPERAND_A], p->list_align[GPUOPT_OPERAND_B]);
  if (p->axis == GPUOPT_EACH_ROW || p->axis == GPUOPT_EACH_COL)
    p->axis = p->axis == GPUOPT_EACH_ROW ? GPUOPT_EACH_COL : GPUOPT_EACH_ROW;
  for (Stage &s : p->stages) {
    if (s.kind == GPUOPT_STAGE_ADD_OUTER)
      std::swap(s.a, s.b);
    else if (s.form == GPUOPT_PER_ROW || s.form == GPUOPT_PER_COL)
      s.form = s.form == GPUOPT_PER_ROW ? GPUOPT_PER_COL : GPUOPT_PER_ROW;
  }
}

// What is said of a, b, c and d together, and of each product.
void Args::take_list(const Problem &p, uint8_t *base) {
  gpuopt_gemm_grouped_args &g = call_.gemm_grouped;
  const auto at = [&](int operand, int64_t i) -> void * {
    const Tensor &t = p.t[operand];
    return t.present() ? base + t.at(i, 0, 0) : nullptr;
  };
  for (int64_t i = 0; i < p.batch; ++i) {
    const ProductShape &s = p.shapes[size_t(i)];
    products_.push_back(
        {at(0, i), at(1, i), at(2, i), at(3, i), s.m, s.n, s.k, p.t[0].ld, p.t[1].ld, p.t[2].ld, p.t[3].ld, 0});
  }
  static const gpuopt_gemm_group kNone = {};
  for (gpuopt_matrix *m : {&g.a, &g.b, &g.c, &g.d}) {
    m->data = nullptr;
    m->ld = 0;
  }
  if (p.list == List::host) {
    g.host_list = products_.empty() ? &kNone : products_.data();
  } else {
    g.list = reinterpret_cast<const gpuopt_gemm_group *>(base + p.t[GPUOPT_OPERAND_LIST].pos);
    std::copy_n(p.list_align, 4, g.list_align);
  }
}

Args::Args(const Problem &p, void *memory) : call_(p.op) {
  uint8_t *base = static_cast<uint8_t *>(memory);
  for (const Stage &s : p.stages) {
    gpuopt_stage stage = gpuopt_act(s.kind, s.value[0], s.value[1]);
    stage.form = s.form;
    stage.a = matrix_of(s.a, base);
    stage.b = matrix_of(s.b, base);
    call_.stages.push_back(stage);
  }
  const auto at = [&](int operand) { return matrix_of(p.t[operand], base); };
  call_.batch() = p.batch;
  call_.flags() = p.flags;
  switch (p.op) {
    case GPUOPT_OP_GEMM:
      take_product(p, base, &call_.gemm);
      break;
    case GPUOPT_OP_GEMM_GROUPED:
      take_product(p, base, &call_.gemm_grouped);
      call_.gemm_grouped.offsets = at(GPUOPT_OPERAND_OFFSETS);
      if (p.list != List::none)
        take_list(p, base);
      else if (!p.t[GPUOPT_OPERAND_OFFSETS].present())
        call_.host_offsets = p.offsets;
      break;
    case GPUOPT_OP_TRANSPOSE:
      call_.transpose.src = at(0);
      call_.transpose.dst = at(1);
      break;
    case GPUOPT_OP_REDUCE:
      call_.reduce.reduce = p.variant;
      call_.reduce.axis = p.axis;
      call_.reduce.x = at(0);
      call_.reduce.y = at(1);
      call_.reduce.out = at(2);
      call_.reduce.value = at(3);
      break;
    case GPUOPT_OP_NORM:
      call_.norm.norm = p.variant;
      call_.norm.x = at(0);
      call_.norm.residual = at(1);
      call_.norm.out = at(2);
      call_.norm.sum = at(3);
      call_.norm.gamma = at(GPUOPT_OPERAND_GAMMA);
      call_.norm.beta = at(GPUOPT_OPERAND_BETA);
      call_.norm.statistics = at(GPUOPT_OPERAND_STATISTICS);
      call_.norm.eps = p.eps;
      break;
    default:
      call_.fused_act.x = at(0);
      call_.fused_act.out = at(2);
  }
  args_ = call_.args();
}

gpuopt_status Args::run(gpuopt_handle *h) const { return gpuopt_call::run_args(h, get()); }

int32_t gemm_compute(const Problem &p) {
  if (p.compute != GPUOPT_COMPUTE_DEFAULT) return p.compute;
  const gpuopt_dtype a = p.t[0].dtype, b = p.t[1].dtype, c = p.t[2].dtype, d = p.t[3].dtype;
#define GPUOPT_X_(A, B, C, D, compute)                                                      \
  if (a == GPUOPT_##A && b == GPUOPT_##B && (c == GPUOPT_##C || c == 0) && d == GPUOPT_##D) \
    return GPUOPT_COMPUTE_##compute;
  GPUOPT_GEMM_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
  return GPUOPT_COMPUTE_DEFAULT;
}

int32_t chain_compute(const Problem &p) {
  bool wide = false;
  if (is_product(p.op)) {
    const int32_t compute = gemm_compute(p);
    wide = compute == GPUOPT_COMPUTE_F64 || compute == GPUOPT_COMPUTE_I32;
  } else if (p.op == GPUOPT_OP_FUSED_ACT) {
    wide = holds_64_bits(p.t[GPUOPT_OPERAND_X].dtype) || holds_64_bits(p.t[GPUOPT_OPERAND_OUT].dtype);
  } else if (p.op == GPUOPT_OP_NORM) {
    for (int k = 0; k < 3; ++k) wide = wide || p.t[k].dtype == GPUOPT_F64;
  } else {
    wide = p.t[0].dtype == GPUOPT_F64;
  }
  return wide ? GPUOPT_COMPUTE_F64 : GPUOPT_COMPUTE_F32;
}

}  // namespace gpuopt_check
