/* A two-layer perceptron, 64 -> hidden -> 10: ReLU between the layers, softmax and cross-entropy at the end. */
#ifndef DIGITS_NETWORK_H
#define DIGITS_NETWORK_H

#include "support.h"

struct network {
  gpuopt_handle *h;
  /* All parameters lie in one buffer, and their velocities (decaying sums of gradients) in another of the same
   * order, so that one call updates them all. The others are views into these two. */
  gpuopt_matrix parameters, velocities;                  /* 1 x how many */
  gpuopt_matrix w1, w2, b1, b2;                          /* 64 x hidden, hidden x 10, 1 x hidden, 1 x 10 */
  gpuopt_matrix w1_velocity, w2_velocity, bias_velocity; /* the last one: b1's, then b2's */
  gpuopt_matrix b1_gradient, b2_gradient, bias_gradient; /* likewise */
  gpuopt_matrix warped;                                  /* images x 64 */
  gpuopt_matrix hidden, hidden_gradient;                 /* images x hidden */
  gpuopt_matrix logits, exponentials, logits_gradient;   /* images x 10 */
  gpuopt_matrix row_max, row_sum, row_scratch;           /* images x 1 */
  gpuopt_matrix predicted;                               /* images x 1, i64 */
  gpuopt_matrix totals;                                  /* 1 x 2: the two sums of the loss */
};

/* most_images: the most rows of x that a call below will be given. */
void network_create(struct network *net, gpuopt_handle *h, int64_t hidden, int64_t most_images, uint64_t seed);
void network_destroy(struct network *net);

/* One step of stochastic gradient descent with momentum on images x (n x 64) with labels y (n x 10, one-hot).
 * The images are distorted by warp (64 x 64) first. */
void network_train(struct network *net, gpuopt_matrix x, gpuopt_matrix y, gpuopt_matrix warp, double rate,
                   double momentum);

/* Returns how many of the n images are classified as their label says; *loss is the mean cross-entropy. */
int64_t network_evaluate(struct network *net, gpuopt_matrix x, gpuopt_matrix y, const unsigned char *labels,
                         double *loss);

#endif
