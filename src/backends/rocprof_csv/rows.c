#include "backends/rocprof_csv/rocprof_csv_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "backends/rocm/names.h"
#include "base/list.h"

/* Parses "Agent 4", "GPU 0" and "CPU 1" (rocprofv3's --agent-index), or only a number. */
static int parse_csv_agent(struct csv *c, const struct csv_header *h, enum csv_column column,
                           struct csv_agent *out)
{
    const char *text = csv_text(c, h, column);
    *out = (struct csv_agent){TRACE_UNKNOWN, AGENT_ANY};
    if (!text || !*text)
        return 0;
    const char *number = text + strcspn(text, "0123456789");
    char *end;
    errno = 0;
    unsigned long long v = strtoull(number, &end, 10);
    if (end == number || *end || errno == ERANGE || v >= TRACE_UNKNOWN)
        return csv_refuse(c, csv_column_name(column), "not an agent: \"%.60s\"", text);
    out->number = (uint32_t)v;
    if (strncasecmp(text, "CPU", 3) == 0)
        out->type = AGENT_CPU;
    if (strncasecmp(text, "GPU", 3) == 0)
        out->type = AGENT_GPU;
    return 0;
}

struct numbers {
    enum csv_column column;
    int64_t *out;
};

static int read_csv_numbers(struct csv *c, const struct csv_header *h, const struct numbers *list,
                            size_t n)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < n; i++)
        rc = csv_number(c, h, list[i].column, list[i].out);
    return rc;
}

static uint64_t known_correlation(int64_t correlation)
{
    return correlation == ROCM_UNKNOWN ? 0 : (uint64_t)correlation;
}

/* Whether a domain has ranges of rocTX; calls that control the profiler are not ranges. */
static bool is_marker(const char *domain)
{
    return domain && strncmp(domain, "MARKER_CORE", strlen("MARKER_CORE")) == 0;
}

static int add_call_row(struct csv_runs *runs, struct csv_run *run, struct trace *t, struct csv *c,
                        const struct csv_header *h)
{
    struct csv_call call = {0};
    int64_t start, end, correlation;
    const struct numbers list[] = {{C_PID, &call.pid},
                                   {C_TID, &call.tid},
                                   {C_START, &start},
                                   {C_END, &end},
                                   {C_CORRELATION, &correlation}};
    int rc = read_csv_numbers(c, h, list, sizeof list / sizeof *list);
    if (rc != 0 || !rocm_times(t, start, end))
        return rc;
    if (start == end) /* an instant: rocpd stores these as samples, which are not spans */
        return 0;
    call.start = (uint64_t)start;
    call.end = (uint64_t)end;
    call.order = call.correlation = known_correlation(correlation);
    call.name = graph_intern(t->calls, csv_text(c, h, C_FUNCTION));
    call.range = is_marker(csv_text(c, h, C_DOMAIN));
    if (csv_call_short(runs, run, &call))
        return 0;
    LIST_ADD(run->calls, run->ncalls, run->calls_cap, call);
    runs->rows++;
    return csv_make_room(runs, t, c->path, c->err);
}

static int read_dispatch_shape(struct csv_dispatch *d, struct csv *c, const struct csv_header *h)
{
    bool whole = h->at[C_GRID_X] != 0;
    int rc = 0;
    for (unsigned i = 0; rc == 0 && i < (whole ? 3U : 1U); i++) {
        rc = csv_count(c, h, whole ? (enum csv_column)(C_GROUP_X + i) : C_GROUP, &d->group[i]);
        if (rc == 0)
            rc = csv_count(c, h, whole ? (enum csv_column)(C_GRID_X + i) : C_GRID, &d->items[i]);
    }
    for (unsigned i = 0; i < 3; i++)
        if (!whole && i)
            d->group[i] = d->items[i] = 1;
        else if (d->group[i] == TRACE_UNKNOWN || d->items[i] == TRACE_UNKNOWN)
            d->group[i] = d->items[i] = 0;
    return rc;
}

static int read_dispatch(struct csv_dispatch *d, struct trace *t, struct csv *c,
                         const struct csv_header *h)
{
    int64_t correlation, id;
    const struct numbers list[] = {{C_PID, &d->pid},     {C_TID, &d->tid},
                                   {C_QUEUE, &d->queue}, {C_STREAM, &d->stream},
                                   {C_START, &d->start}, {C_END, &d->end},
                                   {C_DISPATCH, &id},    {C_CORRELATION, &correlation}};
    const struct {
        enum csv_column column;
        uint32_t *out;
    } counts[] = {{C_VGPRS, &d->vgprs},
                  {C_ACCUM_VGPRS, &d->accum_vgprs},
                  {C_SGPRS, &d->sgprs},
                  {C_LDS, &d->lds_bytes},
                  {C_SCRATCH, &d->scratch_bytes}};
    int rc = parse_csv_agent(c, h, C_AGENT, &d->agent);
    if (rc == 0)
        rc = read_csv_numbers(c, h, list, sizeof list / sizeof *list);
    for (size_t i = 0; rc == 0 && i < sizeof counts / sizeof *counts; i++)
        rc = csv_count(c, h, counts[i].column, counts[i].out);
    if (rc == 0)
        rc = read_dispatch_shape(d, c, h);
    if (rc == 0 && id == ROCM_UNKNOWN)
        rc = csv_refuse(c, csv_column_name(C_DISPATCH), "it is empty");
    if (rc != 0)
        return rc;
    d->id = (uint64_t)id;
    d->correlation = known_correlation(correlation);
    d->name = rocm_kernel_name(t->calls, csv_text(c, h, C_KERNEL));
    d->node = GRAPH_NONE;
    return 0;
}

static int add_kernel_row(struct csv_runs *runs, struct csv_run *run, struct trace *t,
                          struct csv *c, const struct csv_header *h)
{
    struct csv_dispatch d = {0};
    int rc = read_dispatch(&d, t, c, h);
    if (rc != 0 || !rocm_times(t, d.start, d.end))
        return rc;
    if (csv_kernel_short(runs, run, &d))
        return 0;
    LIST_ADD(run->kernels, run->nkernels, run->kernels_cap, d);
    runs->rows++;
    return csv_make_room(runs, t, c->path, c->err);
}

/* Adds a counter of a dispatch; rows of one dispatch are mostly consecutive. */
static int add_counter_row(struct csv_run *run, struct trace *t, struct csv *c,
                           const struct csv_header *h)
{
    struct csv_dispatch d = {0};
    struct csv_value v = {0};
    int rc = read_dispatch(&d, t, c, h);
    if (rc == 0)
        rc = csv_real(c, h, C_VALUE, &v.value);
    if (rc != 0)
        return rc;
    struct csv_dispatch *last = run->ncounted ? &run->counted[run->ncounted - 1] : NULL;
    if (!last || last->id != d.id || last->pid != d.pid || last->name != d.name) {
        LIST_ROOM(run->counted, run->ncounted, run->counted_cap);
        d.first_value = run->nvalues;
        last = &run->counted[run->ncounted++];
        *last = d;
    }
    last->nvalues++;
    v.name = graph_intern(t->calls, csv_text(c, h, C_COUNTER));
    LIST_ADD(run->values, run->nvalues, run->values_cap, v);
    return 0;
}

static int add_copy_row(struct csv_runs *runs, struct csv_run *run, struct trace *t, struct csv *c,
                        const struct csv_header *h)
{
    struct csv_copy copy = {0};
    int64_t start, end, correlation, bytes;
    const struct numbers list[] = {{C_PID, &copy.pid},     {C_TID, &copy.tid},
                                   {C_QUEUE, &copy.queue}, {C_STREAM, &copy.stream},
                                   {C_START, &start},      {C_END, &end},
                                   {C_SIZE, &bytes},       {C_CORRELATION, &correlation}};
    int rc = read_csv_numbers(c, h, list, sizeof list / sizeof *list);
    if (rc == 0)
        rc = parse_csv_agent(c, h, C_FROM, &copy.from);
    if (rc == 0)
        rc = parse_csv_agent(c, h, C_TO, &copy.to);
    if (rc != 0 || !rocm_times(t, start, end))
        return rc;
    copy.start = (uint64_t)start;
    copy.end = (uint64_t)end;
    copy.correlation = known_correlation(correlation);
    copy.bytes = bytes >= 0 ? (uint64_t)bytes : GRAPH_UNKNOWN;
    copy.kind = graph_intern(t->calls, csv_text(c, h, C_DIRECTION));
    if (csv_copy_short(runs, run, t, &copy))
        return 0;
    LIST_ADD(run->copies, run->ncopies, run->copies_cap, copy);
    runs->rows++;
    return csv_make_room(runs, t, c->path, c->err);
}

static uint32_t intern_agent_name(struct trace *t, const char *first, const char *second)
{
    if (!first || !*first)
        first = second;
    return first && *first ? graph_intern(t->calls, first) : GRAPH_NONE;
}

static int add_agent_row(struct csv_run *run, struct trace *t, struct csv *c,
                         const struct csv_header *h)
{
    struct csv_agent_info a = {0};
    int64_t memory;
    int rc = csv_number(c, h, C_MEMORY, &memory);
    const struct {
        enum csv_column column;
        uint32_t *out;
    } counts[] = {{C_NODE, &a.agent.number},
                  {C_LOGICAL, &a.logical},
                  {C_LOGICAL_TYPE, &a.logical_type},
                  {C_UNITS, &a.agent.units},
                  {C_CLOCK, &a.agent.clock_mhz}};
    for (size_t i = 0; rc == 0 && i < sizeof counts / sizeof *counts; i++)
        rc = csv_count(c, h, counts[i].column, counts[i].out);
    if (rc != 0)
        return rc;
    a.agent.gpu = strcasecmp(csv_text(c, h, C_TYPE), "GPU") == 0;
    a.agent.host = GRAPH_NONE;
    a.agent.name = intern_agent_name(t, csv_text(c, h, C_NAME), NULL);
    a.agent.model = intern_agent_name(t, csv_text(c, h, C_PRODUCT), csv_text(c, h, C_MODEL));
    if (!a.agent.gpu || a.agent.units == 0)
        a.agent.units = TRACE_UNKNOWN;
    if (!a.agent.gpu || a.agent.clock_mhz == 0)
        a.agent.clock_mhz = TRACE_UNKNOWN;
    a.agent.memory_bytes = a.agent.gpu && memory > 0 ? (uint64_t)memory : 0;
    LIST_ADD(run->agents, run->nagents, run->agents_cap, a);
    return 0;
}

int csv_add_row(struct csv_runs *runs, struct csv_run *run, struct trace *t, struct csv *c,
                const struct csv_header *h)
{
    switch (h->kind) {
    case CSV_COUNTERS:
        return add_counter_row(run, t, c, h);
    case CSV_KERNELS:
        return add_kernel_row(runs, run, t, c, h);
    case CSV_COPIES:
        return add_copy_row(runs, run, t, c, h);
    case CSV_CALLS:
        return add_call_row(runs, run, t, c, h);
    case CSV_AGENTS:
        return add_agent_row(run, t, c, h);
    default:
        return 0;
    }
}
