#include "float_chain.h"

#include <string.h>

#include "../views.h"

namespace gpuopt {
namespace cpu {
namespace {

bool row_conversion(int32_t dtype) {
  return dtype == GPUOPT_F32 || dtype == GPUOPT_F16 || dtype == GPUOPT_BF16 || dtype == GPUOPT_F64;
}

const char *address(const View &view, int64_t i, int64_t j, int64_t p) {
  return static_cast<const char *>(view.data) + index_of(view, i, j, p) * dtype_size(view.dtype);
}

float scalar_at(const View &view, int64_t i, int64_t p) { return static_cast<float>(load_at(view, i, 0, p)); }

/* A PER_COL vector's part, cols elements that lie row_step apart. */
const float *load_vector_part(const FloatChain &chain, const gpuopt_operand &operand, const Block &block,
                              float *buffer) {
  const View view = view_of(operand);
  if (view.row_step == 1 && row_conversion(view.dtype)) {
    const char *from = address(view, block.j, 0, block.p);
    if (view.dtype == GPUOPT_F32) return reinterpret_cast<const float *>(from);
    chain.rows->load(buffer, from, view.dtype, block.cols);
    return buffer;
  }
  for (int64_t j = 0; j < block.cols; ++j) buffer[j] = scalar_at(view, block.j + j, block.p);
  return buffer;
}

/* Fills in what a stage reads: a dense block, or for one row where a scalar does, the scalar. */
void resolve(const FloatChain &chain, const gpuopt_problem_stage &stage, const Block &block, float *buffer,
             StageStep *step) {
  step->kind = stage.kind;
  step->value[0] = static_cast<float>(stage.value[0]);
  step->value[1] = static_cast<float>(stage.value[1]);
  step->a = nullptr;
  const bool arithmetic =
      stage.kind == GPUOPT_STAGE_ADD || stage.kind == GPUOPT_STAGE_SUB || stage.kind == GPUOPT_STAGE_MUL;
  const bool outer = stage.kind == GPUOPT_STAGE_ADD_OUTER;
  const bool gradient = stage.kind == GPUOPT_STAGE_RELU_GRAD || stage.kind == GPUOPT_STAGE_GELU_GRAD ||
                        stage.kind == GPUOPT_STAGE_SILU_GRAD;
  if (gradient || (arithmetic && stage.form == GPUOPT_MATRIX)) {
    step->a = chain.load(stage.a, block, buffer);
  } else if (outer || (arithmetic && stage.form == GPUOPT_PER_COL)) {
    const gpuopt_operand &along = outer ? stage.b : stage.a;
    const View down = view_of(stage.a);
    if (outer) step->kind = GPUOPT_STAGE_ADD;
    if (block.rows == 1) {
      step->a = load_vector_part(chain, along, block, buffer);
      if (outer) step->value[0] *= scalar_at(down, block.i, block.p);
      return;
    }
    const float *first = load_vector_part(chain, along, block, buffer);
    const size_t bytes = static_cast<size_t>(block.cols) * sizeof(float);
    if (first != buffer) memcpy(buffer, first, bytes);
    for (int64_t i = 1; i < block.rows; ++i) memcpy(buffer + i * block.cols, buffer, bytes);
    step->a = buffer;
    if (!outer) return;
    for (int64_t i = 0; i < block.rows; ++i) {
      const float u = scalar_at(down, block.i + i, block.p);
      for (int64_t j = 0; j < block.cols; ++j) buffer[i * block.cols + j] *= u;
    }
  } else if (arithmetic && stage.form == GPUOPT_PER_ROW) {
    const View view = view_of(stage.a);
    if (block.rows == 1) {
      step->value[0] *= scalar_at(view, block.i, block.p);
      return;
    }
    for (int64_t i = 0; i < block.rows; ++i) {
      const float v = scalar_at(view, block.i + i, block.p);
      for (int64_t j = 0; j < block.cols; ++j) buffer[i * block.cols + j] = v;
    }
    step->a = buffer;
  }
}

}  // namespace

const float *FloatChain::load(const gpuopt_operand &operand, const Block &block, float *buffer) const {
  const View view = view_of(operand);
  if (view.col_step == 1 && row_conversion(view.dtype)) {
    const bool dense = block.rows == 1 || view.row_step == block.cols;
    const char *from = address(view, block.i, block.j, block.p);
    if (dense && view.dtype == GPUOPT_F32) return reinterpret_cast<const float *>(from);
    if (dense) {
      rows->load(buffer, from, view.dtype, block.rows * block.cols);
      return buffer;
    }
    for (int64_t i = 0; i < block.rows; ++i)
      rows->load(buffer + i * block.cols, address(view, block.i + i, block.j, block.p), view.dtype, block.cols);
    return buffer;
  }
  if (view.row_step == 1 && row_conversion(view.dtype)) {
    for (int64_t j = 0; j < block.cols; ++j) {
      float column[kSegment];
      rows->load(column, address(view, block.i, block.j + j, block.p), view.dtype, block.rows);
      for (int64_t i = 0; i < block.rows; ++i) buffer[i * block.cols + j] = column[i];
    }
    return buffer;
  }
  for (int64_t i = 0; i < block.rows; ++i)
    for (int64_t j = 0; j < block.cols; ++j)
      buffer[i * block.cols + j] = static_cast<float>(load_at(view, block.i + i, block.j + j, block.p));
  return buffer;
}

void FloatChain::store(const gpuopt_operand &operand, const Block &block, const float *x, bool stream) const {
  const View view = view_of(operand);
  if (view.col_step != 1 || !row_conversion(view.dtype)) {
    for (int64_t i = 0; i < block.rows; ++i)
      for (int64_t j = 0; j < block.cols; ++j) store_at(view, block.i + i, block.j + j, block.p, x[i * block.cols + j]);
    return;
  }
  const bool dense = block.rows == 1 || view.row_step == block.cols;
  const int64_t steps = dense ? 1 : block.rows, count = dense ? block.rows * block.cols : block.cols;
  for (int64_t i = 0; i < steps; ++i) {
    void *to = const_cast<char *>(address(view, block.i + i, block.j, block.p));
    if (stream)
      rows->stream(to, x + i * block.cols, view.dtype, count);
    else
      rows->store(to, x + i * block.cols, view.dtype, count);
  }
}

void FloatChain::run(const Block &block, float *x) const {
  float buffers[GPUOPT_MAX_STAGES][kSegment];
  StageStep steps[GPUOPT_MAX_STAGES];
  const int64_t count = block.rows * block.cols;
  int pending = 0;
  for (int32_t s = 0; s < problem->stage_count; ++s) {
    const gpuopt_problem_stage &stage = problem->stage[s];
    if (stage.kind == GPUOPT_STAGE_STORE) {
      stages->run(x, count, steps, pending);
      pending = 0;
      store(stage.a, block, x, false);
    } else {
      resolve(*this, stage, block, buffers[s], &steps[pending++]);
    }
  }
  stages->run(x, count, steps, pending);
}

FloatChain float_chain(const gpuopt_problem &problem, int isa) { return {&problem, &rows_isa(isa), &stages_isa(isa)}; }

}  // namespace cpu
}  // namespace gpuopt
