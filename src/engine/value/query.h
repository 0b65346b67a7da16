/*
 * Filters: a small language over the rows of a list.
 *
 *   firefox                a word: one of the row's texts contains it; case is ignored
 *   "a b"                  a text with spaces in it
 *   cpu>5  rss>=1G         a field compared; = != > >= < <=; units as in 500ms, 2h, 64M, 5%
 *   name~^ssh  user!~root  a field against an extended regular expression; = and != against a text
 *   not, and, or, ( )      `and` may be left out; `!` is not
 *
 * A comparison with a field that was not measured is false.
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
    /* Exactly one of the two is set. number returns NaN if not measured. text returns a string in
     * buf or in the row. */
    double (*number)(const void *row);
    const char *(*text)(const void *row, char buf[QUERY_TEXT_MAX]);
    bool plain; /* bare words search this field */
};

struct query;
/*
 * fields: ends with name == NULL; must outlive the query. An empty text matches every row. 0, or
 * -errno with ERROR_USAGE: err->what names the column ("filter, column 5"), err->help the nearest
 * field.
 */
int query_compile(struct query **out, const char *text, const struct query_field *fields,
                  struct error *err);
void query_free(struct query *q); /* NULL allowed */
/* Whether the row passes the filter; true if q is NULL. */
bool query_match(const struct query *q, const void *row);

#endif
