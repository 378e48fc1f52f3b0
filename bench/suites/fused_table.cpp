// fused_act over types, chains and alignments: is any combination slow in silence? Every cell is the automatic choice's time
// against the copy of the same bytes and against the bound of the call: the slowest of that copy, of the arithmetic
// instructions and of the special functions that its elements need at the least.
#include <algorithm>
#include <cstdio>
#include <map>

#include "../core/copy.h"
#include "../core/error.h"
#include "gpuopt_call/text.h"
#include "plans.h"

namespace gpuopt_bench {
namespace {

constexpr int64_t kRows = 8192, kCols = 8192, kOddCols = 8191, kPad = 5;

struct Types {
  gpuopt_dtype x, out, matrix, vector;  // matrix and vector: of the stages' operands
};
constexpr Types kTypes[] = {
    {GPUOPT_F32, GPUOPT_F32, GPUOPT_F32, GPUOPT_F32},     {GPUOPT_F16, GPUOPT_F16, GPUOPT_F16, GPUOPT_F16},
    {GPUOPT_BF16, GPUOPT_BF16, GPUOPT_BF16, GPUOPT_BF16}, {GPUOPT_F32, GPUOPT_BF16, GPUOPT_BF16, GPUOPT_F32},
    {GPUOPT_BF16, GPUOPT_F32, GPUOPT_BF16, GPUOPT_BF16},  {GPUOPT_BF16, GPUOPT_E4M3, GPUOPT_BF16, GPUOPT_BF16},
    {GPUOPT_E4M3, GPUOPT_BF16, GPUOPT_BF16, GPUOPT_F32},  {GPUOPT_I8, GPUOPT_I8, GPUOPT_I8, GPUOPT_F32},
    {GPUOPT_F64, GPUOPT_F64, GPUOPT_F64, GPUOPT_F64},
};

// How x, out and the matrices of the stages lie.
enum class Lie { aligned, odd_width, padded, offset, x_offset, columns, x_columns };
struct Lying {
  Lie lie;
  const char *name;
};
constexpr Lying kLies[] = {
    {Lie::aligned, "aligned"},
    {Lie::odd_width, "odd width, packed"},
    {Lie::padded, "leading dimension odd"},
    {Lie::offset, "all bases off by one element"},
    {Lie::x_offset, "x off by one element"},
    {Lie::columns, "all column-major"},
    {Lie::x_columns, "x column-major"},
};

// What a stage costs each element at the least: fp32 instructions and special functions.
struct Part {
  int32_t stage, form;  // form: GPUOPT_SCALAR, or the operand's
  double value[2];
  int instructions, special;
};
struct Chain {
  const char *name;
  std::vector<Part> parts;
};
const std::vector<Chain> &chains() {
  constexpr int32_t kNumber = GPUOPT_SCALAR, kCol = GPUOPT_PER_COL, kRow = GPUOPT_PER_ROW, kMatrix = GPUOPT_MATRIX;
  const Part add_bias = {GPUOPT_STAGE_ADD, kCol, {1, 0}, 1, 0}, relu = {GPUOPT_STAGE_RELU, kNumber, {0, 0}, 1, 0},
             scale = {GPUOPT_STAGE_MUL, kNumber, {1.25, 0}, 1, 0}, gelu = {GPUOPT_STAGE_GELU, kNumber, {0, 0}, 9, 1},
             gelu_tanh = {GPUOPT_STAGE_GELU_TANH, kNumber, {0, 0}, 5, 2},
             silu = {GPUOPT_STAGE_SILU, kNumber, {0, 0}, 3, 2}, tanh = {GPUOPT_STAGE_TANH, kNumber, {0, 0}, 12, 2},
             multiply = {GPUOPT_STAGE_MUL, kMatrix, {1, 0}, 1, 0}, add = {GPUOPT_STAGE_ADD, kMatrix, {1, 0}, 1, 0},
             multiply_row = {GPUOPT_STAGE_MUL, kRow, {1, 0}, 1, 0},
             multiply_col = {GPUOPT_STAGE_MUL, kCol, {1, 0}, 1, 0}, half = {GPUOPT_STAGE_ADD, kNumber, {0.5, 0}, 1, 0},
             clamp = {GPUOPT_STAGE_CLAMP, kNumber, {-1, 1}, 2, 0}, store = {GPUOPT_STAGE_STORE, kMatrix, {0, 0}, 0, 0},
             relu_grad = {GPUOPT_STAGE_RELU_GRAD, kMatrix, {0, 0}, 2, 0},
             gelu_grad = {GPUOPT_STAGE_GELU_GRAD, kMatrix, {0, 0}, 16, 2},
             silu_grad = {GPUOPT_STAGE_SILU_GRAD, kMatrix, {0, 0}, 6, 2};
  static const std::vector<Chain> all = {
      {"relu", {relu}},
      {"bias, relu, scale", {add_bias, relu, scale}},
      {"bias, gelu_tanh", {add_bias, gelu_tanh}},
      {"bias, gelu", {add_bias, gelu}},
      {"silu, mul matrix", {silu, multiply}},
      {"bias, gelu, add matrix", {add_bias, gelu, add}},
      {"bias, relu, mul per_col, add, clamp", {add_bias, relu, multiply_col, half, clamp}},
      {"bias, gelu, mul per_row, add, clamp", {add_bias, gelu, multiply_row, half, clamp}},
      {"relu_grad", {relu_grad}},
      {"gelu_grad", {gelu_grad}},
      {"silu_grad", {silu_grad}},
      {"bias, store, gelu", {add_bias, store, gelu}},
      {"mul per_row", {multiply_row}},
      {"gelu, tanh, silu", {gelu, tanh, silu}},
  };
  return all;
}

bool has_matrix(const Part &p) { return p.form == GPUOPT_MATRIX; }

gpuopt_matrix matrix_of(void *data, gpuopt_dtype dtype, Lie lie, bool is_x) {
  const int64_t cols = lie == Lie::odd_width ? kOddCols : kCols;
  gpuopt_matrix m = gpuopt_mat(data, kRows, cols, dtype);
  if (lie == Lie::columns || (lie == Lie::x_columns && is_x)) {
    m.layout = GPUOPT_COL;
    m.ld = kRows;
  }
  if (lie == Lie::padded) m.ld = kCols + kPad;
  if (lie == Lie::offset || (lie == Lie::x_offset && is_x))
    m.data = static_cast<char *>(data) + gpuopt_dtype_size(dtype);
  return m;
}

// The operands of one combination of types, for every chain and lie.
enum { kX, kOut, kMatrix, kAside, kVector };
OperandSets operands_of(const Types &t, cudaStream_t stream) {
  const int64_t room = kRows * (kCols + kPad) + 64;
  return OperandSets({{t.x, room}, {t.out, room}, {t.matrix, room}, {t.matrix, room}, {t.vector, kRows + kCols}}, 1,
                     stream);
}

struct Cell {
  std::vector<gpuopt_stage> stages;
  gpuopt_fused_act_args args = GPUOPT_FUSED_ACT_ARGS_INIT;
  int64_t bytes = 0;
  double instructions = 0, special = 0;  // of an element
};

// Loading or storing and converting an element of this type.
double move_cost(gpuopt_dtype dtype) {
  const auto size = static_cast<double>(gpuopt_dtype_size(dtype));
  return size / 16 + (size == 2 ? 0.75 : size == 1 ? 1 : 0);
}

Cell make_cell(const OperandSets &operands, const Types &t, Lie lie, const Chain &chain) {
  Cell cell;
  cell.args.x = matrix_of(operands.at(kX, 0), t.x, lie, true);
  cell.args.out = matrix_of(operands.at(kOut, 0), t.out, lie, false);
  const int64_t count = cell.args.x.rows * cell.args.x.cols;
  cell.bytes = count * static_cast<int64_t>(gpuopt_dtype_size(t.x) + gpuopt_dtype_size(t.out));
  cell.instructions = move_cost(t.x) + move_cost(t.out);
  for (const Part &p : chain.parts) {
    gpuopt_stage stage = gpuopt_act(p.stage, p.value[0], p.value[1]);
    if (has_matrix(p)) {
      const size_t operand = p.stage == GPUOPT_STAGE_STORE ? kAside : kMatrix;
      const int32_t form = p.stage == GPUOPT_STAGE_ADD || p.stage == GPUOPT_STAGE_MUL ? GPUOPT_MATRIX : GPUOPT_SCALAR;
      stage = gpuopt_act_with(p.stage, form, matrix_of(operands.at(operand, 0), t.matrix, lie, false));
      cell.bytes += count * static_cast<int64_t>(gpuopt_dtype_size(t.matrix));
      cell.instructions += move_cost(t.matrix);
    } else if (p.form != GPUOPT_SCALAR) {
      const bool per_row = p.form == GPUOPT_PER_ROW;
      stage = gpuopt_act_with(
          p.stage, p.form,
          gpuopt_mat(operands.at(kVector, 0), per_row ? kRows : 1, per_row ? 1 : cell.args.x.cols, t.vector));
    }
    cell.instructions += p.instructions;
    cell.special += p.special;
    cell.stages.push_back(stage);
  }
  return cell;
}

// What a special function of fp64 takes of the fp64 units, in instructions; they are half as many as those of fp32.
constexpr double kDoubleSpecial = 15, kDoubleShare = 2;

class Table {
 public:
  Table(Context &context, std::string suite, std::string problem = "")
      : context_(context), suite_(std::move(suite)), problem_(std::move(problem)) {}
  // Every chain with operands of these types that lie in each of these ways.
  template <class Lies>
  void run(const Types &t, const Lies &lies, bool quick) {
    const std::string type = std::string(gpuopt_dtype_name(t.x)) + (t.x == t.out ? "" : ">") +
                             (t.x == t.out ? "" : gpuopt_dtype_name(t.out));
    std::unique_ptr<OperandSets> operands;
    for (const auto &lie : lies)
      for (const Chain &chain : chains()) {
        Case c = named_case(suite_, lie.name, type, chain.name);
        c.problem = problem_;
        if (left_out(context_, c, quick)) continue;
        try {
          if (operands == nullptr) operands = std::make_unique<OperandSets>(operands_of(t, context_.session.stream()));
          measure(c, *operands, t, lie.lie, chain);
        } catch (const Refused &refused) {
          report_left_out(c, refused.what());
          add_failure(context_, c, refused.what());
        }
      }
  }
  void print_worst() const {
    for (const auto &worst : {std::make_pair("copy", &Row::against_ceiling), {"bound", &Row::against_bound}}) {
      const Row *least = nullptr;
      for (const Row &r : context_.record.rows)
        if (r.suite == suite_ && r.timing.ok() && (least == nullptr || r.*worst.second < least->*worst.second))
          least = &r;
      if (least != nullptr)
        std::printf("worst of %s: %.3f  %s, %s, %s (%s)\n", worst.first, least->*worst.second, least->shape.c_str(),
                    least->type.c_str(), least->detail.c_str(), least->kernel.c_str());
    }
  }

 private:
  MeasureOptions options(int64_t bytes) const {
    MeasureOptions o;
    o.bytes_per_set = bytes;
    o.budget_ms = 2;
    o.least = 5;
    o.most = 15;
    return o;
  }
  // The faster copy that reads and writes half of these bytes each.
  double copy_us(int64_t bytes) {
    double &least = copies_[bytes];
    if (least > 0) return least;
    const auto half = static_cast<size_t>(bytes / 2 / 256 * 256);
    const OperandSets pair({{GPUOPT_U8, bytes / 2}, {GPUOPT_U8, bytes / 2}}, 1, context_.session.stream());
    MeasureOptions o = options(bytes);
    o.most = 31;
    o.budget_ms = 6;
    for (const Timing &t : context_.session.measure(copy_contenders(context_.session, pair, 0, 1, half), o))
      if (t.ok() && (least == 0 || t.median_us < least)) least = t.median_us;
    return least;
  }
  double bound_us(const Cell &cell, const Types &t, double copy) const {
    const DeviceInfo &device = context_.session.device();
    const double rate = 1.0 * device.sm_count * device.max_sm_mhz;  // of one lane, in each microsecond
    const double count = static_cast<double>(cell.args.x.rows * cell.args.x.cols);
    const bool wide = t.x == GPUOPT_F64;
    const double issue =
        count * (wide ? kDoubleShare * (cell.instructions + kDoubleSpecial * cell.special) : cell.instructions) /
        (128 * rate);
    const double special = wide ? 0 : count * cell.special / (16 * rate);
    return std::max(copy, std::max(issue, special));
  }
  void measure(const Case &c, const OperandSets &operands, const Types &t, Lie lie, const Chain &chain) {
    auto cell = std::make_shared<Cell>(make_cell(operands, t, lie, chain));
    cell->args.stages = cell->stages.data();
    cell->args.stage_count = static_cast<int32_t>(cell->stages.size());
    const double copy = copy_us(cell->bytes), bound = bound_us(*cell, t, copy);
    const LibraryCall call = library_call(std::vector<gpuopt_fused_act_args>{cell->args});
    Row r = row_of(c, Mode::single);
    const AbleKernel chosen = chosen_of(context_.library.able_kernels(call));
    r.kernel = chosen.kernel;
    r.predicted_us = chosen.predicted_us;
    r.call = gpuopt_call::text_of(gpuopt_call::call_of(call->front().get()));
    std::vector<Contender> contenders = {context_.library.automatic(call)};
    if (context_.other != nullptr) contenders.push_back(other_build(*context_.other, call));
    const std::vector<Timing> timings = measure_against(context_, contenders, options(cell->bytes));
    r.timing = timings[0];
    r.contender = contenders[0].name;
    r.role = Role::automatic;
    r.unit = "GB/s";
    if (r.timing.ok() && r.timing.median_us > 0) {
      r.rate = static_cast<double>(cell->bytes) / r.timing.median_us * 1e-3;
      r.against_ceiling = copy / r.timing.median_us;
      r.against_bound = bound / r.timing.median_us;
    }
    std::printf("%-28s %-10s %-36s %-18s %8.2f us %6.0f GB/s  of copy %.3f  of bound %.3f (%.1f us)%s\n",
                c.shape.c_str(), c.type.c_str(), c.detail.c_str(), r.kernel.c_str(), r.timing.median_us, r.rate,
                r.against_ceiling, r.against_bound, bound, r.timing.ok() ? "" : r.timing.failure.c_str());
    context_.record.rows.push_back(std::move(r));
    if (context_.other == nullptr) return;
    Row other = row_of(c, Mode::single);
    other.contender = contenders[1].name;
    other.kernel = context_.other->chosen(call->front().get());
    other.timing = timings[1];
    context_.record.rows.push_back(std::move(other));
  }

  Context &context_;
  std::string suite_, problem_;
  std::map<int64_t, double> copies_;
};

}  // namespace

void run_fused_table(Context &context) {
  Table table(context, "fused_table");
  for (const Types &t : kTypes) table.run(t, kLies, t.x == GPUOPT_BF16 && t.out == GPUOPT_BF16);
  table.print_worst();
}

FusedCells read_fused_cells(const std::string &text) {
  FusedCells cells;
  const size_t colon = text.find(':');
  for (const auto &lie : kLies)
    if (text.substr(0, colon) == lie.name) cells.lie = static_cast<int>(&lie - kLies);
  for (const Types &t : kTypes)
    if (colon != std::string::npos && t.x == t.out && text.substr(colon + 1) == gpuopt_dtype_name(t.x))
      cells.types = static_cast<int>(&t - kTypes);
  if (cells.lie < 0 || cells.types < 0) throw BadShape("'" + text + "' is no part of the table of chains");
  return cells;
}

void run_fused_cells(Context &context, const std::string &suite, const std::string &problem, const FusedCells &cells) {
  Table(context, suite, problem).run(kTypes[cells.types], std::vector<Lying>{kLies[cells.lie]}, true);
}

}  // namespace gpuopt_bench
