// The processors that a control group leaves: trees of files that stand for what the kernel shows.
#include <sched.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "cpu_quota.h"
#include "support.h"

using namespace gpuopt_test;
namespace fs = std::filesystem;

namespace {

class Tree {
 public:
  Tree() {
    char name[] = "/tmp/gpuopt_quota_XXXXXX";
    REQUIRE(mkdtemp(name) != nullptr);
    root_ = name;
  }
  ~Tree() { fs::remove_all(root_); }
  Tree(const Tree &) = delete;
  void put(const std::string &path, const std::string &text) const {
    fs::create_directories(fs::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << text;
  }
  int32_t cpus() const { return gpuopt::cgroup_cpus(root_); }

 private:
  std::string root_;
};

constexpr const char *kMountsV2 =
    "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
    "30 22 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
constexpr const char *kMountsV1 =
    "31 22 0:28 / /sys/fs/cgroup ro - tmpfs tmpfs ro,mode=755\n"
    "32 31 0:29 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
    "33 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n";

}  // namespace

TEST_CASE("cpu quota: version 2, of the group itself, rounded up") {
  const Tree t;
  t.put("/proc/self/mountinfo", kMountsV2);
  t.put("/proc/self/cgroup", "0::/work.slice/job\n");
  CHECK(t.cpus() == 0);
  t.put("/sys/fs/cgroup/work.slice/job/cpu.max", "max 100000\n");
  CHECK(t.cpus() == 0);
  t.put("/sys/fs/cgroup/work.slice/job/cpu.max", "250000 100000\n");
  CHECK(t.cpus() == 3);
  t.put("/sys/fs/cgroup/work.slice/job/cpu.max", "20000 100000\n");
  CHECK(t.cpus() == 1);
}

TEST_CASE("cpu quota: version 2, the least of the groups around it counts") {
  const Tree t;
  t.put("/proc/self/mountinfo", kMountsV2);
  t.put("/proc/self/cgroup", "0::/work.slice/job\n");
  t.put("/sys/fs/cgroup/work.slice/job/cpu.max", "800000 100000\n");
  t.put("/sys/fs/cgroup/work.slice/cpu.max", "400000 100000\n");
  CHECK(t.cpus() == 4);
  t.put("/sys/fs/cgroup/cpu.max", "200000 100000\n");  // what a container's own view shows
  CHECK(t.cpus() == 2);
}

TEST_CASE("cpu quota: version 2 in a container, whose root is its group") {
  const Tree t;
  t.put("/proc/self/mountinfo", kMountsV2);
  t.put("/sys/fs/cgroup/cpu.max", "150000 100000\n");
  t.put("/proc/self/cgroup", "0::/\n");
  CHECK(t.cpus() == 2);
  t.put("/proc/self/cgroup", "0::/../other\n");
  CHECK(t.cpus() == 2);
}

TEST_CASE("cpu quota: version 1") {
  const Tree t;
  t.put("/proc/self/mountinfo", kMountsV1);
  t.put("/proc/self/cgroup", "9:cpuset:/a\n4:cpu,cpuacct:/a/b\n1:name=systemd:/c\n0::/\n");
  CHECK(t.cpus() == 0);
  t.put("/sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_quota_us", "-1\n");
  t.put("/sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_period_us", "100000\n");
  CHECK(t.cpus() == 0);
  t.put("/sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_quota_us", "350000\n");
  CHECK(t.cpus() == 4);
  t.put("/sys/fs/cgroup/cpuset/a/cpu.cfs_quota_us", "100000\n");  // not where the controller is
  t.put("/sys/fs/cgroup/cpuset/a/cpu.cfs_period_us", "100000\n");
  CHECK(t.cpus() == 4);
}

TEST_CASE("cpu quota: version 1 in a container, which sees its group as the mount's root") {
  const Tree t;
  t.put("/proc/self/mountinfo", "33 31 0:30 /docker/42 /sys/fs/cgroup\\040two/cpu rw - cgroup cgroup rw,cpu\n");
  t.put("/proc/self/cgroup", "4:cpu:/docker/42/inner\n");
  t.put("/sys/fs/cgroup two/cpu/inner/cpu.cfs_quota_us", "500000\n");
  t.put("/sys/fs/cgroup two/cpu/inner/cpu.cfs_period_us", "100000\n");
  CHECK(t.cpus() == 5);
  t.put("/sys/fs/cgroup two/cpu/cpu.cfs_quota_us", "300000\n");
  t.put("/sys/fs/cgroup two/cpu/cpu.cfs_period_us", "100000\n");
  CHECK(t.cpus() == 3);
  t.put("/proc/self/cgroup", "4:cpu:/docker/421\n");
  CHECK(t.cpus() == 3);
}

TEST_CASE("cpu quota: files that make no sense are no limit") {
  const Tree t;
  CHECK(t.cpus() == 0);
  t.put("/proc/self/mountinfo", std::string("nonsense\n - \n1 2 3 - cgroup2\n") + kMountsV2);
  t.put("/proc/self/cgroup", "::\n0\nx\n0::/a\n");
  for (const char *text : {"", "\n", "0 100000\n", "100000\n", "100000 0\n", "-5 -5\n", "x y\n", "9e9 1\n"}) {
    t.put("/sys/fs/cgroup/a/cpu.max", text);
    CAPTURE(text);
    CHECK(t.cpus() == 0);
  }
}

TEST_CASE("cpu quota: a handle takes as many threads as affinity and quota leave") {
  cpu_set_t before;
  REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
  const int32_t quota = gpuopt::cgroup_cpus(""), processors = CPU_COUNT(&before);
  gpuopt_device_facts facts = GPUOPT_DEVICE_FACTS_INIT;
  REQUIRE(gpuopt_get_device(cpu_handle().get(), &facts) == GPUOPT_OK);
  CHECK(facts.cpu_threads == (quota ? std::min(quota, processors) : processors));
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++i)
    if (CPU_ISSET(i, &before)) CPU_SET(i, &one);
  REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
  REQUIRE(gpuopt_get_device(cpu_handle().get(), &facts) == GPUOPT_OK);
  CHECK(facts.cpu_threads == 1);
  REQUIRE(sched_setaffinity(0, sizeof before, &before) == 0);
}
