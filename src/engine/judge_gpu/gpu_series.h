/* Pairs of launches, and what they say: for the process that makes them and for the one that tells
 * the verdict, which computes it again from the same samples. */
#pragma once

#include "engine/judge/judge.h"
#include "engine/statistics/interval.h"

struct gpu_series {
    double *of[2]; /* owned; cost of the baseline and of the candidate, of each pair */
    size_t n, cap[2];
};
void gpu_series_add(struct gpu_series *s, double baseline, double candidate);
void gpu_series_free(struct gpu_series *s);
double gpu_series_median(const struct gpu_series *s, int side); /* NAN: no pairs */
/* Candidate by baseline, a factor, by engine/statistics/interval.h: valid whenever one looks. */
struct interval gpu_series_interval(const struct gpu_series *s, double confidence);
enum judge_verdict gpu_series_verdict(const struct gpu_series *s, double confidence, double margin);
