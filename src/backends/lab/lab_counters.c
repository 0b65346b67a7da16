#include "backends/lab/lab_impl.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "backends/perf_common/context.h"
#include "backends/perf_common/explain.h"
#include "backends/perf_event/catalog.h"
#include "engine/live/target.h"

/* Events by their names in formulas. The first one in this CPU's catalog is used. */
struct wish {
    enum lab_number number;
    bool generic; /* it is the kernel's own name */
    const char *names[3];
};

static const struct wish wishes[LAB_SET_TOPDOWN][LAB_EVENTS] = {
    {{LAB_CYCLES, true, {"cycles"}},
     {LAB_INSTRUCTIONS, true, {"instructions"}},
     {LAB_BRANCHES, true, {"branches"}},
     {LAB_MISPREDICTS, true, {"branch-misses"}}},
    {{LAB_MACRO_OPS, false, {"retired_ops", "uops", "op_retired"}}},
    {{LAB_L1_ACCESSES, false, {"l1d_accesses", "l1d_hits"}},
     {LAB_L1_MISSES, false, {"l1d_misses", "l1d_fills"}}},
};

/* The spec of the event; NULL if the CPU's catalog lacks it. */
static const char *spec_of(const struct wish *w, const char **name)
{
    *name = w->names[0];
    if (w->generic)
        return w->names[0];
    for (const struct event_def *e = arch_detect()->events; e && e->name; e++)
        for (size_t k = 0; k < 3 && w->names[k]; k++)
            if (strcmp(e->name, w->names[k]) == 0) {
                *name = e->name;
                return e->spec;
            }
    return NULL;
}

static void explain_lab_counters(struct lab_set *s, int err)
{
    struct perf_context context;
    struct explanation x;
    perf_context_read(&context, perf_sys_current());
    context.core_pmu = strcmp(arch_detect()->key, "none") != 0;
    explain(
        &context,
        &(struct explain_query){
            .err = err, .kind = TARGET_COMMAND, .event = EXPLAIN_HARDWARE, .owner = context.uid},
        &x);
    snprintf(s->why, sizeof s->why, "%s", x.why);
}

/* Tests whether the set can be opened. */
static void try_set(struct lab_set *s)
{
    int rc = lab_set_open(s);
    if (rc < 0)
        explain_lab_counters(s, -rc);
    lab_set_close(s);
}

/* Finds the events of the CPU's own set, which has those of level 1 first. */
static void find_topdown(struct lab_set *s)
{
    for (const struct event_def *e = arch_detect()->events; e && e->name; e++) {
        struct error err = ERROR_INIT;
        if (strcmp(e->set, "topdown") != 0 || s->n == LAB_EVENTS)
            continue;
        if (event_resolve(e->spec, &s->events[s->n], &err)) {
            snprintf(s->why, sizeof s->why, "%s", err.why);
            return;
        }
        s->number[s->n] = LAB_NUMBERS + (unsigned)s->n;
        s->names[s->n++] = e->name;
    }
    if (s->n == 0)
        snprintf(s->why, sizeof s->why, "%s", "the CPU counts no slots that rooftop knows");
    else
        try_set(s);
}

static void find_set(struct lab_set *s, const struct wish *w)
{
    for (size_t i = 0; i < LAB_EVENTS && w[i].names[0]; i++) {
        struct error err = ERROR_INIT;
        const char *name, *spec = spec_of(&w[i], &name);
        if (!spec) {
            snprintf(s->why, sizeof s->why, "%s", "the CPU has no event for it that rooftop knows");
            return;
        }
        if (event_resolve(spec, &s->events[i], &err)) {
            snprintf(s->why, sizeof s->why, "%s", err.why);
            return;
        }
        s->number[i] = w[i].number;
        s->hits |= strcmp(name, "l1d_hits") == 0;
        s->n++;
    }
    try_set(s);
}

void lab_sets_find(struct lab_set sets[LAB_SETS])
{
    memset(sets, 0, LAB_SETS * sizeof *sets);
    for (size_t i = 0; i < LAB_SET_TOPDOWN; i++)
        find_set(&sets[i], wishes[i]);
    find_topdown(&sets[LAB_SET_TOPDOWN]);
}

int lab_set_open(struct lab_set *s)
{
    s->plan = (struct plan_group){
        .members = s->events, .n = s->n, .domain = PLAN_CORE, .cost = (int)s->n};
    int rc = group_open(&s->group, perf_sys_current(), &s->plan,
                        &(struct group_where){.pid = 0, .cpu = -1});
    for (size_t i = 0; rc == 0 && i < s->n; i++)
        rc = -s->group.err[i];
    if (rc < 0)
        lab_set_close(s);
    return rc;
}

int lab_set_read(struct lab_set *s, double sum[LAB_SUMS])
{
    struct count d[LAB_EVENTS];
    int rc = group_read(&s->group, perf_sys_current(), &s->plan, d);
    for (size_t i = 0; rc == 0 && sum && i < s->n; i++) {
        if (d[i].running < d[i].enabled) /* another user took counters: the slice is not counted */
            return -EAGAIN;
        sum[s->number[i]] += (double)d[i].value;
        if (s->hits && s->number[i] == LAB_L1_MISSES) /* accesses are hits and misses */
            sum[LAB_L1_ACCESSES] += (double)d[i].value;
    }
    return rc;
}

void lab_set_close(struct lab_set *s)
{
    group_close(&s->group, perf_sys_current());
    memset(&s->group, 0, sizeof s->group);
}
