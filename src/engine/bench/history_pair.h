/* Two points of a series compared by their samples. All samples of a point were taken at about
 * the same time, so they show whether the two runs differ. Whether the program changed is shown
 * by the scatter of neighbouring points, or by a change of the series. */
#pragma once

#include "engine/bench/history.h"

struct history_pair {
    int64_t id[2]; /* of the points; 0 = none */
    double *v[2];  /* samples, owned; NULL = the point has none */
    size_t n[2];
    double middle[2]; /* medians of the samples; NAN = none */
    /* Second by first, as a factor: estimate, and interval of HISTORY_PAIR_CONFIDENCE. low and high
     * are not finite where there are too few samples. */
    struct interval factor;
    enum ratio_verdict verdict; /* as of times: "slower" where the second is more */
};

#define HISTORY_PAIR_CONFIDENCE 0.99
#define HISTORY_PAIR_MARGIN     0.01

/* Reads the samples of both points and compares them. id[0] may be 0: then only the second is read.
 * 0, or -errno with err. Call history_pair_free in either case. */
int history_pair_read(struct bench_history *h, const int64_t id[2], struct history_pair *out,
                      struct error *err);
void history_pair_free(struct history_pair *p);
/* What keeps runs of two hosts from being compared: "CPU A to B, governor x to y"; "" where
 * processor and settings are alike and known. Returns out. */
const char *history_unlike(const struct history_point *a, const struct history_point *b, char *out,
                           size_t size);
/* By what share neighbouring points of a series of two or more differ, in the median; *larger:
 * number of steps of at least the factor. */
double history_steps(const struct history_series *s, double factor, size_t *larger);
