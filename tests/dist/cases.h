// Calls of gpuopt::dist against the same product on one rank. Used by threads, by processes under MPI and by GPUs.
#pragma once
#include <string>
#include <vector>

#include "gpuopt/dist.h"

namespace gpuopt_dist_test {

// Memory where the handle computes, and its contents as floats.
class Buffer {
 public:
  Buffer(gpuopt_handle *handle, int64_t elements, gpuopt_dtype dtype);
  ~Buffer();
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
  void *data() const { return data_; }
  void set(const std::vector<float> &values);  // rounded to the type
  void fill(int32_t byte);
  std::vector<char> bytes() const;

 private:
  gpuopt_handle *handle_;
  int64_t elements_;
  gpuopt_dtype dtype_;
  void *data_ = nullptr;
};

// Values whose products and sums are exact in every type, so that any order gives the same bits; or normal ones, which are not.
std::vector<float> exact_values(int64_t count, unsigned seed);
std::vector<float> normal_values(int64_t count, unsigned seed);

struct Case {
  int32_t op;
  int64_t m, n, k, batch;  // of the whole product
  gpuopt_dtype a, b, d;
  int32_t compute;
  bool col_a = false, stages = false, shared_a = false, add_c = false, rounds = false, exact = true;
};
std::string words(const Case &c);
std::vector<Case> every_type(int32_t size);  // every row of the table of types, small and odd
std::vector<Case> every_shape(int32_t size);

// Runs it with a plan ("" for the library's own choice) and compares with one rank's gpuopt_gemm: bit for bit where the data is
// exact. "" or what is wrong. *result: D's bytes.
std::string check(gpuopt_comm *comm, gpuopt_handle *handle, const Case &c, const char *plan,
                  std::vector<char> *result = nullptr);

}  // namespace gpuopt_dist_test
