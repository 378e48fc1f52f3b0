#include "plugins/image_code.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>

#include "plugins/driver.h"
#include "plugins/elf_file.h"

namespace gpuopt {
namespace {

constexpr uint16_t kCudaMachine = 190;     // EM_CUDA
constexpr size_t kFreeShared = 48 * 1024;  // that every kernel may use

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' || c == '%';
}

// The word after a directive of PTX, with any blanks between; empty where there is no such directive.
std::string_view word_after(std::string_view ptx, std::string_view directive, size_t *from) {
  size_t at = ptx.find(directive, *from);
  if (at == std::string_view::npos) return {};
  at += directive.size();
  while (at < ptx.size() && (ptx[at] == ' ' || ptx[at] == '\t' || ptx[at] == '\n' || ptx[at] == '\r')) ++at;
  size_t end = at;
  while (end < ptx.size() && is_word(ptx[end])) ++end;
  *from = end;
  return ptx.substr(at, end - at);
}

std::string check_machine_code(std::string_view bytes, std::string_view entry) {
  ElfFile elf;
  const std::string fault = elf.open(bytes);
  if (!fault.empty()) return "no machine code: " + fault;
  if (elf.machine() != kCudaMachine) return "no machine code of CUDA, but an ELF file of another machine";
  if (!elf.may_have_section(".text." + std::string(entry))) return "no entry " + std::string(entry) + " in it";
  return "";
}

// Is the last that is no comment the end of a function or a section?
bool ends_a_block(std::string_view ptx) {
  for (;;) {
    const size_t last = ptx.find_last_not_of(" \t\r\n");
    if (last == std::string_view::npos) return false;
    if (ptx[last] == '}') return true;
    const size_t line = ptx.find_last_of('\n', last) + 1;  // 0 where there is none
    if (ptx.substr(ptx.find_first_not_of(" \t", line), 2) != "//") return false;
    ptx = ptx.substr(0, line);
  }
}

std::string check_ptx(std::string_view bytes, std::string_view entry, CompiledArch *arch) {
  if (bytes.find('\0') != std::string_view::npos) return "no PTX: it has bytes that are no text";
  size_t at = 0;
  if (word_after(bytes, ".version", &at).empty()) return "no PTX: it has no .version";
  const std::string_view target = word_after(bytes, ".target", &at);
  if (!parse_arch(target, arch)) return "no PTX: it has no .target sm_<number>";
  arch->ptx = true;
  for (at = 0;;) {
    const std::string_view name = word_after(bytes, ".entry", &at);
    if (name.empty()) return "no entry " + std::string(entry) + " in it";
    if (name == entry) break;
  }
  return ends_a_block(bytes) ? "" : "it was cut short: it does not end in '}'";
}

// Words for launch->error, and the status that goes with what the driver said.
gpuopt_status say(const gpuopt_launch *launch, gpuopt_status status, const std::string &words) {
  if (launch->error && launch->error_bytes > 0) std::snprintf(launch->error, launch->error_bytes, "%s", words.c_str());
  return status;
}

gpuopt_status driver_status(const driver::Functions &f, driver::Result code, const std::string &what,
                            const gpuopt_launch *launch) {
  const char *name = nullptr;
  if (f.get_error_name(code, &name) != driver::kSuccess || !name) name = "unknown error";
  const bool is_refusal = code == driver::kInvalidImage || code == driver::kNoBinaryForGpu ||
                          code == driver::kInvalidPtx || code == driver::kUnsupportedPtxVersion ||
                          code == driver::kJitCompilerNotFound || code == driver::kJitCompilationDisabled ||
                          code == driver::kNotFound;
  const gpuopt_status status = code == driver::kOutOfMemory ? GPUOPT_OUT_OF_MEMORY
                               : is_refusal                 ? GPUOPT_NOT_SUPPORTED
                                                            : GPUOPT_CUDA_ERROR;
  return say(launch, status, what + ": " + name + " (" + std::to_string(code) + ")");
}

// Does the entry take these arguments, and no more?
gpuopt_status check_parameters(const driver::Functions &f, void *kernel, const std::vector<uint8_t> &sizes,
                               const std::string &entry, const gpuopt_launch *launch) {
  if (!f.kernel_get_param_info) return GPUOPT_OK;
  for (size_t i = 0; i <= sizes.size(); ++i) {
    size_t offset = 0, bytes = 0;
    const bool there = f.kernel_get_param_info(kernel, i, &offset, &bytes) == driver::kSuccess;
    if (there == (i < sizes.size()) && (!there || bytes == sizes[i])) continue;
    const std::string given = "the manifest gives " + entry + " " + std::to_string(sizes.size()) + " arguments, ";
    return say(launch, GPUOPT_NOT_SUPPORTED,
               !there ? given + "it has only " + std::to_string(i) + " parameters"
               : i == sizes.size()
                   ? given + "it has more parameters"
                   : given + "of which argument " + std::to_string(i + 1) + " has " + std::to_string(sizes[i]) +
                         " bytes and the parameter " + std::to_string(bytes));
  }
  return GPUOPT_OK;
}

// The library stays loaded for good, as the kernel is registered for good.
gpuopt_status load(const driver::Functions &f, Image &image, const std::string &entry, const gpuopt_launch *launch) {
  char log[400] = "";
  int options[] = {driver::kErrorLog, driver::kErrorLogBytes};
  void *values[] = {log, reinterpret_cast<void *>(sizeof log)};
  void *library = nullptr;
  driver::Result code =
      f.library_load_data(&library, image.bytes.c_str(), options, values, image.arch.ptx ? 2 : 0, nullptr, nullptr, 0);
  log[sizeof log - 1] = 0;
  const std::string name = arch_text(image.arch);
  if (code != driver::kSuccess)
    return driver_status(f, code, "the driver does not take the image " + name + (*log ? std::string(": ") + log : ""),
                         launch);
  code = f.library_get_kernel(&image.loaded, library, entry.c_str());
  if (code == driver::kSuccess) return GPUOPT_OK;
  image.loaded = nullptr;
  return driver_status(f, code, "the image " + name + " has no entry " + entry, launch);
}

// What the device must be told, and what the entry itself limits.
gpuopt_status prepare_device(const driver::Functions &f, void *kernel, const std::string &entry,
                             const LaunchShape &shape, const gpuopt_launch *launch) {
  int device = 0, most_threads = 0, static_bytes = 0;
  driver::Result code = f.device_get(&device, launch->device->ordinal);
  if (code == driver::kSuccess)
    code = f.kernel_get_attribute(&most_threads, driver::kMaxThreadsPerBlock, kernel, device);
  if (code == driver::kSuccess)
    code = f.kernel_get_attribute(&static_bytes, driver::kStaticSharedBytes, kernel, device);
  if (code != driver::kSuccess) return driver_status(f, code, "the driver cannot load " + entry, launch);
  if (static_cast<int64_t>(shape.threads()) > most_threads)
    return say(launch, GPUOPT_NOT_SUPPORTED,
               "the manifest has blocks of " + std::to_string(shape.threads()) + " threads, " + entry + " allows " +
                   std::to_string(most_threads));
  const size_t shared = size_t{shape.shared} + static_cast<size_t>(static_bytes);
  if (static_cast<int64_t>(shared) > launch->device->smem_per_block_optin)
    return say(launch, GPUOPT_NOT_SUPPORTED,
               entry + " needs " + std::to_string(shared) + " bytes of shared memory, the device has " +
                   std::to_string(launch->device->smem_per_block_optin));
  if (shared <= kFreeShared) return GPUOPT_OK;
  code = f.kernel_set_attribute(driver::kMaxDynamicSharedBytes, static_cast<int>(shape.shared), kernel, device);
  if (code == driver::kSuccess) return GPUOPT_OK;
  return driver_status(f, code, "the driver does not allow " + std::to_string(shape.shared) + " bytes of shared memory",
                       launch);
}

}  // namespace

bool parse_arch(std::string_view text, CompiledArch *arch) {
  if (text.substr(0, 3) != "sm_") return false;
  int cc = 0;
  const char *const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data() + 3, last, cc);
  const char suffix = end < last ? *end : '\0';
  if (error != std::errc() || cc < 50 || cc > 999 || (suffix != '\0' && suffix != 'a' && suffix != 'f')) return false;
  *arch = {static_cast<int16_t>(cc), suffix, false};
  return (suffix ? end + 1 : end) == last;
}

std::string arch_text(const CompiledArch &a) {
  return (a.ptx ? "ptx_" : "sm_") + std::to_string(a.cc) + (a.suffix ? std::string(1, a.suffix) : "");
}

std::string check_image(std::string_view bytes, std::string_view entry, CompiledArch *arch) {
  return arch->ptx ? check_ptx(bytes, entry, arch) : check_machine_code(bytes, entry);
}

int32_t ImageCode::find_for(int32_t cc) const {
  const CompiledArch *const best = best_arch(archs.data(), archs.size(), cc);
  if (!best) return -1;
  const auto index = static_cast<int32_t>(best - archs.data());
  last_found_.store(cc << 8 | index, std::memory_order_relaxed);
  return index;
}

gpuopt_status ImageCode::prepare(Image *image, const std::vector<uint8_t> &parameter_sizes, const LaunchShape &shape,
                                 const gpuopt_launch *launch) {
  const int ordinal = launch->device->ordinal;
  const uint64_t bit = ordinal >= 0 && ordinal < 64 ? uint64_t{1} << ordinal : 0;
  if ((image->prepared_devices.load(std::memory_order_acquire) & bit) != 0) return GPUOPT_OK;
  const char *missing = nullptr;
  const driver::Functions *const f = driver::functions(&missing);
  if (!f)
    return say(launch, GPUOPT_NOT_SUPPORTED,
               std::string("the CUDA driver has no ") + missing + ": images need driver 12.0 or newer");
  const std::lock_guard<std::mutex> lock(loading_);
  if (!image->loaded)
    if (const gpuopt_status s = load(*f, *image, entry, launch)) return s;
  if (const gpuopt_status s = check_parameters(*f, image->loaded, parameter_sizes, entry, launch)) return s;
  if (const gpuopt_status s = prepare_device(*f, image->loaded, entry, shape, launch)) return s;
  image->kernel.store(image->loaded, std::memory_order_release);
  image->prepared_devices.fetch_or(bit, std::memory_order_release);
  return GPUOPT_OK;
}

gpuopt_status ImageCode::launch(const Image &image, const uint32_t (&grid)[3], const LaunchShape &shape, void **params,
                                const gpuopt_launch *launch) const {
  const char *missing = nullptr;
  const driver::Functions *const f = driver::functions(&missing);
  void *const kernel = image.kernel.load(std::memory_order_acquire);
  if (!f || !kernel) return say(launch, GPUOPT_INTERNAL, "it was launched without having been prepared");
  driver::LaunchAttribute cluster = {};
  driver::LaunchConfig config = {};
  std::copy(grid, grid + 3, config.grid);
  std::copy(shape.block, shape.block + 3, config.block);
  config.shared_bytes = shape.shared;
  config.stream = launch->stream;
  if (shape.blocks_of_cluster() > 1) {
    cluster.id = driver::kClusterDimension;
    std::copy(shape.cluster, shape.cluster + 3, cluster.value.cluster);
    config.attributes = &cluster;
    config.attribute_count = 1;
  }
  const driver::Result code = f->launch_kernel(&config, kernel, params, nullptr);
  return code == driver::kSuccess ? static_cast<gpuopt_status>(GPUOPT_OK)
                                  : driver_status(*f, code, "cuLaunchKernelEx of " + entry, launch);
}

}  // namespace gpuopt
