#include "export/otlp/otlp_processes.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/ids.h"
#include "base/list.h"

/* How long to remember the span of a process that ended: its bricks may be read after its end. */
#define KEPT_NS UINT64_C(10000000000)

struct seen_process {
    int32_t pid, parent_pid;
    uint64_t start, begin_ns, end_ns;
    uint64_t gone_ns; /* time of the first sample that did not show it alive; 0: it runs */
    uint64_t last_ns; /* time of the last sample that showed it, also as a zombie */
    uint8_t id[OTLP_SPAN_ID], parent[OTLP_SPAN_ID];
    char *name, *command_line;
    bool placed, shown, written;
};

struct otlp_processes {
    const struct otlp_context *context;
    struct otlp_batch *batch;
    const uint8_t *command;
    int32_t command_pid; /* 0 = unknown */
    uint64_t command_begin, now_ns, nspans;
    struct seen_process *list;
    size_t n, cap;
    struct ids by_pid; /* index into list of the latest process with the pid */
};

struct otlp_processes *otlp_processes_new(const struct otlp_context *c, struct otlp_batch *b,
                                          const uint8_t *command)
{
    struct otlp_processes *o = xcalloc(1, sizeof *o);
    o->context = c;
    o->batch = b;
    o->command = command;
    return o;
}

void otlp_processes_command(struct otlp_processes *o, int32_t pid, uint64_t begin_ns)
{
    o->command_pid = pid;
    o->command_begin = begin_ns;
}

static struct seen_process *find_seen_process(const struct otlp_processes *o, int32_t pid)
{
    const uint32_t i = ids_get(&o->by_pid, (uint32_t)pid);
    return i == IDS_NONE ? NULL : &o->list[i];
}

/* --- spans --- */

static void write_process_span(struct otlp_processes *o, struct seen_process *p)
{
    struct otlp_attrs attrs = {.n = 0};
    struct otlp_span s = {.state = o->context->state,
                          .kind = OTLP_INTERNAL,
                          .name = p->name,
                          .begin_ns = p->begin_ns,
                          .end_ns = p->end_ns,
                          .attrs = &attrs};
    memcpy(s.trace, o->context->trace, sizeof s.trace);
    memcpy(s.id, p->id, sizeof s.id);
    memcpy(s.parent, p->parent, sizeof s.parent);
    otlp_text(&attrs, "rooftop.kind", "process");
    otlp_int(&attrs, "process.pid", p->pid);
    otlp_int(&attrs, "process.parent_pid", p->parent_pid);
    otlp_text(&attrs, "process.executable.name", p->name);
    otlp_text(&attrs, "process.command_line", p->command_line);
    otlp_text(&attrs, "rooftop.process.seen_by", "sampling");
    if (p->gone_ns > p->end_ns)
        otlp_uint(&attrs, "rooftop.process.end_within_ns", p->gone_ns - p->end_ns);
    if (p->gone_ns == 0)
        otlp_bool(&attrs, "rooftop.process.running", true);
    otlp_batch_add(o->batch, &s);
    p->written = true;
}

static void free_texts(struct seen_process *p)
{
    free(p->name);
    free(p->command_line);
}

/* --- samples --- */

void otlp_processes_begin(struct otlp_processes *o, uint64_t wall_ns)
{
    o->now_ns = wall_ns;
    for (size_t i = 0; i < o->n; i++)
        o->list[i].shown = false;
}

static void keep_process_text(char **kept, const char *text)
{
    if (text && (!*kept || strcmp(*kept, text) != 0)) {
        free(*kept);
        *kept = xstrdup(text);
    }
}

/* Removes processes whose spans are no longer needed. */
static void remove_old(struct otlp_processes *o)
{
    size_t n = 0;
    for (size_t i = 0; i < o->n; i++)
        if (o->list[i].written && o->now_ns - o->list[i].last_ns > KEPT_NS)
            free_texts(&o->list[i]);
        else
            o->list[n++] = o->list[i];
    if (n == o->n)
        return;
    o->n = n;
    ids_free(&o->by_pid);
    o->by_pid = (struct ids){0};
    for (size_t i = 0; i < n; i++)
        ids_set(&o->by_pid, (uint32_t)o->list[i].pid, (uint32_t)i);
}

static struct seen_process *add_seen_process(struct otlp_processes *o, const struct otlp_process *p)
{
    const uint64_t begin_ns = p->begin_ns < o->now_ns ? p->begin_ns : o->now_ns;
    LIST_ROOM(o->list, o->n, o->cap);
    struct seen_process *to = &o->list[o->n];
    *to = (struct seen_process){.pid = p->pid,
                                .parent_pid = p->parent_pid,
                                .start = p->start,
                                .begin_ns = begin_ns,
                                .end_ns = begin_ns};
    otlp_context_id(o->context, OTLP_FIRST_PROCESS + o->nspans++, to->id);
    ids_set(&o->by_pid, (uint32_t)p->pid, (uint32_t)o->n++);
    return to;
}

void otlp_processes_see(struct otlp_processes *o, const struct otlp_process *p)
{
    if (p->pid == o->command_pid)
        return;
    struct seen_process *to = find_seen_process(o, p->pid);
    if (!to || to->start != p->start)
        to = add_seen_process(o, p);
    to->last_ns = o->now_ns;
    if (to->written) /* a zombie that its parent does not wait for */
        return;
    to->shown = !p->ended;
    keep_process_text(&to->name, p->name ? p->name : "process");
    keep_process_text(&to->command_line, p->command_line);
    if (!p->ended && o->now_ns > to->end_ns)
        to->end_ns = o->now_ns;
}

/* Keeps the parent that the process had when it was first seen: another may adopt it later. */
static void place_under_parent(struct otlp_processes *o, struct seen_process *p)
{
    const struct seen_process *up = find_seen_process(o, p->parent_pid);
    const uint8_t *none = o->command ? o->command : o->context->parent;
    const bool known = up && up != p && !up->gone_ns;
    uint64_t least = o->command ? o->command_begin : 0;
    if (known)
        least = up->begin_ns;
    memcpy(p->parent, known ? up->id : none, sizeof p->parent);
    p->begin_ns = p->begin_ns > least ? p->begin_ns : least;
    p->end_ns = p->end_ns > p->begin_ns ? p->end_ns : p->begin_ns;
    p->placed = true;
}

void otlp_processes_done(struct otlp_processes *o)
{
    for (size_t i = 0; i < o->n; i++)
        if (!o->list[i].placed)
            place_under_parent(o, &o->list[i]);
    for (size_t i = 0; i < o->n; i++) {
        struct seen_process *p = &o->list[i];
        if (p->shown || p->written)
            continue;
        p->gone_ns = o->now_ns;
        write_process_span(o, p);
    }
    remove_old(o);
}

bool otlp_processes_span(struct otlp_processes *o, int32_t pid, uint64_t end_ns,
                         uint8_t id[OTLP_SPAN_ID])
{
    struct seen_process *p = find_seen_process(o, pid);
    if (!p)
        return false;
    if (end_ns > p->end_ns)
        p->end_ns = end_ns;
    memcpy(id, p->id, OTLP_SPAN_ID);
    return true;
}

void otlp_processes_end(struct otlp_processes *o)
{
    for (size_t i = 0; i < o->n; i++)
        if (!o->list[i].written)
            write_process_span(o, &o->list[i]);
}

void otlp_processes_free(struct otlp_processes *o)
{
    for (size_t i = 0; o && i < o->n; i++)
        free_texts(&o->list[i]);
    if (o) {
        free(o->list);
        ids_free(&o->by_pid);
    }
    free(o);
}
