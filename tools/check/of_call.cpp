#include "of_call.h"

#include <algorithm>
#include <functional>

#include "gpuopt_call/place.h"
#include "gpuopt_call/work.h"
#include "rng.h"
#include "values.h"

namespace gpuopt_check {
namespace {

constexpr int64_t kGuard = 256;

// Puts the operands where they would lie behind base; returns the bytes of it all, INT64_MAX where they are too many.
int64_t lay_out(gpuopt_call::Call *call, uint8_t *base) {
  int64_t end = 0;
  bool too_large = false;
  gpuopt_call::place(call, [&](const gpuopt_call::Block &b) -> void * {
    const int64_t start = (end + kGuard + 255) / 256 * 256 + b.offset;
    too_large = too_large || __builtin_add_overflow(start, b.bytes, &end) || end > INT64_MAX / 4;
    if (too_large) end = 0;
    return base + start;
  });
  return too_large ? INT64_MAX : (end + kGuard + 255) / 256 * 256;
}

uint8_t *nowhere() { return static_cast<uint8_t *>(gpuopt_call::nowhere(1000, 256)); }

Tensor tensor_of(const gpuopt_matrix &m, bool written, const uint8_t *base) {
  Tensor t;
  if (m.dtype == 0) return t;
  const int64_t line = m.layout == GPUOPT_ROW ? m.cols : m.rows, lines = m.layout == GPUOPT_ROW ? m.rows : m.cols;
  t.dtype = m.dtype;
  t.layout = m.layout;
  t.rows = m.rows;
  t.cols = m.cols;
  t.state_ld = m.ld != 0;
  t.ld = t.state_ld ? m.ld : line;
  t.state_stride = m.batch_stride != GPUOPT_PACKED;
  t.stride = t.state_stride ? m.batch_stride : t.ld * lines;
  t.pos = static_cast<const uint8_t *>(m.data) - base;
  t.output = written;
  if (m.scale) t.scale_pos = reinterpret_cast<const uint8_t *>(m.scale) - base;
  t.block = m.scales.block;
  t.scale_layout = m.scales.layout;
  t.state_scale_ld = m.scales.ld != 0;
  if (t.block)
    t.scale_ld = t.state_scale_ld               ? m.scales.ld
                 : t.scale_layout == GPUOPT_ROW ? std::max<int64_t>(t.scale_cols(), 1)
                                                : std::max<int64_t>(t.scale_rows(), 1);
  return t;
}

void take_args(gpuopt_call::Call *call, Problem *p) {
  switch (call->op()) {
    case GPUOPT_OP_GEMM:
      p->compute = call->gemm.compute;
      p->alpha = call->gemm.alpha;
      p->beta = call->gemm.beta;
      break;
    case GPUOPT_OP_GEMM_GROUPED:
      p->compute = call->gemm_grouped.compute;
      p->alpha = call->gemm_grouped.alpha;
      p->beta = call->gemm_grouped.beta;
      p->list = call->list;
      std::copy_n(call->gemm_grouped.list_align, 4, p->list_align);
      for (int64_t i = 0; p->list != List::none && i < p->batch; ++i) p->shapes.push_back(call->shape(i));
      if (p->list == List::none)
        p->offsets = call->host_offsets.empty() ? gpuopt_call::even_offsets(call->gemm_grouped) : call->host_offsets;
      break;
    case GPUOPT_OP_REDUCE:
      p->variant = call->reduce.reduce;
      p->axis = call->reduce.axis;
      break;
    case GPUOPT_OP_NORM:
      p->variant = call->norm.norm;
      p->eps = call->norm.eps;
      break;
    default:
      break;
  }
}

template <class Function>
void for_each_element(const Tensor &t, int64_t batch, Function &&fn) {
  const int64_t matrices = t.stride == 0 ? std::min<int64_t>(batch, 1) : batch;
  for (int64_t m = 0; m < matrices; ++m)
    for (int64_t i = 0; i < t.rows; ++i)
      for (int64_t j = 0; j < t.cols; ++j) fn(t.at(m, i, j));
}

void fill(Problem *p, const Tensor &t, Data data, Rng &rng) {
  for_each_element(t, p->batch, [&](int64_t at) {
    uint8_t *const e = p->image.data() + at;
    const double x = data == Data::zeros ? 0 : data == Data::normal ? rng.normal() : 2 * rng.uniform() - 1;
    if (t.dtype == GPUOPT_B128)
      for (int64_t b = 0; b < t.size(); ++b) e[b] = static_cast<uint8_t>(data == Data::zeros ? 0 : rng.bits());
    else if (is_integer(t.dtype))
      encode(t.dtype, static_cast<double>(static_cast<int64_t>(100 * x)), e);
    else
      encode(t.dtype, x, e);
  });
}

// NaN for floats, an unlikely number for integers.
void poison(Problem *p, const Tensor &t) {
  for_each_element(t, p->batch, [&](int64_t at) {
    std::fill_n(p->image.data() + at, t.size(), static_cast<uint8_t>(is_float(t.dtype) ? 0xff : 0x5b));
  });
}

void write_scalars(const gpuopt_call::Call &call, const uint8_t *base, Problem *p) {
  for_each_tensor(*p, [p](Tensor &t) {
    if (t.scale_pos < 0) return;
    const int64_t scales = t.block ? t.scale_count(p->batch) : 1;
    for (int64_t i = 0; i < scales; ++i)  // of blocks, near 1 and each another
      encode(GPUOPT_F32, t.block ? 1 + double(i % 61) / 64 : t.scale, p->image.data() + t.scale_pos + 4 * i);
  });
  if (!is_product(p->op)) return;
  const bool wide = gemm_compute(*p) == GPUOPT_COMPUTE_F64 || gemm_compute(*p) == GPUOPT_COMPUTE_I32;
  const auto write = [&](const void *pointer, int64_t *pos, double *value) {
    if (!pointer) return;
    *pos = static_cast<const uint8_t *>(pointer) - base;
    *value = 1;
    encode(wide ? GPUOPT_F64 : GPUOPT_F32, *value, p->image.data() + *pos);
  };
  const bool grouped = p->op == GPUOPT_OP_GEMM_GROUPED;
  write(grouped ? call.gemm_grouped.alpha_ptr : call.gemm.alpha_ptr, &p->alpha_pos, &p->alpha);
  write(grouped ? call.gemm_grouped.beta_ptr : call.gemm.beta_ptr, &p->beta_pos, &p->beta);
}

}  // namespace

int64_t image_bytes(gpuopt_call::Call call) { return lay_out(&call, nowhere()); }

Problem problem_of(gpuopt_call::Call call, Data data, uint64_t seed) {
  Problem p;
  uint8_t *const base = nowhere();
  const int64_t bytes = lay_out(&call, base);
  p.op = call.op();
  p.flags = call.flags();
  p.batch = call.batch();
  p.seed = seed;
  take_args(&call, &p);
  for (const gpuopt_stage &s : call.stages) {
    Stage stage;
    stage.kind = s.kind;
    stage.form = s.form;
    std::copy_n(s.value, 2, stage.value);
    p.stages.push_back(stage);
  }
  for (const gpuopt_call::Call::Operand &o : call.operands())
    *find_tensor(&p, o.name) = tensor_of(*o.matrix, o.written, base);
  p.make_image(bytes);
  Rng rng(seed);
  // An output that lies where an input does holds the input's values.
  for_each_tensor(p, [&](Tensor &t) {
    if (t.output) poison(&p, t);
  });
  for_each_tensor(p, [&](Tensor &t) {
    if (!t.output) fill(&p, t, data, rng);
  });
  const Tensor &offsets = p.t[GPUOPT_OPERAND_OFFSETS];
  for (int64_t i = 0; p.op == GPUOPT_OP_GEMM_GROUPED && i < offsets.cols; ++i)
    encode_integer(offsets.dtype, p.offsets[static_cast<size_t>(i)], p.image.data() + offsets.at(0, 0, i));
  write_scalars(call, base, &p);
  return p;
}

Tensor *find_tensor(Problem *p, const std::string &name) {
  for (int k = 0; k < kOperands; ++k)
    if (!name.empty() && name == operand_name(p->op, k)) return &p->t[k];
  for (size_t k = 0; k < p->stages.size(); ++k) {
    const std::string stage = "stages[" + std::to_string(k) + "].";
    if (name == stage + "a") return &p->stages[k].a;
    if (name == stage + "b") return &p->stages[k].b;
  }
  return nullptr;
}

const Tensor *find_tensor(const Problem &p, const std::string &name) {
  return find_tensor(const_cast<Problem *>(&p), name);
}

}  // namespace gpuopt_check
