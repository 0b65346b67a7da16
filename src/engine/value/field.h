/* A table of a structure's members (type and offset), for code that goes through all of them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum field_type {
    FIELD_BYTE,   /* char, uint8_t */
    FIELD_BOOL,   /* bool; a damaged file may hold any byte, which reads as true or false */
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
