// The state behind gpuopt_comm. One call at a time; nothing here is locked.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "memory.h"
#include "plan.h"
#include "threads.h"

struct gpuopt_handle;

struct gpuopt_comm {
  gpuopt_handle *handle = nullptr;
  int32_t rank = 0, size = 1;
  bool checks_every_call = false;
  std::string forced;  // as GPUOPT_DIST_PLAN
  std::unique_ptr<gpuopt::dist::Control> control;
  gpuopt::dist::Mover *blocks = nullptr;       // the control's own
  std::unique_ptr<gpuopt::dist::Mover> peers;  // nullptr: peers' memory cannot be mapped, and why
  std::string why_no_peers;
  std::unique_ptr<gpuopt::dist::Memory> memory;  // window, scratch and lanes: after the movers, whose work uses it
  std::map<std::string, gpuopt::dist::Choice> agreed;  // by digest
  gpuopt_dist_run_info last = GPUOPT_DIST_RUN_INFO_INIT;
  bool is_broken = false;
  char fault[2048] = "";  // a message of gpuopt_last_error(), in memory that there is

  // setting_of, by a pointer: who only explains links nothing that communicates.
  gpuopt::dist::Setting (*setting)(gpuopt_comm *, const gpuopt::dist::Problem &) = nullptr;

  gpuopt::dist::Mover *mover(const gpuopt::dist::Plan &plan) {
    return plan.means == gpuopt::dist::Means::peers ? peers.get() : blocks;
  }
  // Takes note of a status that breaks the communicator, and returns it.
  gpuopt_status note(gpuopt_status status);
  gpuopt_status give_up(gpuopt_status status);  // any failure
};

namespace gpuopt::dist {

// Facts of this communicator's links and of its handle's products.
Setting setting_of(gpuopt_comm *comm, const Problem &p);
// Every rank's digest is the same, rank 0's choice is everybody's, and there is memory for it. made: what make_problem said; a
// call that a rank refuses all of them refuse.
gpuopt_status agree(const char *function, gpuopt_comm *comm, gpuopt_status made, const Problem &p, Choice *choice);
// The call itself.
gpuopt_status run(gpuopt_comm *comm, const Problem &p, const Choice &choice);
size_t window_bytes(const Problem &p);
size_t scratch_bytes(const Problem &p);

}  // namespace gpuopt::dist
