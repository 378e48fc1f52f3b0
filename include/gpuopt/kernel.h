/* gpuopt/kernel.h - what a kernel is: a descriptor, the problem it is asked about, and how it is launched.
 *
 * Built-in kernels, kernels registered by an application and plugins all use this header and nothing else of the
 * library. C99, versioned by struct_size, append-only. docs/writing-a-kernel.md walks through one, as a file of the library,
 * of an application, and of a plugin, whose table is at the end of this header.
 *
 * How the library asks. For every call it builds one gpuopt_problem: facts, computed once. A kernel states its needs as
 * data in gpuopt_kernel; one generic check turns them into a reject with numbers. Only what data cannot say goes into
 * can_run. "Can it run" and "is it fast" are two functions: can_run and predict_us. Both, and workspace, must be pure
 * functions of the problem's facts: of pointers only their alignment and whether they are NULL; beta not at all, and of
 * alpha only whether it is 1 where sums are integers (compute I32), for then a sum is a result (stage values may be looked
 * at). They make no CUDA call and may be asked on a machine without a GPU.
 *
 * No function of a kernel may use the handle of the call that it runs in: it would be refused. A status that is none, and an
 * exception, make the call INTERNAL with the kernel's name (std::bad_alloc: OUT_OF_MEMORY); workspace whose sum does not fit
 * a size_t is more than there is.
 *
 * What the library promises. Only can_run sees problems without output: predict_us, workspace, prepare and launch get
 * positive m, n and batch (reduce: out has elements). gemm's k, and the reduced axis of a reduction that has a value for
 * no elements, may be 0.
 */
#ifndef GPUOPT_KERNEL_H
#define GPUOPT_KERNEL_H

#include "gpuopt/gpuopt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bits of gpuopt_problem.features and gpuopt_kernel.understands: GPUOPT_FEATURE_BATCH ... */
enum {
#define GPUOPT_X_(name, bit, what) GPUOPT_FEATURE_##name = 1 << bit,
  GPUOPT_FEATURE_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
};

/* One operand in the problem's normal form. */
typedef struct gpuopt_operand {
  gpuopt_matrix m;      /* ld and batch_stride resolved: never 0 for packed, never GPUOPT_PACKED. dtype 0: absent */
  int32_t align;        /* bytes: the largest power of two, at most 256, that divides the base address */
  int32_t ld_align;     /* bytes: the same of ld * element size */
  int32_t stride_align; /* bytes: the same of batch_stride * element size; 256 when batch is 1 */
  int32_t user_operand; /* GPUOPT_OPERAND_* of the call, for messages */
} gpuopt_operand;

typedef struct gpuopt_problem_stage {
  int32_t kind, form;
  double value[2];
  gpuopt_operand a, b;
} gpuopt_problem_stage;

/* A call in row-major normal form, which every op reaches by transposing the whole problem when its output is
 * column-major ("swapped"). In normal form:
 *   gemm       A m x k, B k x n, C and D m x n; D.layout is ROW; A, B, C may be either. Extents {m, n, k}. A vector whose
 *              elements are neighbours is one line in whichever layout: a row is ROW and a column COL, D always a row
 *   transpose  SRC is ROW, r x c; DST is ROW c x r, or, with feature COPY, ROW r x c. Extents {r, c, 0}
 *   reduce     X is ROW, r x c; Y may be either; OUT and VALUE are vectors whose element i lies at i * ld (layout ROW,
 *              as n x 1). Extents {r, c, 0}
 *   fused_act  X may be either, OUT is ROW, r x c. Extents {r, c, 0}
 *   norm       never swapped, a row being a row: X, RESIDUAL, OUT and SUM may be either. GAMMA and BETA are vectors whose
 *              element j lies at j * ld (layout ROW, as n x 1), STATISTICS is as the user gave it. Extents {r, c, 0}
 *   gemm_grouped  never swapped: A, C and D may be either, as may B, of which there are `batch` matrices, one a group; A, C and
 *              D have one (batch stride 0). OFFSETS is a vector whose element i lies at i * ld (layout ROW, as n x 1), absent
 *              where host_offsets is not NULL. Extents {rows of all groups, n, k}. With feature GROUP_LIST swapped as gemm is,
 *              and `batch` products: LIST is a row of `batch` gpuopt_gemm_group as i64, absent where host_list is not NULL;
 *              A to D are as large as any, align and ld_align hold for all of them, and data says in which memory they lie
 *              and no more. What a list says is the call's, not the normal form: in a swapped problem its a is B
 * Stage operands may be in either layout. Those of PER_ROW and PER_COL, and ADD_OUTER's a and b, are vectors whose
 * element i lies at i * ld (layout ROW, as n x 1). */
typedef struct gpuopt_problem {
  size_t struct_size;
  int32_t op;
  int32_t compute;   /* gemm: never DEFAULT. Others: GPUOPT_COMPUTE_F32, F64 or I32 (int64 sums): the chain's type */
  int32_t variant;   /* reduce: GPUOPT_REDUCE_*; norm: GPUOPT_NORM_*; else 0 */
  int32_t axis;      /* reduce: GPUOPT_EACH_ROW ...; else 0 */
  int32_t swapped;   /* 1: the user's problem was transposed to reach normal form */
  int32_t capturing; /* 1: the stream is being captured; for launch alone, as choices are remembered without it */
  int32_t space;     /* GPUOPT_SPACE_DEVICE or HOST: where all operands are */
  uint32_t features; /* GPUOPT_FEATURE_* in use: a kernel must understand every bit */
  uint32_t flags;    /* the call's GPUOPT_ALLOW_*, GPUOPT_REQUIRE_* */
  int32_t stage_count;
  int64_t m, n, k; /* the extents above */
  int64_t batch;
  gpuopt_operand operand[4]; /* by GPUOPT_OPERAND_*; those from 4 on: extra[] below */
  gpuopt_problem_stage stage[GPUOPT_MAX_STAGES];
  double alpha, beta;
  const void *alpha_ptr, *beta_ptr; /* float; double when compute is F64 or I32 */
  size_t workspace_limit;
  const gpuopt_device_facts *device;
  gpuopt_operand extra[3]; /* norm: GAMMA, BETA, STATISTICS, gemm_grouped: OFFSETS, LIST, at GPUOPT_OPERAND_* - 4 */
  double eps;              /* norm */
  uint32_t relaid;         /* gemm: bit i set: operand[i] is a vector that the call describes in the other layout */
  uint32_t reserved;
  const struct gpuopt_kernel *kernel; /* whose function this is, for functions that several kernels share */
  /* For prepare and launch: the one of the kernel's algorithms that the call is to use, NULL for the kernel's own choice. The
   * text stays for good, and equal texts are at one address. */
  const char *algorithm;
  /* gemm_grouped, feature HOST_OFFSETS: batch + 1 numbers in host memory, checked, of which only launch may make use. */
  const int64_t *host_offsets;
  /* gemm_grouped, feature HOST_LIST: batch products in host memory, checked, of which only launch may make use. */
  const gpuopt_gemm_group *host_list;
} gpuopt_problem;

typedef struct gpuopt_reject {
  int32_t code;    /* GPUOPT_REJECT_* */
  int32_t operand; /* GPUOPT_OPERAND_* of the normal form, GPUOPT_OPERAND_STAGE + i, or GPUOPT_OPERAND_NONE */
  int64_t have, need;
  const char *what; /* NULL, or static text that says more than the code */
} gpuopt_reject;

/* What a launch gets beside the problem. */
typedef struct gpuopt_launch {
  size_t struct_size;
  struct CUstream_st *stream;
  void *scratch; /* as many bytes as workspace() asked, 256-byte aligned; contents undefined */
  void *zeroed;  /* likewise, zero on entry; the kernel leaves it zero when it completes */
  const gpuopt_device_facts *device;
  char *error; /* error_bytes chars for a message when launch does not return GPUOPT_OK */
  size_t error_bytes;
} gpuopt_launch;

enum {                                     /* bits of gpuopt_kernel.flags */
       GPUOPT_KERNEL_HOST = 1,             /* runs on the CPU, on HOST data */
       GPUOPT_KERNEL_TEACHING = 2,         /* shows a technique; runs only when forced or tuned */
       GPUOPT_KERNEL_NONDETERMINISTIC = 4, /* bits may differ from run to run */
       GPUOPT_KERNEL_NOT_CAPTURABLE = 8
};
enum { GPUOPT_LAYOUT_ROW = 1, GPUOPT_LAYOUT_COL = 2, GPUOPT_LAYOUT_ANY = 3 }; /* bits of gpuopt_kernel.layouts */
enum { GPUOPT_ANY = -1 };                                                     /* wildcard in a signature */

/* Data types of the operands in order, and the compute type. GPUOPT_ANY matches anything; an absent operand
 * (gemm's C without beta, reduce's Y and VALUE where not used, norm's RESIDUAL and SUM) matches anything too. */
typedef struct gpuopt_signature {
  int32_t dtype[4];
  int32_t compute;
} gpuopt_signature;

/* One __global__ function of a kernel with its launch shape. Registers, shared memory and spills come from the compiler's
 * report, found by the address; a kernel template's functions must not be in an unnamed namespace to be found. */
typedef struct gpuopt_resource {
  int32_t threads;      /* per block */
  int32_t dynamic_smem; /* bytes */
  const void *entry;    /* address of the __global__ function */
} gpuopt_resource;

/* One stage that is built into a kernel: see gpuopt_kernel.chain. */
typedef struct gpuopt_built_in_stage {
  int32_t kind, form; /* GPUOPT_STAGE_*; of ADD, SUB, MUL also the form */
  int32_t dtype[2];   /* of its operands a and b; GPUOPT_ANY: any */
  int32_t any_factor; /* 1: value[0] may be other than 1 where it is a factor on an operand */
} gpuopt_built_in_stage;

typedef struct gpuopt_kernel {
  size_t struct_size;
  const char
      *name; /* <op>_<method>[_<detail>], 1 to 96 of [a-z0-9_], unique in the process; of a plugin: unique in it */
  const char *summary; /* one line for the list */
  int32_t op;
  int32_t version;      /* raise it when results or speed change: tuned entries are bound to it */
  uint32_t flags;       /* GPUOPT_KERNEL_* */
  uint32_t understands; /* GPUOPT_FEATURE_* */
  /* These masks name what the code computes, bit by bit: never ~0 or what a table happens to hold. A kind that is new in
   * tables.h must find every kernel refusing it until the code for it is there. */
  uint64_t stage_kinds; /* bit GPUOPT_STAGE_x set: understands that stage kind (can_run may refuse forms) */
  int32_t max_stages;
  uint32_t variants;      /* reduce: bit GPUOPT_REDUCE_x; norm: bit GPUOPT_NORM_x; others 0 */
  uint32_t axes;          /* reduce: bit GPUOPT_EACH_ROW ...; others 0 */
  int32_t cc_min, cc_max; /* inclusive range of compute capability; 0 cc_max: no upper end */
  int32_t cc_exact;       /* not 0: this one only (sm_90a code does not run on sm_100) */
  int32_t isa_min;        /* HOST: least gpuopt_device_facts.cpu_isa */
  uint8_t layouts[4];     /* by operand, normal form: GPUOPT_LAYOUT_*; 0 means ANY */
  int32_t align[4];       /* by operand: bytes the base address must be a multiple of; 0 or 1: any element */
  int32_t ld_align[4];    /* by operand: bytes that ld and batch_stride must be multiples of */
  int32_t multiple[3];    /* m, n, k must be multiples of it; 0 or 1: any */
  const gpuopt_signature *signatures;
  size_t signature_count;
  int (*can_run)(const gpuopt_problem *problem, gpuopt_reject *reject); /* 1: yes; 0: reject is filled. NULL: always */
  double (*predict_us)(
      const gpuopt_problem *problem); /* time on problem.device; <= 0, NaN, inf or NULL: never automatic */
  void (*workspace)(const gpuopt_problem *problem, size_t *scratch, size_t *zeroed); /* NULL: none */
  /* Loads modules, sets attributes, creates library handles: what is done once and not at every launch. May be called
   * inside a stream capture, in relaxed mode. Must be idempotent and thread-safe; is called before the first launch of
   * each problem. NULL: nothing to do. */
  gpuopt_status (*prepare)(const gpuopt_problem *problem, const gpuopt_launch *launch);
  gpuopt_status (*launch)(const gpuopt_problem *problem, const gpuopt_launch *launch);
  const gpuopt_resource *resources;
  size_t resource_count;
  /* Names it was released under before, separated by commas, each as unique as name and found wherever name is; reports
   * give name. NULL: none. */
  const char *aliases;
  /* More needs as data, all of which zero means none. */
  const gpuopt_built_in_stage *chain; /* not NULL: max_stages stages, the only chain that it computes, and never none */
  uint32_t operands_needed;           /* bits 1 << GPUOPT_OPERAND_*: a problem without this operand is refused ... */
  uint32_t operands_refused;          /* ... and one with it */
  uint32_t
      operands_packed; /* lines and matrices follow each other without a gap: ld and batch_stride are not looked at */
  int32_t extra_dtype
      [3];          /* norm: the types of GAMMA, BETA and STATISTICS; gemm_grouped: OFFSETS, LIST; 0, GPUOPT_ANY: any */
  const void *data; /* the kernel's own: its functions find it by problem->kernel */
  /* Writes the names of the algorithms that a library has for this problem, its own choice first, with blanks between, into
   * text of GPUOPT_ALGORITHMS_BYTES; called after prepare. A name has 1 to 96 of [a-z0-9_.-] and says the same in another
   * process. With one of them in problem->algorithm, prepare answers GPUOPT_NOT_SUPPORTED for what the problem has no longer,
   * or never had: it is a text of a file or an environment. NULL: it has no algorithms to choose between. */
  gpuopt_status (*algorithms)(const gpuopt_problem *problem, const gpuopt_launch *launch, char *text);
  /* Of a kernel that finds out on the device, from the operands' elements, how it computes: its ways and what decides, as
   * explain says it behind "can run". NULL: it has one way. */
  const char *data_paths;
} gpuopt_kernel;

/* ---- Plugins ------------------------------------------------------------------------------------------
 *
 * A plugin is a shared object that exports gpuopt_plugin_query_v1 and needs nothing of the library to be built or loaded:
 *
 *     static const gpuopt_kernel kernels[] = {{sizeof(gpuopt_kernel), "gemm_mine", ...}};
 *     static const gpuopt_plugin plugin = {sizeof(gpuopt_plugin), GPUOPT_PLUGIN_ABI_MAJOR, GPUOPT_PLUGIN_ABI_MINOR,
 *                                          "mine", "1.0", kernels, 1, sizeof(gpuopt_kernel)};
 *     GPUOPT_PLUGIN_EXPORT const gpuopt_plugin *gpuopt_plugin_query_v1(const gpuopt_host *host) { return &plugin; }
 *
 * Its kernels are registered as plugin:mine/gemm_mine, so that two plugins are never in each other's way. The query is the
 * first thing of it that is called, once, and answers with a constant table. The table is checked in full before anything of
 * it is used, and a plugin is taken as a whole or refused as a whole. Nothing is ever unloaded: code, descriptors and what
 * they point to must stay as they are until the process ends. What the shared object runs by itself when it is loaded
 * (constructors) runs before any check: it should run nothing. docs/plugins.md has who may load what from where. */

#define GPUOPT_PLUGIN_ABI_MAJOR 1 /* a new one has a query function of its own: gpuopt_plugin_query_v2 */
#define GPUOPT_PLUGIN_ABI_MINOR 0 /* grows with fields at the end of structs, which struct_size tells too: for people */

typedef struct gpuopt_plugin {
  size_t struct_size;
  uint32_t abi_major, abi_minor; /* GPUOPT_PLUGIN_ABI_MAJOR, GPUOPT_PLUGIN_ABI_MINOR */
  const char *name;              /* 1 to 64 of [a-z0-9_]; "plugin:<name>/<kernel>" has at most 96 characters */
  const char *version;           /* for people: up to 64 printable characters; or NULL */
  const gpuopt_kernel *kernels;
  size_t kernel_count;  /* 1 to 4096 */
  size_t kernel_stride; /* bytes from one descriptor to the next: sizeof(gpuopt_kernel) as the plugin was compiled */
} gpuopt_plugin;

/* What the library tells a plugin. */
typedef struct gpuopt_host {
  size_t struct_size;
  uint32_t abi_major, abi_minor; /* of the library */
  int32_t version;               /* its gpuopt_version() */
  int32_t reserved;
  char *error; /* error_bytes chars for a message when the query returns NULL */
  size_t error_bytes;
} gpuopt_host;

/* The plugin's table, or NULL and a message where it cannot serve this host. */
typedef const gpuopt_plugin *(*gpuopt_plugin_query)(const gpuopt_host *host);

#ifdef __cplusplus
#define GPUOPT_PLUGIN_EXPORT extern "C" __attribute__((visibility("default")))
#else
#define GPUOPT_PLUGIN_EXPORT __attribute__((visibility("default")))
#endif
GPUOPT_PLUGIN_EXPORT const gpuopt_plugin *gpuopt_plugin_query_v1(const gpuopt_host *host);

/* ---- The library's own kernels ------------------------------------------------------------------------ */

/* The kernels of one source file. Every file under src/kernels/<op>/ and src/cpu/ ends with
 * GPUOPT_REGISTER_KERNELS, which exports one constant span under the file's name; the generated manifest
 * refers to all of them, so a file registers by existing and one that forgets is a link error.
 * GPUOPT_KERNEL_FILE is set by the build. */
typedef struct gpuopt_kernel_span {
  const gpuopt_kernel *kernels;
  size_t count;
} gpuopt_kernel_span;

#ifdef __cplusplus
}
#define GPUOPT_SPAN_NAME_2_(file) gpuopt_kernels_##file
#define GPUOPT_SPAN_NAME_(file) GPUOPT_SPAN_NAME_2_(file)
/* array: a constexpr array of gpuopt_kernel. */
#define GPUOPT_REGISTER_KERNELS(array)                                       \
  extern "C" const gpuopt_kernel_span GPUOPT_SPAN_NAME_(GPUOPT_KERNEL_FILE); \
  const gpuopt_kernel_span GPUOPT_SPAN_NAME_(GPUOPT_KERNEL_FILE) = {array, sizeof(array) / sizeof(array[0])}
#endif
#endif
