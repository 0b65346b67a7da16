/*
 * Which rank is slower than the others, and by what, as far as the ranks recorded it.
 *
 * First comes what a rank did itself, because it does not depend on how busy the machine is: CPU
 * time without that in communication, where ranks wait by asking again and again; waits for disks;
 * being stopped. Then, whether a rank ended later than the others, or waited longer for a CPU,
 * which holds all up where they wait for each other: on a busy machine both may be chance.
 *
 * "More" is at least SLOW_LEAST of the median time and SLOW_SPREADS times the spread of the others,
 * and no other rank does half as much: a job whose ranks differ among each other has no slow rank.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "engine/job/job_folder_impl.h"
#include "engine/statistics/ranks.h"

#define SLOW_LEAST   0.05 /* of the median wall time, */
#define SLOW_LEAST_S 0.3  /* and so many seconds */
#define SLOW_SPREADS 4
/* Where all wait for a CPU, the one that waits most may do so by chance: only one that waits so
 * many times as long as the others, each for the CPU time that it gets, is held up. 40 healthy jobs
 * on two CPUs with 50 other programs had 1.4 times at most. */
#define SLOW_WAITS 2
/* The spread of few others is not known well: it is assumed to be at least this share of the wall
 * time, or of the CPU time. */
#define SLOW_FEW        3
#define SLOW_FEW_SPREAD 0.05
#define SLOW_SPREAD     0.01
#define SLOW_CPU_SPREAD 0.02
#define SLOW_LOOK_S     0.05 /* between two looks at a rank's state */

static double get_wall(const struct job_member *m)
{
    return m->s.wall;
}

double job_cpu_wait(const struct job_member *m)
{
    return m->s.ready;
}

static double get_cpu(const struct job_member *m)
{
    return m->s.user + m->s.system;
}

static double know_or_zero(double v)
{
    return isnan(v) ? 0 : v;
}

/* CPU time outside of communication, in the program and in the kernel. */
static double get_user(const struct job_member *m)
{
    return m->s.user - know_or_zero(m->s.polled_user);
}

static double get_system(const struct job_member *m)
{
    return m->s.system - know_or_zero(m->s.polled_system);
}

double job_member_work(const struct job_member *m)
{
    return get_user(m) + get_system(m);
}

static double get_stopped(const struct job_member *m)
{
    return m->s.stopped;
}

static double get_disk_wait(const struct job_member *m)
{
    return m->s.disk_wait;
}

/* Seconds for which a rank waits for a CPU to get one second of it. */
static double get_wait_share(const struct job_member *m)
{
    const double cpu = get_cpu(m);
    return cpu > 0 ? m->s.ready / cpu : NAN;
}

/* The error of the CPU time outside of communication: call stacks are samples. Laplace's rule of
 * succession: that none of few samples is in communication says little. */
static double get_sampling_error(const struct job_member *m)
{
    const double cpu = get_cpu(m), n = m->s.sampled;
    if (!(cpu > 0 && n > 0))
        return 0;
    const double share = (n * (1 - job_member_work(m) / cpu) + 1) / (n + 2);
    return cpu * sqrt(fmax(0, share * (1 - share)) / (n + 2));
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

struct outlier {
    uint32_t rank;
    double excess; /* over the median of the others */
    double median, spread;
};

/* The ranks with the most and the second most of it; JOB_NONE: fewer know it. */
static void find_two_most(const struct job_folder *f, double (*of)(const struct job_member *),
                          uint32_t *most, uint32_t *second)
{
    *most = *second = JOB_NONE;
    for (uint32_t i = 0; i < f->n; i++) {
        const double v = of(&f->ranks[i]);
        if (isnan(v))
            continue;
        if (*most == JOB_NONE || v > of(&f->ranks[*most])) {
            *second = *most;
            *most = i;
        } else if (*second == JOB_NONE || v > of(&f->ranks[*second])) {
            *second = i;
        }
    }
}

/* Whether one rank alone has more of it: by `least`, and by SLOW_SPREADS times the spread of the
 * others, which is not taken for less than `spread`. */
static bool find_outlier(const struct job_folder *f, double (*of)(const struct job_member *),
                         double least, double spread, struct outlier *o)
{
    uint32_t second;
    find_two_most(f, of, &o->rank, &second);
    if (second == JOB_NONE)
        return false;
    o->median = job_folder_median(f, of, o->rank, &o->spread);
    o->excess = of(&f->ranks[o->rank]) - o->median;
    o->spread = fmax(o->spread, spread);
    return o->excess >= least && o->excess >= SLOW_SPREADS * o->spread &&
           of(&f->ranks[second]) - o->median < o->excess / 2;
}

bool job_is_polling(const struct job_folder *f)
{
    for (uint32_t i = 0; i < f->n; i++)
        if (job_member_work(&f->ranks[i]) < 0.9 * get_cpu(&f->ranks[i]))
            return true;
    return false;
}

static double find_least_time(double wall)
{
    return fmax(SLOW_LEAST * wall, SLOW_LEAST_S);
}

/* What a rank did itself. */
struct slow_sign {
    double (*of)(const struct job_member *);
    bool cpu; /* CPU time: where all wait for CPUs, it takes so much longer */
    enum slow_cause cause;
};

/* By call stacks; without them, the CPU time of a rank that waits for others cannot be told from
 * its work, and in the kernel the ones that wait may use more. */
static const struct slow_sign signs[] = {{get_stopped, false, SLOW_STOPPED},
                                         {get_disk_wait, false, SLOW_DISK},
                                         {get_user, true, SLOW_COMPUTES},
                                         {get_system, true, SLOW_SYSTEM}};
static const struct slow_sign unsampled[] = {{get_stopped, false, SLOW_STOPPED},
                                             {get_disk_wait, false, SLOW_DISK},
                                             {get_cpu, true, SLOW_COMPUTES}};

static bool is_job_sampled(const struct job_folder *f)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->n; i++)
        n += f->ranks[i].s.sampled > 0;
    return n == f->n;
}

static bool find_sign(const struct job_folder *f, const struct slow_sign *g, double least,
                      double stretch, struct outlier *o)
{
    const double share = f->n - 1 < SLOW_FEW ? SLOW_FEW_SPREAD : SLOW_CPU_SPREAD;
    double error = 0;
    if (!g->cpu)
        return find_outlier(f, g->of, least, SLOW_LOOK_S, o);
    for (uint32_t i = 0; i < f->n; i++)
        error = fmax(error, get_sampling_error(&f->ranks[i]));
    const double work = job_folder_median(f, job_member_work, JOB_NONE, NULL);
    return find_outlier(f, g->of, least / stretch, fmax(error, share * work), o);
}

/* The sign with most seconds. */
static void find_own_work(struct job_folder *f, double wall)
{
    const bool sampled = is_job_sampled(f);
    const struct slow_sign *list = sampled ? signs : unsampled;
    const size_t n = sampled ? sizeof signs / sizeof *signs : sizeof unsampled / sizeof *unsampled;
    const double waits = job_folder_median(f, get_wait_share, JOB_NONE, NULL);
    const double stretch = isfinite(waits) ? 1 + waits : 1;
    for (size_t i = 0; i < n; i++) {
        struct outlier o;
        const double times = list[i].cpu ? stretch : 1;
        if (!find_sign(f, &list[i], find_least_time(wall), times, &o) || o.excess <= f->slow.own)
            continue;
        f->slow.rank = o.rank;
        f->slow.behind = o.excess * times;
        f->slow.own = o.excess;
        f->slow.median = o.median;
        f->slow.spread = o.spread;
        f->slow.cause = list[i].cause;
    }
}

static double find_wall_spread(const struct job_folder *f, double wall)
{
    return wall * (f->n - 1 < SLOW_FEW ? SLOW_FEW_SPREAD : SLOW_SPREAD);
}

/* The rank that waits longer than the others for the CPU time that it gets. */
static void find_held_up(struct job_folder *f, double wall)
{
    struct outlier o;
    if (!find_outlier(f, get_wait_share, 0, 0, &o))
        return;
    const struct job_member *m = &f->ranks[o.rank];
    const double excess = o.excess * get_cpu(m);
    if (excess < find_least_time(wall) || excess < SLOW_SPREADS * find_wall_spread(f, wall) ||
        o.excess < (SLOW_WAITS - 1) * o.median ||
        m->s.ready < job_folder_median(f, job_cpu_wait, o.rank, NULL))
        return;
    f->slow.rank = o.rank;
    f->slow.behind = excess;
    f->slow.spread = o.spread * get_cpu(m);
    f->slow.cause = SLOW_CPU_WAIT;
}

/* The rank that ended later. */
static void find_late(struct job_folder *f, double wall)
{
    struct outlier o;
    if (!find_outlier(f, get_wall, find_least_time(wall), find_wall_spread(f, wall), &o))
        return;
    f->slow.rank = o.rank;
    f->slow.behind = o.excess;
    f->slow.spread = o.spread;
}

bool job_ended_later(const struct job_folder *f)
{
    if (f->slow.rank == JOB_NONE)
        return false;
    const double median = job_folder_median(f, get_wall, f->slow.rank, NULL);
    return get_wall(&f->ranks[f->slow.rank]) - median >= find_least_time(median);
}

/* What the rank that slow.rank names did so much longer, itself. */
static void find_own_cause(struct job_folder *f, double seconds)
{
    static const struct slow_sign idles = {job_member_idle, false, SLOW_IDLE};
    const struct slow_sign *all[] = {&signs[0], &signs[1], &signs[2], &signs[3], &idles};
    const double waits = job_folder_median(f, get_wait_share, JOB_NONE, NULL);
    double most = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const double stretch = all[i]->cpu && isfinite(waits) ? 1 + waits : 1;
        const double median = job_folder_median(f, all[i]->of, f->slow.rank, NULL);
        const double own = all[i]->of(&f->ranks[f->slow.rank]) - median;
        if (!(own * stretch >= seconds / 2 && own * stretch > most))
            continue;
        most = own * stretch;
        f->slow.own = own;
        f->slow.median = median;
        f->slow.cause = all[i]->cause;
    }
}

bool job_say_why(struct job_folder *f, double seconds)
{
    const double ready = job_cpu_wait(&f->ranks[f->slow.rank]);
    const double others = job_folder_median(f, job_cpu_wait, f->slow.rank, NULL);
    find_own_cause(f, seconds);
    if (f->slow.cause != SLOW_NOT_SEEN) {
        job_explain_own_work(f);
        return true;
    }
    if (ready - others >= seconds / 2 && ready >= SLOW_WAITS * others) {
        job_explain_cpu_wait(f);
        return true;
    }
    return !(fmax(ready, others) >= seconds / 2);
}

void job_folder_judge(struct job_folder *f)
{
    const double wall = job_folder_median(f, get_wall, JOB_NONE, NULL);
    f->slow = (struct job_slow){.rank = JOB_NONE, .beside = JOB_NONE};
    if (f->mixed)
        return;
    const char *healthy = f->n > 1 ? "no rank stands out" : "";
    snprintf(f->slow.said, sizeof f->slow.said, "%s", f->failed ? f->failure : healthy);
    if (f->n < 2 || !(wall > 0))
        return;
    find_own_work(f, wall);
    if (f->slow.rank != JOB_NONE) {
        job_say_own_work(f);
        return;
    }
    find_held_up(f, wall);
    if (f->slow.rank != JOB_NONE) {
        job_say_held_up(f);
        return;
    }
    find_late(f, wall);
    if (f->slow.rank != JOB_NONE)
        job_say_late(f);
}
