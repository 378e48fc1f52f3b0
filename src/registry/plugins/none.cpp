// What a build without plugins (GPUOPT_PLUGINS=OFF) has in the loader's place.
#include "api_scope.h"
#include "error.h"
#include "plugins/loader.h"

namespace gpuopt {
namespace {

gpuopt_status refuse(const char *where) {
  return fail(GPUOPT_NOT_SUPPORTED, "%s: this build loads no plugins (GPUOPT_PLUGINS=OFF)", where);
}

}  // namespace

gpuopt_status load_plugins(const std::string &where, const std::string &, Log *) { return refuse(where.c_str()); }
gpuopt_status load_plugin_list(const std::string &where, const std::string &, Log *) { return refuse(where.c_str()); }

}  // namespace gpuopt

extern "C" {

gpuopt_status gpuopt_load_plugin(const char *) {
  const gpuopt::ApiScope scope;
  return gpuopt::refuse("gpuopt_load_plugin");
}

gpuopt_status gpuopt_check_plugin(const char *, gpuopt_fault_fn, void *) {
  const gpuopt::ApiScope scope;
  return gpuopt::refuse("gpuopt_check_plugin");
}

}  // extern "C"
