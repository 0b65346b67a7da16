#include "backends/chrome/chrome_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "engine/trace/collective.h"

/* --- kinds --- */

/* Finds the kind of node in rooftop's export: "brick,FFN". */
static unsigned kind_of_node(const char *text)
{
    size_t n = strcspn(text, ",");
    for (unsigned k = 0; k < NODE_KINDS; k++) {
        const char *name = node_kind_name((enum node_kind)k);
        if (strlen(name) != n || memcmp(name, text, n) != 0)
            continue;
        for (unsigned c = 0; k == NODE_BRICK && text[n] && c < CATEGORIES; c++)
            if (strcmp(text + n + 1, node_category_name((enum node_category)c)) == 0)
                return BRICK_OF + c;
        return k;
    }
    return NODE_FUNCTION;
}

static unsigned span_node_kind(const struct chrome_store *s, const struct chrome_event *e,
                               bool async)
{
    if (s->rooftop)
        return kind_of_node(e->category);
    if (async)
        return NODE_TASK;
    static const uint8_t kinds[] = {
        [CHROME_OTHER] = NODE_FUNCTION,   [CHROME_KERNEL] = NODE_KERNEL,
        [CHROME_COPY] = NODE_TRANSFER,    [CHROME_RANGE] = NODE_RANGE,
        [CHROME_ANNOTATION] = NODE_RANGE, [CHROME_PROFILER] = NODE_FUNCTION,
        [CHROME_FRAME] = NODE_FUNCTION};
    return kinds[e->what];
}

/* Finds the direction: "Memcpy HtoD (Pinned -> Device)", "HostToDevice". A memset has none. */
static uint32_t find_copy_direction(const struct chrome_event *e)
{
    static const char *const forms[][3] = {
        {"HtoD", "HostToDevice", "HOST_TO_DEVICE"},
        {"DtoH", "DeviceToHost", "DEVICE_TO_HOST"},
    };
    const char *said = strstr(e->kind, "to") || strstr(e->kind, "To") ? e->kind : e->name;
    if (*e->direction)
        said = e->direction;
    for (uint32_t d = 0; d < 2; d++)
        for (int form = 0; form < 3; form++)
            if (strstr(said, forms[d][form]))
                return d;
    return 2;
}

/* --- spans --- */

static uint32_t intern_chrome_name(struct chrome_store *s, const char *text)
{
    return *text ? graph_intern(s->trace->calls, text) : GRAPH_NONE;
}

static uint32_t event_device(const struct chrome_event *e)
{
    if (e->have & HAS_DEVICE)
        return e->device;
    size_t before;
    const int64_t number = chrome_id_number(&e->pid, &before);
    const bool small = !e->pid.text[before] == !e->pid.text[0] && number >= 0;
    return small && number < UINT32_MAX ? (uint32_t)number : TRACE_UNKNOWN;
}

#define MESSAGE_MOST ((uint64_t)1 << 56) /* bytes: no memory is larger */

/* The size of a message: the larger of a rank's input and output, as nccl-tests count it. */
static uint64_t message_of(const struct chrome_event *e)
{
    uint64_t in = e->have & HAS_IN ? e->elements_in : 0, bytes;
    uint64_t out = e->have & HAS_OUT ? e->elements_out : 0;
    bool bad = __builtin_mul_overflow(in > out ? in : out, e->element, &bytes);
    return bad || bytes > MESSAGE_MOST ? 0 : bytes;
}

/* Keeps what the file says about a collective. Returns 1 + its index, or 0: it says nothing. */
static uint32_t store_collective(struct chrome_store *s, const struct chrome_event *e)
{
    struct chrome_collective c = {.ranks = e->ranks,
                                  .group = GRAPH_NONE,
                                  .op = (uint8_t)collective_op_named(e->collective),
                                  .bytes = message_of(e),
                                  .sequence = e->have & HAS_SEQUENCE ? e->sequence : GRAPH_UNKNOWN};
    if ((!c.bytes && c.op == COLLECTIVE_NONE) || !CHROME_GROW(s->collectives))
        return 0;
    c.group = intern_chrome_name(s, e->group);
    s->collectives.at[s->collectives.n++] = c;
    return s->collectives.n;
}

static void describe_span(struct chrome_store *s, const struct chrome_event *e, uint32_t span,
                          enum node_kind kind)
{
    if (!CHROME_GROW(s->work))
        return;
    struct chrome_work *w = &s->work.at[s->work.n++];
    *w = (struct chrome_work){.span = span, .device = event_device(e)};
    if (kind == NODE_KERNEL) {
        memcpy(w->kernel.grid, e->grid, sizeof e->grid);
        memcpy(w->kernel.block, e->block, sizeof e->block);
        w->kernel.shared_bytes = e->have & HAS_SHARED ? e->shared_bytes : TRACE_UNKNOWN;
        w->kernel.registers = e->have & HAS_REGISTERS ? e->registers : TRACE_UNKNOWN;
        w->kernel.collective = store_collective(s, e);
        if (collective_op_named(e->collective) != COLLECTIVE_NONE)
            s->spans.at[span].bits |= SPAN_COLLECTIVE;
        return;
    }
    w->transfer.bytes = e->bytes;
    w->transfer.direction = find_copy_direction(e);
    w->transfer.from = intern_chrome_name(s, e->from);
    w->transfer.to = intern_chrome_name(s, e->to);
}

static void set_span_identity(struct chrome_span *span, struct chrome_store *s,
                              const struct chrome_event *e)
{
    if (s->rooftop && CHROME_GROW(s->parents))
        s->parents.at[s->parents.n++] =
            e->have & HAS_PARENT ? 2 * e->parent + e->launched : UINT64_MAX;
    if (s->rooftop && e->have & HAS_NODE) {
        span->bits |= SPAN_NODE;
        span->id = e->node;
    } else if (e->have & HAS_CORRELATION) {
        span->bits |= SPAN_CORRELATED;
        span->id = e->correlation;
    } else if (e->have & HAS_EXTERNAL) {
        span->bits |= SPAN_EXTERNAL;
        span->id = e->external;
    }
}

/* rooftop's own export names parents by number, so all its spans must be kept. */
static bool may_fold(const struct chrome_store *s, uint64_t duration, bool async)
{
    return !async && !s->rooftop && duration != CHROME_OPEN;
}

/* Adds a span. CHROME_NONE: no space, or it became part of a sum. */
static uint32_t add_chrome_span(struct chrome_store *s, const struct chrome_event *e,
                                uint64_t duration, bool async)
{
    uint32_t i = s->spans.n, lane = chrome_lane_of(s, e);
    if (i >= GRAPH_MAX_NODES || lane == CHROME_NONE || !CHROME_GROW(s->spans)) {
        trace_leave_out(s->trace, LEFT_NO_ROOM, 1);
        return CHROME_NONE;
    }
    struct chrome_lane *l = &s->lanes.at[lane];
    unsigned kind = span_node_kind(s, e, async);
    if (may_fold(s, duration, async)) {
        chrome_fold_make_room(s);
        i = s->spans.n;
        if (chrome_fold_span(s, lane, e, kind, duration)) {
            l->any = true;
            return CHROME_NONE;
        }
    }
    s->trace->so_far++;
    struct chrome_span *span = &s->spans.at[s->spans.n++];
    *span = (struct chrome_span){.start = e->ts, .duration = duration, .lane = lane, .kind = kind};
    span->name = graph_intern(s->trace->calls, e->name);
    set_span_identity(span, s, e);
    bool on_host = e->what == CHROME_OTHER || e->what == CHROME_RANGE || e->what == CHROME_FRAME;
    bool on_device = !s->rooftop && !on_host;
    s->cut_arrows |= (e->have & IN_NS) != 0;
    if (on_device)
        l->queue = true;
    if (on_device || (s->rooftop && e->device_time))
        span->bits |= SPAN_DEVICE;
    if (kind == NODE_KERNEL || kind == NODE_TRANSFER) {
        describe_span(s, e, i, (enum node_kind)kind);
        span->bits |= SPAN_WORK;
    }
    if (e->what == CHROME_FRAME)
        span->bits |= SPAN_FRAME;
    if (async)
        span->bits |= SPAN_ASYNC;
    else
        l->spans++;
    l->any = true;
    return i;
}

/* The names of synchronisations are Kineto's. */
static void add_wait(struct chrome_store *s, const struct chrome_event *e, uint32_t span)
{
    bool stream = strcmp(e->name, "Stream Sync") == 0, event = strcmp(e->name, "Event Sync") == 0;
    if (!stream && (!(e->have & HAS_WAIT) || (!event && strcmp(e->name, "Stream Wait Event") != 0)))
        return;
    uint32_t lane = s->spans.at[span].lane;
    uint32_t from = stream ? lane : chrome_lane_beside(s, lane, e->waits_stream);
    if (from != CHROME_NONE && (stream || event || from != lane) && CHROME_GROW(s->waits))
        s->waits.at[s->waits.n++] = (struct chrome_wait){e->correlation,
                                                         stream ? e->correlation : e->waits_record,
                                                         stream || event ? CHROME_NONE : lane,
                                                         from,
                                                         e->ts,
                                                         e->ts + e->duration};
}

/* --- phases --- */

/* Adds the ends of arrows that a span names itself. */
static void add_own_flow(struct chrome_store *s, const struct chrome_event *e, uint32_t span)
{
    const unsigned ways = e->have & (FLOW_IN | FLOW_OUT);
    if (!(e->have & HAS_BIND) || !ways || span == CHROME_NONE || !CHROME_GROW(s->flows))
        return;
    char phase = 't';
    if (ways != (FLOW_IN | FLOW_OUT))
        phase = ways == FLOW_OUT ? 's' : 'f';
    s->flows.at[s->flows.n++] = (struct chrome_flow){
        .ts = e->ts,
        .key = e->bind | UINT64_C(1) << 63,
        .lane = span,
        .phase = phase,
        .own = true,
        .kind = EDGE_DEPENDS,
    };
}

static void add_complete(struct chrome_store *s, const struct chrome_event *e)
{
    const unsigned timed = HAS_TS | HAS_DURATION;
    uint32_t span = CHROME_NONE;
    if (e->have & ENDLESS)
        trace_leave_out(s->trace, LEFT_ENDLESS, 1);
    else if ((e->have & (timed | BAD_TIME)) != timed)
        trace_leave_out(s->trace, e->have & LATE ? LEFT_LATE : LEFT_TIMELESS, 1);
    else if (e->duration < 0)
        trace_leave_out(s->trace, LEFT_NEGATIVE, 1);
    else
        span = add_chrome_span(s, e, (uint64_t)e->duration, false);
    if (e->have & HAS_CORRELATION && span != CHROME_NONE)
        add_wait(s, e, span);
    add_own_flow(s, e, span);
}

static void add_mark(struct chrome_store *s, const struct chrome_event *e, bool begins, bool async)
{
    uint32_t lane = chrome_lane_of(s, e);
    bool room = async ? CHROME_GROW(s->async) : CHROME_GROW(s->marks);
    if (!(e->have & HAS_TS) || e->have & BAD_TIME || lane == CHROME_NONE || !room) {
        trace_leave_out(s->trace, e->have & LATE ? LEFT_LATE : LEFT_TIMELESS, 1);
        return;
    }
    struct chrome_mark m = {.ts = e->ts, .key = lane, .span = CHROME_NONE};
    m.name = intern_chrome_name(s, e->name);
    if (begins && (m.span = add_chrome_span(s, e, CHROME_OPEN, async)) == CHROME_NONE)
        return;
    if (begins)
        add_own_flow(s, e, m.span);
    if (!async) {
        s->marks.at[s->marks.n++] = m;
        return;
    }
    m.key = hash_number(e->id, s->lanes.at[lane].process);
    m.key = hash_text(m.key, e->category);
    if (!(e->have & LOCAL_ID))
        m.shared = hash_text(hash_number(e->id, 0), e->category) | 1;
    s->async.at[s->async.n++] = m;
}

/* The key of an arrow: category, name and id together. Numeric ids keep their order, which is
 * mostly that of the file, so that sorting is fast. */
static uint64_t flow_key(struct chrome_store *s, const struct chrome_event *e)
{
    enum { ID_BITS = 48, NAMES = 256 };
    uint64_t hash = hash_text(1, e->category);
    uint32_t i = 0;
    hash = hash_text(hash, e->name);
    while (i < s->flow_names.n && s->flow_names.at[i] != hash)
        i++;
    if (i == s->flow_names.n && i < NAMES && CHROME_GROW(s->flow_names))
        s->flow_names.at[s->flow_names.n++] = hash;
    if (i < NAMES && !(e->have & WORD_ID) && e->id >> ID_BITS == 0)
        return (uint64_t)i << ID_BITS | e->id;
    return (hash ^ hash_number(2, e->id)) | UINT64_C(1) << 63;
}

/* Keeps the end of an arrow. They take room beside the spans: twice as many ends as spans take less
 * than half as much. */
static void store_flow(struct chrome_store *s, const struct chrome_event *e)
{
    enum { ARROWS = 2 };
    uint32_t lane = chrome_lane_of(s, e);
    bool node = s->rooftop && e->have & HAS_NODE;
    if (!node && s->room && s->flows.n / ARROWS >= s->room) {
        trace_leave_out(s->trace, LEFT_NO_ROOM, 1);
        return;
    }
    if (lane == CHROME_NONE || !(e->have & HAS_TS) || e->have & BAD_TIME || !CHROME_GROW(s->flows))
        return; /* an arrow is no span, so no time is lost */
    struct chrome_flow *f = &s->flows.at[s->flows.n++];
    *f = (struct chrome_flow){.ts = node ? (int64_t)e->node : e->ts,
                              .key = flow_key(s, e),
                              .lane = lane,
                              .phase = e->phase,
                              .next = e->phase == 'f' && !(e->have & BINDS_AROUND),
                              .node = node,
                              .kind = EDGE_DEPENDS};
    for (unsigned k = 0; node && k < EDGE_KINDS; k++)
        if (strcmp(e->category, edge_kind_name((enum edge_kind)k)) == 0)
            f->kind = (uint8_t)k;
}

/* Stores the amount that PyTorch's allocator has after it allocated or freed memory. */
static void store_memory(struct chrome_store *s, const struct chrome_event *e)
{
    if (e->have & HAS_MEMORY_OF && e->have & HAS_ALLOCATED && !(e->have & OF_HOST) &&
        strcmp(e->name, "[memory]") == 0)
        trace_tell_memory(s->trace, e->memory_device, e->allocated,
                          e->have & HAS_RESERVED ? e->reserved : 0);
}

void chrome_store_event(struct chrome_store *s, const struct chrome_event *e)
{
    s->events++;
    switch (e->phase) {
    case 'X':
        if (e->what != CHROME_PROFILER)
            add_complete(s, e);
        break;
    case 'B':
    case 'E':
        add_mark(s, e, e->phase == 'B', false);
        break;
    case 'b':
    case 'e':
    case 'S':
    case 'F':
        add_mark(s, e, e->phase == 'b' || e->phase == 'S', true);
        break;
    case 's':
    case 't':
    case 'f':
        store_flow(s, e);
        break;
    case 'M':
        chrome_metadata(s, e);
        break;
    case 'i':
    case 'I':
        s->instants++;
        store_memory(s, e);
        break;
    case 'C':
        s->counters++;
        break;
    case 0:
        if (*e->name || e->have) /* some writers end the list with {} */
            trace_leave_out(s->trace, LEFT_NO_EVENT, 1);
        break;
    default: /* samples, objects: not spans */
        break;
    }
}

void chrome_store_free(struct chrome_store *s)
{
    void *lists[] = {s->collectives.at, s->spans.at,   s->work.at,      s->parents.at, s->waits.at,
                     s->flow_names.at,  s->marks.at,   s->async.at,     s->flows.at,   s->lanes.at,
                     s->processes.at,   s->devices.at, s->renumbered.at};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        free(lists[i]);
    hash_table_free(&s->process_by_id);
    hash_table_free(&s->lane_by_id);
    trace_shorts_free(&s->shorts);
    *s = (struct chrome_store){0};
}
