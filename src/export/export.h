/*
 * What the exports share: text that is fit for a document, numbers that survive a round trip.
 */
#ifndef ROOFTOP_EXPORT_EXPORT_H
#define ROOFTOP_EXPORT_EXPORT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "engine/value/value.h"

/*
 * text[0..len) as valid UTF-8 in malloc'ed memory: what does not decode (and NUL) becomes U+FFFD.
 * Process names and a command's output are bytes of anybody's choice.
 */
char *export_utf8(const char *text, size_t len);
/* `,"key":v`, null where v is not finite; `,v`, the comma alone where it is not. */
void export_json_number(FILE *out, const char *key, double v);
void export_csv_number(FILE *out, double v);
/* The shortest decimal form that reads back as the same double, '.' as decimal point. */
const char *export_number(double v, char out[32]);
/* "2026-11-20T22:42:29.123456789Z" */
const char *export_time(uint64_t wall_ns, char out[40]);
/* Name of one flag bit of enum value_flag: "scaled", "low_confidence", "modelled", "cross_group".
 */
const char *export_flag(unsigned bit);
/* Why a value that is not VALUE_OK is missing; never NULL. */
const char *export_why(const struct value *v);

#endif
