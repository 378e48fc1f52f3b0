#include "gpuopt_call/call.h"

#include <algorithm>
#include <cstring>

#include "gpuopt_call/place.h"
#include "gpuopt_call/run_args.h"
#include "gpuopt_call/text.h"

namespace gpuopt_call {

const void *Call::args() {
  const int32_t count = static_cast<int32_t>(stages.size());
  const gpuopt_stage *data = stages.empty() ? nullptr : stages.data();
  switch (op_) {
    case GPUOPT_OP_GEMM:
      gemm.stages = data;
      gemm.stage_count = count;
      return &gemm;
    case GPUOPT_OP_TRANSPOSE:
      return &transpose;
    case GPUOPT_OP_REDUCE:
      return &reduce;
    case GPUOPT_OP_FUSED_ACT:
      fused_act.stages = data;
      fused_act.stage_count = count;
      return &fused_act;
    case GPUOPT_OP_GEMM_GROUPED:
      gemm_grouped.stages = data;
      gemm_grouped.stage_count = count;
      gemm_grouped.host_offsets = host_offsets.empty() ? nullptr : host_offsets.data();
      return list == List::none ? &gemm_grouped : list_args();
    default:
      norm.stages = data;
      norm.stage_count = count;
      return &norm;
  }
}

gpuopt_status Call::run(gpuopt_handle *handle) { return run_args(handle, args()); }

gpuopt_explain_options Call::assumptions(const gpuopt_device_facts &device) const {
  gpuopt_explain_options o = GPUOPT_EXPLAIN_OPTIONS_INIT;
  const int32_t own = device.cc != 0 ? GPUOPT_SPACE_DEVICE : GPUOPT_SPACE_HOST;
  o.space = space == GPUOPT_SPACE_QUERY ? own : space;
  o.capturing = captured ? 1 : 0;
  return o;
}

int64_t &Call::batch() {
  switch (op_) {
    case GPUOPT_OP_GEMM:
      return gemm.batch;
    case GPUOPT_OP_TRANSPOSE:
      return transpose.batch;
    case GPUOPT_OP_REDUCE:
      return reduce.batch;
    case GPUOPT_OP_FUSED_ACT:
      return fused_act.batch;
    case GPUOPT_OP_GEMM_GROUPED:
      return gemm_grouped.groups;
    default:
      return norm.batch;
  }
}

uint32_t &Call::flags() {
  switch (op_) {
    case GPUOPT_OP_GEMM:
      return gemm.flags;
    case GPUOPT_OP_TRANSPOSE:
      return transpose.flags;
    case GPUOPT_OP_REDUCE:
      return reduce.flags;
    case GPUOPT_OP_FUSED_ACT:
      return fused_act.flags;
    case GPUOPT_OP_GEMM_GROUPED:
      return gemm_grouped.flags;
    default:
      return norm.flags;
  }
}

namespace {

constexpr int64_t kProductWords = sizeof(gpuopt_gemm_group) / sizeof(int64_t);

// Where each product's matrices lie: in one as large as any, whose lines begin on what the list promises.
void place_products(gpuopt_gemm_grouped_args *g) {
  gpuopt_matrix *const all[] = {&g->a, &g->b, &g->c, &g->d};
  for (int i = 0; i < 4; ++i) {
    gpuopt_matrix &m = *all[i];
    const int64_t size = gpuopt_dtype_size(m.dtype);
    if (size == 0) continue;
    const int64_t line = m.layout == GPUOPT_ROW ? m.cols : m.rows, lines = m.layout == GPUOPT_ROW ? m.rows : m.cols;
    const int64_t step = std::max<int64_t>(g->list_align[i] / size, 1);
    m.ld = line > INT64_MAX - step ? 0 : (std::max<int64_t>(line, 1) + step - 1) / step * step;
    // Products begin on 256 bytes, from the first on: none is aligned to more than what is promised.
    const int64_t whole = 256 / size;
    const bool fits = !__builtin_mul_overflow(m.ld, lines, &m.batch_stride) && m.batch_stride <= INT64_MAX - whole;
    m.batch_stride = fits ? (m.batch_stride + whole - 1) / whole * whole : GPUOPT_PACKED;
  }
}

}  // namespace

ProductShape Call::shape(int64_t product) const {
  const gpuopt_gemm_grouped_args &g = gemm_grouped;
  return shapes.empty() ? ProductShape{g.d.rows, g.d.cols, g.a.cols}
                        : shapes[static_cast<size_t>(product) % shapes.size()];
}

std::vector<gpuopt_gemm_group> Call::products() {
  std::vector<gpuopt_gemm_group> all;
  operands();  // which lie as products do
  const gpuopt_gemm_grouped_args &g = gemm_grouped;
  const auto at = [](const gpuopt_matrix &m, int64_t i) -> void * {
    return m.data ? static_cast<char *>(m.data) + i * m.batch_stride * gpuopt_dtype_size(m.dtype) : nullptr;
  };
  for (int64_t i = 0; i < g.groups; ++i) {
    const ProductShape s = shape(i);
    all.push_back({at(g.a, i), at(g.b, i), at(g.c, i), at(g.d, i), s.m, s.n, s.k, g.a.ld, g.b.ld, g.c.ld, g.d.ld, 0});
  }
  return all;
}

const void *Call::list_args() {
  gpuopt_gemm_grouped_args &l = list_args_;
  l = gemm_grouped;
  for (gpuopt_matrix *m : {&l.a, &l.b, &l.c, &l.d}) {
    m->data = nullptr;
    m->ld = 0;
    if (m->dtype != 0) m->batch_stride = GPUOPT_PACKED;
  }
  if (list == List::host) {
    static const gpuopt_gemm_group kNone = {};
    products_ = products();
    l.host_list = products_.empty() ? &kNone : products_.data();
    std::fill_n(l.list_align, 4, 0);
  } else {
    l.list = static_cast<const gpuopt_gemm_group *>(list_words.data ? list_words.data : nowhere(999, 256));
  }
  return &l;
}

std::vector<const void **> Call::factor_pointers() {
  if (op_ == GPUOPT_OP_GEMM) return {&gemm.alpha_ptr, &gemm.beta_ptr};
  if (op_ == GPUOPT_OP_GEMM_GROUPED) return {&gemm_grouped.alpha_ptr, &gemm_grouped.beta_ptr};
  return {};
}

std::vector<Call::Operand> Call::places() {
  std::vector<Operand> all;
  switch (op_) {
    case GPUOPT_OP_GEMM:
      all = {{"a", &gemm.a, false}, {"b", &gemm.b, false}, {"d", &gemm.d, true}, {"c", &gemm.c, false}};
      break;
    case GPUOPT_OP_TRANSPOSE:
      all = {{"src", &transpose.src, false}, {"dst", &transpose.dst, true}};
      break;
    case GPUOPT_OP_REDUCE:
      all = {
          {"x", &reduce.x, false}, {"y", &reduce.y, false}, {"out", &reduce.out, true}, {"value", &reduce.value, true}};
      break;
    case GPUOPT_OP_FUSED_ACT:
      all = {{"x", &fused_act.x, false}, {"out", &fused_act.out, true}};
      break;
    case GPUOPT_OP_GEMM_GROUPED: {
      gpuopt_gemm_grouped_args &g = gemm_grouped;
      if (list != List::none) {
        place_products(&g);
        if (list == List::device) {
          void *const data = list_words.data;
          list_words = gpuopt_mat(data, 1, g.groups * kProductWords, GPUOPT_I64);
          list_words.batch_stride = 0;
        }
        all = {{"a", &g.a, false},
               {"b", &g.b, false},
               {"d", &g.d, true},
               {"list", &list_words, false},
               {"c", &g.c, false}};
        break;
      }
      for (gpuopt_matrix *m : {&g.a, &g.d, &g.c, &g.offsets})
        if (m->dtype != 0) m->batch_stride = 0;
      for (gpuopt_stage &s : stages)
        if (s.form != GPUOPT_PER_COL && s.a.dtype != 0) s.a.batch_stride = 0;
      all = {{"a", &g.a, false},
             {"b", &g.b, false},
             {"d", &g.d, true},
             {"offsets", &g.offsets, false},
             {"c", &g.c, false}};
      break;
    }
    default:
      all = {{"x", &norm.x, false},
             {"residual", &norm.residual, false},
             {"out", &norm.out, true},
             {"sum", &norm.sum, true},
             {"gamma", &norm.gamma, false},
             {"beta", &norm.beta, false},
             {"statistics", &norm.statistics, true}};
  }
  for (size_t i = 0; i < stages.size(); ++i) {
    const std::string name = "stages[" + std::to_string(i) + "].";
    all.push_back({name + "a", &stages[i].a, stages[i].kind == GPUOPT_STAGE_STORE});
    all.push_back({name + "b", &stages[i].b, false});
  }
  return all;
}

std::vector<Call::Operand> Call::operands() {
  std::vector<Operand> set;
  for (Operand &o : places())
    if (o.matrix->dtype != 0) set.push_back(std::move(o));
  return set;
}

gpuopt_matrix *Call::find(const std::string &name) {
  for (const Operand &o : places())
    if (o.name == name) return o.matrix;
  return nullptr;
}

std::vector<int64_t> even_offsets(const gpuopt_gemm_grouped_args &g) {
  std::vector<int64_t> offsets;
  const int64_t each = g.groups > 0 ? g.d.rows / g.groups : 0, more = g.groups > 0 ? g.d.rows % g.groups : 0;
  for (int64_t i = 0; i <= g.groups; ++i) offsets.push_back(each * i + (i < more ? i : more));
  return offsets;
}

GroupWords group_words(Call *of) {
  Call &call = *of;
  GroupWords words;
  if (call.list == List::device) {
    const std::vector<gpuopt_gemm_group> products = call.products();
    words.data = call.list_words.data;
    words.bytes.resize(products.size() * sizeof(gpuopt_gemm_group));
    if (!products.empty()) std::memcpy(words.bytes.data(), products.data(), words.bytes.size());
  }
  const gpuopt_matrix &m = call.gemm_grouped.offsets;
  if (call.op() != GPUOPT_OP_GEMM_GROUPED || m.dtype == 0) return words;
  const std::vector<int64_t> offsets = even_offsets(call.gemm_grouped);
  const int64_t size = gpuopt_dtype_size(m.dtype), step = m.layout == GPUOPT_ROW ? 1 : std::max<int64_t>(m.ld, 1);
  words.data = m.data;
  words.bytes.resize(offsets.size() * static_cast<size_t>(step * size));
  for (size_t i = 0; i < offsets.size(); ++i)  // little-endian, as every machine that this is built for
    std::memcpy(words.bytes.data() + i * static_cast<size_t>(step * size), &offsets[i], static_cast<size_t>(size));
  words.bytes.resize(words.bytes.size() - static_cast<size_t>((step - 1) * size));
  return words;
}

namespace {

// Of a list that a call's args point to, the shapes and what its products are aligned to, as their text has it; where these lie is
// not kept.
void take_list(Call *call) {
  const gpuopt_gemm_grouped_args g = call->gemm_grouped;
  if (g.list == nullptr && g.host_list == nullptr) return;
  std::vector<ProductShape> shapes;
  for (int64_t i = 0; g.host_list && i < g.groups; ++i)
    shapes.push_back({g.host_list[i].m, g.host_list[i].n, g.host_list[i].k});
  char text[GPUOPT_CALL_TEXT_BYTES];
  size_t length = 0;
  if (gpuopt_call_text(&g, nullptr, text, sizeof text, &length) != GPUOPT_OK) throw BadCallText(gpuopt_last_error());
  *call = read_call(std::string(text, length));
  call->shapes = std::move(shapes);
}

}  // namespace

Call call_of(const void *args) {
  Call call(static_cast<const gpuopt_args *>(args)->op);
  const auto take_stages = [&](const gpuopt_stage *stages, int32_t count) {
    if (count > 0) call.stages.assign(stages, stages + count);
  };
  switch (call.op()) {
    case GPUOPT_OP_GEMM:
      call.gemm = *static_cast<const gpuopt_gemm_args *>(args);
      take_stages(call.gemm.stages, call.gemm.stage_count);
      break;
    case GPUOPT_OP_TRANSPOSE:
      call.transpose = *static_cast<const gpuopt_transpose_args *>(args);
      break;
    case GPUOPT_OP_REDUCE:
      call.reduce = *static_cast<const gpuopt_reduce_args *>(args);
      break;
    case GPUOPT_OP_FUSED_ACT:
      call.fused_act = *static_cast<const gpuopt_fused_act_args *>(args);
      take_stages(call.fused_act.stages, call.fused_act.stage_count);
      break;
    case GPUOPT_OP_GEMM_GROUPED:
      call.gemm_grouped = *static_cast<const gpuopt_gemm_grouped_args *>(args);
      take_stages(call.gemm_grouped.stages, call.gemm_grouped.stage_count);
      if (const int64_t *const offsets = call.gemm_grouped.host_offsets)
        call.host_offsets.assign(offsets, offsets + call.gemm_grouped.groups + 1);
      take_list(&call);
      break;
    default:
      call.norm = *static_cast<const gpuopt_norm_args *>(args);
      take_stages(call.norm.stages, call.norm.stage_count);
  }
  return call;
}

}  // namespace gpuopt_call
