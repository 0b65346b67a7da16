/* Two points of a series compared, in words; docs/BENCH.md describes them. */
#pragma once

#include <stdio.h>

#include "engine/bench/history_pair.h"

enum { HISTORY_PAIR_LINES = 7, HISTORY_PAIR_LINE = 320 };

/* What is compared: indexes of points. first SIZE_MAX: there is none, only the second is
 * described. */
struct history_two {
    const struct history_series *s;
    size_t first, second;
    bool marked;                     /* on the screen; else it is the one before */
    bool chosen;                     /* by the command line */
    const struct history_pair *pair; /* NULL: not read yet */
    const char *why;                 /* why it cannot be read; "" = it is being read */
};

/* Fills the lines. Returns their number. verdict: what they say. */
int history_pair_lines(const struct history_two *two, bool ascii,
                       char lines[HISTORY_PAIR_LINES][HISTORY_PAIR_LINE]);
void history_pair_write_text(FILE *out, const struct history_two *two, bool ascii);
/* rooftop.history-compare/1; pair is there. */
void history_pair_write_json(FILE *out, const struct history_two *two);
/* "worse", "better", "equivalent" or "not decided", by what is good in this series. */
const char *history_pair_word(const struct history_series *s, enum ratio_verdict v);
