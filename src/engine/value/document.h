/*
 * What documents are made of: valid text, numbers that survive a round trip, pieces of JSON.
 */
#ifndef ROOFTOP_ENGINE_VALUE_DOCUMENT_H
#define ROOFTOP_ENGINE_VALUE_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cjson/cJSON.h>

#include "engine/value/value.h"

/*
 * text[0..len) as valid UTF-8 in malloc'ed memory: what does not decode (and NUL) becomes U+FFFD.
 * Process names and a command's output are bytes of anybody's choice.
 */
char *text_utf8(const char *text, size_t len);
/* `,"key":v`, null where v is not finite; `,v`, the comma alone where it is not. */
void json_write_number(FILE *out, const char *key, double v);
void csv_write_number(FILE *out, double v);
/* The shortest decimal form that reads back as the same double, '.' as decimal point. */
const char *number_text(double v, char out[32]);
/* "2026-11-20T22:42:29.123456789Z" */
const char *utc_text(uint64_t wall_ns, char out[40]);
/* Name of one flag bit of enum value_flag: "scaled", "low_confidence", "modelled", "cross_group".
 */
const char *value_flag_name(unsigned bit);
/* Why a value that is not VALUE_OK is missing; never NULL. */
const char *value_why(const struct value *v);

/* The document as text with nothing raw in it (base/print.h), malloc'ed: the only way one becomes
 * text. NULL: no memory. */
char *json_document(const cJSON *doc, bool indented);
/* The same into a file. */
void json_write(FILE *out, const cJSON *doc, bool indented);
/* As valid UTF-8; NULL is null. */
void json_add_text(cJSON *to, const char *key, const char *text);
/* Exact, where a double would round: counts reach 2^64. */
void json_add_u64(cJSON *to, const char *key, uint64_t v);
void json_add_number(cJSON *to, const char *key, double v); /* not finite: null */
/* { value, unit, valid, why…}: docs/SNAPSHOT.md. */
cJSON *json_value(const struct value *v);
void json_add_value(cJSON *to, const char *key, const struct value *v);
void json_add_ok(cJSON *to, const char *key, double v, enum unit unit);

#endif
