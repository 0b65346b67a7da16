/*
 * Fields of the rows of a list: one table for each list, one line for each field. That line is a
 * column on the screen, an order to sort by, a word of filters, a column of CSV and a member of
 * JSON, as far as it says so. docs/HOWTO_ADD.md shows how to add one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/value/value.h"

enum { FIELD_TEXT_MAX = 512, FIELDS_MAX = 64 }; /* bytes of a field's text; fields of a list */

/* What number() and whole() return. Documents have it as it is; filters, orders and the screen have
 * it in the field's unit. */
enum list_field_count {
    FIELD_IN_UNIT,
    FIELD_IN_NS,   /* ns of a field in seconds */
    FIELD_IN_SHARE /* 0..1 of a field in percent */
};

/* A member of JSON. */
enum list_field_member {
    LIST_MEMBER_PLAIN,   /* a number or a text */
    LIST_MEMBER_VALUE,   /* an object: value, unit, valid… */
    LIST_MEMBER_BOOL,    /* false, true; null if NaN */
    LIST_MEMBER_KNOWN,   /* a text or a number from 0 on; null if it is "" or less */
    LIST_MEMBER_OPTIONAL /* left out where it is not known: NULL, NaN, UINT64_MAX */
};

/* A column on the screen. */
struct column {
    const char *title;
    int16_t width; /* cells; the flexible column gets the cells that are left, at least this many */
    bool flex;
    bool right;       /* numbers: text is right-aligned */
    uint8_t priority; /* 0 stays; the highest goes first where the columns do not fit */
};

/* Where a field stands among those of its kind: 1 is the first, 0 means that it is not there. */
struct list_field_place {
    uint8_t at;
    const char *name; /* NULL: the field's own */
};

/* Hundreds of rows are relocated at each start, so what is small lies side by side. */
struct list_field {
    const char *name, *alias; /* alias NULL = none */
    const char *help;
    /* At most one of the four is set. number returns NaN and whole UINT64_MAX if not measured; text
     * returns a string in buf or in the row. */
    double (*number)(const void *row);
    uint64_t (*whole)(const void *row);     /* documents have each digit of it */
    struct value (*value)(const void *row); /* a number that may say why it is not there */
    const char *(*text)(const void *row, char buf[FIELD_TEXT_MAX]);
    /* The order of two rows, where numbers or texts do not tell it; `least` is not looked at. */
    int (*compare)(const void *a, const void *b);

    uint8_t unit;    /* enum unit, of numbers: which suffixes filters take */
    uint8_t count;   /* enum list_field_count */
    uint8_t member;  /* enum list_field_member: what it is in JSON */
    bool plain;      /* bare words of filters search this field */
    bool unfiltered; /* filters do not know it */
    bool least;      /* sorted: the least first; texts are always sorted from A to Z */
    bool quoted;     /* CSV: always in quotes */
    struct {
        struct column look;
        uint8_t at;   /* as in list_field_place */
        uint8_t sort; /* 1 + the order that a click on the head takes; 0: its own, if it has one */
    } column;
    struct list_field_place sort; /* the orders of `s`; the name is for `:sort` */
    struct list_field_place csv, json;
};

/*
 * A list's fields stand in a file NAME_fields.def, a line each. list_field_ids.h makes an enum of
 * their ids from it, list_field_table.h getters and the table:
 *     LIST_NUMBER(id, expression of r, the rest of struct list_field)
 *     LIST_WHOLE(id, expression of r that is a uint64_t, the rest)
 *     LIST_VALUE(id, expression of r that is a struct value, the rest)
 *     LIST_TEXT(id, expression of r and buf, the rest)
 *     LIST_COLUMN(id, the rest)      a column that the view draws itself
 * Before it stands what frames of a session keep of it (list_field_kept.h):
 *     LIST_KEPT(place, type, member of the row)
 */

/* As documents have it; NaN if not measured, or not a number. */
double list_field_raw(const struct list_field *f, const void *row);
/* The same in the field's unit. */
double list_field_number(const struct list_field *f, const void *row);

/* The same with why it is not there. */
struct value list_field_value(const struct list_field *f, const void *row);

enum list_field_use { FIELD_COLUMNS, FIELD_SORTS, FIELD_CSV, FIELD_JSON };
/* The fields that stand there, in their order; returns how many. fields ends with name NULL. */
int list_fields(const struct list_field *fields, enum list_field_use use,
                const struct list_field *out[FIELDS_MAX]);

/* The i-th order; NULL past the last. */
const struct list_field *list_fields_sort(const struct list_field *fields, int i);
/* The same, but the first one where there is no i-th. */
const struct list_field *list_fields_order(const struct list_field *fields, int i);
/* Its name: "time". */
const char *list_field_sort_name(const struct list_field *f);
/* Which of the orders has this name; -1: none. */
int list_fields_sort_named(const struct list_field *fields, const char *name);
/* Compares two rows as the order has them: below 0 if a comes first. Unknown values come last. */
int list_field_compare(const struct list_field *f, const void *a, const void *b);
/* The same of two numbers, as list_field_number returns them. */
int list_field_compare_numbers(const struct list_field *f, double x, double y);
