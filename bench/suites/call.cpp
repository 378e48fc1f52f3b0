#include "call.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace gpuopt_bench {
namespace {

constexpr int64_t kWhole = 256;  // an address of this alignment needs no mention

[[noreturn]] void bad(const std::string &what) { throw BadShape("call text: " + what); }

std::string number_text(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.15g", value);
  return text;
}

template <class Name>
int32_t value_of(const std::string &word, int32_t count, Name name) {
  for (int32_t value = 0; value < count; ++value)
    if (word == name(value)) return value;
  bad("'" + word + "' is not known");
}

const char *form_name(int32_t form) {
  constexpr const char *kNames[] = {"scalar", "per_row", "per_col", "matrix"};
  return kNames[form];
}
const char *axis_name(int32_t axis) {
  constexpr const char *kNames[] = {"?", "row", "col", "all"};
  return kNames[axis];
}
const char *op_name(int32_t op) { return gpuopt_op_name(op); }

int64_t align_of(const void *data) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(data);
  return address == 0 ? kWhole : static_cast<int64_t>(std::min<uintptr_t>(address & (~address + 1), uintptr_t{kWhole}));
}

bool is_set(const gpuopt_matrix &m) { return m.dtype != 0; }

int64_t packed_ld(const gpuopt_matrix &m) { return std::max<int64_t>(m.layout == GPUOPT_ROW ? m.cols : m.rows, 1); }
int64_t ld_of(const gpuopt_matrix &m) { return m.ld == 0 ? packed_ld(m) : m.ld; }
int64_t lines_of(const gpuopt_matrix &m) { return m.layout == GPUOPT_ROW ? m.rows : m.cols; }
int64_t stride_of(const gpuopt_matrix &m) {
  return m.batch_stride == GPUOPT_PACKED ? ld_of(m) * lines_of(m) : m.batch_stride;
}

std::string matrix_text(const gpuopt_matrix &m, int64_t batch, const std::string &at) {
  std::string text = std::to_string(m.rows) + "x" + std::to_string(m.cols) + ":" + gpuopt_dtype_name(m.dtype);
  if (m.layout == GPUOPT_COL) text += ":col";
  if (ld_of(m) != packed_ld(m)) text += ":ld=" + std::to_string(m.ld);
  if (batch > 1 && stride_of(m) != ld_of(m) * lines_of(m)) text += ":bs=" + std::to_string(m.batch_stride);
  if (m.scale != nullptr) text += ":scale";
  if (!at.empty()) return text + ":at=" + at;
  return text + (align_of(m.data) < kWhole ? ":by=" + std::to_string(align_of(m.data)) : "");
}

int64_t integer(const std::string &text) {
  char *end = nullptr;
  const long long value = std::strtoll(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0') bad("'" + text + "' is not an integer");
  return value;
}
double number(const std::string &text) {
  char *end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0') bad("'" + text + "' is not a number");
  return value;
}

// Where the operands read so far lie.
struct Reader {
  Call *call;
  uintptr_t next = 0;

  gpuopt_matrix matrix(const std::string &text) {
    const std::vector<std::string> words = split(text, ':');
    const size_t x = words[0].find('x');
    if (words.size() < 2 || x == std::string::npos) bad("'" + text + "' is not ROWSxCOLS:type");
    gpuopt_matrix m = GPUOPT_MATRIX_INIT;
    m.rows = integer(words[0].substr(0, x));
    m.cols = integer(words[0].substr(x + 1));
    m.dtype = value_of(words[1], GPUOPT_DTYPE_COUNT_, gpuopt_dtype_name);
    int64_t by = kWhole;
    const void *at = nullptr;
    for (size_t i = 2; i < words.size(); ++i) {
      const std::string &w = words[i];
      const std::string value = w.substr(std::min(w.find('='), w.size() - 1) + 1);
      if (w == "col")
        m.layout = GPUOPT_COL;
      else if (w == "scale")
        m.scale = static_cast<const float *>(nowhere(next++, kWhole));
      else if (w.rfind("ld=", 0) == 0)
        m.ld = integer(value);
      else if (w.rfind("bs=", 0) == 0)
        m.batch_stride = integer(value);
      else if (w.rfind("by=", 0) == 0)
        by = integer(value);
      else if (w.rfind("at=", 0) == 0)
        at = address_of(value);
      else
        bad("'" + w + "' says nothing of a matrix");
    }
    m.data = at != nullptr ? const_cast<void *>(at) : nowhere(next++, by);
    return m;
  }

  const void *address_of(const std::string &name) {
    for (const Call::Operand &o : call->operands())
      if (o.name == name) return o.matrix->data;
    bad("no operand '" + name + "' comes before");
  }

  void stage(const std::string &text) {
    const std::vector<std::string> words = split(text, ':');
    gpuopt_stage s = gpuopt_act(value_of(words[0], GPUOPT_STAGE_COUNT_, gpuopt_stage_name), 0, 0);
    size_t value = 0;
    for (size_t i = 1; i < words.size(); ++i) {
      bool form = false;
      for (int32_t f = GPUOPT_PER_ROW; f <= GPUOPT_MATRIX; ++f)
        if (words[i] == form_name(f)) s.form = f, form = true;
      if (form) continue;
      if (value == 2) bad("'" + text + "' has three values");
      s.value[value++] = number(words[i]);
    }
    call->stages.push_back(s);
  }

  bool scalar(const std::string &name, const std::string &value) {
    Call &c = *call;
    if (name == "batch") {
      int64_t *const places[] = {nullptr,         &c.gemm.batch,      &c.transpose.batch,
                                 &c.reduce.batch, &c.fused_act.batch, &c.norm.batch};
      *places[c.op()] = integer(value);
    } else if (name == "flags") {
      uint32_t *const places[] = {nullptr,         &c.gemm.flags,      &c.transpose.flags,
                                  &c.reduce.flags, &c.fused_act.flags, &c.norm.flags};
      *places[c.op()] = static_cast<uint32_t>(integer(value));
    } else if (c.op() == GPUOPT_OP_GEMM && name == "compute") {
      c.gemm.compute = value_of(value, GPUOPT_COMPUTE_COUNT_, gpuopt_compute_name);
    } else if (c.op() == GPUOPT_OP_GEMM && name == "alpha") {
      c.gemm.alpha = number(value);
    } else if (c.op() == GPUOPT_OP_GEMM && name == "beta") {
      c.gemm.beta = number(value);
    } else if (c.op() == GPUOPT_OP_GEMM && name == "alpha_ptr") {
      c.gemm.alpha_ptr = nowhere(next++, kWhole);
    } else if (c.op() == GPUOPT_OP_GEMM && name == "beta_ptr") {
      c.gemm.beta_ptr = nowhere(next++, kWhole);
    } else if (c.op() == GPUOPT_OP_REDUCE && name == "reduce") {
      c.reduce.reduce = value_of(value, GPUOPT_REDUCE_COUNT_, gpuopt_reduce_name);
    } else if (c.op() == GPUOPT_OP_REDUCE && name == "axis") {
      c.reduce.axis = value_of(value, GPUOPT_ALL + 1, axis_name);
    } else if (c.op() == GPUOPT_OP_NORM && name == "norm") {
      c.norm.norm = value_of(value, GPUOPT_NORM_COUNT_, gpuopt_norm_name);
    } else if (c.op() == GPUOPT_OP_NORM && name == "eps") {
      c.norm.eps = number(value);
    } else {
      return false;
    }
    return true;
  }

  void operand(const std::string &name, const std::string &value) {
    Call &c = *call;
    const auto take = [&](const char *wanted, gpuopt_matrix *m) {
      if (name != wanted) return false;
      *m = matrix(value);
      return true;
    };
    bool taken = false;
    if (name == "sa" || name == "sb") {
      if (c.stages.empty()) bad("'" + name + "' before any stage");
      gpuopt_matrix m = matrix(value);
      (name == "sa" ? c.stages.back().a : c.stages.back().b) = m;
      return;
    }
    switch (c.op()) {
      case GPUOPT_OP_GEMM:
        taken = take("a", &c.gemm.a) || take("b", &c.gemm.b) || take("c", &c.gemm.c) || take("d", &c.gemm.d);
        break;
      case GPUOPT_OP_TRANSPOSE:
        taken = take("src", &c.transpose.src) || take("dst", &c.transpose.dst);
        break;
      case GPUOPT_OP_REDUCE:
        taken = take("x", &c.reduce.x) || take("y", &c.reduce.y) || take("out", &c.reduce.out) ||
                take("value", &c.reduce.value);
        break;
      case GPUOPT_OP_FUSED_ACT:
        taken = take("x", &c.fused_act.x) || take("out", &c.fused_act.out);
        break;
      default:
        taken = take("x", &c.norm.x) || take("out", &c.norm.out) || take("residual", &c.norm.residual) ||
                take("sum", &c.norm.sum) || take("gamma", &c.norm.gamma) || take("beta", &c.norm.beta) ||
                take("statistics", &c.norm.statistics);
    }
    if (!taken) bad("'" + name + "' is no part of " + gpuopt_op_name(c.op()));
  }
};

}  // namespace

Call::Call(int32_t op) : op_(op) {}

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
    default:
      norm.stages = data;
      norm.stage_count = count;
      return &norm;
  }
}

int64_t Call::batch() const {
  const int64_t batches[] = {0, gemm.batch, transpose.batch, reduce.batch, fused_act.batch, norm.batch};
  return batches[op_];
}

std::vector<Call::Operand> Call::operands() {
  std::vector<Operand> all;
  const auto add = [&](const std::string &name, gpuopt_matrix *m, bool written) {
    if (is_set(*m)) all.push_back({name, m, written});
  };
  switch (op_) {
    case GPUOPT_OP_GEMM:
      add("a", &gemm.a, false);
      add("b", &gemm.b, false);
      add("d", &gemm.d, true);
      add("c", &gemm.c, false);
      break;
    case GPUOPT_OP_TRANSPOSE:
      add("src", &transpose.src, false);
      add("dst", &transpose.dst, true);
      break;
    case GPUOPT_OP_REDUCE:
      add("x", &reduce.x, false);
      add("y", &reduce.y, false);
      add("out", &reduce.out, true);
      add("value", &reduce.value, true);
      break;
    case GPUOPT_OP_FUSED_ACT:
      add("x", &fused_act.x, false);
      add("out", &fused_act.out, true);
      break;
    default:
      add("x", &norm.x, false);
      add("residual", &norm.residual, false);
      add("out", &norm.out, true);
      add("sum", &norm.sum, true);
      add("gamma", &norm.gamma, false);
      add("beta", &norm.beta, false);
      add("statistics", &norm.statistics, true);
  }
  for (size_t i = 0; i < stages.size(); ++i) {
    const std::string name = "stages[" + std::to_string(i) + "].";
    add(name + "a", &stages[i].a, stages[i].kind == GPUOPT_STAGE_STORE);
    add(name + "b", &stages[i].b, false);
  }
  return all;
}

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
    default:
      call.norm = *static_cast<const gpuopt_norm_args *>(args);
      take_stages(call.norm.stages, call.norm.stage_count);
  }
  return call;
}

std::string text_of(Call c) {
  std::string text = gpuopt_op_name(c.op());
  const auto put = [&](const char *name, const std::string &value) { text += std::string(" ") + name + "=" + value; };
  uint32_t flags = 0;
  switch (c.op()) {
    case GPUOPT_OP_GEMM:
      flags = c.gemm.flags;
      put("compute", gpuopt_compute_name(c.gemm.compute));
      if (c.gemm.alpha != 1) put("alpha", number_text(c.gemm.alpha));
      if (c.gemm.beta != 0) put("beta", number_text(c.gemm.beta));
      if (c.gemm.alpha_ptr != nullptr) put("alpha_ptr", "1");
      if (c.gemm.beta_ptr != nullptr) put("beta_ptr", "1");
      break;
    case GPUOPT_OP_TRANSPOSE:
      flags = c.transpose.flags;
      break;
    case GPUOPT_OP_REDUCE:
      flags = c.reduce.flags;
      put("reduce", gpuopt_reduce_name(c.reduce.reduce));
      put("axis", axis_name(c.reduce.axis));
      break;
    case GPUOPT_OP_FUSED_ACT:
      flags = c.fused_act.flags;
      break;
    default:
      flags = c.norm.flags;
      put("norm", gpuopt_norm_name(c.norm.norm));
      if (c.norm.eps != 1e-5) put("eps", number_text(c.norm.eps));
  }
  if (c.batch() != 1) put("batch", std::to_string(c.batch()));
  if (flags != 0) put("flags", std::to_string(flags));
  const std::vector<Call::Operand> all = c.operands();
  const auto put_matrix = [&](const char *name, const gpuopt_matrix *m) {
    std::string at;
    for (const Call::Operand &o : all) {
      if (o.matrix == m) break;
      if (o.matrix->data == m->data && m->data != nullptr) {
        at = o.name;
        break;
      }
    }
    put(name, matrix_text(*m, c.batch(), at));
  };
  for (const Call::Operand &o : all)
    if (o.name.rfind("stages[", 0) != 0) put_matrix(o.name.c_str(), o.matrix);
  for (const gpuopt_stage &s : c.stages) {
    std::string stage = gpuopt_stage_name(s.kind);
    if (s.form != GPUOPT_SCALAR) stage += std::string(":") + form_name(s.form);
    if (s.value[0] != 0 || s.value[1] != 0) stage += ":" + number_text(s.value[0]);
    if (s.value[1] != 0) stage += ":" + number_text(s.value[1]);
    put("stage", stage);
    if (is_set(s.a)) put_matrix("sa", &s.a);
    if (is_set(s.b)) put_matrix("sb", &s.b);
  }
  return text;
}

Call read_call(const std::string &text) {
  const std::vector<std::string> words = split(text, ' ');
  Call call(value_of(words[0], GPUOPT_OP_COUNT_, op_name));
  Reader reader = {&call};
  for (size_t i = 1; i < words.size(); ++i) {
    const size_t equals = words[i].find('=');
    if (equals == std::string::npos) bad("'" + words[i] + "' is not name=value");
    const std::string name = words[i].substr(0, equals), value = words[i].substr(equals + 1);
    if (name == "stage")
      reader.stage(value);
    else if (!reader.scalar(name, value))
      reader.operand(name, value);
  }
  return call;
}

void *nowhere(uintptr_t index, int64_t align) {
  return reinterpret_cast<void *>(((index + 1) << 40) + static_cast<uintptr_t>(align < kWhole ? align : 0));
}

int64_t span_bytes(const gpuopt_matrix &m, int64_t batch) {
  if (m.rows == 0 || m.cols == 0 || batch == 0) return 0;
  const int64_t line = m.layout == GPUOPT_ROW ? m.cols : m.rows;
  const int64_t span = (lines_of(m) - 1) * ld_of(m) + line + (batch > 1 ? (batch - 1) * stride_of(m) : 0);
  return span * gpuopt_dtype_size(m.dtype);
}

int64_t touched_bytes(Call *call) {
  int64_t bytes = 0;
  for (const Call::Operand &o : call->operands()) {
    const gpuopt_matrix &m = *o.matrix;
    const bool shared = call->batch() > 1 && m.batch_stride == 0;
    bytes += m.rows * m.cols * gpuopt_dtype_size(m.dtype) * (shared ? 1 : call->batch());
  }
  return bytes;
}

double flops_of(const Call &call) {
  if (call.op() != GPUOPT_OP_GEMM) return 0;
  const gpuopt_gemm_args &g = call.gemm;
  return 2.0 * static_cast<double>(g.d.rows) * static_cast<double>(g.d.cols) * static_cast<double>(g.a.cols) *
         static_cast<double>(g.batch);
}

}  // namespace gpuopt_bench
