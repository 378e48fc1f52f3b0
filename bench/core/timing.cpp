#include "timing.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "error.h"
#include "samples.h"
#include "spin.h"
#include "stats.h"
#include "turns.h"

namespace gpuopt_bench {
namespace {

constexpr double kLongestSpinUs = 20000;
// In a long call sleeping units do not tell, and of slow ones a few samples are enough.
constexpr double kLongUs = 5e3, kSlowUs = 20e3, kVerySlowUs = 1e6;
constexpr int kSlowSamples = 3;
constexpr size_t kFewestForNoise = 12;  // of fewer samples it is not asked whether the noise is little

// calls: in the graphs, if there are any.
bool clears_before(const DeviceInfo &device, const MeasureOptions &o, const std::vector<int> &calls = {}) {
  return o.cache == Cache::cold &&
         needs_clearing(static_cast<int64_t>(device.l2_bytes), o.bytes_per_set, o.sets, calls);
}

}  // namespace

struct Contest::Entry {
  Contender contender;
  double estimate_us = 0;
  int nodes = 1;
  cudaGraphExec_t graph = nullptr;
  std::string failure;

  Entry() = default;
  Entry(const Entry &) = delete;
  Entry &operator=(const Entry &) = delete;
  ~Entry() {
    if (graph != nullptr) cudaGraphExecDestroy(graph);
  }
};

Session::Session(int ordinal) : device_(device_info(ordinal)) {
  BENCH_CUDA(cudaSetDevice(ordinal));
  BENCH_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  BENCH_CUDA(cudaEventCreate(&start_));
  BENCH_CUDA(cudaEventCreate(&stop_));
  cleaner_ = DeviceMemory(2 * std::max<size_t>(device_.l2_bytes, size_t{32} << 20));
  sink_ = DeviceMemory(256);
  BENCH_CUDA(cudaMemsetAsync(cleaner_.data(), 0, cleaner_.bytes(), stream_));
  BENCH_CUDA(cudaStreamSynchronize(stream_));
}

Session::~Session() {
  cudaEventDestroy(start_);
  cudaEventDestroy(stop_);
  cudaStreamDestroy(stream_);
}

void Session::clear_l2() { launch_read_once(cleaner_.data(), cleaner_.bytes(), sink_.data(), stream_); }

void Session::warm_up(double ms) {
  const auto start = std::chrono::steady_clock::now();
  while (std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count() < ms) {
    for (int i = 0; i < 32; ++i) clear_l2();
    BENCH_CUDA(cudaStreamSynchronize(stream_));
  }
}

// before is queued ahead of the spin, lead behind it; work is what the events enclose. The spin grows until it outlasts the
// queueing.
double Session::timed_us(const std::function<void()> &before, const std::function<void()> &lead,
                         const std::function<void()> &work, bool clear) {
  for (;;) {
    if (clear) clear_l2();
    if (before) before();
    launch_spin(static_cast<long long>(spin_us_ * std::max(device_.max_sm_mhz, 1)), stream_);
    if (lead) lead();
    BENCH_CUDA(cudaEventRecord(start_, stream_));
    work();
    BENCH_CUDA(cudaEventRecord(stop_, stream_));
    const cudaError_t pending = cudaEventQuery(start_);
    if (pending != cudaErrorNotReady) BENCH_CUDA(pending);
    BENCH_CUDA(cudaEventSynchronize(stop_));
    if (pending == cudaErrorNotReady) {
      float ms = 0;
      BENCH_CUDA(cudaEventElapsedTime(&ms, start_, stop_));
      return 1000.0 * ms;
    }
    if (spin_us_ > kLongestSpinUs) throw Refused("the call waits for the device, so it cannot be queued behind a spin");
    spin_us_ *= 1.5;
  }
}

// Also the warm-up: modules load, libraries choose, workspaces grow.
double Session::estimate_us(const Contender &contender, SetRotation *sets) {
  const auto whole_call = [&] {
    contender.call(stream_, sets->next());
    BENCH_CUDA(cudaStreamSynchronize(stream_));
  };
  const double first_us = wall_us(whole_call);
  if (first_us > kVerySlowUs) return first_us;
  if (first_us > kLongUs) {  // or it loaded a library
    const double again_us = wall_us(whole_call);
    if (again_us > kLongUs) return again_us;
  }
  contender.call(stream_, sets->next());
  BENCH_CUDA(cudaEventRecord(start_, stream_));
  contender.call(stream_, sets->next());
  BENCH_CUDA(cudaEventRecord(stop_, stream_));
  BENCH_CUDA(cudaEventSynchronize(stop_));
  float ms = 0;
  BENCH_CUDA(cudaEventElapsedTime(&ms, start_, stop_));
  return 1000.0 * ms;
}

double Session::sample_us(const Contender &contender, double estimate_us, const MeasureOptions &o, SetRotation *sets) {
  int set = 0;
  // A long call right after a spin finds the chip's units asleep: 5 us of 195 at bf16 4096 cubed. One untimed call of its own
  // kind wakes them. Where the cache is cleared for the call, that would fill it again.
  const bool clear = clears_before(device_, o);
  std::function<void()> lead;
  if (estimate_us > 50 && estimate_us < kLongUs && !clear) {
    const int lead_set = sets->next();
    lead = [&contender, this, lead_set] { contender.call(stream_, lead_set); };
  }
  const auto before = [&] {
    if (o.cache == Cache::resident)
      contender.call(stream_, 0);
    else
      set = sets->next();
  };
  return timed_us(
      before, lead, [&] { contender.call(stream_, set); }, clear);
}

Contest::Contest(Session *session, std::vector<Contender> contenders, const MeasureOptions &o)
    : session_(*session), options_(o), sets_(o.cache == Cache::resident ? 1 : o.sets) {
  for (Contender &c : contenders) {
    entries_.push_back(std::make_unique<Entry>());
    Entry *const e = entries_.back().get();
    e->contender = std::move(c);
    try {
      e->estimate_us = session_.estimate_us(e->contender, &sets_);
      if (o.mode == Mode::graph) build_graph(e);
    } catch (const Refused &refused) {
      e->failure = refused.what();
    }
  }
  std::vector<int> calls;
  for (const auto &e : entries_)
    if (e->graph != nullptr) calls.push_back(e->nodes);
  clear_before_graphs_ = clears_before(session_.device_, o, calls);
}

Contest::~Contest() = default;

double Contest::estimate_us(size_t i) const { return entries_[i]->estimate_us; }
int Contest::calls(size_t i) const { return entries_[i]->nodes; }
const std::string &Contest::failure(size_t i) const { return entries_[i]->failure; }

void Contest::build_graph(Entry *e) {
  const MeasureOptions &o = options_;
  const cudaStream_t stream = session_.stream_;
  const int sets = o.cache == Cache::cold ? o.sets : 1;
  e->nodes = calls_in_graph(e->estimate_us, o.least_nodes, sets);
  const auto set_of = [sets](int node) { return node % sets; };
  for (int i = 0; e->contender.prepare && i < e->nodes; ++i) e->contender.prepare(set_of(i));
  BENCH_CUDA(cudaStreamSynchronize(stream));
  cudaGraph_t graph = nullptr;
  BENCH_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  try {
    for (int i = 0; i < e->nodes; ++i) e->contender.call(stream, set_of(i));
  } catch (...) {
    cudaStreamEndCapture(stream, &graph);
    if (graph != nullptr) cudaGraphDestroy(graph);
    cudaGetLastError();  // the broken capture's, already reported by the exception
    throw;
  }
  BENCH_CUDA(cudaStreamEndCapture(stream, &graph));
  const cudaError_t code = cudaGraphInstantiate(&e->graph, graph, 0);
  cudaGraphDestroy(graph);
  BENCH_CUDA(code);
  BENCH_CUDA(cudaGraphUpload(e->graph, stream));
  BENCH_CUDA(cudaGraphLaunch(e->graph, stream));
  BENCH_CUDA(cudaStreamSynchronize(stream));
}

double Contest::sample(size_t i) {
  Entry &e = *entries_[i];
  if (!e.failure.empty()) return 0;
  try {
    if (options_.mode == Mode::single) return session_.sample_us(e.contender, e.estimate_us, options_, &sets_);
    const auto launch = [&] { BENCH_CUDA(cudaGraphLaunch(e.graph, session_.stream_)); };
    return session_.timed_us(nullptr, nullptr, launch, clear_before_graphs_) / e.nodes;
  } catch (const Refused &refused) {
    e.failure = refused.what();
    return 0;
  }
}

namespace {

// What measure() keeps of a contender.
struct Measured {
  int wanted = 0;
  std::vector<double> samples;
  gpuopt_measure::Samples known;  // the same
  bool enough = false;
};

int wanted_samples(const Contest &contest, size_t i, const MeasureOptions &o) {
  const double us = contest.estimate_us(i);
  // 60 us: the spin, the wait, the clearing of the cache.
  const double sample_ms = (us * contest.calls(i) + 60) / 1000;
  const int slow = us > kVerySlowUs ? 1 : us > kSlowUs ? kSlowSamples : o.least;
  const int least = std::min(o.least, slow);
  return static_cast<int>(std::clamp(o.budget_ms / sample_ms, double(least), double(o.most)));
}

}  // namespace

std::vector<Timing> Session::measure(const std::vector<Contender> &contenders, const MeasureOptions &o) {
  Contest contest(this, contenders, o);
  std::vector<Measured> all(contenders.size());
  int rounds = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    if (!contest.failure(i).empty()) continue;
    all[i].wanted = wanted_samples(contest, i, o);
    rounds = std::max(rounds, all[i].wanted);
  }
  for (int64_t r = 0; r < rounds; ++r) {
    for (const size_t i : gpuopt_measure::turns_of_round(all.size(), static_cast<uint64_t>(r))) {
      Measured &m = all[i];
      // Slow contenders, which get fewer samples, take theirs evenly over the rounds.
      if (m.enough || (r + 1) * m.wanted / rounds == r * m.wanted / rounds) continue;
      const double us = contest.sample(i);
      if (us <= 0) continue;
      m.samples.push_back(us);
      m.known.add(us);
      m.enough = m.known.count() >= kFewestForNoise && m.known.count() % 4 == 0 && m.known.time().noise <= o.noise;
    }
  }
  std::vector<Timing> timings;
  for (size_t i = 0; i < all.size(); ++i) {
    const Spread s = spread_of(all[i].samples);
    timings.push_back({s.median, s.p10, s.p90, static_cast<int>(all[i].samples.size()), contest.calls(i),
                       contest.failure(i), all[i].known.time().noise});
  }
  return timings;
}

double wall_us(const std::function<void()> &work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace gpuopt_bench
