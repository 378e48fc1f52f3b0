// The machine code and PTX of an image kernel: files that a manifest names by architecture and by what they hold, and what
// the driver makes of them.
#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "compiled_code.h"
#include "gpuopt/kernel.h"

namespace gpuopt {

struct Image {
  CompiledArch arch = {};
  std::string bytes;                          // with a zero behind them, as the driver wants PTX
  void *loaded = nullptr;                     // the driver's kernel, whether or not it is fit; while loading_ is held
  std::atomic<void *> kernel{nullptr};        // the same once it is
  std::atomic<uint64_t> prepared_devices{0};  // a bit each of the first 64
};

// "sm_90", "sm_90a"; false: no such architecture.
bool parse_arch(std::string_view text, CompiledArch *arch);
std::string arch_text(const CompiledArch &arch);

// Is what the file holds machine code for its key, or PTX where that is expected, all there, and with that entry function? ""
// or why not. Of PTX, arch becomes that of its .target.
std::string check_image(std::string_view bytes, std::string_view entry, CompiledArch *arch);

// How a kernel is launched, apart from what it computes.
struct LaunchShape {
  uint32_t block[3] = {1, 1, 1}, cluster[3] = {1, 1, 1};
  uint32_t shared = 0;  // dynamic, bytes
  uint32_t threads() const { return block[0] * block[1] * block[2]; }
  uint32_t blocks_of_cluster() const { return cluster[0] * cluster[1] * cluster[2]; }
};

constexpr size_t kMostImages = 32;  // of one kernel; an index fits a byte

class ImageCode {
 public:
  std::string entry;
  std::vector<std::unique_ptr<Image>> images;
  std::vector<CompiledArch> archs;  // of each of them

  // The image that a device runs, or nullptr: the rules of compiled_code.h.
  Image *for_device(int32_t cc) const {
    const int32_t index = index_for(cc);
    return index < 0 ? nullptr : images[static_cast<size_t>(index)].get();
  }
  bool runs_on(int32_t cc) const { return index_for(cc) >= 0; }

  // Loads the image into the driver, once, looks whether the entry's parameters have these sizes, and allows the shared memory
  // on the device. NOT_SUPPORTED where the driver can make nothing of it.
  gpuopt_status prepare(Image *image, const std::vector<uint8_t> &parameter_sizes, const LaunchShape &shape,
                        const gpuopt_launch *launch);
  // params: the address of each argument.
  gpuopt_status launch(const Image &image, const uint32_t (&grid)[3], const LaunchShape &shape, void **params,
                       const gpuopt_launch *launch) const;

 private:
  int32_t index_for(int32_t cc) const {
    const int32_t last = last_found_.load(std::memory_order_relaxed);
    return last >> 8 == cc && last != 0 ? last & 0xff : find_for(cc);
  }
  int32_t find_for(int32_t cc) const;

  std::mutex loading_;
  mutable std::atomic<int32_t> last_found_{0};  // cc and the image's index: a process asks for one device, most often
};

}  // namespace gpuopt
