/* Loads two shared objects that each embed the archive, and uses both, in turn and in both scopes of symbols.
 *   load_two <expected> <local|global> <first.so> <second.so> */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

typedef int (*use_fn)(const char *);

static void *symbol(void *library, const char *name) {
  void *address = dlsym(library, name);
  if (!address) fprintf(stderr, "load_two: %s\n", dlerror());
  return address;
}

int main(int argc, char **argv) {
  use_fn first_use, second_use;
  void (*list)(void);
  void *first, *second, *p;
  int mode, round;
  if (argc != 5) return 2;
  mode = RTLD_NOW | (strcmp(argv[2], "global") == 0 ? RTLD_GLOBAL : RTLD_LOCAL);
  first = dlopen(argv[3], mode);
  second = first ? dlopen(argv[4], mode) : NULL;
  if (!first || !second) {
    fprintf(stderr, "load_two: %s\n", dlerror());
    return 1;
  }
  /* An object pointer becomes a function pointer by its bytes: ISO C has no cast for it. */
  if (!(p = symbol(first, "first_use"))) return 1;
  memcpy(&first_use, &p, sizeof p);
  if (!(p = symbol(second, "second_use"))) return 1;
  memcpy(&second_use, &p, sizeof p);
  if (!(p = symbol(first, "first_list"))) return 1;
  memcpy(&list, &p, sizeof p);
  list();
  for (round = 0; round < 2; ++round)
    if (first_use(argv[1]) != 0 || second_use(argv[1]) != 0) return 1;
  return 0;
}
