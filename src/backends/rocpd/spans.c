/* Reads spans: regions, dispatches, copies, and the counters of dispatches. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/rocpd/rocpd_impl.h"
#include "base/arena.h"
#include "base/list.h"

static void fill_missing(int64_t *v, int64_t from)
{
    if (*v == ROCM_UNKNOWN)
        *v = from;
}

/* Where a row's work ran: from its own columns, else from its track. */
static struct rocpd_place find_row_place(const struct rocpd *r, const struct rocpd_guid *g,
                                         struct rocpd_place p, int64_t track)
{
    uint32_t at = track == ROCM_UNKNOWN ? IDS_NONE : ids_get(&g->tracks, (uint64_t)track);
    if (at != IDS_NONE) {
        const struct rocpd_place *t = &r->tracks[at];
        fill_missing(&p.pid, t->pid);
        fill_missing(&p.tid, t->tid);
        fill_missing(&p.agent, t->agent);
        fill_missing(&p.queue, t->queue);
        fill_missing(&p.stream, t->stream);
    }
    return p;
}

/*
 * The node of a process. A process that is in no table is named by its number, else after the file.
 */
static uint32_t find_or_add_rocpd_program(struct rocpd *r, struct rocpd_guid *g, int64_t id)
{
    uint32_t at = ids_get(&g->processes, (uint64_t)id);
    if (at == IDS_NONE && id == ROCM_UNKNOWN)
        at = g->first_process;
    if (at == IDS_NONE) {
        at = r->nprocesses;
        LIST_ROOM(r->processes, at, r->processes_cap);
        r->processes[r->nprocesses++] =
            id == ROCM_UNKNOWN ? (struct rocpd_process){0, xstrdup(r->file.path), GRAPH_NONE}
                               : (struct rocpd_process){id, NULL, GRAPH_NONE};
        ids_add(&g->processes, (uint64_t)id, at);
    }
    struct rocpd_process *p = &r->processes[at];
    if (p->node == GRAPH_NONE)
        p->node = rocm_program(&r->line, p->pid, p->command);
    return p->node;
}

static uint32_t find_rocpd_agent(const struct rocpd_guid *g, int64_t id)
{
    uint32_t at = ids_get(&g->agents, (uint64_t)id);
    return at == IDS_NONE ? TRACE_UNKNOWN : at;
}

static uint64_t stack_of(const struct rocpd_select *s)
{
    int64_t stack = s->stack < 0 ? 0 : rocpd_int(s, s->stack);
    return stack == ROCM_UNKNOWN ? 0 : (uint64_t)stack;
}

/* --- regions --- */

static void region_row(struct rocpd *r, const struct rocpd_select *s, struct rocpd_guid *g)
{
    enum { GUID, ID, PID, TID, START, END, NAME, EVENT, TRACK };
    int64_t start = rocpd_int(s, START), end = rocpd_int(s, END), id = rocpd_int(s, ID);
    if (!rocm_times(r->t, start, end))
        return;
    struct rocpd_place p = find_row_place(r, g,
                                          (struct rocpd_place){.pid = rocpd_int(s, PID),
                                                               .tid = rocpd_int(s, TID),
                                                               .agent = 0,
                                                               .queue = 0,
                                                               .stream = 0},
                                          rocpd_int(s, TRACK));
    uint32_t at = ids_get(&g->threads, (uint64_t)p.tid);
    const struct rocpd_thread *known = at == IDS_NONE ? NULL : &r->threads[at];
    uint32_t thread = rocm_thread(&r->line, find_or_add_rocpd_program(r, g, p.pid),
                                  known ? known->tid : p.tid, known ? known->name : NULL);
    uint32_t name = ids_get(&g->strings, (uint64_t)rocpd_int(s, NAME));
    if (name == IDS_NONE)
        name = graph_intern(r->t->calls, "unknown");
    bool range = ids_get(&g->markers, (uint64_t)rocpd_int(s, EVENT)) != IDS_NONE;
    rocm_add_region(&r->line,
                    &(struct rocm_region){.start = (uint64_t)start,
                                          .end = (uint64_t)end,
                                          .correlation = stack_of(s),
                                          .order = id == ROCM_UNKNOWN ? s->row : (uint64_t)id,
                                          .thread = thread,
                                          .name = name,
                                          .range = range});
}

static const struct rocpd_columns region_columns = {
    "rocpd_region",
    {"guid", "id", "pid", "tid", "start", "end", "name_id", "event_id", "track_id"},
    1 << 4 | 1 << 5};

/* --- dispatches --- */

enum {
    D_PID = 1,
    D_AGENT,
    D_QUEUE,
    D_STREAM,
    D_START,
    D_END,
    D_KERNEL,
    D_ID,
    D_LDS,
    D_SCRATCH,
    D_GROUP,
    D_GRID = D_GROUP + 3,
    D_EVENT = D_GRID + 3,
    D_TRACK
};

static const struct rocpd_columns dispatch_columns = {
    "rocpd_kernel_dispatch",
    {"guid", "pid", "agent_id", "queue_id", "stream_id", "start", "end", "kernel_id", "dispatch_id",
     "group_segment_size", "private_segment_size", "workgroup_size_x", "workgroup_size_y",
     "workgroup_size_z", "grid_size_x", "grid_size_y", "grid_size_z", "event_id", "track_id"},
    1 << D_START | 1 << D_END};

static uint32_t choose_known_resource(uint32_t own, uint32_t other)
{
    return own == TRACE_UNKNOWN ? other : own;
}

struct rocpd_when {
    uint64_t start, end, stack, id;
};

/* Fills a kernel's details; values in the row have precedence over those of the kernel's symbol. */
static void describe_rocpd_kernel(struct rocm_kernel *k, const struct rocpd *r,
                                  const struct rocpd_select *s, const struct rocpd_guid *g)
{
    static const struct rocpd_symbol unknown = {.lds_bytes = TRACE_UNKNOWN,
                                                .scratch_bytes = TRACE_UNKNOWN,
                                                .vgprs = TRACE_UNKNOWN,
                                                .accum_vgprs = TRACE_UNKNOWN,
                                                .sgprs = TRACE_UNKNOWN};
    int64_t kernel = rocpd_int(s, D_KERNEL);
    uint32_t at = ids_get(&g->symbols, (uint64_t)kernel);
    const struct rocpd_symbol *y = at == IDS_NONE ? &unknown : &r->symbols[at];
    char name[48] = "unknown kernel";
    if (at == IDS_NONE && kernel != ROCM_UNKNOWN)
        snprintf(name, sizeof name, "kernel %lld", (long long)kernel);
    k->span.name = at == IDS_NONE ? graph_intern(r->t->calls, name) : y->name;
    k->details = (struct trace_dispatch){
        .vgprs = y->vgprs,
        .accum_vgprs = y->accum_vgprs,
        .sgprs = y->sgprs,
        .lds_bytes = choose_known_resource(rocpd_count(s, D_LDS), y->lds_bytes),
        .scratch_bytes = choose_known_resource(rocpd_count(s, D_SCRATCH), y->scratch_bytes),
    };
    for (int i = 0; i < 3; i++) {
        uint32_t items = rocpd_count(s, D_GRID + i), group = rocpd_count(s, D_GROUP + i);
        k->items[i] = items == TRACE_UNKNOWN ? 0 : items;
        k->group[i] = group == TRACE_UNKNOWN ? 0 : group;
    }
}

/* Most rows differ from earlier ones only in times and numbers, so the result for the other values
 * is looked up in a table. */
enum {
    ALIKE = 4096,
    WAYS = 4 /* entries in a set: some hundred kernels fit into the table */,
    SAID = 15
};
struct rocpd_alike {
    uint64_t hash;
    int64_t said[SAID];
    struct rocm_alike found;
    bool known;
};

static uint64_t read_said(int64_t said[static SAID], const struct rocpd *r,
                          const struct rocpd_select *s)
{
    static const uint8_t columns[SAID - 1] = {
        D_PID,   D_AGENT,     D_QUEUE,     D_STREAM, D_KERNEL,   D_LDS,      D_SCRATCH,
        D_GROUP, D_GROUP + 1, D_GROUP + 2, D_GRID,   D_GRID + 1, D_GRID + 2, D_TRACK};
    uint64_t h = said[SAID - 1] = r->last_guid;
    for (int i = 0; i < SAID - 1; i++) {
        said[i] = rocpd_int(s, columns[i]);
        h += ((uint64_t)said[i] ^ (uint64_t)i) *
             (UINT64_C(0x9e3779b97f4a7c15) + 2u * (unsigned)i * UINT64_C(0x94d049bb133111eb));
    }
    return ids_mix(h);
}

/* Compares all values without branches, because they are nearly always equal. */
static inline bool same_said(const int64_t *a, const int64_t *b)
{
    int64_t differ = 0;
    for (int i = 0; i < SAID; i++)
        differ |= a[i] ^ b[i];
    return differ == 0;
}

/* Finds the entry for these values, or the entry to replace. */
static struct rocpd_alike *find_alike(const struct rocpd *r, const int64_t *said, uint64_t hash)
{
    struct rocpd_alike *set = &r->alike[hash % (ALIKE / WAYS) * WAYS];
    for (int i = 0; i < WAYS; i++)
        if (set[i].known && set[i].hash == hash && same_said(set[i].said, said))
            return &set[i];
    for (int i = 0; i < WAYS; i++)
        if (!set[i].known)
            return &set[i];
    set += (hash >> 32) % WAYS;
    set->known = false;
    return set;
}

static uint32_t new_dispatch(struct rocpd *r, const struct rocpd_select *s, struct rocpd_guid *g,
                             const struct rocpd_when *when, struct rocm_alike *out)
{
    struct rocpd_place p = find_row_place(r, g,
                                          (struct rocpd_place){.pid = rocpd_int(s, D_PID),
                                                               .tid = 0,
                                                               .agent = rocpd_int(s, D_AGENT),
                                                               .queue = rocpd_int(s, D_QUEUE),
                                                               .stream = rocpd_int(s, D_STREAM)},
                                          rocpd_int(s, D_TRACK));
    struct rocm_kernel k = {.span = {.program = find_or_add_rocpd_program(r, g, p.pid),
                                     .agent = find_rocpd_agent(g, p.agent),
                                     .queue = p.queue,
                                     .stream = p.stream,
                                     .start = when->start,
                                     .end = when->end,
                                     .correlation = when->stack}};
    describe_rocpd_kernel(&k, r, s, g);
    k.details.id = when->id;
    return rocm_add_kernel(&r->line, &k, out);
}

static void dispatch_row(struct rocpd *r, const struct rocpd_select *s, struct rocpd_guid *g)
{
    int64_t start = rocpd_int(s, D_START), end = rocpd_int(s, D_END), id = rocpd_int(s, D_ID);
    int64_t said[SAID];
    if (!rocm_times(r->t, start, end))
        return;
    const struct rocpd_when when = {(uint64_t)start, (uint64_t)end, stack_of(s),
                                    id == ROCM_UNKNOWN ? s->row : (uint64_t)id};
    uint64_t hash = read_said(said, r, s);
    struct rocpd_alike *like = find_alike(r, said, hash);
    uint32_t node;
    if (like->known) {
        node = rocm_add_alike(&r->line, &like->found, when.start, when.end, when.stack, when.id);
    } else {
        node = new_dispatch(r, s, g, &when, &like->found);
        like->known = node != GRAPH_NONE;
        like->hash = hash;
        memcpy(like->said, said, sizeof said);
    }
    int64_t event = r->counters ? rocpd_int(s, D_EVENT) : ROCM_UNKNOWN;
    if (node != GRAPH_NONE && event != ROCM_UNKNOWN)
        ids_add(&g->dispatches, (uint64_t)event, node);
}

/* --- copies --- */

static void copy_row(struct rocpd *r, const struct rocpd_select *s, struct rocpd_guid *g)
{
    enum { GUID, PID, QUEUE, STREAM, START, END, NAME, FROM, TO, SIZE, EVENT, TRACK };
    int64_t start = rocpd_int(s, START), end = rocpd_int(s, END), size = rocpd_int(s, SIZE);
    uint32_t name = ids_get(&g->strings, (uint64_t)rocpd_int(s, NAME));
    if (!rocm_times(r->t, start, end))
        return;
    struct rocpd_place p = find_row_place(r, g,
                                          (struct rocpd_place){.pid = rocpd_int(s, PID),
                                                               .tid = 0,
                                                               .agent = 0,
                                                               .queue = rocpd_int(s, QUEUE),
                                                               .stream = rocpd_int(s, STREAM)},
                                          rocpd_int(s, TRACK));
    rocm_add_copy(&r->line, &(struct rocm_copy){
                                .span = {.program = find_or_add_rocpd_program(r, g, p.pid),
                                         .queue = p.queue,
                                         .stream = p.stream,
                                         .start = (uint64_t)start,
                                         .end = (uint64_t)end,
                                         .correlation = stack_of(s)},
                                .kind = name == IDS_NONE ? NULL : graph_text(r->t->calls, name),
                                .from = find_rocpd_agent(g, rocpd_int(s, FROM)),
                                .to = find_rocpd_agent(g, rocpd_int(s, TO)),
                                .bytes = size >= 0 ? (uint64_t)size : GRAPH_UNKNOWN,
                            });
}

static const struct rocpd_columns copy_columns = {"rocpd_memory_copy",
                                                  {"guid", "pid", "queue_id", "stream_id", "start",
                                                   "end", "name_id", "src_agent_id", "dst_agent_id",
                                                   "size", "event_id", "track_id"},
                                                  1 << 4 | 1 << 5};

/* --- counters --- */

static void flush_counters(struct rocpd *r)
{
    for (uint32_t i = 0; i < r->nsums; i++)
        trace_add_counter(r->t, r->sum_node, graph_text(r->t->calls, r->sum[i].name),
                          r->sum[i].value);
    r->nsums = 0;
}

static void sum_counter_row(struct rocpd *r, const struct rocpd_select *s, struct rocpd_guid *g)
{
    enum { GUID, EVENT, COUNTER, VALUE, SAMPLE };
    uint32_t node = ids_get(&g->dispatches, (uint64_t)rocpd_int(s, EVENT)), i = 0;
    uint32_t name = ids_get(&g->counters, (uint64_t)rocpd_int(s, COUNTER));
    /* since 3.0.3: values over time, not of the whole dispatch */
    bool streamed = !rocpd_null(s, SAMPLE);
    double value;
    if (node == IDS_NONE || name == IDS_NONE || streamed || !rocpd_real(s, VALUE, &value))
        return;
    if (node != r->sum_node || r->nsums == sizeof r->sum / sizeof *r->sum)
        flush_counters(r);
    r->sum_node = node;
    while (i < r->nsums && r->sum[i].name != name)
        i++;
    if (i == r->nsums) {
        r->sum[i].name = name;
        r->sum[r->nsums++].value = 0;
    }
    r->sum[i].value += value;
}

static const struct rocpd_columns counter_columns = {
    "rocpd_pmc_event", {"guid", "event_id", "pmc_id", "value", "sample_id"}, 0};

static bool has_rows(struct rocpd *r, const struct rocpd_columns *c)
{
    return rocpd_rows(&r->file, &r->tables, c->table, r->suffix) > 0;
}

int rocpd_read_spans(struct rocpd *r)
{
    bool launched = has_rows(r, &dispatch_columns) || has_rows(r, &copy_columns);
    bool stacks = launched && has_rows(r, &region_columns);
    r->counters = has_rows(r, &counter_columns);
    int rc = rocpd_each(r, &region_columns, stacks, region_row);
    r->alike = xcalloc(ALIKE, sizeof *r->alike);
    if (rc == 0)
        rc = rocpd_each(r, &dispatch_columns, stacks, dispatch_row);
    if (rc == 0)
        rc = rocpd_each(r, &copy_columns, stacks, copy_row);
    if (rc == 0 && r->counters)
        rc = rocpd_each(r, &counter_columns, false, sum_counter_row);
    free(r->alike);
    r->alike = NULL;
    flush_counters(r);
    return rc;
}
