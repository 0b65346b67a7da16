#include "engine/summary/session_facts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/hash_table.h"
#include "base/list.h"
#include "base/watch.h"
#include "engine/live/gpus.h"

enum { TRACKED_MAX = 1 << 16 /* processes; further ones are not ranked */ };

/* Sums of a number over time, by Welford's method: exact where values are large and alike. */
struct session_sums {
    double t_mean, t_m2, v_m2, tv;
};

struct tracked_process {
    int pid;
    uint64_t start_ticks;
    double before_s, now_s; /* CPU time: before the session, and as seen last */
    char name[64];
};

struct session_pass { /* one reading of all frames */
    struct session_facts *out;
    struct session_sums cpu, memory, own_cpu, own_memory;
    struct tracked_process *procs;
    size_t nprocs, cap;
    struct hash_table index;
    uint64_t previous_ns;
    double used_before_s, used_s; /* CPU time of the target: in the first frame, the last known */
    uint64_t used_ns;             /* when that was; 0: never known */
};

static void add_session_number(struct session_number *x, struct session_sums *s, double t, double v,
                               uint64_t at_ns)
{
    const double n = (double)++x->n, dt = t - s->t_mean, dv = v - x->mean;
    s->t_mean += dt / n;
    x->mean += dv / n;
    s->t_m2 += dt * (t - s->t_mean);
    s->v_m2 += dv * (v - x->mean);
    s->tv += dt * (v - x->mean);
    if (x->n == 1 || v > x->peak) {
        x->peak = v;
        x->peak_ns = at_ns;
    }
    if (x->n == 1) {
        x->first = v;
        x->first_s = t;
    }
    x->last = v;
    x->over_s = t - x->first_s;
}

static void end_session_number(struct session_number *x, const struct session_sums *s)
{
    x->slope = x->fit = NAN;
    if (x->n < 3 || s->t_m2 <= 0)
        return;
    x->slope = s->tv / s->t_m2;
    if (s->v_m2 > 0)
        x->fit = s->tv / sqrt(s->t_m2 * s->v_m2);
}

/* --- processes --- */

static struct tracked_process *find_tracked_process(struct session_pass *p, const struct proc *of)
{
    const uint64_t hash = hash_number((uint64_t)of->pid, of->start_ticks);
    HASH_EACH (&p->index, hash, i)
        if (p->procs[i].pid == of->pid && p->procs[i].start_ticks == of->start_ticks)
            return &p->procs[i];
    if (p->nprocs == TRACKED_MAX)
        return NULL;
    hash_table_add(&p->index, hash, p->nprocs);
    /* what began later used all its time during the session */
    struct tracked_process new = {.pid = of->pid,
                                  .start_ticks = of->start_ticks,
                                  .before_s = p->out->frames == 1 ? of->cpu_seconds : 0};
    LIST_ADD(p->procs, p->nprocs, p->cap, new);
    return &p->procs[p->nprocs - 1];
}

/*
 * What the target used as a whole, of which no child is missing that began and ended between two
 * frames. Frames of old sessions do not have it: there, the living processes are summed.
 */
static void take_own_cpu(struct session_pass *p, const struct snapshot *s, double t,
                         const struct value *living)
{
    const struct value *cpu = s->use.cpu.validity == VALUE_OK ? &s->use.cpu : living;
    if (cpu->validity == VALUE_OK)
        add_session_number(&p->out->own_cpu, &p->own_cpu, t, cpu->v, s->time_ns);
    if (s->use.cpu_time.validity != VALUE_OK)
        return;
    p->used_s = s->use.cpu_time.v;
    p->used_ns = s->time_ns;
    if (p->out->frames == 1)
        p->used_before_s = p->used_s;
}

/* The mean is the time used by the time that went by: samples may be of different length. */
static void end_own_cpu(struct session_pass *p)
{
    struct session_facts *f = p->out;
    if (f->own_cpu.n && p->used_ns > f->first_ns)
        f->own_cpu.mean =
            100 * (p->used_s - p->used_before_s) / ((double)(p->used_ns - f->first_ns) / 1e9);
}

static void take_processes(struct session_pass *p, const struct snapshot *s, double t)
{
    double percent = 0, bytes = 0;
    size_t watched = 0, measured = 0;
    for (size_t i = 0; i < s->nprocs; i++) {
        const struct proc *of = &s->procs[i];
        struct tracked_process *k = find_tracked_process(p, of);
        if (k) {
            k->now_s = of->cpu_seconds;
            snprintf(k->name, sizeof k->name, "%s", of->comm);
        }
        if (!of->watched)
            continue;
        watched++;
        bytes += (double)of->rss;
        if (of->cpu_percent.validity == VALUE_OK) {
            percent += of->cpu_percent.v;
            measured++;
        }
    }
    const struct value living =
        measured ? value_ok(percent, UNIT_PERCENT) : value_pending(UNIT_PERCENT);
    take_own_cpu(p, s, t, &living);
    if (watched)
        add_session_number(&p->out->own_memory, &p->own_memory, t, bytes, s->time_ns);
}

static int compare_used_time(const void *a, const void *b)
{
    const struct tracked_process *x = a, *y = b;
    const double of_x = x->now_s - x->before_s, of_y = y->now_s - y->before_s;
    if (of_x != of_y)
        return of_x > of_y ? -1 : 1;
    return x->pid < y->pid ? -1 : x->pid > y->pid;
}

static void rank_processes(struct session_pass *p)
{
    struct session_facts *f = p->out;
    if (p->nprocs)
        qsort(p->procs, p->nprocs, sizeof *p->procs, compare_used_time);
    for (size_t i = 0; i < p->nprocs && f->nbusiest < SESSION_BUSIEST; i++) {
        const struct tracked_process *k = &p->procs[i];
        const double used = k->now_s - k->before_s;
        if (used <= 0)
            break;
        struct session_busy *to = &f->busiest[f->nbusiest++];
        *to = (struct session_busy){.pid = k->pid, .cpu_s = used};
        memcpy(to->name, k->name, sizeof to->name);
    }
}

/* --- a frame --- */

static void take_first_frame(struct session_facts *f, const struct snapshot *s)
{
    f->first_ns = s->time_ns;
    f->wall_ns = s->wall_ns;
    f->host = *s->host;
    f->target = arena_strdup(&f->texts, s->target);
    f->target_kind = s->target_kind;
    f->moved[IO_NETWORK] = f->moved[IO_DISK] = NAN;
}

static void take_gap(struct session_pass *p, const struct snapshot *s)
{
    struct session_facts *f = p->out;
    const uint64_t gap = s->time_ns - p->previous_ns;
    if (f->frames > 1 && s->time_ns > p->previous_ns && gap > f->gap_ns) {
        f->gap_ns = gap;
        f->gap_at_ns = p->previous_ns;
    }
    p->previous_ns = s->time_ns;
}

static void take_moved_bytes(struct session_facts *f, const struct snapshot *s)
{
    for (size_t i = 0; i < s->nio; i++) {
        const struct io_device *d = &s->io[i];
        double *sum = &f->moved[d->kind == IO_DISK ? IO_DISK : IO_NETWORK];
        if (!d->counted || d->in.validity != VALUE_OK || d->out.validity != VALUE_OK)
            continue;
        *sum = (isnan(*sum) ? 0 : *sum) + (d->in.v + d->out.v) * s->interval_s;
    }
}

static void take_notices(struct session_facts *f, const struct snapshot *s)
{
    for (size_t i = 0; i < s->nnotices; i++) {
        bool known = s->notices[i].level == NOTICE_INFO;
        for (size_t k = 0; k < f->nnotices; k++)
            known |= strcmp(f->notices[k], s->notices[i].text) == 0;
        if (!known && f->nnotices < SESSION_NOTICES)
            f->notices[f->nnotices++] = arena_strdup(&f->texts, s->notices[i].text);
    }
}

static bool take_session_frame(void *ctx, const struct snapshot *s)
{
    struct session_pass *p = ctx;
    struct session_facts *f = p->out;
    if (f->frames++ == 0)
        take_first_frame(f, s);
    const double t = (double)(s->time_ns - f->first_ns) / 1e9;
    take_gap(p, s);
    if (s->total.busy.validity == VALUE_OK)
        add_session_number(&f->cpu, &p->cpu, t, s->total.busy.v, s->time_ns);
    if (s->memory.used.validity == VALUE_OK)
        add_session_number(&f->memory, &p->memory, t, s->memory.used.v, s->time_ns);
    take_processes(p, s, t);
    take_moved_bytes(f, s);
    take_notices(f, s);
    f->last_ns = s->time_ns;
    f->interval_s = s->asked_interval_s;
    f->command = s->command;
    f->command.output = NULL;
    f->late = s->late_samples;
    f->samples += s->stacks ? s->stacks->samples : 0;
    f->bricks |= s->bricks != NULL;
    if (s->gpus && s->gpus->n > f->gpus)
        f->gpus = s->gpus->n;
    return !watch_given_up();
}

int session_facts_find(struct session_facts *out, struct recording *r, struct error *err)
{
    *out = (struct session_facts){.frames = 0};
    struct session_pass p = {.out = out};
    int rc = recording_scan(r, 0, recording_count(r), RECORDING_ALL, take_session_frame, &p, err);
    if (rc == 0)
        rc = watch_check("a session", err);
    end_session_number(&out->cpu, &p.cpu);
    end_session_number(&out->memory, &p.memory);
    end_session_number(&out->own_cpu, &p.own_cpu);
    end_own_cpu(&p);
    end_session_number(&out->own_memory, &p.own_memory);
    rank_processes(&p);
    out->note = r->note ? arena_strdup(&out->texts, r->note) : NULL;
    free(p.procs);
    hash_table_free(&p.index);
    return rc;
}

void session_facts_free(struct session_facts *f)
{
    arena_free(&f->texts);
    *f = (struct session_facts){.frames = 0};
}
