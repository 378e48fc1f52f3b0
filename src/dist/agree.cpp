// Before the first call with a problem the ranks tell each other what they are about to do: the same, or all of them fail with
// the same words in place of waiting for each other. The plan is rank 0's choice.
#include <cstdio>
#include <cstring>

#include "comm.h"
#include "error.h"
#include "figures.h"
#include "handle.h"

namespace gpuopt::dist {
namespace {

struct Offer {
  Digest digest;  // without text, where it has not even come to that; status says why
  int32_t plan, chunks, forced, status;
  double predicted_us, product_us;
};
static_assert(sizeof(Offer) <= Control::kMostBytes);

// What this rank brings to the others; where it fails, memory running out included, that is its refusal.
gpuopt_status prepare_offer(const char *function, gpuopt_comm *comm, const Problem &p, Digest *digest, bool *is_known,
                            Choice *choice) try {
  *digest = digest_of(p, comm->forced);
  const auto found = comm->agreed.find(digest->text);
  *is_known = found != comm->agreed.end();
  if (*is_known) {
    *choice = found->second;
    return GPUOPT_OK;
  }
  if (comm->memory->is_capturing())
    return fail(
        GPUOPT_NOT_CAPTURABLE,
        "%s: the stream is captured, and the ranks have not agreed on this problem: call gpuopt_comm_prepare before",
        function);
  return judge(function, p, setting_of(comm, p), comm->forced, nullptr, choice);
}
GPUOPT_CATCH_ALL { return fail_caught(function); }

}  // namespace

Setting setting_of(gpuopt_comm *comm, const Problem &p) {
  Setting s;
  const char *link = comm->handle->cuda ? "nvlink" : "memory";
  s.blocks = *find_link(link, Means::blocks);
  s.peers = *find_link(link, Means::peers);
  s.has_peers = comm->peers != nullptr;
  // A GPU that cannot reach its peers' memory is most likely on another machine.
  if (comm->handle->cuda && !s.has_peers) s.blocks = *find_link("ib400", Means::blocks);
  s.why_no_peers = comm->why_no_peers;
  predict_products(&s, comm->handle, nullptr, p);
  return s;
}

gpuopt_status agree(const char *function, gpuopt_comm *comm, gpuopt_status made, const Problem &p, Choice *choice) {
  Offer offer = {};
  bool is_known = false;
  gpuopt_status own = made;
  if (own == GPUOPT_OK) own = prepare_offer(function, comm, p, &offer.digest, &is_known, choice);
  if (is_known && !comm->checks_every_call) return own;
  char own_words[sizeof comm->fault];
  std::snprintf(own_words, sizeof own_words, "%s", own == GPUOPT_OK ? "" : gpuopt_last_error());
  if (comm->memory->is_capturing()) return own == GPUOPT_OK ? own : fail(own, "%s", own_words);
  offer.plan = choice->plan, offer.chunks = choice->chunks, offer.forced = choice->forced, offer.status = own;
  offer.predicted_us = choice->predicted_us, offer.product_us = choice->product_us;
  std::vector<Offer> all(static_cast<size_t>(comm->size));
  gpuopt_status s = comm->control->exchange(Topic::offer, &offer, all.data(), sizeof offer);
  if (s != GPUOPT_OK && own != GPUOPT_OK)
    return comm->note(fail_within(s, "%s, which this rank refused (%s)", function, own_words));
  if (s != GPUOPT_OK) return comm->note(fail_within(s, "%s", function));
  // A rank that cannot go on takes all with it, before anybody waits.
  const auto refused = [&](int32_t r) {
    const gpuopt_status status = all[static_cast<size_t>(r)].status;
    return own != GPUOPT_OK ? fail(own, "%s", own_words)
                            : fail(status, "%s: rank %d refused this call: %s; its own message says why", function, r,
                                   gpuopt_status_name(status));
  };
  for (int32_t r = 0; r < comm->size; ++r)
    if (all[static_cast<size_t>(r)].digest.text[0] == 0) return refused(r);
  for (int32_t r = 1; r < comm->size; ++r) {
    const Digest &first = all[0].digest, &other = all[static_cast<size_t>(r)].digest;
    if (std::memcmp(first.text, other.text, sizeof first.text) != 0)
      return fail(GPUOPT_RANKS_DISAGREE, "%s: rank 0 has %s, rank %d has %.*s", function, first.text, r,
                  static_cast<int>(sizeof other.text), other.text);
  }
  for (int32_t r = 0; r < comm->size; ++r)
    if (all[static_cast<size_t>(r)].status != GPUOPT_OK) return refused(r);
  if (is_known) return GPUOPT_OK;
  *choice = {all[0].plan, all[0].chunks, all[0].forced, all[0].predicted_us, all[0].product_us};

  Memory &memory = *comm->memory;
  const size_t window = window_bytes(p), scratch = scratch_bytes(p);
  const bool grows = window > memory.window_bytes;
  if (grows || scratch > memory.scratch_bytes) {
    // Nobody still writes into, or reads from, what is replaced: every rank has finished its calls before it exchanged.
    int32_t went = memory.reserve(window, scratch);
    std::snprintf(own_words, sizeof own_words, "%s", went == GPUOPT_OK ? "" : gpuopt_last_error());
    std::vector<int32_t> others(static_cast<size_t>(comm->size));
    s = comm->control->exchange(Topic::memory, &went, others.data(), sizeof went);
    if (s != GPUOPT_OK) return comm->note(fail_within(s, "%s", function));
    int32_t lacks = went == GPUOPT_OK ? -1 : comm->rank;
    for (int32_t r = 0; r < comm->size && lacks < 0; ++r)
      if (others[static_cast<size_t>(r)] != GPUOPT_OK) lacks = r;
    // Where one rank lacks memory all are as before, so that they come to the same decision the next time.
    memory.settle(lacks < 0);
    if (lacks == comm->rank) return fail(went, "%s: %s", function, own_words);
    if (lacks >= 0)
      return fail(others[static_cast<size_t>(lacks)], "%s: rank %d has no memory for the blocks of other ranks",
                  function, lacks);
    if (grows) {
      s = comm->blocks->attach(memory.window, memory.window_bytes);
      if (s == GPUOPT_OK && comm->peers) s = comm->peers->attach(memory.window, memory.window_bytes);
      // The windows that the movers knew are no longer those that there are.
      if (s != GPUOPT_OK) return comm->give_up(fail_within(s, "%s", function));
    }
  }
  comm->agreed[offer.digest.text] = *choice;
  return GPUOPT_OK;
}

}  // namespace gpuopt::dist
