/* A shared object that embeds the archive and exports <LINK_NAME>_use and <LINK_NAME>_list. */
#include "use.h"

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)
#define EXPORTED __attribute__((visibility("default")))

EXPORTED int PASTE(LINK_NAME, _use)(const char *expected);
EXPORTED void PASTE(LINK_NAME, _list)(void);

int PASTE(LINK_NAME, _use)(const char *expected) { return use_gpuopt(expected, NULL); }
void PASTE(LINK_NAME, _list)(void) { use_list(); }
