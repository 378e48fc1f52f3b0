// A handle with a block of its memory: runs problems there, asks explain about them, and fetches what was written.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "gpuopt/gpuopt.h"
#include "problem.h"
#include "truth.h"

namespace gpuopt_check {

struct Candidate {  // gpuopt_candidate with strings of its own
  std::string kernel, text;
  int32_t verdict = 0, how = 0, reject = 0, operand = 0;
  int64_t have = 0, need = 0;
  double predicted_us = 0;
  size_t workspace_bytes = 0;
};
Candidate candidate_of(const gpuopt_candidate &candidate);

struct Explanation {
  gpuopt_status status = GPUOPT_OK;
  std::string error;
  std::vector<Candidate> candidates;
  const Candidate *find(const std::string &kernel) const;
};

struct Outcome {
  gpuopt_status status = GPUOPT_OK;
  std::string error;           // gpuopt_last_error() where status is not OK
  std::vector<uint8_t> after;  // the image after the call
};

class Session {
 public:
  // Borrows the handle. stream: the handle's own, where it has one that CUDA can capture; else nullptr.
  explicit Session(gpuopt_handle *handle, struct CUstream_st *stream = nullptr) : handle_(handle), stream_(stream) {}
  ~Session();
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  gpuopt_handle *handle() const { return handle_; }
  bool is_cpu() const;

  // Copies the image over, runs the call with the kernel forced ("": automatic), waits, copies the image back.
  Outcome run(const Problem &problem, const std::string &kernel);
  // The same in parts: the image over, and NaN in what kernels find unwritten (residue.h); the forced call alone, with its
  // status and words; the image back.
  gpuopt_status upload(const Problem &problem);
  Outcome call(const Problem &problem, const std::string &kernel);
  gpuopt_status fetch(const Problem &problem, std::vector<uint8_t> *after);
  // run("") inside a stream capture, whose graph is then launched once. A CPU handle has nothing that captures it: its call
  // just runs.
  Outcome run_captured(const Problem &problem);
  bool can_capture() const { return stream_ != nullptr || is_cpu(); }
  // What CUDA itself keeps of a graph that owned memory (heap_kept_by_graph), measured here and now.
  double heap_kept_by_graph() const;
  // Explains the call as run("") would make it, or run_captured(). pretend: facts of another device, or nullptr.
  Explanation explain(const Problem &problem, const gpuopt_device_facts *pretend = nullptr, bool capturing = false);

 private:
  gpuopt_status reserve(size_t bytes);
  gpuopt_handle *handle_;
  struct CUstream_st *stream_;
  void *block_ = nullptr;
  size_t bytes_ = 0;
};

// Runs the problem on the forced kernel and compares; all runs must give the bits of the first. Empty when all is right,
// else one line that says what is not.
std::string verify(Session &session, const Problem &problem, const Truth &truth, const std::string &kernel, int runs);
// Where two images of one problem differ: "" where they do not, else "<what> differ, first at byte ...".
std::string difference(const char *what, const std::vector<uint8_t> &one, const std::vector<uint8_t> &other);

// A matrix that has no element to write: the call does nothing.
bool is_empty(const Problem &problem);

}  // namespace gpuopt_check
