#include "gpuopt_call/call.h"

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
      return &gemm_grouped;
    default:
      norm.stages = data;
      norm.stage_count = count;
      return &norm;
  }
}

gpuopt_status Call::run(gpuopt_handle *handle) {
  args();
  switch (op_) {
    case GPUOPT_OP_GEMM:
      return gpuopt_gemm(handle, &gemm);
    case GPUOPT_OP_TRANSPOSE:
      return gpuopt_transpose(handle, &transpose);
    case GPUOPT_OP_REDUCE:
      return gpuopt_reduce(handle, &reduce);
    case GPUOPT_OP_FUSED_ACT:
      return gpuopt_fused_act(handle, &fused_act);
    case GPUOPT_OP_GEMM_GROUPED:
      return gpuopt_gemm_grouped(handle, &gemm_grouped);
    default:
      return gpuopt_norm(handle, &norm);
  }
}

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
      break;
    default:
      call.norm = *static_cast<const gpuopt_norm_args *>(args);
      take_stages(call.norm.stages, call.norm.stage_count);
  }
  return call;
}

}  // namespace gpuopt_call
