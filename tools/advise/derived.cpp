// Quantities that follow from others. Gains are what Amdahl's law leaves of the time when the named loss is gone and nothing
// else changes: 1 / (1 - busy * lost), busy that part of the time for which the unit works, lost that part of its work.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "gpuopt_advise/quantities.h"

namespace gpuopt_advise {
namespace {

using Q = Quantity;

constexpr Q kOfElapsed[] = {Q::sm, Q::memory, Q::dram, Q::l2};
constexpr Q kOfActive[] = {Q::l1, Q::lsu, Q::fma, Q::fp64, Q::alu, Q::xu, Q::tensor, Q::issue};

double most_of(const Readings &r, std::initializer_list<Q> units) {
  double most = 0;
  for (const Q q : units) most = std::max(most, r.value(q));
  return most;
}

double gain_of(double busy_percent, double lost_percent) {
  const double lost = std::clamp(busy_percent, 0.0, 100.0) * std::clamp(lost_percent, 0.0, 100.0) * 1e-4;
  return 1 / (1 - std::min(lost, 0.99));
}

// The number between `before` and `after` in a remark of ncu's; thousands have commas.
bool number_in(const std::string &remark, const char *before, const char *after, double *value) {
  const size_t end = remark.find(after);
  const size_t begin = end == std::string::npos ? end : remark.rfind(before, end);
  if (begin == std::string::npos) return false;
  std::string digits;
  for (size_t i = begin + std::char_traits<char>::length(before); i < end; ++i)
    if (remark[i] != ',' && remark[i] != ' ') digits += remark[i];
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), *value);
  return error == std::errc() && stop == digits.data() + digits.size() && *value >= 0;
}

bool says(const std::string &remark, const char *words) { return remark.find(words) != std::string::npos; }

// A details page has no counters of access patterns and pipes, but ncu's rules speak of them.
void read_remarks(const Kernel &kernel, Readings *r) {
  static const struct {
    const char *pipe;
    Q what;
  } kPipes[] = {{"FMA", Q::fma}, {"FP64", Q::fp64},     {"ALU", Q::alu},
                {"XU", Q::xu},   {"Tensor", Q::tensor}, {"LSU", Q::lsu}};
  double value = 0, conflicts = 0;
  for (const std::string &remark : kernel.remarks) {
    if (number_in(remark, "only ", " of the 32 bytes transmitted per sector", &value) && value > 0) {
      const Q what = says(remark, "global stores")  ? Q::store_excess
                     : says(remark, "global loads") ? Q::load_excess
                                                    : Q::duration;
      if (what != Q::duration && !r->known(what)) r->set(what, 32 / value, "ncu's remark on the access pattern");
    }
    if (says(remark, "bank conflict") && number_in(remark, "represent ", "% of the overall", &value))
      conflicts = std::max(conflicts, value);
    if (number_in(remark, "pipeline (", "%)", &value))
      for (const auto &p : kPipes)
        if (remark.compare(0, std::char_traits<char>::length(p.pipe), p.pipe) == 0 && !r->known(p.what))
          r->set(p.what, value, "ncu's remark on pipes");
  }
  if (conflicts > 0 && !r->known(Q::conflicts)) r->set(Q::conflicts, conflicts, "ncu's remark on bank conflicts");
}

// "(128, 64, 1)": the product.
bool blocks_in(const std::string &text, double *product) {
  *product = 1;
  bool any = false;
  for (size_t at = 0; at < text.size();) {
    if (text[at] < '0' || text[at] > '9') {
      ++at;
      continue;
    }
    double n = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), n, std::chars_format::fixed);
    if (error != std::errc()) return false;
    *product *= n;
    any = true;
    at = static_cast<size_t>(end - text.data());
  }
  return any && std::isfinite(*product);
}

// Bytes a thread's access has on the average, from the counts by width.
void derive_width(const Kernel &kernel, Readings *r) {
  double count = 0, bytes = 0;
  for (const int bits : {8, 16, 32, 64, 128}) {
    const auto found = kernel.metrics.find("smsp__sass_inst_executed_op_memory_" + std::to_string(bits) + "b.sum");
    if (found == kernel.metrics.end()) return;
    count += found->second;
    bytes += found->second * bits / 8;
  }
  if (count > 0) r->set(Q::access_bytes, bytes / count, "smsp__sass_inst_executed_op_memory_*b.sum");
}

// 32 threads need as many sectors as one of them reads bytes: 4 for 4-byte elements, 16 for 16-byte vectors.
void derive_excess(Q sectors, Q excess, Readings *r) {
  if (r->known(excess) || !r->known(sectors)) return;
  if (r->value(Q::access_bytes) > 0)
    r->set(excess, r->value(sectors) / r->value(Q::access_bytes), (*r)[sectors].from + " / bytes of an access");
  else  // at the least: no access is wider than 16 bytes
    r->set(excess, r->value(sectors) / 16, (*r)[sectors].from + " / 16");
}

// Of an access whose threads read one address few sectors are moved, however few of their bytes are used: no waste.
double waste_of(const Readings &r, Q sectors, Q excess) {
  if (!r.known(excess) || r.value(excess) <= 1 || r.value(sectors, 32) <= 2) return 0;
  return 1 - 1 / r.value(excess);
}

void derive_waste(const Kernel &kernel, Readings *r) {
  if (r->known(Q::load_excess) || r->known(Q::store_excess)) {
    const double loads = r->value(Q::load_sum, r->known(Q::load_excess) ? 1 : 0),
                 stores = r->value(Q::store_sum, r->known(Q::store_excess) ? 1 : 0);
    if (loads + stores > 0)
      r->set(Q::waste,
             100 *
                 (loads * waste_of(*r, Q::load_sectors, Q::load_excess) +
                  stores * waste_of(*r, Q::store_sectors, Q::store_excess)) /
                 (loads + stores),
             "sectors of loads and stores beyond those needed");
    return;
  }
  double percent = 0;
  for (const std::string &remark : kernel.remarks)
    if (says(remark, "excessive sectors") && number_in(remark, "(", "% of the total", &percent))
      return r->set(Q::waste, percent, "ncu's remark on uncoalesced access");
}

// How busy memory is with loads and stores: shared memory's passes are L1's too, and tiles that the copy engine or cp.async bring
// are L2's and DRAM's.
void derive_global_busy(Readings *r) {
  const double l1 = r->value(Q::l1) * (1 - r->value(Q::shared_part, 0) / 100);
  double part = 1;
  if (r->known(Q::load_sum) && r->known(Q::store_sum) && r->value(Q::l2_sectors) > 0)
    part = std::min(1.0, (r->value(Q::load_sum) + r->value(Q::store_sum)) / r->value(Q::l2_sectors));
  // What is not told apart counts whole.
  const double beyond = most_of(*r, {Q::dram, Q::l2}), whole = r->known(Q::shared_part) ? 0 : r->value(Q::memory);
  r->set(Q::global_busy, std::max({l1, beyond * part, whole}),
         "L1 without shared memory, L2 and DRAM with their loads and stores");
}

// Of requests to memory, and of all instructions: a kernel whose tiles come by other ways has few loads and stores at all.
void derive_parts(Readings *r) {
  const double local = r->value(Q::local_requests), global = r->value(Q::global_requests),
               atomics = r->value(Q::atomic_requests), instructions = r->value(Q::instructions);
  if (r->known(Q::local_requests) && local + global > 0) {
    r->set(Q::local_part, 100 * local / (local + global), "requests to local and global memory");
    r->set(Q::local_rate, instructions > 0 ? 100 * local / instructions : r->value(Q::local_part), "instructions");
  }
  if (r->known(Q::atomic_requests) && atomics + global > 0) {
    r->set(Q::atomic_part, 100 * atomics / (atomics + global), "requests to global memory");
    r->set(Q::atomic_rate, instructions > 0 ? 100 * atomics / instructions : r->value(Q::atomic_part), "instructions");
  }
}

// Some percentages are of the clocks for which a multiprocessor had work at all.
void derive_busiest(Readings *r) {
  const auto take = [&](Q q, double value) {
    if (r->known(q) && (!r->known(Q::busiest) || value > r->value(Q::busiest)))
      r->set(Q::busiest, value, description_of(q));
  };
  for (const Q q : kOfElapsed) take(q, r->value(q));
  for (const Q q : kOfActive) take(q, r->value(q) * std::clamp(r->value(Q::balance, 100), 0.0, 100.0) / 100);
}

// Where the report does not say how many multiprocessors there are, waves do; else there are 16 at the least: what is profiled has.
void derive_filled(Readings *r) {
  constexpr double kLeastMultiprocessors = 16;
  if (!r->known(Q::grid)) return;
  double blocks = 0;  // that a multiprocessor holds
  for (const Q limit : {Q::limit_registers, Q::limit_shared, Q::limit_warps, Q::limit_blocks})
    if (r->value(limit) >= 1 && (blocks == 0 || r->value(limit) < blocks)) blocks = r->value(limit);
  if (!r->known(Q::multiprocessors) && blocks > 0 && r->value(Q::waves) >= 0.1)  // two digits are given
    r->set(Q::multiprocessors, std::round(r->value(Q::grid) / (r->value(Q::waves) * blocks)),
           "blocks, waves and blocks in one");
  const double multiprocessors = std::max(r->value(Q::multiprocessors, kLeastMultiprocessors), 1.0);
  r->set(Q::filled, 100 * r->value(Q::grid) / multiprocessors, "blocks over multiprocessors");
}

}  // namespace

void derive(const Kernel &kernel, Readings *r) {
  read_remarks(kernel, r);
  double blocks = 0;
  if (!r->known(Q::grid) && blocks_in(kernel.grid, &blocks)) r->set(Q::grid, blocks, "Grid Size");
  derive_width(kernel, r);
  derive_excess(Q::load_sectors, Q::load_excess, r);
  derive_excess(Q::store_sectors, Q::store_excess, r);
  derive_waste(kernel, r);
  if (!r->known(Q::shared_busy) && r->known(Q::l1))
    r->set(Q::shared_busy, r->value(Q::l1) * r->value(Q::shared_part, 100) / 100,
           "L1's throughput, shared memory's part");
  derive_busiest(r);
  r->set(Q::accesses, most_of(*r, {Q::l1, Q::lsu}), "L1, load and store instructions");
  derive_filled(r);
  derive_parts(r);
  derive_global_busy(r);
  if (const double waves = r->value(Q::waves); waves >= 1)
    r->set(Q::wave_loss, 100 * (1 - waves / std::ceil(waves - 1e-3)), (*r)[Q::waves].from);

  const double memory = most_of(*r, {Q::memory, Q::dram, Q::l2, Q::l1});
  const double ceiling = most_of(*r, {Q::dram, Q::fma, Q::fp64, Q::tensor});  // what stays as it is without conflicts
  const double most_gain = ceiling > 0 ? 100 / std::min(ceiling, 100.0) : 100;
  if (r->known(Q::waste))
    r->set(Q::gain_coalesced, gain_of(r->value(Q::global_busy), r->value(Q::waste)),
           "how busy memory is with it, the waste");
  if (r->known(Q::conflicts))
    r->set(Q::gain_conflicts, std::min(gain_of(r->value(Q::shared_busy), r->value(Q::conflicts)), most_gain),
           "passes of shared memory, conflicts among them");
  if (r->known(Q::threads) && r->known(Q::issue))
    r->set(Q::gain_divergence, std::min(gain_of(r->value(Q::issue), 100 * (1 - r->value(Q::threads) / 32)), most_gain),
           "issue slots, threads that do not work");
  if (r->known(Q::local_part))
    r->set(Q::gain_local, gain_of(std::max(memory, 50.0), r->value(Q::local_part)), "local part");
  if (r->known(Q::atomic_part)) r->set(Q::gain_atomics, gain_of(100, r->value(Q::atomic_part)), "atomics' part");
  if (r->known(Q::balance))
    r->set(Q::gain_waves, gain_of(100, 100 - r->value(Q::balance)), (*r)[Q::balance].from);
  else if (r->known(Q::wave_loss))
    r->set(Q::gain_waves, gain_of(100, r->value(Q::wave_loss)), (*r)[Q::wave_loss].from);
}

}  // namespace gpuopt_advise
