#include "engine/compare/run_gather.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/arena.h"
#include "base/list.h"
#include "engine/bricks/bricks.h"
#include "engine/live/engine.h"
#include "engine/live/metric.h"

enum { SERIES_MAX = 4096, RSS_SLACK = 128 << 10 };

/* A number whose mean over the samples is wanted. */
struct counter_series {
    char *id, *label;
    uint8_t group, unit, flags;
    double *v; /* the samples, if they are kept */
    size_t n, cap;
    double sum, seconds; /* sums of v * interval and of the intervals */
};

/* The total of a counter. */
struct counter_tally {
    char *set, *name;
    double sum, running; /* running: share of the time that it was counted, times the interval */
    double seconds;
    uint8_t flags;
    bool lacking; /* some interval lacks its count, so its total is unknown */
};

struct run_gather {
    bool samples, over;
    const struct user_tables *user;
    struct counter_series *series;
    size_t nseries, cap, cursor;
    struct counter_tally *tallies;
    size_t ntallies, tallies_cap, tally_cursor;
    const struct snapshot *last;
    double busy_s, seconds; /* CPU seconds that were busy; seconds that passed */
    uint64_t wall_ns;
};

struct run_gather *run_gather_new(bool samples, const struct user_tables *user)
{
    struct run_gather *g = xcalloc(1, sizeof *g);
    g->samples = samples;
    g->user = user;
    return g;
}

bool run_gather_over(const struct run_gather *g)
{
    return g->over;
}

/* --- quantities that another number already shows --- */

/* Whether a command's resource usage, or its elapsed time, already has this number. */
static bool told_by_usage(const char *id)
{
    static const char *const ids[] = {
        "c:software/cpu-clock",
        "c:software/task-clock",
        "c:software/page-faults",
        "c:software/minor-faults",
        "c:software/major-faults",
        "c:software/context-switches",
        "c:msr/tsc",
        "m:fault_rate",
        "m:major_fault_rate",
        "m:switch_rate",
        "m:tsc_rate",
    };
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (strcmp(ids[i], id) == 0)
            return true;
    return false;
}

/* Whether a metric is nothing but that counter per second. */
static bool is_rate_of(const struct metric_def *d, const struct counter *c)
{
    char plain[160], quoted[160];
    snprintf(plain, sizeof plain, "%.120s / interval", c->name);
    snprintf(quoted, sizeof quoted, "'%.120s' / interval", c->name);
    return strcmp(d->set, c->set) == 0 &&
           (strcmp(d->formula, plain) == 0 || strcmp(d->formula, quoted) == 0);
}

static bool is_rate_of_any(const struct metric_def *d, const struct snapshot *s)
{
    for (size_t i = 0; i < s->ncounters; i++)
        if (is_rate_of(d, &s->counters[i]))
            return true;
    return false;
}

static bool shown_as_metric(const struct snapshot *s, const struct counter *c)
{
    if (strcmp(c->set, "software") == 0 && strstr(c->name, "-clock"))
        return true; /* the CPU utilisation already shows CPU time */
    for (size_t i = 0; i < s->nmetrics; i++)
        if (s->metrics[i].def->label && s->metrics[i].def->label[0] &&
            is_rate_of(s->metrics[i].def, c))
            return true;
    return false;
}

/* --- samples --- */

static struct counter_series *find_or_add_series(struct run_gather *g, const char *id,
                                                 const char *label, enum run_group group,
                                                 enum unit unit)
{
    for (size_t k = 0; k < g->nseries; k++) { /* rows come in the same order in each snapshot */
        size_t i = (g->cursor + k) % g->nseries;
        if (strcmp(g->series[i].id, id) == 0) {
            g->cursor = i + 1;
            return &g->series[i];
        }
    }
    if (g->nseries == SERIES_MAX)
        return NULL;
    LIST_ROOM(g->series, g->nseries, g->cap);
    struct counter_series *s = &g->series[g->nseries++];
    *s = (struct counter_series){
        .id = xstrdup(id), .label = xstrdup(label), .group = (uint8_t)group, .unit = (uint8_t)unit};
    g->cursor = g->nseries;
    return s;
}

static void add_sample_to_series(struct run_gather *g, const char *id, const char *label,
                                 enum run_group group, const struct value *v, double seconds)
{
    if (v->validity != VALUE_OK)
        return;
    struct counter_series *s = find_or_add_series(g, id, label, group, (enum unit)v->unit);
    if (!s)
        return;
    s->sum += v->v * (seconds > 0 ? seconds : 1);
    s->seconds += seconds > 0 ? seconds : 1;
    if (!g->samples) {
        s->n++;
        return;
    }
    LIST_ROOM(s->v, s->n, s->cap);
    s->v[s->n++] = v->v;
}

static bool of_machine(const struct snapshot *s, const struct counter *c)
{
    return c->gauge || strcmp(c->set, "system") == 0 || s->target_kind == TARGET_HOST;
}

static void sample_all(struct run_gather *g, const struct snapshot *s)
{
    char id[320], label[320];
    bool host = s->target_kind == TARGET_HOST;
    add_sample_to_series(g, "cpu.busy", "CPU busy", RUN_MACHINE, &s->total.busy, s->interval_s);
    add_sample_to_series(g, "cpu.system", "CPU in the kernel", RUN_MACHINE, &s->total.system,
                         s->interval_s);
    add_sample_to_series(g, "cpu.iowait", "CPU waiting for I/O", RUN_MACHINE, &s->total.iowait,
                         s->interval_s);
    add_sample_to_series(g, "mem.used", "memory used", RUN_MACHINE, &s->memory.used, s->interval_s);
    for (size_t i = 0; i < s->nmetrics; i++) {
        const struct metric_def *d = s->metrics[i].def;
        if (!d->label || !d->label[0] || (host && strcmp(d->id, "cpu_util") == 0))
            continue; /* "CPU busy" already shows it for the whole machine */
        snprintf(id, sizeof id, "m:%s", d->id);
        add_sample_to_series(g, id, d->label, host ? RUN_MACHINE : RUN_WORK, &s->metrics[i].value,
                             s->interval_s);
    }
    for (size_t i = 0; i < s->ncounters; i++) {
        const struct counter *c = &s->counters[i];
        if (shown_as_metric(s, c))
            continue;
        snprintf(id, sizeof id, "c:%.150s/%.150s", c->set, c->name);
        snprintf(label, sizeof label, "%.150s/%.150s", c->set, c->name);
        add_sample_to_series(g, id, label, of_machine(s, c) ? RUN_MACHINE : RUN_WORK, &c->rate,
                             s->interval_s);
    }
}

/* --- totals --- */

static struct counter_tally *tally_of(struct run_gather *g, const struct counter *c)
{
    for (size_t k = 0; k < g->ntallies; k++) {
        size_t i = (g->tally_cursor + k) % g->ntallies;
        if (strcmp(g->tallies[i].name, c->name) == 0 && strcmp(g->tallies[i].set, c->set) == 0) {
            g->tally_cursor = i + 1;
            return &g->tallies[i];
        }
    }
    if (g->ntallies == SERIES_MAX)
        return NULL;
    LIST_ROOM(g->tallies, g->ntallies, g->tallies_cap);
    struct counter_tally *t = &g->tallies[g->ntallies++];
    *t = (struct counter_tally){.set = xstrdup(c->set), .name = xstrdup(c->name)};
    g->tally_cursor = g->ntallies;
    return t;
}

static void tally_all(struct run_gather *g, const struct snapshot *s)
{
    for (size_t i = 0; i < s->ncounters; i++) {
        const struct counter *c = &s->counters[i];
        if (of_machine(s, c) || c->delta.validity == VALUE_PENDING)
            continue;
        struct counter_tally *t = tally_of(g, c);
        if (!t)
            continue;
        t->lacking |= c->delta.validity != VALUE_OK;
        t->sum += c->delta.validity == VALUE_OK ? c->delta.v : 0;
        t->flags |= c->delta.flags;
        t->running += c->delta.running * s->interval_s;
        t->seconds += s->interval_s;
    }
}

void run_gather_add(struct run_gather *g, const struct snapshot *s)
{
    if (g->over)
        return;
    if (!g->last)
        g->wall_ns = s->wall_ns;
    snapshot_unref(g->last);
    g->last = snapshot_ref(s);
    g->over = s->command.pid > 0 && !s->command.running;
    g->cursor = g->tally_cursor = 0;
    sample_all(g, s);
    if (!(s->interval_s > 0))
        return;
    g->seconds += s->interval_s;
    if (s->total.busy.validity == VALUE_OK && s->host)
        g->busy_s += s->total.busy.v / 100 * s->host->ncpus * s->interval_s;
    if (s->target_kind == TARGET_COMMAND)
        tally_all(g, s);
}

/* --- the finished run --- */

static void add_series_to_run(struct run_gather *g, struct run *out, bool machine_only)
{
    for (size_t i = 0; i < g->nseries; i++) {
        const struct counter_series *s = &g->series[i];
        if ((machine_only && s->group != RUN_MACHINE) || s->n == 0)
            continue;
        struct run_number *x = run_add(out, (enum run_group)s->group, s->id, s->label,
                                       (enum unit)s->unit, s->sum / s->seconds);
        if (g->samples)
            x->within = stats_of(s->v, s->n);
    }
}

/* Computes the metrics of the whole run from the totals. Averaging the metrics of the samples
 * would give a mean of ratios, which is not the ratio of the totals. */
static void add_metrics(const struct run_gather *g, struct run *out)
{
    struct metric_set *set;
    struct error ignored = ERROR_INIT;
    char id[200];
    const char *arch = g->last->host ? g->last->host->pmu_arch : "";
    if (metric_compile(&set, arch[0] ? arch : "none", g->user, &ignored) != 0)
        return;
    struct snapshot *s = snapshot_new(g->last->host);
    s->target_kind = TARGET_COMMAND;
    s->interval_s = g->seconds;
    for (size_t i = 0; i < g->ntallies; i++) {
        const struct counter_tally *t = &g->tallies[i];
        struct counter *c = snapshot_add_counter(s);
        c->name = t->name;
        c->set = t->set;
        c->source = "perf";
        c->group = -1;
        c->delta = t->lacking ? value_missing("not counted all the time", UNIT_COUNT)
                              : value_ok(t->sum, UNIT_COUNT);
        c->delta.flags = t->flags;
        c->delta.running = t->seconds > 0 ? (float)(t->running / t->seconds) : 1;
        c->rate = value_missing("a total", UNIT_COUNT_PER_S);
        c->raw = t->sum > 0 ? (uint64_t)t->sum : 0;
    }
    metric_evaluate(set, s);
    for (size_t i = 0; i < s->nmetrics; i++) {
        if (is_rate_of_any(s->metrics[i].def, s))
            continue; /* the run already has its total */
        const struct metric *m = &s->metrics[i];
        snprintf(id, sizeof id, "m:%.150s", m->def->id);
        if (m->value.validity == VALUE_OK && m->def->label && m->def->label[0] &&
            !told_by_usage(id))
            run_add(out, RUN_WORK, id, m->def->label, (enum unit)m->value.unit, m->value.v);
    }
    snapshot_unref(s);
    metric_free(set);
}

static void add_tallies_to_run(const struct run_gather *g, struct run *out)
{
    char id[320], label[320];
    for (size_t i = 0; i < g->ntallies; i++) {
        const struct counter_tally *t = &g->tallies[i];
        snprintf(id, sizeof id, "c:%.150s/%.150s", t->set, t->name);
        if (t->lacking || told_by_usage(id))
            continue;
        snprintf(label, sizeof label, "%.150s", t->name);
        for (size_t k = 0; k < g->ntallies;
             k++) /* the label names the set if two sets have an event of that name */
            if (k != i && strcmp(g->tallies[k].name, t->name) == 0)
                snprintf(label, sizeof label, "%.150s/%.150s", t->set, t->name);
        struct run_number *x = run_add(out, RUN_WORK, id, label, UNIT_COUNT, t->sum);
        x->scaled = (uint8_t)(t->seconds > 0 ? fmin(100 * t->running / t->seconds, 100) : 100);
    }
    add_metrics(g, out);
}

static void add_usage(struct run *out, const struct command_state *c)
{
    const struct command_usage *u = &c->usage;
    run_add(out, RUN_TIME, "elapsed", "elapsed", UNIT_SECONDS, c->elapsed_s);
    if (!u->known)
        return;
    run_add(out, RUN_TIME, "cpu", "CPU time", UNIT_SECONDS, u->user_s + u->system_s);
    run_add(out, RUN_USED, "user", "user", UNIT_SECONDS, u->user_s);
    run_add(out, RUN_USED, "system", "system", UNIT_SECONDS, u->system_s);
    /* The kernel's maximum includes rooftop's own memory before exec. If the command did not
     * exceed that, only an upper limit is known. */
    bool known = u->max_rss > u->max_rss_before + RSS_SLACK;
    run_add(out, RUN_USED, known ? "rss" : "rss-at-most",
            known ? "largest RSS" : "largest RSS, at most", UNIT_BYTES, (double)u->max_rss);
    run_add(out, RUN_USED, "waits", "switches, waiting", UNIT_COUNT, (double)u->voluntary);
    run_add(out, RUN_USED, "preemptions", "switches, preempted", UNIT_COUNT, (double)u->forced);
    run_add(out, RUN_USED, "minor-faults", "minor faults", UNIT_COUNT, (double)u->minor_faults);
    run_add(out, RUN_USED, "major-faults", "major faults", UNIT_COUNT, (double)u->major_faults);
}

static void add_tokens(struct run *out, const struct bricks *b, double elapsed)
{
    uint64_t tokens = 0;
    for (uint32_t i = 0; i < b->nprograms; i++)
        tokens += b->programs[i].tokens;
    if (!tokens)
        return;
    run_add(out, RUN_WORK, "tokens", "tokens", UNIT_COUNT, (double)tokens);
    if (elapsed > 0)
        run_add(out, RUN_WORK, "tokens_per_s", "tokens a second", UNIT_COUNT_PER_S,
                (double)tokens / elapsed);
}

/* Whether a signal ended the command or a program that it ran: then a shell's status is 128 +
 * signal (POSIX, "Exit Status for Commands"), and that of timeout is 124 (coreutils). */
static bool ended_from_outside(int wait_status)
{
    const int status = WEXITSTATUS(wait_status);
    return WIFSIGNALED(wait_status) || status == 124 || (status > 128 && status <= 128 + SIGRTMAX);
}

/* Whether the command did not end by itself, or was not seen to end. */
static bool was_stopped(const struct snapshot *s)
{
    const struct command_state *c = &s->command;
    bool stopped = c->running || ended_from_outside(c->wait_status);
    for (size_t i = 0; i < s->nnotices; i++)
        stopped |= strcmp(s->notices[i].id, NOTICE_STOPPED) == 0;
    return c->pid > 0 && stopped;
}

static void finish_gather(struct run_gather *g, struct run *out)
{
    const struct snapshot *s = g->last;
    const struct command_usage *u = &s->command.usage;
    out->command = xstrdup(s->target ? s->target : "");
    out->hostname = xstrdup(s->host ? s->host->hostname : "");
    out->wall_ns = g->wall_ns;
    out->exact = g->over;
    out->stopped = was_stopped(s);
    if (g->over)
        out->status = WIFSIGNALED(s->command.wait_status) ? 128 + WTERMSIG(s->command.wait_status)
                                                          : WEXITSTATUS(s->command.wait_status);
    out->others = NAN;
    if (s->host && s->host->ncpus > 0 && g->seconds > 0)
        out->others = fmax(0, (g->busy_s - (u->known ? u->user_s + u->system_s : 0)) /
                                  (g->seconds * s->host->ncpus));
    if (g->over) {
        add_usage(out, &s->command);
        add_tallies_to_run(g, out);
    }
    if (s->bricks)
        add_tokens(out, s->bricks, g->over ? s->command.elapsed_s : g->seconds);
    if (s->bricks && s->bricks->tree)
        run_add_bricks(out, s->bricks->tree, true);
    add_series_to_run(g, out, g->over);
}

void run_gather_end(struct run_gather *g, struct run *out)
{
    if (g->last)
        finish_gather(g, out);
    snapshot_unref(g->last);
    for (size_t i = 0; i < g->nseries; i++) {
        free(g->series[i].id);
        free(g->series[i].label);
        free(g->series[i].v);
    }
    for (size_t i = 0; i < g->ntallies; i++) {
        free(g->tallies[i].set);
        free(g->tallies[i].name);
    }
    free(g->series);
    free(g->tallies);
    free(g);
}

static bool gather_snapshot(void *ctx, const struct snapshot *s)
{
    run_gather_add(ctx, s);
    return true;
}

int run_of_recording(struct run *out, struct recording *r, struct error *err)
{
    struct run_gather *g = run_gather_new(true, NULL);
    int rc = recording_scan(r, 0, recording_count(r), RECORDING_NUMBERS | RECORDING_BRICKS,
                            gather_snapshot, g, err);
    run_gather_end(g, out);
    return rc;
}
