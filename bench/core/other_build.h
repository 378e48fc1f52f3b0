// Another build of gpuopt, an earlier commit say, in this process: a shared object, so that the names of both stay apart.
// docs/measuring.md says how to make one. No CUDA.
#pragma once
#include <memory>
#include <string>

#include "gpuopt/gpuopt.h"

namespace gpuopt_bench {

class OtherBuild {
 public:
  // Throws std::runtime_error that names the file and what is wrong with it.
  explicit OtherBuild(const std::string &path);
  ~OtherBuild();
  OtherBuild(const OtherBuild &) = delete;
  OtherBuild &operator=(const OtherBuild &) = delete;

  std::string build() const { return build_info_(); }
  // Each throws std::runtime_error with the status and its words. args is one of the six args structs.
  void create(const gpuopt_options &options);
  void run(const void *args) const;
  void prepare(const void *args) const;
  std::string chosen(const void *args) const;  // the kernel that the call would run

 private:
  struct Closer {
    void operator()(void *object) const;
  };
  template <class Function>
  void bind(const char *name, Function **to);
  void require(gpuopt_status status, const char *what) const;

  std::unique_ptr<void, Closer> object_;
  gpuopt_handle *handle_ = nullptr;
  decltype(gpuopt_build_info) *build_info_ = nullptr;
  decltype(gpuopt_last_error) *last_error_ = nullptr;
  decltype(gpuopt_status_name) *status_name_ = nullptr;
  decltype(gpuopt_create) *create_ = nullptr;
  decltype(gpuopt_destroy) *destroy_ = nullptr;
  decltype(gpuopt_prepare) *prepare_ = nullptr;
  decltype(gpuopt_explain) *explain_ = nullptr;
  decltype(gpuopt_gemm) *gemm_ = nullptr;
  decltype(gpuopt_transpose) *transpose_ = nullptr;
  decltype(gpuopt_reduce) *reduce_ = nullptr;
  decltype(gpuopt_fused_act) *fused_act_ = nullptr;
  decltype(gpuopt_norm) *norm_ = nullptr;
};

}  // namespace gpuopt_bench
