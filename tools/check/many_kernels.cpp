#include "many_kernels.h"

#include <algorithm>
#include <mutex>
#include <thread>

namespace gpuopt_check {
namespace {

constexpr int64_t kPiece = 250;  // random problems

// A part of what is to be done with one kernel: what it declares, or some of its random problems.
struct Piece {
  size_t kernel;
  CheckOptions options;
};

std::vector<Piece> pieces_of(const std::vector<const gpuopt_kernel *> &kernels, const CheckOptions &o) {
  std::vector<Piece> pieces;
  for (size_t k = 0; k < kernels.size(); ++k) {
    CheckOptions piece = o;
    piece.problems = std::min(o.problems, o.declared ? 0 : kPiece);
    int64_t done = 0;
    do {
      piece.first = o.first + done;
      pieces.push_back({k, piece});
      done += piece.problems;
      piece.declared = false;
      piece.problems = std::min(kPiece, o.problems - done);
    } while (piece.problems > 0);
  }
  return pieces;
}

void merge(const KernelReport &from, KernelReport *to) {
  if (to->skipped.empty()) to->skipped = from.skipped;
  if (from.acceptance.declared) to->acceptance = from.acceptance;
  to->ran += from.ran;
  to->refused += from.refused;
  to->failures.insert(to->failures.end(), from.failures.begin(), from.failures.end());
}

// What the threads share, behind one mutex.
class Progress {
 public:
  Progress(const std::vector<const gpuopt_kernel *> &kernels, const CheckOptions &options,
           const std::function<void(const gpuopt_kernel &, const KernelReport &)> &report)
      : kernels_(kernels),
        report_(report),
        pieces_(pieces_of(kernels, options)),
        results_(pieces_.size()),
        left_(kernels.size(), 0) {
    for (const Piece &p : pieces_) ++left_[p.kernel];
  }

  const Piece *take(size_t *index) {
    const std::lock_guard<std::mutex> lock(mutex_);
    *index = next_;
    return error_.empty() && next_ < pieces_.size() ? &pieces_[next_++] : nullptr;
  }
  // Reports every kernel that is whole and has none before it that is not.
  void finish(size_t index, KernelReport result) {
    const std::lock_guard<std::mutex> lock(mutex_);
    results_[index] = std::move(result);
    --left_[pieces_[index].kernel];
    for (; reported_ < kernels_.size() && left_[reported_] == 0; ++reported_) {
      KernelReport whole;
      for (size_t i = 0; i < pieces_.size(); ++i)
        if (pieces_[i].kernel == reported_) merge(results_[i], &whole);
      report_(*kernels_[reported_], whole);
    }
  }
  void fail(const std::string &error) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (error_.empty()) error_ = error;
  }
  std::string error() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return error_;
  }

 private:
  const std::vector<const gpuopt_kernel *> &kernels_;
  const std::function<void(const gpuopt_kernel &, const KernelReport &)> &report_;
  std::vector<Piece> pieces_;
  std::vector<KernelReport> results_;
  std::vector<int> left_;  // pieces of each kernel
  size_t next_ = 0, reported_ = 0;
  std::string error_;
  std::mutex mutex_;
};

}  // namespace

std::string check_many(int32_t device, const std::vector<const gpuopt_kernel *> &kernels, const CheckOptions &options,
                       int threads, const std::function<void(const gpuopt_kernel &, const KernelReport &)> &report) {
  Progress progress(kernels, options, report);
  const auto work = [&] {
    const Machine machine(device, threads > 1, options.workspace_limit);
    if (!machine.error().empty()) return progress.fail(machine.error());
    size_t index = 0;
    while (const Piece *piece = progress.take(&index))
      progress.finish(index, check_kernel(machine, *kernels[piece->kernel], piece->options));
  };
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back(work);
  work();
  for (std::thread &t : others) t.join();
  return progress.error();
}

}  // namespace gpuopt_check
