// What cuBLASLt tells of an algorithm's configuration, and the name that is made of it:
// "id66.tile20.stages36.split1.reduce0.swizzle0.custom3.inner0.cluster2".
#pragma once

#include <cublasLt.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>

namespace gpuopt {

struct CublasLtAttribute {
  const char *name;
  cublasLtMatmulAlgoConfigAttributes_t which;
  size_t bytes;
};
inline constexpr CublasLtAttribute kCublasLtAttributes[] = {
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
constexpr int kCublasLtAttributeCount = sizeof kCublasLtAttributes / sizeof kCublasLtAttributes[0];

struct CublasLtConfiguration {
  uint32_t value[kCublasLtAttributeCount];
};

// config_get: cublasLtMatmulAlgoConfigGetAttribute. An attribute that this release of the library does not know is 0, its default.
inline CublasLtConfiguration configuration_of(decltype(&cublasLtMatmulAlgoConfigGetAttribute) config_get,
                                              const cublasLtMatmulAlgo_t &algo) {
  CublasLtConfiguration c;
  for (int i = 0; i < kCublasLtAttributeCount; ++i) {
    const CublasLtAttribute &a = kCublasLtAttributes[i];
    uint32_t wide = 0;
    uint16_t narrow = 0;
    const bool is_narrow = a.bytes == sizeof narrow;
    size_t written = 0;
    const cublasStatus_t code =
        config_get(&algo, a.which, is_narrow ? static_cast<void *>(&narrow) : &wide, a.bytes, &written);
    c.value[i] = code != CUBLAS_STATUS_SUCCESS ? 0 : is_narrow ? narrow : wide;
  }
  return c;
}

constexpr size_t kCublasLtNameBytes = 192;  // of any values; 150 and a number behind them

// Returns the length.
inline int write_name(const CublasLtConfiguration &c, char (&text)[kCublasLtNameBytes]) {
  int length = 0;
  for (int i = 0; i < kCublasLtAttributeCount; ++i)
    length += std::snprintf(text + length, sizeof text - static_cast<size_t>(length), "%s%s%u", i > 0 ? "." : "",
                            kCublasLtAttributes[i].name, c.value[i]);
  return length;
}

}  // namespace gpuopt
