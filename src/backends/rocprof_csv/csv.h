/*
 * Rows of a CSV file, streamed: RFC 4180, with LF as well as CRLF, a UTF-8 byte order mark
 * ignored, empty lines skipped. A quote that opens inside of a field is a character like others.
 * Files that gzip has packed are read as what is in them.
 */
#ifndef ROOFTOP_BACKENDS_ROCPROF_CSV_CSV_H
#define ROOFTOP_BACKENDS_ROCPROF_CSV_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "engine/trace/trace_stream.h"
#include "engine/trace/unpack.h"

enum { CSV_FIELDS = 16384 /* a wide file of MI300X has 2718 */ };

struct csv {
    const char *path; /* the caller's */
    struct error *err;
    struct trace_stream stream;
    uint64_t read; /* bytes taken so far */
    uint64_t line; /* where the row begins, from 1 */
    char *text;    /* the row's fields, a NUL after each; until the next row */
    uint32_t *field;
    uint32_t nfields, fields_cap;
    /* what csv.c alone touches */
    char *block, *own; /* what is read next, and memory for what is not packed */
    struct unpack *unpack;
    size_t at, have, used, cap;
    uint64_t lines;
};

struct trace;
/* 0 or -errno with err. Close it after either outcome; it stays where it is meanwhile. t: whose
 * pipe it may be; NULL. */
int csv_open(struct csv *c, const char *path, struct trace *t, struct error *err);
/* Reads rows from n bytes in memory, at most TRACE_STREAM_HEAD. */
void csv_open_bytes(struct csv *c, const unsigned char *bytes, size_t n);
int csv_next(struct csv *c); /* 1: a row; 0: no more; -errno */
void csv_close(struct csv *c);

static inline const char *csv_field(const struct csv *c, uint32_t i)
{
    return c->text + c->field[i];
}
/* A refusal of the row, at FILE:LINE: COLUMN (NULL: of the whole row). Returns -EINVAL. */
int csv_refuse(struct csv *c, const char *column, const char *why_fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
