/*
 * Filters: a small language over the rows of a list.
 *
 *   firefox                a word: in one of the row's texts, whatever its case
 *   "a b"                  a text with spaces in it
 *   cpu>5  rss>=1G         a field compared; = != > >= < <=; units as in 500ms, 2h, 64M, 5%
 *   name~^ssh  user!~root  a text against an extended regular expression; = and != against a text
 *   not, and, or, ( )      `and` may be left out; `!` is not
 *
 * A field that was not measured passes no comparison.
 */
#ifndef ROOFTOP_ENGINE_VALUE_QUERY_H
#define ROOFTOP_ENGINE_VALUE_QUERY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "engine/value/value.h"

enum { QUERY_MAX = 256, QUERY_TEXT_MAX = 512 }; /* bytes of a query; of a field's text */

struct query_field {
    const char *name, *alias; /* alias NULL = none */
    enum unit unit;           /* of numbers: which suffixes they take */
    const char *help;
    /* One of them. NaN = not measured. buf may hold the text; it may also lie in the row. */
    double (*number)(const void *row);
    const char *(*text)(const void *row, char buf[QUERY_TEXT_MAX]);
    bool plain; /* bare words look into it */
};

struct query;
/*
 * fields: terminated by name == NULL, borrowed. An empty text passes all. ERROR_USAGE: what names
 * the column ("filter, column 5"), help the nearest field.
 */
int query_compile(struct query **out, const char *text, const struct query_field *fields,
                  struct error *err);
void query_free(struct query *q); /* NULL allowed */
/* NULL passes all. */
bool query_match(const struct query *q, const void *row);

#endif
