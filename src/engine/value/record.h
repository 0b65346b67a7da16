/* The members of a record in documents: JSON, the values of CSV, and the schema. */
#pragma once

#include <stdio.h>

#include <cjson/cJSON.h>

#include "engine/value/field.h"
#include "engine/value/value.h"
#include "json/json.h"

/* Adds the members from one name to another, in their order; NULL: from the first, to the last. */
void record_add(cJSON *to, struct fields f, const void *row, const char *from, const char *until);
/* Makes an object of all members. */
cJSON *record_object(struct fields f, const void *row);
/* Adds an array of n rows, an object each. */
void record_add_rows(cJSON *to, const char *key, struct fields f, const void *rows, size_t n);
/* A document of this schema with all members, as malloc'ed text; written, with a newline. */
char *record_document(const char *schema, struct fields f, const void *row);
void record_write(FILE *out, const char *schema, struct fields f, const void *row);

/* Calls visit for each member that is a struct value. group: "load" of "load.1"; NULL: none. */
void record_values(struct fields f, const void *row, const char *from, const char *until,
                   void (*visit)(void *ctx, const char *group, const char *name,
                                 const struct value *v),
                   void *ctx);

/*
 * Reads the members that an object has: FIELD_CHARS (as print_line writes them), numbers, and what
 * is true. Without such a member of that type a text is "", a double NaN, and a whole number 0, as
 * are fractions and numbers from 2^53 on.
 */
void record_take(const cJSON *from, struct fields f, void *row);
/*
 * Reads the next value into the member with this name; false: there is none, and the value is still
 * to be read. A double that is no number becomes NaN, and a word that is not known the number of
 * words there are (false if the member is a bool). Reads numbers, words and FIELD_CHARS.
 */
bool record_read(struct json *j, const char *key, struct fields f, void *row);
