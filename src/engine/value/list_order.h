/* Which rows of a list pass a filter, and in which order: for the screen and for documents. */
#pragma once

#include "engine/value/query.h"

/* What the rows of a list are. */
struct list_rows {
    const struct list_field *fields; /* at least one of them is an order */
    size_t size; /* bytes of a row that is made when it is asked for; 0: all rows are kept */
    /* Row i of the list; made: room for a row that is not kept. */
    const void *(*row)(const void *ctx, size_t i, void *made);
    /* Whether the list has this row at all; NULL: it has all. */
    bool (*has)(const void *ctx, const void *row);
    /* Orders two rows that are equal in the chosen order; NULL: as they come. */
    int (*tie)(const void *a, const void *b);
    bool mirrored;      /* reversed, equal rows are reversed too */
    bool first_as_come; /* the first order is the one in which rows come */
};

/* What the user asked for. */
struct list_wish {
    const struct query *query; /* NULL: all rows */
    int sort;                  /* as list_fields_order takes it */
    bool reverse;
};

/*
 * Fills out, which needs room for n, with the numbers of the rows. Returns how many they are.
 * given_up: set to whether the user did not wait for all rows (base/watch.h); NULL: he has to.
 */
size_t list_order(const struct list_rows *l, const void *ctx, size_t n, struct list_wish wish,
                  uint32_t *out, bool *given_up);
