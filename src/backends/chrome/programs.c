/* Adds programs and their lanes, in the order that the file requests. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/chrome/chrome_impl.h"
#include "base/arena.h"

static int64_t device_number(const struct chrome_store *s, int64_t number)
{
    bool small = number >= 0 && number < UINT32_MAX;
    return small ? chrome_device_number(s, (uint32_t)number) : number;
}

/* The label of a device, "GPU 2", with the number that it has in its properties. */
static void device_label(const struct chrome_store *s, const struct chrome_process *p, char *out,
                         size_t size)
{
    const char *label = graph_text(s->trace->calls, p->labels);
    size_t before;
    const int64_t number = chrome_id_number(&p->id, &before);
    snprintf(out, size, "GPU %lld", (long long)number);
    if (strcmp(out, label) == 0)
        snprintf(out, size, "GPU %lld", (long long)device_number(s, number));
    else
        snprintf(out, size, "%s", label);
}

/* The name that the file says; with the text before the number of the process, "python3 [TP01]". */
static uint32_t said_name(struct graph *g, const struct chrome_process *p)
{
    char name[320];
    size_t before;
    chrome_id_number(&p->id, &before);
    while (before > 0 && p->id.text[before - 1] == ' ')
        before--;
    if (!before)
        return p->name;
    snprintf(name, sizeof name, "%s %.*s", graph_text(g, p->name), (int)before, p->id.text);
    return graph_intern(g, name);
}

static uint32_t program_name(struct chrome_store *s, const struct chrome_process *p, bool device)
{
    struct graph *g = s->trace->calls;
    char name[320], label[160];
    if (p->name != GRAPH_NONE && device && p->labels != GRAPH_NONE) { /* "python3 (GPU 2)" */
        device_label(s, p, label, sizeof label);
        snprintf(name, sizeof name, "%s (%s)", graph_text(g, said_name(g, p)), label);
    } else if (p->name != GRAPH_NONE) {
        return said_name(g, p);
    } else if (p->id.text[0]) {
        return graph_intern(g, p->id.text);
    } else if (device) {
        snprintf(name, sizeof name, "GPU %lld", (long long)device_number(s, p->id.number));
    } else {
        snprintf(name, sizeof name, "pid %lld", (long long)p->id.number);
    }
    return graph_intern(g, name);
}

static uint32_t add_chrome_program(struct chrome_store *s, struct chrome_process *p, bool device)
{
    struct graph *g = s->trace->calls;
    size_t before;
    uint32_t node = graph_add(g, NODE_PROGRAM, program_name(s, p, device), GRAPH_NONE,
                              EDGE_CONTAINS, GRAPH_UNKNOWN, GRAPH_UNKNOWN);
    if (node != GRAPH_NONE)
        graph_detail(g, node)->thread.id = chrome_id_number(&p->id, &before);
    return node;
}

static int64_t lane_number(const struct chrome_lane *l)
{
    size_t before;
    return l->shown != INT64_MIN ? l->shown : chrome_id_number(&l->id, &before);
}

static uint32_t add_chrome_lane(struct chrome_store *s, const struct chrome_lane *l,
                                uint32_t program)
{
    struct graph *g = s->trace->calls;
    char name[64];
    uint32_t text = l->name;
    if (text == GRAPH_NONE && l->id.text[0]) {
        text = graph_intern(g, l->id.text);
    } else if (text == GRAPH_NONE) {
        snprintf(name, sizeof name, "%s %lld", l->queue ? "stream" : "thread",
                 (long long)l->id.number);
        text = graph_intern(g, name);
    }
    uint32_t node = graph_add(g, l->queue ? NODE_QUEUE : NODE_THREAD, text, program, EDGE_LAUNCHES,
                              GRAPH_UNKNOWN, GRAPH_UNKNOWN);
    if (node != GRAPH_NONE)
        graph_detail(g, node)->thread.id = lane_number(l);
    return node;
}

static bool lane_after(const struct chrome_store *s, uint32_t a, uint32_t b)
{
    const struct chrome_lane *x = &s->lanes.at[a], *y = &s->lanes.at[b];
    const struct chrome_process *p = &s->processes.at[x->process],
                                *q = &s->processes.at[y->process];
    if (p->sort != q->sort)
        return p->sort > q->sort;
    if (x->process != y->process)
        return x->process > y->process;
    return x->sort > y->sort;
}

static void add_programs(struct chrome_store *s, const uint32_t *lanes)
{
    bool *device = xcalloc(s->processes.n + (size_t)1, sizeof *device);
    for (uint32_t i = 0; i < s->processes.n; i++)
        s->processes.at[i].node = GRAPH_NONE;
    for (uint32_t i = 0; i < s->lanes.n; i++)
        device[s->lanes.at[i].process] |= s->lanes.at[i].queue && !s->rooftop;
    for (uint32_t i = 0; i < s->lanes.n; i++) {
        struct chrome_lane *l = &s->lanes.at[lanes[i]];
        struct chrome_process *p = &s->processes.at[l->process];
        l->node = GRAPH_NONE;
        if (!l->any && !(s->rooftop && l->named))
            continue;
        if (p->node == GRAPH_NONE)
            p->node = add_chrome_program(s, p, device[l->process]);
        if (p->node != GRAPH_NONE)
            l->node = add_chrome_lane(s, l, p->node);
    }
    free(device);
}

uint32_t *chrome_add_programs(struct chrome_store *s)
{
    uint32_t *spare, *lanes = chrome_order(s->lanes.n, &spare);
    chrome_sort(lanes, s->lanes.n, spare, lane_after, s);
    add_programs(s, lanes);
    free(spare);
    return lanes;
}
