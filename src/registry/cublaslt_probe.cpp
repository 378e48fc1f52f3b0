#include "cublaslt_probe.h"

namespace gpuopt {

#if defined(GPUOPT_HAVE_CUBLASLT)
int cublaslt_probe(char *where, unsigned long bytes);
int cublaslt_available() { return cublaslt_probe(nullptr, 0); }
#else
int cublaslt_available() { return 0; }
#endif

}  // namespace gpuopt
