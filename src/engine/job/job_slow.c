/*
 * Which rank is slower than the others, and by what, as far as the ranks recorded it.
 *
 * A rank stands out if it ended later than the others, or if it waited longer for a CPU, which
 * holds all up where they wait for each other. "Longer" is at least SLOW_LEAST of the median time
 * and SLOW_SPREADS times the spread of the others, and no other rank does half as much: a job whose
 * ranks differ among each other has no slow rank.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/cpu_list.h"
#include "base/plural.h"
#include "engine/job/job_folder_impl.h"
#include "engine/statistics/ranks.h"
#include "engine/value/value.h"

#define SLOW_LEAST   0.05 /* of the median wall time, */
#define SLOW_LEAST_S 0.3  /* and so many seconds */
#define SLOW_SPREADS 4
/* Where all wait for a CPU, the one that waits most may do so by chance: only a wait of so many
 * times the median of the others is its own. */
#define SLOW_WAITS 3
/* The spread of few others is not known well: it is assumed to be at least this share of the wall
 * time. */
#define SLOW_FEW        3
#define SLOW_FEW_SPREAD 0.05
#define SLOW_SPREAD     0.01

static double get_wall(const struct job_member *m)
{
    return m->s.wall;
}

static double get_cpu_wait(const struct job_member *m)
{
    return m->s.ready;
}

static double get_user(const struct job_member *m)
{
    return m->s.user;
}

static double get_system(const struct job_member *m)
{
    return m->s.system;
}

static double get_faults(const struct job_member *m)
{
    return m->s.major_faults;
}

static double get_swapped(const struct job_member *m)
{
    return m->s.swapped;
}

static double get_clock(const struct job_member *m)
{
    return m->s.clock;
}

static double get_throttled(const struct job_member *m)
{
    return m->s.throttled;
}

static double get_far(const struct job_member *m)
{
    return m->s.far;
}

double job_folder_median(const struct job_folder *f, double (*of)(const struct job_member *),
                         uint32_t but, double *spread)
{
    double *v = xcalloc(f->n + (size_t)1, sizeof *v);
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->n; i++)
        if (i != but && !isnan(of(&f->ranks[i])))
            v[n++] = of(&f->ranks[i]);
    const double median = median_of(v, n);
    if (spread)
        *spread = mad_spread(v, n, median);
    free(v);
    return median;
}

/* --- which --- */

/* By how much the rank exceeds the median of the others; 0: not by enough to stand out. */
static double find_outlier(const struct job_folder *f, double (*of)(const struct job_member *),
                           uint32_t i, double wall, double *spread)
{
    const double median = job_folder_median(f, of, i, spread), excess = of(&f->ranks[i]) - median;
    const double least = f->n - 1 < SLOW_FEW ? SLOW_FEW_SPREAD : SLOW_SPREAD;
    *spread = fmax(*spread, least * wall);
    const bool more = excess >= SLOW_LEAST * wall && excess >= SLOW_LEAST_S;
    return more && excess >= SLOW_SPREADS * *spread ? excess : 0;
}

/* The rank with the most of it, if it alone stands out. */
static void find_slow(struct job_folder *f, double (*of)(const struct job_member *), bool late)
{
    const double wall = job_folder_median(f, get_wall, JOB_NONE, NULL);
    uint32_t most = JOB_NONE, second = JOB_NONE;
    double spread;
    for (uint32_t i = 0; i < f->n; i++) {
        const double v = of(&f->ranks[i]);
        if (isnan(v))
            continue;
        if (most == JOB_NONE || v > of(&f->ranks[most])) {
            second = most;
            most = i;
        } else if (second == JOB_NONE || v > of(&f->ranks[second])) {
            second = i;
        }
    }
    if (second == JOB_NONE || !(wall > 0))
        return;
    const double excess = find_outlier(f, of, most, wall, &spread);
    const double next = of(&f->ranks[second]) - job_folder_median(f, of, most, NULL);
    if (excess > 0 && next < excess / 2) {
        f->slow.rank = most;
        f->slow.behind = excess;
        f->slow.spread = spread;
        f->slow.late = late;
    }
}

/* --- why --- */

static bool do_cpus_meet(const bool *a, const bool *b)
{
    for (size_t i = 0; i < CPU_LIST_MOST; i++)
        if (a[i] && b[i])
            return true;
    return false;
}

/* How many other ranks of its host may use its CPUs; one of them is *beside. */
static uint32_t count_sharers(const struct job_folder *f, uint32_t rank, const bool *own,
                              uint32_t *beside)
{
    uint32_t n = 0;
    *beside = JOB_NONE;
    for (uint32_t i = 0; i < f->n; i++) {
        bool cpus[CPU_LIST_MOST];
        if (i == rank || strcmp(f->ranks[i].s.host, f->ranks[rank].s.host) != 0 ||
            cpu_list_parse(f->ranks[i].s.cpus, cpus) <= 0 || !do_cpus_meet(own, cpus))
            continue;
        n++;
        *beside = *beside == JOB_NONE ? i : *beside;
    }
    return n;
}

/* Whether the program that ran most on the rank's CPUs is the program of another rank. */
static bool is_other_a_rank(const struct job_folder *f, uint32_t rank)
{
    const struct rank_summary *s = &f->ranks[rank].s;
    for (uint32_t i = 0; i < f->n; i++)
        if (i != rank && f->ranks[i].s.pid == s->other_pid && s->other_pid &&
            strcmp(f->ranks[i].s.host, s->host) == 0)
            return true;
    return false;
}

/* Whether most of what it is behind by may be a wait for CPUs for which all wait. */
static bool is_wait_of_all(const struct job_folder *f)
{
    const struct job_slow *s = &f->slow;
    const double own = f->ranks[s->rank].s.ready;
    const double median = job_folder_median(f, get_cpu_wait, s->rank, NULL);
    return own - median >= s->behind / 2 && own < SLOW_WAITS * median;
}

static bool explain_cpu_wait(struct job_folder *f)
{
    struct job_slow *s = &f->slow;
    const struct job_member *m = &f->ranks[s->rank];
    const double median = job_folder_median(f, get_cpu_wait, s->rank, NULL);
    bool own[CPU_LIST_MOST];
    if (!(m->s.ready - median >= s->behind / 2) || is_wait_of_all(f))
        return false;
    const int cpus = cpu_list_parse(m->s.cpus, own);
    const uint32_t sharers = cpus > 0 ? count_sharers(f, s->rank, own, &s->beside) : 0;
    s->cause = SLOW_CPU_WAIT;
    if (cpus > 0 && m->s.other_used >= (m->s.ready - median) / 4 && !is_other_a_rank(f, s->rank)) {
        s->cause = SLOW_OTHER_PROGRAM;
        snprintf(s->why, sizeof s->why,
                 "another program runs on its CPUs (%.60s): %.47s used %.2f s there; the rank "
                 "waited %.2f s for a CPU (median of the others %.2f s)",
                 m->s.cpus, m->s.other, m->s.other_used, m->s.ready, median);
    } else if (sharers > 0 && (sharers >= (uint32_t)cpus || is_other_a_rank(f, s->rank))) {
        s->cause = SLOW_SHARED_CPU;
        snprintf(s->why, sizeof s->why,
                 "it shares its CPUs (%.60s) with %u other %s of %.60s, such as rank %u: it waited "
                 "%.2f s for a CPU (median of the others %.2f s)",
                 m->s.cpus, sharers, plural(sharers, "rank", "ranks"), m->s.host,
                 f->ranks[s->beside].s.rank, m->s.ready, median);
    } else {
        snprintf(s->why, sizeof s->why,
                 "it waited %.2f s for a CPU (median of the others %.2f s); who ran there is not "
                 "recorded",
                 m->s.ready, median);
    }
    return true;
}

static bool explain_memory(struct job_folder *f)
{
    struct job_slow *s = &f->slow;
    const struct job_member *m = &f->ranks[s->rank];
    const double swapped = job_folder_median(f, get_swapped, s->rank, NULL);
    const double faults = job_folder_median(f, get_faults, s->rank, NULL);
    if (m->s.swapped > 0 && m->s.swapped > 2 * swapped) {
        char own[VALUE_TEXT_MAX], others[VALUE_TEXT_MAX];
        s->cause = SLOW_SWAPPED;
        snprintf(s->why, sizeof s->why,
                 "%s of its memory was swapped out (median of the others %s)",
                 value_text(m->s.swapped, UNIT_BYTES, true, own),
                 value_text(swapped, UNIT_BYTES, true, others));
        return true;
    }
    if (!(m->s.major_faults >= 100 && m->s.major_faults > 4 * faults))
        return false;
    s->cause = SLOW_FAULTS;
    snprintf(s->why, sizeof s->why,
             "it read %.0f pages from a disk by page faults (median of the others %.0f)",
             m->s.major_faults, faults);
    return true;
}

static bool explain_clock(struct job_folder *f)
{
    struct job_slow *s = &f->slow;
    const struct job_member *m = &f->ranks[s->rank];
    const double clock = job_folder_median(f, get_clock, s->rank, NULL);
    const double throttled = job_folder_median(f, get_throttled, s->rank, NULL);
    if (m->s.throttled > 0 && m->s.throttled > 2 * throttled)
        snprintf(s->why, sizeof s->why,
                 "its CPUs were throttled for heat %.0f times (median of the others %.0f)",
                 m->s.throttled, throttled);
    else if (m->s.clock < 0.95 * clock)
        snprintf(s->why, sizeof s->why,
                 "its CPUs ran at %.2f GHz, the median of the others at %.2f GHz", m->s.clock / 1e9,
                 clock / 1e9);
    else
        return false;
    s->cause = SLOW_CLOCK;
    return true;
}

static bool explain_far_memory(struct job_folder *f)
{
    struct job_slow *s = &f->slow;
    const struct job_member *m = &f->ranks[s->rank];
    const double far = job_folder_median(f, get_far, s->rank, NULL);
    if (!(m->s.far >= 0.25 && m->s.far > 2 * far))
        return false;
    s->cause = SLOW_FAR_MEMORY;
    snprintf(s->why, sizeof s->why,
             "%.0f %% of its memory is on another NUMA node than its CPUs (median of the others "
             "%.0f %%)",
             100 * m->s.far, 100 * far);
    return true;
}

static bool explain_work(struct job_folder *f)
{
    struct job_slow *s = &f->slow;
    const struct job_member *m = &f->ranks[s->rank];
    const double user = m->s.user - job_folder_median(f, get_user, s->rank, NULL);
    const double system = m->s.system - job_folder_median(f, get_system, s->rank, NULL);
    if (system >= s->behind / 2) {
        s->cause = SLOW_SYSTEM;
        snprintf(s->why, sizeof s->why,
                 "it spends %.2f s more in the kernel than the median of the others", system);
        return true;
    }
    if (!(user >= s->behind / 2))
        return false;
    s->cause = SLOW_COMPUTES;
    snprintf(s->why, sizeof s->why, "it computes %.2f s longer than the median of the others",
             user);
    return true;
}

/* No rank is called slow: the wait of all hides whether one is. */
static void say_unclear(struct job_folder *f)
{
    struct job_slow *s = &f->slow;
    const struct job_member *m = &f->ranks[s->rank];
    const double median = job_folder_median(f, get_cpu_wait, s->rank, NULL);
    snprintf(s->said, sizeof s->said, "not clear whether a rank is slow: their CPUs are busy");
    snprintf(s->why, sizeof s->why,
             "all ranks wait for a CPU: rank %u for %.2f s, the median of the others for %.2f s; "
             "with fewer ranks and programs on their CPUs a slow one would show",
             m->s.rank, m->s.ready, median);
    s->rank = JOB_NONE;
}

static void say_slow(struct job_folder *f)
{
    struct job_slow *s = &f->slow;
    const uint32_t number = f->ranks[s->rank].s.rank;
    if (!s->late && is_wait_of_all(f)) {
        say_unclear(f);
        return;
    }
    if (s->late)
        snprintf(s->said, sizeof s->said,
                 "rank %u is slow: it ran %.2f s longer than the median of the others", number,
                 s->behind);
    else
        snprintf(s->said, sizeof s->said,
                 "rank %u is held up: it waited %.2f s longer for a CPU than the median of the "
                 "others",
                 number, s->behind);
    if (explain_cpu_wait(f) || explain_memory(f) || explain_clock(f) || explain_far_memory(f) ||
        explain_work(f))
        return;
    if (is_wait_of_all(f)) {
        say_unclear(f);
        return;
    }
    s->cause = SLOW_NOT_SEEN;
    snprintf(s->why, sizeof s->why,
             "why is not in the summaries: what they tell of waiting for a CPU, memory, clocks and "
             "computing does not explain half of it");
}

void job_folder_judge(struct job_folder *f)
{
    f->slow = (struct job_slow){.rank = JOB_NONE, .beside = JOB_NONE};
    if (f->n < 2 || f->mixed)
        return;
    find_slow(f, get_wall, true);
    if (f->slow.rank == JOB_NONE)
        find_slow(f, get_cpu_wait, false);
    if (f->slow.rank != JOB_NONE)
        say_slow(f);
    else
        snprintf(f->slow.said, sizeof f->slow.said, "no rank stands out");
}

const char *slow_cause_name(enum slow_cause c)
{
    static const char *const names[SLOW_CAUSES] = {[SLOW_NOT_SEEN] = "not_seen",
                                                   [SLOW_SHARED_CPU] = "shared_cpu",
                                                   [SLOW_OTHER_PROGRAM] = "other_program",
                                                   [SLOW_CPU_WAIT] = "cpu_wait",
                                                   [SLOW_SWAPPED] = "swapped",
                                                   [SLOW_FAULTS] = "page_faults",
                                                   [SLOW_CLOCK] = "clock",
                                                   [SLOW_FAR_MEMORY] = "far_memory",
                                                   [SLOW_COMPUTES] = "computes",
                                                   [SLOW_SYSTEM] = "system"};
    return names[c];
}
