/*
 * Streams the rows of a CSV file: RFC 4180, with LF or CRLF; a UTF-8 byte order mark is ignored,
 * empty lines are skipped. A quote inside an unquoted field is a normal character. Files packed
 * with gzip are unpacked.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "engine/trace/trace_stream.h"
#include "engine/trace/unpack.h"

enum { CSV_FIELDS = 16384 /* a wide file of MI300X has 2718 */ };

struct csv {
    const char *path; /* borrowed */
    struct error *err;
    struct trace_stream stream;
    uint64_t read; /* bytes consumed so far */
    uint64_t line; /* line where the row begins, from 1 */
    char *text;    /* the row's fields, each NUL-terminated; valid until the next row */
    uint32_t *field;
    uint32_t nfields, fields_cap;
    /* used only by csv.c: */
    char *block, *own; /* data to read next, and memory for unpacked files */
    struct unpack *unpack;
    size_t at, have, used, cap;
    uint64_t lines;
};

struct trace;
/* Opens a file. Returns 0 or -errno with err. Call csv_close also after an error; c must not be
 * moved before. t: the trace whose pipe it may be; NULL is allowed. */
int csv_open(struct csv *c, const char *path, struct trace *t, struct error *err);
/* Reads rows from n bytes in memory, at most TRACE_STREAM_HEAD. */
void csv_open_bytes(struct csv *c, const unsigned char *bytes, size_t n);
/* Whether a file that begins so may be one: a text with a comma that is not JSON, or packed with
 * gzip. */
bool csv_is_possible(const unsigned char *head, size_t size);
int csv_next(struct csv *c); /* 1: a row; 0: no more rows; -errno */
void csv_close(struct csv *c);

static inline const char *csv_field(const struct csv *c, uint32_t i)
{
    return c->text + c->field[i];
}
/* Reports an invalid value at FILE:LINE: COLUMN (NULL: the whole row). Returns -EINVAL. */
int csv_refuse(struct csv *c, const char *column, const char *why_fmt, ...)
    __attribute__((format(printf, 3, 4)));
