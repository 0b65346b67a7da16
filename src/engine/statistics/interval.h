/*
 * Intervals. Those of one command and of pairs stay valid however often they are looked at, and
 * whenever one stops: the chance
 * that an interval ever misses the truth is at most alpha (Ville's inequality; G. Shafer,
 * V. Vovk, "Game-Theoretic Foundations for Probability and Finance", 2019).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "engine/statistics/ranks.h"

struct interval {
    double estimate;  /* NAN: no values */
    double low, high; /* -INFINITY and INFINITY where there are too few values to say */
};

/*
 * The median of independent values of any distribution, by the sign test: each true median makes
 * signs of a fair coin. The e-process that mixes all other coins by Jeffreys' prior reaches
 * 1 / alpha with probability alpha at most (R. Krichevsky, V. Trofimov, IEEE Trans. Inf. Theory
 * 27, 1981; S. Howard, A. Ramdas, "Sequential estimation of quantiles", Bernoulli 28, 2022).
 * Values that follow each other closely in time say less: n is reduced by the factor
 * (1 - r) / (1 + r), r being the correlation of neighbours.
 */
struct interval interval_of_median(const double *v, size_t n, double alpha);

/*
 * The shift of pairs d = log(second) - log(first), where chance chose for each pair which of both
 * ran first. Without a shift the sign of d is then a fair coin whatever the machine does meanwhile:
 * drift, spikes, modes and correlation change sizes, not signs (R. A. Fisher, "The Design of
 * Experiments", 1935). The e-process bets on signs times the normal score of the rank of the size
 * among the sizes so far: E[exp(x s)] = cosh(x) for a fair sign s (V. de la Pena, Ann. Probab. 27,
 * 1999; sequential signed ranks: M. Reynolds, Ann. Stat. 3, 1975), mixed over betting fractions x.
 * The interval is all shifts that it does not refute; the estimate is the shift that it refutes
 * least.
 */
struct interval interval_of_pairs(const double *d, size_t n, double alpha);

/*
 * Whether verdict_of that interval can be more than "not decided", after each pair. The
 * e-processes against no shift and against the margins are kept, so that a look takes no longer
 * with more pairs. The interval itself takes some milliseconds for some hundred pairs.
 */
enum { PAIR_FRACTIONS = 6, PAIR_SHIFTS = 3 };
struct e_process {
    struct ranked sizes;
    double log[2][PAIR_FRACTIONS]; /* e-values that the shift is above, and below */
};
struct pair_watch {
    double limit, shift[PAIR_SHIFTS];
    struct e_process against[PAIR_SHIFTS];
};
void pair_watch_start(struct pair_watch *w, double alpha, double margin);
void pair_watch_add(struct pair_watch *w, double d);
bool pair_watch_decides(const struct pair_watch *w);
void pair_watch_end(struct pair_watch *w);

/*
 * The shift of the second of two sets of logarithms that were not taken in pairs: all shifts that
 * the rank test of H. Mann and D. Whitney (Ann. Math. Stat. 18, 1947) does not refute; the estimate
 * is the median of all differences (J. Hodges, E. Lehmann, Ann. Math. Stat. 34, 1963). Values that
 * follow each other closely widen it, as above. It is for sets that are complete: unlike the others
 * it may be looked at once. Of more than 400 values of a set, 400 evenly spread ones are used.
 */
struct interval interval_of_sets(const double *first, size_t n, const double *second, size_t m,
                                 double alpha);

enum ratio_verdict { VERDICT_NOT_DECIDED, VERDICT_FASTER, VERDICT_SLOWER, VERDICT_EQUIVALENT };
/*
 * What an interval of the logarithm of a ratio of times says: equivalent where it lies within a
 * factor 1 + margin of no change (two one-sided tests: D. Schuirmann, J. Pharmacokinet. Biopharm.
 * 15, 1987), else slower or faster where it excludes 1. A difference within the margin is
 * equivalent even where it is certain.
 */
enum ratio_verdict verdict_of(const struct interval *i, double margin);
const char *
verdict_name(enum ratio_verdict v); /* "not decided", "faster", "slower", "equivalent" */
