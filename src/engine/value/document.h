/*
 * Parts of documents: valid UTF-8, numbers that survive a round trip, pieces of JSON.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cjson/cJSON.h>

#include "engine/value/value.h"

/*
 * text[0..len) as valid UTF-8 in malloc'ed memory: NUL and bytes that do not decode become U+FFFD.
 * Needed because process names and a command's output can hold any bytes.
 */
char *text_utf8(const char *text, size_t len);
/* Writes `,"key":v`, with null if v is not finite. */
void json_write_number(FILE *out, const char *key, double v);
/* Writes `,v`, or only the comma if v is not finite. */
void csv_write_number(FILE *out, double v);
/* The shortest decimal form that reads back as the same double, '.' as decimal point. */
const char *number_text(double v, char out[32]);
/* The digits of a whole number; they end where out ends. */
const char *whole_text(uint64_t v, char out[32]);
/* "2026-11-20T22:42:29.123456789Z" */
const char *utc_text(uint64_t wall_ns, char out[40]);
/* The same for people: without digits that are zero to the end, as where seconds were measured. */
const char *utc_brief(uint64_t wall_ns, char out[40]);
/* Why a value that is not VALUE_OK is missing; never NULL. */
const char *value_why(const struct value *v);

/* The document as malloc'ed text without raw control bytes (base/print.h); NULL if memory runs out.
 * This is the only way in which a document becomes text. */
char *json_document(const cJSON *doc, bool indented);
/* Writes the same text to out. */
void json_write(FILE *out, const cJSON *doc, bool indented);
/* Begins a document, an object with its "schema". */
cJSON *document_begin(const char *schema);
/* Writes it, indented and with a newline, and frees it. */
void document_end(FILE *out, cJSON *doc);
/* Adds text as valid UTF-8; NULL becomes null. */
void json_add_text(cJSON *to, const char *key, const char *text);
/* Adds v exactly; a double would round counts near 2^64. */
void json_add_u64(cJSON *to, const char *key, uint64_t v);
void json_add_number(cJSON *to, const char *key, double v); /* not finite: null */
/* Adds an array of n numbers. */
void json_add_doubles(cJSON *to, const char *key, const double *v, size_t n);
/* Adds x, y, z; null if v is NULL. */
void json_add_three(cJSON *to, const char *key, const uint32_t *v);
/* A member of an object that was read: "" or NaN where it is none. */
const char *json_get_text(const cJSON *from, const char *key);
double json_get_number(const cJSON *from, const char *key);
/* { value, unit, valid, why…}: docs/SNAPSHOT.md. */
cJSON *json_value(const struct value *v);
void json_add_value(cJSON *to, const char *key, const struct value *v);
void json_add_ok(cJSON *to, const char *key, double v, enum unit unit);
