/* A library that is no model. Nothing of it may run: it ends the process. */
#include <stdlib.h>

__attribute__((constructor)) static void endProcess(void) { _Exit(77); }

int answer(void) { return 42; }
