#include "backends/counters/perf_impl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu_list.h"
#include "backends/perf_common/explain.h"
#include "backends/perf_common/open.h"
#include "backends/perf_event/catalog.h"
#include "backends/perf_event/encoding_names.h"

static void list_events(struct event_catalog *out)
{
    struct perf_encoding e;
    struct error err = ERROR_INIT;
    names_generic_list(event_catalog_add, out);
    names_pfm_list(event_catalog_add, out);
    names_pmu_list(event_catalog_add, out);
    names_tracepoint_list(event_catalog_add, out);
    if (event_resolve("sched:sched_switch", &e, &err) < 0)
        event_catalog_note(out, "tracepoints", err.why, err.help);
}

/* --- whether events open --- */

/* The kernel takes some milliseconds to open and close a tracepoint, because it patches its code,
 * and permits all or none. If there are more than this many, only the first is tried. */
enum { TRACEPOINTS_TRIED = 16 };

struct event_trial {
    const struct perf_sys *sys;
    struct perf_context context;
    struct arena *texts;
    const struct catalog_event *tracepoint; /* the tracepoint that was tried */
    size_t tracepoints;
};

/* Chooses where to try an event: on rooftop itself, or on the first CPU of its PMU. */
static void choose_place(const struct perf_encoding *e, pid_t *pid, int *cpu)
{
    bool cpus[TARGET_MAX_CPUS];
    *pid = e->scope == EVENT_UNCORE ? -1 : 0;
    *cpu = e->scope == EVENT_UNCORE ? 0 : -1;
    if (e->scope == EVENT_UNCORE && cpu_list_parse(e->cpumask, cpus) > 0)
        for (int c = TARGET_MAX_CPUS - 1; c >= 0; c--)
            if (cpus[c])
                *cpu = c;
}

static void refuse_catalog_event(const struct event_trial *t, struct catalog_event *r,
                                 const char *why, const char *help)
{
    r->state = EVENT_REFUSED;
    r->why = arena_strdup(t->texts, why);
    r->help = arena_strdup(t->texts, help ? help : "");
}

static void try_row(struct event_trial *t, struct catalog_event *r)
{
    struct perf_encoding e;
    struct error err = ERROR_INIT;
    pid_t pid;
    int cpu;
    if (event_resolve(r->name, &e, &err) != 0) {
        refuse_catalog_event(t, r, err.why, err.help);
        return;
    }
    r->code = arena_printf(t->texts, "%" PRIu32 ":0x%" PRIx64, e.type, e.config);
    choose_place(&e, &pid, &cpu);
    int fd = event_open_probe(t->sys, &e, pid, cpu, NULL);
    if (fd >= 0) {
        t->sys->close(t->sys->ctx, fd);
        r->state = EVENT_OPENS;
        return;
    }
    struct explanation x;
    explain(&t->context,
            &(struct explain_query){.err = -fd,
                                    .kind = pid < 0 ? TARGET_HOST : TARGET_COMMAND,
                                    .event = explain_event_of(&e),
                                    .pmu = e.pmu,
                                    .owner = t->context.uid},
            &x);
    refuse_catalog_event(t, r, x.why, x.help);
}

static void try_tracepoint(struct event_trial *t, struct catalog_event *r)
{
    if (!t->tracepoint || t->tracepoints <= TRACEPOINTS_TRIED) {
        try_row(t, r);
        t->tracepoint = r;
        return;
    }
    r->state = t->tracepoint->state;
    r->why = t->tracepoint->why;
    r->help = t->tracepoint->help;
}

static void try_events(struct event_catalog *e)
{
    struct event_trial t = {.sys = perf_sys_current(), .texts = &e->texts};
    perf_context_read(&t.context, t.sys);
    t.context.core_pmu = strcmp(arch_detect()->key, "none") != 0;
    for (size_t i = 0; i < e->n; i++)
        t.tracepoints += e->rows[i].kind == EVENT_KIND_TRACEPOINT;
    for (size_t i = 0; i < e->n; i++) {
        if (e->rows[i].kind == EVENT_KIND_TRACEPOINT)
            try_tracepoint(&t, &e->rows[i]);
        else if (e->rows[i].kind != EVENT_KIND_USDT)
            try_row(&t, &e->rows[i]);
    }
}

const struct event_ops perf_event_ops = {.list = list_events, .try_open = try_events};
