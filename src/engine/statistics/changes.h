/*
 * Changes of level in a series of runs, found by a test that may look after every run, for ever.
 *
 * If nothing changes, the rank of each new value among all so far is uniform and independent of
 * the ranks before (O. Barndorff-Nielsen, Ann. Math. Stat. 34, 1963), whatever the distribution:
 * there is no mean and no deviation of a baseline that could be estimated wrong. A bet that the
 * level has risen since run j multiplies its stake by exp(delta z) / its mean over all ranks, z
 * being the normal score of the rank. Stakes are spread over j (Shiryaev's statistic; for ranks: L.
 * Gordon, M. Pollak, Ann. Stat. 22, 1994; with bets: V. Vovk, "Testing randomness online", Stat.
 * Sci. 36, 2021; J. Shin, A. Ramdas, A. Rinaldo, "E-detectors", 2022). The sum is a martingale that
 * begins at 1: by Ville's inequality it ever reaches 1 / alpha with probability alpha at most.
 *
 * Values that depend on the one before are made independent first: x minus memory times the one
 * before (J. Durbin, Biometrika 47, 1960), with series_memory of runs that are 20 runs or more old,
 * so that a change itself does not look like memory. There the bound holds as far as that model
 * does.
 */
#ifndef ROOFTOP_ENGINE_STATISTICS_CHANGES_H
#define ROOFTOP_ENGINE_STATISTICS_CHANGES_H

#include <stdbool.h>
#include <stddef.h>

struct change {
    size_t at;            /* index of the first run after the change */
    size_t found;         /* index of the run with which it was found */
    double before, after; /* medians: of the runs since the last change, and from `at` to `found` */
};

struct change_rule {
    double alpha;    /* chance of a false change in one direction, however many runs: 0.01 */
    double least;    /* smallest change that counts, as a share: 0.01 */
    size_t baseline; /* runs before the first bet, and after each change: 20 */
};
extern const struct change_rule change_rule_usual;

/*
 * The changes of v[0..n), values above 0, in order; *out is freed by the caller. A change has at
 * least three runs behind it: a spike is none. Adding values never alters the `found` changes of
 * the ones before. Takes time n^2 at worst, and ends early where the thread's watch gives up.
 */
size_t changes_find(const double *v, size_t n, const struct change_rule *rule, struct change **out);

#endif
