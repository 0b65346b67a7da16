/* Builds a graph from the rows of a run. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/rocm/names.h"
#include "backends/rocprof_csv/rocprof_csv_impl.h"
#include "base/ids.h"

struct build {
    struct csv_run *run;
    const struct csv_run *agents; /* the run that has the agents' rows */
    struct trace *t;
    struct rocm_timeline line;
    struct ids programs, pid_of_thread; /* nodes by pid; indexes in calls, later lanes, by tid */
    int64_t only_pid; /* the only pid of the run; ROCM_UNKNOWN: none, or several */
    bool several;
};

/* --- processes: traces of kernels and copies do not name theirs --- */

static void see_pid(struct build *b, int64_t pid)
{
    if (pid == ROCM_UNKNOWN || pid == b->only_pid || b->several)
        return;
    b->several = b->only_pid != ROCM_UNKNOWN;
    b->only_pid = b->several ? ROCM_UNKNOWN : pid;
}

/* Reads the pid from a file name: "4242_" in ".../host/4242_kernel_trace.csv". */
static int64_t pid_of_name(const char *prefix)
{
    const char *slash = strrchr(prefix, '/');
    char *end;
    prefix = slash ? slash + 1 : prefix;
    if (!isdigit((unsigned char)*prefix))
        return ROCM_UNKNOWN;
    long long pid = strtoll(prefix, &end, 10);
    return strcmp(end, "_") == 0 && pid > 0 && pid <= INT32_MAX ? pid : ROCM_UNKNOWN;
}

static void find_processes(struct build *b)
{
    const struct csv_run *r = b->run;
    for (uint32_t i = 0; i < r->ncalls; i++) {
        see_pid(b, r->calls[i].pid);
        ids_add(&b->pid_of_thread, (uint64_t)r->calls[i].tid, i);
    }
    for (uint32_t i = 0; i < r->nlanes; i++) {
        see_pid(b, r->lanes[i].pid);
        if (r->lanes[i].kind == CSV_CALLS)
            ids_add(&b->pid_of_thread, (uint64_t)r->lanes[i].tid, r->ncalls + i);
    }
    for (uint32_t i = 0; i < r->nkernels; i++)
        see_pid(b, r->kernels[i].pid);
    for (uint32_t i = 0; i < r->ncounted; i++)
        see_pid(b, r->counted[i].pid);
    for (uint32_t i = 0; i < r->ncopies; i++)
        see_pid(b, r->copies[i].pid);
    if (!b->several && b->only_pid == ROCM_UNKNOWN)
        b->only_pid = pid_of_name(r->prefix);
}

/* The pid of a row: its own, or that of its thread, or the only one in the run. */
static int64_t find_row_pid(const struct build *b, int64_t pid, int64_t tid)
{
    if (pid != ROCM_UNKNOWN)
        return pid;
    uint32_t call = tid == ROCM_UNKNOWN ? IDS_NONE : ids_get(&b->pid_of_thread, (uint64_t)tid);
    if (call == IDS_NONE)
        return b->only_pid;
    const struct csv_run *r = b->run;
    return call < r->ncalls ? r->calls[call].pid : r->lanes[call - r->ncalls].pid;
}

/* Names a run after its files: "run" for "out/run_", "out" for "out/". */
static void name_of_run(const char *prefix, char *out, size_t size)
{
    size_t n = strlen(prefix), from;
    while (n && strchr("/_.", prefix[n - 1]))
        n--;
    for (from = n; from && prefix[from - 1] != '/';)
        from--;
    n = n - from < size ? n - from : size - 1;
    memcpy(out, prefix + from, n);
    out[n] = '\0';
}

static uint32_t find_or_add_csv_program(struct build *b, int64_t pid)
{
    char name[128] = "";
    uint32_t node = ids_get(&b->programs, (uint64_t)pid);
    if (node != IDS_NONE)
        return node;
    if (pid == ROCM_UNKNOWN)
        name_of_run(b->run->prefix, name, sizeof name);
    for (char *p = name; *p; p++) /* it is not a command line */
        *p = *p == ' ' || *p == '\t' ? '_' : *p;
    if (pid == ROCM_UNKNOWN && !*name)
        strcpy(name, "rocprofv3");
    node = rocm_program(&b->line, pid == ROCM_UNKNOWN ? 0 : pid, name);
    if (node != GRAPH_NONE)
        ids_add(&b->programs, (uint64_t)pid, node);
    return node;
}

/* --- agents --- */

/* Whether an agent has this name. Numbers are logical unless rocprofv3 was told otherwise; "GPU 0"
 * counts only GPUs. */
static bool is_agent_called(const struct csv_agent_info *info, const struct csv_agent *a)
{
    if (a->type == AGENT_ANY)
        return (info->logical == TRACE_UNKNOWN ? info->agent.number : info->logical) == a->number;
    return info->logical_type == a->number && info->agent.gpu == (a->type == AGENT_GPU);
}

static uint32_t add_csv_agent(struct build *b, struct csv_agent a, bool gpu)
{
    struct trace_agent unknown = {.name = GRAPH_NONE,
                                  .model = GRAPH_NONE,
                                  .host = GRAPH_NONE,
                                  .number = a.number,
                                  .gpu = a.type == AGENT_ANY ? gpu : a.type == AGENT_GPU,
                                  .units = TRACE_UNKNOWN,
                                  .clock_mhz = TRACE_UNKNOWN};
    if (a.number == TRACE_UNKNOWN)
        return TRACE_UNKNOWN;
    for (uint32_t k = 0; k < b->agents->nagents; k++)
        if (is_agent_called(&b->agents->agents[k], &a))
            return trace_add_agent(b->t, &b->agents->agents[k].agent);
    if (unknown.gpu) /* the profiler supports no others */
        unknown.model = graph_intern(b->t->calls, "AMD GPU");
    return trace_add_agent(b->t, &unknown);
}

/* --- rows --- */

static void build_calls(struct build *b)
{
    for (uint32_t i = 0; i < b->run->ncalls; i++) {
        const struct csv_call *c = &b->run->calls[i];
        uint32_t thread = rocm_thread(&b->line, find_or_add_csv_program(b, c->pid), c->tid, NULL);
        rocm_add_region(&b->line, &(struct rocm_region){.start = c->start,
                                                        .end = c->end,
                                                        .correlation = c->correlation,
                                                        .order = c->order,
                                                        .thread = thread,
                                                        .name = c->name,
                                                        .range = c->range});
    }
}

static void build_dispatch(struct build *b, struct csv_dispatch *d)
{
    struct rocm_kernel k = {
        .span = {.program = find_or_add_csv_program(b, find_row_pid(b, d->pid, d->tid)),
                 .agent = add_csv_agent(b, d->agent, true),
                 .queue = d->queue,
                 .stream = d->stream,
                 .start = (uint64_t)d->start,
                 .end = (uint64_t)d->end,
                 .correlation = d->correlation,
                 .name = d->name},
        .details = {.id = d->id,
                    .vgprs = d->vgprs,
                    .accum_vgprs = d->accum_vgprs,
                    .sgprs = d->sgprs,
                    .lds_bytes = d->lds_bytes,
                    .scratch_bytes = d->scratch_bytes}};
    memcpy(k.items, d->items, sizeof k.items);
    memcpy(k.group, d->group, sizeof k.group);
    d->node = rocm_add_kernel(&b->line, &k, NULL);
}

static void build_copies(struct build *b)
{
    for (uint32_t i = 0; i < b->run->ncopies; i++) {
        const struct csv_copy *c = &b->run->copies[i];
        const char *kind = graph_text(b->t->calls, c->kind);
        uint32_t direction = rocm_direction(b->t, kind, TRACE_UNKNOWN, TRACE_UNKNOWN);
        rocm_add_copy(
            &b->line,
            &(struct rocm_copy){
                .span = {.program = find_or_add_csv_program(b, find_row_pid(b, c->pid, c->tid)),
                         .queue = c->queue,
                         .stream = c->stream,
                         .start = c->start,
                         .end = c->end,
                         .correlation = c->correlation},
                .kind = kind,
                .from = add_csv_agent(b, c->from, direction != 0),
                .to = add_csv_agent(b, c->to, direction != 1),
                .bytes = c->bytes,
            });
    }
}

/* --- counters: added to the dispatch of a kernel trace, or to a new one --- */

static int by_dispatch(const void *a, const void *b)
{
    const struct csv_dispatch *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    if (x->name != y->name)
        return x->name < y->name ? -1 : 1;
    return x->pid < y->pid ? -1 : x->pid > y->pid;
}

static void own_pids(struct build *b, struct csv_dispatch *list, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        list[i].pid = find_row_pid(b, list[i].pid, list[i].tid);
    if (n)
        qsort(list, n, sizeof *list, by_dispatch);
}

static void build_counters(struct build *b)
{
    struct csv_run *r = b->run;
    own_pids(b, r->kernels, r->nkernels);
    own_pids(b, r->counted, r->ncounted);
    for (uint32_t i = 0, k = 0; i < r->ncounted; i++) {
        struct csv_dispatch *d = &r->counted[i];
        while (k < r->nkernels && by_dispatch(&r->kernels[k], d) < 0)
            k++;
        if (k < r->nkernels && by_dispatch(&r->kernels[k], d) == 0)
            d->node = r->kernels[k].node;
        else if (i && by_dispatch(d - 1, d) == 0)
            d->node = d[-1].node;
        else if (rocm_times(b->t, d->start, d->end))
            build_dispatch(b, d);
        for (uint32_t v = d->first_value; v < d->first_value + d->nvalues; v++)
            if (d->node != GRAPH_NONE)
                trace_add_counter(b->t, d->node, graph_text(b->t->calls, r->values[v].name),
                                  r->values[v].value);
    }
}

/* --- sums of short spans --- */

static uint32_t find_csv_lane_node(void *ctx, uint32_t lane)
{
    struct build *b = ctx;
    const struct csv_lane *l = &b->run->lanes[lane];
    uint32_t program = find_or_add_csv_program(b, find_row_pid(b, l->pid, l->tid));
    if (l->kind == CSV_CALLS)
        return rocm_thread(&b->line, program, l->tid, NULL);
    if (l->kind == CSV_KERNELS)
        return rocm_queue(&b->line, program, add_csv_agent(b, l->from, true), l->queue, l->stream);
    const struct rocm_copy c = {
        .span = {.program = program, .queue = l->queue, .stream = l->stream},
        .from = add_csv_agent(b, l->from, l->direction != 0),
        .to = add_csv_agent(b, l->to, l->direction != 1)};
    return rocm_copy_lane(&b->line, &c);
}

static void build_run(struct build *b)
{
    find_processes(b);
    build_calls(b);
    for (uint32_t i = 0; i < b->run->nkernels; i++)
        build_dispatch(b, &b->run->kernels[i]);
    build_copies(b);
    build_counters(b);
    trace_shorts_tell(&b->run->shorts, find_csv_lane_node, b);
    rocm_timeline_finish(&b->line);
}

/* The run's own agents, or those in a file without guids next to it, which are for all runs. */
static const struct csv_run *agents_of(const struct csv_runs *r, const struct csv_run *run)
{
    for (uint32_t i = 0; i < r->n && !run->nagents; i++)
        if (r->runs[i].nagents && strcmp(r->runs[i].prefix, run->prefix) == 0)
            return &r->runs[i];
    return run;
}

/*
 * The clock of a run: runs in one folder are from one host, "HOST/PID_kernel_trace.csv" by default.
 */
static uint32_t intern_folder_clock(struct trace *t, const char *prefix)
{
    char name[512];
    const char *slash = strrchr(prefix, '/');
    snprintf(name, sizeof name, "boot time in %.*s", slash ? (int)(slash - prefix) : 0, prefix);
    return graph_intern(t->calls, name);
}

void csv_build(struct csv_runs *r, struct trace *t)
{
    for (uint32_t i = 0; i < r->n; i++) {
        struct build b = {.run = &r->runs[i],
                          .agents = agents_of(r, &r->runs[i]),
                          .t = t,
                          .only_pid = ROCM_UNKNOWN};
        uint32_t folder = intern_folder_clock(t, r->runs[i].prefix);
        trace_part(t, r->runs[i].prefix);
        trace_tell_clock(t,
                         &(struct trace_clock){GRAPH_NONE, GRAPH_NONE, folder, GRAPH_UNKNOWN, 0});
        rocm_timeline_init(&b.line, t);
        build_run(&b);
        rocm_timeline_free(&b.line);
        ids_free(&b.programs);
        ids_free(&b.pid_of_thread);
    }
}
