/*
 * Where a headless run writes: stdout or a file, with every failure noticed.
 */
#ifndef ROOFTOP_CLI_RUN_OUTPUT_H
#define ROOFTOP_CLI_RUN_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"

struct output {
    int fd;
    bool owned;      /* fd is ours to close */
    bool fresh;      /* nothing was in the file before us */
    char path[4096]; /* of the file, "" for stdout */
    char temp[4108]; /* written first and renamed to path at the end; "" = written directly */
};

/*
 * path NULL: fd (normally 1). A stream is appended to path; a document goes to a file beside it
 * that takes its place in output_close, so that a reader never sees half of one. ERROR_OUTPUT.
 */
int output_open(struct output *out, const char *path, int fd, bool stream, struct error *err);
/* Writes all of it, or fails with ERROR_OUTPUT. */
int output_write(struct output *out, const char *data, size_t len, struct error *err);
/* keep false (a failed run): a document that was not completed is removed. */
int output_close(struct output *out, bool keep, struct error *err);
/* stdout for us alone: what libraries print goes to stderr from now on. The descriptor, or -1. */
int output_own_stdout(void);
/* A whole document that make writes; path as below. */
int output_made(const char *path, void (*make)(FILE *out, const void *what), const void *what,
                struct error *err);
/* A whole document at once. path NULL: stdout. */
int output_file(const char *path, const char *data, size_t len, struct error *err);

#endif
