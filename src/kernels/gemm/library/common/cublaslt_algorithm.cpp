#if !defined(GPUOPT_CUBLAS_OFF)

#include "gemm/library/common/cublaslt_algorithm.h"

#include <cstdio>
#include <cstring>

namespace gpuopt {

namespace {

constexpr size_t kMostName = 96;  // what kernel.h allows; 9 attributes of any values could have 150
static_assert(CublasLtOffer::kMost * (kMostName + 1) <= GPUOPT_ALGORITHMS_BYTES, "all names fit the text");

struct Attribute {
  const char *name;
  cublasLtMatmulAlgoConfigAttributes_t which;
  size_t bytes;
};
constexpr Attribute kAttributes[] = {
    {"id", CUBLASLT_ALGO_CONFIG_ID, sizeof(int32_t)},
    {"tile", CUBLASLT_ALGO_CONFIG_TILE_ID, sizeof(uint32_t)},
    {"stages", CUBLASLT_ALGO_CONFIG_STAGES_ID, sizeof(uint32_t)},
    {"split", CUBLASLT_ALGO_CONFIG_SPLITK_NUM, sizeof(int32_t)},
    {"reduce", CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME, sizeof(uint32_t)},
    {"swizzle", CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING, sizeof(uint32_t)},
    {"custom", CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION, sizeof(uint32_t)},
    {"inner", CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID, sizeof(uint16_t)},
    {"cluster", CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID, sizeof(uint16_t)},
};
constexpr int kCount = sizeof kAttributes / sizeof kAttributes[0];

struct Configuration {
  uint32_t value[kCount];
};

// An attribute that this release of the library does not know is 0, its default.
Configuration configuration_of(const CublasLtApi &api, const cublasLtMatmulAlgo_t &algo) {
  Configuration c;
  for (int i = 0; i < kCount; ++i) {
    uint32_t wide = 0;
    uint16_t narrow = 0;
    const bool is_narrow = kAttributes[i].bytes == sizeof narrow;
    size_t written = 0;
    const cublasStatus_t code = api.config_get(
        &algo, kAttributes[i].which, is_narrow ? static_cast<void *>(&narrow) : &wide, kAttributes[i].bytes, &written);
    c.value[i] = code != CUBLAS_STATUS_SUCCESS ? 0 : is_narrow ? narrow : wide;
  }
  return c;
}

// The names of an offer, one after another.
class Names {
 public:
  Names(const CublasLtApi &api, const CublasLtOffer &offer) : api_(api), offer_(offer) {}

  const char *of(int i) {
    seen_[i] = configuration_of(api_, offer_.results[i].algo);
    int length = 0, alike = 1;
    for (int j = 0; j < kCount; ++j)
      length += std::snprintf(text_ + length, sizeof text_ - static_cast<size_t>(length), "%s%s%u", j > 0 ? "." : "",
                              kAttributes[j].name, seen_[i].value[j]);
    for (int j = 0; j < i; ++j) alike += std::memcmp(&seen_[j], &seen_[i], sizeof seen_[i]) == 0 ? 1 : 0;
    if (alike > 1) std::snprintf(text_ + length, sizeof text_ - static_cast<size_t>(length), ".%d", alike);
    return text_;
  }

 private:
  const CublasLtApi &api_;
  const CublasLtOffer &offer_;
  Configuration seen_[CublasLtOffer::kMost];
  char text_[192];
};

}  // namespace

int find_cublaslt_algorithm(const CublasLtApi &api, const CublasLtOffer &offer, const char *name) {
  Names names(api, offer);
  for (int i = 0; i < offer.count; ++i)
    if (std::strcmp(names.of(i), name) == 0) return i;
  return -1;
}

void write_cublaslt_algorithms(const CublasLtApi &api, const CublasLtOffer &offer, char *text) {
  Names names(api, offer);
  size_t length = 0;
  text[0] = 0;
  for (int i = 0; i < offer.count; ++i) {
    const char *const name = names.of(i);
    if (std::strlen(name) > kMostName) continue;
    length += static_cast<size_t>(
        std::snprintf(text + length, GPUOPT_ALGORITHMS_BYTES - length, "%s%s", length > 0 ? " " : "", name));
  }
}

}  // namespace gpuopt

#endif
