/* Runs a model by way of lz.h alone, in strict C11. */
#include "lezero/lz.h"

#include <stdio.h>
#include <string.h>

static int failed(const char *what) {
  fprintf(stderr, "%s: %s\n", what, lz_last_error());
  return 1;
}

int main(int argc, char **argv) {
  static const float bias[] = {1, 2, 3, 4, 5, 6};
  float data[24];
  int64_t shape[] = {4, 6};
  lz_tensor x = {0}, y = {0};
  lz_model *model;
  lz_context *context;
  for (int i = 0; i != 24; ++i)
    data[i] = (float)i;
  x.size = sizeof x, y.size = sizeof y;
  x.data = data, x.element_type = LZ_F32, x.rank = 2, x.shape = shape;
  if (argc != 2 || lz_abi() != LZ_ABI)
    return failed("usage: CFaceTest model.so");
  if (lz_open(argv[1], NULL, &model))
    return failed("open");
  if (lz_create_context(model, NULL, &context))
    return failed("context");
  lz_close(model); /* the context holds it */
  if (lz_bind_input(context, "wrong", &x) != LZ_BAD_ARGUMENT ||
      !strstr(lz_context_error(context), "wrong"))
    return failed("a wrong name must be refused");
  if (lz_bind_input(context, "x", &x) || lz_run(context) ||
      lz_get_output(context, "y", &y))
    return failed("run");
  for (int i = 0; i != 24; ++i)
    if (((float *)y.data)[i] != 2 * data[i] + bias[i % 6])
      return failed("wrong result");
  lz_destroy_context(context);
  return 0;
}
