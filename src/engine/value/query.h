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
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "engine/value/list_field.h"

enum { QUERY_MAX = 256 }; /* bytes of a query */

struct query;
/*
 * fields: ends with name == NULL; must outlive the query. An empty text matches every row. 0, or
 * -errno with ERROR_USAGE: err->what names the column ("filter, column 5"), err->help the nearest
 * field.
 */
int query_compile(struct query **out, const char *text, const struct list_field *fields,
                  struct error *err);
void query_free(struct query *q); /* NULL allowed */
/* Whether the row passes the filter; true if q is NULL. */
bool query_match(const struct query *q, const void *row);
