#include "common/cublas/cublas_call.h"

#include <locale.h>

#include <cstdarg>
#include <cstdio>

namespace gpuopt {

gpuopt_status cublas_fail(const gpuopt_launch &launch, gpuopt_status status, const char *format, ...) {
  if (launch.error != nullptr && launch.error_bytes > 0) {
    static const locale_t c = newlocale(LC_ALL_MASK, "C", nullptr);  // 0.5 is 0.5 in every application
    const locale_t before = uselocale(c);
    va_list values;
    va_start(values, format);
    std::vsnprintf(launch.error, launch.error_bytes, format, values);
    va_end(values);
    uselocale(before);
  }
  return status;
}

}  // namespace gpuopt
