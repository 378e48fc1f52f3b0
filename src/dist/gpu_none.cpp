#include "error.h"
#include "gpu.h"

namespace gpuopt::dist {
namespace {
gpuopt_status none() { return fail(GPUOPT_NO_DEVICE, "this gpuopt was built without CUDA"); }
}  // namespace

gpuopt_status make_nccl_id(gpuopt_unique_id *) { return none(); }
gpuopt_status join_nccl(const gpuopt_unique_id &, int32_t, int32_t, int32_t, gpuopt_handle *, Transport *) {
  return none();
}
gpuopt_status adopt_nccl(void *, int32_t, gpuopt_handle *, Transport *) { return none(); }
std::unique_ptr<Memory> gpu_memory(gpuopt_handle *, gpuopt_status *status) {
  *status = none();
  return nullptr;
}
gpuopt_status map_peers(Control *, gpuopt_handle *, std::unique_ptr<Mover> *, std::string *) { return none(); }

}  // namespace gpuopt::dist
