#include "backends/roofs/roofs_impl.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu_list.h"
#include "base/env.h"

enum { IDS_MAX = 1024, CHUNK = 256 << 10, SLICE_NS = 200000 };

/* --- nodes --- */

static FILE *open_of(int id, const char *file)
{
    char path[PATH_MAX];
    return fopen(env_path(path, sizeof path, "/sys/devices/system/node/node%d/%s", id, file), "re");
}

/* The first CPU of a list that may be used, or -1. */
static int first_usable(const char *list, const struct crew *c, uint32_t ncpus)
{
    bool set[CPU_LIST_MOST];
    if (cpu_list_parse(list, set) <= 0)
        return -1;
    for (uint32_t i = 0; i < ncpus; i++)
        if (c->cpu[i] >= 0 && c->cpu[i] < CPU_LIST_MOST && set[c->cpu[i]])
            return c->cpu[i];
    return -1;
}

static int find_node_cpu(int id, const struct crew *c, uint32_t ncpus)
{
    char line[4096];
    FILE *f = open_of(id, "cpulist");
    int cpu = f && fgets(line, sizeof line, f) ? first_usable(line, c, ncpus) : -1;
    if (f)
        fclose(f);
    return cpu;
}

/* Reads "Node 1 MemFree: 32768 kB". */
static size_t parse_node_kilobytes(const char *line, const char *what)
{
    const char *at = strstr(line, what);
    return at ? (size_t)strtoull(at + strlen(what), NULL, 10) * 1024 : 0;
}

static void read_node_memory(struct numa_node *node)
{
    char line[256];
    FILE *f = open_of(node->id, "meminfo");
    while (f && fgets(line, sizeof line, f)) {
        node->memory |= parse_node_kilobytes(line, "MemTotal:") > 0;
        node->free += parse_node_kilobytes(line, "MemFree:");
    }
    if (f)
        fclose(f);
}

void numa_read(struct numa_nodes *out, const struct crew *c, uint32_t ncpus)
{
    out->n = 0;
    for (int id = 0; id < IDS_MAX && out->n < NUMA_NODES_MAX; id++) {
        struct numa_node node = {.id = id, .cpu = find_node_cpu(id, c, ncpus)};
        read_node_memory(&node);
        if (node.cpu >= 0 || node.memory)
            out->node[out->n++] = node;
    }
}

/* --- a pair of nodes --- */

struct pair {
    const struct numa_wish *wish;
    const struct stream_loop *loop;
    struct slice_result bandwidth, latency;
    bool refused; /* this process may not use that node's memory */
};

static void run_node_stream(const struct slice_work *w, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        stream_pass(w->own, 1);
}

static void run_node_chase(const struct slice_work *w, uint64_t n)
{
    chase_run(w->own, n);
}

/* Runs on a CPU of one node with memory of the other. The loop loads the circle's memory. */
static void work_pair(void *own, uint32_t i)
{
    struct pair *p = own;
    struct stream_part part = {
        .loop = p->loop, .array = p->wish->bytes / CHUNK * CHUNK, .chunk = CHUNK};
    struct chase chase = {.memory = NULL};
    (void)i;
    /* a process bound to a node without free memory is killed */
    p->refused = p->wish->bytes > p->wish->to->free / 2 ||
                 chase_make(&chase, p->wish->bytes, PAGES_HUGE,
                            (struct roof_place){true, (uint32_t)p->wish->to->id}) != 0;
    if (!p->refused) {
        chase_grow(&chase, p->wish->bytes);
        part.memory = chase.memory;
        p->bandwidth = slices_run(&(struct slice_work){run_node_stream, &part, CHUNK, 0}, SLICE_NS,
                                  p->wish->slices);
        p->latency = slices_run(&(struct slice_work){run_node_chase, &chase, CHASE_LOADS, 0},
                                SLICE_NS, p->wish->slices);
    }
    chase_free(&chase);
}

static void add_node_roofs(const struct pair *p, struct host_roofs *out)
{
    struct host_roof row = {.kind = HOST_ROOF_BANDWIDTH,
                            .level = "DRAM",
                            .width = p->loop->width,
                            .threads = 1,
                            .working_set = p->wish->bytes,
                            .nodes = true,
                            .cpu_node = (uint32_t)p->wish->from->id,
                            .memory_node = (uint32_t)p->wish->to->id,
                            .value = p->bandwidth.rate,
                            .clock = p->bandwidth.clock,
                            .per_cycle = p->bandwidth.per_cycle,
                            .theory = NAN,
                            .spread = p->bandwidth.spread};
    snprintf(row.name, sizeof row.name, "%s", p->loop->name);
    if (p->refused || p->bandwidth.slices == 0) {
        row.value = row.clock = row.per_cycle = row.spread = NAN;
        snprintf(row.refused, sizeof row.refused, "%s",
                 p->refused ? "this process may not have memory of that node (cpuset), or it has "
                              "none left"
                            : "the kernel interrupted every slice: this machine is too busy");
    }
    host_roofs_add(out, &row);
    if (p->refused || p->latency.slices == 0)
        return;
    row.kind = HOST_ROOF_LATENCY;
    row.width = 0;
    snprintf(row.name, sizeof row.name, "load after load");
    row.value = 1 / p->latency.rate;
    row.per_cycle = 1 / p->latency.per_cycle;
    row.clock = p->latency.clock;
    row.spread = p->latency.spread;
    host_roofs_add(out, &row);
}

int numa_measure(const struct numa_wish *wish, struct host_roofs *out)
{
    struct pair p = {.wish = wish, .loop = stream_loops};
    struct crew *c = wish->crew;
    const int before = c->cpu[0];
    while (p.loop->name && !p.loop->supported())
        p.loop++;
    if (!p.loop->name || wish->bytes < CHUNK)
        return -ENOMEM;
    c->cpu[0] = wish->from->cpu;
    c->n = 1;
    c->work = work_pair;
    c->own = &p;
    int rc = crew_run(c);
    c->cpu[0] = before;
    if (rc == 0)
        add_node_roofs(&p, out);
    return rc;
}
