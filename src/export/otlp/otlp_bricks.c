#include "export/otlp/otlp_bricks.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/ids.h"
#include "base/list.h"
#include "export/otlp/otlp_node.h"

struct sent_program {
    uint64_t number;
    pid_t pid;
    char *name;
    uint64_t begin_ns, end_ns; /* time of day of its first and last span */
    bool command, written;
};

struct otlp_bricks {
    const struct otlp_context *context;
    struct otlp_batch *batch;
    const uint8_t *command;
    struct otlp_processes *processes;
    struct sent_program *programs;
    size_t n, cap;
    struct ids by_number; /* indexes into programs */
    uint64_t missed;
};

struct otlp_bricks *otlp_bricks_new(const struct otlp_context *c, struct otlp_batch *b,
                                    const uint8_t *command, struct otlp_processes *processes)
{
    struct otlp_bricks *o = xcalloc(1, sizeof *o);
    o->context = c;
    o->batch = b;
    o->command = command;
    o->processes = processes;
    return o;
}

static struct sent_program *find_sent_program(struct otlp_bricks *o, const struct brick_spans *s)
{
    bool fresh;
    const uint32_t i = ids_number(&o->by_number, s->program, &fresh);
    if (!fresh)
        return &o->programs[i];
    LIST_ROOM(o->programs, o->n, o->cap);
    o->programs[o->n] = (struct sent_program){.number = s->program,
                                              .pid = s->pid,
                                              .name = xstrdup(s->name),
                                              .begin_ns = UINT64_MAX,
                                              .command = s->command && o->command};
    return &o->programs[o->n++];
}

static void identify_brick(const struct otlp_bricks *o, const struct sent_program *p, uint64_t span,
                           uint8_t id[OTLP_SPAN_ID])
{
    if (span == 0 && p->command) /* the command has a span already */
        memcpy(id, o->command, OTLP_SPAN_ID);
    else
        otlp_context_id_in(o->context, p->number, span, id);
}

static void write_brick(struct otlp_bricks *o, struct sent_program *p, const struct brick_spans *s,
                        uint32_t i)
{
    const struct graph *g = s->graph;
    const uint32_t n = s->first + i;
    struct otlp_attrs attrs = {.n = 0};
    struct otlp_node_texts texts;
    struct otlp_span span = {.state = o->context->state,
                             .kind = OTLP_INTERNAL,
                             .name = graph_name(g, n),
                             .begin_ns = s->to_unix_ns + g->start[n],
                             .end_ns = s->to_unix_ns + g->start[n] + g->duration[n],
                             .attrs = &attrs,
                             .status = g->flags[n] & NODE_FAILED ? OTLP_ERROR : OTLP_UNSET};
    memcpy(span.trace, o->context->trace, sizeof span.trace);
    identify_brick(o, p, s->span[i], span.id);
    identify_brick(o, p, s->parent[i], span.parent);
    otlp_node_describe(g, n, &attrs, &texts);
    otlp_node_lane(g, g->parent[n], &attrs);
    otlp_batch_add(o->batch, &span);
    p->begin_ns = span.begin_ns < p->begin_ns ? span.begin_ns : p->begin_ns;
    p->end_ns = span.end_ns > p->end_ns ? span.end_ns : p->end_ns;
}

/* Writes the program as a span from its first span to its last one, as for a recording. */
static void write_program(struct otlp_bricks *o, struct sent_program *p)
{
    struct otlp_attrs attrs = {.n = 0};
    struct otlp_span span = {.state = o->context->state,
                             .kind = OTLP_INTERNAL,
                             .name = p->name,
                             .begin_ns = p->begin_ns,
                             .end_ns = p->end_ns,
                             .attrs = &attrs};
    if (p->written || p->command || p->begin_ns == UINT64_MAX)
        return;
    memcpy(span.trace, o->context->trace, sizeof span.trace);
    if (!o->processes || !otlp_processes_span(o->processes, p->pid, p->end_ns, span.parent))
        memcpy(span.parent, o->command ? o->command : o->context->parent, sizeof span.parent);
    identify_brick(o, p, 0, span.id);
    otlp_text(&attrs, "rooftop.kind", node_kind_name(NODE_PROGRAM));
    otlp_text(&attrs, "process.executable.name", p->name);
    otlp_int(&attrs, "process.pid", p->pid);
    otlp_batch_add(o->batch, &span);
    p->written = true;
}

void otlp_bricks_take(struct otlp_bricks *o, const struct brick_spans *s)
{
    struct sent_program *p = find_sent_program(o, s);
    for (uint32_t i = 0; i < s->n; i++)
        write_brick(o, p, s, i);
    o->missed += s->missed;
    if (s->over)
        write_program(o, p);
}

void otlp_bricks_end(struct otlp_bricks *o)
{
    for (size_t i = 0; i < o->n; i++)
        write_program(o, &o->programs[i]);
}

uint64_t otlp_bricks_missed(const struct otlp_bricks *o)
{
    return o->missed;
}

void otlp_bricks_free(struct otlp_bricks *o)
{
    if (!o)
        return;
    for (size_t i = 0; i < o->n; i++)
        free(o->programs[i].name);
    free(o->programs);
    ids_free(&o->by_number);
    free(o);
}
