/* Barriers of a GPU kernel: the candidate has each barrier of the baseline, in as many loops and
 * conditions, unless the memory that it protects is no longer shared; all work-items reach every
 * barrier. Atomic operations stay. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "engine/source_guards/source_flow.h"

static bool has_end(const struct source_event *e)
{
    return e->kind <= EVENT_FRAME;
}

static uint32_t line_of_event(const struct source_side *s, const struct source_event *e)
{
    return s->tree->nodes[e->node].line;
}

/* --- whether all items reach a barrier --- */

struct scope {
    uint32_t event;
    bool lane, cut; /* cut: some items have left it */
};

struct reaching {
    const struct source_flow *f;
    struct scope *scopes; /* those around an event */
    size_t n;
    bool *left;       /* loops, frames: some work-items leave them, before or after */
    size_t divided;   /* number of diverging scopes, of all barriers */
    uint32_t barrier; /* the first of these */
};

static bool ends_jump(const struct source_event *scope, enum source_event_kind jump)
{
    if (jump == EVENT_RETURN || jump == EVENT_GOTO)
        return scope->kind == EVENT_FRAME;
    return scope->kind == EVENT_LOOP || scope->kind == EVENT_ONCE;
}

static void follow_jump(struct reaching *r, enum source_event_kind kind)
{
    bool lane = false;
    for (size_t i = r->n; i-- > 0;) {
        struct scope *s = &r->scopes[i];
        if (ends_jump(&r->f->list[s->event], kind)) {
            s->cut |= lane;
            r->left[s->event] |= lane && kind != EVENT_CONTINUE && kind != EVENT_RETURN;
            return;
        }
        lane |= s->lane || s->cut;
        if (kind == EVENT_RETURN && (s->lane || lane) && r->f->list[s->event].kind == EVENT_LOOP)
            r->left[s->event] = true;
    }
}

static void reach_barrier(struct reaching *r, uint32_t event)
{
    size_t divided = 0;
    for (size_t i = 0; i < r->n; i++)
        divided += r->scopes[i].lane || r->scopes[i].cut;
    if (divided > 0 && r->divided == 0)
        r->barrier = event;
    r->divided += divided;
}

/* Twice: after a jump out of a loop, work-items also miss what is before the jump, in the next
 * iteration. */
static void find_divided(struct reaching *r)
{
    for (int round = 0; round < 2; round++) {
        r->n = r->divided = 0;
        for (uint32_t i = 0; i < r->f->n; i++) {
            const struct source_event *e = &r->f->list[i];
            if (has_end(e))
                r->scopes[r->n++] = (struct scope){.event = i, .lane = e->lane || r->left[i]};
            else if (e->kind == EVENT_END && r->n > 0)
                r->n--;
            else if (e->kind == EVENT_BARRIER)
                reach_barrier(r, i);
            else if (e->kind >= EVENT_RETURN)
                follow_jump(r, (enum source_event_kind)e->kind);
        }
    }
}

static struct reaching reaching_of(const struct source_flow *f)
{
    struct reaching r = {.f = f,
                         .scopes = xcalloc(f->n + 1, sizeof *r.scopes),
                         .left = xcalloc(f->n + 1, sizeof *r.left)};
    find_divided(&r);
    free(r.scopes);
    free(r.left);
    r.scopes = NULL;
    r.left = NULL;
    return r;
}

/* --- whether each is there --- */

struct matching {
    const struct source_flow *was, *is;
    uint32_t missing; /* an event of the baseline */
    size_t steps;
};

enum { MATCH_STEPS = 1 << 22 };

/* The next event from i on, before end, that is a barrier, or a loop or condition around one; end
 * where there is none. */
static uint32_t next_barrier_event(const struct source_flow *f, uint32_t i, uint32_t end)
{
    for (; i < end; i++) {
        const struct source_event *e = &f->list[i];
        if (e->kind == EVENT_BARRIER)
            return i;
        if (e->kind != EVENT_LOOP && e->kind != EVENT_CONDITION)
            continue;
        if (f->list[i].holds)
            return i;
        i = e->end;
    }
    return end;
}

static uint32_t behind_barrier_event(const struct source_flow *f, uint32_t i)
{
    return f->list[i].kind == EVENT_BARRIER ? i + 1 : f->list[i].end;
}

/* Whether the candidate's events from k to last have the baseline's events from i to end, in the
 * same order. */
static bool match_barriers(struct matching *m, uint32_t i, uint32_t end, uint32_t k, uint32_t last)
{
    for (i = next_barrier_event(m->was, i, end); i < end;
         i = next_barrier_event(m->was, behind_barrier_event(m->was, i), end)) {
        const struct source_event *w = &m->was->list[i];
        for (k = next_barrier_event(m->is, k, last); k < last;
             k = next_barrier_event(m->is, behind_barrier_event(m->is, k), last)) {
            const struct source_event *e = &m->is->list[k];
            if (++m->steps > MATCH_STEPS)
                return false;
            if (e->kind == w->kind &&
                (e->kind == EVENT_BARRIER ? e->key == w->key
                                          : match_barriers(m, i + 1, w->end, k + 1, e->end)))
                break;
        }
        if (k >= last) {
            m->missing = i;
            return false;
        }
        k = behind_barrier_event(m->is, k);
    }
    return true;
}

/* --- what is shared without a barrier --- */

enum { ACCESSES_MOST = 128 };
struct since { /* the last barrier: accesses */
    uint32_t list[ACCESSES_MOST];
    bool before[ACCESSES_MOST]; /* in an earlier round of a loop */
    size_t n;
    bool more;
};

struct sharing {
    const struct source_flow *f;
    const struct source_lanes *l;
    bool conflict;
    size_t steps;
    size_t carried; /* loops without a barrier in which one item reads what another wrote before */
};

static bool is_pointer_variable(const struct sharing *s, uint32_t variable)
{
    return variable != 0 && strchr(syntax_type(s->l->t, variable), '*') != NULL;
}

static bool may_meet(const struct sharing *s, const struct source_event *a,
                     const struct source_event *b)
{
    if (!(a->write || b->write) || (a->atomic && b->atomic) || !(a->read || b->read))
        return false;
    if (a->variable == b->variable)
        return !(a->lane && b->lane && a->key == b->key); /* an item's own place */
    return s->l->shared[a->variable] && s->l->shared[b->variable] &&
           (is_pointer_variable(s, a->variable) || is_pointer_variable(s, b->variable));
}

static void access_memory(struct sharing *s, struct since *since, uint32_t event, bool *conflict)
{
    const struct source_event *e = &s->f->list[event];
    for (size_t i = 0; i < since->n; i++) {
        const struct source_event *other = &s->f->list[since->list[i]];
        if ((since->before[i] || other->unit != e->unit) && may_meet(s, other, e))
            *conflict = true;
    }
    since->more |= since->n >= ACCESSES_MOST;
    *conflict |= since->more;
    if (since->n < ACCESSES_MOST) {
        since->before[since->n] = false;
        since->list[since->n++] = event;
    }
}

static void join_accesses(struct since *to, const struct since *other)
{
    to->more |= other->more;
    for (size_t i = 0; i < other->n; i++) {
        size_t k = 0;
        while (k < to->n && to->list[k] != other->list[i])
            k++;
        if (k == to->n && k < ACCESSES_MOST) {
            to->before[k] = other->before[i];
            to->list[to->n++] = other->list[i];
        }
        to->more |= k >= ACCESSES_MOST;
    }
}

enum {
    LOOPS_MOST = 12, /* in each other: each doubles the way */
    DEPTH_MOST = 100,
    STEPS_MOST = 1 << 22
};

/* Where a path through the events continues. some: it is inside a condition on the work-item. */
struct position {
    bool some;
    int loops, depth;
};

static void go_over(struct sharing *s, struct since *since, uint32_t from, uint32_t end,
                    struct position at);

static void go_round(struct sharing *s, struct since *since, uint32_t loop, struct position at)
{
    const struct source_event *e = &s->f->list[loop];
    const struct since before = *since;
    const bool was = s->conflict;
    go_over(s, since, loop + 1, e->end, at);
    for (size_t i = 0; i < since->n; i++)
        since->before[i] = true;
    const bool first = s->conflict;
    s->conflict = false;
    go_over(s, since, loop + 1, e->end, at);
    s->carried += s->conflict && !at.some && !e->holds;
    s->conflict |= first || was;
    join_accesses(since, &before);
}

static void go_in(struct sharing *s, struct since *since, uint32_t i, struct position at)
{
    const struct source_event *e = &s->f->list[i];
    at.depth++;
    at.loops += e->kind == EVENT_LOOP;
    if (at.loops > LOOPS_MOST || at.depth > DEPTH_MOST)
        s->conflict = true;
    else if (e->kind == EVENT_LOOP)
        go_round(s, since, i, at);
    else {
        const struct since before = *since;
        at.some |= e->lane;
        go_over(s, since, i + 1, e->end, at);
        join_accesses(since, &before);
    }
}

static void go_over(struct sharing *s, struct since *since, uint32_t from, uint32_t end,
                    struct position at)
{
    for (uint32_t i = from; i < end; i++) {
        const struct source_event *e = &s->f->list[i];
        if (++s->steps > STEPS_MOST) {
            s->conflict = true;
            return;
        }
        if (e->kind == EVENT_BARRIER && e->meets)
            *since = (struct since){.n = 0};
        else if (e->kind == EVENT_ACCESS)
            access_memory(s, since, i, &s->conflict);
        else if (e->kind == EVENT_LOOP || e->kind == EVENT_CONDITION) {
            go_in(s, since, i, at);
            i = e->end;
        }
    }
}

static struct sharing sharing_of(const struct source_flow *f, const struct source_lanes *l)
{
    struct sharing s = {.f = f, .l = l};
    struct since since = {.n = 0};
    go_over(&s, &since, 0, (uint32_t)f->n, (struct position){.depth = 0});
    return s;
}

/* --- the rules --- */

struct kernel {
    const struct source_side *side;
    struct source_lanes lanes;
    struct source_flow flow;
};

static void open_barrier_kernel(struct kernel *k, const struct source_side *side)
{
    k->side = side;
    source_lanes_open(&k->lanes, side->tree, side->names);
    source_flow_open(&k->flow, side, &k->lanes);
}

static void close_barrier_kernel(struct kernel *k)
{
    source_lanes_close(&k->lanes);
    source_flow_close(&k->flow);
}

static size_t count_named(const struct source_flow *f)
{
    size_t n = 0;
    for (size_t i = 0; i < f->n; i++)
        n += f->list[i].kind == EVENT_NAMED;
    return n;
}

/* New code with a barrier, which no visible call reaches. */
static int check_unseen(const struct source_check *k, const struct kernel *was,
                        const struct kernel *is)
{
    const struct syntax_tree *t = is->side->tree;
    for (size_t i = 1; i < t->count; i++)
        if (k->fresh[i] && !is->flow.met[i] && source_is_barrier(is->side, i))
            return source_refuse(k, GUARD_BARRIERS,
                                 "line %u: a barrier in code that runs an unknown number of times",
                                 t->nodes[i].line);
    if (count_named(&is->flow) > count_named(&was->flow))
        return source_refuse(k, GUARD_BARRIERS, "a barrier is called by another name or a pointer");
    return 0;
}

static int check_missing(const struct source_check *k, const struct kernel *was,
                         const struct kernel *is)
{
    struct matching m = {.was = &was->flow, .is = &is->flow};
    const bool there = match_barriers(&m, 0, (uint32_t)was->flow.n, 0, (uint32_t)is->flow.n);
    const struct sharing now = sharing_of(&is->flow, &is->lanes);
    if (!there && now.conflict)
        return source_refuse(k, GUARD_BARRIERS,
                             "line %u of the baseline: a barrier is gone, or stands in other loops "
                             "or conditions, and items still read what others write",
                             line_of_event(was->side, &was->flow.list[m.missing]));
    if (now.carried > sharing_of(&was->flow, &was->lanes).carried)
        return source_refuse(k, GUARD_BARRIERS,
                             "a loop without a barrier reads shared memory that other items write "
                             "in it");
    return 0;
}

/* As the rule of unrolled loops says, also where a lambda is called twice. */
static int check_more(const struct source_check *k, const struct kernel *was,
                      const struct kernel *is)
{
    bool looped = false;
    for (size_t i = 0; i < was->flow.n; i++)
        looped |= was->flow.list[i].kind == EVENT_LOOP && was->flow.list[i].holds;
    if (looped && is->flow.barriers > was->flow.barriers)
        return source_refuse(k, GUARD_BARRIERS,
                             "a barrier stands in a loop of the baseline, and %llu with all calls "
                             "in the candidate, %llu before",
                             (unsigned long long)is->flow.barriers,
                             (unsigned long long)was->flow.barriers);
    return 0;
}

static int check_atomics(const struct source_check *k)
{
    const uint32_t was = k->baseline.stops.counts[k->baseline.function].all[SOURCE_ATOMIC],
                   is = k->candidate.stops.counts[k->candidate.function].all[SOURCE_ATOMIC];
    return is >= was ? 0
                     : source_refuse(k, GUARD_BARRIERS, "%u atomic operations, %u before", is, was);
}

static bool is_followed(const struct kernel *k)
{
    return !k->flow.too_many && !k->lanes.changed;
}

static int check_reached(const struct source_check *k, const struct kernel *was,
                         const struct kernel *is)
{
    const struct reaching before = reaching_of(&was->flow), now = reaching_of(&is->flow);
    return now.divided <= before.divided
               ? 0
               : source_refuse(k, GUARD_BARRIERS,
                               "line %u: not all items of a work-group reach this barrier",
                               line_of_event(is->side, &is->flow.list[now.barrier]));
}

int source_check_barriers(const struct source_check *k)
{
    struct kernel was, is;
    if (!k->candidate.tree->gpu)
        return 0;
    open_barrier_kernel(&was, &k->baseline);
    open_barrier_kernel(&is, &k->candidate);
    int rc = 0;
    if (!is_followed(&was) || !is_followed(&is))
        rc = source_refuse(k, GUARD_BARRIERS, "more calls and loops than are followed");
    if (rc == 0)
        rc = check_unseen(k, &was, &is);
    if (rc == 0)
        rc = check_reached(k, &was, &is);
    if (rc == 0)
        rc = check_missing(k, &was, &is);
    if (rc == 0)
        rc = check_more(k, &was, &is);
    if (rc == 0)
        rc = check_atomics(k);
    close_barrier_kernel(&was);
    close_barrier_kernel(&is);
    return rc;
}
