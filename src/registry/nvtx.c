#include "nvtx.h"

#include <stddef.h>

#ifdef GPUOPT_HAVE_NVTX
/* The header shares its state with other users of it by weak symbols, which an archive must not bring: here they are this file's
   own. Its inclusion of the file that defines these words is a no-op by that file's guard. */
#define __NVTX_LINKONCE_H__
#define NVTX_LINKONCE_WEAK
#define NVTX_LINKONCE_HIDDEN
#define NVTX_LINKONCE_DEFINE_GLOBAL static
#define NVTX_LINKONCE_DEFINE_FUNCTION static
#define NVTX_LINKONCE_FWDDECL_GLOBAL static
#define NVTX_LINKONCE_FWDDECL_FUNCTION static
/* A tool that is linked into the program would define this one: ranges go to tools that are loaded. */
#define InitializeInjectionNvtx2_fnptr gpuopt_nvtx_linked_tool
#include <nvtx3/nvToolsExt.h>

int gpuopt_nvtx_is_built(void) { return 1; }

void *gpuopt_nvtx_domain(void) { return nvtxDomainCreateA("gpuopt"); }

void gpuopt_nvtx_push(void *domain, const char *text) {
  nvtxEventAttributes_t range = {0};
  range.version = NVTX_VERSION;
  range.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  range.messageType = NVTX_MESSAGE_TYPE_ASCII;
  range.message.ascii = text;
  nvtxDomainRangePushEx((nvtxDomainHandle_t)domain, &range);
}

void gpuopt_nvtx_pop(void *domain) { nvtxDomainRangePop((nvtxDomainHandle_t)domain); }
#else
int gpuopt_nvtx_is_built(void) { return 0; }

void *gpuopt_nvtx_domain(void) { return NULL; }

void gpuopt_nvtx_push(void *domain, const char *text) {
  (void)domain;
  (void)text;
}

void gpuopt_nvtx_pop(void *domain) { (void)domain; }
#endif
