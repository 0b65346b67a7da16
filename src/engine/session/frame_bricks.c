#include "engine/session/session_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "engine/bricks/program_fields.h"
#include "engine/roofline/roofline.h"
#include "engine/roofline/roofline_cpu.h"
#include "engine/value/histogram.h"

enum { NODES_MAX = 1 << 17, SPANS_MAX = BRICK_WINDOW_SPANS, STEPS_MAX = 1 << 20 };

/* A node of the tree as a row. a..h hold its detail; what they mean depends on its kind. */
struct node_row {
    const char *name, *text, *other;
    int32_t kind, category, flags, via;
    uint64_t parent, duration; /* parent: 1 + the parent's index, 0 = a root */
    bool worked;
    struct graph_work work;
    struct graph_extra extra;
    double real, other_real;
    uint64_t a, b, c, d, e, f, g, h;
};
static const struct field node_fields[] = {
    KEPT(U64, struct node_row, work.count),
    KEPT(U64, struct node_row, work.total),
    KEPT(U64, struct node_row, duration),
    KEPT(DOUBLE, struct node_row, work.sum_squares),
    KEPT(U64, struct node_row, work.max),
    KEPT(U64, struct node_row, work.min),
    KEPT(U64, struct node_row, extra.recent_count),
    KEPT(U64, struct node_row, extra.recent_total),
    KEPT(U64, struct node_row, extra.elements),
    KEPT(U64, struct node_row, extra.bytes),
    KEPT(U64, struct node_row, extra.flops),
    KEPT(U64, struct node_row, a),
    KEPT(U64, struct node_row, b),
    KEPT(U64, struct node_row, c),
    KEPT(TEXT, struct node_row, name),
    KEPT(INT, struct node_row, kind),
    KEPT(INT, struct node_row, category),
    KEPT(INT, struct node_row, flags),
    KEPT(INT, struct node_row, via),
    KEPT(U64, struct node_row, parent),
    KEPT(BOOL, struct node_row, worked),
    KEPT(U64, struct node_row, extra.budget),
    KEPT(TEXT, struct node_row, text),
    KEPT(TEXT, struct node_row, other),
    KEPT(DOUBLE, struct node_row, real),
    KEPT(DOUBLE, struct node_row, other_real),
    KEPT(U64, struct node_row, d),
    KEPT(U64, struct node_row, e),
    KEPT(U64, struct node_row, f),
    KEPT(U64, struct node_row, g),
    KEPT(U64, struct node_row, h),
    KEPT(U64, struct node_row, extra.busiest),
    KEPT(U64, struct node_row, extra.any),
    KEPT(U64, struct node_row, extra.any_total),
    KEPT(U64, struct node_row, extra.any_bytes),
    KEPT(U64, struct node_row, extra.any_flops),
    KEPT(U64, struct node_row, extra.recent_bytes),
    KEPT(U64, struct node_row, extra.recent_flops),
};
static const struct field span_fields[] = {
    KEPT(U64, struct brick_span, start),  KEPT(U64, struct brick_span, duration),
    KEPT(U64, struct brick_span, slack),  KEPT(TEXT, struct brick_span, name),
    KEPT(INT, struct brick_span, node),   KEPT(INT, struct brick_span, lane),
    KEPT(BYTE, struct brick_span, kind),  KEPT(BYTE, struct brick_span, category),
    KEPT(BYTE, struct brick_span, depth), KEPT(BOOL, struct brick_span, critical),
};
struct step_row {
    uint64_t span, length, start;
};
static const struct field step_fields[] = {
    KEPT(U64, struct step_row, span),
    KEPT(U64, struct step_row, length),
    KEPT(U64, struct step_row, start),
};
static const struct field lane_fields[] = {KEPT(TEXT, struct brick_lane, name)};
static const struct field window_fields[] = {
    KEPT(TEXT, struct brick_window, what),  KEPT(U64, struct brick_window, start),
    KEPT(U64, struct brick_window, wall),   KEPT(U64, struct brick_window, path),
    KEPT(INT, struct brick_window, cyclic), KEPT(INT, struct brick_window, left_out),
};
/* The measured roofs: their texts, then a row for each peak. */
struct roofs_row {
    int32_t cpus;
    const char *how, *none;
};
static const struct field roofs_fields[] = {
    KEPT(INT, struct roofs_row, cpus),
    KEPT(TEXT, struct roofs_row, how),
    KEPT(TEXT, struct roofs_row, none),
};
#define NODE   FIELDS(node_fields, struct node_row)
#define SPAN   FIELDS(span_fields, struct brick_span)
#define STEP   FIELDS(step_fields, struct step_row)
#define LANE   FIELDS(lane_fields, struct brick_lane)
#define WINDOW FIELDS(window_fields, struct brick_window)
#define ROOFS  FIELDS(roofs_fields, struct roofs_row)

/* Everything about the bricks of one snapshot, as rows. */
struct brick_rows {
    struct node_row *nodes;
    struct brick_program *programs;
    struct brick_span *spans;
    struct step_row *steps;
    struct brick_lane *lanes;
    struct cpu_peak *peaks;
    size_t nnodes, nprograms, nspans, nsteps, nlanes, npeaks;
    struct brick_window window;
    struct roofs_row roofs;
    struct counters_rows counters;
};
struct bricks_coder {
    struct dictionary *text;
    /* its texts belong to the dictionary when reading, to the graph when writing */
    struct brick_rows prev;
    struct arena memory[2];
    int turn;
};

static const struct brick_window no_window = {.what = ""};
static const struct roofs_row no_roofs = {.how = "", .none = ""};

struct bricks_coder *bricks_coder_new(void)
{
    struct bricks_coder *c = xcalloc(1, sizeof *c);
    c->text = dictionary_new();
    c->prev.window = no_window;
    c->prev.roofs = no_roofs;
    return c;
}

void bricks_coder_free(struct bricks_coder *c)
{
    if (!c)
        return;
    dictionary_free(c->text);
    arena_free(&c->memory[0]);
    arena_free(&c->memory[1]);
    free(c);
}

/* Two arenas take turns: one holds the rows of the previous snapshot, the other gets those of this
 * one. */
static struct arena *next_memory(struct bricks_coder *c)
{
    c->turn = !c->turn;
    arena_reset(&c->memory[c->turn]);
    return &c->memory[c->turn];
}

/* --- to rows --- */

static const char *text_of_brick_node(const struct graph *g, uint32_t name)
{
    return name == GRAPH_NONE ? "" : graph_text(g, name);
}

static void detail_to_row(struct node_row *r, const struct graph *g, const struct graph_detail *d)
{
    switch (r->kind) {
    case NODE_KERNEL:
        r->a = d->kernel.hash;
        r->b = d->kernel.grid[0], r->c = d->kernel.grid[1], r->d = d->kernel.grid[2];
        r->e = d->kernel.block[0], r->f = d->kernel.block[1], r->g = d->kernel.block[2];
        r->h = d->kernel.shared_bytes;
        break;
    case NODE_TRANSFER:
        r->a = d->transfer.bytes;
        r->b = d->transfer.direction;
        r->text = text_of_brick_node(g, d->transfer.from);
        r->other = text_of_brick_node(g, d->transfer.to);
        break;
    case NODE_FUNCTION:
        r->text = text_of_brick_node(g, d->function.file);
        r->a = d->function.line;
        break;
    case NODE_TASK:
        r->a = d->task.polls, r->b = d->task.yields, r->c = d->task.poll_ns;
        break;
    case NODE_BACKEND:
        r->real = d->backend.peak_flops;
        r->other_real = d->backend.peak_bytes;
        r->text = text_of_brick_node(g, d->backend.how);
        r->a = d->backend.spread_flops, r->b = d->backend.spread_bytes;
        break;
    default:
        r->a = (uint64_t)d->thread.id;
    }
}

static void node_to_row(struct node_row *r, const struct graph *g, uint32_t i)
{
    *r = (struct node_row){.name = graph_name(g, i),
                           .text = "",
                           .other = "",
                           .kind = g->kind[i],
                           .category = g->category[i],
                           .flags = g->flags[i],
                           .via = g->via[i],
                           .parent = g->parent[i] == GRAPH_NONE ? 0 : g->parent[i] + 1u,
                           .duration = g->duration[i]};
    const struct graph_work *w = graph_work_of(g, i);
    if (w) {
        r->worked = true;
        r->work = *w;
        r->extra = *graph_extra_of(g, i);
    }
    if (g->detail[i] != GRAPH_NONE) {
        r->flags |= 1 << 8;
        detail_to_row(r, g, &g->details[g->detail[i]]);
    }
}

static void roofs_to_rows(struct brick_rows *out, struct arena *m, const struct cpu_roofs *cpu)
{
    out->roofs = no_roofs;
    if (!cpu)
        return;
    out->roofs = (struct roofs_row){(int32_t)cpu->cpus, cpu->how, cpu->none};
    out->npeaks = cpu->cpus ? PEAKS : 0;
    out->peaks = arena_alloc(m, PEAKS * sizeof *out->peaks);
    memcpy(out->peaks, cpu->flops, sizeof cpu->flops);
    memcpy(out->peaks + FLOP_PEAKS, cpu->bytes, sizeof cpu->bytes);
}

static void bricks_to_rows(struct brick_rows *out, struct arena *m, const struct bricks *b)
{
    const struct brick_window *w = &b->window;
    *out = (struct brick_rows){.nnodes = b->tree->nnodes,
                               .nprograms = b->nprograms,
                               .nspans = w->nspans,
                               .nsteps = w->nsteps,
                               .nlanes = w->nlanes,
                               .programs = b->programs,
                               .spans = w->spans,
                               .lanes = w->lanes,
                               .window = *w};
    if (!out->window.what)
        out->window.what = "";
    out->nodes = arena_alloc(m, (out->nnodes + 1) * sizeof *out->nodes);
    out->steps = arena_alloc(m, (out->nsteps + 1) * sizeof *out->steps);
    for (uint32_t i = 0; i < out->nnodes; i++)
        node_to_row(&out->nodes[i], b->tree, i);
    for (size_t i = 0; i < out->nsteps; i++)
        out->steps[i] = (struct step_row){w->steps[i], w->lengths[i], w->starts[i]};
    roofs_to_rows(out, m, b->cpu);
}

/* Writes the buckets that are not empty, each as its distance from the last one. */
static void write_histograms(struct bytes *b, const struct graph *g)
{
    for (uint32_t i = 0; i < g->nnodes; i++) {
        const struct graph_work *w = graph_work_of(g, i);
        const struct histogram *h =
            w && w->histogram != GRAPH_NONE ? g->histograms[w->histogram] : NULL;
        unsigned at = 0;
        for (unsigned k = 0; h && k < HISTOGRAM_BUCKETS; k++)
            if (histogram_at(h, k)) {
                bytes_put_u64(b, k - at + 1);
                bytes_put_u64(b, histogram_at(h, k));
                at = k;
            }
        bytes_put_u64(b, 0);
    }
}

void bricks_write(struct bricks_coder *c, struct bytes *b, const struct bricks *bricks)
{
    struct brick_rows now;
    const struct brick_rows *p = &c->prev;
    struct coder k = {.out = b, .text = c->text};
    bricks_to_rows(&now, next_memory(c), bricks);
    bytes_put_double(b, bricks->interval_s, 0);
    fields_write_rows(&k, NODE, false, now.nodes, now.nnodes, p->nodes, p->nnodes);
    write_histograms(b, bricks->tree);
    fields_write_rows(&k, program_record, false, now.programs, now.nprograms, p->programs,
                      p->nprograms);
    fields_code(&k, WINDOW, &now.window, &p->window);
    fields_write_rows(&k, LANE, false, now.lanes, now.nlanes, p->lanes, p->nlanes);
    fields_write_rows(&k, SPAN, false, now.spans, now.nspans, p->spans, p->nspans);
    fields_write_rows(&k, STEP, false, now.steps, now.nsteps, p->steps, p->nsteps);
    fields_code(&k, ROOFS, &now.roofs, &p->roofs);
    fields_write_rows(&k, cpu_peak_record, false, now.peaks, now.npeaks, p->peaks, p->npeaks);
    frame_counters_write(&k, &now.counters, &p->counters, &c->memory[c->turn], bricks->tree);
    c->prev = now;
}

/* --- from rows --- */

static uint32_t add_graph_name(struct graph *g, const char *text)
{
    return *text ? graph_intern(g, text) : GRAPH_NONE;
}

static void row_to_detail(struct graph *g, uint32_t node, const struct node_row *r)
{
    uint32_t text = add_graph_name(g, r->text), other = add_graph_name(g, r->other);
    struct graph_detail *d = graph_detail(g, node);
    switch (r->kind) {
    case NODE_KERNEL:
        d->kernel.hash = r->a;
        d->kernel.grid[0] = (uint32_t)r->b, d->kernel.grid[1] = (uint32_t)r->c;
        d->kernel.grid[2] = (uint32_t)r->d, d->kernel.block[0] = (uint32_t)r->e;
        d->kernel.block[1] = (uint32_t)r->f, d->kernel.block[2] = (uint32_t)r->g;
        d->kernel.shared_bytes = (uint32_t)r->h;
        break;
    case NODE_TRANSFER:
        d->transfer.bytes = r->a;
        d->transfer.direction = r->b < 3 ? (uint32_t)r->b : 2;
        d->transfer.from = text, d->transfer.to = other;
        break;
    case NODE_FUNCTION:
        d->function.file = text;
        d->function.line = (uint32_t)r->a;
        break;
    case NODE_TASK:
        d->task.polls = r->a, d->task.yields = r->b, d->task.poll_ns = r->c;
        break;
    case NODE_BACKEND:
        d->backend.peak_flops = r->real > 0 ? r->real : 0;
        d->backend.peak_bytes = r->other_real > 0 ? r->other_real : 0;
        d->backend.how = text;
        d->backend.spread_flops = (uint32_t)r->a;
        d->backend.spread_bytes = (uint32_t)r->b;
        break;
    default:
        d->thread.id = (int64_t)r->a;
    }
}

static bool row_to_node(struct graph *g, uint32_t i, const struct node_row *r)
{
    if ((unsigned)r->kind >= NODE_KINDS || (unsigned)r->category >= CATEGORIES ||
        (unsigned)r->via >= EDGE_KINDS || r->parent > i)
        return false;
    uint32_t parent = r->parent ? (uint32_t)r->parent - 1 : GRAPH_NONE;
    if (graph_add(g, (enum node_kind)r->kind, graph_intern(g, r->name), parent,
                  (enum edge_kind)r->via, GRAPH_UNKNOWN, r->duration) != i)
        return false;
    g->category[i] = (uint8_t)r->category;
    g->flags[i] = (uint8_t)(r->flags & 0xff);
    if (r->worked) {
        struct graph_work *w = graph_work(g, i);
        *w = r->work;
        w->histogram = GRAPH_NONE;
        w->extra = 0;
        *graph_extra(g, i) = r->extra;
    }
    if (r->flags & 1 << 8)
        row_to_detail(g, i, r);
    return true;
}

static bool read_histogram(struct byte_reader *in, struct graph *g, uint32_t node)
{
    struct histogram *h = NULL;
    uint64_t at = 0;
    for (;;) {
        uint64_t step = bytes_get_u64(in);
        if (step == 0 || in->bad)
            return !in->bad;
        uint64_t n = bytes_get_u64(in);
        at += step - 1;
        if (at >= HISTOGRAM_BUCKETS || n > UINT32_MAX || !graph_work_of(g, node))
            return false;
        if (!h) {
            h = xcalloc(1, sizeof *h);
            graph_work(g, node)->histogram = graph_add_histogram(g, h);
        }
        histogram_put(h, (unsigned)at, (uint32_t)n);
    }
}

static bool read_brick_tree(struct byte_reader *in, struct graph *g, const struct brick_rows *now)
{
    bool ok = !in->bad && now->nnodes <= NODES_MAX;
    for (uint32_t i = 0; ok && i < now->nnodes; i++)
        ok = row_to_node(g, i, &now->nodes[i]);
    for (uint32_t i = 0; ok && i < now->nnodes; i++)
        ok = read_histogram(in, g, i);
    graph_finish(g);
    return ok;
}

static bool read_window(struct brick_window *w, struct snapshot *s, const struct brick_rows *now,
                        uint32_t nnodes)
{
    *w = now->window;
    w->nspans = (uint32_t)now->nspans, w->nsteps = (uint32_t)now->nsteps;
    w->nlanes = (uint32_t)now->nlanes;
    w->lanes = now->lanes;
    w->spans = now->spans;
    w->steps = snapshot_alloc(s, (now->nsteps + 1) * sizeof *w->steps);
    w->lengths = snapshot_alloc(s, (now->nsteps + 1) * sizeof *w->lengths);
    w->starts = snapshot_alloc(s, (now->nsteps + 1) * sizeof *w->starts);
    for (size_t i = 0; i < now->nspans; i++) {
        const struct brick_span *r = &now->spans[i];
        if (r->node >= nnodes || r->lane >= now->nlanes || r->kind >= NODE_KINDS ||
            r->category >= CATEGORIES)
            return false;
    }
    for (size_t i = 0; i < now->nsteps; i++) {
        if (now->steps[i].span >= now->nspans)
            return false;
        w->steps[i] = (uint32_t)now->steps[i].span;
        w->lengths[i] = now->steps[i].length;
        w->starts[i] = now->steps[i].start;
    }
    return true;
}

static bool check_programs(const struct brick_rows *now)
{
    for (size_t i = 0; i < now->nprograms; i++)
        if (now->programs[i].node >= now->nnodes || now->programs[i].state > PROGRAM_CRASHED ||
            now->programs[i].sync > 3)
            return false;
    return true;
}

/* Reads what a file of an earlier rooftop lacks: the last rows of all. */
static bool read_brick_roofs(struct coder *k, struct brick_rows *now, const struct brick_rows *p)
{
    if (k->in->p == k->in->end)
        return true;
    fields_code(k, ROOFS, &now->roofs, &p->roofs);
    now->peaks = fields_read_rows(k, cpu_peak_record, false, &now->npeaks, p->peaks, p->npeaks);
    return now->roofs.cpus >= 0 && now->roofs.cpus <= CPUS_MAX &&
           now->npeaks == (now->roofs.cpus ? PEAKS : 0);
}

static const struct cpu_roofs *roofs_of_rows(const struct brick_rows *now, struct snapshot *s)
{
    struct cpu_roofs *cpu = snapshot_alloc(s, sizeof *cpu);
    *cpu = (struct cpu_roofs){
        .how = now->roofs.how, .none = now->roofs.none, .cpus = (uint32_t)now->roofs.cpus};
    if (now->npeaks) {
        memcpy(cpu->flops, now->peaks, sizeof cpu->flops);
        memcpy(cpu->bytes, now->peaks + FLOP_PEAKS, sizeof cpu->bytes);
    }
    return cpu->cpus || *cpu->none ? cpu : NULL;
}

const struct bricks *bricks_read(struct bricks_coder *c, struct byte_reader *in, struct snapshot *s)
{
    const struct brick_rows *p = &c->prev;
    struct brick_rows now = {.window = no_window, .roofs = no_roofs};
    struct coder k = {.in = in, .text = c->text, .s = s};
    struct bricks *b = snapshot_alloc(s, sizeof *b);
    struct graph *g = graph_new();
    b->interval_s = bytes_get_double(in, 0);
    now.nodes = fields_read_rows(&k, NODE, false, &now.nnodes, p->nodes, p->nnodes);
    bool ok = read_brick_tree(in, g, &now);
    now.programs =
        fields_read_rows(&k, program_record, false, &now.nprograms, p->programs, p->nprograms);
    fields_code(&k, WINDOW, &now.window, &p->window);
    now.lanes = fields_read_rows(&k, LANE, false, &now.nlanes, p->lanes, p->nlanes);
    now.spans = fields_read_rows(&k, SPAN, false, &now.nspans, p->spans, p->nspans);
    now.steps = fields_read_rows(&k, STEP, false, &now.nsteps, p->steps, p->nsteps);
    ok = ok && read_brick_roofs(&k, &now, p);
    if (in->p < in->end) /* older versions had no counters */
        ok = ok && frame_counters_read(&k, &now.counters, &p->counters, g);
    if (!ok || in->bad || now.nspans > SPANS_MAX || now.nsteps > STEPS_MAX ||
        !check_programs(&now) || !(b->interval_s >= 0 && b->interval_s < 1e9) ||
        !read_window(&b->window, s, &now, (uint32_t)now.nnodes)) {
        in->bad = true;
        graph_unref(g);
        return NULL;
    }
    b->tree = g;
    b->programs = now.programs;
    b->nprograms = (uint32_t)now.nprograms;
    /* the frame's own roofs are more detailed; older files have only these */
    b->cpu = s->roofs ? &s->roofs->cpu : roofs_of_rows(&now, s);
    roofline_fill(&b->roofline, &s->arena, g, b->cpu);
    c->prev = now; /* they are allocated in s, which the reader keeps as its previous snapshot */
    return b;
}
