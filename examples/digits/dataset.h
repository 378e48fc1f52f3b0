/* Images and labels in the handle's memory, shuffled and split. */
#ifndef DIGITS_DATASET_H
#define DIGITS_DATASET_H

#include "csv.h"
#include "support.h"

struct dataset {
  gpuopt_matrix x;       /* images x 64, f32, 0 to 1 */
  gpuopt_matrix y;       /* images x 10, f32: 1 in the column of the label, else 0 */
  unsigned char *labels; /* on the host */
};

/* Shuffles the images by the seed, holds out a fifth of them (rounded up), and uploads both parts. */
void dataset_split(gpuopt_handle *h, const struct digits *digits, uint64_t seed, struct dataset *train,
                   struct dataset *held_out);
void dataset_free(gpuopt_handle *h, struct dataset *set);

#endif
