/* Points of a history that are of one machine, branch or commit. */
#pragma once

#include "engine/bench/history.h"

enum { HISTORY_FILTERS = 8 };

/* "host=epyc3,branch=main": all must hold. The commit's beginning, the whole branch and host, a
 * part of the others. */
struct history_filter {
    char text[512];
    struct history_condition {
        int what; /* of the conditions' rows */
        const char *value;
    } list[HISTORY_FILTERS];
    size_t n;
};

/* text NULL: everything. 0, or -errno with err, ERROR_USAGE. */
int history_filter_read(struct history_filter *f, const char *text, struct error *err);
/* Leaves out other points, and series without any. Judge the series after it. */
void history_filter_keep(const struct history_filter *f, struct history_list *l);
