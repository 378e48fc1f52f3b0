// The functions of an image kernel's descriptor: the same for all of them, told apart by problem->kernel->data.
#include <cmath>

#include "plugins/image_kernel.h"
#include "problem.h"

namespace gpuopt {
namespace {

constexpr int64_t kMostGrid[3] = {INT32_MAX, 65535, 65535};  // of every device
constexpr const char *kAxis[3] = {"grid.x", "grid.y", "grid.z"}, *kExtent[3] = {"m", "n", "k"};

const ImageKernel &kernel_of(const gpuopt_problem *p) { return *static_cast<const ImageKernel *>(p->kernel->data); }

bool value_of(const Expression &e, const gpuopt_problem &p, int64_t *value) {
  return e.evaluate([&](uint16_t v) { return read_variable(p, Variable::from(v)); }, value);
}

int no(gpuopt_reject *r, int32_t code, int32_t operand, int64_t have, int64_t need, const char *what) {
  *r = {code, operand, have, need, what};
  return 0;
}

// What need not be looked at for every problem: a number as it is, of 64 bits, or of 32 where the feature LARGE is refused,
// which is about extents and batch.
bool always_fits(const Argument &a, const gpuopt_kernel &k) {
  uint16_t packed = 0;
  if (a.kind != Argument::Kind::integer) return true;
  if (!a.expression.is_variable(&packed)) return false;
  return a.bytes == 8 || (Variable::from(packed).extent <= Extent::batch && !(k.understands & GPUOPT_FEATURE_LARGE));
}

// Extents of the grid, 1 where the manifest gives none.
bool grid_of(const ImageKernel &k, const gpuopt_problem &p, uint32_t (&grid)[3], gpuopt_reject *r) {
  static constexpr const char *kNoValue[3] = {"grid.x overflows or divides by zero",
                                              "grid.y overflows or divides by zero",
                                              "grid.z overflows or divides by zero"};
  static constexpr const char *kEmpty[3] = {"grid.x is less than 1", "grid.y is less than 1", "grid.z is less than 1"};
  for (int i = 0; i < 3; ++i) {
    int64_t n = 1;
    if (k.grid[i].is_given() && !value_of(k.grid[i], p, &n))
      return no(r, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, 0, 0, kNoValue[i]);
    if (n < 1) return no(r, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, 0, 0, kEmpty[i]);
    if (n > kMostGrid[i]) return no(r, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, n, kMostGrid[i], kAxis[i]);
    if (k.shape.cluster[i] > 1 && n % k.shape.cluster[i] != 0)
      return no(r, GPUOPT_REJECT_DIM_MULTIPLE, GPUOPT_OPERAND_NONE, n, k.shape.cluster[i], kAxis[i]);
    grid[i] = static_cast<uint32_t>(n);
  }
  return true;
}

// What the section asks of operands beyond the descriptor's own fields.
int check_operand(const OperandNeed &need, const gpuopt_problem &p, gpuopt_reject *r) {
  const gpuopt_operand &o = operand_at(p, need.place);
  if (o.m.dtype == 0) return 1;
  if (need.align > o.align) return no(r, GPUOPT_REJECT_ALIGN, need.place, o.align, need.align, nullptr);
  if (need.ld_align > o.ld_align) return no(r, GPUOPT_REJECT_LD_MULTIPLE, need.place, o.ld_align, need.ld_align, "ld");
  if (need.row_only && o.m.layout != GPUOPT_ROW)
    return no(r, GPUOPT_REJECT_LAYOUT, need.place, o.m.layout, GPUOPT_ROW, nullptr);
  const int64_t line = o.m.layout == GPUOPT_ROW ? o.m.cols : o.m.rows;
  if (need.neighbours && o.m.ld != line && (o.m.layout == GPUOPT_ROW ? o.m.rows : o.m.cols) > 1)
    return no(r, GPUOPT_REJECT_LAYOUT, need.place, o.m.ld, line, "packed ld");
  if (need.shared && p.batch > 1 && o.m.batch_stride != 0)
    return no(r, GPUOPT_REJECT_LAYOUT, need.place, o.m.batch_stride, 0, "packed batch_stride");
  return 1;
}

int can_run(const gpuopt_problem *problem, gpuopt_reject *r) {
  const gpuopt_problem &p = *problem;
  const ImageKernel &k = kernel_of(problem);
  if (!k.code.runs_on(p.device->cc))
    return no(r, GPUOPT_REJECT_ARCH, GPUOPT_OPERAND_NONE, p.device->cc, 0, k.image_archs.c_str());
  if (k.shape.blocks_of_cluster() > 1 && p.device->cc < 90)
    return no(r, GPUOPT_REJECT_ARCH, GPUOPT_OPERAND_NONE, p.device->cc, 90, "for its clusters");
  if (k.shape.shared > p.device->smem_per_block_optin)
    return no(r, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, k.shape.shared, p.device->smem_per_block_optin,
              "bytes of shared memory");
  const int64_t extents[3] = {p.m, p.n, p.k};
  for (int i = 0; i < 3; ++i)
    if (extents[i] > k.limit[i])
      return no(r, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, extents[i], k.limit[i], kExtent[i]);
  for (const OperandNeed &need : k.needs)
    if (!check_operand(need, p, r)) return 0;
  if (is_empty(p)) return 1;
  for (const uint8_t i : k.checked_arguments) {
    const Argument &a = k.arguments[i];
    int64_t value = 0;
    if (!value_of(a.expression, p, &value))
      return no(r, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, 0, 0, "an argument overflows or divides by zero");
    if (!fits(a, value))
      return no(r, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, value, a.is_signed ? INT32_MAX : UINT32_MAX,
                "an argument of 32 bits");
  }
  uint32_t grid[3];
  return grid_of(k, p, grid, r);
}

double predict_us(const gpuopt_problem *p) {
  int64_t ns = 0;
  return value_of(kernel_of(p).time_ns, *p, &ns) ? static_cast<double>(ns) * 1e-3 : 0;
}

// What has no value is more than there is.
size_t bytes_of(const Expression &e, const gpuopt_problem &p) {
  int64_t bytes = 0;
  if (!e.is_given()) return 0;
  return value_of(e, p, &bytes) && bytes >= 0 ? static_cast<size_t>(bytes) : SIZE_MAX / 2;
}

void workspace(const gpuopt_problem *p, size_t *scratch, size_t *zeroed) {
  *scratch = bytes_of(kernel_of(p).scratch, *p);
  *zeroed = bytes_of(kernel_of(p).zeroed, *p);
}

gpuopt_status prepare(const gpuopt_problem *p, const gpuopt_launch *launch) {
  const ImageKernel &k = kernel_of(p);
  return k.code.prepare(k.code.for_device(p->device->cc), k.parameter_sizes, k.shape, launch);
}

double scalar_of(const Argument &a, const gpuopt_problem &p) {
  switch (a.scalar) {
    case Scalar::alpha:
      return p.alpha;
    case Scalar::beta:
      return p.beta;
    case Scalar::eps:
      return p.eps;
    default:
      return p.stage[a.operand].value[a.value];
  }
}

union Value {
  void *pointer;
  int64_t of_64;
  int32_t of_32;
  double f64;
  float f32;
};

// can_run has seen that every integer has a value that fits.
Value value_of(const Argument &a, const gpuopt_problem &p, const gpuopt_launch &launch) {
  Value v = {};
  int64_t number = 0;
  switch (a.kind) {
    case Argument::Kind::operand:
      v.pointer = operand_at(p, a.operand).m.data;
      break;
    case Argument::Kind::scratch:
      v.pointer = launch.scratch;
      break;
    case Argument::Kind::zeroed:
      v.pointer = launch.zeroed;
      break;
    case Argument::Kind::null:
      break;
    case Argument::Kind::integer:
      static_cast<void>(value_of(a.expression, p, &number));
      if (a.bytes == 8)
        v.of_64 = number;
      else
        v.of_32 = static_cast<int32_t>(number);
      break;
    case Argument::Kind::scalar:
      if (a.bytes == 8)
        v.f64 = scalar_of(a, p);
      else
        v.f32 = static_cast<float>(scalar_of(a, p));
      break;
  }
  return v;
}

gpuopt_status launch(const gpuopt_problem *p, const gpuopt_launch *launch) {
  const ImageKernel &k = kernel_of(p);
  Value values[64];
  void *params[64];
  const size_t n = k.arguments.size();
  for (size_t i = 0; i < n; ++i) {
    values[i] = value_of(k.arguments[i], *p, *launch);
    params[i] = &values[i];
  }
  uint32_t grid[3];
  gpuopt_reject reject;
  if (!grid_of(k, *p, grid, &reject)) return GPUOPT_INTERNAL;  // can_run has seen it
  return k.code.launch(*k.code.for_device(p->device->cc), grid, k.shape, params, launch);
}

}  // namespace

void set_functions(ImageKernel *kernel) {
  gpuopt_kernel &k = kernel->kernel;
  for (size_t i = 0; i < kernel->arguments.size(); ++i)
    if (!always_fits(kernel->arguments[i], k)) kernel->checked_arguments.push_back(static_cast<uint8_t>(i));
  k.can_run = can_run;
  k.predict_us = kernel->time_ns.is_given() ? predict_us : nullptr;
  k.workspace = kernel->scratch.is_given() || kernel->zeroed.is_given() ? workspace : nullptr;
  k.prepare = prepare;
  k.launch = launch;
  k.data = kernel;
}

}  // namespace gpuopt
