// From the user's args to a gpuopt_problem: the checks and facts that all ops share. Each op's own part is in
// ops/.
#pragma once
#include <cstdio>
#include <initializer_list>
#include <string>
#include <utility>

#include "../common/block_scales.h"
#include "gpuopt/kernel.h"

namespace gpuopt {

// How a problem is built: for a call (pointers matter) or for explain (pointers may be missing, alignments
// stated).
struct BuildOptions {
  const char *function;                             // "gpuopt_gemm", first word of every message
  const gpuopt_explain_options *explain = nullptr;  // nullptr for a call
  const void *args = nullptr;                       // the user's, whose shapes messages give
};

// One op: the size of its args, and the function that validates a copy of them and builds the problem. build
// sets everything but space, capturing, workspace_limit and device.
struct OpDefinition {
  const char *function;
  size_t args_size;
  gpuopt_status (*build)(const void *args, const BuildOptions &options, gpuopt_problem *problem);
};
const OpDefinition *find_op(int32_t op);  // nullptr for no such op

enum class Role { input, output };

// Validates one matrix of the call, resolves its ld and batch stride, and computes its facts. field is its
// name in messages ("a", "stages[2].b").
gpuopt_status take_matrix(const BuildOptions &options, const char *field, const gpuopt_matrix &matrix, int64_t batch,
                          Role use, int32_t user_operand, gpuopt_operand *out);

// The same for an input that may have scales of blocks (gpuopt_scales); scales: these as a matrix of floats, absent where it has
// none.
gpuopt_status take_factor(const BuildOptions &options, const char *field, const gpuopt_matrix &matrix, int64_t batch,
                          int32_t user_operand, gpuopt_operand *out, gpuopt_operand *scales);

// The same for a vector operand (n x 1 or 1 x n): normal form ROW, n x 1, element i at i * ld.
gpuopt_status take_vector(const BuildOptions &options, const char *field, const gpuopt_matrix &matrix, int64_t rows,
                          int64_t cols, int64_t batch, Role use, int32_t user_operand, gpuopt_operand *out);

// Fails unless matrix is rows x cols.
gpuopt_status require_shape(const BuildOptions &options, const char *field, const gpuopt_matrix &matrix, int64_t rows,
                            int64_t cols, const char *why);

using NamedMatrices = std::initializer_list<std::pair<const char *, const gpuopt_matrix *>>;

// The batch, and of the matrices that need not be set what holds whether they are or not. These also tell an empty batch from
// args that were cleared.
gpuopt_status check_common(const BuildOptions &options, int64_t batch, NamedMatrices optional);

// It has no scales of blocks.
gpuopt_status check_reserved(const BuildOptions &options, const char *field, const gpuopt_matrix &matrix);

// A pointer to one float or double, by its size, or NULL.
gpuopt_status check_scalar(const BuildOptions &options, const char *field, const void *pointer, size_t size);

// Takes the stage list of an output that is rows x cols into problem->stage, before swapping.
gpuopt_status take_stages(const BuildOptions &options, const gpuopt_stage *stages, int32_t count, int64_t rows,
                          int64_t cols, gpuopt_problem *problem);

bool stage_has_form(int32_t kind);               // ADD, SUB and MUL: scalar, vector or matrix
int stage_operands(int32_t kind, int32_t form);  // 0 to 2

// Transposes views in place: one operand, or every stage of the problem (per-row and per-column change
// places).
void transpose_operand(gpuopt_operand *operand);
void transpose_stages(gpuopt_problem *problem);

// A matrix in memory: lines, ld elements apart, of so many elements side by side.
inline int64_t contiguous_extent(const gpuopt_matrix &m) { return m.layout == GPUOPT_ROW ? m.cols : m.rows; }
inline int64_t line_count(const gpuopt_matrix &m) { return m.layout == GPUOPT_ROW ? m.rows : m.cols; }

// A row or column whose elements are neighbours in memory is one line of one layout or many of one element in the other. As
// one line it is contiguous and its ld means nothing, which is how kernels like it; a single element is a row.
bool can_be_one_line(const gpuopt_matrix &matrix);
bool make_one_line(const BuildOptions &options, int64_t batch, gpuopt_operand *operand);  // true: it was not

// Refuses provable overlap of the written operand with the other; exact_ok: the very same elements may
// coincide.
gpuopt_status check_overlap(const BuildOptions &options, const char *written_field, const gpuopt_operand &written,
                            const char *other_field, const gpuopt_operand &other, int64_t batch, bool exact_ok);

// From its first byte to one past the last; false: it has none, or is nowhere.
bool byte_range(const gpuopt_operand &operand, int64_t batch, uint64_t *begin, uint64_t *end);

// Are both views the same elements at the same places (types may differ in kind, not in size)?
bool same_elements(const gpuopt_operand &a, const gpuopt_operand &b);

// Feature bits that depend on operands alone: BATCH, BROADCAST, LARGE.
uint32_t common_features(const gpuopt_problem &problem);

bool is_empty(const gpuopt_problem &problem);  // no element of the output: the call does nothing
// ... but where a norm of rows without elements has statistics all the same.
bool has_empty_statistics(const gpuopt_problem &problem);

int32_t power_of_two_in(uint64_t value);  // the largest that divides it, at most 256; 256 for 0

bool is_zero_matrix(const gpuopt_matrix &matrix);  // nothing set: the operand is absent

std::string shape_text(const gpuopt_matrix &matrix);  // "3x4"
inline const char *layout_text(int32_t layout) { return layout == GPUOPT_ROW ? "row" : "col"; }
// The user's name of an operand: "a", "stages[1].b".
std::string operand_name(int32_t op, int32_t user_operand);
// What the user wrote for it; args: a struct of the op; nullptr for no such operand.
const gpuopt_matrix *user_matrix(const void *args, int32_t user_operand);

// Calls fn(operand) for every operand that is present, stage operands included.
template <class Function>
void for_each_operand(const gpuopt_problem &p, Function &&fn) {
  for (const gpuopt_operand &o : p.operand)
    if (o.m.dtype != 0) fn(o);
  for (const gpuopt_operand &o : p.extra)
    if (o.m.dtype != 0) fn(o);
  for (int32_t i = 0; i < p.stage_count; ++i) {
    if (p.stage[i].a.m.dtype != 0) fn(p.stage[i].a);
    if (p.stage[i].b.m.dtype != 0) fn(p.stage[i].b);
  }
}

}  // namespace gpuopt
