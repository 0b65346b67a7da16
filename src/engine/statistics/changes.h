/*
 * Changes of level in a series of runs, found by a test that may look after every run, for ever.
 *
 * The last w = 5, 10 and 20 runs are compared with up to 200 runs before them, so that values after
 * a change do not dilute each other. Each value has the normal score of its rank among those m runs
 * (B. L. van der Waerden, Indag. Math. 14, 1952), at most 2.5: whatever the distribution, there is
 * no mean and no deviation that a spike could spoil. There is an alarm where their sum exceeds
 *
 *     t sqrt(w (1 + w / m) (1 + rho) / (1 - rho))
 *
 * w (1 + w / m) is the variance of a sum less w times the mean of m others; (1 + rho) / (1 - rho)
 * is what it grows by where a run remembers rho of the one before (G. Bayley, J. Hammersley, J. R.
 * Stat. Soc. Suppl. 8, 1946); t is Student's quantile with m - 1 degrees of freedom, because the
 * ranks know the base by m runs only. rho is (m r + 30 * 0.2) / (m + 30), r being the estimate from
 * the runs before the last 20, so that a change itself does not look like memory.
 *
 * t is exceeded with probability alpha * share / 3. The shares of alpha that all looks spend sum to
 * 1, so by the union bound the probability of any false alarm is at most alpha, as far as that
 * model of the sum holds. Windows overlap, so simulations show less than half of it: alpha is set
 * by them (docs/BENCH.md). A strong drift would stay hidden among 200 runs that drift themselves,
 * so the last 100 are compared with 400 at every tenth look, for a thousandth of the share.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct change {
    size_t at;            /* index of the first run after the change */
    size_t found;         /* index of the run with which it was found */
    double before, after; /* medians: of the runs since the last change, and from `at` to `found` */
};

struct change_rule {
    double alpha;    /* bound of false changes in one direction, however many runs: 0.02 */
    double least;    /* smallest change that counts, as a share: 0.01 */
    size_t baseline; /* runs before the first look, and after each change: 20 */
};
extern const struct change_rule change_rule_usual;

/*
 * The changes of v[0..n), values above 0, in order; *out is freed by the caller. A change has at
 * least three runs behind it: a spike is none. Adding values never alters the `found` changes of
 * the ones before. Takes time n^2 at worst, and ends early where the thread's watch gives up.
 */
size_t changes_find(const double *v, size_t n, const struct change_rule *rule, struct change **out);
