/*
 * A C interface to toml++. It walks the file's tables and arrays of tables, with one callback for
 * each item, in the order of the text. No C++ exception leaves toml.cpp.
 */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum toml_type { TOML_TABLE, TOML_STRING, TOML_NUMBER, TOML_BOOL, TOML_OTHER };

struct toml_item {
    const char *table; /* "event" of [[event]], "keys" of [keys]; "" at the top level; "a.b" of
                          [a.b], [[a.b]] and of a = { b = ... } with toml_walk_deep */
    const char *key;   /* NULL for TOML_TABLE: a [table] or [[table]] begins */
    int element;       /* -1, or the place in an array of values with toml_walk_deep */
    enum toml_type type;
    const char *string; /* TOML_STRING; no zero bytes inside */
    double number;      /* TOML_NUMBER; TOML_BOOL: 0 or 1 */
    int line, column;   /* from 1, of the value; for TOML_TABLE of the table's header */
};

/* Where and why the text is not valid TOML. */
struct toml_failure {
    int line, column;
    char why[200];
};

/*
 * Returns 0; -EINVAL with *failure if the text is malformed; -ENOMEM; or the first nonzero result
 * of visit, which ends the walk. Strings passed to visit live until it returns.
 */
int toml_walk(const char *text, size_t len, int (*visit)(void *ctx, const struct toml_item *item),
              void *ctx, struct toml_failure *failure);

/*
 * The same, and it enters what toml_walk reports as TOML_OTHER: tables inside of tables, and arrays
 * of values, with one item for each element. An empty array has no item.
 */
int toml_walk_deep(const char *text, size_t len,
                   int (*visit)(void *ctx, const struct toml_item *item), void *ctx,
                   struct toml_failure *failure);

#ifdef __cplusplus
}
#endif
