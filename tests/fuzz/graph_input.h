/* A file of spans as fuzz input, plain or gzip. What is read must be a graph that every part of
 * rooftop can walk. */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/path/critical_path.h"
#include "engine/trace/trace.h"

static void check_graph(const struct graph *g)
{
    for (uint32_t i = 0; i < g->nnodes; i++)
        if (g->parent[i] == GRAPH_NONE ? g->kind[i] != NODE_PROGRAM : g->parent[i] >= i)
            abort();
    for (uint32_t i = 0; i < g->nedges; i++)
        if (g->edge_from[i] >= g->nnodes || g->edge_to[i] >= g->nnodes ||
            g->edge_kind[i] >= EDGE_KINDS)
            abort();
}

static void read_graph_input(const struct reader_ops *reader, const uint8_t *data, size_t size)
{
    struct error err = ERROR_INIT;
    struct trace t = {.sums = graph_new(), .calls = graph_new()};
    struct critical_path p;
    char path[32];
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    reader->recognise(path, data, size);
    trace_reader(path, &err);
    err = (struct error)ERROR_INIT;
    if (reader->read(path, &t, &err) != 0 && err.kind == ERROR_NONE)
        abort();
    graph_finish(t.calls);
    check_graph(t.calls);
    if (critical_path_find(t.calls, &p, &err) == 0)
        critical_path_free(&p);
    trace_free(&t);
    close(fd);
}
