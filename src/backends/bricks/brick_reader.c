/* Reads files of librooftop as traces. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/bricks/brick_impl.h"
#include "base/arena.h"
#include "engine/trace/left_out.h"
#include "engine/trace/trace.h"

enum { CALLS_MAX = 1 << 22 };

static bool is_brick_file(const char *path, const unsigned char *head, size_t size)
{
    uint64_t magic = BRICK_MAGIC;
    (void)path;
    return size >= sizeof magic && memcmp(head, &magic, sizeof magic) == 0;
}

/* Sets each node's place in the sums: for programs and threads the program's node, base. */
static void set_places(struct trace *t, const struct brick_calls *c, uint32_t first, uint32_t base)
{
    for (uint32_t i = 0; i < c->norigins && first + i < t->calls->nnodes; i++)
        trace_set_place(t, first + i,
                        c->origins[i].node == BRICK_NONE ? base : base + 1 + c->origins[i].node);
}

static int read_brick_file(const char *path, struct trace *t, struct error *err)
{
    struct programs p = {0};
    int rc = programs_add_file(&p, path, err);
    if (rc == 0 && p.n > 0)
        rc = brick_reader_poll(p.list[0].reader, err);
    if (rc == 0 && p.n > 0) {
        /* the file says that it was written on this host */
        uint32_t clock = graph_intern(t->calls, "CLOCK_MONOTONIC");
        const struct brick_reader *r = p.list[0].reader;
        const struct brick_header *h = brick_reader_header(r);
        const bool dated = h->created_ns && h->created_wall_ns > h->created_ns;
        trace_tell_clock(t, &(struct trace_clock){
                                GRAPH_NONE, GRAPH_NONE, clock,
                                dated ? h->created_wall_ns - h->created_ns : GRAPH_UNKNOWN, 0});
        struct brick_calls calls = {.graph = graph_ref(t->calls)};
        const uint32_t first = t->calls->nnodes;
        struct brick_share_of of = {r, brick_graph_sums(t->sums, r, p.list[0].name, p.list[0].pid)};
        brick_share(t->sums, &of, 1, SIZE_MAX);
        brick_graph_calls(&calls, r, p.list[0].name, p.list[0].pid, 0, UINT64_MAX, CALLS_MAX);
        set_places(t, &calls, first, of.program);
        brick_calls_free(&calls);
        t->spans += brick_reader_spans(r);
        t->lost += brick_reader_missed(r);
        trace_leave_out(t, LEFT_NO_ROOM, h->dropped_names + h->dropped_nodes + h->dropped_threads);
    }
    programs_close(&p);
    return rc;
}

static const char *brick_code_kind_name(uint32_t kind)
{
    static const char *const kinds[] = {"PTX", "HSACO", "SPIR-V", "host code"};
    return kinds[kind < 4 ? kind : 3];
}

static int open_polled(struct brick_reader **out, const char *path, struct error *err)
{
    int rc = brick_reader_open(out, path, err);
    if (rc != 0)
        return rc;
    rc = brick_reader_poll(*out, err);
    if (rc != 0)
        brick_reader_close(*out);
    return rc;
}

static int list_codes(struct trace_code_row **out, uint32_t *n, const char *path, struct error *err)
{
    struct brick_reader *r;
    struct brick_code_row row;
    int rc = open_polled(&r, path, err);
    if (rc != 0)
        return rc;
    *out = xcalloc(BRICK_CODES, sizeof **out);
    for (*n = 0; *n < BRICK_CODES && brick_reader_code_at(r, *n, &row); ++*n) {
        struct trace_code_row *to = &(*out)[*n];
        to->hash = row.hash;
        to->kind = brick_code_kind_name(row.kind);
        to->size = row.size;
        snprintf(to->name, sizeof to->name, "%s", row.name);
        snprintf(to->path, sizeof to->path, "%s", row.path);
    }
    brick_reader_close(r);
    return 0;
}

static int read_code(struct trace_code *out, const char *path, uint64_t hash, struct error *err)
{
    struct brick_reader *r;
    uint32_t kind = 0;
    const char *from = "";
    int rc = open_polled(&r, path, err);
    if (rc != 0)
        return rc;
    out->bytes = brick_reader_code(r, hash, &out->size, &kind, &from);
    if (!out->bytes)
        rc = error_set(err, ERROR_INPUT, ENOENT, "rooftop_code keeps it: docs/BRICKS.md", path,
                       "its program registered no code for it");
    out->kind = brick_code_kind_name(kind);
    snprintf(out->path, sizeof out->path, "%s", from);
    if (rc == 0)
        snprintf(out->program, sizeof out->program, "%s", brick_reader_header(r)->exe);
    brick_reader_close(r);
    return rc;
}

const struct reader_ops reader_bricks = {
    .name = "bricks",
    .summary = "recordings of librooftop (.bricks)",
    .sums = true,
    .recognise = is_brick_file,
    .read = read_brick_file,
    .code = read_code,
    .codes = list_codes,
};
