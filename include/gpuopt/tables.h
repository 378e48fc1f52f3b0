/* gpuopt/tables.h - the closed tables of gpuopt, each written once.
 *
 * gpuopt.h expands them into its enums, the library into its validator and its names, the tests into their
 * cases, `gpuopt list --tables` into docs/tables.md. To add a reason, a stage, a reduction or a norm, add one line here.
 * Calls may then ask for it, and every kernel rejects it (STAGE, VARIANT) until its descriptor claims it by name.
 * Numbers are pinned: they are part of the ABI and never change or get reused.
 */
#ifndef GPUOPT_TABLES_H
#define GPUOPT_TABLES_H

/* X(NAME, value, what it means) */
#define GPUOPT_STATUS_TABLE(X)                                                                   \
  X(OK, 0, "success")                                                                            \
  X(INVALID_ARGUMENT, 1, "an argument breaks a rule; nothing was touched")                       \
  X(NOT_SUPPORTED, 2, "no kernel can run this problem here; the message gives the best reasons") \
  X(KERNEL_NOT_FOUND, 3, "a kernel was forced by a name that nothing is registered under")       \
  X(KERNEL_REJECTED, 4, "the forced kernel cannot run this problem; the message says why")       \
  X(WORKSPACE_TOO_SMALL, 5, "the chosen kernel needs more workspace than the call may use")      \
  X(OUT_OF_MEMORY, 6, "host or device memory is exhausted")                                      \
  X(CUDA_ERROR, 7, "the CUDA runtime or driver, or a CUDA library, reported an error")           \
  X(NOT_CAPTURABLE, 8, "the call cannot be captured into a CUDA graph in this state")            \
  X(NO_DEVICE, 9, "the requested device does not exist or cannot be used")                       \
  X(INTERNAL, 99, "a defect in gpuopt or in a registered kernel")

/* X(NAME, value, bytes, name in text, class: 'f' float, 'i' signed, 'u' unsigned, 'o' opaque, what it is) */
#define GPUOPT_DTYPE_TABLE(X)                                              \
  X(F32, 1, 4, "f32", 'f', "IEEE binary32")                                \
  X(F64, 2, 8, "f64", 'f', "IEEE binary64")                                \
  X(F16, 3, 2, "f16", 'f', "IEEE binary16")                                \
  X(BF16, 4, 2, "bf16", 'f', "bfloat16: 8 exponent bits, 7 fraction bits") \
  X(E4M3, 5, 1, "e4m3", 'f', "OCP fp8 e4m3fn: largest 448, no infinity")   \
  X(E5M2, 6, 1, "e5m2", 'f', "OCP fp8 e5m2: largest 57344, with infinity") \
  X(I8, 7, 1, "i8", 'i', "signed 8-bit integer")                           \
  X(U8, 8, 1, "u8", 'u', "unsigned 8-bit integer")                         \
  X(I32, 9, 4, "i32", 'i', "signed 32-bit integer")                        \
  X(I64, 10, 8, "i64", 'i', "signed 64-bit integer")                       \
  X(B128, 11, 16, "b128", 'o', "16 opaque bytes; only transpose takes it")

/* X(NAME, value, name in text, what it means) */
#define GPUOPT_COMPUTE_TABLE(X)                                                                                      \
  X(DEFAULT, 0, "default", "the first row of GPUOPT_GEMM_TABLE with the call's data types")                          \
  X(F32, 1, "f32", "products and sums in fp32; fp8: partial sums of 13 fraction bits, moved to fp32 every 128 of k") \
  X(TF32, 2, "tf32", "fp32 operands rounded to 10 fraction bits, sums in fp32")                                      \
  X(F32_TENSOR, 3, "f32_tensor", "fp32 accuracy out of several tensor-core products")                                \
  X(F64, 4, "f64", "products and sums in fp64")                                                                      \
  X(I32, 5, "i32", "exact int32 products and sums, wrapping; epilogue in fp64")                                      \
  X(F16, 6, "f16", "sums may be kept in fp16: inaccurate, only on request")                                          \
  X(F8_FAST, 7, "f8_fast", "fp8 tensor-core accumulation as the hardware does it (about 14 bits)")

/* The closed table of gemm types: X(A, B, C, D, compute). C is read only when beta is not 0. The first row
 * that matches the four data types is what GPUOPT_COMPUTE_DEFAULT means. */
#define GPUOPT_GEMM_TABLE(X)           \
  X(F32, F32, F32, F32, F32)           \
  X(F32, F32, F32, F32, TF32)          \
  X(F32, F32, F32, F32, F32_TENSOR)    \
  X(F64, F64, F64, F64, F64)           \
  X(F16, F16, F16, F16, F32)           \
  X(F16, F16, F16, F16, F16)           \
  X(F16, F16, F32, F32, F32)           \
  X(BF16, BF16, BF16, BF16, F32)       \
  X(BF16, BF16, F32, F32, F32)         \
  GPUOPT_GEMM_FP8_ROWS_(X, E4M3, E4M3) \
  GPUOPT_GEMM_FP8_ROWS_(X, E4M3, E5M2) \
  GPUOPT_GEMM_FP8_ROWS_(X, E5M2, E4M3) \
  GPUOPT_GEMM_FP8_ROWS_(X, E5M2, E5M2) \
  X(I8, I8, I32, I32, I32)             \
  X(I8, I8, I8, I8, I32)               \
  X(I8, I8, F32, F32, I32)

#define GPUOPT_GEMM_FP8_ROWS_(X, A, B) \
  X(A, B, F32, F32, F32)               \
  X(A, B, F32, F32, F8_FAST)           \
  X(A, B, F16, F16, F32)               \
  X(A, B, F16, F16, F8_FAST)           \
  X(A, B, BF16, BF16, F32)             \
  X(A, B, BF16, BF16, F8_FAST)         \
  X(A, B, BF16, E4M3, F32)             \
  X(A, B, BF16, E4M3, F8_FAST)         \
  X(A, B, BF16, E5M2, F32)             \
  X(A, B, BF16, E5M2, F8_FAST)

/* X(NAME, value, operand matrices, scalars used, in place of x the stage yields) */
#define GPUOPT_STAGE_TABLE(X)                                                        \
  X(RELU, 1, 0, 0, "max(x, 0); NaN stays NaN")                                       \
  X(LEAKY_RELU, 2, 0, 1, "x < 0 ? value[0] * x : x")                                 \
  X(GELU, 3, 0, 0, "x/2 * (1 + erf(x / sqrt 2))")                                    \
  X(GELU_TANH, 4, 0, 0, "x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3)))")         \
  X(SILU, 5, 0, 0, "x / (1 + exp(-x))")                                              \
  X(SIGMOID, 6, 0, 0, "1 / (1 + exp(-x))")                                           \
  X(TANH, 7, 0, 0, "tanh(x)")                                                        \
  X(CLAMP, 8, 0, 2, "min(max(x, value[0]), value[1]); NaN stays NaN")                \
  X(EXP, 9, 0, 0, "exp(x)")                                                          \
  X(LOG, 10, 0, 0, "natural logarithm")                                              \
  X(SQRT, 11, 0, 0, "square root")                                                   \
  X(SQUARE, 12, 0, 0, "x * x")                                                       \
  X(ABS, 13, 0, 0, "|x|")                                                            \
  X(NEG, 14, 0, 0, "-x")                                                             \
  X(RECIPROCAL, 15, 0, 0, "1 / x")                                                   \
  X(STEP, 16, 0, 0, "x > 0 ? 1 : 0; NaN gives 0")                                    \
  X(ADD, 17, 1, 1, "x + v: SCALAR v = value[0]; other forms v = value[0] * a(i,j)")  \
  X(SUB, 18, 1, 1, "x - v, v as in ADD")                                             \
  X(MUL, 19, 1, 1, "x * v, v as in ADD")                                             \
  X(ADD_OUTER, 20, 2, 1, "x + value[0] * a(i) * b(j); a is rows x 1, b is 1 x cols") \
  X(STORE, 21, 1, 0, "x, after writing it to a(i,j), rounded to a's type")           \
  X(RELU_GRAD, 22, 1, 0, "a(i,j) > 0 ? x : 0; a is the saved input of RELU")         \
  X(GELU_GRAD, 23, 1, 0, "x * d/da GELU(a(i,j)), the erf form")                      \
  X(SILU_GRAD, 24, 1, 0, "x * d/da SILU(a(i,j))")

/* X(NAME, value, what the reduction of x_0 .. x_{n-1} yields, the result for n = 0: '0', '1', 'n' NaN, '-'
 * none) */
#define GPUOPT_REDUCE_TABLE(X)                                              \
  X(SUM, 1, "sum of x_i", '0')                                              \
  X(MEAN, 2, "sum of x_i / n", 'n')                                         \
  X(MIN, 3, "least x_i; any NaN gives NaN", '-')                            \
  X(MAX, 4, "greatest x_i; any NaN gives NaN", '-')                         \
  X(PROD, 5, "product of x_i", '1')                                         \
  X(SUMSQ, 6, "sum of x_i^2", '0')                                          \
  X(NRM2, 7, "sqrt(sum of x_i^2)", '0')                                     \
  X(ASUM, 8, "sum of |x_i|", '0')                                           \
  X(ARGMIN, 9, "index of the first least x_i; the first NaN wins", '-')     \
  X(ARGMAX, 10, "index of the first greatest x_i; the first NaN wins", '-') \
  X(DOT, 11, "sum of x_i * y_i", '0')

/* X(NAME, value, what it makes of each row x_0 .. x_{n-1}) */
#define GPUOPT_NORM_TABLE(X)                                                                        \
  X(LAYERNORM, 1, "(x_j - mean) * rstd * gamma_j + beta_j; rstd = 1 / sqrt(variance of x_i + eps)") \
  X(RMSNORM, 2, "x_j * rstd * gamma_j + beta_j; rstd = 1 / sqrt(mean of x_i^2 + eps)")              \
  X(SOFTMAX, 3, "exp(x_j) / sum of exp(x_i)")                                                       \
  X(LOG_SOFTMAX, 4, "x_j - log(sum of exp(x_i))")

/* Why a kernel cannot run a problem: X(NAME, value, what is wrong) */
#define GPUOPT_REJECT_TABLE(X)                                                                      \
  X(NONE, 0, "it can run")                                                                          \
  X(ARCH, 1, "the device's compute capability, or the CPU's instruction set, is not in its range")  \
  X(DTYPE, 2, "it has no code for these data types and compute type")                               \
  X(LAYOUT, 3, "it does not read or write this operand in this layout")                             \
  X(ALIGN, 4, "an operand's base address is not aligned enough")                                    \
  X(LD_MULTIPLE, 5, "a leading dimension or batch stride is not a multiple it needs")               \
  X(DIM_MULTIPLE, 6, "an extent is not a multiple it needs")                                        \
  X(SIZE_LIMIT, 7, "an extent is outside the range it handles")                                     \
  X(STAGE, 8, "it does not understand a stage of the chain, or takes fewer stages")                 \
  X(FEATURE, 9, "the call uses a feature it does not understand")                                   \
  X(WORKSPACE, 10, "it needs more workspace than the call may use")                                 \
  X(NOT_DETERMINISTIC, 11, "its result can change from run to run and the call did not allow that") \
  X(NOT_CAPTURABLE, 12, "it cannot be captured into a CUDA graph")                                  \
  X(NO_LIBRARY, 13, "a library it calls is not there")                                              \
  X(NO_DEVICE, 14, "it needs a CUDA device and the handle has none")                                \
  X(HOST_DATA, 15, "the data is in pageable host memory and it runs on the GPU")                    \
  X(DEVICE_DATA, 16, "the data is in device memory and it runs on the CPU")                         \
  X(DISABLED, 17, "it was disabled by GPUOPT_DISABLE or gpuopt_set_disabled()")                     \
  X(VARIANT, 18, "it does not do this reduction, axis or norm")                                     \
  X(FALLBACK_OFF, 19, "it runs on the CPU and the CPU fallback is off for this call")

/* What a kernel must understand to be asked about a call that uses it: X(NAME, bit, what the call does) */
#define GPUOPT_FEATURE_TABLE(X)                                                                         \
  X(BATCH, 0, "batch > 1")                                                                              \
  X(BROADCAST, 1, "an input has batch stride 0 and batch > 1")                                          \
  X(BETA, 2, "gemm: beta is not 0 by value or is given by pointer, so C is read")                       \
  X(SCALAR_POINTERS, 3, "gemm, gemm_grouped: alpha or beta is given by pointer")                        \
  X(SCALE, 4, "gemm: a matrix has a scale pointer")                                                     \
  X(COPY, 5, "transpose: source and destination differ in layout, so memory order is kept")             \
  X(IN_PLACE, 6, "transpose: destination is the source")                                                \
  X(COLUMN_INDEX, 7, "reduce: an ALL index counts down the columns of the normal form")                 \
  X(VALUE_OUT, 8, "reduce: ARGMIN or ARGMAX also writes the value")                                     \
  X(LARGE, 9, "an operand spans 2^31 elements or more, or an extent or batch exceeds 2^31 - 1")         \
  X(BATCH_INVARIANT, 10, "reduce, gemm: a row's bits must not depend on alignment or on the row count") \
  X(ALPHA_ZERO, 11, "gemm: alpha is 0 by value, or a scalar is no normal number of fp16 (compute F16)") \
  X(HOST_OFFSETS, 12, "gemm_grouped: the offsets are given in host memory")                             \
  X(BLOCK_SCALES, 13, "gemm: the scales of A or B are those of blocks (gpuopt_scales)")                 \
  X(GROUP_LIST, 14, "gemm_grouped: a list of products, each of its own shape")                          \
  X(HOST_LIST, 15, "gemm_grouped: that list is given in host memory")

#endif
