// The plans: what each needs, how long it is predicted to take, and which one runs.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "problem.h"
#include "transport.h"

namespace gpuopt::dist {

// How blocks travel. latency_us: from the end of a product until the peer may use what is sent, for a small block; gbs: what a
// rank sends, and receives at the same time. slowdown: how much longer a product takes while they do.
struct Link {
  const char *name;
  double latency_us, gbs, slowdown;
};

enum class Means { blocks, peers };  // through the library that connects the ranks, or straight into a peer's memory
struct Plan {
  const char *name;
  Means means;
  bool overlaps;
  const char *what;
};
const std::vector<Plan> &plans();

struct Choice {
  int32_t plan = 0, chunks = 1;
  int32_t forced = 0;
  double predicted_us = 0, product_us = 0;
};

// What a plan is judged by, here or on a machine that is only imagined.
struct Setting {
  Link blocks, peers;
  bool has_peers = false;
  std::string why_no_peers;
  // Predicted times of the core: of a product of so many rows, with C where it adds what came in; of a sum over ranks or a copy
  // that moves so many bytes.
  std::function<double(int64_t rows, bool adds)> product_us;
  std::function<double(double bytes)> pass_us;
};

struct Verdict {
  int32_t plan, chunks;
  int32_t reject;  // GPUOPT_REJECT_*
  double predicted_us;
  std::string text;
};
// Fills in the predicted times, as the core on this device, pretended or the handle's, has them.
void predict_products(Setting *setting, gpuopt_handle *handle, const gpuopt_device_facts *pretend, const Problem &p);

// Every plan with its best number of chunks, the chosen one first. forced: "", "name" or "name:chunks".
gpuopt_status judge(const char *function, const Problem &p, const Setting &setting, const std::string &forced,
                    std::vector<Verdict> *verdicts, Choice *choice);
// KERNEL_NOT_FOUND where it names no plan, INVALID_ARGUMENT where its chunks are not within 1 and kMostChunks.
gpuopt_status parse_plan(const char *where, const std::string &text, int32_t *plan, int32_t *chunks);

// Seconds of work, in microseconds, of one rank of p.size that all do the same.
double predict(const Problem &p, const Plan &plan, int32_t chunks, const Setting &setting);
// Does this rank's own product take what came from the only other rank as its C, so that no pass sums them?
bool adds_in_product(const Problem &p, const Plan &plan);
// Do two ranks all-reduce by giving each other all rows, in one step in place of two of half the rows?
bool exchanges_whole(const Problem &p, const Plan &plan);
int64_t bytes_sent(const Problem &p);  // by a rank: the same either way

// The links that are known by name: what was measured, and what is assumed (docs/scale.md).
const Link *find_link(const std::string &name, Means means);
std::string link_names();

}  // namespace gpuopt::dist
