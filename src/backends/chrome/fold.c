/*
 * Keeps short spans as sums (engine/trace/trace_short.h). Their number is only known at the end of
 * the file, so whenever there is no space for another span, the shortest quarter of the kept ones
 * becomes sums. Later spans as short as these become sums immediately, so that the work stays
 * proportional.
 */
#include "backends/chrome/chrome_impl.h"

/* How long a span counts when the shortest are chosen. Work of a device and the call that launched
 * it count 64 times: a device without them would seem idle, and most files have several times
 * as many spans of the host, such as functions of Python. */
static uint64_t weigh_span(unsigned kind, bool correlated, uint64_t ns)
{
    enum { DOUBLINGS = 6 };
    if (kind != NODE_KERNEL && kind != NODE_TRANSFER && !correlated)
        return ns;
    return ns >> (63 - DOUBLINGS) ? UINT64_MAX >> 1 : ns << DOUBLINGS;
}

static uint64_t weigh_stored_span(const struct chrome_span *x)
{
    return weigh_span(x->kind, (x->bits & SPAN_CORRELATED) != 0, x->duration);
}

static void add_folded_span(struct chrome_store *s, uint32_t lane, uint32_t name, uint32_t kind,
                            uint64_t ns)
{
    trace_shorts_add(&s->shorts, lane, name, kind >= NODE_KINDS ? NODE_BRICK : (enum node_kind)kind,
                     ns);
}

bool chrome_fold_span(struct chrome_store *s, uint32_t lane, const struct chrome_event *e,
                      uint32_t kind, uint64_t duration)
{
    if (weigh_span(kind, (e->have & HAS_CORRELATION) != 0, duration) >= s->fold_below)
        return false;
    if (kind == NODE_KERNEL &&
        trace_shorts_keeps(&s->shorts, NODE_KERNEL, graph_intern(s->trace->calls, e->name)))
        return false;
    add_folded_span(s, lane, trace_shorts_name(&s->shorts, e->name), kind, duration);
    s->trace->so_far++;
    return true;
}

/* --- making space --- */

/* Whether a span may become part of a sum. Begins whose end is missing and asynchronous spans are
 * kept, because other records refer to them. */
static bool may_go(struct chrome_store *s, const struct chrome_span *x)
{
    return x->duration != CHROME_OPEN && !(x->bits & (SPAN_ASYNC | SPAN_NODE)) &&
           !trace_shorts_keeps(&s->shorts, (enum node_kind)x->kind, x->name);
}

struct move { /* positions in the lists that refer to spans by number, in order */
    uint32_t work, work_to, mark, async, flow;
};

/* Updates the lists: span `from` is now number `to`, or (gone) became part of a sum. */
static void follow_span(struct chrome_store *s, struct move *m, uint32_t from, uint32_t to,
                        bool gone)
{
    while (m->work < s->work.n && s->work.at[m->work].span == from) {
        struct chrome_work w = s->work.at[m->work++];
        w.span = to;
        if (!gone)
            s->work.at[m->work_to++] = w;
    }
    for (; m->mark < s->marks.n &&
           (s->marks.at[m->mark].span == from || s->marks.at[m->mark].span == CHROME_NONE);
         m->mark++)
        if (s->marks.at[m->mark].span == from)
            s->marks.at[m->mark].span = to;
    for (; m->async < s->async.n &&
           (s->async.at[m->async].span == from || s->async.at[m->async].span == CHROME_NONE);
         m->async++)
        if (s->async.at[m->async].span == from)
            s->async.at[m->async].span = to;
    for (;
         m->flow < s->flows.n && (!s->flows.at[m->flow].own || s->flows.at[m->flow].lane == from ||
                                  s->flows.at[m->flow].lane == CHROME_NONE);
         m->flow++)
        if (s->flows.at[m->flow].own && s->flows.at[m->flow].lane == from)
            s->flows.at[m->flow].lane = gone ? CHROME_NONE : to;
}

/* Chooses a length below which a quarter of the spans are that may be folded. */
static struct trace_cut choose_cut(struct chrome_store *s)
{
    struct trace_lengths lengths = {.n = 0};
    for (uint32_t i = 0; i < s->spans.n; i++)
        if (may_go(s, &s->spans.at[i]))
            trace_lengths_add(&lengths, weigh_stored_span(&s->spans.at[i]));
    return trace_cut_of(&lengths, lengths.n ? (lengths.n - 1) / 4 * 3 : 0);
}

static void fold_spans(struct chrome_store *s, struct trace_cut cut)
{
    struct move m = {0};
    uint32_t to = 0;
    for (uint32_t i = 0; i < s->spans.n; i++) {
        const struct chrome_span x = s->spans.at[i];
        bool gone = may_go(s, &x) && trace_cut_takes(&cut, weigh_stored_span(&x));
        if (gone) {
            add_folded_span(s, x.lane, x.name, x.kind, x.duration);
            s->lanes.at[x.lane].spans--;
        }
        follow_span(s, &m, i, to, gone);
        if (!gone)
            s->spans.at[to++] = x;
    }
    s->spans.n = to;
    s->work.n = m.work_to;
}

static void find_room(struct chrome_store *s)
{
    s->shorts.t = s->trace;
    s->room = s->fold_at = (uint32_t)trace_file_memory_left(s->trace);
}

void chrome_fold_make_room(struct chrome_store *s)
{
    if (s->room == 0)
        find_room(s);
    if (s->spans.n < s->fold_at)
        return;
    struct trace_cut cut = choose_cut(s);
    fold_spans(s, cut);
    s->fold_below = cut.below > s->fold_below ? cut.below : s->fold_below;
    /* avoids repeated searches if few spans can be folded */
    const uint32_t more = s->spans.n + s->spans.n / 3;
    s->fold_at = more > s->room ? more : s->room;
}

int chrome_fold_matched(struct chrome_store *s, const char *path, struct error *err)
{
    if (s->room == 0)
        find_room(s);
    while (s->spans.n > s->room && s->async.n == 0 && !s->rooftop) {
        uint32_t before = s->spans.n;
        s->fold_at = 0;
        chrome_fold_make_room(s);
        if (s->spans.n > before - before / 32)
            break;
    }
    return trace_check_memory(s->trace, s->trace->calls->nnodes + (uint64_t)s->spans.n / 5 * 4,
                              path, err);
}

static uint32_t chrome_lane_node(void *store, uint32_t lane)
{
    const struct chrome_store *s = store;
    return s->lanes.at[lane].node;
}

void chrome_fold_tell(struct chrome_store *s)
{
    trace_shorts_tell(&s->shorts, chrome_lane_node, s);
}
