/*
 * Reads the text of a file, plain or gzip (one or several members), a buffer at a time. Knows its
 * position as line and column of the unpacked text.
 */
#ifndef ROOFTOP_BACKENDS_CHROME_INPUT_H
#define ROOFTOP_BACKENDS_CHROME_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "engine/trace/trace.h"
#include "engine/trace/trace_stream.h"
#include "engine/trace/unpack.h"

struct chrome_input {
    const char *p, *end; /* the text to read next; at the end, call chrome_input_more */
    bool gzip;
    bool cut; /* gzip: the file ended before its stream */
    int rc;   /* why there is no more: 0: end of file, else see err */
    /* used only by input.c: */
    struct trace_stream stream;
    char *text, *own;      /* the buffer; memory for plain text */
    struct unpack *unpack; /* only for gzip */
    bool ended;
    /* bytes and lines before the buffer; start of the present line */
    uint64_t before, lines, line_start;
    /* bytes of the file; bytes of the text at the next progress report */
    uint64_t taken, next_report;
    struct trace *trace;
    const char *path;
    struct error *err;
};

/* Opens a file. path and err must outlive in. Returns 0 or -errno with err. */
int chrome_input_open(struct chrome_input *in, const char *path, struct trace *t,
                      struct error *err);
/* Reads the next piece into p..end; p must be at the end. False: there is none, see rc and cut. */
bool chrome_input_more(struct chrome_input *in);
/* The position of p. Both count from 1; columns count bytes. */
void chrome_input_position(const struct chrome_input *in, uint64_t *line, uint64_t *column);
/* Copies the first bytes of a file, unpacked if they are gzip. Returns how many, at most size. */
size_t chrome_input_head(const unsigned char *head, size_t n, char *out, size_t size);
void chrome_input_close(struct chrome_input *in);

#endif
