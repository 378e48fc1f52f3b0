#include "csv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES = DIGITS_PIXELS + 1, QUOTED = 20 };

struct message {
  char *text;
  size_t bytes;
};

struct span {
  const char *begin, *end;
};

static int is_blank(char c) { return c == ' ' || c == '\t'; }

static struct span trimmed(struct span s) {
  while (s.begin < s.end && is_blank(*s.begin)) s.begin++;
  while (s.begin < s.end && is_blank(s.end[-1])) s.end--;
  return s;
}

/* The text of a value for a message: short, and with no byte that could upset a terminal. */
static void quote(struct span s, char quoted[4 * QUOTED + 4]) {
  char *q = quoted;
  for (int i = 0; i < QUOTED && s.begin < s.end; i++, s.begin++) {
    const unsigned char c = (unsigned char)*s.begin;
    q += sprintf(q, c >= ' ' && c < 127 ? "%c" : "\\x%02x", c);
  }
  strcpy(q, s.begin < s.end ? "..." : "");
}

/* The value of a run of decimal digits, -1 for anything else. It stops growing at 1000, out of every range. */
static int number(struct span s) {
  int value = 0;
  if (s.begin == s.end) return -1;
  for (; s.begin < s.end; s.begin++) {
    if (*s.begin < '0' || *s.begin > '9') return -1;
    if (value < 1000) value = 10 * value + (*s.begin - '0');
  }
  return value;
}

static int parse_value(struct span s, size_t line, int column, unsigned char *value, struct message error) {
  const int is_label = column == DIGITS_PIXELS;
  const int largest = is_label ? DIGITS_CLASSES - 1 : DIGITS_PIXEL_MAX;
  const int parsed = number(s);
  char quoted[4 * QUOTED + 4];
  if (parsed >= 0 && parsed <= largest) {
    *value = (unsigned char)parsed;
    return 0;
  }
  quote(s, quoted);
  snprintf(error.text, error.bytes, "line %zu: value %d%s is \"%s\", needs a whole number 0 to %d", line, column + 1,
           is_label ? ", the label," : "", quoted, largest);
  return -1;
}

static int parse_line(struct span s, size_t line, unsigned char *pixels, unsigned char *label, struct message error) {
  size_t values = 1;
  for (const char *c = s.begin; c < s.end; c++) values += *c == ',';
  if (trimmed(s).begin == trimmed(s).end) values = 0;
  if (values != VALUES) {
    snprintf(error.text, error.bytes, "line %zu: %zu value%s, needs %d", line, values, values == 1 ? "" : "s", VALUES);
    return -1;
  }
  for (int column = 0; column < VALUES; column++) {
    const char *comma = memchr(s.begin, ',', (size_t)(s.end - s.begin));
    const struct span value = {s.begin, comma ? comma : s.end};
    if (parse_value(trimmed(value), line, column, column < DIGITS_PIXELS ? pixels + column : label, error) != 0)
      return -1;
    s.begin = comma ? comma + 1 : s.end;
  }
  return 0;
}

int digits_csv_parse(const char *text, size_t size, struct digits *out, char *error, size_t error_bytes) {
  const struct message message = {error, error_bytes};
  size_t lines = 1;

  memset(out, 0, sizeof *out);
  while (size > 0 && (text[size - 1] == '\n' || text[size - 1] == '\r')) size--;
  if (size == 0) {
    snprintf(error, error_bytes, "the file is empty");
    return -1;
  }
  for (size_t i = 0; i < size; i++) lines += text[i] == '\n';
  /* A well-formed line has 129 characters and a newline or more, so no later line than this one is the first malformed
   * one, where reading ends: a file of bare newlines must not make us allocate 65 times its size. */
  const size_t fitting = (size + 1) / (2 * VALUES) + 1;
  const size_t capacity = lines < fitting ? lines : fitting;
  out->pixels = malloc(capacity * DIGITS_PIXELS);
  out->labels = malloc(capacity);
  if (!out->pixels || !out->labels) {
    snprintf(error, error_bytes, "no memory for %zu images", capacity);
    digits_free(out);
    return -1;
  }
  const char *const end = text + size;
  for (size_t line = 0; line < lines; line++) {
    const char *newline = memchr(text, '\n', (size_t)(end - text));
    struct span s = {text, newline ? newline : end};
    if (s.begin < s.end && s.end[-1] == '\r') s.end--;
    if (parse_line(s, line + 1, out->pixels + line * DIGITS_PIXELS, out->labels + line, message) != 0) {
      digits_free(out);
      return -1;
    }
    text = newline ? newline + 1 : end;
  }
  if (lines < DIGITS_MIN_IMAGES) {
    snprintf(error, error_bytes, "%zu line%s, needs at least %d", lines, lines == 1 ? "" : "s", DIGITS_MIN_IMAGES);
    digits_free(out);
    return -1;
  }
  out->count = lines;
  return 0;
}

int digits_csv_read(const char *path, struct digits *out, char *error, size_t error_bytes) {
  size_t size = 0, capacity = 1 << 16;
  char *text = NULL;
  int result = -1;

  memset(out, 0, sizeof *out);
  FILE *file = fopen(path, "rb");
  if (!file) {
    snprintf(error, error_bytes, "cannot be opened: %s", strerror(errno));
    return -1;
  }
  for (;;) {
    char *grown = realloc(text, capacity);
    if (!grown) {
      snprintf(error, error_bytes, "no memory to read %zu bytes", capacity);
      break;
    }
    text = grown;
    size += fread(text + size, 1, capacity - size, file);
    if (ferror(file)) {
      snprintf(error, error_bytes, "cannot be read: %s", strerror(errno));
      break;
    }
    if (size < capacity) {
      result = digits_csv_parse(text, size, out, error, error_bytes);
      break;
    }
    capacity *= 2;
  }
  free(text);
  fclose(file);
  return result;
}

void digits_free(struct digits *digits) {
  free(digits->pixels);
  free(digits->labels);
  memset(digits, 0, sizeof *digits);
}
