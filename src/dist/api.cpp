// The functions of dist.h.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "comm.h"
#include "environment.h"
#include "error.h"
#include "gpu.h"
#include "handle.h"
#include "mpi_ranks.h"

using namespace gpuopt;
using namespace gpuopt::dist;

gpuopt_status gpuopt_comm::note(gpuopt_status status) {
  return status == GPUOPT_TIME_LIMIT || status == GPUOPT_COMM_ERROR ? give_up(status) : status;
}

gpuopt_status gpuopt_comm::give_up(gpuopt_status status) {
  if (status == GPUOPT_OK || is_broken) return status;
  is_broken = true;
  std::snprintf(fault, sizeof fault, "%s", gpuopt_last_error());
  // Words of the fault outlive what is said while everything that waits is let go.
  if (peers) peers->abort();
  if (control) control->abort();
  return fail(status, "%s", fault);
}

namespace {

struct Given {
  int32_t check = 0, limit_ms = 30000;
  std::string plan;
};

gpuopt_status read_options(const char *function, const gpuopt_comm_options *options, Given *out) {
  const char *where = "GPUOPT_DIST_PLAN";
  if (options) {
    const gpuopt_status s =
        check_struct_size(function, "options", options, sizeof *options, "GPUOPT_COMM_OPTIONS_INIT");
    if (s != GPUOPT_OK) return s;
    if (options->check < 0 || options->check > GPUOPT_CHECK_EVERY_CALL)
      return fail(GPUOPT_INVALID_ARGUMENT, "%s: options.check=%d is not a GPUOPT_CHECK_* value", function,
                  options->check);
    if (options->time_limit_ms < 0)
      return fail(GPUOPT_INVALID_ARGUMENT, "%s: options.time_limit_ms=%d is negative", function,
                  options->time_limit_ms);
    out->check = options->check;
    if (options->time_limit_ms > 0) out->limit_ms = options->time_limit_ms;
  }
  if (options && options->plan) {
    where = "options.plan";
    out->plan = options->plan;
  } else if (const char *text = secure_getenv("GPUOPT_DIST_PLAN")) {
    out->plan = text;
  }
  int32_t plan, chunks;
  return fail_within(parse_plan(where, out->plan, &plan, &chunks), "%s", function);
}

gpuopt_status check_create(const char *function, gpuopt_comm **comm, gpuopt_handle *handle, const void *from,
                           const char *from_name, const gpuopt_comm_options *options, Given *given) {
  if (!comm) return fail(GPUOPT_INVALID_ARGUMENT, "%s: comm is NULL", function);
  *comm = nullptr;
  if (!handle) return fail(GPUOPT_INVALID_ARGUMENT, "%s: handle is NULL", function);
  if (!from) return fail(GPUOPT_INVALID_ARGUMENT, "%s: %s is NULL", function, from_name);
  return read_options(function, options, given);
}

// The rest of a new communicator: the memory, and the peers' where it can be mapped.
gpuopt_status finish_create(gpuopt_handle *handle, const Given &given, Transport transport, gpuopt_comm **out) {
  auto comm = std::make_unique<gpuopt_comm>();
  comm->handle = handle;
  comm->setting = setting_of;
  comm->checks_every_call =
      given.check == GPUOPT_CHECK_EVERY_CALL || (given.check == GPUOPT_CHECK_DEFAULT && !handle->cuda);
  comm->forced = given.plan;
  comm->control = std::move(transport.control);
  comm->blocks = transport.mover;
  comm->why_no_peers = "a CPU has no copy engines";
  if (comm->control) {
    comm->rank = comm->control->rank;
    comm->size = comm->control->size;
    gpuopt_status s = GPUOPT_OK;
    if (handle->cuda) {
      comm->memory = gpu_memory(handle, &s);
      if (s == GPUOPT_OK) s = map_peers(comm->control.get(), handle, &comm->peers, &comm->why_no_peers);
    } else {
      comm->memory = host_memory();
    }
    if (s != GPUOPT_OK) return s;
  }
  *out = comm.release();
  return GPUOPT_OK;
}

gpuopt_status call_of_ranks(const char *function, gpuopt_comm *comm, int32_t op, const gpuopt_gemm_args *args,
                            bool launches) {
  gpuopt_status s = comm->control->check();
  if (s != GPUOPT_OK) return comm->note(fail_within(s, "%s", function));
  Problem p;
  const gpuopt_status made = make_problem(function, op, args, comm->rank, comm->size, launches, &p);
  Choice choice;
  if ((s = agree(function, comm, made, p, &choice)) != GPUOPT_OK) return s;
  // n is a rank's own where rows of A are gathered: one without columns still has rows that others wait for.
  if (!launches || p.m == 0 || (p.n == 0 && !p.gathers())) return GPUOPT_OK;
  // What stops in the middle leaves the other ranks waiting, and blocks under way.
  if ((s = dist::run(comm, p, choice)) != GPUOPT_OK) return comm->give_up(fail_within(s, "%s", function));
  comm->last.plan = plans()[static_cast<size_t>(choice.plan)].name;
  comm->last.chunks = choice.chunks, comm->last.forced = choice.forced;
  comm->last.predicted_us = choice.predicted_us, comm->last.product_us = choice.product_us;
  comm->last.bytes = bytes_sent(p);
  return GPUOPT_OK;
}

gpuopt_status call(const char *function, gpuopt_comm *comm, int32_t op, const gpuopt_gemm_args *args, bool launches) {
  if (!comm) return fail(GPUOPT_INVALID_ARGUMENT, "%s: comm is NULL", function);
  if (comm->is_broken)
    return fail(GPUOPT_COMM_ERROR, "%s: the communicator is broken since: %s", function, comm->fault);
  try {
    // One rank needs nobody; the core itself checks the call.
    if (comm->size == 1) {
      if (!args) return fail(GPUOPT_INVALID_ARGUMENT, "%s: args is NULL", function);
      comm->last.plan = "dist_alone", comm->last.chunks = 1;
      return launches ? gpuopt_gemm(comm->handle, args) : gpuopt_prepare(comm->handle, args);
    }
    // Who leaves by an exception, or by the end of the thread, leaves the other ranks waiting too.
    struct Leaving {
      gpuopt_comm *comm;
      const char *function;
      bool returns;
      ~Leaving() {
        if (!returns)
          comm->give_up(
              fail(GPUOPT_COMM_ERROR, "%s: memory ran out, or the thread ended, in the middle of the call", function));
      }
    } leaving = {comm, function, false};
    const gpuopt_status s = call_of_ranks(function, comm, op, args, launches);
    leaving.returns = true;
    return s;
  }
  GPUOPT_CATCH_ALL { return fail_caught(function); }
}

gpuopt_status look(void *user) {
  auto *comm = static_cast<gpuopt_comm *>(user);
  return comm->control->check();
}

}  // namespace

extern "C" {

gpuopt_status gpuopt_get_unique_id(gpuopt_handle *handle, gpuopt_unique_id *id) try {
  if (!handle || !id)
    return fail(GPUOPT_INVALID_ARGUMENT, "gpuopt_get_unique_id: %s is NULL", handle ? "id" : "handle");
  if (handle->cuda) return fail_within(make_nccl_id(id), "gpuopt_get_unique_id");
  make_thread_id(id);
  return GPUOPT_OK;
}
GPUOPT_CATCH_ALL { return fail_caught("gpuopt_get_unique_id"); }

gpuopt_status gpuopt_comm_create(gpuopt_comm **comm, gpuopt_handle *handle, const gpuopt_unique_id *id, int32_t rank,
                                 int32_t size, const gpuopt_comm_options *options) try {
  Given given;
  gpuopt_status s = check_create("gpuopt_comm_create", comm, handle, id, "id", options, &given);
  if (s != GPUOPT_OK) return s;
  if (size < 1 || rank < 0 || rank >= size)
    return fail(GPUOPT_INVALID_ARGUMENT, "gpuopt_comm_create: rank=%d of size=%d is not within 0 and size - 1", rank,
                size);
  Transport transport;
  if (size > 1) {
    s = handle->cuda ? join_nccl(*id, rank, size, given.limit_ms, handle, &transport)
                     : join_threads(*id, rank, size, given.limit_ms, &transport);
  }
  return s != GPUOPT_OK ? s : finish_create(handle, given, std::move(transport), comm);
}
GPUOPT_CATCH_ALL { return fail_caught("gpuopt_comm_create"); }

gpuopt_status gpuopt_comm_from_nccl(gpuopt_comm **comm, gpuopt_handle *handle, void *nccl_comm,
                                    const gpuopt_comm_options *options) try {
  Given given;
  gpuopt_status s = check_create("gpuopt_comm_from_nccl", comm, handle, nccl_comm, "nccl_comm", options, &given);
  if (s != GPUOPT_OK) return s;
  if (!handle->cuda)
    return fail(GPUOPT_INVALID_ARGUMENT, "gpuopt_comm_from_nccl: handle is of the CPU, and NCCL connects GPUs");
  Transport transport;
  s = adopt_nccl(nccl_comm, given.limit_ms, handle, &transport);
  return s != GPUOPT_OK ? s : finish_create(handle, given, std::move(transport), comm);
}
GPUOPT_CATCH_ALL { return fail_caught("gpuopt_comm_from_nccl"); }

gpuopt_status gpuopt_comm_from_mpi(gpuopt_comm **comm, gpuopt_handle *handle, const void *mpi_comm,
                                   const gpuopt_comm_options *options) try {
  Given given;
  gpuopt_status s = check_create("gpuopt_comm_from_mpi", comm, handle, mpi_comm, "mpi_comm", options, &given);
  if (s != GPUOPT_OK) return s;
  Transport mpi;
  s = join_mpi(mpi_comm, given.limit_ms, &mpi);
  if (s != GPUOPT_OK) return s;
  if (mpi.control->size == 1) return finish_create(handle, given, Transport(), comm);
  if (!handle->cuda) return finish_create(handle, given, std::move(mpi), comm);
  // MPI carries rank 0's id, and how making it went, to the others.
  struct Start {
    gpuopt_unique_id id;
    int32_t status;
  } mine = {};
  if (mpi.control->rank == 0) mine.status = make_nccl_id(&mine.id);
  const std::string words = gpuopt_last_error();
  std::vector<Start> all(static_cast<size_t>(mpi.control->size));
  s = mpi.control->exchange(Topic::joining, &mine, all.data(), sizeof mine);
  if (s != GPUOPT_OK) return fail_within(s, "gpuopt_comm_from_mpi");
  if (mine.status != GPUOPT_OK) return fail(mine.status, "gpuopt_comm_from_mpi: %s", words.c_str());
  if (all[0].status != GPUOPT_OK)
    return fail(all[0].status, "gpuopt_comm_from_mpi: rank 0 could not make an id for NCCL; its own message says why");
  Transport nccl;
  s = join_nccl(all[0].id, mpi.control->rank, mpi.control->size, given.limit_ms, handle, &nccl);
  return s != GPUOPT_OK ? s : finish_create(handle, given, std::move(nccl), comm);
}
GPUOPT_CATCH_ALL { return fail_caught("gpuopt_comm_from_mpi"); }

void gpuopt_comm_destroy(gpuopt_comm *comm) {
  if (!comm) return;
  const std::unique_ptr<gpuopt_comm> freed_at_the_end(comm);
  try {
    // Peers may still write into this rank's window until they have come here too.
    if (comm->size > 1 && gpuopt_comm_synchronize(comm) == GPUOPT_OK) {
      char mine = 0;
      std::vector<char> all(static_cast<size_t>(comm->size));
      comm->note(comm->control->exchange(Topic::leaving, &mine, all.data(), 1));
    }
  }
  GPUOPT_CATCH_ALL { fail_caught("gpuopt_comm_destroy"); }
  // What a late rank sends, or asks for, must not find memory that has become another's.
  if (comm->blocks && comm->blocks->is_under_way()) comm->memory->abandon();
}

gpuopt_status gpuopt_comm_rank(const gpuopt_comm *comm, int32_t *rank, int32_t *size) {
  if (!comm) return fail(GPUOPT_INVALID_ARGUMENT, "gpuopt_comm_rank: comm is NULL");
  if (rank) *rank = comm->rank;
  if (size) *size = comm->size;
  return GPUOPT_OK;
}

gpuopt_status gpuopt_comm_set_plan(gpuopt_comm *comm, const char *plan) {
  if (!comm) return fail(GPUOPT_INVALID_ARGUMENT, "gpuopt_comm_set_plan: comm is NULL");
  int32_t found, chunks;
  try {
    const std::string text = plan ? plan : "";
    const gpuopt_status s = parse_plan("gpuopt_comm_set_plan: plan", text, &found, &chunks);
    if (s == GPUOPT_OK) comm->forced = text;
    return s;
  }
  GPUOPT_CATCH_ALL { return fail_caught("gpuopt_comm_set_plan"); }
}

gpuopt_status gpuopt_comm_synchronize(gpuopt_comm *comm) {
  if (!comm) return fail(GPUOPT_INVALID_ARGUMENT, "gpuopt_comm_synchronize: comm is NULL");
  if (comm->is_broken)
    return fail(GPUOPT_COMM_ERROR, "gpuopt_comm_synchronize: the communicator is broken since: %s", comm->fault);
  if (comm->size == 1) return gpuopt_synchronize(comm->handle);
  try {
    gpuopt_status s = comm->memory->wait(Deadline(comm->control->limit_ms), look, comm);
    const int32_t missing = s == GPUOPT_TIME_LIMIT && comm->peers ? comm->peers->missing_rank() : -1;
    if (missing >= 0)
      s = fail(s, "rank %d waited for rank %d for longer than %d ms", comm->rank, missing, comm->control->limit_ms);
    return comm->note(fail_within(s, "gpuopt_comm_synchronize"));
  }
  GPUOPT_CATCH_ALL { return fail_caught("gpuopt_comm_synchronize"); }
}

gpuopt_status gpuopt_all_gather_gemm(gpuopt_comm *comm, const gpuopt_gemm_args *args) {
  return call("gpuopt_all_gather_gemm", comm, GPUOPT_DIST_ALL_GATHER_GEMM, args, true);
}
gpuopt_status gpuopt_gemm_reduce_scatter(gpuopt_comm *comm, const gpuopt_gemm_args *args) {
  return call("gpuopt_gemm_reduce_scatter", comm, GPUOPT_DIST_GEMM_REDUCE_SCATTER, args, true);
}
gpuopt_status gpuopt_gemm_all_reduce(gpuopt_comm *comm, const gpuopt_gemm_args *args) {
  return call("gpuopt_gemm_all_reduce", comm, GPUOPT_DIST_GEMM_ALL_REDUCE, args, true);
}

gpuopt_status gpuopt_comm_prepare(gpuopt_comm *comm, int32_t op, const gpuopt_gemm_args *args) {
  if (op < GPUOPT_DIST_ALL_GATHER_GEMM || op > GPUOPT_DIST_GEMM_ALL_REDUCE)
    return fail(GPUOPT_INVALID_ARGUMENT, "gpuopt_comm_prepare: op=%d is not a GPUOPT_DIST_* operation", op);
  return call("gpuopt_comm_prepare", comm, op, args, false);
}

gpuopt_status gpuopt_comm_last_run(const gpuopt_comm *comm, gpuopt_dist_run_info *info) {
  if (!comm || !info) return fail(GPUOPT_INVALID_ARGUMENT, "gpuopt_comm_last_run: %s is NULL", comm ? "info" : "comm");
  return write_struct("gpuopt_comm_last_run", "info", info, &comm->last, sizeof comm->last, sizeof comm->last,
                      "GPUOPT_DIST_RUN_INFO_INIT");
}

}  // extern "C"
