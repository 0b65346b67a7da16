#include "engine/live/target_sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "engine/live/proc_rows.h"
#include "engine/statistics/slope.h"

enum { ANCESTORS_MAX = 64 };
/* The slope of memory is about the last samples: those of SLOPE_S seconds, and at least six. */
#define SLOPE_S       8.0
#define SLOPE_SAMPLES 6
/* Points nearer than this add nothing: all of SLOPE_S must fit into the list. */
#define SLOPE_STEP_S (SLOPE_S / 32)
/* What memory must change in that time to be worth a word: bytes, and a share of it. */
#define SLOPE_BYTES (256.0 * 1024)
#define SLOPE_SHARE 0.005
/* Rates are over the last second, less what a sample may come early: processes are listed and many
 * of them read once a second only (procs.h), so the growth of a shorter interval may be that of a
 * whole second. Points nearer than RATE_STEP_S add nothing. */
#define RATE_S      0.9
#define RATE_STEP_S (RATE_S / 16)
enum { RATE_POINTS = 24 };

struct rate_point {
    double time_s, total[PROC_WORKS];
};

struct target_sums {
    const struct snapshot *before; /* NULL: none yet */
    double total[PROC_WORKS];
    /*
     * What processes that are gone had used, and no parent has got yet: of this second, and of the
     * one before. Later, nobody will wait for them.
     */
    double owed[PROC_WORKS], owed_before[PROC_WORKS], owed_since_s;
    double peak, elapsed_s;
    double time_s[SLOPE_POINTS_MAX], memory[SLOPE_POINTS_MAX]; /* the last ones, oldest first */
    size_t n;
    struct rate_point rates[RATE_POINTS]; /* the oldest first; one of them is RATE_S old, or all
                                             that is known is younger */
    size_t nrates;
};

struct target_sums *target_sums_new(void)
{
    return xcalloc(1, sizeof(struct target_sums));
}

void target_sums_free(struct target_sums *t)
{
    if (!t)
        return;
    snapshot_unref(t->before);
    free(t);
}

/* --- what was used since the sample before --- */

static const struct proc *find_same_process(const struct snapshot *s, const struct proc *p)
{
    const struct proc *q = proc_rows_find(s, p->pid);
    return q && q->start_ticks == p->start_ticks ? q : NULL;
}

/* Whether a living process of the target has waited for p, which is gone, or for its parent. */
static bool was_waited_for(const struct target_sums *t, const struct snapshot *s,
                           const struct proc *p)
{
    for (int i = 0; i < ANCESTORS_MAX && p; i++) {
        const struct proc *parent = proc_rows_find(s, p->ppid);
        if (parent && parent->start_ticks <= p->start_ticks)
            return parent->watched;
        p = proc_rows_find(t->before, p->ppid);
    }
    return false;
}

/* Adds what living processes have used, and what they got from children that they waited for. */
static void add_living(const struct target_sums *t, const struct snapshot *s,
                       double used[PROC_WORKS], double waited[PROC_WORKS])
{
    for (size_t i = 0; i < s->nprocs; i++) {
        const struct proc *p = &s->procs[i];
        const struct proc *old = p->watched ? find_same_process(t->before, p) : NULL;
        for (int k = 0; p->watched && k < PROC_WORKS; k++) {
            used[k] += fmax(0, p->own[k] - (old ? old->own[k] : 0));
            waited[k] += fmax(0, p->waited[k] - (old ? old->waited[k] : 0));
        }
    }
}

/* Adds what was counted before of processes that are gone, where a parent has got all of it. */
static void add_gone(const struct target_sums *t, const struct snapshot *s, double gone[PROC_WORKS])
{
    for (size_t i = 0; i < t->before->nprocs; i++) {
        const struct proc *p = &t->before->procs[i];
        if (!p->watched || find_same_process(s, p) || !was_waited_for(t, s, p))
            continue;
        for (int k = 0; k < PROC_WORKS; k++)
            gone[k] += p->own[k] + p->waited[k];
    }
}

static void forget_owed(struct target_sums *t, double time_s)
{
    if (time_s - t->owed_since_s < 1)
        return;
    t->owed_since_s = time_s;
    memcpy(t->owed_before, t->owed, sizeof t->owed);
    memset(t->owed, 0, sizeof t->owed);
}

static void add_target_work(struct target_sums *t, const struct snapshot *s)
{
    double used[PROC_WORKS] = {0}, waited[PROC_WORKS] = {0}, gone[PROC_WORKS] = {0};
    if (!t->before)
        return;
    add_living(t, s, used, waited);
    add_gone(t, s, gone);
    forget_owed(t, (double)s->time_ns / 1e9);
    for (int k = 0; k < PROC_WORKS; k++) {
        const double owed = t->owed[k] + gone[k];
        const double fresh = waited[k] - t->owed_before[k] - owed;
        t->total[k] += used[k] + fmax(0, fresh);
        /* parents pay the oldest first */
        t->owed[k] = fmin(owed, fmax(0, -fresh));
        t->owed_before[k] = fmax(0, -fresh) - t->owed[k];
    }
}

/* At the end the kernel says what the command and the children that it waited for have used. */
static void take_usage(struct target_sums *t, const struct command_usage *u)
{
    const double known[PROC_WORKS] = {[PROC_CPU_S] = u->user_s + u->system_s,
                                      [PROC_MINOR_FAULTS] = (double)u->minor_faults,
                                      [PROC_MAJOR_FAULTS] = (double)u->major_faults};
    for (int k = 0; u->known && k < PROC_WORKS; k++)
        t->total[k] = fmax(t->total[k], known[k]);
}

/* --- memory --- */

static void keep_memory(struct target_sums *t, double time_s, double bytes)
{
    t->peak = fmax(t->peak, bytes);
    if (t->n && time_s - t->time_s[t->n - 1] < SLOPE_STEP_S)
        return;
    size_t drop = t->n == SLOPE_POINTS_MAX;
    while (t->n - drop >= SLOPE_SAMPLES && time_s - t->time_s[drop] > SLOPE_S)
        drop++;
    t->n -= drop;
    memmove(t->time_s, t->time_s + drop, t->n * sizeof *t->time_s);
    memmove(t->memory, t->memory + drop, t->n * sizeof *t->memory);
    t->time_s[t->n] = time_s;
    t->memory[t->n++] = bytes;
}

static struct value find_memory_slope(const struct target_sums *t)
{
    if (t->n < SLOPE_SAMPLES - 1 || t->time_s[t->n - 1] - t->time_s[0] < TARGET_SLOPE_S)
        return value_pending(UNIT_BYTES_PER_S);
    const struct slope s = slope_of(t->time_s, t->memory, t->n);
    const double change = fabs(s.per_x) * (t->time_s[t->n - 1] - t->time_s[0]);
    if (!s.sure || !(change >= fmax(SLOPE_BYTES, SLOPE_SHARE * t->memory[t->n - 1])))
        return value_missing("it neither rises nor falls", UNIT_BYTES_PER_S);
    return value_ok(s.per_x, UNIT_BYTES_PER_S);
}

/* --- the numbers --- */

/* Processes, threads and memory of those that run, and since when the oldest does. */
static void sum_living(struct target_sums *t, const struct snapshot *s, struct target_use *u)
{
    double bytes = 0, oldest = INFINITY;
    for (size_t i = 0; i < s->nprocs; i++) {
        const struct proc *p = &s->procs[i];
        if (!p->watched || p->state == 'Z' || p->state == 'X')
            continue;
        u->processes++;
        u->threads += p->threads > 0 ? (uint64_t)p->threads : 0;
        bytes += (double)p->rss;
        oldest = fmin(oldest, p->started_s);
    }
    if (u->processes == 0) {
        t->n = 0;
        return;
    }
    if (s->uptime_s.validity == VALUE_OK)
        t->elapsed_s = fmax(t->elapsed_s, s->uptime_s.v - oldest);
    if (bytes <= 0) { /* as a process ends, it gives its memory back first */
        u->memory = value_missing("its processes have none, or are about to end", UNIT_BYTES);
        return;
    }
    keep_memory(t, (double)s->time_ns / 1e9, bytes);
    u->memory = value_ok(bytes, UNIT_BYTES);
    u->memory_slope = find_memory_slope(t);
}

/* The share of all CPUs that is neither idle nor of the target. */
static struct value find_others(const struct snapshot *s, double cpu)
{
    const int ncpus = s->host ? s->host->ncpus : 0;
    if (s->total.busy.validity != VALUE_OK || ncpus <= 0)
        return s->total.busy;
    return value_ok(fmax(0, s->total.busy.v - cpu / ncpus), UNIT_PERCENT);
}

/* Keeps what was used until now, for the rates of later samples. */
static void keep_rate_point(struct target_sums *t, double time_s)
{
    struct rate_point p = {.time_s = time_s};
    if (t->nrates && time_s - t->rates[t->nrates - 1].time_s < RATE_STEP_S)
        return;
    size_t drop = t->nrates == RATE_POINTS;
    while (drop + 1 < t->nrates && time_s - t->rates[drop + 1].time_s >= RATE_S)
        drop++;
    t->nrates -= drop;
    memmove(t->rates, t->rates + drop, t->nrates * sizeof *t->rates);
    memcpy(p.total, t->total, sizeof p.total);
    t->rates[t->nrates++] = p;
}

static void set_rates(const struct target_sums *t, struct target_use *u, const struct snapshot *s)
{
    const double now_s = (double)s->time_ns / 1e9;
    const struct rate_point *from = t->rates; /* there is one: that of the sample before */
    double grown[PROC_WORKS];
    while (from + 1 < t->rates + t->nrates && now_s - from[1].time_s >= RATE_S)
        from++;
    for (int k = 0; k < PROC_WORKS; k++)
        grown[k] = t->total[k] - from->total[k];
    const double per_s = now_s > from->time_s ? 1 / (now_s - from->time_s) : 0;
    const double faults = grown[PROC_MINOR_FAULTS] + grown[PROC_MAJOR_FAULTS];
    u->cpu = value_ok(100 * grown[PROC_CPU_S] * per_s, UNIT_PERCENT);
    u->fault_rate = value_ok(faults * per_s, UNIT_COUNT_PER_S);
    u->major_fault_rate = value_ok(grown[PROC_MAJOR_FAULTS] * per_s, UNIT_COUNT_PER_S);
    u->others = find_others(s, u->cpu.v);
}

static void set_totals(const struct target_sums *t, struct target_use *u)
{
    u->cpu_time = value_ok(t->total[PROC_CPU_S], UNIT_SECONDS);
    u->faults = value_ok(t->total[PROC_MINOR_FAULTS] + t->total[PROC_MAJOR_FAULTS], UNIT_COUNT);
    u->major_faults = value_ok(t->total[PROC_MAJOR_FAULTS], UNIT_COUNT);
    if (t->peak > 0)
        u->memory_peak = value_ok(t->peak, UNIT_BYTES);
    u->elapsed = value_ok(t->elapsed_s, UNIT_SECONDS);
}

static void set_whole_use(struct target_use *u, struct value v)
{
    *u = (struct target_use){.cpu = v, .others = v, .cpu_time = v, .elapsed = v};
    u->memory = u->memory_slope = u->memory_peak = v;
    u->fault_rate = u->faults = u->major_fault_rate = u->major_faults = v;
    u->cpu_time.unit = u->elapsed.unit = UNIT_SECONDS;
    u->memory.unit = u->memory_peak.unit = UNIT_BYTES;
    u->memory_slope.unit = UNIT_BYTES_PER_S;
    u->fault_rate.unit = u->major_fault_rate.unit = UNIT_COUNT_PER_S;
    u->faults.unit = u->major_faults.unit = UNIT_COUNT;
}

void target_use_missing(struct target_use *u, const char *why)
{
    set_whole_use(u, value_missing(why, UNIT_PERCENT));
}

/* A command that waits for its exec is still a copy of rooftop. */
static bool is_held(const struct snapshot *s)
{
    return s->target_kind == TARGET_COMMAND && s->command.running && s->command.elapsed_s <= 0;
}

static void fill_use(struct target_sums *t, struct snapshot *s)
{
    struct target_use *u = &s->use;
    double grown[PROC_WORKS];
    target_use_missing(u, "none of its processes runs");
    memcpy(grown, t->total, sizeof grown);
    add_target_work(t, s);
    take_usage(t, &s->command.usage);
    for (int k = 0; k < PROC_WORKS; k++)
        grown[k] = t->total[k] - grown[k];
    sum_living(t, s, u);
    if (s->target_kind == TARGET_COMMAND)
        t->elapsed_s = s->command.elapsed_s;
    set_totals(t, u);
    if (!t->before)
        u->cpu = u->others = value_pending(UNIT_PERCENT);
    if (!t->before)
        u->fault_rate = u->major_fault_rate = value_pending(UNIT_COUNT_PER_S);
    else if (u->processes || grown[PROC_CPU_S] > 0 || grown[PROC_MINOR_FAULTS] > 0)
        set_rates(t, u, s);
    else
        u->others = find_others(s, 0);
}

void target_sums_add(struct target_sums *t, struct snapshot *s)
{
    if (s->target_kind == TARGET_HOST)
        target_use_missing(&s->use, "the whole host is watched");
    else if (proc_rows_missing(s))
        target_use_missing(&s->use, "/proc cannot be listed");
    else if (is_held(s))
        set_whole_use(&s->use, value_pending(UNIT_PERCENT));
    else
        fill_use(t, s);
    if (s->target_kind == TARGET_HOST)
        return;
    keep_rate_point(t, (double)s->time_ns / 1e9);
    snapshot_unref(t->before);
    t->before = snapshot_ref(s);
}
