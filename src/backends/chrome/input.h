/*
 * The text of a file, plain or gzip (one member or several), a buffer at a time. Knows where it is:
 * line and column of the text as a reader of the unpacked file would count them.
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
    const char *p, *end; /* what is to be read next; chrome_input_more after the end */
    bool gzip;
    bool cut; /* gzip: the file ended before its stream did */
    int rc;   /* why there is no more: 0 the end, else what err says */
    /* Of input.c alone. */
    struct trace_stream stream;
    char *text, *own;      /* the buffer; memory of plain text */
    struct unpack *unpack; /* gzip only */
    bool ended;
    uint64_t before, lines, line_start; /* of the text before the buffer: bytes, line ends, ... */
    uint64_t taken, next_report;        /* of the file; of the text */
    struct trace *trace;
    const char *path;
    struct error *err;
};

/* path and err must outlive it. 0 or -errno with err. */
int chrome_input_open(struct chrome_input *in, const char *path, struct trace *t,
                      struct error *err);
/* The next piece into p..end; p was at the end. false: there is none, see rc and cut. */
bool chrome_input_more(struct chrome_input *in);
/* Of p; both count from 1, columns in bytes. */
void chrome_input_position(const struct chrome_input *in, uint64_t *line, uint64_t *column);
/* The first bytes of a file, unpacked where they are gzip; how many, at most size. */
size_t chrome_input_head(const unsigned char *head, size_t n, char *out, size_t size);
void chrome_input_close(struct chrome_input *in);

#endif
