/* What fleet.c, fleet_picture.c and fleet_judge.c share. */
#pragma once

#include "base/hash_table.h"
#include "engine/fleet/fleet.h"

struct fleet_kept { /* a sample of history */
    uint64_t wall_ns;
    float v[FLEET_METRICS];
};

struct fleet_host {
    char name[FLEET_NAME], reason[FLEET_REASON];
    enum fleet_state state;
    double interval_s;
    uint64_t came_ns;        /* when the newest sample came, by env_now_ns; 0: none did */
    struct fleet_kept *kept; /* a ring of fleet.history samples, made with the first one */
    size_t first, nkept;
};

struct fleet {
    struct fleet_host *hosts;
    size_t n, cap, history;
    struct hash_table by_name;
    uint64_t seq;
};

/* The i-th kept sample, 0 the oldest. */
static inline const struct fleet_kept *fleet_kept_at(const struct fleet *f,
                                                     const struct fleet_host *h, size_t i)
{
    return &h->kept[(h->first + i) % f->history];
}

enum { FLEET_JUDGED = 9 }; /* samples whose median is judged: a short burst is no outlier */

/* Fills middle, and distance, outlier, worst and badness of the rows. judged has FLEET_METRICS
 * numbers a row: the values to be judged, NaN where there are none. */
void fleet_judge(struct fleet_picture *p, const double *judged);
