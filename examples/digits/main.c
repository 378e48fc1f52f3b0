/* digits: trains a perceptron on handwritten digits with gpuopt; README.md says what it shows. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "csv.h"
#include "dataset.h"
#include "network.h"
#include "options.h"
#include "random.h"
#include "support.h"
#include "warp.h"

enum { BATCH = 32, WARPS = 256, PROGRESS_LINES = 10 };
static const double first_rate = 0.1, momentum = 0.9;

static gpuopt_handle *open_device(int32_t device) {
  gpuopt_options options = GPUOPT_OPTIONS_INIT;
  gpuopt_device_facts facts = GPUOPT_DEVICE_FACTS_INIT;
  gpuopt_handle *h;
  options.device = device;
  must(gpuopt_create(&h, &options));
  must(gpuopt_set_profiling(h, 1));
  must(gpuopt_get_device(h, &facts));
  printf("%s on %s\n", gpuopt_build_info(), facts.name);
  return h;
}

/* One pass over the training images. They were shuffled once; minibatches are runs of BATCH of them that start at a
 * new offset in every epoch and come in a new order, so nothing has to be gathered or uploaded again. */
static void train_epoch(struct network *net, const struct dataset *train, gpuopt_matrix warps, double rate,
                        uint64_t *random) {
  const int64_t count = train->x.rows, batch = count < BATCH ? count : BATCH;
  const int64_t offsets = count - batch + 1 < batch ? count - batch + 1 : batch;
  const int64_t offset = random_below(random, offsets), batches = (count - offset) / batch;
  int64_t *order = malloc((size_t)batches * sizeof *order);
  if (!order) die("no memory for %" PRId64 " minibatches", batches);
  for (int64_t i = 0; i < batches; i++) order[i] = i;
  random_shuffle(random, order, batches);
  for (int64_t i = 0; i < batches; i++) {
    const int64_t first = offset + order[i] * batch;
    const gpuopt_matrix warp = rows_of(warps, DIGITS_PIXELS * random_below(random, WARPS), DIGITS_PIXELS);
    network_train(net, rows_of(train->x, first, batch), rows_of(train->y, first, batch), warp, rate, momentum);
  }
  free(order);
}

static double evaluate(struct network *net, const struct dataset *set, double *loss) {
  return 100.0 * (double)network_evaluate(net, set->x, set->y, set->labels, loss) / (double)set->x.rows;
}

/* Trains with a learning rate that falls linearly to 0; returns the accuracy in percent on the held-out images. */
static double train_network(struct network *net, const struct dataset *train, const struct dataset *held_out,
                            gpuopt_matrix warps, int64_t epochs, uint64_t *random) {
  double accuracy = 0;
  for (int64_t epoch = 1; epoch <= epochs; epoch++) {
    train_epoch(net, train, warps, first_rate * (double)(epochs - epoch + 1) / (double)epochs, random);
    if (epoch * PROGRESS_LINES / epochs > (epoch - 1) * PROGRESS_LINES / epochs) {
      double train_loss, held_out_loss;
      const double train_accuracy = evaluate(net, train, &train_loss);
      accuracy = evaluate(net, held_out, &held_out_loss);
      printf("epoch %3" PRId64 "  training loss %.4f accuracy %6.2f %%   held-out loss %.4f accuracy %6.2f %%\n", epoch,
             train_loss, train_accuracy, held_out_loss, accuracy);
      fflush(stdout);
    }
  }
  return accuracy;
}

static void print_kernels(gpuopt_handle *h) {
  size_t count;
  double total_ms = 0;
  must(gpuopt_counters(h, NULL, 0, &count));
  gpuopt_counter *counters = calloc(count, sizeof *counters);
  if (!counters) die("no memory for %zu counters", count);
  must(gpuopt_counters(h, counters, count, &count));
  for (size_t i = 0; i < count; i++) total_ms += counters[i].ms;
  printf("\n%-10s %-44s %8s %10s %12s %7s\n", "operation", "kernel", "calls", "ms", "us per call", "share");
  for (size_t i = 0; i < count; i++)
    printf("%-10s %-44s %8" PRId64 " %10.2f %12.2f %5.1f %%\n", gpuopt_op_name(counters[i].op), counters[i].kernel,
           counters[i].calls, counters[i].ms, 1000 * counters[i].ms / (double)counters[i].calls,
           total_ms > 0 ? 100 * counters[i].ms / total_ms : 0);
  printf("%-55s %8s %10.2f\n", "all kernels", "", total_ms);
  free(counters);
}

int main(int argc, char **argv) {
  const struct options options = options_parse(argc, argv);
  struct digits digits;
  struct dataset train, held_out;
  struct network net;
  char error[256];

  if (digits_csv_read(options.file, &digits, error, sizeof error) != 0) die("%s: %s", options.file, error);
  uint64_t random = (uint64_t)options.seed;
  gpuopt_handle *h = open_device(options.device);
  dataset_split(h, &digits, random_next(&random), &train, &held_out);
  network_create(&net, h, options.hidden, train.x.rows, random_next(&random));
  gpuopt_matrix warps = new_warps(h, WARPS, random_next(&random));
  printf("seed %" PRId64 ": %" PRId64 " images to train on, %" PRId64 " held out; %" PRId64 " hidden units, %" PRId64
         " parameters\n",
         options.seed, train.x.rows, held_out.x.rows, options.hidden, net.parameters.cols);

  const double accuracy = train_network(&net, &train, &held_out, warps, options.epochs, &random);
  print_kernels(h);
  printf("\nheld-out accuracy %.2f %%, required %.2f %%\n", accuracy, options.require);

  free_matrix(h, &warps);
  network_destroy(&net);
  dataset_free(h, &train);
  dataset_free(h, &held_out);
  digits_free(&digits);
  gpuopt_destroy(h);
  return accuracy >= options.require ? EXIT_SUCCESS : EXIT_INACCURATE;
}
