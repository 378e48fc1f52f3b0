// How much of the machine's processors a control group leaves to this process, as containers and service managers set it.
#pragma once
#include <cstdint>
#include <string>

namespace gpuopt {

// The least quota of the process's control group and of those around it (cpu.max of version 2, cpu.cfs_quota_us of version
// 1), in processors, rounded up; 0: there is none. root: "", or a folder that a test puts in the place of "/".
int32_t cgroup_cpus(const std::string &root);

}  // namespace gpuopt
