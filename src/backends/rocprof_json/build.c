/* Builds the graph of one process from its rows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/rocm/names.h"
#include "backends/rocprof_json/rows.h"

enum { TYPE_GPU = 2 /* rocprofiler_agent_type_t */ };

struct building {
    struct process *p;
    struct rocm_timeline *line;
    struct trace *t;
    uint32_t program;
    struct ids symbols, agents, markers, counters, dispatches; /* indexes; nodes of dispatches */
    uint32_t *names;                                           /* names of the graph, by symbol */
};

static uint32_t u32_or_unknown(int64_t v)
{
    return v >= 0 && v < (int64_t)TRACE_UNKNOWN ? (uint32_t)v : TRACE_UNKNOWN;
}

static uint32_t positive_or_unknown(int64_t v)
{
    return v > 0 ? u32_or_unknown(v) : TRACE_UNKNOWN;
}

static uint32_t intern_json_name(struct building *b, const char *text)
{
    return text && *text ? graph_intern(b->t->calls, text) : GRAPH_NONE;
}

static void add_agents(struct building *b)
{
    enum { AGENTS_MAX = 16384 };
    for (uint32_t i = 0; i < b->p->agents.n && b->t->nagents < AGENTS_MAX; i++) {
        struct row_agent *a = &b->p->agents.at[i];
        const bool gpu = a->type == TYPE_GPU;
        const char *model = a->product && *a->product ? a->product : a->model;
        a->index = trace_add_agent(
            b->t, &(struct trace_agent){
                      .name = intern_json_name(b, a->name),
                      .model = intern_json_name(b, model),
                      .host = intern_json_name(b, b->p->host),
                      .number = u32_or_unknown(a->node),
                      .gpu = gpu,
                      .units = gpu ? positive_or_unknown(a->units) : TRACE_UNKNOWN,
                      .clock_mhz = gpu ? positive_or_unknown(a->clock) : TRACE_UNKNOWN,
                      .memory_bytes = gpu && a->memory > 0 ? (uint64_t)a->memory : 0,
                  });
        ids_add(&b->agents, (uint64_t)a->id, a->index);
    }
}

static void add_tables(struct building *b)
{
    const struct process *p = b->p;
    b->names = xcalloc(p->symbols.n + (size_t)1, sizeof *b->names);
    for (uint32_t i = 0; i < p->symbols.n; i++) {
        b->names[i] = GRAPH_NONE;
        ids_add(&b->symbols, (uint64_t)p->symbols.at[i].id, i);
    }
    for (uint32_t i = 0; i < p->markers.n; i++)
        ids_add(&b->markers, (uint64_t)p->markers.at[i].id, i);
    for (uint32_t i = 0; i < p->counters.n; i++)
        ids_add(&b->counters, (uint64_t)p->counters.at[i].id, i);
}

static uint32_t find_json_agent(const struct building *b, int64_t id)
{
    uint32_t at = id == ROCM_UNKNOWN ? IDS_NONE : ids_get(&b->agents, (uint64_t)id);
    return at == IDS_NONE ? TRACE_UNKNOWN : at;
}

static const struct row_domain *find_row_domain(const struct building *b, const struct row *r)
{
    static const struct row_domain none = {.name = ""};
    return r->kind >= 0 && r->kind < b->p->domains.n ? &b->p->domains.at[r->kind] : &none;
}

static const char *operation_of(const struct building *b, const struct row *r)
{
    const struct row_domain *d = find_row_domain(b, r);
    return r->operation >= 0 && r->operation < d->n ? d->operations[r->operation] : NULL;
}

/* --- rows --- */

static void add_json_call(struct building *b, const struct row *r, uint32_t order)
{
    const char *name = operation_of(b, r);
    bool range = false;
    if (r->what == ROW_MARKER) {
        uint32_t at = ids_get(&b->markers, (uint64_t)r->correlation);
        range = strncmp(find_row_domain(b, r)->name, "MARKER_CORE", 11) == 0;
        name = at == IDS_NONE ? name : b->p->markers.at[at].text;
        if (r->start == r->end) /* an instant */
            return;
    }
    if (!rocm_times(b->t, r->start, r->end))
        return;
    rocm_add_region(b->line, &(struct rocm_region){
                                 .start = (uint64_t)r->start,
                                 .end = (uint64_t)r->end,
                                 .correlation = r->correlation > 0 ? (uint64_t)r->correlation : 0,
                                 .order = order,
                                 .thread = rocm_thread(b->line, b->program, r->thread, NULL),
                                 .name = graph_intern(b->t->calls, name ? name : "unknown"),
                                 .range = range,
                             });
}

static struct rocm_span make_json_span(const struct building *b, const struct row *r)
{
    return (struct rocm_span){
        .program = b->program,
        .agent = find_json_agent(b, r->agent),
        .queue = r->queue,
        .stream = r->stream,
        .start = (uint64_t)r->start,
        .end = (uint64_t)r->end,
        .correlation = r->correlation > 0 ? (uint64_t)r->correlation : 0,
    };
}

static void add_json_copy(struct building *b, const struct row *r)
{
    if (!rocm_times(b->t, r->start, r->end))
        return;
    rocm_add_copy(b->line, &(struct rocm_copy){
                               .span = make_json_span(b, r),
                               .kind = operation_of(b, r),
                               .from = find_json_agent(b, r->from),
                               .to = find_json_agent(b, r->to),
                               .bytes = r->bytes >= 0 ? (uint64_t)r->bytes : GRAPH_UNKNOWN,
                           });
}

static uint32_t find_json_kernel_name(struct building *b, const struct row *r, uint32_t symbol)
{
    char text[48] = "unknown kernel";
    if (symbol == IDS_NONE && r->kernel != ROCM_UNKNOWN)
        snprintf(text, sizeof text, "kernel %lld", (long long)r->kernel);
    if (symbol == IDS_NONE)
        return graph_intern(b->t->calls, text);
    const struct row_symbol *y = &b->p->symbols.at[symbol];
    const char *name = y->name && *y->name ? y->name : y->formatted;
    if (b->names[symbol] == GRAPH_NONE)
        b->names[symbol] = rocm_kernel_name(b->t->calls, name ? name : text);
    return b->names[symbol];
}

static uint32_t choose_known_number(int64_t own, int64_t other)
{
    return u32_or_unknown(own) == TRACE_UNKNOWN ? u32_or_unknown(other) : u32_or_unknown(own);
}

static void add_json_kernel(struct building *b, const struct row *r)
{
    static const struct row_symbol unknown = {.vgprs = ROCM_UNKNOWN,
                                              .accum_vgprs = ROCM_UNKNOWN,
                                              .sgprs = ROCM_UNKNOWN,
                                              .lds = ROCM_UNKNOWN,
                                              .scratch = ROCM_UNKNOWN};
    const uint32_t at = ids_get(&b->symbols, (uint64_t)r->kernel);
    const struct row_symbol *y = at == IDS_NONE ? &unknown : &b->p->symbols.at[at];
    if (!rocm_times(b->t, r->start, r->end))
        return;
    struct rocm_kernel k = {
        .span = make_json_span(b, r),
        .details = {.id = r->dispatch > 0 ? (uint64_t)r->dispatch : 0,
                    .vgprs = u32_or_unknown(y->vgprs),
                    .accum_vgprs = u32_or_unknown(y->accum_vgprs),
                    .sgprs = u32_or_unknown(y->sgprs),
                    .lds_bytes = choose_known_number(r->lds, y->lds),
                    .scratch_bytes = choose_known_number(r->scratch, y->scratch)}};
    k.span.name = find_json_kernel_name(b, r, at);
    for (int i = 0; i < 3; i++) {
        k.items[i] = r->items[i] > 0 && u32_or_unknown(r->items[i]) != TRACE_UNKNOWN
                         ? u32_or_unknown(r->items[i])
                         : 0;
        k.group[i] = r->group[i] > 0 && u32_or_unknown(r->group[i]) != TRACE_UNKNOWN
                         ? u32_or_unknown(r->group[i])
                         : 0;
    }
    uint32_t node = rocm_add_kernel(b->line, &k, NULL);
    if (node != GRAPH_NONE && r->dispatch != ROCM_UNKNOWN)
        ids_add(&b->dispatches, (uint64_t)r->dispatch, node);
}

/* Adds counters, which belong to a dispatch that the trace of kernels may lack. */
static void add_counted(struct building *b)
{
    const struct process *p = b->p;
    for (uint32_t i = 0; i < p->rows.n; i++) {
        const struct row *r = &p->rows.at[i];
        if (r->what == ROW_COUNTED && ids_get(&b->dispatches, (uint64_t)r->dispatch) == IDS_NONE)
            add_json_kernel(b, r);
    }
    for (uint32_t i = 0; i < p->values.n; i++) {
        const struct row_counter *v = &p->values.at[i];
        uint32_t node = ids_get(&b->dispatches, (uint64_t)p->rows.at[v->row].dispatch);
        uint32_t name = ids_get(&b->counters, (uint64_t)v->counter);
        if (node != IDS_NONE && name != IDS_NONE && b->t->calls->kind[node] == NODE_KERNEL)
            trace_add_counter(b->t, node, p->counters.at[name].text, v->value);
    }
}

/* All files of a host have the same clock: the time since its boot (rocprofiler_get_timestamp). */
static void tell_json_clock(struct building *b)
{
    char clock[300];
    if (!b->p->host)
        return;
    snprintf(clock, sizeof clock, "boot time of %s", b->p->host);
    trace_tell_clock(b->t,
                     &(struct trace_clock){intern_json_name(b, b->p->host), GRAPH_NONE,
                                           graph_intern(b->t->calls, clock), GRAPH_UNKNOWN, 0});
}

void rocprof_json_build(struct process *p, struct rocm_timeline *line)
{
    struct building b = {.p = p, .line = line, .t = line->t};
    tell_json_clock(&b);
    b.program = rocm_program(line, p->pid == ROCM_UNKNOWN ? 0 : p->pid, p->command);
    add_agents(&b);
    add_tables(&b);
    for (uint32_t i = 0; i < p->rows.n; i++) {
        const struct row *r = &p->rows.at[i];
        if (r->what == ROW_CALL || r->what == ROW_MARKER)
            add_json_call(&b, r, i);
        else if (r->what == ROW_COPY)
            add_json_copy(&b, r);
        else if (r->what == ROW_KERNEL)
            add_json_kernel(&b, r);
    }
    add_counted(&b);
    struct ids *maps[] = {&b.symbols, &b.agents, &b.markers, &b.counters, &b.dispatches};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        ids_free(maps[i]);
    free(b.names);
}

void rocprof_json_free(struct process *p)
{
    for (uint32_t i = 0; i < p->domains.n; i++)
        free(p->domains.at[i].operations);
    void *lists[] = {p->rows.at,    p->symbols.at,  p->agents.at, p->domains.at,
                     p->markers.at, p->counters.at, p->values.at, p->command};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        free(lists[i]);
    arena_free(&p->texts);
    *p = (struct process){.pid = ROCM_UNKNOWN};
}
