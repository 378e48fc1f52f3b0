// Whether cuBLASLt can be loaded, asked once per handle. The answer comes from
// src/kernels/common/cublas_loader, which only CUDA builds have; others say no.
#pragma once

namespace gpuopt {
int cublaslt_available();
}
