#include "other_build.h"

#include <dlfcn.h>

#include <stdexcept>

namespace gpuopt_bench {

void OtherBuild::Closer::operator()(void *object) const { dlclose(object); }

template <class Function>
void OtherBuild::bind(const char *name, Function **to) {
  *to = reinterpret_cast<Function *>(dlsym(object_.get(), name));
  if (*to == nullptr) throw std::runtime_error(std::string("no build of gpuopt: ") + dlerror());
}

OtherBuild::OtherBuild(const std::string &path) {
  // With a slash, or the system would look for it in its own folders.
  object_.reset(dlopen((path.find('/') == std::string::npos ? "./" + path : path).c_str(), RTLD_NOW | RTLD_LOCAL));
  if (!object_) throw std::runtime_error(std::string("another build: ") + dlerror());
  bind("gpuopt_build_info", &build_info_);
  bind("gpuopt_last_error", &last_error_);
  bind("gpuopt_status_name", &status_name_);
  bind("gpuopt_create", &create_);
  bind("gpuopt_destroy", &destroy_);
  bind("gpuopt_prepare", &prepare_);
  bind("gpuopt_explain", &explain_);
  bind("gpuopt_gemm", &gemm_);
  bind("gpuopt_transpose", &transpose_);
  bind("gpuopt_reduce", &reduce_);
  bind("gpuopt_fused_act", &fused_act_);
  bind("gpuopt_norm", &norm_);
  if (build_info_ == gpuopt_build_info) throw std::runtime_error(path + " is this program's own build");
}

OtherBuild::~OtherBuild() {
  if (handle_ != nullptr) destroy_(handle_);
}

void OtherBuild::require(gpuopt_status status, const char *what) const {
  if (status != GPUOPT_OK)
    throw std::runtime_error(std::string("the other build: ") + what + ": " + status_name_(status) + ": " +
                             last_error_());
}

void OtherBuild::create(const gpuopt_options &options) { require(create_(&handle_, &options), "gpuopt_create"); }

void OtherBuild::run(const void *args) const {
  switch (static_cast<const gpuopt_args *>(args)->op) {
    case GPUOPT_OP_GEMM:
      return require(gemm_(handle_, static_cast<const gpuopt_gemm_args *>(args)), "gpuopt_gemm");
    case GPUOPT_OP_TRANSPOSE:
      return require(transpose_(handle_, static_cast<const gpuopt_transpose_args *>(args)), "gpuopt_transpose");
    case GPUOPT_OP_REDUCE:
      return require(reduce_(handle_, static_cast<const gpuopt_reduce_args *>(args)), "gpuopt_reduce");
    case GPUOPT_OP_FUSED_ACT:
      return require(fused_act_(handle_, static_cast<const gpuopt_fused_act_args *>(args)), "gpuopt_fused_act");
    default:
      return require(norm_(handle_, static_cast<const gpuopt_norm_args *>(args)), "gpuopt_norm");
  }
}

void OtherBuild::prepare(const void *args) const { require(prepare_(handle_, args), "gpuopt_prepare"); }

std::string OtherBuild::chosen(const void *args) const {
  std::string name;
  const auto take = [](void *user, const gpuopt_candidate *c) {
    if (c->verdict == GPUOPT_VERDICT_CHOSEN) *static_cast<std::string *>(user) = c->kernel;
  };
  require(explain_(handle_, args, nullptr, take, &name), "gpuopt_explain");
  return name;
}

}  // namespace gpuopt_bench
