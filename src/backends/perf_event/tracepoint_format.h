/*
 * Where the fields of a tracepoint lie in its records. They change between versions of the kernel;
 * the file `format` of tracefs says it of this one.
 */
#ifndef ROOFTOP_BACKENDS_PERF_EVENT_TRACEPOINT_FORMAT_H
#define ROOFTOP_BACKENDS_PERF_EVENT_TRACEPOINT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tracepoint_field {
    uint16_t offset,
        size; /* in bytes, from the record's first one; size 0: there is no such field */
    bool is_signed;
};

enum { TRACEPOINT_FORMAT_BYTES = 16384 };
/* Reads the text of a format file into out, which ends with NUL. Returns its length or -errno. */
long tracepoint_format(const char *system, const char *event, char out[TRACEPOINT_FORMAT_BYTES]);
/* Finds a field of a number of 1, 2, 4 or 8 bytes in the text of a format file. */
bool tracepoint_field_find(const char *text, size_t n, const char *name,
                           struct tracepoint_field *out);
/* The number in a record of n bytes; 0 where the field is not there or not in the record. */
uint64_t tracepoint_field_of(const struct tracepoint_field *f, const void *record, size_t n);

#endif
