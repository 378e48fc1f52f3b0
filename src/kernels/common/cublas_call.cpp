#include "common/cublas_call.h"

#include <cstdarg>
#include <cstdio>

namespace gpuopt {

gpuopt_status cublas_fail(const gpuopt_launch &launch, gpuopt_status status, const char *format, ...) {
  if (launch.error != nullptr && launch.error_bytes > 0) {
    va_list values;
    va_start(values, format);
    std::vsnprintf(launch.error, launch.error_bytes, format, values);
    va_end(values);
  }
  return status;
}

}  // namespace gpuopt
