/* gpuopt.h - the public C API of gpuopt. This header is the manual.
 *
 * gpuopt runs six operations on matrices, each through many implementations ("kernels"), from a naive loop
 * to the tensor cores, and picks the fastest that can run the problem at hand on the device at hand:
 *
 *     gpuopt_gemm        D = stages(alpha * A * B + beta * C)
 *     gpuopt_transpose   dst = transpose(src)
 *     gpuopt_reduce      one value per row, per column, or per matrix
 *     gpuopt_fused_act   out = stages(x), up to 8 element-wise stages in one pass
 *     gpuopt_norm        out = stages(norm(x)), layer norm, RMS norm or softmax of each row
 *     gpuopt_gemm_grouped   one gemm for each group of rows, with a matrix of its own: mixtures of experts; or a list of
 *                           products, each of its own shape
 *
 * The shortest complete program. Its matrices are HOST data, so that the CPU computes it even where there is a GPU; for a GPU
 * they would be memory of gpuopt_malloc:
 *
 *     #include <gpuopt/gpuopt.h>
 *     #include <stdio.h>
 *     int main(void) {
 *       float a[2*3] = {1,2,3, 4,5,6}, b[3*2] = {1,0, 0,1, 1,1}, d[2*2];
 *       gpuopt_handle *h;
 *       if (gpuopt_create(&h, NULL) != GPUOPT_OK) { puts(gpuopt_last_error()); return 1; }
 *       gpuopt_gemm_args g = GPUOPT_GEMM_ARGS_INIT;
 *       g.a = gpuopt_mat(a, 2, 3, GPUOPT_F32);
 *       g.b = gpuopt_mat(b, 3, 2, GPUOPT_F32);
 *       g.d = gpuopt_mat(d, 2, 2, GPUOPT_F32);
 *       if (gpuopt_gemm(h, &g) != GPUOPT_OK) puts(gpuopt_last_error());
 *       gpuopt_destroy(h);
 *       return 0;
 *     }
 *
 * Rules that hold for every call
 * - Errors. Each call returns a status; when it is not GPUOPT_OK, gpuopt_last_error() names the function, the
 *   field, its value and the rule, and nothing was written. The library never exits, throws, aborts, or prints
 *   to stdout. Where memory runs out, at any place, the status is OUT_OF_MEMORY and the handle works as before; but a
 *   call that has written its output returns OK, even where it cannot count or log itself.
 * - Order. Work is issued on the handle's stream and is asynchronous on a GPU. gpuopt_synchronize() waits.
 * - Threads. A handle serves one call at a time. Different handles are independent. CPU kernels share one pool of
 *   threads, which block signals and are joined when the library is unloaded; it may be once no handle is left and no call
 *   runs. A call needs at most 64 KiB of stack, 96 where cuBLAS runs it; the first on a GPU, which loads code, what the
 *   driver needs.
 * - Callbacks, and functions of kernels, run inside a call, which has its handle to itself: any other call with it is
 *   refused with INVALID_ARGUMENT, gpuopt_destroy by doing nothing but setting gpuopt_last_error(). Only
 *   gpuopt_get_device, gpuopt_last_kernel and section 5 may be used there; so may other handles. What they throw ends in the
 *   library: out of a log function or deallocate it is dropped, out of an explain function it is INVALID_ARGUMENT, out of
 *   allocate OUT_OF_MEMORY, out of a kernel INTERNAL, and std::bad_alloc is OUT_OF_MEMORY everywhere. None of them may be
 *   left by longjmp: the handle would stay in that call for good, refuse everything, and keep its memory.
 * - Cancellation of a thread waits for the end of the call. A callback that ends its thread (pthread_exit) unwinds through
 *   the library, and another thread may go on with the handle.
 * - Fork. A child goes on with handles of the CPU. CUDA does not survive fork: a call with a handle of a GPU from before
 *   returns CUDA_ERROR there, gpuopt_destroy frees its host memory only, and gpuopt_create finds no GPU.
 * - Floating point. Whatever the calling thread's environment - rounding, flushing of subnormals, traps, x87's precision -
 *   the library's choices and the CPU kernels' results are those of rounding to nearest without flushing and traps. The
 *   environment is left as it was found, exception flags included: what a call raises is not seen outside. Callbacks (log,
 *   explain, allocator) run in the caller's environment, and what they change of it stays changed. Kernels that an
 *   application registers run in the library's environment; the x87 flags that they raise may stay raised.
 * - Memory. Device, managed and pinned host memory are DEVICE data; pageable host memory is HOST data. Within
 *   one call all operands are of one space. HOST data on a GPU handle runs on the CPU where the fallback allows.
 * - Nothing is substituted in silence: a forced kernel runs, or the call fails with the reason.
 * - Structs. Structs that begin with struct_size start from their _INIT macro or its function, also those that the library
 *   fills: of these it writes no byte beyond struct_size. Matrices and stages are plain frozen structs. Reserved fields must be zero,
 *   in matrices that are not used too.
 *
 * C99; needs no CUDA header; int64 extents; all enum-valued fields are int32_t with pinned values.
 */
#ifndef GPUOPT_GPUOPT_H
#define GPUOPT_GPUOPT_H

#include <stddef.h>
#include <stdint.h>

#include "gpuopt/tables.h"

#define GPUOPT_VERSION_MAJOR 0
#define GPUOPT_VERSION_MINOR 1
#define GPUOPT_VERSION_PATCH 0
#define GPUOPT_VERSION_NUMBER (GPUOPT_VERSION_MAJOR * 10000 + GPUOPT_VERSION_MINOR * 100 + GPUOPT_VERSION_PATCH)

#if defined(__GNUC__)
#define GPUOPT_API __attribute__((visibility("default")))
#else
#define GPUOPT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct CUstream_st; /* cudaStream_t is a pointer to it */

/* ---- 1. Enumerations (values in tables.h) ------------------------------------------------------------- */

typedef int32_t gpuopt_status;
typedef int32_t gpuopt_dtype;

enum {
#define GPUOPT_X_(name, value, text) GPUOPT_##name = value,
  GPUOPT_STATUS_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
};
enum { /* GPUOPT_F32 ... ; 0 is no type */
#define GPUOPT_X_(name, value, bytes, text, cls, what) GPUOPT_##name = value,
       GPUOPT_DTYPE_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
#define GPUOPT_X_(...) +1
           GPUOPT_DTYPE_COUNT_ = 1 GPUOPT_DTYPE_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
};
enum { /* GPUOPT_COMPUTE_DEFAULT ... */
#define GPUOPT_X_(name, value, text, what) GPUOPT_COMPUTE_##name = value,
       GPUOPT_COMPUTE_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
#define GPUOPT_X_(...) +1
           GPUOPT_COMPUTE_COUNT_ = 0 GPUOPT_COMPUTE_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
};
enum { /* GPUOPT_STAGE_RELU ... */
#define GPUOPT_X_(name, value, operands, scalars, what) GPUOPT_STAGE_##name = value,
       GPUOPT_STAGE_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
#define GPUOPT_X_(...) +1
           GPUOPT_STAGE_COUNT_ = 1 GPUOPT_STAGE_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
};
enum { /* GPUOPT_REDUCE_SUM ... */
#define GPUOPT_X_(name, value, what, empty) GPUOPT_REDUCE_##name = value,
       GPUOPT_REDUCE_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
#define GPUOPT_X_(...) +1
           GPUOPT_REDUCE_COUNT_ = 1 GPUOPT_REDUCE_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
};
enum { /* GPUOPT_NORM_LAYERNORM ... */
#define GPUOPT_X_(name, value, what) GPUOPT_NORM_##name = value,
       GPUOPT_NORM_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
#define GPUOPT_X_(...) +1
           GPUOPT_NORM_COUNT_ = 1 GPUOPT_NORM_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
};
enum { /* GPUOPT_REJECT_ARCH ... */
#define GPUOPT_X_(name, value, what) GPUOPT_REJECT_##name = value,
       GPUOPT_REJECT_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
#define GPUOPT_X_(...) +1
           GPUOPT_REJECT_COUNT_ = 0 GPUOPT_REJECT_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
};

enum {
  GPUOPT_OP_GEMM = 1,
  GPUOPT_OP_TRANSPOSE = 2,
  GPUOPT_OP_REDUCE = 3,
  GPUOPT_OP_FUSED_ACT = 4,
  GPUOPT_OP_NORM = 5,
  GPUOPT_OP_GEMM_GROUPED = 6,
  GPUOPT_OP_COUNT_ = 7
};
enum { GPUOPT_ROW = 0, GPUOPT_COL = 1 };
enum { GPUOPT_EACH_ROW = 1, GPUOPT_EACH_COL = 2, GPUOPT_ALL = 3 };
enum { GPUOPT_SCALAR = 0, GPUOPT_PER_ROW = 1, GPUOPT_PER_COL = 2, GPUOPT_MATRIX = 3 };
/* What shares one scale of a matrix, rows x columns: see gpuopt_scales. */
enum { GPUOPT_SCALE_ONE = 0, GPUOPT_SCALE_1X128 = 1, GPUOPT_SCALE_128X1 = 2, GPUOPT_SCALE_128X128 = 3 };
/* Where a call's data is: QUERY asks CUDA about each pointer; DEVICE and HOST are the caller's word, see "Memory" above. */
enum { GPUOPT_SPACE_QUERY = 0, GPUOPT_SPACE_DEVICE = 1, GPUOPT_SPACE_HOST = 2 };
enum { GPUOPT_DEVICE_AUTO = -1, GPUOPT_DEVICE_CPU = -2 }; /* >= 0: a CUDA ordinal */
/* When CPU kernels stand in for those of a GPU: DEFAULT is what GPUOPT_CPU_FALLBACK says, else AUTO; AUTO: there is no usable
 * device, or the data is HOST; NEVER: gpuopt_create or the call fails in their place; ALWAYS: no GPU is used. */
enum { GPUOPT_FALLBACK_DEFAULT = 0, GPUOPT_FALLBACK_AUTO = 1, GPUOPT_FALLBACK_NEVER = 2, GPUOPT_FALLBACK_ALWAYS = 3 };
enum {                                         /* bits of args.flags */
       GPUOPT_ALLOW_NONDETERMINISTIC = 1,      /* results may differ in the last bits from run to run */
       GPUOPT_ALLOW_INTERMEDIATE_ROUNDING = 2, /* a two-step kernel may round to the output type in between */
       GPUOPT_REQUIRE_BATCH_INVARIANT = 4 /* reduce, gemm: a row's bits depend on its values alone (gemm: and on B),
                                             however many rows there are; gemm_grouped and norm cannot, and refuse it */
};
/* Why a kernel was chosen: NONE: it was not; FORCED: by its name; TUNED: by a tuned entry; PREDICTED: its predicted time is the
 * least; CPU_FALLBACK: as PREDICTED, of a CPU kernel that stands in for one of a GPU. */
enum {
  GPUOPT_HOW_NONE = 0,
  GPUOPT_HOW_FORCED = 1,
  GPUOPT_HOW_TUNED = 2,
  GPUOPT_HOW_PREDICTED = 3,
  GPUOPT_HOW_CPU_FALLBACK = 4
};
enum { GPUOPT_TUNE_EXACT = 1, GPUOPT_TUNE_CLASS = 2 }; /* what a tuned entry speaks of: see gpuopt_tune_key */
/* Of a candidate: REJECTED cannot run the call, ACCEPTED could, CHOSEN would. */
enum { GPUOPT_VERDICT_REJECTED = 0, GPUOPT_VERDICT_ACCEPTED = 1, GPUOPT_VERDICT_CHOSEN = 2 };
enum { /* which operand a reject speaks of */
       GPUOPT_OPERAND_NONE = -1,
       GPUOPT_OPERAND_A = 0,
       GPUOPT_OPERAND_B = 1,
       GPUOPT_OPERAND_C = 2,
       GPUOPT_OPERAND_D = 3, /* gemm */
       GPUOPT_OPERAND_SRC = 0,
       GPUOPT_OPERAND_DST = 1, /* transpose */
       GPUOPT_OPERAND_X = 0,
       GPUOPT_OPERAND_Y = 1,
       GPUOPT_OPERAND_OUT = 2,
       GPUOPT_OPERAND_VALUE = 3,    /* reduce, fused_act */
       GPUOPT_OPERAND_RESIDUAL = 1, /* norm: X and OUT as above, and these */
       GPUOPT_OPERAND_SUM = 3,
       GPUOPT_OPERAND_GAMMA = 4,
       GPUOPT_OPERAND_BETA = 5,
       GPUOPT_OPERAND_STATISTICS = 6,
       GPUOPT_OPERAND_OFFSETS = 4, /* gemm_grouped: A to D as gemm, and these */
       GPUOPT_OPERAND_LIST = 5,
       GPUOPT_OPERAND_STAGE = 8 /* + stage index; the second operand of ADD_OUTER: + 8 more */
};

#define GPUOPT_MAX_STAGES 8
#define GPUOPT_PACKED (-INT64_C(1)) /* batch_stride: matrices follow each other without a gap */

/* ---- 2. Matrices and stages --------------------------------------------------------------------------- */

/* A matrix, or a batch of equal matrices. Element (i, j) of matrix p lies at
 *     data + p * batch_stride + (layout == GPUOPT_ROW ? i * ld + j : j * ld + i)     (in elements)
 * rows, cols    0 <= extent
 * ld            elements; >= cols (ROW) or rows (COL); 0 means packed, that is, equal to it
 * batch_stride  elements; GPUOPT_PACKED for ld * rows (ROW) or ld * cols (COL); 0 lets an input be shared by the
 *               whole batch and is illegal for an output; ignored when batch is 1
 * dtype         GPUOPT_F32 ...; 0 is invalid. data is aligned to the size of one element
 * scale         gemm with fp8: NULL for 1, or one float in the same space as data, not within what the call writes. An fp8
 *               A, B or C is multiplied by it when read; an fp8 D is multiplied by it before rounding. Other types: NULL
 * scales        zero; or, of an fp8 A or B of gemm and gemm_grouped, which blocks have a scale of their own: then scale points
 *               to the first of many
 */
/* Scales of blocks. Of an r x c matrix in blocks of p x q, both 1 or 128, element (i, j) is multiplied by S(i / p, j / q), where S
 * is a matrix of ceil(r / p) x ceil(c / q) floats at `scale`; the last blocks may be partial.
 * block   GPUOPT_SCALE_1X128 ... A block is 128 long along k, or the call is refused: A's are 1X128 (a scale for each row and
 *         128 of k) or 128X128, B's 128X1 or 128X128. GPUOPT_SCALE_ONE: scale is one float, and layout and ld are 0
 * layout  of S: GPUOPT_ROW or GPUOPT_COL
 * ld      of S, in floats; 0 means packed
 * In a batch, or in groups, the S of the matrices follow each other without a gap, ld * ceil(r / p) floats apart (ROW) or
 * ld * ceil(c / q) (COL); a matrix that all share has one. A view that gpuopt_t() transposes has its scales transposed with it. Sums
 * of 128 of k are multiplied by the product of their two scales, in fp32, which should lie in its range. A scale that is
 * infinite or NaN makes every result that its block is part of infinite or NaN; which of the two is not said. */
typedef struct gpuopt_scales {
  int32_t block, layout;
  int64_t ld;
} gpuopt_scales;
typedef struct gpuopt_matrix {
  void *data;
  int64_t rows, cols;
  int64_t ld;
  int64_t batch_stride;
  const float *scale;
  gpuopt_dtype dtype;
  int32_t layout;
  gpuopt_scales scales;
} gpuopt_matrix;

/* One element-wise step on the running value x at (i, j): see GPUOPT_STAGE_TABLE for what each kind yields.
 * A chain is evaluated in fp32 (in fp64 when x, out or the gemm's compute type is f64 or i32) and rounded once.
 * form    ADD, SUB, MUL: GPUOPT_SCALAR; PER_ROW: a is rows x 1 and acts as a(i); PER_COL: a is 1 x cols and acts as
 *         a(j); MATRIX: a is rows x cols. All other kinds: 0
 * value   scalars. For ADD, SUB, MUL with an operand and for ADD_OUTER, value[0] is a factor on the operand: the
 *         constructors below set 1, and 0 is refused because it is most likely forgotten
 * a, b    operands, each of its own dtype (any but i64 and b128), layout, ld and batch stride; unused ones zero
 */
typedef struct gpuopt_stage {
  int32_t kind;
  int32_t form;
  double value[2];
  gpuopt_matrix a, b;
  int64_t reserved[2];
} gpuopt_stage;

/* ---- 3. Arguments of the six operations --------------------------------------------------------------- */

/* Every args struct begins with these two; the _INIT macros set them. */
typedef struct gpuopt_args {
  size_t struct_size;
  int32_t op;
} gpuopt_args;

/* D = stages(alpha * A * B + beta * C), per matrix of the batch. A is m x k, B is k x n, C and D are m x n.
 * A transposed operand is a transposed view: gpuopt_t(b).
 * c            read only when beta is not 0; may equal d exactly (data, ld, layout, dtype, batch_stride) or be disjoint
 * alpha, beta  by value; or by alpha_ptr, beta_ptr: one float (one double when compute is F64 or I32) in the operands'
 *              space, aligned to its size, not within what the call writes, read when the kernel runs; the pointer wins
 *              over the value
 * compute      GPUOPT_COMPUTE_*; with the dtypes of a, b, c, d it must be a row of GPUOPT_GEMM_TABLE
 * k = 0 gives stages(beta * C). m, n or batch = 0 does nothing, here and in the other operations; but args that were
 * cleared rather than started from their _INIT macro are refused where it shows: batch = 0 and, in the output or in a matrix
 * that is not used, batch_stride = 0. Integer D is rounded to nearest even and saturates; fp8 D saturates, NaN stays NaN.
 * GPUOPT_REQUIRE_BATCH_INVARIANT: the bits of a row of D do not depend on m, on the layouts or on where operands lie. */
typedef struct gpuopt_gemm_args {
  size_t struct_size;
  int32_t op;
  int32_t compute;
  gpuopt_matrix a, b, c, d;
  double alpha, beta;
  const void *alpha_ptr, *beta_ptr;
  int64_t batch;
  const gpuopt_stage *stages;
  int32_t stage_count;
  uint32_t flags;
} gpuopt_gemm_args;

/* dst(j, i) = src(i, j), per matrix of the batch; src is r x c, dst is c x r, of one dtype (any). Out of place, or in
 * place for square matrices: dst equals src in data, ld, layout and batch_stride. */
typedef struct gpuopt_transpose_args {
  size_t struct_size;
  int32_t op;
  uint32_t flags;
  gpuopt_matrix src, dst;
  int64_t batch;
} gpuopt_transpose_args;

/* Reduces x (r x c), per matrix of the batch.
 * reduce    GPUOPT_REDUCE_*
 * axis      EACH_ROW: out is r x 1; EACH_COL: out is 1 x c; ALL: out is 1 x 1
 * y         DOT only: the second factor, shaped as x, of x's dtype
 * out       ARGMIN, ARGMAX: i64, the index within the reduced axis (ALL: i * c + j)
 *           float x: any of f16, bf16, f32, f64
 *           integer x: MIN, MAX in x's dtype or i64; SUM, PROD, SUMSQ, ASUM, DOT in i64; MEAN, NRM2 in f32 or f64
 * value     optional, ARGMIN and ARGMAX: the extreme value too, shaped as out, in x's dtype
 * Sums of 8-, 16- and 32-bit floats are kept in fp32 over several accumulators, of f64 in fp64, of integers in int64
 * (wrapping), but MEAN's and NRM2's of integers exactly: their result is right wherever it fits, in every kernel. A reduction
 * over no elements gives GPUOPT_REDUCE_TABLE's value; MIN, MAX, ARG* refuse it. */
typedef struct gpuopt_reduce_args {
  size_t struct_size;
  int32_t op;
  int32_t reduce;
  int32_t axis;
  uint32_t flags;
  gpuopt_matrix x, y, out, value;
  int64_t batch;
} gpuopt_reduce_args;

/* out = stages(x), per matrix of the batch, all stages in one pass in the order given. x and out are r x c, each of
 * any dtype but i64 and b128; out may equal x exactly in data, ld, layout, batch_stride and element size. A stage
 * operand may be out only if it is that same matrix, element for element. 0 stages convert the type. */
typedef struct gpuopt_fused_act_args {
  size_t struct_size;
  int32_t op;
  uint32_t flags;
  gpuopt_matrix x, out;
  int64_t batch;
  const gpuopt_stage *stages;
  int32_t stage_count;
  int32_t reserved0;
} gpuopt_fused_act_args;

/* out = stages(norm(h)), h = x + residual, per matrix of the batch; each row of h is normalised for itself. x and out are
 * r x c floats of any of the six float types.
 * norm        GPUOPT_NORM_*
 * residual    optional: added to x before the norm, in the compute type; r x c, any of the six float types
 * sum         optional, with residual: h, rounded to its type; r x c, any of the six float types
 * gamma, beta optional, LAYERNORM and RMSNORM: 1 x c, any type but i64 and b128; absent means 1 and 0
 * statistics  optional: r x 2, f32 (f64 where the norm is computed in f64). LAYERNORM: mean and rstd of each row; RMSNORM:
 *             0 and rstd; SOFTMAX and LOG_SOFTMAX: the greatest element and the sum of exp(h_i - greatest), which
 *             for a row of -inf alone is 0 or NaN. Rows without elements (c = 0): 0 and 0
 * eps         LAYERNORM, RMSNORM: added under the root; finite and not negative. Others: not looked at
 * out and sum may each equal x or residual exactly (data, ld, layout, batch_stride, element size). Computed in fp32, in
 * fp64 where x, residual or out is f64; rounded once after the stages. -inf is legal in a softmax row and gives 0.
 * LAYERNORM: what an element may be off by is a matter of the row's spread, not of its distance from 0, for every row whose
 * mean and variance fit the compute type; in GPU kernels, whose mean and sum of squares about it do, the latter with two digits
 * to spare. */
typedef struct gpuopt_norm_args {
  size_t struct_size;
  int32_t op;
  int32_t norm;
  uint32_t flags;
  int32_t reserved0;
  gpuopt_matrix x, residual, gamma, beta, out, sum, statistics;
  double eps;
  int64_t batch;
  const gpuopt_stage *stages;
  int32_t stage_count;
  int32_t reserved1;
} gpuopt_norm_args;

/* One product of a list, see gpuopt_gemm_grouped_args: D = stages(alpha * A * B + beta * C), A m x k, B k x n, C and D m x n.
 * a, b, c, d   element (0, 0) of each; aligned to an element; of what has no elements, and of a c that is not read, anything
 * lda ... ldd  leading dimensions in elements; 0: packed, that is this product's own extent; of what may be anything, anything */
typedef struct gpuopt_gemm_group {
  const void *a, *b, *c;
  void *d;
  int64_t m, n, k;
  int64_t lda, ldb, ldc, ldd;
  int64_t reserved;
} gpuopt_gemm_group;

/* One product for each group of rows: the rows of d from offsets[g] up to offsets[g + 1] become
 *     stages(alpha * A * B_g + beta * C)      of the same rows of a and c, for g = 0 .. groups - 1.
 * a is rows x k, c and d are rows x n: all groups below each other, each beginning at any row. b is `groups` matrices k x n,
 * batch_stride apart (GPUOPT_PACKED, or 0 for one that all share). Of a, c, d and offsets batch_stride is ignored. Rows that
 * lie in no group are not written.
 * offsets       1 x (groups + 1), i64 or i32, in the operands' space, read when the kernel runs and never by the host: a captured
 *               graph may be replayed with others in their place, and rows is then the most that they may speak of. They must
 *               ascend within 0 and rows, and nobody checks it: each counts as the nearest number from 0 to rows, and where they
 *               do not ascend a row of d has what it had or what one of the groups makes of it
 * host_offsets  in their place: groups + 1 numbers in host memory, read by the call and checked: ascending, within 0 and rows
 * c, alpha, beta, compute   as gemm's; one alpha and one beta are for all groups
 * stages        as gemm's, over the rows of all groups; a PER_COL vector, and ADD_OUTER's b, may be one for each group, by its
 *               batch_stride, or one for all, by 0. Other operands have one matrix, and their batch_stride is ignored
 * groups = 0 does nothing. Types, scales and rounding are gemm's; one scale is for all groups. Scales of blocks: A's are those of
 * the rows of all groups, so that 128X128 counts rows from the first on, whatever group they lie in; B's one S for each group.
 *
 * Or, in place of offsets, a list of `groups` products, each with extents and places of its own. a, b, c and d then say what all
 * have alike, type, layout and scale, and rows and cols that none exceeds, which is what the choice, explain and the workspace
 * go by; their data is NULL, their ld 0, and their batch_stride is ignored; scales of blocks are refused.
 * list          in the operands' space, read when the kernel runs and never by the host: in a captured graph another list may
 *               take its place. Nobody checks it: an extent counts as the nearest from 0 to what a, b and d say, and a d that
 *               overlaps anything is undefined
 * host_list     in its place: in host memory, read by the call and checked; a captured graph keeps the one it was captured with.
 *               Whether its pointers are device memory is asked of the first product that has elements
 * list_align    list: by GPUOPT_OPERAND_A to D, bytes, a power of two up to 256 that all its pointers and leading dimensions are
 *               multiples of, of which the caller answers; 0: an element. host_list: what it is, is seen, and this is 0
 * stages        over products as over a batch of `groups` matrices of d's rows and cols: an operand's matrix for product i lies
 *               i * batch_stride behind its first, or is one for all, by 0, and as much of it is read as the product is large */
typedef struct gpuopt_gemm_grouped_args {
  size_t struct_size;
  int32_t op;
  int32_t compute;
  gpuopt_matrix a, b, c, d, offsets;
  const int64_t *host_offsets;
  double alpha, beta;
  const void *alpha_ptr, *beta_ptr;
  int64_t groups;
  const gpuopt_stage *stages;
  int32_t stage_count;
  uint32_t flags;
  const gpuopt_gemm_group *list, *host_list;
  int32_t list_align[4];
} gpuopt_gemm_grouped_args;

/* The macros set alpha = 1, eps = 1e-5, batch = 1, groups = 1 and the op; everything else is zero. */
#define GPUOPT_MATRIX_INIT                                         \
  {                                                                \
    NULL, 0, 0, 0, GPUOPT_PACKED, NULL, 0, GPUOPT_ROW, { 0, 0, 0 } \
  }
#define GPUOPT_GEMM_ARGS_INIT                                                                                 \
  {                                                                                                           \
    sizeof(gpuopt_gemm_args), GPUOPT_OP_GEMM, GPUOPT_COMPUTE_DEFAULT, GPUOPT_MATRIX_INIT, GPUOPT_MATRIX_INIT, \
        GPUOPT_MATRIX_INIT, GPUOPT_MATRIX_INIT, 1.0, 0.0, NULL, NULL, 1, NULL, 0, 0                           \
  }
#define GPUOPT_TRANSPOSE_ARGS_INIT \
  { sizeof(gpuopt_transpose_args), GPUOPT_OP_TRANSPOSE, 0, GPUOPT_MATRIX_INIT, GPUOPT_MATRIX_INIT, 1 }
#define GPUOPT_REDUCE_ARGS_INIT                                                                         \
  {                                                                                                     \
    sizeof(gpuopt_reduce_args), GPUOPT_OP_REDUCE, GPUOPT_REDUCE_SUM, GPUOPT_ALL, 0, GPUOPT_MATRIX_INIT, \
        GPUOPT_MATRIX_INIT, GPUOPT_MATRIX_INIT, GPUOPT_MATRIX_INIT, 1                                   \
  }
#define GPUOPT_FUSED_ACT_ARGS_INIT \
  { sizeof(gpuopt_fused_act_args), GPUOPT_OP_FUSED_ACT, 0, GPUOPT_MATRIX_INIT, GPUOPT_MATRIX_INIT, 1, NULL, 0, 0 }
#define GPUOPT_NORM_ARGS_INIT                                                                                        \
  {                                                                                                                  \
    sizeof(gpuopt_norm_args), GPUOPT_OP_NORM, GPUOPT_NORM_LAYERNORM, 0, 0, GPUOPT_MATRIX_INIT, GPUOPT_MATRIX_INIT,   \
        GPUOPT_MATRIX_INIT, GPUOPT_MATRIX_INIT, GPUOPT_MATRIX_INIT, GPUOPT_MATRIX_INIT, GPUOPT_MATRIX_INIT, 1e-5, 1, \
        NULL, 0, 0                                                                                                   \
  }

#define GPUOPT_GEMM_GROUPED_ARGS_INIT                                                                                  \
  {                                                                                                                    \
    sizeof(gpuopt_gemm_grouped_args), GPUOPT_OP_GEMM_GROUPED, GPUOPT_COMPUTE_DEFAULT, GPUOPT_MATRIX_INIT,              \
        GPUOPT_MATRIX_INIT, GPUOPT_MATRIX_INIT, GPUOPT_MATRIX_INIT, GPUOPT_MATRIX_INIT, NULL, 1.0, 0.0, NULL, NULL, 1, \
        NULL, 0, 0, NULL, NULL, {                                                                                      \
      0, 0, 0, 0                                                                                                       \
    }                                                                                                                  \
  }

/* ---- 4. Handles --------------------------------------------------------------------------------------- */

typedef struct gpuopt_handle gpuopt_handle;

/* What the library knows of a device; predicates and predictions use nothing else. Bytes, MHz, GB/s (1e9). */
typedef struct gpuopt_device_facts {
  size_t struct_size;
  char name[64];
  int32_t ordinal; /* CUDA ordinal; -2 for the CPU */
  int32_t cc;      /* compute capability, 10 * major + minor; 0 for the CPU */
  int32_t sm_count;
  int32_t max_threads_per_sm, regs_per_sm;
  int32_t cpu_threads; /* threads CPU kernels use */
  int32_t cpu_isa;     /* 0 baseline, 1 avx2 (with FMA), 2 avx512 (F, BW, DQ, VL) */
  int32_t cublaslt;    /* 1: cuBLASLt is loaded or can be; 0: it is not there */
  int64_t smem_per_sm, smem_per_block, smem_per_block_optin;
  int64_t l2_bytes, memory_bytes;
  double clock_mhz, memory_gbs;
  int32_t driver_version, runtime_version; /* as CUDA encodes them; 0 for none */
} gpuopt_device_facts;
#define GPUOPT_DEVICE_FACTS_INIT \
  { sizeof(gpuopt_device_facts), {0}, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* NULL strings and zero fields mean: as the environment says, else the default. See docs/environment.md. */
typedef struct gpuopt_options {
  size_t struct_size;
  int32_t device;       /* GPUOPT_DEVICE_AUTO (first CUDA device, else the CPU), GPUOPT_DEVICE_CPU, or an ordinal */
  int32_t space;        /* GPUOPT_SPACE_*: QUERY classifies every pointer; DEVICE or HOST promises it and saves the
                     query */
  int32_t cpu_fallback; /* GPUOPT_FALLBACK_*: AUTO: no usable device, or host data */
  int32_t num_threads;  /* CPU kernels; 0: what affinity and the control group's quota leave, rounded up */
  const char *cpu_isa;  /* "avx512", "avx2", "baseline" */
  const char *kernel;   /* as GPUOPT_KERNEL: "name" or "op=name,op=name" */
  const char *disable;  /* as GPUOPT_DISABLE: comma list of globs */
  const char *verbose;  /* as GPUOPT_VERBOSE */
  const char *log_file; /* as GPUOPT_LOG_FILE */
  struct CUstream_st *stream; /* NULL: the legacy default stream */
  size_t workspace_limit;     /* most bytes a call may use; 0: 256 MiB */
  void *workspace;            /* the caller's buffer in place of the handle's arena, 256-byte aligned; or NULL */
  size_t workspace_bytes;
  /* the arena's allocator: device memory, or host memory on a CPU handle; both or neither. allocate returns a 256-byte
   * aligned block, or NULL when it cannot; deallocate is called when no work on the stream uses the block any more, which
   * may be gone by then */
  void *(*allocate)(void *user, size_t bytes, struct CUstream_st *stream);
  void (*deallocate)(void *user, void *block, struct CUstream_st *stream);
  void *allocator_user;
  const char *tune_cache; /* as GPUOPT_TUNE_CACHE: a tuned-choice file; "": the library's own table alone; "none" */
} gpuopt_options;

#define GPUOPT_OPTIONS_INIT                                                                                       \
  {                                                                                                               \
    sizeof(gpuopt_options), GPUOPT_DEVICE_AUTO, GPUOPT_SPACE_QUERY, GPUOPT_FALLBACK_DEFAULT, 0, NULL, NULL, NULL, \
        NULL, NULL, NULL, 0, NULL, 0, NULL, NULL, NULL, NULL                                                      \
  }

/* Creates a handle bound to one device. options NULL: all defaults. *handle is NULL on failure.
 *
 * What a handle holds is bounded. Workspace that calls have needed is kept for the next call on the same stream: at most
 * 2 * workspace_limit bytes over all streams that the handle has seen, of which the 128 used last keep theirs (on a GPU
 * handle, as much again of host memory where CPU kernels run). Beside that: what gpuopt_prepare made with a caller's
 * allocator for captured calls; what graphs own (gpuopt_prepare); and less than 4 MB of host memory for earlier choices,
 * counters and times. A stream may be destroyed when the handle's work on it is done.
 * Errors: INVALID_ARGUMENT (also a bad environment value where docs/environment.md says error), NO_DEVICE,
 * OUT_OF_MEMORY, CUDA_ERROR. */
GPUOPT_API gpuopt_status gpuopt_create(gpuopt_handle **handle, const gpuopt_options *options);
/* Waits for the handle's work, then frees all it owns. NULL is fine. */
GPUOPT_API void gpuopt_destroy(gpuopt_handle *handle);

/* The stream of the calls from now on; NULL: the legacy default stream. cudaStreamPerThread is another stream in every thread, with
 * one name: a handle that has it stays in one thread, since its calls share workspace by the stream's name. */
GPUOPT_API gpuopt_status gpuopt_set_stream(gpuopt_handle *handle, struct CUstream_st *stream);
/* Force kernels: "name" or "op=name,op=name", present or former names; NULL or "" goes back to automatic choice. A name
 * that nothing is registered under makes every call of the ops it can concern fail with KERNEL_NOT_FOUND. */
GPUOPT_API gpuopt_status gpuopt_set_kernel(gpuopt_handle *handle, const char *kernel);
/* Kernels that may not run: a comma list of globs, as GPUOPT_DISABLE, in place of the one before; NULL or "": none. A glob that
 * matches no kernel is warned of. INVALID_ARGUMENT: more than 16384 bytes. */
GPUOPT_API gpuopt_status gpuopt_set_disabled(gpuopt_handle *handle, const char *globs);
/* Tuned choices (docs/tuning.md): those of a file, which is read now, before those that the library carries. NULL or "": the
 * library's alone; "none": none. What is wrong with the file is warned of, and the rest of it is used. */
GPUOPT_API gpuopt_status gpuopt_set_tune_cache(gpuopt_handle *handle, const char *path);
/* What the log holds from now on: words with commas between, as GPUOPT_VERBOSE; NULL or "": errors and warnings.
 * INVALID_ARGUMENT: an unknown word; then nothing changes. */
GPUOPT_API gpuopt_status gpuopt_set_verbose(gpuopt_handle *handle, const char *tokens);
/* The caller's workspace in place of the handle's arena (256-byte aligned, in the handle's space); NULL, 0: back. */
GPUOPT_API gpuopt_status gpuopt_set_workspace(gpuopt_handle *handle, void *workspace, size_t bytes);
/* Log lines go to fn in place of GPUOPT_LOG_FILE or stderr. line ends without a newline. NULL: back. */
typedef void (*gpuopt_log_fn)(void *user, const char *line);
GPUOPT_API gpuopt_status gpuopt_set_log(gpuopt_handle *handle, gpuopt_log_fn fn, void *user);
/* With profiling on, counters and exec lines of the log hold device time too: an event pair a call, none while capturing.
 * Such a line is written when the pair is read: by gpuopt_counters, gpuopt_reset_counters, gpuopt_destroy, and every few
 * thousand calls. */
GPUOPT_API gpuopt_status gpuopt_set_profiling(gpuopt_handle *handle, int32_t on);
/* What the handle knows of its device. INVALID_ARGUMENT: NULL, or facts without its struct_size. */
GPUOPT_API gpuopt_status gpuopt_get_device(const gpuopt_handle *handle, gpuopt_device_facts *facts);

/* ---- 5. Memory and order, for programs without CUDA headers ------------------------------------------- */

/* On a CPU handle these are plain memory operations; on a GPU handle they are ordered on its stream. Errors of all:
 * INVALID_ARGUMENT, OUT_OF_MEMORY, CUDA_ERROR. */

/* Memory of the handle's device, host memory on a CPU handle, 256-byte aligned; *pointer is NULL on failure and of 0 bytes. */
GPUOPT_API gpuopt_status gpuopt_malloc(gpuopt_handle *handle, void **pointer, size_t bytes);
/* Gives back what gpuopt_malloc gave, once the work before it on the stream is done. NULL is fine. */
GPUOPT_API gpuopt_status gpuopt_free(gpuopt_handle *handle, void *pointer);
/* Either side may be host or device memory. Pageable host memory may be reused when the call returns. */
GPUOPT_API gpuopt_status gpuopt_copy(gpuopt_handle *handle, void *dst, const void *src, size_t bytes);
/* Sets each of so many bytes to the low 8 bits of byte. */
GPUOPT_API gpuopt_status gpuopt_fill(gpuopt_handle *handle, void *dst, int32_t byte, size_t bytes);
/* Waits for all work on the handle's stream; on a CPU handle there is none. CUDA_ERROR: of that work, too. */
GPUOPT_API gpuopt_status gpuopt_synchronize(gpuopt_handle *handle);

/* ---- 6. The operations -------------------------------------------------------------------------------- */

/* Errors of all six: INVALID_ARGUMENT, NOT_SUPPORTED, KERNEL_NOT_FOUND, KERNEL_REJECTED,
 * WORKSPACE_TOO_SMALL, OUT_OF_MEMORY, CUDA_ERROR, NOT_CAPTURABLE. A refused call writes nothing.
 *
 * Outputs that share a byte with an input or with each other are refused; interleaved views of one buffer are legal. Two
 * matrices are judged exactly however many lines they have, and so are the matrices of one batched output. Two batches are,
 * too, where both have one batch stride, or where each lies one matrix after the other or side by side within its lines, up
 * to a million matrices. Batches that interlace otherwise are where they make at most 4096 pairs, and beyond that count as
 * apart. */
GPUOPT_API gpuopt_status gpuopt_gemm(gpuopt_handle *handle, const gpuopt_gemm_args *args);
GPUOPT_API gpuopt_status gpuopt_transpose(gpuopt_handle *handle, const gpuopt_transpose_args *args);
GPUOPT_API gpuopt_status gpuopt_reduce(gpuopt_handle *handle, const gpuopt_reduce_args *args);
GPUOPT_API gpuopt_status gpuopt_fused_act(gpuopt_handle *handle, const gpuopt_fused_act_args *args);
GPUOPT_API gpuopt_status gpuopt_norm(gpuopt_handle *handle, const gpuopt_norm_args *args);
GPUOPT_API gpuopt_status gpuopt_gemm_grouped(gpuopt_handle *handle, const gpuopt_gemm_grouped_args *args);

/* For the next two, args is any of the six args structs. */
/* Moves the cost of a first call with these args ahead: loads, allocates and encodes what it will need. Launches nothing.
 *
 * Calls are captured into CUDA graphs without it. A graph owns the workspace of what was captured into it: it may be
 * replayed beside the handle's own calls, beside graphs of other captures, on any stream, and after gpuopt_destroy. Two
 * executables, clones or child copies of one capture share that memory and must not run at once; a capture forked over
 * threads needs the caller's lock; edited capture dependencies void the order of its calls. Only with a caller's
 * workspace or allocator is nothing allocated in a capture: there a call fails with WORKSPACE_TOO_SMALL until it was
 * prepared, from an allocator once for each captured call. */
GPUOPT_API gpuopt_status gpuopt_prepare(gpuopt_handle *handle, const void *args);
/* Bytes of workspace that the call would use: a caller's buffer of that size is enough. */
GPUOPT_API gpuopt_status gpuopt_workspace_size(gpuopt_handle *handle, const void *args, size_t *bytes);

/* ---- 7. What ran, what could, and why ----------------------------------------------------------------- */

/* One kernel's verdict on one problem. Strings live until the callback returns. */
typedef struct gpuopt_candidate {
  size_t struct_size;
  const char *kernel;  /* "gemm_naive", or "gemm_naive+fused_act_scalar" for a two-step candidate */
  int32_t verdict;     /* GPUOPT_VERDICT_* */
  int32_t how;         /* of the chosen one: GPUOPT_HOW_* */
  int32_t reject;      /* GPUOPT_REJECT_* */
  int32_t operand;     /* GPUOPT_OPERAND_*, the user's, or NONE */
  int64_t have, need;  /* the two numbers of the reject, where it has them */
  double predicted_us; /* <= 0: it makes no prediction, or is a teaching kernel: runs only when forced or
                          tuned */
  size_t workspace_bytes;
  const char *text; /* the verdict as a sentence */
} gpuopt_candidate;
typedef void (*gpuopt_explain_fn)(void *user, const gpuopt_candidate *candidate);

/* Facts to assume. Pretended facts that no device has (no multiprocessors, say) are refused: start from
 * gpuopt_pretend_device or gpuopt_get_device. Where align[operand] is 0, a NULL data pointer counts as 256-byte aligned and any other as it is. */
typedef struct gpuopt_explain_options {
  size_t struct_size;
  const gpuopt_device_facts *pretend; /* NULL: the handle's device */
  int32_t align[8];                   /* bytes, by GPUOPT_OPERAND_*; [7]: every stage operand */
  int32_t space;     /* GPUOPT_SPACE_*; QUERY with NULL pointers or a pretended device: the device's own */
  int32_t capturing; /* 1: as inside a stream capture, see below */
  int32_t any_build; /* 1: as if each kernel had been compiled for the device; 0: what this build holds */
  int32_t
      all_needs; /* 1: a rejected kernel's text names all that it declares and the call lacks, not the first alone */
} gpuopt_explain_options;
#define GPUOPT_EXPLAIN_OPTIONS_INIT \
  { sizeof(gpuopt_explain_options), NULL, {0, 0, 0, 0, 0, 0, 0, 0}, 0, 0, 0, 0 }

/* Runs validation and selection as the call itself would, without launching: fn sees every candidate, the
 * chosen one first. Returns what the call would return before its launch; what a kernel's library finds out when it
 * prepares is known from the handle's first call or gpuopt_prepare of that problem on. A kernel without machine code for
 * the device in this build, pretended or not, is rejected (ARCH) unless options.any_build is set. options may be NULL.
 * Needs no GPU.
 * In a capture, which options.capturing states and the handle's stream may really be in: NOT_CAPTURABLE where the chosen
 * kernel is, WORKSPACE_TOO_SMALL where a caller's allocator has not made its workspace yet (not of a pretended device). The CPU has
 * no streams: capturing changes nothing there. */
GPUOPT_API gpuopt_status gpuopt_explain(gpuopt_handle *handle, const void *args, const gpuopt_explain_options *options,
                                        gpuopt_explain_fn fn, void *user);
/* Facts of a device by name, for gpuopt_explain_options.pretend: "none" (the CPU), "sm_75", "sm_80", "sm_86",
 * "sm_89", "sm_90", "sm_100", "sm_120", each a product of that architecture; or a product: "t4", "a100", "a40", "l40s", "h100",
 * "h200", "b200". INVALID_ARGUMENT lists them for any other name. */
GPUOPT_API gpuopt_status gpuopt_pretend_device(const char *name, gpuopt_device_facts *facts);

/* The call as one line of text, from which it can be made again: types, extents, leading dimensions, strides, stages, flags;
 * of addresses how they are aligned and which operands share memory (docs/call-text.md). It is what the log calls a problem
 * and what `gpuopt explain --problem` reads. args are checked as gpuopt_explain does; options, which may be NULL, are the
 * same: of them the text says space, capturing and align, the rest speaks of the device.
 * *length is set to the text's, without the 0 at its end, which text gets too. text NULL with capacity 0 asks for the length
 * alone; GPUOPT_CALL_TEXT_BYTES are enough for any call. ASCII, without commas and quotes. A capacity that is too small is
 * INVALID_ARGUMENT, with *length set and text as it was. */
GPUOPT_API gpuopt_status gpuopt_call_text(const void *args, const gpuopt_explain_options *options, char *text,
                                          size_t capacity, size_t *length);
#define GPUOPT_CALL_TEXT_BYTES 4096
/* What a line of a tuned-choice file (docs/tuning.md) says of the call: the device and the problem itself
 * (GPUOPT_TUNE_EXACT), or the class that it lies in (GPUOPT_TUNE_CLASS). With " kernel=... version=..." behind it the line is
 * whole. options as in gpuopt_explain; text, capacity and length as in gpuopt_call_text, GPUOPT_TUNE_KEY_BYTES are enough. A call
 * without output is INVALID_ARGUMENT. */
GPUOPT_API gpuopt_status gpuopt_tune_key(gpuopt_handle *handle, const void *args, const gpuopt_explain_options *options,
                                         int32_t kind, char *text, size_t capacity, size_t *length);
#define GPUOPT_TUNE_KEY_BYTES 2048
/* The algorithms between which the kernel that would run the call can choose for it, those of a library's own heuristic: their
 * names with blanks between, the kernel's own choice first; "" where it has none. gpuopt_set_kernel and GPUOPT_KERNEL take one
 * behind the kernel's name, "gemm_cublaslt@id66.tile20...", and reports name it so. Prepares the call as gpuopt_prepare does, and
 * so may load a library. text, capacity and length as in gpuopt_call_text, GPUOPT_ALGORITHMS_BYTES are enough. */
GPUOPT_API gpuopt_status gpuopt_algorithms(gpuopt_handle *handle, const void *args, char *text, size_t capacity,
                                           size_t *length);
#define GPUOPT_ALGORITHMS_BYTES 4096

typedef struct gpuopt_run_info {
  size_t struct_size;
  int32_t op;
  int32_t how;        /* GPUOPT_HOW_* */
  const char *kernel; /* lives as long as the process; NULL before the first call */
  double predicted_us;
  size_t workspace_bytes;
} gpuopt_run_info;
#define GPUOPT_RUN_INFO_INIT \
  { sizeof(gpuopt_run_info), 0, 0, NULL, 0, 0 }
/* What the handle's last successful operation ran. */
GPUOPT_API gpuopt_status gpuopt_last_kernel(const gpuopt_handle *handle, gpuopt_run_info *info);

typedef struct gpuopt_counter {
  const char *kernel; /* lives as long as the process */
  int32_t op;
  int32_t reserved0;
  int64_t calls;
  double ms; /* CPU kernels: time in the kernel; GPU kernels: device time while profiling, else 0 */
} gpuopt_counter;
/* Copies up to capacity counters of this handle, in order of first use; *count is how many there are. Waits for the
 * stream when profiling. */
GPUOPT_API gpuopt_status gpuopt_counters(gpuopt_handle *handle, gpuopt_counter *counters, size_t capacity,
                                         size_t *count);
/* Forgets all counters of this handle. Waits for the stream when profiling. */
GPUOPT_API gpuopt_status gpuopt_reset_counters(gpuopt_handle *handle);

/* ---- 8. The registry ---------------------------------------------------------------------------------- */

struct gpuopt_kernel; /* kernel.h */
/* Kernels of the process, by op and name. get returns NULL past the end and where memory runs out, find for no such name. A former name (kernel.h:
 * aliases) finds its kernel, here and wherever a kernel is named: forced, disabled by a glob, on the command line. */
GPUOPT_API size_t gpuopt_kernel_count(void);
GPUOPT_API const struct gpuopt_kernel *gpuopt_kernel_get(size_t index);
GPUOPT_API const struct gpuopt_kernel *gpuopt_kernel_find(const char *name);
/* Adds the application's own kernel for the whole process, for good: it must live as long. Errors:
 * INVALID_ARGUMENT (a field, a table that is NULL or has more than 4096 rows, a name that is not 1 to 96 of [a-z0-9_], or a
 * name or former name that is taken), OUT_OF_MEMORY. Handles see it from their next call on. A
 * descriptor of an older header's size is copied. */
GPUOPT_API gpuopt_status gpuopt_register_kernel(const struct gpuopt_kernel *kernel);

/* Who a kernel is of: "built-in", "application", or the path of its plugin. NULL: it is not registered. Lives as long as the
 * process. */
GPUOPT_API const char *gpuopt_kernel_origin(const struct gpuopt_kernel *kernel);

/* Loads a plugin (kernel.h, docs/plugins.md), or every plugin of a folder, for the whole process, for good, and registers its
 * kernels as plugin:<plugin>/<kernel>. gpuopt_create does the same with what GPUOPT_PLUGIN_PATH names. Loading what is loaded
 * is OK and does nothing; a plugin is taken as a whole or refused as a whole.
 * path: absolute. INVALID_ARGUMENT: nothing is there, it is no plugin or one with faults, others could have put it there (it,
 * or a folder on the way to it, is writable by everybody), or the program runs with raised privileges; of a folder, the sound
 * ones are loaded all the same. Each load and each refusal is a line of the log that GPUOPT_VERBOSE and GPUOPT_LOG_FILE
 * describe. A shared object's own start-up code runs before anything is checked: where that never returns, neither does this. */
GPUOPT_API gpuopt_status gpuopt_load_plugin(const char *path);
/* Looks at a plugin as gpuopt_load_plugin does, registers nothing, and tells fn everything that is wrong with it, a sentence
 * each. INVALID_ARGUMENT where anything is. */
typedef void (*gpuopt_fault_fn)(void *user, const char *fault);
GPUOPT_API gpuopt_status gpuopt_check_plugin(const char *path, gpuopt_fault_fn fn, void *user);

enum { GPUOPT_LIMIT_THREADS = 1, GPUOPT_LIMIT_REGISTERS = 2, GPUOPT_LIMIT_SHARED_MEMORY = 3, GPUOPT_LIMIT_BLOCKS = 4 };
/* What one entry function of a CUDA kernel uses of a multiprocessor, and how many of its blocks fit there. */
typedef struct gpuopt_occupancy {
  size_t struct_size;
  const char *entry;                 /* mangled name; lives as long as the process */
  int32_t compiled_cc;               /* of the machine code that the device runs */
  int32_t threads;                   /* per block */
  int32_t registers;                 /* per thread */
  int32_t static_smem, dynamic_smem; /* bytes per block */
  int32_t spill_bytes;               /* per thread */
  int32_t blocks_per_sm, warps_per_sm;
  double occupancy; /* warps_per_sm over the most that the device holds */
  int32_t limiter;  /* GPUOPT_LIMIT_*: what keeps more blocks out */
  int32_t reserved0;
} gpuopt_occupancy;
#define GPUOPT_OCCUPANCY_INIT \
  { sizeof(gpuopt_occupancy), NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
/* The index-th entry function of the kernel on a device, from the compiler's report; needs no GPU. NOT_SUPPORTED: past
 * the last entry, a CPU or library kernel, or no machine code for that device in this build (it would be compiled from
 * PTX by the driver). */
GPUOPT_API gpuopt_status gpuopt_kernel_occupancy(const struct gpuopt_kernel *kernel, const gpuopt_device_facts *device,
                                                 size_t index, gpuopt_occupancy *occupancy);

/* ---- 9. Words ----------------------------------------------------------------------------------------- */

GPUOPT_API const char *gpuopt_last_error(void); /* this thread's last failure in full; never NULL */
GPUOPT_API int32_t gpuopt_version(void);        /* GPUOPT_VERSION_NUMBER of the library */
/* Version, CUDA and what it was compiled for, and the settings that left kernels out, if any: "gpuopt 0.1.0, CUDA 13.0.88 (sm
 * 90, 90a), cuBLASLt loaded on demand, GPUOPT_OPS=gemm". */
GPUOPT_API const char *gpuopt_build_info(void);
GPUOPT_API const char *gpuopt_status_name(gpuopt_status status); /* "OK"; "?" for no such value */
GPUOPT_API const char *gpuopt_dtype_name(gpuopt_dtype dtype);    /* "f32" */
GPUOPT_API int64_t gpuopt_dtype_size(gpuopt_dtype dtype);        /* bytes; 0 for no such type */
GPUOPT_API const char *gpuopt_compute_name(int32_t compute);     /* "tf32" */
GPUOPT_API const char *gpuopt_op_name(int32_t op);               /* "gemm" */
GPUOPT_API const char *gpuopt_stage_name(int32_t kind);          /* "RELU" */
GPUOPT_API const char *gpuopt_reduce_name(int32_t reduce);       /* "SUM" */
GPUOPT_API const char *gpuopt_norm_name(int32_t norm);           /* "LAYERNORM" */
GPUOPT_API const char *gpuopt_reject_name(int32_t reject);       /* "ALIGN" */

/* ---- 10. Initial values for languages without macros --------------------------------------------------- */

/* What the struct's _INIT macro gives, in a struct of struct_size bytes, as large as the caller's header has it: what this
 * library does not know of it becomes 0, and nothing beyond is written. INVALID_ARGUMENT: NULL, or a size that no version of
 * the struct has; then nothing is written at all. A stage starts from zeros, its a and b from gpuopt_matrix_init. */
GPUOPT_API gpuopt_status gpuopt_matrix_init(gpuopt_matrix *matrix);
GPUOPT_API gpuopt_status gpuopt_gemm_args_init(gpuopt_gemm_args *args, size_t struct_size);
GPUOPT_API gpuopt_status gpuopt_transpose_args_init(gpuopt_transpose_args *args, size_t struct_size);
GPUOPT_API gpuopt_status gpuopt_reduce_args_init(gpuopt_reduce_args *args, size_t struct_size);
GPUOPT_API gpuopt_status gpuopt_fused_act_args_init(gpuopt_fused_act_args *args, size_t struct_size);
GPUOPT_API gpuopt_status gpuopt_norm_args_init(gpuopt_norm_args *args, size_t struct_size);
GPUOPT_API gpuopt_status gpuopt_gemm_grouped_args_init(gpuopt_gemm_grouped_args *args, size_t struct_size);
GPUOPT_API gpuopt_status gpuopt_options_init(gpuopt_options *options, size_t struct_size);
GPUOPT_API gpuopt_status gpuopt_explain_options_init(gpuopt_explain_options *options, size_t struct_size);
GPUOPT_API gpuopt_status gpuopt_device_facts_init(gpuopt_device_facts *facts, size_t struct_size);
GPUOPT_API gpuopt_status gpuopt_run_info_init(gpuopt_run_info *info, size_t struct_size);
GPUOPT_API gpuopt_status gpuopt_occupancy_init(gpuopt_occupancy *occupancy, size_t struct_size);

/* ---- 11. Constructors --------------------------------------------------------------------------------- */

/* A packed row-major matrix. */
static inline gpuopt_matrix gpuopt_mat(const void *data, int64_t rows, int64_t cols, gpuopt_dtype dtype) {
  gpuopt_matrix m = GPUOPT_MATRIX_INIT;
#ifdef __cplusplus
  m.data = const_cast<void *>(data);
#else
  m.data = (void *)(uintptr_t)data; /* what is only read is not written through it */
#endif
  m.rows = rows;
  m.cols = cols;
  m.dtype = dtype;
  return m;
}
/* A row-major matrix whose rows start ld elements apart. */
static inline gpuopt_matrix gpuopt_mat_ld(const void *data, int64_t rows, int64_t cols, int64_t ld,
                                          gpuopt_dtype dtype) {
  gpuopt_matrix m = gpuopt_mat(data, rows, cols, dtype);
  m.ld = ld;
  return m;
}
/* The transposed view of m: no data moves. */
static inline gpuopt_matrix gpuopt_t(gpuopt_matrix m) {
  int64_t rows = m.rows;
  m.rows = m.cols;
  m.cols = rows;
  m.layout = m.layout == GPUOPT_ROW ? GPUOPT_COL : m.layout == GPUOPT_COL ? GPUOPT_ROW : m.layout;
  if (m.scales.block != GPUOPT_SCALE_ONE) {
    int32_t block = m.scales.block, layout = m.scales.layout;
    m.scales.block = block == GPUOPT_SCALE_1X128   ? GPUOPT_SCALE_128X1
                     : block == GPUOPT_SCALE_128X1 ? GPUOPT_SCALE_1X128
                                                   : block;
    m.scales.layout = layout == GPUOPT_ROW ? GPUOPT_COL : layout == GPUOPT_COL ? GPUOPT_ROW : layout;
  }
  return m;
}
/* m with a scale for each block, packed in m's layout: of a weight as it is stored, before gpuopt_t(). */
static inline gpuopt_matrix gpuopt_mat_scales(gpuopt_matrix m, const float *scales, int32_t block) {
  m.scale = scales;
  m.scales.block = block;
  m.scales.layout = m.layout;
  return m;
}
/* A stage without operands: RELU ... STEP; the scalars of LEAKY_RELU (v0) and CLAMP (v0, v1). */
static inline gpuopt_stage gpuopt_act(int32_t kind, double v0, double v1) {
  gpuopt_stage s = {0, 0, {0, 0}, GPUOPT_MATRIX_INIT, GPUOPT_MATRIX_INIT, {0, 0}};
  s.kind = kind;
  s.value[0] = v0;
  s.value[1] = v1;
  return s;
}
/* A stage with one operand: ADD, SUB, MUL with form PER_ROW, PER_COL or MATRIX; STORE and *_GRAD with form 0.
 */
static inline gpuopt_stage gpuopt_act_with(int32_t kind, int32_t form, gpuopt_matrix a) {
  gpuopt_stage s =
      gpuopt_act(kind, kind == GPUOPT_STAGE_ADD || kind == GPUOPT_STAGE_SUB || kind == GPUOPT_STAGE_MUL ? 1 : 0, 0);
  s.form = form;
  s.a = a;
  return s;
}
/* x + factor * u(i) * v(j); u is rows x 1, v is 1 x cols. */
static inline gpuopt_stage gpuopt_act_outer(double factor, gpuopt_matrix u, gpuopt_matrix v) {
  gpuopt_stage s = gpuopt_act(GPUOPT_STAGE_ADD_OUTER, factor, 0);
  s.a = u;
  s.b = v;
  return s;
}

#ifdef __cplusplus
}
#endif
#endif
