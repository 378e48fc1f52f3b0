// Rows of a record, made by hand.
#pragma once
#include <string>

#include "core/record.h"

inline gpuopt_bench::Row row(const std::string &problem, gpuopt_bench::Role role, const std::string &name, double us,
                             gpuopt_bench::Mode mode = gpuopt_bench::Mode::single) {
  gpuopt_bench::Row r;
  r.problem = problem;
  r.suite = "targets_" + problem.substr(0, problem.find(' '));
  r.shape = problem.substr(problem.find(' ') + 1);
  r.type = "f32";
  r.role = role;
  const bool ours = role == gpuopt_bench::Role::automatic || role == gpuopt_bench::Role::kernel;
  r.kernel = ours ? name : "";
  r.contender = ours ? "gpuopt:" + name : name;
  r.mode = mode;
  r.timing.median_us = us;
  r.timing.samples = 9;
  return r;
}
