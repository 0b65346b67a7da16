/*
 * Keeps short spans as sums (engine/trace/trace_short.h). Their number is only known at the end of
 * the file, so whenever there is no space for another span, the shortest quarter of the kept ones
 * becomes sums. Later spans as short as these become sums immediately, so that the work stays
 * proportional. Collectives are kept, so that ranks can be compared. If these alone are too many,
 * only the first part of the file's time is kept, with all its collectives.
 */
#include "backends/chrome/chrome_impl.h"
#include "engine/trace/collective.h"

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
    const bool late = s->part && e->ts >= s->until;
    if (!late && weigh_span(kind, (e->have & HAS_CORRELATION) != 0, duration) >= s->fold_below)
        return false;
    if (!late && kind == NODE_KERNEL &&
        (collective_op_named(e->collective) != COLLECTIVE_NONE ||
         trace_shorts_keeps(&s->shorts, NODE_KERNEL, graph_intern(s->trace->calls, e->name))))
        return false;
    add_folded_span(s, lane, trace_shorts_name(&s->shorts, e->name), kind, duration);
    s->trace->so_far++;
    return true;
}

/* --- making space --- */

/* Whether a span may become part of a sum, if it is no collective. Begins whose end is missing and
 * asynchronous spans are kept, because other records refer to them. */
static bool may_go(const struct chrome_span *x)
{
    return x->duration != CHROME_OPEN && !(x->bits & (SPAN_ASYNC | SPAN_NODE));
}

static bool is_comparable(struct chrome_store *s, const struct chrome_span *x)
{
    return x->bits & SPAN_COLLECTIVE ||
           trace_shorts_keeps(&s->shorts, (enum node_kind)x->kind, x->name);
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

struct lengths {
    struct trace_lengths others; /* spans that may become sums */
    uint32_t collectives;        /* that may only where they are late */
};

static struct lengths count_lengths(struct chrome_store *s)
{
    struct lengths l = {.collectives = 0};
    for (uint32_t i = 0; i < s->spans.n; i++) {
        const struct chrome_span *x = &s->spans.at[i];
        if (!may_go(x))
            continue;
        if (is_comparable(s, x))
            l.collectives++;
        else
            trace_lengths_add(&l.others, weigh_stored_span(x));
    }
    return l;
}

static void fold_spans(struct chrome_store *s, struct trace_cut cut)
{
    struct move m = {0};
    uint32_t to = 0;
    for (uint32_t i = 0; i < s->spans.n; i++) {
        const struct chrome_span x = s->spans.at[i];
        const bool gone =
            may_go(&x) && ((s->part && x.start >= s->until) ||
                           (!is_comparable(s, &x) && trace_cut_takes(&cut, weigh_stored_span(&x))));
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

/* Halves the time of which spans are kept. Returns whether it could. */
static bool shorten_part(struct chrome_store *s)
{
    int64_t first = INT64_MAX, last = INT64_MIN;
    for (uint32_t i = 0; i < s->spans.n; i++)
        if (may_go(&s->spans.at[i])) {
            const int64_t start = s->spans.at[i].start;
            first = start < first ? start : first;
            last = start > last ? start : last;
        }
    if (first >= last)
        return false;
    s->part = (uint64_t)last - (uint64_t)first;
    s->part -= s->part / 2;
    s->until = first + (int64_t)s->part;
    return true;
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
    const uint32_t keep = s->room / 4 * 3;
    struct lengths lengths = count_lengths(s);
    while (lengths.collectives > keep && shorten_part(s)) {
        fold_spans(s, (struct trace_cut){0});
        lengths = count_lengths(s);
    }
    /* spans whose end may still come may take all the room now, and become sums later */
    const uint64_t stay = s->spans.n - lengths.others.n, least = lengths.others.n / 4;
    struct trace_cut cut = trace_cut_of(&lengths.others, keep > stay + least ? keep - stay : least);
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
    if (s->spans.n > s->room && s->async.n == 0 && !s->rooftop) {
        s->fold_at = 0;
        chrome_fold_make_room(s);
    }
    return trace_check_memory(s->trace, s->trace->calls->nnodes + (uint64_t)s->spans.n / 5 * 4,
                              path, err);
}

static uint32_t chrome_lane_node(void *store, uint32_t lane)
{
    const struct chrome_store *s = store;
    return s->lanes.at[lane].node;
}

void chrome_fold_tell(struct chrome_store *s, const char *path)
{
    if (s->part)
        trace_note(
            s->trace,
            "of %s only the first %.3g s are shown, because its collectives alone do not fit "
            "into memory: of what began later, only sums are known",
            path, (double)s->part / 1e9);
    trace_shorts_tell(&s->shorts, chrome_lane_node, s);
}
