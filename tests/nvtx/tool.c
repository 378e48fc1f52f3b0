/* A tool that NVTX loads: writes what is named to the file that NVTX_TEST_FILE names, a line a call. */
#include <stdio.h>
#include <stdlib.h>

#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>

static void tell(const char *what, const char *text) {
  FILE *const file = fopen(getenv("NVTX_TEST_FILE"), "a");
  if (!file) return;
  fprintf(file, "%s %s\n", what, text);
  fclose(file);
}

static nvtxDomainHandle_t NVTX_API create(const char *name) {
  static char domain;
  tell("domain", name);
  return (nvtxDomainHandle_t)&domain;
}
static int NVTX_API push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *range) {
  (void)domain;
  tell("push", range->message.ascii);
  return 0;
}
static int NVTX_API pop(nvtxDomainHandle_t domain) {
  (void)domain;
  tell("pop", "");
  return 0;
}

int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_table);
int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_table) {
  const NvtxExportTableCallbacks *const callbacks = (const NvtxExportTableCallbacks *)get_table(NVTX_ETID_CALLBACKS);
  NvtxFunctionTable table = NULL;
  unsigned int size = 0;
  if (!callbacks || !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size)) return 0;
  *table[NVTX_CBID_CORE2_DomainCreateA] = (NvtxFunctionPointer)create;
  *table[NVTX_CBID_CORE2_DomainRangePushEx] = (NvtxFunctionPointer)push;
  *table[NVTX_CBID_CORE2_DomainRangePop] = (NvtxFunctionPointer)pop;
  return 1;
}
