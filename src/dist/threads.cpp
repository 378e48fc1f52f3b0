// A meeting place for the threads of one process: what is exchanged lies in slots of a group that all of them share, and a
// block is copied by its receiver straight out of the sender's memory.
#include "threads.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "error.h"

namespace gpuopt::dist {
namespace {

struct Letter {
  int32_t slot;
  const void *from;
  size_t bytes;
  bool is_copied = false;  // by its receiver, at this moment
};

struct Group {
  std::mutex mutex;
  std::condition_variable changed;
  int32_t size = 0, here = 0;
  bool broken = false;
  std::vector<bool> has_come;                // by rank
  std::vector<std::vector<char>> offered;    // by rank, of the exchange under way
  std::vector<int64_t> given, taken;         // exchanges so far, by rank
  std::vector<std::vector<Letter>> letters;  // [to * size + from], not yet received
};

std::mutex groups_mutex;
// Grows by one group a communicator, until its threads have all come.
std::map<std::string, std::shared_ptr<Group>> &groups() {
  static auto *all = new std::map<std::string, std::shared_ptr<Group>>;
  return *all;
}

constexpr int32_t kMostThreads = 1024;  // a group has a box of letters for each pair of them
constexpr char kMark[] = "gpuopt threads ";

}  // namespace

class Threads final : public Control, public Mover {
 public:
  explicit Threads(std::shared_ptr<Group> group) : group_(std::move(group)) {}
  ~Threads() override { Threads::abort(); }
  const char *name() const override { return "threads"; }

  gpuopt_status exchange_letters(const void *mine, void *all, size_t bytes) override {
    std::unique_lock<std::mutex> lock(group_->mutex);
    Group &g = *group_;
    const Deadline deadline(limit_ms);
    const int64_t turn = g.given[rank];
    // What was offered in the turn before has been read by all.
    for (int32_t r = 0; r < size; ++r)
      if (!wait(lock, deadline, [&] { return g.taken[r] >= turn; })) return missed(r);
    g.offered[rank].assign(static_cast<const char *>(mine), static_cast<const char *>(mine) + bytes);
    ++g.given[rank];
    g.changed.notify_all();
    for (int32_t r = 0; r < size; ++r) {
      if (!wait(lock, deadline, [&] { return g.given[r] > turn; })) return missed(r);
      std::memcpy(static_cast<char *>(all) + r * bytes, g.offered[r].data(), bytes);
    }
    ++g.taken[rank];
    g.changed.notify_all();
    return GPUOPT_OK;
  }

  void abort() override {
    std::unique_lock<std::mutex> lock(group_->mutex);
    group_->broken = true;
    group_->changed.notify_all();
    // A call that fails gives its caller the operands back: letters about them are withdrawn, and copies under way, which
    // take no longer than they take, are waited for.
    for (int32_t r = 0; r < size; ++r) {
      std::vector<Letter> &box = group_->letters[static_cast<size_t>(r) * size + rank];
      box.erase(std::remove_if(box.begin(), box.end(), [](const Letter &l) { return !l.is_copied; }), box.end());
      group_->changed.wait(lock, [&] { return box.empty(); });
    }
  }

  gpuopt_status attach(char *window, size_t) override {
    window_ = window;
    return GPUOPT_OK;
  }
  gpuopt_status start(const Block &out, const void *from, const Block &, Stream) override {
    if (out.bytes == 0) return GPUOPT_OK;
    const std::lock_guard<std::mutex> lock(group_->mutex);
    group_->letters[static_cast<size_t>(out.peer) * size + rank].push_back({out.slot, from, out.bytes, false});
    group_->changed.notify_all();
    return GPUOPT_OK;
  }
  gpuopt_status await(const Block &in, Stream) override {
    if (in.bytes == 0) return GPUOPT_OK;
    std::unique_lock<std::mutex> lock(group_->mutex);
    std::vector<Letter> &box = group_->letters[static_cast<size_t>(rank) * size + in.peer];
    size_t at = 0;
    const auto has_come = [&] {
      for (at = 0; at < box.size(); ++at)
        if (box[at].slot == in.slot) return true;
      return false;
    };
    if (!wait(lock, Deadline(limit_ms), has_come)) return missed(in.peer);
    // The sender waits in finish(), or after a fault in abort(), until the letter is taken: its memory holds meanwhile.
    box[at].is_copied = true;
    const Letter letter = box[at];
    lock.unlock();
    std::memcpy(window_ + in.offset, letter.from, std::min(in.bytes, letter.bytes));
    lock.lock();
    has_come();
    box.erase(box.begin() + static_cast<std::ptrdiff_t>(at));
    group_->changed.notify_all();
    return GPUOPT_OK;
  }
  gpuopt_status finish(Stream) override {
    std::unique_lock<std::mutex> lock(group_->mutex);
    const Deadline deadline(limit_ms);
    for (int32_t r = 0; r < size; ++r) {
      std::vector<Letter> &box = group_->letters[static_cast<size_t>(r) * size + rank];
      if (!wait(lock, deadline, [&] { return box.empty(); })) return missed(r);
    }
    return GPUOPT_OK;
  }

 private:
  template <class Condition>
  bool wait(std::unique_lock<std::mutex> &lock, const Deadline &deadline, Condition condition) {
    while (!condition()) {
      if (group_->broken || deadline.is_over()) return false;
      group_->changed.wait_for(lock, std::chrono::milliseconds(20));
    }
    return true;
  }
  gpuopt_status missed(int32_t peer) const {
    if (group_->broken) return fail(GPUOPT_COMM_ERROR, "rank %d waited for rank %d when a rank gave up", rank, peer);
    return fail(GPUOPT_TIME_LIMIT, "rank %d waited for rank %d for longer than %d ms", rank, peer, limit_ms);
  }

  std::shared_ptr<Group> group_;
  char *window_ = nullptr;
};

void make_thread_id(gpuopt_unique_id *id) {
  static std::atomic<unsigned long> next{1};
  std::memset(id, 0, sizeof *id);
  std::snprintf(id->bytes, sizeof id->bytes, "%s%lu", kMark, next++);
}

gpuopt_status join_threads(const gpuopt_unique_id &id, int32_t rank, int32_t size, int32_t limit_ms, Transport *out) {
  const std::string key(id.bytes, sizeof id.bytes);
  if (key.compare(0, sizeof kMark - 1, kMark) != 0)
    return fail(GPUOPT_INVALID_ARGUMENT,
                "gpuopt_comm_create: id is not one of gpuopt_get_unique_id with a handle of the CPU in this process");
  if (size > kMostThreads)
    return fail(GPUOPT_NOT_SUPPORTED, "gpuopt_comm_create: size=%d is more than %d, the most ranks that are threads",
                size, kMostThreads);
  std::shared_ptr<Group> group;
  {
    const std::lock_guard<std::mutex> lock(groups_mutex);
    const auto found = groups().find(key);
    if (found == groups().end()) {
      // In the map it is whole: where memory runs out, the next rank begins anew.
      group = std::make_shared<Group>();
      group->size = size;
      group->has_come.resize(size);
      group->offered.resize(size);
      group->given.resize(size);
      group->taken.resize(size);
      group->letters.resize(static_cast<size_t>(size) * size);
      groups().emplace(key, group);
    } else {
      group = found->second;
    }
    if (group->size != size)
      return fail(GPUOPT_RANKS_DISAGREE, "gpuopt_comm_create: size=%d of rank %d, and another rank has %d", size, rank,
                  group->size);
    if (group->has_come[rank])
      return fail(GPUOPT_INVALID_ARGUMENT, "gpuopt_comm_create: rank=%d has come before: every thread has another rank",
                  rank);
    group->has_come[rank] = true;
    if (++group->here == size) groups().erase(key);
  }
  auto threads = std::make_unique<Threads>(group);
  threads->rank = rank, threads->size = size, threads->limit_ms = limit_ms;
  std::vector<int32_t> ranks(size);
  const gpuopt_status s = threads->exchange(Topic::joining, &rank, ranks.data(), sizeof rank);
  if (s != GPUOPT_OK) return fail_within(s, "gpuopt_comm_create");
  out->mover = threads.get();
  out->control = std::move(threads);
  return GPUOPT_OK;
}

}  // namespace gpuopt::dist
