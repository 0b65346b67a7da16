#include "backends/job/rank_watch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/common/proc_file.h"
#include "backends/job/rank_impl.h"
#include "base/arena.h"
#include "base/cpu_list.h"
#include "base/env.h"
#include "base/print.h"
#include "engine/live/target.h"

enum { OTHERS_MOST = 32 };
/* Between two looks at the pages, which cost time. */
#define MEMORY_NS (UINT64_C(10) * 1000000000)

struct other_program {
    pid_t pid;
    uint64_t start_ticks;
    char name[48];
    double used; /* seconds */
};

struct rank_watch {
    struct rank_summary *s;
    struct rank_threads threads;
    struct rank_stacks stacks;
    struct rank_states states;
    bool allowed[CPU_LIST_MOST]; /* by the kernel's number */
    double clock_sum;            /* Hz x samples */
    uint64_t clocks;
    double throttled_before; /* the count of its CPUs at the last sample; NaN: not looked at yet */
    uint64_t memory_ns;      /* when the pages were looked at last */
    struct other_program others[OTHERS_MOST];
    size_t nothers;
};

struct rank_watch *rank_watch_new(struct rank_summary *s, char *const *argv)
{
    struct rank_watch *w = xcalloc(1, sizeof *w);
    w->s = s;
    w->throttled_before = NAN;
    rank_begin_fill(s, argv);
    return w;
}

void rank_watch_free(struct rank_watch *w)
{
    if (!w)
        return;
    rank_states_end(&w->states);
    rank_threads_free(&w->threads);
    free(w);
}

/* --- /proc/PID/status --- */

/* The CPUs that the program may use now: it may have bound itself. The summary keeps the first part
 * of a long list, as far as whole ranges go. */
static void see_affinity(struct rank_watch *w, char *status)
{
    char *p = strstr(status, "\nCpus_allowed_list:"), *kept = w->s->cpus;
    bool now[CPU_LIST_MOST];
    if (!p)
        return;
    p += strlen("\nCpus_allowed_list:");
    p += strspn(p, " \t");
    p[strcspn(p, "\n")] = '\0';
    if (cpu_list_parse(p, now) <= 0)
        return;
    if (memcmp(now, w->allowed, sizeof now) != 0) {
        memcpy(w->allowed, now, sizeof now);
        w->throttled_before = NAN; /* the counts are those of other CPUs */
    }
    const size_t n = print_line(kept, sizeof w->s->cpus, "%s", p);
    char *comma = strrchr(kept, ',');
    if (n < strlen(p) && comma)
        *comma = '\0';
}

static double read_swapped(const char *status)
{
    const char *p = strstr(status, "\nVmSwap:");
    return p ? 1024 * strtod(p + strlen("\nVmSwap:"), NULL) : 0;
}

static void see_status(struct rank_watch *w, const struct snapshot *s)
{
    double swapped = 0;
    bool known = false;
    for (size_t i = 0; i < s->nprocs; i++) {
        char path[64], text[8192];
        if (!s->procs[i].watched)
            continue;
        snprintf(path, sizeof path, "/proc/%d/status", (int)s->procs[i].pid);
        if (file_read(path, text, sizeof text) <= 0)
            continue;
        known = true;
        swapped += read_swapped(text);
        if (s->procs[i].pid == s->command.pid)
            see_affinity(w, text);
    }
    if (known && !(w->s->swapped >= swapped))
        w->s->swapped = swapped;
}

/* --- its CPUs --- */

static bool is_rank_cpu(const struct rank_watch *w, int cpu)
{
    return cpu >= 0 && cpu < CPU_LIST_MOST && w->allowed[cpu];
}

static void see_clock(struct rank_watch *w, const struct snapshot *s)
{
    double sum = 0;
    uint64_t n = 0;
    for (int i = 0; i < s->host->ncpus; i++) {
        if (!is_rank_cpu(w, s->cpus[i].id) || s->cpus[i].hz.validity != VALUE_OK)
            continue;
        sum += s->cpus[i].hz.v;
        n++;
    }
    if (n == 0)
        return;
    w->clock_sum += sum / (double)n;
    w->s->clock = w->clock_sum / (double)++w->clocks;
}

/* Source of the count: arch/x86/kernel/cpu/mce/therm_throt.c. */
static void see_throttling(struct rank_watch *w, const struct snapshot *s)
{
    double sum = 0;
    bool known = false;
    for (int i = 0; i < s->host->ncpus; i++) {
        char path[96];
        if (!is_rank_cpu(w, s->cpus[i].id))
            continue;
        snprintf(path, sizeof path,
                 "/sys/devices/system/cpu/cpu%d/thermal_throttle/core_throttle_count",
                 s->cpus[i].id);
        const long n = file_number(path, -1);
        known = known || n >= 0;
        sum += n >= 0 ? (double)n : 0;
    }
    if (!known)
        return;
    const double more = isnan(w->throttled_before) ? 0 : fmax(0, sum - w->throttled_before);
    w->s->throttled = (isnan(w->s->throttled) ? 0 : w->s->throttled) + more;
    w->throttled_before = sum;
}

/* The NUMA nodes of its CPUs, a bit each; 0: not known. */
static uint64_t find_rank_nodes(const struct rank_watch *w, const struct snapshot *s)
{
    uint64_t nodes = 0;
    for (int i = 0; i < s->host->ncpus; i++)
        if (is_rank_cpu(w, s->cpus[i].id) && s->cpus[i].node >= 0 &&
            s->cpus[i].node < RANK_NODES_MOST)
            nodes |= UINT64_C(1) << s->cpus[i].node;
    return nodes;
}

static void see_nodes(struct rank_watch *w, const struct snapshot *s)
{
    const uint64_t nodes = find_rank_nodes(w, s);
    rank_gpus_see(w->s, s, nodes);
    if (s->host->nnodes < 2 || (w->memory_ns && s->time_ns - w->memory_ns < MEMORY_NS))
        return;
    const double far = nodes ? rank_memory_far(s->command.pid, nodes) : NAN;
    if (!isnan(far))
        w->s->far = far;
    w->memory_ns = s->time_ns;
}

/* --- who else runs there --- */

/* CPU time of its CPUs in this interval that was not its own. */
static void see_others(struct rank_watch *w, const struct snapshot *s)
{
    double busy = 0;
    if (s->use.cpu.validity != VALUE_OK || s->interval_s <= 0)
        return;
    for (int i = 0; i < s->host->ncpus; i++)
        if (is_rank_cpu(w, s->cpus[i].id) && s->cpus[i].busy.validity == VALUE_OK)
            busy += s->cpus[i].busy.v;
    const double others = fmax(0, busy - s->use.cpu.v) / 100 * s->interval_s;
    w->s->others = (isnan(w->s->others) ? 0 : w->s->others) + others;
}

static struct other_program *find_other(struct rank_watch *w, const struct proc *p)
{
    for (size_t i = 0; i < w->nothers; i++)
        if (w->others[i].pid == p->pid && w->others[i].start_ticks == p->start_ticks)
            return &w->others[i];
    size_t at = w->nothers;
    if (at == OTHERS_MOST) { /* the one that used least makes room */
        at = 0;
        for (size_t i = 1; i < OTHERS_MOST; i++)
            at = w->others[i].used < w->others[at].used ? i : at;
    } else {
        w->nothers++;
    }
    w->others[at] = (struct other_program){.pid = p->pid, .start_ticks = p->start_ticks};
    print_line(w->others[at].name, sizeof w->others[at].name, "%s (pid %d)", p->comm, (int)p->pid);
    return &w->others[at];
}

/* A process counts where it ran last: Linux tells no more. */
static void see_other_programs(struct rank_watch *w, const struct snapshot *s)
{
    const pid_t self = getpid();
    for (size_t i = 0; i < s->nprocs && s->interval_s > 0; i++) {
        const struct proc *p = &s->procs[i];
        if (p->watched || p->pid == self || p->cpu_percent.validity != VALUE_OK ||
            p->cpu_percent.v < 1 || !is_rank_cpu(w, p->cpu))
            continue;
        struct other_program *o = find_other(w, p);
        o->used += p->cpu_percent.v / 100 * s->interval_s;
        if (o->used <= w->s->other_used)
            continue;
        memcpy(w->s->other, o->name, sizeof w->s->other);
        w->s->other_pid = (uint32_t)o->pid;
        w->s->other_used = o->used;
    }
}

/* --- the program --- */

static double share_time(const struct rank_stacks *r, enum rank_place place, double time)
{
    return r->samples[place] ? time * (double)r->within[place] / (double)r->samples[place] : NAN;
}

/* What the kernel counted is whole only when the program has ended. */
static void see_end(struct rank_watch *w, const struct command_state *c)
{
    struct rank_summary *out = w->s;
    const struct rank_stacks *r = &w->stacks;
    if (rank_states_end(&w->states)) {
        rank_threads_end(&w->threads, c->pid, w->states.ready);
        out->ready = rank_threads_waited(&w->threads);
        out->disk_wait = (double)w->states.disk / 1e9;
        out->stopped = (double)w->states.stopped / 1e9;
    }
    out->sampled = (double)(r->samples[RANK_USER] + r->samples[RANK_KERNEL]);
    out->polled_user = share_time(r, RANK_USER, out->user);
    out->polled_system = share_time(r, RANK_KERNEL, out->system);
}

static void see_command(struct rank_watch *w, const struct snapshot *s)
{
    struct rank_summary *out = w->s;
    const struct command_state *c = &s->command;
    const struct command_usage *u = &c->usage;
    out->wall = c->elapsed_s;
    out->end_us = s->wall_ns / 1000;
    if (s->use.memory_peak.validity == VALUE_OK && !(out->memory >= s->use.memory_peak.v))
        out->memory = s->use.memory_peak.v;
    if (!u->known)
        return;
    out->user = u->user_s;
    out->system = u->system_s;
    out->voluntary = (double)u->voluntary;
    out->forced = (double)u->forced;
    out->minor_faults = (double)u->minor_faults;
    out->major_faults = (double)u->major_faults;
    if (u->max_rss > u->max_rss_before && !(out->memory >= (double)u->max_rss))
        out->memory = (double)u->max_rss;
    see_end(w, c);
    snprintf(out->state, sizeof out->state, "ended");
    if (WIFSIGNALED(c->wait_status))
        out->signal = WTERMSIG(c->wait_status);
    else
        out->status = WEXITSTATUS(c->wait_status);
}

void rank_watch_see(struct rank_watch *w, const struct snapshot *s)
{
    if (s->command.pid > 0) {
        w->s->pid = (uint32_t)s->command.pid;
        rank_states_begin(&w->states, s->command.pid);
    }
    w->s->samples = (double)s->seq;
    if (s->stacks)
        rank_stacks_see(&w->stacks, s->stacks);
    see_command(w, s);
    if (!s->command.running)
        return;
    if (isnan(w->s->other_used))
        w->s->other_used = 0;
    see_status(w, s);
    rank_threads_see(&w->threads, s);
    w->s->ready = rank_threads_waited(&w->threads);
    see_clock(w, s);
    see_throttling(w, s);
    see_nodes(w, s);
    see_others(w, s);
    see_other_programs(w, s);
}
