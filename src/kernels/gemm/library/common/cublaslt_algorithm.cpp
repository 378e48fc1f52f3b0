#if !defined(GPUOPT_CUBLAS_OFF)

#include "gemm/library/common/cublaslt_algorithm.h"

#include <cstdio>
#include <cstring>

#include "gemm/library/common/cublaslt_name.h"

namespace gpuopt {

namespace {

constexpr size_t kMostName = 96;  // what kernel.h allows; 9 attributes of any values could have 150
static_assert(CublasLtOffer::kMost * (kMostName + 1) <= GPUOPT_ALGORITHMS_BYTES, "all names fit the text");

// The names of an offer, one after another.
class Names {
 public:
  Names(const CublasLtApi &api, const CublasLtOffer &offer) : api_(api), offer_(offer) {}

  const char *of(int i) {
    seen_[i] = configuration_of(api_.config_get, offer_.results[i].algo);
    const int length = write_name(seen_[i], text_);
    int alike = 1;
    for (int j = 0; j < i; ++j) alike += std::memcmp(&seen_[j], &seen_[i], sizeof seen_[i]) == 0 ? 1 : 0;
    if (alike > 1) std::snprintf(text_ + length, sizeof text_ - static_cast<size_t>(length), ".%d", alike);
    return text_;
  }

 private:
  const CublasLtApi &api_;
  const CublasLtOffer &offer_;
  CublasLtConfiguration seen_[CublasLtOffer::kMost];
  char text_[kCublasLtNameBytes];
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
