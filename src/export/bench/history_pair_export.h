/* Two points of a series compared, in words; docs/BENCH.md describes them. */
#pragma once

#include <stdio.h>

#include "engine/bench/history_pair.h"
#include "export/brief.h"

enum { HISTORY_PAIR_LINES = 7, HISTORY_PAIR_LINE = 320 };

/* The points to compare, as indexes. first is SIZE_MAX if there is only the second, to describe. */
struct history_two {
    const struct history_series *s;
    size_t first, second;
    bool marked; /* first is marked on the screen; else it is the point before */
    bool chosen; /* first was chosen on the command line */
    /* The last runs of one program on two hosts, which s has as its only points; NULL: one series
     */
    const char *hosts[2];
    const struct history_pair *pair; /* NULL: not read yet */
    const char *why;                 /* why it cannot be read; "" = it is being read */
};

/* Fills the lines. Returns their number. verdict: the verdict that they state. */
int history_pair_lines(const struct history_two *two, bool ascii,
                       char lines[HISTORY_PAIR_LINES][HISTORY_PAIR_LINE]);
void history_pair_write_text(FILE *out, const struct history_two *two, bool ascii);
void history_pair_brief(struct brief *b, const struct history_two *two, bool ascii);
/* rooftop.history-compare/1; pair must not be NULL. */
void history_pair_write_json(FILE *out, const struct history_two *two);
/* "worse", "better", "equivalent" or "not decided", by the series' direction that is better. */
const char *history_pair_word(const struct history_series *s, enum ratio_verdict v);
