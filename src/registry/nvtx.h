/* Ranges of NVTX around launches, which Nsight Systems and Nsight Compute show (GPUOPT_NVTX). NVTX is a header that looks for a
   tool in NVTX_INJECTION64_PATH when it is first called; nothing of it is touched before a handle asks for ranges. */
#pragma once
#ifdef __cplusplus
extern "C" {
#endif

/* Is NVTX in this build? It comes with the CUDA toolkit. */
int gpuopt_nvtx_is_built(void);
/* The domain "gpuopt"; NULL: no tool listens, and there is nothing to name. */
void *gpuopt_nvtx_domain(void);
void gpuopt_nvtx_push(void *domain, const char *text);
void gpuopt_nvtx_pop(void *domain);

#ifdef __cplusplus
}
#endif
