/*
 * Structures as rows of numbers and texts, written by what differs from an earlier one. A table
 * says where the fields stand; the same table writes and reads. New fields go to a table's end: an
 * older file lacks them, and they read as 0.
 */
#ifndef ROOFTOP_ENGINE_SESSION_FIELDS_H
#define ROOFTOP_ENGINE_SESSION_FIELDS_H

#include "engine/value/bytes.h"
#include "engine/live/snapshot.h"

enum field_type {
    FIELD_BYTE,   /* char, uint8_t */
    FIELD_BOOL,   /* bool; of a damaged file, whatever byte stands there, true or false */
    FIELD_INT,    /* int, pid_t, uid_t */
    FIELD_U64,    /* uint64_t, size_t */
    FIELD_DOUBLE, /* double */
    FIELD_TEXT,   /* const char *; extra: may be NULL */
    FIELD_CHARS,  /* char[extra], NUL-terminated */
    FIELD_VALUE,  /* struct value */
    FIELD_PERCPU, /* struct value *: ncpus of them, or NULL */
    FIELD_DEF,    /* const struct metric_def * */
};
struct field {
    uint8_t type;
    uint16_t offset, extra;
};
struct fields {
    const struct field *field;
    size_t n, size; /* of the structure */
};
#define FIELDS(table, type) ((struct fields){table, sizeof(table) / sizeof *(table), sizeof(type)})

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

/* Writes *now by what differs from *prev, or reads it into *now. */
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
