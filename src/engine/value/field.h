/*
 * Describes a record once: a row for each member of a structure. Frames of a session, documents
 * (record.h) and their schema follow from it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum field_type {
    FIELD_BYTE,   /* char, uint8_t */
    FIELD_BOOL,   /* bool; a damaged file may hold any byte, which reads as true or false */
    FIELD_INT,    /* int, pid_t */
    FIELD_U32,    /* uint32_t, uid_t */
    FIELD_U64,    /* uint64_t, size_t */
    FIELD_DOUBLE, /* double */
    FIELD_TEXT,   /* const char * */
    FIELD_MAYBE,  /* const char *; NULL: there is none */
    FIELD_CHARS,  /* char[], NUL-terminated */
    FIELD_VALUE,  /* struct value */
    FIELD_PERCPU, /* struct value *: ncpus of them, or NULL */
    FIELD_DEF,    /* const struct metric_def * */
};
enum document_type { /* what frames do not keep */
                     FIELD_U16 = FIELD_DEF + 1,
                     FIELD_STRUCT, /* a structure that `record` describes */
                     FIELD_TO,     /* a pointer to one; NULL: null */
                     FIELD_ROWS,  /* a pointer to some; the number at `count`, of `size` bytes, says
                                     how many */
                     FIELD_ARRAY, /* the same, but in the structure itself */
                     FIELD_NUMBERS, /* an array of numbers, of ADDED */
};

/* What a member is in documents. */
enum member_form {
    MEMBER_PLAIN,   /* as its type tells: a number, a text, true or false, an object of a value */
    MEMBER_KNOWN,   /* the same; null where the text is "", the number `none` or less, or all bits
                       of an unsigned one are set */
    MEMBER_COUNT,   /* a number from 0 on; what is less is 0 */
    MEMBER_BOOL,    /* true, false */
    MEMBER_LETTER,  /* a byte, as a text of one letter; null if it is 0 */
    MEMBER_WORD,    /* one of `words` */
    MEMBER_VALUE,   /* a number, as the object of a value in `unit`; if it is `none`, missing: `why`
                     */
    MEMBER_SECONDS, /* ns, as the object of a value in seconds */
    MEMBER_HASH,    /* a number as a text of 16 hexadecimal digits */
    MEMBER_HEX,     /* a number as a text, "0x1f" */
    MEMBER_UTC,     /* ns since the epoch, as "2026-11-20T22:42:29.123456789Z" */
    MEMBER_LIST,    /* some doubles (null where one is not finite) or structures, as an array */
    MEMBER_FIXED,   /* the text `why` */
    MEMBER_PART,    /* the members of a structure, without an object around them */
};

struct cJSON;
struct field {
    uint8_t type, form;
    uint16_t offset, size;
    uint8_t unit; /* enum unit */
    uint8_t json; /* its place among the members of JSON; 0: where its row stands, from 1 on */
    int16_t none;
    uint16_t count;
    bool left_out;    /* where it would be null it is not there */
    const char *name; /* "total"; "load.1" is member 1 of object load; NULL: not in documents */
    const char *why;
    union {
        const char *const *words;    /* of MEMBER_WORD; NULL-terminated */
        const struct fields *record; /* of other members; NULL: it is no structure */
    };
    void (*add)(struct cJSON *to, const char *name, const void *row); /* of ADDED */
};
struct fields {
    const struct field *field;
    size_t n, size; /* of the structure */
};

/* A row: MEMBER(INT, struct cpu, core, "core", .form = MEMBER_KNOWN, .none = -1). */
#define MEMBER(kind, of, member, ...)                                                              \
    {                                                                                              \
        .type = FIELD_##kind, .offset = offsetof(of, member), .size = sizeof(((of *)0)->member),   \
        .name = __VA_ARGS__                                                                        \
    }
/* A row of what frames keep and documents do not have. */
#define KEPT(kind, of, member) MEMBER(kind, of, member, NULL)
/* A row of structures: ROWS_OF(ROWS, struct cpu, caches, ncaches, "caches", &cache_record). */
#define ROWS_OF(kind, of, member, n, name_, record_)                                               \
    {                                                                                              \
        .type = FIELD_##kind, .offset = offsetof(of, member), .count = offsetof(of, n),            \
        .size = sizeof(((of *)0)->n), .name = (name_), .record = (record_)                         \
    }
/* A row of what documents have and a function works out; the kind is for their schema. */
#define ADDED(kind, function, ...)                                                                 \
    {                                                                                              \
        .type = FIELD_##kind, .add = function, .name = __VA_ARGS__                                 \
    }
#define RECORD(table, of)                                                                          \
    {                                                                                              \
        table, sizeof(table) / sizeof *(table), sizeof(of)                                         \
    }
#define FIELDS(table, of) ((struct fields)RECORD(table, of))
