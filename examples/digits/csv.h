/* The reader of digit images: lines of 64 pixel counts 0..16 and a label 0..9, separated by commas. */
#ifndef DIGITS_CSV_H
#define DIGITS_CSV_H

#include <stddef.h>

enum {
  DIGITS_PIXELS = 64,    /* 8 x 8, row by row */
  DIGITS_PIXEL_MAX = 16, /* dark points in a 4 x 4 block of the scan */
  DIGITS_CLASSES = 10,
  DIGITS_MIN_IMAGES = 20 /* fewer cannot be split into images to train on and images to hold out */
};

struct digits {
  size_t count;
  unsigned char *pixels; /* count x DIGITS_PIXELS, row by row */
  unsigned char *labels; /* count */
};

/* Reads text, which need not end in a newline or a NUL. Lines may end in CR LF; blanks around a value and empty lines
 * at the very end are fine. Returns 0 and fills out, to be freed with digits_free(); or returns -1, leaves out empty,
 * and writes what is wrong, by line number, to error. */
int digits_csv_parse(const char *text, size_t size, struct digits *out, char *error, size_t error_bytes);

/* The same for a file. */
int digits_csv_read(const char *path, struct digits *out, char *error, size_t error_bytes);

void digits_free(struct digits *digits);

#endif
