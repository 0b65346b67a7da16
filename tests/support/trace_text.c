#include "support/trace_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

void trace_text_file(char *path, const char *text, size_t size, bool packed)
{
    strcpy(path, "/tmp/rooftop-trace-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    if (packed) {
        gzFile z = gzdopen(fd, "wb");
        assert_int_equal(gzwrite(z, text, (unsigned)size), size);
        assert_int_equal(gzclose(z), Z_OK);
        return;
    }
    assert_int_equal(write(fd, text, size), size);
    close(fd);
}

int trace_text_open(struct trace *out, const char *text, size_t size, bool packed,
                    struct error *err)
{
    char path[64];
    const char *paths[] = {path};
    trace_text_file(path, text, size, packed);
    *out = (struct trace){0};
    int rc = trace_open(out, paths, 1, err);
    unlink(path);
    return rc;
}

void trace_text_read(struct trace *out, const char *text)
{
    struct error err = ERROR_INIT;
    char why[800];
    if (trace_text_open(out, text, strlen(text), false, &err) != 0)
        fail_msg("%s", error_format(&err, why, sizeof why));
}

void trace_text_data(struct trace *out, const char *path)
{
    struct error err = ERROR_INIT;
    char why[800];
    *out = (struct trace){0};
    if (trace_open(out, &path, 1, &err) != 0)
        fail_msg("%s", error_format(&err, why, sizeof why));
}

void trace_text_is(const struct trace *t, uint32_t node, enum node_kind kind, uint32_t parent,
                   uint64_t start, uint64_t duration)
{
    const struct graph *g = t->calls;
    assert_true(node < g->nnodes);
    assert_int_equal(g->kind[node], kind);
    assert_int_equal(g->parent[node], parent);
    assert_int_equal(g->start[node], start);
    assert_int_equal(g->duration[node], duration);
}

const struct graph_detail *trace_text_detail(const struct trace *t, uint32_t node)
{
    assert_true(t->calls->detail[node] != GRAPH_NONE);
    return &t->calls->details[t->calls->detail[node]];
}

uint32_t trace_text_node(const struct trace *t, const char *name, unsigned n)
{
    for (uint32_t i = 0; i < t->calls->nnodes; i++)
        if (strcmp(graph_name(t->calls, i), name) == 0 && n-- == 0)
            return i;
    return GRAPH_NONE;
}

bool trace_text_edge(const struct trace *t, uint32_t from, uint32_t to, enum edge_kind kind)
{
    const struct graph *g = t->calls;
    for (uint32_t i = 0; i < g->nedges; i++)
        if (g->edge_from[i] == from && g->edge_to[i] == to && g->edge_kind[i] == kind)
            return true;
    return false;
}
