/* The fields of a list in documents: columns of CSV, members of JSON. */
#pragma once

#include <stdio.h>

#include <cjson/cJSON.h>

#include "engine/value/list_field.h"

/* Its name in CSV. */
const char *list_field_csv_name(const struct list_field *f);
/* The columns of the document: list_fields(…, FIELD_CSV, …), n of them. The caller ends the lines.
 */
void list_fields_csv_head(FILE *out, const struct list_field *const *fields, int n);
void list_fields_csv_row(FILE *out, const struct list_field *const *fields, int n, const void *row);
/* Writes the document: the head and n rows of this size, each line with its end. */
void list_fields_csv(FILE *out, const struct list_field *fields, const char *end, const void *rows,
                     size_t n, size_t size);
/* Adds the members whose places are from..to: what stands between them is not a field. */
void list_fields_json(cJSON *to, const struct list_field *fields, const void *row, int from,
                      int until);
/* The members of JSON, in their order; found once for all rows. */
struct list_members {
    const struct list_field *field[FIELDS_MAX];
    char head[FIELDS_MAX][48]; /* the comma and the name, as they are written */
    int n;
};
void list_members(struct list_members *out, const struct list_field *fields);
/* Writes the same as text, for documents that are not built in memory: a member at place 1 without
 * a comma before it. */
void list_fields_json_write(FILE *out, const struct list_members *members, const void *row,
                            int from, int until);
/* An object of all members. */
cJSON *list_fields_object(const struct list_field *fields, const void *row);
