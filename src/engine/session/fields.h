/*
 * Writes structures as their differences from an earlier one, and reads them. One table of fields
 * serves both. New fields go to a table's end; older files lack them, and they read as 0.
 */
#ifndef ROOFTOP_ENGINE_SESSION_FIELDS_H
#define ROOFTOP_ENGINE_SESSION_FIELDS_H

#include "engine/live/snapshot.h"
#include "engine/value/bytes.h"
#include "engine/value/field.h"

/* Writing sets `out`. Reading sets `in`; rows that are read are allocated in s, texts in the
 * dictionary. */
struct coder {
    struct bytes *out;
    struct byte_reader *in;
    struct dictionary *text, *defs;
    const struct metric_def **def; /* reading: the definitions, by their number in the dictionary */
    size_t ndef;
    struct arena *keep; /* reading: holds the definitions; lives as long as the dictionary */
    struct snapshot *s;
    size_t ncpus;
};

/* Writes the difference of *now from *prev, or reads it into *now. */
void fields_code(struct coder *c, struct fields f, void *now, const void *prev);
/* Copies only the fields that the table lists. */
void fields_copy(struct fields f, void *to, const void *from);
bool fields_same(struct coder *c, struct fields f, const void *now, const void *prev);

/*
 * Writes or reads an array. ordered: rows begin with an int that grows, and rows with the same
 * number are compared; otherwise row i is compared with row i. Reading returns the rows, allocated
 * in c->s.
 */
void fields_write_rows(struct coder *c, struct fields f, bool ordered, const void *now, size_t n,
                       const void *prev, size_t nprev);
void *fields_read_rows(struct coder *c, struct fields f, bool ordered, size_t *n, const void *prev,
                       size_t nprev);

#endif
