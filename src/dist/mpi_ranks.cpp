// MPI as Control and Mover: every wait is a poll with a time limit, since MPI itself would wait for ever for a rank that is gone.
#include "mpi_ranks.h"

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "error.h"

namespace gpuopt::dist {
namespace {

constexpr int kControlTag = 30000;                  // below the least upper bound of tags, 32767
constexpr size_t kMostOfMessage = size_t{1} << 30;  // of one message: MPI counts in int

class Mpi final : public Control, public Mover {
 public:
  explicit Mpi(MPI_Comm comm) : comm_(comm) {
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  }
  ~Mpi() override {
    int is_over = 0;
    MPI_Finalized(&is_over);
    // After a fault ranks are missing, and freeing it, which all take part in, would wait for them.
    if (!is_over && !broken_) MPI_Comm_free(&comm_);
  }
  const char *name() const override { return "mpi"; }

  gpuopt_status exchange_letters(const void *mine, void *all, size_t bytes) override {
    std::vector<MPI_Request> requests(2 * static_cast<size_t>(size), MPI_REQUEST_NULL);
    // One that is left by a fault may still be written to: this memory then stays.
    auto *box = new std::vector<char>((size + 1) * bytes);
    std::memcpy(box->data() + size * bytes, mine, bytes);
    const int tag = kControlTag + (turn_++ & 1023);
    for (int32_t r = 0; r < size; ++r) {
      if (r == rank) continue;
      const int length = static_cast<int>(bytes);
      if (const int e = MPI_Irecv(box->data() + r * bytes, length, MPI_BYTE, r, tag, comm_, &requests[2 * r]))
        return told(e, r);
      if (const int e = MPI_Isend(box->data() + size * bytes, length, MPI_BYTE, r, tag, comm_, &requests[2 * r + 1]))
        return told(e, r);
    }
    const Deadline deadline(limit_ms);
    for (int32_t r = 0; r < size; ++r) {
      const gpuopt_status s = wait(&requests[2 * r], 2, r, deadline);
      if (s != GPUOPT_OK) return s;
    }
    std::memcpy(box->data() + rank * bytes, mine, bytes);
    std::memcpy(all, box->data(), size * bytes);
    delete box;
    return GPUOPT_OK;
  }
  void abort() override { broken_ = true; }
  // MPI may cancel a receive, but not one whose message has begun to come, nor, in general, a send.
  bool is_under_way() override {
    for (const std::vector<Pending> *all : {&incoming_, &outgoing_})
      for (const Pending &p : *all)
        if (p.request != MPI_REQUEST_NULL) return true;
    return false;
  }

  gpuopt_status attach(char *window, size_t) override {
    window_ = window;
    return GPUOPT_OK;
  }
  gpuopt_status start(const Block &out, const void *from, const Block &in, Stream) override {
    for (size_t at = 0; at < in.bytes; at += kMostOfMessage) {
      const int length = static_cast<int>(std::min(kMostOfMessage, in.bytes - at));
      incoming_.push_back({in.peer, in.slot, MPI_REQUEST_NULL});
      if (const int e =
              MPI_Irecv(window_ + in.offset + at, length, MPI_BYTE, in.peer, in.slot, comm_, &incoming_.back().request))
        return told(e, in.peer);
    }
    for (size_t at = 0; at < out.bytes; at += kMostOfMessage) {
      const int length = static_cast<int>(std::min(kMostOfMessage, out.bytes - at));
      outgoing_.push_back({out.peer, out.slot, MPI_REQUEST_NULL});
      if (const int e = MPI_Isend(static_cast<const char *>(from) + at, length, MPI_BYTE, out.peer, out.slot, comm_,
                                  &outgoing_.back().request))
        return told(e, out.peer);
    }
    return GPUOPT_OK;
  }
  gpuopt_status await(const Block &in, Stream) override {
    const Deadline deadline(limit_ms);
    for (Pending &p : incoming_) {
      if (p.peer != in.peer || p.slot != in.slot) continue;
      const gpuopt_status s = wait(&p.request, 1, p.peer, deadline);
      if (s != GPUOPT_OK) return s;
    }
    return GPUOPT_OK;
  }
  gpuopt_status finish(Stream) override {
    const Deadline deadline(limit_ms);
    for (std::vector<Pending> *all : {&incoming_, &outgoing_}) {
      for (Pending &p : *all) {
        const gpuopt_status s = wait(&p.request, 1, p.peer, deadline);
        if (s != GPUOPT_OK) return s;
      }
      all->clear();
    }
    return GPUOPT_OK;
  }

 private:
  struct Pending {
    int32_t peer, slot;
    MPI_Request request;
  };

  gpuopt_status told(int error, int32_t peer) {
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(error, text, &length);
    broken_ = true;
    return fail(GPUOPT_COMM_ERROR, "MPI, on the way between rank %d and rank %d: %s", rank, peer, text);
  }
  gpuopt_status wait(MPI_Request *requests, int count, int32_t peer, const Deadline &deadline) {
    for (int turn = 0;; ++turn) {
      int done = 0;
      if (const int e = MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE)) return told(e, peer);
      if (done) return GPUOPT_OK;
      if (turn % 64 != 63) continue;
      if (deadline.is_over())
        return fail(GPUOPT_TIME_LIMIT, "rank %d waited for rank %d for longer than %d ms", rank, peer, deadline.ms());
      sched_yield();  // more ranks than processors
    }
  }

  MPI_Comm comm_;
  bool broken_ = false;
  int turn_ = 0;
  char *window_ = nullptr;
  std::vector<Pending> incoming_, outgoing_;
};

}  // namespace

gpuopt_status join_mpi(const void *mpi_comm, int32_t limit_ms, Transport *out) {
  int is_up = 0, is_over = 0;
  MPI_Initialized(&is_up);
  MPI_Finalized(&is_over);
  if (!is_up || is_over)
    return fail(GPUOPT_INVALID_ARGUMENT, "gpuopt_comm_from_mpi: MPI %s",
                is_over ? "is finalized" : "is not initialised");
  MPI_Comm theirs, ours = MPI_COMM_NULL;
  std::memcpy(&theirs, mpi_comm, sizeof theirs);
  if (theirs == MPI_COMM_NULL) return fail(GPUOPT_INVALID_ARGUMENT, "gpuopt_comm_from_mpi: *mpi_comm is MPI_COMM_NULL");
  if (MPI_Comm_dup(theirs, &ours) != MPI_SUCCESS)
    return fail(GPUOPT_COMM_ERROR, "gpuopt_comm_from_mpi: MPI_Comm_dup failed");
  auto mpi = std::make_unique<Mpi>(ours);
  mpi->limit_ms = limit_ms;
  out->mover = mpi.get();
  out->control = std::move(mpi);
  return GPUOPT_OK;
}

}  // namespace gpuopt::dist
