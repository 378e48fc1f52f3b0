#include "timing.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "error.h"
#include "samples.h"
#include "spin.h"
#include "stats.h"

namespace gpuopt_bench {
namespace {

constexpr double kLongestSpinUs = 20000;
// In a long call sleeping units do not tell, and of slow ones a few samples are enough.
constexpr double kLongUs = 5e3, kSlowUs = 20e3, kVerySlowUs = 1e6;
constexpr int kSlowSamples = 3;
constexpr size_t kFewestForNoise = 12;  // of fewer samples it is not asked whether the noise is little

bool needs_clearing(const DeviceInfo &device, const MeasureOptions &o) {
  return o.cache == Cache::cold && o.sets * o.bytes_per_set < 2 * static_cast<int64_t>(device.l2_bytes);
}

}  // namespace

// What measure() keeps of a contender.
struct Session::Entry {
  double estimate_us = 0;
  int wanted = 0;
  std::vector<double> samples;
  gpuopt_measure::Samples known;  // the same
  bool enough = false;
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
  const bool clear = needs_clearing(device_, o);
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

void Session::build_graph(const Contender &contender, const MeasureOptions &o, Entry *entry) {
  entry->nodes = static_cast<int>(std::clamp(std::ceil(300.0 / std::max(entry->estimate_us, 0.5)), 64.0, 256.0));
  const auto set_of = [&](int node) { return o.cache == Cache::cold ? node % o.sets : 0; };
  for (int i = 0; contender.prepare && i < entry->nodes; ++i) contender.prepare(set_of(i));
  BENCH_CUDA(cudaStreamSynchronize(stream_));
  cudaGraph_t graph = nullptr;
  BENCH_CUDA(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
  try {
    for (int i = 0; i < entry->nodes; ++i) contender.call(stream_, set_of(i));
  } catch (...) {
    cudaStreamEndCapture(stream_, &graph);
    if (graph != nullptr) cudaGraphDestroy(graph);
    cudaGetLastError();  // the broken capture's, already reported by the exception
    throw;
  }
  BENCH_CUDA(cudaStreamEndCapture(stream_, &graph));
  const cudaError_t code = cudaGraphInstantiate(&entry->graph, graph, 0);
  cudaGraphDestroy(graph);
  BENCH_CUDA(code);
  BENCH_CUDA(cudaGraphUpload(entry->graph, stream_));
  BENCH_CUDA(cudaGraphLaunch(entry->graph, stream_));
  BENCH_CUDA(cudaStreamSynchronize(stream_));
}

std::vector<Timing> Session::measure(const std::vector<Contender> &contenders, const MeasureOptions &o) {
  std::vector<Entry> entries(contenders.size());
  SetRotation sets(o.cache == Cache::resident ? 1 : o.sets);
  int rounds = 0;
  for (size_t i = 0; i < contenders.size(); ++i) {
    Entry &e = entries[i];
    try {
      e.estimate_us = estimate_us(contenders[i], &sets);
      if (o.mode == Mode::graph) build_graph(contenders[i], o, &e);
    } catch (const Refused &refused) {
      e.failure = refused.what();
      continue;
    }
    // 60 us: the spin, the wait, the clearing of the cache.
    const double sample_ms = (e.estimate_us * e.nodes + 60) / 1000;
    const int slow = e.estimate_us > kVerySlowUs ? 1 : e.estimate_us > kSlowUs ? kSlowSamples : o.least;
    const int least = std::min(o.least, slow);
    e.wanted = static_cast<int>(std::clamp(o.budget_ms / sample_ms, double(least), double(o.most)));
    rounds = std::max(rounds, e.wanted);
  }
  for (int64_t r = 0; r < rounds; ++r) {
    for (size_t turn = 0; turn < contenders.size(); ++turn) {
      // Who goes first changes from round to round: what ran just before must not always be the same contender.
      const size_t i = (turn + static_cast<size_t>(r)) % contenders.size();
      Entry &e = entries[i];
      // Slow contenders, which get fewer samples, take theirs evenly over the rounds.
      if (!e.failure.empty() || e.enough || (r + 1) * e.wanted / rounds == r * e.wanted / rounds) continue;
      try {
        if (o.mode == Mode::single) {
          e.samples.push_back(sample_us(contenders[i], e.estimate_us, o, &sets));
        } else {
          const auto launch = [&] { BENCH_CUDA(cudaGraphLaunch(e.graph, stream_)); };
          e.samples.push_back(timed_us(nullptr, nullptr, launch, needs_clearing(device_, o)) / e.nodes);
        }
        e.known.add(e.samples.back());
        e.enough = e.known.count() >= kFewestForNoise && e.known.count() % 4 == 0 && e.known.time().noise <= o.noise;
      } catch (const Refused &refused) {
        e.failure = refused.what();
      }
    }
  }
  std::vector<Timing> timings;
  for (const Entry &e : entries) {
    const Spread s = spread_of(e.samples);
    timings.push_back(
        {s.median, s.p10, s.p90, static_cast<int>(e.samples.size()), e.nodes, e.failure, e.known.time().noise});
  }
  return timings;
}

double wall_us(const std::function<void()> &work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace gpuopt_bench
