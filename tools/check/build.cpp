// build_problem: from a spec to a problem with its memory image.
#include <algorithm>
#include <cmath>

#include "spec.h"
#include "values.h"

namespace gpuopt_check {
namespace {

constexpr int64_t kGuard = 256, kBoundary = 256;

int64_t rounded_up(int64_t x, int64_t multiple) { return (x + multiple - 1) / multiple * multiple; }

// Places tensors one behind the other in the image, a guard band before, between and behind.
class Layouter {
 public:
  explicit Layouter(const Spec &spec) : spec_(spec) {}

  Tensor place(gpuopt_dtype type, int64_t rows, int64_t cols, const Placement &where, bool output, int64_t align,
               int64_t ld_align) {
    Tensor t;
    t.dtype = type;
    t.layout = where.layout;
    t.rows = rows;
    t.cols = cols;
    t.output = output;
    const int64_t line = t.layout == GPUOPT_ROW ? cols : rows, lines = t.layout == GPUOPT_ROW ? rows : cols;
    const int64_t step = std::max<int64_t>(1, ld_align / t.size());
    t.ld = rounded_up(std::max<int64_t>(line + where.pad, 1), step);
    t.stride = rounded_up(t.ld * lines + where.gap, step);
    t.state_ld = t.ld != line || where.state_defaults;
    t.state_stride = t.stride != t.ld * lines || where.state_defaults;
    const int64_t matrices = where.shared ? 1 : std::max<int64_t>(spec_.batch, 1);
    const int64_t bytes = ((matrices - 1) * t.stride + t.ld * lines) * t.size();
    if (where.shared) {
      t.stride = 0;
      t.state_stride = true;
    }
    t.pos = rounded_up(end_ + kGuard, kBoundary) +
            rounded_up(where.offset, std::max<int64_t>(1, align / t.size())) * t.size();
    end_ = t.pos + bytes;
    return t;
  }
  Tensor operand(int index, int64_t rows, int64_t cols, bool output) {
    return place(spec_.row.dtype[index], rows, cols, spec_.place[index], output, spec_.align[index],
                 spec_.ld_align[index]);
  }
  int64_t scalar() {
    const int64_t pos = rounded_up(end_ + kGuard, kBoundary);
    end_ = pos + 8;
    return pos;
  }
  int64_t floats(int64_t count) {
    const int64_t pos = scalar();
    end_ = pos + 4 * std::max<int64_t>(count, 1);
    return pos;
  }
  int64_t total() const { return rounded_up(end_ + kGuard, kBoundary); }

 private:
  const Spec &spec_;
  int64_t end_ = 0;
};

template <class Function>
void for_each_element(const Tensor &t, int64_t batch, Function &&fn) {
  const int64_t matrices = t.stride == 0 ? std::min<int64_t>(batch, 1) : batch;
  for (int64_t p = 0; p < matrices; ++p)
    for (int64_t i = 0; i < t.rows; ++i)
      for (int64_t j = 0; j < t.cols; ++j) fn(p, i, j);
}

int64_t random_integer(const Problem &p, const Spec &s, gpuopt_dtype type, Rng &rng) {
  if (s.values == Values::ties) return rng.between(type == GPUOPT_U8 ? 0 : -3, 3);
  if (type == GPUOPT_I8) return rng.between(-128, 127);
  if (type == GPUOPT_U8) return rng.between(0, 255);
  if (is_product(p.op)) return rng.between(-1000000, 1000000);
  if (p.op == GPUOPT_OP_FUSED_ACT || p.op == GPUOPT_OP_NORM)
    return rng.chance(0.1) ? rng.between(INT32_MIN, INT32_MAX) : int64_t(rng.normal() * 100);
  // Sums wrap, which is exact; what is turned into a float at the end must not, but where hard_rows.h makes it.
  if (p.variant == GPUOPT_REDUCE_NRM2) return rng.between(-(1 << 20), 1 << 20);
  if (type == GPUOPT_I32) return rng.between(INT32_MIN, INT32_MAX);
  if (p.variant == GPUOPT_REDUCE_MEAN) return rng.between(-(int64_t(1) << 40), int64_t(1) << 40);
  return int64_t(rng.bits()) >> 1;
}

// Ascending, of which some are equal; the first and the last leave rows to no group now and then.
std::vector<int64_t> random_offsets(int64_t groups, int64_t rows, Rng rng) {
  std::vector<int64_t> offsets;
  for (int64_t i = 0; i <= groups; ++i)
    offsets.push_back(i > 0 && rng.chance(0.2) ? offsets.back() : rng.between(0, rows));
  std::sort(offsets.begin(), offsets.end());
  if (groups > 0 && rng.chance(0.7)) offsets.front() = 0;
  if (groups > 0 && rng.chance(0.7)) offsets.back() = rows;
  return offsets;
}

// Of any size up to the greatest, some of them empty.
std::vector<ProductShape> random_shapes(int64_t count, const int64_t (&most)[3], Rng rng) {
  const auto extent = [&](int64_t greatest) {
    return rng.chance(0.3) ? greatest : rng.chance(0.05) ? 0 : rng.between(std::min<int64_t>(greatest, 1), greatest);
  };
  std::vector<ProductShape> shapes;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t m = extent(most[0]), n = extent(most[1]), k = extent(most[2]);
    shapes.push_back({m, n, k});
  }
  return shapes;
}

// What every matrix of a list and every line of it begins on.
int32_t alignment_of(const Tensor &t, int64_t products) {
  auto bits = static_cast<uint64_t>(t.ld * t.size()) | 256;
  for (int64_t i = 0; i < std::max<int64_t>(products, 1); ++i) bits |= static_cast<uint64_t>(t.at(i, 0, 0));
  return static_cast<int32_t>(bits & (~bits + 1));
}

void fill(Problem *p, const Spec &s, const Tensor &t, Rng &rng) {
  if (p->list != List::none && &t == &p->t[GPUOPT_OPERAND_LIST]) return;  // addresses are not known yet
  if (p->op == GPUOPT_OP_GEMM_GROUPED && &t == &p->t[GPUOPT_OPERAND_OFFSETS]) {
    for (int64_t i = 0; i < t.cols; ++i)
      encode_integer(t.dtype, p->offsets[size_t(i)], p->image.data() + t.at(0, 0, i));
    return;
  }
  const double unit = t.dtype == GPUOPT_F32 || t.dtype == GPUOPT_F64 || t.dtype == GPUOPT_BF16
                          ? rng.pick({1.0, 1.0, 1.0, 1.0, 0.01, 100.0})
                          : 1;
  uint8_t *image = p->image.data();
  if (s.hard_rows && (&t == &p->t[GPUOPT_OPERAND_X] || &t == &p->t[GPUOPT_OPERAND_RESIDUAL])) {
    HardValues values(s.hard_rows, t.dtype, &rng);
    const bool zero = &t == &p->t[GPUOPT_OPERAND_RESIDUAL];  // else its rounding would cover the kernel's
    for_each_element(t, p->batch, [&](int64_t m, int64_t i, int64_t j) {
      uint8_t *e = image + t.at(m, i, j);
      if (j == 0) values.start_row();
      if (is_integer(t.dtype))
        encode_integer(t.dtype, values.integer(), e);
      else
        encode(t.dtype, zero ? 0 : values.number(), e);
    });
    return;
  }
  for_each_element(t, p->batch, [&](int64_t m, int64_t i, int64_t j) {
    uint8_t *e = image + t.at(m, i, j);
    if (t.dtype == GPUOPT_B128 || (p->op == GPUOPT_OP_TRANSPOSE)) {
      for (int64_t b = 0; b < t.size(); ++b) e[b] = uint8_t(rng.bits());
    } else if (is_integer(t.dtype)) {
      encode_integer(t.dtype, random_integer(*p, s, t.dtype, rng), e);
    } else {
      const double z = rng.normal();
      const double x = s.values == Values::ties       ? std::nearbyint(2 * z) / 2
                       : s.values == Values::near_one ? (1 + 0.05 * z) * (rng.chance(0.2) ? -1 : 1)
                                                      : z * unit;
      encode(t.dtype, x, e);
    }
  });
}

void sprinkle_specials(Problem *p, const Tensor &t, Rng &rng) {
  if (!is_float(t.dtype) || t.rows == 0 || t.cols == 0 || p->batch == 0) return;
  for (int64_t n = rng.between(0, 2); n > 0; --n) {
    const int64_t m = t.stride == 0 ? 0 : rng.between(0, p->batch - 1);
    const double special =
        has_infinity(t.dtype) && rng.chance(0.6) ? std::copysign(HUGE_VAL, rng.normal()) : std::nan("");
    uint8_t *e = p->image.data() + t.at(m, rng.between(0, t.rows - 1), rng.between(0, t.cols - 1));
    if (t.dtype == GPUOPT_E5M2 && std::isinf(special))
      *e = special > 0 ? 0x7c : 0xfc;  // rounding would saturate
    else
      encode(t.dtype, special, e);
  }
}

// NaN for floats, an unlikely number for integers.
void poison(Problem *p, const Tensor &t) {
  for_each_element(t, p->batch, [&](int64_t m, int64_t i, int64_t j) {
    uint8_t *e = p->image.data() + t.at(m, i, j);
    std::fill(e, e + t.size(), uint8_t(is_float(t.dtype) ? 0xff : 0x5b));
  });
}

bool integer_result(const Problem &p) {
  bool any = false;
  for_each_tensor(p, [&](const Tensor &t) { any = any || (t.output && is_integer(t.dtype)); });
  return any;
}

void lay_out_gemm(const Spec &s, Layouter *l, Problem *p) {
  const int64_t m = s.extent[0], n = s.extent[1], k = s.extent[2];
  p->t[0] = l->operand(0, m, k, false);
  p->t[1] = l->operand(1, k, n, false);
  p->t[3] = l->operand(3, m, n, true);
  if (s.in_place) {
    p->t[2] = p->t[3];
    p->t[2].output = false;
  } else if (s.beta != 0 || s.beta_pointer || s.garbage_c) {
    p->t[2] = l->operand(2, m, n, false);
  }
  const int offsets = GPUOPT_OPERAND_OFFSETS;
  if (s.extra[offsets])
    p->t[offsets] = l->place(s.extra[offsets], 1, s.batch + 1, s.place[offsets], false, s.align[offsets], 1);
  if (s.list == List::device) {
    Placement where;
    where.shared = true;
    p->t[GPUOPT_OPERAND_LIST] =
        l->place(GPUOPT_I64, 1, s.batch * int64_t(sizeof(gpuopt_gemm_group) / 8), where, false, 8, 1);
  }
  for (int i : {0, 1, 3})
    if (s.scaled[i]) p->t[i].scale_pos = l->scalar();
  for (int i : {0, 1}) {
    if (s.blocks[i].block == 0) continue;
    Tensor &t = p->t[i];
    t.block = s.blocks[i].block;
    t.scale_layout = s.blocks[i].layout;
    const int64_t packed = std::max<int64_t>(t.scale_layout == GPUOPT_ROW ? t.scale_cols() : t.scale_rows(), 1);
    t.scale_ld = packed + s.blocks[i].pad;
    t.state_scale_ld = t.scale_ld != packed || s.place[i].state_defaults;
    t.scale_pos = l->floats(t.scale_count(std::max<int64_t>(s.batch, 1)));
  }
  if (s.alpha_pointer) p->alpha_pos = l->scalar();
  if (s.beta_pointer) p->beta_pos = l->scalar();
}

void lay_out_others(const Spec &s, Layouter *l, Problem *p) {
  const int64_t r = s.extent[0], c = s.op == GPUOPT_OP_TRANSPOSE && s.in_place ? s.extent[0] : s.extent[1];
  p->t[0] = l->operand(0, r, c, false);
  if (s.op == GPUOPT_OP_TRANSPOSE) {
    if (s.in_place)
      p->t[1] = p->t[0];
    else if (s.copy)
      p->t[1] = l->operand(1, r, c, true);
    else
      p->t[1] = l->operand(1, c, r, true);
    p->t[1].output = true;
    if (s.copy) {  // a row-major r x c is a column-major c x r
      std::swap(p->t[1].rows, p->t[1].cols);
      p->t[1].layout = GPUOPT_COL;
    }
  } else if (s.op == GPUOPT_OP_REDUCE) {
    if (s.row.dtype[1]) p->t[1] = l->operand(1, r, c, false);
    const int64_t rows = s.axis == GPUOPT_EACH_ROW ? r : 1, cols = s.axis == GPUOPT_EACH_COL ? c : 1;
    p->t[2] = l->operand(2, rows, cols, true);
    if (s.value_out) p->t[3] = l->operand(3, rows, cols, true);
  } else if (s.in_place) {
    p->t[2] = l->operand(2, r, c, true);
    p->t[0] = p->t[2];
    p->t[0].dtype = s.row.dtype[0];
    p->t[0].output = false;
  } else {
    p->t[2] = l->operand(2, r, c, true);
  }
}

// The residual and the sum exist where the row has types for them.
void lay_out_norm(const Spec &s, Layouter *l, Problem *p) {
  const int64_t r = s.extent[0], c = s.extent[1];
  p->eps = s.eps;
  p->t[GPUOPT_OPERAND_X] = l->operand(GPUOPT_OPERAND_X, r, c, s.in_place);
  p->t[GPUOPT_OPERAND_X].output = false;
  if (s.row.dtype[GPUOPT_OPERAND_RESIDUAL])
    p->t[GPUOPT_OPERAND_RESIDUAL] = l->operand(GPUOPT_OPERAND_RESIDUAL, r, c, false);
  if (s.in_place) {
    p->t[GPUOPT_OPERAND_OUT] = p->t[GPUOPT_OPERAND_X];
    p->t[GPUOPT_OPERAND_OUT].dtype = s.row.dtype[GPUOPT_OPERAND_OUT];
    p->t[GPUOPT_OPERAND_OUT].output = true;
  } else {
    p->t[GPUOPT_OPERAND_OUT] = l->operand(GPUOPT_OPERAND_OUT, r, c, true);
  }
  if (s.row.dtype[GPUOPT_OPERAND_SUM]) p->t[GPUOPT_OPERAND_SUM] = l->operand(GPUOPT_OPERAND_SUM, r, c, true);
  for (int k : {GPUOPT_OPERAND_GAMMA, GPUOPT_OPERAND_BETA})
    if (s.extra[k]) p->t[k] = l->place(s.extra[k], 1, c, s.place[k], false, s.align[k], 1);
  const int k = GPUOPT_OPERAND_STATISTICS;
  if (s.extra[k]) p->t[k] = l->place(s.extra[k], r, 2, s.place[k], true, s.align[k], 1);
}

void lay_out_stages(const Spec &s, Layouter *l, Problem *p) {
  const int64_t rows = p->rows(), cols = p->cols();
  for (const StageSpec &in : s.stages) {
    Stage stage;
    stage.kind = in.kind;
    stage.form = in.form;
    stage.value[0] = in.value[0];
    stage.value[1] = in.value[1];
    const bool outer = in.kind == GPUOPT_STAGE_ADD_OUTER;
    if (in.type_a && in.reads_out) {
      stage.a = p->t[GPUOPT_OPERAND_OUT];
      stage.a.output = false;
    } else if (in.type_a) {
      stage.a = l->place(in.type_a, in.form == GPUOPT_PER_COL ? 1 : rows, outer || in.form == GPUOPT_PER_ROW ? 1 : cols,
                         in.a, in.kind == GPUOPT_STAGE_STORE, 1, 1);
    }
    if (in.type_b) stage.b = l->place(in.type_b, 1, cols, in.b, false, 1, 1);
    p->stages.push_back(stage);
  }
}

void write_scalars(const Spec &s, Problem *p, Rng &rng) {
  p->alpha = s.alpha;
  p->beta = s.beta;
  uint8_t *image = p->image.data();
  const bool wide = s.row.compute == GPUOPT_COMPUTE_F64 || s.row.compute == GPUOPT_COMPUTE_I32;
  const gpuopt_dtype type = wide ? GPUOPT_F64 : GPUOPT_F32;
  if (p->alpha_pos >= 0) encode(type, p->alpha = round_to(type, s.alpha), image + p->alpha_pos);
  if (p->beta_pos >= 0) encode(type, p->beta = round_to(type, s.beta), image + p->beta_pos);
  for (Tensor &t : p->t)
    if (t.block) {  // what lies between lines of them is never read
      const int64_t count = t.scale_count(p->batch);
      for (int64_t i = 0; i < count; ++i) encode(GPUOPT_F32, std::nan(""), image + t.scale_pos + 4 * i);
      const int64_t matrices = t.stride == 0 ? std::min<int64_t>(p->batch, 1) : p->batch;
      for (int64_t m = 0; m < matrices; ++m)
        for (int64_t r = 0; r < t.scale_rows(); ++r)
          for (int64_t c = 0; c < t.scale_cols(); ++c)
            encode(GPUOPT_F32, std::exp(rng.normal()),
                   image + t.scale_at(m, t.block == GPUOPT_SCALE_1X128 ? r : 128 * r,
                                      t.block == GPUOPT_SCALE_128X1 ? c : 128 * c));
    } else if (t.scale_pos >= 0) {
      t.scale = round_to(GPUOPT_F32, std::exp(rng.normal()));
      encode(GPUOPT_F32, t.scale, image + t.scale_pos);
    }
}

void fill_all(const Spec &s, Problem *problem, Rng &rng) {
  Problem &p = *problem;
  for_each_tensor(p, [&](const Tensor &t) {
    if (t.output) poison(&p, t);
  });
  const bool reads_c = s.beta != 0 || s.beta_pointer;
  const bool zero_alpha = is_product(p.op) && p.alpha == 0;  // whether A and B are then read is not said
  const bool specials =
      s.specials && !integer_result(p) && (p.op != GPUOPT_OP_REDUCE || p.variant != GPUOPT_REDUCE_PROD);
  for_each_tensor(p, [&](const Tensor &t) {
    if (t.output) return;
    const bool is_c = is_product(p.op) && &t == &p.t[2];
    if (is_c && !reads_c) return poison(&p, t);
    fill(&p, s, t, rng);
    if (specials && p.op != GPUOPT_OP_TRANSPOSE && !zero_alpha && !(is_c && p.beta == 0)) sprinkle_specials(&p, t, rng);
  });
}

}  // namespace

Problem build_problem(const Spec &given, uint64_t seed, bool with_values) {
  Spec s = given;
  Rng rng(seed);
  Problem p;
  p.seed = seed;
  p.op = s.op;
  p.compute = is_product(s.op) ? s.row.compute : 0;
  p.variant = s.row.variant;
  p.axis = s.axis;
  p.flags = s.flags;
  p.batch = s.batch;
  p.hard_rows = s.hard_rows;
  p.mean_by_spread = s.mean_by_spread;
  if (s.op == GPUOPT_OP_GEMM || s.list != List::none)
    s.place[3].layout = GPUOPT_ROW;
  else if (s.op != GPUOPT_OP_FUSED_ACT && s.op != GPUOPT_OP_NORM && s.op != GPUOPT_OP_GEMM_GROUPED)
    s.place[0].layout = GPUOPT_ROW;
  if (s.op == GPUOPT_OP_TRANSPOSE) s.place[1].layout = GPUOPT_ROW;
  if (s.op == GPUOPT_OP_FUSED_ACT) s.place[2].layout = GPUOPT_ROW;
  if (s.in_place) {  // one placement serves both
    const int input = is_product(s.op) ? 2 : 0, output = is_product(s.op) ? 3 : s.op == GPUOPT_OP_TRANSPOSE ? 1 : 2;
    s.place[0].shared = is_product(s.op) ? s.place[0].shared : false;
    s.place[output].shared = false;
    s.align[output] = s.align[input] = std::max(s.align[input], s.align[output]);
    s.ld_align[output] = s.ld_align[input] = std::max(s.ld_align[input], s.ld_align[output]);
  }

  p.list = s.list;
  if (s.list != List::none) {
    p.shapes = random_shapes(s.batch, s.extent, Rng(seed ^ 0x6c69737473686170));
    s.place[GPUOPT_OPERAND_D].shared = false;
  } else if (s.op == GPUOPT_OP_GEMM_GROUPED) {  // all rows are one matrix
    p.offsets = random_offsets(s.batch, s.extent[0], Rng(seed ^ 0x6f66667365747321));
    for (int i : {GPUOPT_OPERAND_A, GPUOPT_OPERAND_C, GPUOPT_OPERAND_D, GPUOPT_OPERAND_OFFSETS})
      s.place[i].shared = true;
    for (StageSpec &stage : s.stages) stage.a.shared = stage.a.shared || stage.form != GPUOPT_PER_COL;
  }
  Layouter layouter(s);
  if (is_product(s.op))
    lay_out_gemm(s, &layouter, &p);
  else if (s.op == GPUOPT_OP_NORM)
    lay_out_norm(s, &layouter, &p);
  else
    lay_out_others(s, &layouter, &p);
  if (s.op != GPUOPT_OP_TRANSPOSE && s.op != GPUOPT_OP_REDUCE) lay_out_stages(s, &layouter, &p);
  for (int i = 0; i < 4 && s.list == List::device && s.promises; ++i)
    if (p.t[i].present()) p.list_align[i] = alignment_of(p.t[i], s.batch);
  p.make_image(layouter.total());
  write_scalars(s, &p, rng);

  if (with_values) fill_all(s, &p, rng);
  if (is_product(s.op) && s.default_compute) {
    p.compute = GPUOPT_COMPUTE_DEFAULT;
    if (gemm_compute(p) != s.row.compute) p.compute = s.row.compute;
  }
  const bool stays = s.op == GPUOPT_OP_NORM || (s.op == GPUOPT_OP_GEMM_GROUPED && s.list == List::none);
  if (s.transposed && !stays) transpose_problem(&p);
  return p;
}

}  // namespace gpuopt_check
