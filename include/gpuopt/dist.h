/* gpuopt/dist.h - products over several GPUs or several processes: the component gpuopt::dist. This header is the manual.
 *
 * The rows or the inner extent of a product are split over the ranks of a communicator:
 *
 *     gpuopt_all_gather_gemm      column parallel: every rank has some rows of A and its own columns of B; the rows are
 *                                 brought together, and each rank computes all rows of its columns of D
 *     gpuopt_gemm_reduce_scatter  row parallel: every rank has its own part of k; the partial products are summed, and each
 *                                 rank gets some rows of D
 *     gpuopt_gemm_all_reduce      row parallel: as above, and every rank gets all rows of D
 *
 * Each is one call on every rank, with the same arguments but for the data: what is moved is moved while the product is
 * computed, by the plan whose predicted time is the least (docs/scale.md). Between GPUs NCCL or the GPUs' copy engines move it,
 * between processes on CPUs MPI, between threads on CPUs plain memory.
 *
 * Rules
 * - All rules of gpuopt.h hold: errors, order on the handle's stream, threads, structs. A communicator uses the handle that
 *   it was made with, serves one call at a time, and is destroyed before the handle.
 * - Every rank makes the same calls of a communicator in the same order. The first call with a problem, and
 *   gpuopt_comm_prepare, exchange what the ranks are about to do, and RANKS_DISAGREE names two that differ; on CPUs, or with
 *   GPUOPT_CHECK_EVERY_CALL, every call does. It is the plan of rank 0 that runs.
 * - Sums are taken in the order of the ranks, in the compute type, and rounded once; the same call gives the same bits in
 *   every run. Partial products travel in the accumulators' type (fp32 for 16-bit and 8-bit floats), or, where the
 *   call has GPUOPT_ALLOW_INTERMEDIATE_ROUNDING, in D's, which halves what is moved.
 * - Rows are split so that the first `rows % size` ranks have one row more than the others: gpuopt_dist_rows. In a batch the
 *   rows of each matrix are.
 * - Faults. A rank that is missed for longer than the time limit, or whose connection reports an error, ends the call, or
 *   gpuopt_comm_synchronize, with TIME_LIMIT or COMM_ERROR and the rank's number. The communicator is then broken: every other
 *   call with it returns COMM_ERROR, and it can only be destroyed. The handle goes on. Under MPI operands of such a call may
 *   still be read by a block that was on its way.
 * - A call that one rank refuses, for its arguments or for memory, is refused on all that exchange with it, and the
 *   communicator goes on: the rank's own message says why.
 * - Capture. After gpuopt_comm_prepare with the same problem, a call on GPUs may be captured into a CUDA graph, which
 *   every rank replays; it may not outlive the communicator.
 *
 * C99; needs neither CUDA's, NCCL's nor MPI's header.
 */
#ifndef GPUOPT_DIST_H
#define GPUOPT_DIST_H

#include "gpuopt/gpuopt.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gpuopt_comm gpuopt_comm;

/* Statuses beside those of GPUOPT_STATUS_TABLE, pinned like them: X(NAME, value, what it means) */
#define GPUOPT_DIST_STATUS_TABLE(X)                                                           \
  X(COMM_ERROR, 10, "a rank, or what connects the ranks, failed; the message names the rank") \
  X(TIME_LIMIT, 11, "a rank waited for another one for too long; the message names it")       \
  X(RANKS_DISAGREE, 12, "ranks made different calls; the message says how two of them differ")
enum {
#define GPUOPT_X_(name, value, text) GPUOPT_##name = value,
  GPUOPT_DIST_STATUS_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
};
enum { /* the operations, for prepare and explain */
       GPUOPT_DIST_ALL_GATHER_GEMM = 1,
       GPUOPT_DIST_GEMM_REDUCE_SCATTER = 2,
       GPUOPT_DIST_GEMM_ALL_REDUCE = 3
};
enum {
  GPUOPT_CHECK_DEFAULT = 0, /* CPUs: every call; GPUs: the first call with a problem */
  GPUOPT_CHECK_FIRST_CALL = 1,
  GPUOPT_CHECK_EVERY_CALL = 2
};

/* ---- 1. Communicators ----------------------------------------------------------------------------------- */

typedef struct gpuopt_comm_options {
  size_t struct_size;
  int32_t check;         /* GPUOPT_CHECK_*, the same on every rank: ranks that differ wait until the time limit */
  int32_t time_limit_ms; /* how long a rank waits for another one; 0: 30,000 */
  const char *plan;      /* as GPUOPT_DIST_PLAN: a plan's name, or name:chunks; NULL: the least predicted time */
} gpuopt_comm_options;
#define GPUOPT_COMM_OPTIONS_INIT \
  { sizeof(gpuopt_comm_options), 0, 0, NULL }

#define GPUOPT_UNIQUE_ID_BYTES 128
typedef struct gpuopt_unique_id {
  char bytes[GPUOPT_UNIQUE_ID_BYTES];
} gpuopt_unique_id;

/* A name for a new communicator, made by one rank and brought to the others by the application. Handle of a GPU: NCCL's, for
 * threads and processes. Handle of the CPU: for the threads of this process. NOT_SUPPORTED: NCCL cannot be loaded. */
GPUOPT_API gpuopt_status gpuopt_get_unique_id(gpuopt_handle *handle, gpuopt_unique_id *id);
/* A new communicator of size ranks, 0 <= rank < size; returns when all have called. Each rank has a handle of its own, all
 * of the CPU or each of another GPU. options may be NULL; *comm is NULL on failure. size = 1 needs no library. Threads are at
 * most 1024 (NOT_SUPPORTED), and a rank comes once (INVALID_ARGUMENT). */
GPUOPT_API gpuopt_status gpuopt_comm_create(gpuopt_comm **comm, gpuopt_handle *handle, const gpuopt_unique_id *id,
                                            int32_t rank, int32_t size, const gpuopt_comm_options *options);
/* Of the application's ncclComm_t, which must be of the handle's GPU and stays the application's: it is not destroyed, but
 * aborted where a fault makes that necessary. NCCL is the one that the application has loaded. */
GPUOPT_API gpuopt_status gpuopt_comm_from_nccl(gpuopt_comm **comm, gpuopt_handle *handle, void *nccl_comm,
                                               const gpuopt_comm_options *options);
/* Of the application's MPI_Comm, by its address; it is duplicated. Handle of the CPU: MPI moves the data. Handle of a GPU:
 * NCCL does, and MPI only brings its unique id. NOT_SUPPORTED: this build has no MPI. INVALID_ARGUMENT: MPI is not initialised. */
GPUOPT_API gpuopt_status gpuopt_comm_from_mpi(gpuopt_comm **comm, gpuopt_handle *handle, const void *mpi_comm,
                                              const gpuopt_comm_options *options);
/* Waits for the communicator's work on this rank, within the time limit, then frees all it owns. Every rank calls it. NULL
 * is fine. */
GPUOPT_API void gpuopt_comm_destroy(gpuopt_comm *comm);
/* This rank's number and how many ranks there are; either pointer may be NULL. INVALID_ARGUMENT: comm is NULL. */
GPUOPT_API gpuopt_status gpuopt_comm_rank(const gpuopt_comm *comm, int32_t *rank, int32_t *size);
/* Forces a plan, as GPUOPT_DIST_PLAN does: "dist_peer", "dist_chunked:4"; NULL or "": the least predicted time. Every rank
 * must force the same. A name that is none is KERNEL_NOT_FOUND; a plan that cannot run fails the calls with KERNEL_REJECTED. */
GPUOPT_API gpuopt_status gpuopt_comm_set_plan(gpuopt_comm *comm, const char *plan);
/* Waits for the handle's stream as gpuopt_synchronize does, but no longer than the time limit, and looks for errors of the
 * connection meanwhile: TIME_LIMIT, COMM_ERROR. */
GPUOPT_API gpuopt_status gpuopt_comm_synchronize(gpuopt_comm *comm);

/* ---- 2. The operations ---------------------------------------------------------------------------------- */

/* The rows of rank: [begin, begin + count) of `rows`. */
static inline void gpuopt_dist_rows(int64_t rows, int32_t rank, int32_t size, int64_t *begin, int64_t *count) {
  const int64_t more = rows % size, least = rows / size;
  *begin = rank * least + (rank < more ? rank : more);
  *count = least + (rank < more ? 1 : 0);
}

/* D = stages(alpha * A * B + beta * C), A = the rows of all ranks, one under the other. args->a has this rank's rows (of d.rows)
 * and k columns; b, c and d are k x n and m x n with this rank's n, and so are the stages' operands. Everything that gpuopt_gemm
 * takes is legal, but for scales of blocks (NOT_SUPPORTED, here and below). An A of fp8 has one scale for all ranks. */
GPUOPT_API gpuopt_status gpuopt_all_gather_gemm(gpuopt_comm *comm, const gpuopt_gemm_args *args);
/* D = this rank's rows of stages(alpha * sum over the ranks of A * B + beta * C): a is m x k and b is k x n with this rank's k;
 * c, d and the stages' operands have this rank's rows of m. beta * C and the stages come once, after the sum.
 * NOT_SUPPORTED: beta_ptr, and a scale of d. */
GPUOPT_API gpuopt_status gpuopt_gemm_reduce_scatter(gpuopt_comm *comm, const gpuopt_gemm_args *args);
/* As gpuopt_gemm_reduce_scatter, with all m rows of D on every rank; c and the stages' operands have m rows and the same
 * values on every rank. NOT_SUPPORTED: STORE too, since a rank works out its own rows only. */
GPUOPT_API gpuopt_status gpuopt_gemm_all_reduce(gpuopt_comm *comm, const gpuopt_gemm_args *args);

/* Moves the cost of a first call ahead, on every rank: agrees on the plan, allocates, maps. op: GPUOPT_DIST_*. Data pointers
 * may be NULL where size > 1. */
GPUOPT_API gpuopt_status gpuopt_comm_prepare(gpuopt_comm *comm, int32_t op, const gpuopt_gemm_args *args);

/* ---- 3. What ran, what could, and why --------------------------------------------------------------------- */

typedef struct gpuopt_dist_run_info {
  size_t struct_size;
  const char *plan; /* lives as long as the process; NULL before the first call */
  int32_t chunks;
  int32_t forced;
  double predicted_us, product_us; /* of the call, and of what a rank computes alone */
  int64_t bytes;                   /* that this rank sends */
} gpuopt_dist_run_info;
#define GPUOPT_DIST_RUN_INFO_INIT \
  { sizeof(gpuopt_dist_run_info), NULL, 0, 0, 0, 0, 0 }
/* What this rank's last successful operation with comm ran. INVALID_ARGUMENT: NULL, or info without its struct_size. */
GPUOPT_API gpuopt_status gpuopt_comm_last_run(const gpuopt_comm *comm, gpuopt_dist_run_info *info);

/* One plan's verdict. Strings live until the callback returns. */
typedef struct gpuopt_dist_candidate {
  size_t struct_size;
  const char *plan;
  int32_t chunks;  /* with which its predicted time is the least */
  int32_t verdict; /* GPUOPT_VERDICT_* */
  int32_t reject;  /* GPUOPT_REJECT_* */
  int32_t reserved0;
  double predicted_us, product_us;
  int64_t bytes;    /* that a rank sends */
  const char *text; /* the verdict as a sentence */
} gpuopt_dist_candidate;
typedef void (*gpuopt_dist_explain_fn)(void *user, const gpuopt_dist_candidate *candidate);

typedef struct gpuopt_dist_explain_options {
  size_t struct_size;
  int32_t op;                         /* GPUOPT_DIST_* */
  int32_t ranks;                      /* with comm: 0 */
  const char *link;                   /* "nvlink", "ib400" or "memory"; with comm: NULL */
  const gpuopt_device_facts *pretend; /* NULL: the handle's device */
  const char *plan;                   /* as in gpuopt_comm_options */
  gpuopt_comm *comm;                  /* what this communicator would do; or NULL */
} gpuopt_dist_explain_options;
#define GPUOPT_DIST_EXPLAIN_OPTIONS_INIT \
  { sizeof(gpuopt_dist_explain_options), 0, 0, NULL, NULL, NULL, NULL }
/* The plans for a call, the chosen one first, as rank 0 of so many ranks would choose. Needs no other rank, no GPU, and no
 * data: pointers may be NULL. */
GPUOPT_API gpuopt_status gpuopt_dist_explain(gpuopt_handle *handle, const gpuopt_gemm_args *args,
                                             const gpuopt_dist_explain_options *options, gpuopt_dist_explain_fn fn,
                                             void *user);

#ifdef __cplusplus
}
#endif
#endif
