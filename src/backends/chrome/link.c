/* Finds launches and dependencies. */
#include <stdlib.h>

#include "backends/chrome/chrome_impl.h"
#include "base/arena.h"
#include "base/search.h"

/* --- the span at a time --- */

uint32_t chrome_bind(const struct chrome_store *s, uint32_t lane, int64_t ts, bool next,
                     int64_t add)
{
    enum { CLIMB = 1024 }; /* limit of nested spans that ended before */
    const struct graph *g = s->trace->calls;
    const struct chrome_lane *l = &s->lanes.at[lane];
    uint64_t at = (uint64_t)(ts + add);
    /* find the first span that begins after ts, with `next` at ts or later */
    uint32_t low = l->first;
    SEARCH_FIRST(low, l->end, next ? g->start[low] < at : g->start[low] <= at);
    while (next && low < l->end && graph_is_context(g, low))
        low++;
    if (next)
        return low < l->end ? low : GRAPH_NONE;
    while (low > l->first && graph_is_context(g, low - 1))
        low--;
    if (low == l->first)
        return GRAPH_NONE;
    uint32_t node = low - 1;
    for (unsigned i = 0; i < CLIMB && node >= l->first && node < l->end; i++) {
        if (g->start[node] + g->duration[node] >= at)
            return node;
        node = g->parent[node];
    }
    return GRAPH_NONE;
}

/* --- correlations --- */

/* The process of a call, or the process that launched the work. */
static uint32_t find_span_owner(const struct chrome_store *s, const struct chrome_span *span)
{
    uint32_t process = s->lanes.at[span->lane].process;
    return s->owners && chrome_on_device(s, span) ? s->owners[process] : process;
}

/* Sorts by id, and process where ids are not unique; then calls of the host first; then by start.
 */
static bool id_after(const struct chrome_store *s, uint32_t a, uint32_t b)
{
    const struct chrome_span *x = &s->spans.at[a], *y = &s->spans.at[b];
    if (x->id != y->id)
        return x->id > y->id;
    if (s->owners && find_span_owner(s, x) != find_span_owner(s, y))
        return find_span_owner(s, x) > find_span_owner(s, y);
    bool later = chrome_on_device(s, x), other = chrome_on_device(s, y);
    return later != other ? later : x->start > y->start;
}

/* Links work to the last call with its id that had begun, else to the first. */
static void launch_group(struct chrome_store *s, const uint32_t *spans, uint32_t n)
{
    uint32_t calls = 0, call = 0;
    while (calls < n && !chrome_on_device(s, &s->spans.at[spans[calls]]))
        calls++;
    for (uint32_t i = calls; calls > 0 && i < n; i++) {
        struct chrome_span *work = &s->spans.at[spans[i]];
        while (call + 1 < calls && s->spans.at[spans[call + 1]].start <= work->start)
            call++;
        uint32_t from = s->spans.at[spans[call]].name;
        if (from != GRAPH_NONE && work->name != GRAPH_NONE &&
            graph_connect(s->trace->calls, from, work->name, EDGE_LAUNCHES))
            work->bits |= SPAN_LAUNCHED;
    }
}

static bool one_group(const struct chrome_store *s, uint32_t a, uint32_t b)
{
    const struct chrome_span *x = &s->spans.at[a], *y = &s->spans.at[b];
    return x->id == y->id && (!s->owners || find_span_owner(s, x) == find_span_owner(s, y));
}

/* bit: SPAN_CORRELATED or SPAN_EXTERNAL. */
static void connect_launches(struct chrome_store *s, unsigned bit)
{
    uint32_t n = 0, work = 0;
    for (uint32_t i = 0; i < s->spans.n; i++)
        work += s->spans.at[i].bits & bit && chrome_on_device(s, &s->spans.at[i]);
    if (work == 0)
        return;
    uint32_t *spare, *order = chrome_order(s->spans.n, &spare);
    for (uint32_t i = 0; i < s->spans.n; i++) {
        const struct chrome_span *span = &s->spans.at[i];
        if (span->bits & bit && span->duration != CHROME_OPEN && !(span->bits & SPAN_ASYNC) &&
            (chrome_on_device(s, span) || !s->lanes.at[span->lane].queue))
            order[n++] = i;
    }
    chrome_sort(order, n, spare, id_after, s);
    uint32_t *earlier = s->owners;
    s->owners = chrome_find_owners(s, order, n);
    if (s->owners)
        chrome_sort(order, n, spare, id_after, s);
    for (uint32_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && one_group(s, order[i], order[end]);)
            end++;
        launch_group(s, order + i, end - i);
    }
    free(order);
    free(spare);
    if (!earlier)
        return;
    free(s->owners);
    s->owners = earlier;
}

/* --- flows --- */

/* 1 + the process to which the arrow's end belongs, as the ids of arrows begin anew, too; 0: there
 * are no ids that do. */
static uint32_t find_flow_owner(const struct chrome_store *s, const struct chrome_flow *f)
{
    if (!s->owners || f->node || f->lane == CHROME_NONE)
        return 0;
    const uint32_t lane = f->own ? s->spans.at[f->lane].lane : f->lane;
    return 1 + s->owners[s->lanes.at[lane].process];
}

static bool flow_after(const struct chrome_store *s, uint32_t a, uint32_t b)
{
    const struct chrome_flow *x = &s->flows.at[a], *y = &s->flows.at[b];
    if (x->key != y->key)
        return x->key > y->key;
    const uint32_t owner = find_flow_owner(s, x), other = find_flow_owner(s, y);
    if (owner != other)
        return owner > other;
    if (x->node || y->node)
        return x->phase < y->phase; /* without ts: s comes before f */
    if (x->ts != y->ts)
        return x->ts > y->ts;
    return (x->phase == 's') < (y->phase == 's') || (x->phase == 'f') > (y->phase == 'f');
}

static uint32_t bound_to(const struct chrome_store *s, const struct chrome_flow *f,
                         const struct chrome_numbers *by, int64_t add)
{
    if (f->own)
        return f->lane == CHROME_NONE || s->spans.at[f->lane].duration == CHROME_OPEN
                   ? GRAPH_NONE
                   : s->spans.at[f->lane].name;
    if (f->node)
        return chrome_numbered(s, by, (uint64_t)f->ts);
    /* a cut time is earlier than the begin that it refers to */
    bool next = f->next || (s->cut_arrows && f->phase != 's');
    return chrome_bind(s, f->lane, f->ts, next, add);
}

struct ends {
    const uint8_t *launched; /* nodes with a launch from their correlation */
    uint32_t first;          /* the node of launched[0] */
};

/* Adds an edge for an arrow. Arrows to a device's work are launches. Work that began before its
 * cause ended did not wait for that end. */
static void connect_arrow(struct chrome_store *s, const struct chrome_flow *f, uint32_t from,
                          uint32_t to, const struct ends *ends)
{
    struct graph *g = s->trace->calls;
    if (from == GRAPH_NONE || to == GRAPH_NONE || from == to)
        return;
    if (f->node) {
        graph_connect(g, from, to, (enum edge_kind)f->kind);
        return;
    }
    bool on_device = g->flags[to] & NODE_DEVICE_TIME,
         from_host = !(g->flags[from] & NODE_DEVICE_TIME);
    bool went_on = g->start[from] + g->duration[from] > g->start[to];
    if (!(on_device && from_host) && !went_on)
        graph_connect(g, from, to, EDGE_DEPENDS);
    else if (!ends->launched[to - ends->first])
        graph_connect(g, from, to, EDGE_LAUNCHES);
}

/* Connects each step of a flow with the next. A single begin is used even if its time does not fit,
 * because clocks of hosts and devices differ. */
static void link_flow(struct chrome_store *s, const uint32_t *flows, uint32_t n,
                      const struct chrome_numbers *by, const struct ends *ends, int64_t add)
{
    uint32_t begins = 0, begin = 0, from = GRAPH_NONE;
    for (uint32_t i = 0; i < n; i++)
        if (s->flows.at[flows[i]].phase == 's' && begins++ == 0)
            begin = i;
    if (begins == 0)
        return;
    if (begins == 1)
        from = bound_to(s, &s->flows.at[flows[begin]], by, add);
    for (uint32_t i = 0; i < n; i++) {
        const struct chrome_flow *f = &s->flows.at[flows[i]];
        if (f->phase == 's' && begins == 1)
            continue;
        uint32_t node = bound_to(s, f, by, add);
        if (f->phase != 's')
            connect_arrow(s, f, from, node, ends);
        if (f->phase != 'f')
            from = node;
    }
}

static void follow_all(struct chrome_store *s, const struct ends *ends, int64_t add)
{
    uint32_t *spare, *order = chrome_order(s->flows.n, &spare);
    struct chrome_numbers by = chrome_numbers(s);
    chrome_sort(order, s->flows.n, spare, flow_after, s);
    for (uint32_t i = 0, end; i < s->flows.n; i = end) {
        const struct chrome_flow *begin = &s->flows.at[order[i]];
        const uint32_t owner = find_flow_owner(s, begin);
        for (end = i + 1; end < s->flows.n && s->flows.at[order[end]].key == begin->key &&
                          find_flow_owner(s, &s->flows.at[order[end]]) == owner;)
            end++;
        link_flow(s, order + i, end - i, &by, ends, add);
    }
    free(by.spans);
    free(order);
    free(spare);
}

static void follow_arrows_of_all(struct chrome_store *s, int64_t add)
{
    const struct graph *g = s->trace->calls;
    uint32_t first = g->nnodes;
    for (uint32_t i = 0; i < s->lanes.n; i++)
        if (s->lanes.at[i].node != GRAPH_NONE && s->lanes.at[i].node < first)
            first = s->lanes.at[i].node;
    uint8_t *launched = xcalloc(g->nnodes - first + (size_t)1, 1);
    for (uint32_t i = 0; i < s->spans.n; i++)
        if (s->spans.at[i].bits & SPAN_LAUNCHED)
            launched[s->spans.at[i].name - first] = 1;
    follow_all(s, &(struct ends){launched, first}, add);
    free(launched);
}

void chrome_link(struct chrome_store *s, int64_t add)
{
    connect_launches(s, SPAN_CORRELATED);
    connect_launches(s, SPAN_EXTERNAL);
    if (s->flows.n && s->lanes.n)
        follow_arrows_of_all(s, add);
    free(s->owners);
    s->owners = NULL;
}
