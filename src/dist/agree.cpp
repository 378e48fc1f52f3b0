// Before the first call with a problem the ranks tell each other what they are about to do: the same, or all of them fail with
// the same words in place of waiting for each other. The plan is rank 0's choice.
#include <cstring>

#include "comm.h"
#include "error.h"
#include "figures.h"
#include "handle.h"

namespace gpuopt::dist {
namespace {

struct Offer {
  Digest digest;
  int32_t plan, chunks, forced, status;
  double predicted_us, product_us;
};

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

gpuopt_status agree(const char *function, gpuopt_comm *comm, const Problem &p, Choice *choice) {
  const Digest mine = digest_of(p, comm->forced);
  const auto found = comm->agreed.find(mine.text);
  const bool is_known = found != comm->agreed.end();
  if (is_known && !comm->checks_every_call) {
    *choice = found->second;
    return GPUOPT_OK;
  }
  if (comm->memory->is_capturing()) {
    if (!is_known)
      return fail(
          GPUOPT_NOT_CAPTURABLE,
          "%s: the stream is captured, and the ranks have not agreed on this problem: call gpuopt_comm_prepare before",
          function);
    *choice = found->second;
    return GPUOPT_OK;
  }
  Offer offer = {};
  offer.digest = mine;
  gpuopt_status own = GPUOPT_OK;
  if (is_known) {
    *choice = found->second;
  } else {
    own = judge(function, p, setting_of(comm, p), comm->forced, nullptr, choice);
  }
  const std::string own_words = own == GPUOPT_OK ? "" : gpuopt_last_error();
  offer.plan = choice->plan, offer.chunks = choice->chunks, offer.forced = choice->forced, offer.status = own;
  offer.predicted_us = choice->predicted_us, offer.product_us = choice->product_us;
  std::vector<Offer> all(static_cast<size_t>(comm->size));
  gpuopt_status s = comm->control->exchange(&offer, all.data(), sizeof offer);
  if (s != GPUOPT_OK) return comm->note(fail_within(s, "%s", function));
  for (int32_t r = 1; r < comm->size; ++r) {
    const Digest &first = all[0].digest, &other = all[static_cast<size_t>(r)].digest;
    if (std::memcmp(first.text, other.text, sizeof first.text) != 0)
      return fail(GPUOPT_RANKS_DISAGREE, "%s: rank 0 has %s, rank %d has %.*s", function, first.text, r,
                  static_cast<int>(sizeof other.text), other.text);
  }
  // A rank that cannot go on takes all with it, before anybody waits.
  if (own != GPUOPT_OK) return fail(own, "%s", own_words.c_str());
  for (int32_t r = 0; r < comm->size; ++r)
    if (all[static_cast<size_t>(r)].status != GPUOPT_OK)
      return fail(all[static_cast<size_t>(r)].status, "%s: rank %d refused this call: %s; its own message says why",
                  function, r, gpuopt_status_name(all[static_cast<size_t>(r)].status));
  if (is_known) return GPUOPT_OK;
  *choice = {all[0].plan, all[0].chunks, all[0].forced, all[0].predicted_us, all[0].product_us};

  Memory &memory = *comm->memory;
  const size_t window = window_bytes(p), scratch = scratch_bytes(p);
  const bool grows = window > memory.window_bytes;
  if (grows || scratch > memory.scratch_bytes) {
    // Nobody still writes into, or reads from, what is replaced: every rank has finished its calls before it exchanged.
    const char *const before = memory.window;
    s = memory.reserve(window, scratch);
    int32_t went = s;
    std::vector<int32_t> others(static_cast<size_t>(comm->size));
    const gpuopt_status told = comm->control->exchange(&went, others.data(), sizeof went);
    if (told != GPUOPT_OK) return comm->note(fail_within(told, "%s", function));
    if (s != GPUOPT_OK) return fail_within(s, "%s", function);
    for (int32_t r = 0; r < comm->size; ++r)
      if (others[static_cast<size_t>(r)] != GPUOPT_OK)
        return fail(others[static_cast<size_t>(r)], "%s: rank %d has no memory for the blocks of other ranks", function,
                    r);
    if (memory.window != before) {
      s = comm->blocks->attach(memory.window, memory.window_bytes);
      if (s == GPUOPT_OK && comm->peers) s = comm->peers->attach(memory.window, memory.window_bytes);
      if (s != GPUOPT_OK) return comm->note(fail_within(s, "%s", function));
    }
  }
  comm->agreed[mine.text] = *choice;
  return GPUOPT_OK;
}

}  // namespace gpuopt::dist
