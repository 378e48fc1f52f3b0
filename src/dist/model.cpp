// The time model. A rank has two resources, its multiprocessors and its link, each of which does one thing at a time; a plan is a
// list of products, sums and blocks in the order in which they are issued, and a block arrives when the peer's link is done
// with it. All ranks do the same at the same time, so a rank's own link stands for the peer's.
#include <algorithm>
#include <vector>

#include "figures.h"
#include "plan.h"

namespace gpuopt::dist {
namespace {

class Clock {
 public:
  Clock(const Link &link, bool overlaps) : link_(link), overlaps_(overlaps) {}
  // On the multiprocessors, not before `ready`; returns when it is done.
  double compute(double us, double ready = 0) {
    const double begin = std::max(now_, ready);
    // While the link is at work, a product takes longer by what NCCL's kernels and the traffic cost it.
    const double shared = overlaps_ ? std::min(us, std::max(0.0, link_free_ - begin)) : 0;
    return now_ = begin + us + shared * (link_.slowdown - 1);
  }
  // Over the link, not before `ready`; returns when it has arrived.
  double send(double bytes, double ready) {
    if (bytes == 0) return ready;
    link_free_ = std::max(link_free_, ready) + bytes / (link_.gbs * 1e3);
    return link_free_ + link_.latency_us;
  }
  void wait(double until) { now_ = std::max(now_, until); }
  double now() const { return now_; }

 private:
  Link link_;
  bool overlaps_;
  double now_ = 0, link_free_ = 0;
};

}  // namespace

double predict(const Problem &p, const Plan &plan, int32_t chunks, const Setting &setting) {
  if (p.size == 1) return setting.product_us(p.m, false);
  const Link &link = plan.means == Means::peers ? setting.peers : setting.blocks;
  Clock clock(link, plan.overlaps);
  const double own = static_cast<double>(p.rows(0).count), others = p.size - 1;
  const double batch_bytes =
      p.gathers() ? static_cast<double>(p.a_row_bytes()) : static_cast<double>(p.partial_row_bytes());
  const double whole = setting.product_us(p.m, false);
  // Pieces on two lanes fill each other's last wave: of what a piece's own kernel takes beyond its share of the whole product, half
  // shows, and a launch.
  const auto piece = [&](double rows, bool adds) {
    const double share = whole * rows / static_cast<double>(p.m);
    const double alone = setting.product_us(std::max<int64_t>(1, static_cast<int64_t>(rows)), adds);
    return share + std::max(0.0, alone - share) * kTailShown + kLaunchUs;
  };
  const double rows = own / chunks;
  if (p.gathers()) {
    if (!plan.overlaps) {
      const double arrival = clock.send(own * others * batch_bytes, 0);
      clock.compute(setting.pass_us(2 * own * batch_bytes));
      clock.wait(arrival);
      return clock.compute(whole);
    }
    std::vector<double> arrival;
    for (int32_t j = 0; j < chunks; ++j) arrival.push_back(clock.send(rows * others * batch_bytes, 0));
    clock.compute(piece(own, false));
    for (double at : arrival)
      for (int32_t q = 1; q < p.size; ++q) clock.compute(piece(rows, false), at);
    return clock.now();
  }
  const double d_bytes = static_cast<double>(p.d_row_bytes());
  const auto sum_us = [&](double r) { return setting.pass_us(r * (batch_bytes * p.size + d_bytes)) + kLaunchUs; };
  double end = 0;
  if (!plan.overlaps) {
    clock.compute(whole);
    if (exchanges_whole(p, plan)) {
      const double rows_of_all = static_cast<double>(p.m);
      return clock.compute(sum_us(rows_of_all), clock.send(rows_of_all * batch_bytes, clock.now()));
    }
    clock.wait(clock.send(own * others * batch_bytes, clock.now()));
    end = clock.compute(sum_us(own));
    if (p.reduces_all()) end = clock.send(own * others * d_bytes, end) + setting.pass_us(2 * own * others * d_bytes);
    return end;
  }
  const bool adds = adds_in_product(p, plan);
  std::vector<double> arrival;
  for (int32_t j = 0; j < chunks; ++j) {
    for (int32_t q = 1; q < p.size; ++q) clock.compute(piece(rows, false));
    arrival.push_back(clock.send(rows * others * batch_bytes, clock.now()));
  }
  for (int32_t j = 0; j < chunks; ++j) {
    double done;
    if (adds) {
      done = clock.compute(piece(rows, true), arrival[static_cast<size_t>(j)]);
    } else {
      clock.compute(piece(rows, false));
      done = clock.compute(sum_us(rows), arrival[static_cast<size_t>(j)]);
    }
    end = done;
    if (p.reduces_all())
      end = clock.send(rows * others * d_bytes, done) + setting.pass_us(2 * rows * others * d_bytes) + kLaunchUs;
  }
  return std::max(end, clock.now());
}

}  // namespace gpuopt::dist
