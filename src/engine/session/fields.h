/*
 * Writes structures as their differences from an earlier one, and reads them. One table of fields
 * serves both. New fields go to a table's end; older files lack them, and they read as 0.
 */
#ifndef ROOFTOP_ENGINE_SESSION_FIELDS_H
#define ROOFTOP_ENGINE_SESSION_FIELDS_H

#include "engine/value/bytes.h"
#include "engine/value/field.h"
#include "engine/live/snapshot.h"

/* Writing: out is set. Reading: in is set; what is read is allocated in s, texts in the dictionary.
 */
struct coder {
    struct bytes *out;
    struct byte_reader *in;
    struct dictionary *text, *defs;
    const struct metric_def **def; /* reading: those of the dictionary's numbers */
    size_t ndef;
    struct arena *keep; /* reading: for defs, as long as the dictionary */
    struct snapshot *s;
    size_t ncpus;
};

/* Writes the difference of *now from *prev, or reads it into *now. */
void fields_code(struct coder *c, struct fields f, void *now, const void *prev);
/* Copies the table's fields only. */
void fields_copy(struct fields f, void *to, const void *from);
bool fields_same(struct coder *c, struct fields f, const void *now, const void *prev);

/*
 * An array. ordered: rows have an int at offset 0 that grows, by which they are matched with those
 * before; else row i is matched with row i. Returns the rows read (allocated in c->s).
 */
void fields_write_rows(struct coder *c, struct fields f, bool ordered, const void *now, size_t n,
                       const void *prev, size_t nprev);
void *fields_read_rows(struct coder *c, struct fields f, bool ordered, size_t *n, const void *prev,
                       size_t nprev);

#endif
