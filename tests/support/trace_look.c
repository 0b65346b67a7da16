#include "support/trace_look.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void look_open(struct trace *t, const char *path)
{
    struct error err = ERROR_INIT;
    char text[1024];
    *t = (struct trace){0};
    int rc = trace_open(t, &path, 1, &err);
    if (rc != 0)
        print_error("%s\n", error_format(&err, text, sizeof text));
    assert_int_equal(rc, 0);
}

void look_refused(const char *path, ...)
{
    struct error err = ERROR_INIT;
    struct trace t = {0};
    char text[1024];
    const char *word;
    va_list words;
    int rc = trace_open(&t, &path, 1, &err);
    trace_free(&t);
    assert_true(rc < 0);
    error_format(&err, text, sizeof text);
    va_start(words, path);
    while ((word = va_arg(words, const char *)))
        if (!strstr(text, word)) {
            print_error("no \"%s\" in: %s\n", word, text);
            fail();
        }
    va_end(words);
}

uint32_t look_node(const struct trace *t, enum node_kind kind, const char *name, unsigned nth)
{
    for (uint32_t i = 0; i < t->calls->nnodes; i++)
        if (t->calls->kind[i] == kind && strcmp(graph_name(t->calls, i), name) == 0 && nth-- == 0)
            return i;
    return GRAPH_NONE;
}

uint32_t look_for(const struct trace *t, enum node_kind kind, const char *name, unsigned nth)
{
    uint32_t node = look_node(t, kind, name, nth);
    if (node == GRAPH_NONE) {
        for (uint32_t i = 0; i < t->calls->nnodes; i++)
            print_error("%s \"%s\"\n", node_kind_name(t->calls->kind[i]), graph_name(t->calls, i));
        print_error("there is no %s \"%s\" of number %u\n", node_kind_name(kind), name, nth);
        fail();
    }
    return node;
}

unsigned look_count(const struct trace *t, enum node_kind kind)
{
    unsigned n = 0;
    for (uint32_t i = 0; i < t->calls->nnodes; i++)
        n += t->calls->kind[i] == kind;
    return n;
}

bool look_edge(const struct trace *t, uint32_t from, uint32_t to, enum edge_kind kind)
{
    const struct graph *g = t->calls;
    for (uint32_t i = 0; i < g->nedges; i++)
        if (g->edge_from[i] == from && g->edge_to[i] == to && g->edge_kind[i] == kind)
            return true;
    return false;
}

const struct trace_dispatch *look_dispatch(const struct trace *t, uint32_t node)
{
    static struct trace_dispatch found;
    if (!trace_dispatch_of(t, node, &found))
        fail_msg("node %u is no dispatch", node);
    return &found;
}

double look_counter(const struct trace *t, uint32_t node, const char *name)
{
    for (uint32_t i = 0; i < t->ncounters; i++)
        if (t->counters[i].node == node &&
            strcmp(graph_text(t->calls, t->counters[i].name), name) == 0)
            return t->counters[i].value;
    return NAN;
}

const struct graph_detail *look_detail(const struct trace *t, uint32_t node)
{
    assert_int_not_equal(t->calls->detail[node], GRAPH_NONE);
    return &t->calls->details[t->calls->detail[node]];
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

char *look_lines(const struct trace *t)
{
    const struct graph *g = t->calls;
    char **lines = calloc(g->nnodes + 1, sizeof *lines), *text = NULL;
    size_t size;
    assert_non_null(lines);
    for (uint32_t i = 0; i < g->nnodes; i++) {
        FILE *f = open_memstream(&lines[i], &size);
        fprintf(f, "%s \"%s\"", node_kind_name(g->kind[i]), graph_name(g, i));
        for (uint32_t p = g->parent[i]; p != GRAPH_NONE; p = g->parent[p])
            fprintf(f, " in \"%s\"", graph_name(g, p));
        fprintf(f, " %lld %lld\n", (long long)g->start[i], (long long)g->duration[i]);
        fclose(f);
    }
    qsort(lines, g->nnodes, sizeof *lines, by_text);
    FILE *f = open_memstream(&text, &size);
    for (uint32_t i = 0; i < g->nnodes; i++) {
        fputs(lines[i], f);
        free(lines[i]);
    }
    fclose(f);
    free(lines);
    return text;
}
