/* Why a rank is slow, in sentences: the first cause that the summaries show. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cpu_list.h"
#include "base/plural.h"
#include "engine/job/job_folder_impl.h"
#include "engine/value/value.h"

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

static double get_far_gpus(const struct job_member *m)
{
    return m->s.gpus_far;
}

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

void job_explain_cpu_wait(struct job_folder *f)
{
    struct job_slow *s = &f->slow;
    const struct job_member *m = &f->ranks[s->rank];
    const double median = job_folder_median(f, job_cpu_wait, s->rank, NULL);
    bool own[CPU_LIST_MOST];
    const int cpus = cpu_list_parse(m->s.cpus, own);
    const uint32_t sharers = cpus > 0 ? count_sharers(f, s->rank, own, &s->beside) : 0;
    if (cpus > 0 && m->s.other_used >= s->behind / 4 && !is_other_a_rank(f, s->rank)) {
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

/* Where others have such GPUs, too, this is not what makes it differ from them. */
static bool explain_far_gpu(struct job_folder *f)
{
    struct job_slow *s = &f->slow;
    const struct job_member *m = &f->ranks[s->rank];
    if (!(m->s.gpus_far > 0 && job_folder_median(f, get_far_gpus, s->rank, NULL) == 0))
        return false;
    s->cause = SLOW_FAR_GPU;
    snprintf(
        s->why, sizeof s->why,
        "its GPU %.47s is on another NUMA node than its CPUs (%.60s); those of most others are "
        "not",
        m->s.far_gpu, m->s.cpus);
    return true;
}

/* What its place and its hardware do to a rank that needs longer. */
static bool explain_hardware(struct job_folder *f)
{
    return explain_clock(f) || explain_far_memory(f) || explain_far_gpu(f);
}

/* CPU time and states of the rank itself. */
static void explain_own_times(struct job_folder *f)
{
    static const char *const did[SLOW_CAUSES] = {
        [SLOW_STOPPED] = "a signal or a debugger had stopped it",
        [SLOW_DISK] = "it waited for a disk or a file server",
        [SLOW_IDLE] = "it slept, or waited for something that is not recorded,",
        [SLOW_SYSTEM] = "it used the CPU in the kernel",
        [SLOW_COMPUTES] = "it used the CPU"};
    struct job_slow *s = &f->slow;
    snprintf(s->why, sizeof s->why, "%s for %.2f s, the median of the others for %.2f s%s",
             did[s->cause], s->own + s->median, s->median,
             job_is_polling(f) ? "; communication is left out" : "");
}

/* No rank is called slow: the wait of all hides whether one is. */
static void say_unclear(struct job_folder *f)
{
    struct job_slow *s = &f->slow;
    const struct job_member *m = &f->ranks[s->rank];
    const double median = job_folder_median(f, job_cpu_wait, s->rank, NULL);
    snprintf(s->said, sizeof s->said, "not clear whether a rank is slow: their CPUs are busy");
    snprintf(s->why, sizeof s->why,
             "all ranks wait for a CPU: rank %u for %.2f s, the median of the others for %.2f s; "
             "with fewer ranks and programs on their CPUs a slow one would show",
             m->s.rank, m->s.ready, median);
    s->rank = JOB_NONE;
}

void job_say_late(struct job_folder *f)
{
    struct job_slow *s = &f->slow;
    const struct job_member *m = &f->ranks[s->rank];
    snprintf(s->said, sizeof s->said,
             "rank %u is slow: it ran %.2f s longer than the median of the others", m->s.rank,
             s->behind);
    if (explain_memory(f) || explain_hardware(f))
        return;
    const double waited = job_folder_median(f, job_cpu_wait, s->rank, NULL);
    if (fmax(m->s.ready, waited) >= s->behind / 2) {
        say_unclear(f); /* where all wait so long, one that ended later may be chance */
        return;
    }
    s->cause = SLOW_NOT_SEEN;
    snprintf(s->why, sizeof s->why,
             "why is not in the summaries: what they tell of waiting for a CPU, memory, clocks and "
             "computing does not explain half of it");
}

void job_say_held_up(struct job_folder *f)
{
    struct job_slow *s = &f->slow;
    snprintf(
        s->said, sizeof s->said,
        "rank %u is held up: it waited %.2f s longer for a CPU than the others for as much of it",
        f->ranks[s->rank].s.rank, s->behind);
    job_explain_cpu_wait(f);
}

void job_explain_own_work(struct job_folder *f)
{
    const enum slow_cause cause = f->slow.cause;
    const bool cpu = cause == SLOW_COMPUTES || cause == SLOW_SYSTEM;
    if (cpu && explain_hardware(f))
        return;
    if (cause != SLOW_DISK || !explain_memory(f))
        explain_own_times(f);
}

void job_say_own_work(struct job_folder *f)
{
    struct job_slow *s = &f->slow;
    static const char *const does[SLOW_CAUSES] = {[SLOW_STOPPED] = "was stopped",
                                                  [SLOW_DISK] = "waited for a disk",
                                                  [SLOW_SYSTEM] = "works in the kernel",
                                                  [SLOW_COMPUTES] = "computes"};
    snprintf(s->said, sizeof s->said,
             "rank %u is slow: it %s %.2f s longer than the median of the others",
             f->ranks[s->rank].s.rank, does[s->cause], s->own);
    job_explain_own_work(f);
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
                                                   [SLOW_FAR_GPU] = "far_gpu",
                                                   [SLOW_COMPUTES] = "computes",
                                                   [SLOW_SYSTEM] = "system",
                                                   [SLOW_STOPPED] = "stopped",
                                                   [SLOW_DISK] = "disk",
                                                   [SLOW_IDLE] = "idle",
                                                   [SLOW_COLLECTIVES] = "collectives",
                                                   [SLOW_HANG] = "hang"};
    return names[c];
}
