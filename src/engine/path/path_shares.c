#include "engine/path/path_shares.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/search.h"
#include "engine/graph/execution.h"
#include "engine/trace/trace_window.h"

enum { DEVICES_MAX = 256 }; /* the last one stands for all others */

/* ns from the first start to the last end; 0 if no times are known. */
static uint64_t path_wall(const struct graph *g)
{
    uint64_t first = GRAPH_UNKNOWN, last = 0;
    for (uint32_t i = 0; i < g->nnodes; i++) {
        if (g->start[i] == GRAPH_UNKNOWN || g->duration[i] == GRAPH_UNKNOWN)
            continue;
        first = g->start[i] < first ? g->start[i] : first;
        last = g->start[i] + g->duration[i] > last ? g->start[i] + g->duration[i] : last;
    }
    return last > first ? last - first : 0;
}

/* --- parts --- */

const char *path_part_name(enum path_part p)
{
    static const char *const names[PATH_PARTS] = {
        "compute", "copy", "communication", "launch", "host", "unrecorded", "wait"};
    return (unsigned)p < PATH_PARTS ? names[p] : "?";
}

const char *path_part_label(enum path_part p)
{
    return p == PATH_UNKNOWN ? "host, nothing recorded" : path_part_name(p);
}

const char path_part_letter[PATH_PARTS + 1] = "CMXLH?.";
const char *const path_part_shade[PATH_PARTS] = {"█", "▓", "▚", "▒", "░", "┄", "·"};

/* Finds shares in millionths by largest remainder, so that they add up exactly. */
static void find_shares(struct path_mix *m)
{
    uint64_t rest[PATH_PARTS] = {0};
    uint32_t sum = 0;
    m->total = 0;
    for (int i = 0; i < PATH_PARTS; i++)
        m->total += m->ns[i];
    for (int i = 0; m->total && i < PATH_PARTS; i++) {
        __extension__ unsigned __int128 scaled = m->ns[i];
        scaled *= PATH_WHOLE;
        m->share[i] = (uint32_t)(scaled / m->total);
        rest[i] = (uint64_t)(scaled % m->total);
        sum += m->share[i];
    }
    for (; m->total && sum < PATH_WHOLE; sum++) {
        int most = 0;
        for (int i = 1; i < PATH_PARTS; i++)
            most = rest[i] > rest[most] ? i : most;
        m->share[most]++;
        rest[most] = 0;
    }
}

void path_mix_within(const struct critical_path *p, uint64_t from, uint64_t to,
                     struct path_mix *out)
{
    uint32_t low = 0; /* the first step that ends later */
    *out = (struct path_mix){0};
    SEARCH_FIRST(low, p->nsteps, p->begin + p->steps[low].start + p->steps[low].length <= from);
    for (; low < p->nsteps && p->begin + p->steps[low].start < to; low++) {
        const struct critical_step *s = &p->steps[low];
        uint64_t a = p->begin + s->start, b = a + s->length;
        a = a < from ? from : a;
        b = b > to ? to : b;
        out->ns[s->part] += b > a ? b - a : 0;
    }
    find_shares(out);
}

/* --- devices --- */

struct devices {
    const struct trace *t;
    uint32_t *agent_of;         /* of queues: 1 + agent; 0 unknown */
    uint32_t last, last_device; /* the queue of the last lookup, or GRAPH_NONE */
    bool hosts;                 /* the agents belong to several hosts */
    struct path_device *list;
    uint32_t n;
};

static void find_agents(struct devices *d)
{
    const struct trace *t = d->t;
    for (uint32_t i = 0; i < t->ndispatches; i++) {
        uint32_t queue = t->calls->parent[trace_dispatch_node(t, i)];
        if (queue == GRAPH_NONE || d->agent_of[queue])
            continue;
        uint32_t agent = trace_dispatch_at(t, i).agent;
        d->agent_of[queue] = agent < t->nagents ? agent + 1 : 0;
    }
    for (uint32_t i = 1; i < t->nagents; i++)
        d->hosts |= t->agents[i].host != t->agents[0].host;
}

static const char *find_device_memory_name(const struct graph *g, uint32_t node)
{
    const struct graph_detail *d =
        g->detail[node] == GRAPH_NONE ? NULL : &g->details[g->detail[node]];
    if (!d)
        return "";
    uint32_t name = d->transfer.direction == 1 ? d->transfer.from : d->transfer.to;
    return name == GRAPH_NONE ? "" : graph_text(g, name);
}

static void write_device_name(const struct devices *d, uint32_t node, char *out, size_t size)
{
    const struct graph *g = d->t->calls;
    uint32_t queue = g->kind[node] == NODE_QUEUE ? node : g->parent[node];
    bool device = (graph_is_work(g, node) || g->kind[node] == NODE_QUEUE) && queue != GRAPH_NONE &&
                  g->kind[queue] == NODE_QUEUE;
    if (!device) {
        snprintf(out, size, "host");
    } else if (d->agent_of[queue]) {
        const struct trace_agent *a = &d->t->agents[d->agent_of[queue] - 1];
        bool host = d->hosts && a->host != GRAPH_NONE;
        snprintf(out, size, "%s %u%s%s", a->gpu ? "GPU" : "CPU", a->number, host ? " of " : "",
                 host ? graph_text(g, a->host) : "");
    } else {
        const char *memory = g->kind[node] == NODE_TRANSFER ? find_device_memory_name(g, node) : "";
        bool gpu = strncmp(memory, "GPU ", 4) == 0;
        snprintf(out, size, "%s", gpu ? memory : graph_name(g, queue));
    }
}

static struct path_device *device_named(struct devices *d, const char *name)
{
    for (uint32_t i = 0; i < d->n; i++)
        if (strcmp(d->list[i].name, name) == 0)
            return &d->list[i];
    if (d->n == DEVICES_MAX)
        return &d->list[d->n - 1];
    struct path_device *new = &d->list[d->n++];
    snprintf(new->name, sizeof new->name, "%s", d->n == DEVICES_MAX ? "others" : name);
    return new;
}

/* The device of a step. A kernel's step, and a wait for it, count for the device of its queue. */
static struct path_device *find_device_of_step(struct devices *d, const struct critical_step *s)
{
    const struct graph *g = d->t->calls;
    char name[sizeof d->list->name] = "host";
    uint32_t queue = g->kind[s->node] == NODE_KERNEL ? g->parent[s->node] : GRAPH_NONE;
    if (g->kind[s->node] == NODE_QUEUE)
        queue = s->node;
    if (s->latency)
        return device_named(d, name);
    if (queue != GRAPH_NONE && queue == d->last)
        return &d->list[d->last_device];
    write_device_name(d, s->node, name, sizeof name);
    struct path_device *found = device_named(d, name);
    d->last = queue;
    d->last_device = (uint32_t)(found - d->list);
    return found;
}

static int device_order(const void *a, const void *b)
{
    const struct path_device *x = a, *y = b;
    if (x->mix.total != y->mix.total)
        return x->mix.total > y->mix.total ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void sum_path_devices(const struct trace *t, const struct critical_path *p,
                             struct path_shares *out)
{
    struct devices d = {.t = t,
                        .last = GRAPH_NONE,
                        .agent_of = xcalloc(t->calls->nnodes + (size_t)1, sizeof *d.agent_of),
                        .list = xcalloc(DEVICES_MAX, sizeof *d.list)};
    find_agents(&d);
    for (uint32_t i = 0; i < p->nsteps; i++) {
        const struct critical_step *s = &p->steps[i];
        enum path_part part = (enum path_part)s->part;
        find_device_of_step(&d, s)->mix.ns[part] += s->length;
        out->all.ns[part] += s->length;
        out->inferred += s->inferred;
    }
    for (uint32_t i = 0; i < d.n; i++)
        find_shares(&d.list[i].mix);
    qsort(d.list, d.n, sizeof *d.list, device_order);
    out->devices = d.list;
    out->ndevices = d.n;
    free(d.agent_of);
}

void path_shares_find(const struct trace *t, const struct critical_path *p, struct path_shares *out)
{
    const struct graph *g = t->calls;
    *out = (struct path_shares){.wall = path_wall(g)};
    path_names_find(g, p, out);
    sum_path_devices(t, p, out);
    find_shares(&out->all);
}

void path_shares_free(struct path_shares *s)
{
    free(s->devices);
    free(s->names);
    *s = (struct path_shares){0};
}
