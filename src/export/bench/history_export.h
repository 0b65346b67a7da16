/* The history of benchmarks as documents; docs/BENCH.md describes them. */
#pragma once

#include <stdio.h>

#include "engine/bench/history.h"
#include "export/brief.h"

/* Writes for each series its graph, its changes and what else changed with them. cols: width. */
void history_write_text(FILE *out, const struct history_list *l, int cols, bool ascii);
/* For GitHub: a line for each series that is alarmed. */
void history_annotate(FILE *out, const struct history_list *l, bool fails);
void history_brief(struct brief *b, const struct history_list *l, bool ascii);
/* rooftop.history/1, with the samples, which are read from h. 0, or -errno with err. */
int history_write_json(FILE *out, struct bench_history *h, const struct history_list *l,
                       struct error *err);
void history_write_csv(FILE *out, const struct history_list *l); /* a row for each point */
/* A value in the unit of its series. */
const char *history_value(const struct history_series *s, double v, bool ascii, char out[48]);
