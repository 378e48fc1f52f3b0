#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>

#include "gemm/wgmma/wgmma_schedule.h"

namespace gpuopt {

WgmmaRounds wgmma_rounds(int64_t whole, int64_t lower, int64_t right, int64_t blocks, WgmmaEdges shares) {
  WgmmaRounds x = {whole / blocks, whole % blocks, 0, 0};
  const int64_t edges = lower + right, idle = blocks - x.rest, most = ceil_div(edges, idle);
  // Of some blocks one after the other, from the first edge on: lower ones come first.
  const auto time = [&](int64_t turns, int64_t of, int64_t first) {
    const int64_t lower_turns = std::clamp(ceil_div(lower - first, std::max<int64_t>(of, 1)), int64_t{0}, turns);
    return static_cast<double>(lower_turns) * shares.lower + static_cast<double>(turns - lower_turns) * shares.right;
  };
  const auto all = [&](int64_t first) {
    const int64_t begin = std::min(first * idle, edges), left = edges - begin;
    if (x.rest == 0) return left == 0 ? time(first, idle, 0) : HUGE_VAL;
    return std::max(time(first, idle, 0), 1 + time(ceil_div(left, x.rest), x.rest, begin));
  };
  // Both end together where first turns take as long as a whole unit and the others' turns.
  const double share = time(most, idle, 0) / static_cast<double>(std::max<int64_t>(most, 1)),
               rest = static_cast<double>(x.rest);
  int64_t even = most;
  if (x.rest != 0 && share > 0)
    even = static_cast<int64_t>((rest / share + static_cast<double>(edges)) / static_cast<double>(blocks));
  double least = HUGE_VAL;
  for (int64_t first = std::max<int64_t>(even - 2, 0); first <= std::min(even + 2, most); ++first) {
    const double takes = all(first);
    if (takes >= least) continue;
    least = takes;
    x.edges_first = first;
  }
  if (least == HUGE_VAL) {
    x.edges_first = most;
    least = all(most);
  }
  x.all = static_cast<double>(x.whole) + least;
  return x;
}

namespace {

// Of the rows of tiles that go down together: of 132 blocks 16 rows of 128 and 8 columns of 256 read least.
constexpr int kWgmmaStripeLog = 4;
// Operands of no more bytes stay in L2 in whatever order they are read. D, which is most of what moves then, is written row by row of
// tiles, whole lines of memory at a time.
constexpr int64_t kWgmmaStays = 12 << 20;

struct Units {
  int64_t m, n, whole_m, whole_n;
};
Units units_of(int tile_m, int tile_n, WgmmaLittle little, int64_t m, int64_t n, bool paired) {
  const int64_t rows = tile_m * (paired ? 2 : 1);
  return {ceil_div(m, rows), ceil_div(n, tile_n), wgmma_whole_units(m, rows, wgmma_little_rows(little, rows)),
          wgmma_whole_units(n, tile_n, wgmma_little_columns(little))};
}
WgmmaRounds rounds_of(const Units &x, int tile_m, int tile_n, int64_t batch, int64_t many) {
  return wgmma_rounds(x.whole_m * x.whole_n * batch, (x.m - x.whole_m) * x.n * batch,
                      (x.n - x.whole_n) * x.whole_m * batch, many, wgmma_edge_shares(tile_m, tile_n));
}

}  // namespace

WgmmaRounds wgmma_rounds(int tile_m, int tile_n, WgmmaLittle little, int64_t m, int64_t n, int64_t batch, bool paired,
                         int64_t blocks) {
  return rounds_of(units_of(tile_m, tile_n, little, m, n, paired), tile_m, tile_n, batch,
                   std::max<int64_t>(paired ? blocks / 2 : blocks, 1));
}

int wgmma_width(int tile_m, WgmmaWidths widths, WgmmaLittle little, int64_t m, int64_t n, int64_t batch,
                int64_t blocks) {
  constexpr double kGains = 0.99;  // what a narrower tile is to take of a wider one's time, which reads less
  int width = widths.most;
  double least = HUGE_VAL;
  for (int candidate = widths.most; candidate >= widths.least; candidate -= widths.step) {
    const double takes = wgmma_rounds(tile_m, candidate, little, m, n, batch, false, blocks).all *
                         static_cast<double>(wgmma_timed_columns(widths, candidate) + kWgmmaOtherColumns);
    if (takes >= least * kGains) continue;
    least = takes;
    width = candidate;
  }
  return width;
}

WgmmaGemm wgmma_work(int tile_m, int tile_n, WgmmaLittle little, int64_t m, int64_t n, int64_t stages, int64_t batch,
                     bool paired, int64_t blocks) {
  const Units all_units = units_of(tile_m, tile_n, little, m, n, paired);
  const int64_t units = all_units.m * all_units.n * batch, whole = all_units.whole_m * all_units.whole_n * batch;
  const int64_t most = paired ? blocks / 2 : blocks, many = std::min(units, most);
  const WgmmaRounds rounds = rounds_of(all_units, tile_m, tile_n, batch, many);
  const auto narrow = [](int64_t x) { return static_cast<int32_t>(x); };
  WgmmaGemm work = {};
  work.m = narrow(m);
  work.n = narrow(n);
  work.width = tile_n;
  work.stages = narrow(stages);
  work.units_m = narrow(all_units.m);
  work.units_n = narrow(all_units.n);
  work.units = narrow(units);
  work.whole_m = narrow(all_units.whole_m);
  work.whole_n = narrow(all_units.whole_n);
  work.whole = narrow(whole);
  const auto wrapped = [](int64_t x) { return static_cast<uint32_t>(x); };
  const int64_t idle = many - rounds.rest;
  work.many = wrapped(many);
  work.rounds = wrapped(rounds.whole);
  work.rest = wrapped(rounds.rest);
  work.idle = wrapped(idle);
  work.idle_from = wrapped(whole - rounds.rest - rounds.whole * idle);
  work.idle_end = wrapped(rounds.whole + rounds.edges_first);
  work.busy_from = wrapped(whole + rounds.edges_first * idle - (rounds.whole + 1) * rounds.rest);
  const bool stays = (m + n) * stages * 128 <= kWgmmaStays;
  const int64_t log_high = stays ? 0 : kWgmmaStripeLog - (paired ? 1 : 0), high = int64_t{1} << log_high;
  const int64_t whole_m = all_units.whole_m, whole_n = all_units.whole_n;
  work.log_high = narrow(log_high);
  work.stripes = narrow(whole_m / high);
  work.in_matrix = SmallDivider(std::max<int64_t>(whole_m * whole_n, 1));
  work.in_stripe = SmallDivider(std::max<int64_t>(high * whole_n, 1));
  work.in_last = SmallDivider(std::max<int64_t>(whole_m % high, 1));
  work.paired = paired;
  return work;
}

}  // namespace gpuopt
