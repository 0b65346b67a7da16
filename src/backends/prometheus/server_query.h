/* The expressions that a server is asked, and what it answers, for the present and for the past. */
#pragma once

#include <stdint.h>

#include "backends/prometheus/exporters.h"
#include "base/hash_table.h"

/* Longest expression; VictoriaMetrics takes 16 KiB unless its settings say otherwise. */
enum { QUERY_BYTES = 12 << 10 };

struct query_form {
    const struct exporters *exporters;
    const char *host_label;
    const struct selector *match; /* what all series must fit; NULL: nothing */
    const char *window;           /* of rates: "5m" */
    bool instant;                 /* rates of the newest two samples, not over the window */
};
/* Makes expressions for rows from *row on, as many as fit, and moves *row behind them; the first
 * also asks which hosts the server reaches. The caller frees it. NULL: there are no more. */
char *query_make(const struct query_form *f, size_t *row);

/* What a server said of hosts at some times. */
struct grid_host {
    char name[FLEET_NAME];
    float *v;                     /* a row of FLEET_METRICS for each time */
    uint16_t rank[FLEET_METRICS]; /* 1 + the row that filled it; 0: none did */
    bool known, up, down;         /* known: it has a number. up, down: some exporter answers; not */
};
struct grid {
    double first_s, step_s; /* of the times, since the epoch */
    size_t times;
    struct grid_host *hosts;
    size_t n, cap;
    struct hash_table by_name;
};
void grid_begin(struct grid *g, double first_s, double step_s, size_t times);
void grid_free(struct grid *g);
/* Adds what an answer says, a JSON document of the query API. 0, or -errno with err: it is damaged,
 * or an error of the server, whose words are in err. */
int grid_read(struct grid *g, const struct query_form *f, const char *text, size_t size,
              struct error *err);
