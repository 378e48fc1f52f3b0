#include "dataset.h"

#include <stdlib.h>
#include <string.h>

#include "random.h"

static void upload(gpuopt_handle *h, const struct digits *digits, const int64_t *order, int64_t count,
                   struct dataset *set) {
  unsigned char *pixels = malloc((size_t)count * DIGITS_PIXELS);
  float *one_hot = calloc((size_t)count * DIGITS_CLASSES, sizeof(float));
  set->labels = malloc((size_t)count);
  if (!pixels || !one_hot || !set->labels) die("no memory for %lld images", (long long)count);
  for (int64_t i = 0; i < count; i++) {
    memcpy(pixels + i * DIGITS_PIXELS, digits->pixels + order[i] * DIGITS_PIXELS, DIGITS_PIXELS);
    set->labels[i] = digits->labels[order[i]];
    one_hot[i * DIGITS_CLASSES + set->labels[i]] = 1;
  }
  /* The bytes travel; the multiplication by 1/16 turns them into floats where they are needed. */
  gpuopt_matrix bytes = new_matrix(h, count, DIGITS_PIXELS, GPUOPT_U8, pixels);
  const gpuopt_stage scale = with_scalar(GPUOPT_STAGE_MUL, 1.0 / DIGITS_PIXEL_MAX);
  set->x = new_matrix(h, count, DIGITS_PIXELS, GPUOPT_F32, NULL);
  fused_act(h, bytes, set->x, &scale, 1);
  set->y = new_matrix(h, count, DIGITS_CLASSES, GPUOPT_F32, one_hot);
  free_matrix(h, &bytes);
  free(pixels);
  free(one_hot);
}

void dataset_split(gpuopt_handle *h, const struct digits *digits, uint64_t seed, struct dataset *train,
                   struct dataset *held_out) {
  const int64_t count = (int64_t)digits->count, kept = (count + 4) / 5;
  int64_t *order = malloc((size_t)count * sizeof *order);
  if (!order) die("no memory for %lld images", (long long)count);
  for (int64_t i = 0; i < count; i++) order[i] = i;
  random_shuffle(&seed, order, count);
  upload(h, digits, order, kept, held_out);
  upload(h, digits, order + kept, count - kept, train);
  free(order);
}

void dataset_free(gpuopt_handle *h, struct dataset *set) {
  free_matrix(h, &set->x);
  free_matrix(h, &set->y);
  free(set->labels);
}
