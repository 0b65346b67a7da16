#include "backends/bricks/brick_impl.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/env.h"
#include "base/hash.h"

struct fresh_spans {
    const struct brick_event **events;
    uint64_t *span, *parent;
    size_t n;
};

/* Hashes the file, because each program has its own, which is made once. */
static uint64_t hash_program_identity(const struct watched_program *p)
{
    const struct brick_header *h = brick_reader_header(p->reader);
    const uint64_t file = hash_number(hash_number(p->dev, p->ino), h->created_ns);
    return hash_number(hash_number(file, h->start_ticks), (uint64_t)p->pid);
}

static uint64_t brick_clock_offset(const struct brick_header *h)
{
    const bool dated = h->created_ns && h->created_wall_ns > h->created_ns;
    return dated ? h->created_wall_ns - h->created_ns : env_wall_ns() - env_now_ns();
}

/* Takes the newly read records that are spans and were not told before. */
static struct fresh_spans choose_fresh_spans(const struct brick_reader *r, struct brick_told *told,
                                             uint64_t since_ns)
{
    size_t n;
    const struct brick_event *events = brick_reader_new_events(r, &n);
    struct fresh_spans f = {.events = xcalloc(n + 1, sizeof *f.events),
                            .span = xcalloc(n + 1, sizeof *f.span),
                            .parent = xcalloc(n + 1, sizeof *f.parent)};
    for (size_t i = 0; i < n; i++) {
        const struct brick_record *e = &events[i].record;
        if (!brick_told_advance(told, events[i].thread, events[i].at) ||
            (e->type & 15) != BRICK_SPAN || e->end < since_ns)
            continue;
        f.span[f.n] = e->span;
        f.parent[f.n] = e->parent;
        f.events[f.n++] = &events[i];
    }
    return f;
}

static void hand_over_spans(const struct watched_program *p, struct brick_stream *to,
                            struct brick_spans *s, const struct fresh_spans *f)
{
    struct graph *g = graph_new();
    s->graph = g;
    s->n = (uint32_t)f->n;
    s->first = brick_graph_flat(g, p->reader, p->name, p->pid, f->events, &s->n);
    s->span = f->span;
    s->parent = f->parent;
    to->take(to->ctx, s);
    graph_unref(g);
}

static void tell_program(struct watched_program *p, struct brick_stream *to, pid_t command)
{
    const struct brick_header *h = brick_reader_header(p->reader);
    bool fresh;
    struct brick_told *told = brick_stream_program(to, hash_program_identity(p), &fresh);
    if (fresh)
        told->to_unix_ns = brick_clock_offset(h);
    const uint64_t missed = brick_reader_missed(p->reader);
    /* spans that were overwritten before the first request are not missed */
    const bool before = !p->told && (!fresh || h->created_ns < to->since_ns);
    struct fresh_spans f = choose_fresh_spans(p->reader, told, to->since_ns);
    struct brick_spans s = {.program = told->program,
                            .pid = p->pid,
                            .command = command > 0 && p->pid == command,
                            .over = p->state != PROGRAM_RUNNING && !told->over,
                            .name = p->name,
                            .to_unix_ns = told->to_unix_ns,
                            .missed = before ? 0 : missed - p->missed};
    p->told = true;
    p->missed = missed;
    told->over = told->over || s.over;
    if (f.n || s.over || s.missed)
        hand_over_spans(p, to, &s, &f);
    free(f.events);
    free(f.span);
    free(f.parent);
}

void programs_tell(struct programs *p, struct brick_stream *to, pid_t command)
{
    for (size_t i = 0; i < p->n; i++)
        if (!p->list[i].damaged)
            tell_program(&p->list[i], to, command);
    to->tick(to->ctx);
}
