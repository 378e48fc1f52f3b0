#include "network.h"

#include <math.h>
#include <stdlib.h>

#include "csv.h"
#include "random.h"

static gpuopt_matrix part_of(gpuopt_matrix m, int64_t *offset, int64_t rows, int64_t cols) {
  const gpuopt_matrix part = gpuopt_mat((float *)m.data + *offset, rows, cols, GPUOPT_F32);
  *offset += rows * cols;
  return part;
}

/* Weights uniform in +-sqrt(6 / inputs), which keeps the variance of a ReLU layer's signal (He); biases 0. */
static void initialise(gpuopt_handle *h, gpuopt_matrix parameters, gpuopt_matrix w1, gpuopt_matrix w2, uint64_t seed) {
  const int64_t n1 = w1.rows * w1.cols, n2 = w2.rows * w2.cols;
  const float bound1 = sqrtf(6.0f / (float)w1.rows), bound2 = sqrtf(6.0f / (float)w2.rows);
  const size_t bytes = (size_t)parameters.cols * sizeof(float);
  float *values = calloc((size_t)parameters.cols, sizeof(float));
  if (!values) die("no memory for %lld parameters", (long long)parameters.cols);
  for (int64_t i = 0; i < n1; i++) values[i] = bound1 * random_symmetric(&seed);
  for (int64_t i = n1; i < n1 + n2; i++) values[i] = bound2 * random_symmetric(&seed);
  must(gpuopt_copy(h, parameters.data, values, bytes));
  free(values);
}

void network_create(struct network *net, gpuopt_handle *h, int64_t hidden, int64_t most_images, uint64_t seed) {
  const int64_t biases = hidden + DIGITS_CLASSES;
  const int64_t parameters = DIGITS_PIXELS * hidden + hidden * DIGITS_CLASSES + biases;
  int64_t at = 0;

  net->h = h;
  net->parameters = new_matrix(h, 1, parameters, GPUOPT_F32, NULL);
  net->w1 = part_of(net->parameters, &at, DIGITS_PIXELS, hidden);
  net->w2 = part_of(net->parameters, &at, hidden, DIGITS_CLASSES);
  net->b1 = part_of(net->parameters, &at, 1, hidden);
  net->b2 = part_of(net->parameters, &at, 1, DIGITS_CLASSES);

  net->velocities = new_matrix(h, 1, parameters, GPUOPT_F32, NULL);
  at = 0;
  net->w1_velocity = part_of(net->velocities, &at, DIGITS_PIXELS, hidden);
  net->w2_velocity = part_of(net->velocities, &at, hidden, DIGITS_CLASSES);
  net->bias_velocity = part_of(net->velocities, &at, 1, biases);

  net->bias_gradient = new_matrix(h, 1, biases, GPUOPT_F32, NULL);
  at = 0;
  net->b1_gradient = part_of(net->bias_gradient, &at, 1, hidden);
  net->b2_gradient = part_of(net->bias_gradient, &at, 1, DIGITS_CLASSES);

  net->warped = new_matrix(h, most_images, DIGITS_PIXELS, GPUOPT_F32, NULL);
  net->hidden = new_matrix(h, most_images, hidden, GPUOPT_F32, NULL);
  net->hidden_gradient = new_matrix(h, most_images, hidden, GPUOPT_F32, NULL);
  net->logits = new_matrix(h, most_images, DIGITS_CLASSES, GPUOPT_F32, NULL);
  net->exponentials = new_matrix(h, most_images, DIGITS_CLASSES, GPUOPT_F32, NULL);
  net->logits_gradient = new_matrix(h, most_images, DIGITS_CLASSES, GPUOPT_F32, NULL);
  net->row_max = new_matrix(h, most_images, 1, GPUOPT_F32, NULL);
  net->row_sum = new_matrix(h, most_images, 1, GPUOPT_F32, NULL);
  net->row_scratch = new_matrix(h, most_images, 1, GPUOPT_F32, NULL);
  net->predicted = new_matrix(h, most_images, 1, GPUOPT_I64, NULL);
  net->totals = new_matrix(h, 1, 2, GPUOPT_F32, NULL);
  initialise(h, net->parameters, net->w1, net->w2, seed);
}

void network_destroy(struct network *net) {
  gpuopt_matrix *const owned[] = {&net->parameters,      &net->velocities,      &net->bias_gradient, &net->warped,
                                  &net->hidden,          &net->hidden_gradient, &net->logits,        &net->exponentials,
                                  &net->logits_gradient, &net->row_max,         &net->row_sum,       &net->row_scratch,
                                  &net->predicted,       &net->totals};
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) free_matrix(net->h, owned[i]);
}

/* out = stages(a * b), with out = stages(a * b + keep * out) when keep is not 0. */
static void multiply(gpuopt_handle *h, gpuopt_matrix a, gpuopt_matrix b, double keep, gpuopt_matrix out,
                     const gpuopt_stage *stages, int32_t count) {
  gpuopt_gemm_args args = GPUOPT_GEMM_ARGS_INIT;
  args.a = a;
  args.b = b;
  args.c = out;
  args.d = out;
  args.beta = keep;
  args.stages = stages;
  args.stage_count = count;
  must(gpuopt_gemm(h, &args));
}

/* hidden = relu(x W1 + b1); logits = hidden W2 + b2: bias and ReLU are epilogues of the products. */
static void forward(struct network *net, gpuopt_matrix x) {
  const gpuopt_matrix hidden = rows_of(net->hidden, 0, x.rows), logits = rows_of(net->logits, 0, x.rows);
  const gpuopt_stage first[] = {gpuopt_act_with(GPUOPT_STAGE_ADD, GPUOPT_PER_COL, net->b1),
                                gpuopt_act(GPUOPT_STAGE_RELU, 0, 0)};
  const gpuopt_stage second[] = {gpuopt_act_with(GPUOPT_STAGE_ADD, GPUOPT_PER_COL, net->b2)};
  multiply(net->h, x, net->w1, 0, hidden, first, 2);
  multiply(net->h, hidden, net->w2, 0, logits, second, 1);
}

/* exponentials = exp(logits - row_max), row_sum = their sums: softmax before the division. Subtracting the maximum
 * changes no quotient and keeps exp from overflowing. */
static void exponentiate(struct network *net, int64_t n) {
  const gpuopt_matrix logits = rows_of(net->logits, 0, n), exponentials = rows_of(net->exponentials, 0, n);
  const gpuopt_matrix row_max = rows_of(net->row_max, 0, n), row_sum = rows_of(net->row_sum, 0, n);
  const gpuopt_stage stages[] = {gpuopt_act_with(GPUOPT_STAGE_SUB, GPUOPT_PER_ROW, row_max),
                                 gpuopt_act(GPUOPT_STAGE_EXP, 0, 0)};
  reduce(net->h, GPUOPT_REDUCE_MAX, GPUOPT_EACH_ROW, logits, row_max);
  fused_act(net->h, logits, exponentials, stages, 2);
  reduce(net->h, GPUOPT_REDUCE_SUM, GPUOPT_EACH_ROW, exponentials, row_sum);
}

/* The gradient of the mean cross-entropy with respect to the logits: (softmax(logits) - y) / n. */
static void differentiate_loss(struct network *net, gpuopt_matrix y) {
  const int64_t n = y.rows;
  const gpuopt_matrix inverse_sum = rows_of(net->row_scratch, 0, n);
  const gpuopt_stage reciprocal = gpuopt_act(GPUOPT_STAGE_RECIPROCAL, 0, 0);
  const gpuopt_stage stages[] = {gpuopt_act_with(GPUOPT_STAGE_MUL, GPUOPT_PER_ROW, inverse_sum),
                                 with_matrix(GPUOPT_STAGE_SUB, 1, y), with_scalar(GPUOPT_STAGE_MUL, 1.0 / (double)n)};
  exponentiate(net, n);
  fused_act(net->h, rows_of(net->row_sum, 0, n), inverse_sum, &reciprocal, 1);
  fused_act(net->h, rows_of(net->exponentials, 0, n), rows_of(net->logits_gradient, 0, n), stages, 3);
}

/* velocities = momentum * velocities + gradient. For the weights gemm's beta does it as it forms the gradient. */
static void backward(struct network *net, gpuopt_matrix x, double momentum) {
  const gpuopt_matrix hidden = rows_of(net->hidden, 0, x.rows);
  const gpuopt_matrix logits_gradient = rows_of(net->logits_gradient, 0, x.rows);
  const gpuopt_matrix hidden_gradient = rows_of(net->hidden_gradient, 0, x.rows);
  /* RELU_GRAD asks for the sign of ReLU's input only, and its output is positive exactly where its input is. */
  const gpuopt_stage relu_grad = gpuopt_act_with(GPUOPT_STAGE_RELU_GRAD, 0, hidden);
  const gpuopt_stage accumulate[] = {with_scalar(GPUOPT_STAGE_MUL, momentum),
                                     with_matrix(GPUOPT_STAGE_ADD, 1, net->bias_gradient)};
  multiply(net->h, gpuopt_t(hidden), logits_gradient, momentum, net->w2_velocity, NULL, 0);
  multiply(net->h, logits_gradient, gpuopt_t(net->w2), 0, hidden_gradient, &relu_grad, 1);
  multiply(net->h, gpuopt_t(x), hidden_gradient, momentum, net->w1_velocity, NULL, 0);
  reduce(net->h, GPUOPT_REDUCE_SUM, GPUOPT_EACH_COL, hidden_gradient, net->b1_gradient);
  reduce(net->h, GPUOPT_REDUCE_SUM, GPUOPT_EACH_COL, logits_gradient, net->b2_gradient);
  fused_act(net->h, net->bias_velocity, net->bias_velocity, accumulate, 2);
}

void network_train(struct network *net, gpuopt_matrix x, gpuopt_matrix y, gpuopt_matrix warp, double rate,
                   double momentum) {
  const gpuopt_matrix warped = rows_of(net->warped, 0, x.rows);
  const gpuopt_stage step = with_matrix(GPUOPT_STAGE_ADD, -rate, net->velocities);
  multiply(net->h, x, warp, 0, warped, NULL, 0);
  forward(net, warped);
  differentiate_loss(net, y);
  backward(net, warped, momentum);
  fused_act(net->h, net->parameters, net->parameters, &step, 1);
}

/* The cross-entropy of one image is log(row_sum) + row_max - logit of its label. */
static double mean_loss(struct network *net, gpuopt_matrix y) {
  const int64_t n = y.rows;
  const gpuopt_matrix log_sums = rows_of(net->row_scratch, 0, n);
  const gpuopt_stage stages[] = {gpuopt_act(GPUOPT_STAGE_LOG, 0, 0),
                                 with_matrix(GPUOPT_STAGE_ADD, 1, rows_of(net->row_max, 0, n))};
  gpuopt_reduce_args dot = GPUOPT_REDUCE_ARGS_INIT;
  float totals[2];

  exponentiate(net, n);
  fused_act(net->h, rows_of(net->row_sum, 0, n), log_sums, stages, 2);
  reduce(net->h, GPUOPT_REDUCE_SUM, GPUOPT_ALL, log_sums, gpuopt_mat(net->totals.data, 1, 1, GPUOPT_F32));
  dot.reduce = GPUOPT_REDUCE_DOT;
  dot.axis = GPUOPT_ALL;
  dot.x = rows_of(net->logits, 0, n);
  dot.y = y;
  dot.out = gpuopt_mat((float *)net->totals.data + 1, 1, 1, GPUOPT_F32);
  must(gpuopt_reduce(net->h, &dot));
  download(net->h, totals, net->totals);
  return ((double)totals[0] - (double)totals[1]) / (double)n;
}

int64_t network_evaluate(struct network *net, gpuopt_matrix x, gpuopt_matrix y, const unsigned char *labels,
                         double *loss) {
  const gpuopt_matrix predicted = rows_of(net->predicted, 0, x.rows);
  int64_t right = 0, *classes = malloc((size_t)x.rows * sizeof *classes);
  if (!classes) die("no memory for %lld predictions", (long long)x.rows);
  forward(net, x);
  *loss = mean_loss(net, y);
  reduce(net->h, GPUOPT_REDUCE_ARGMAX, GPUOPT_EACH_ROW, rows_of(net->logits, 0, x.rows), predicted);
  download(net->h, classes, predicted);
  for (int64_t i = 0; i < x.rows; i++) right += classes[i] == labels[i];
  free(classes);
  return right;
}
