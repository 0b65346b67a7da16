#include "backends/bricks/brick_impl.h"

#include <stdlib.h>

#include "engine/roofline/roofline.h"
#include "engine/roofs/cpu_roofs.h"

static void fill_program(struct brick_program *out, struct arena *memory, struct watched_program *p,
                         uint32_t node, double interval_s)
{
    const struct brick_header *h = brick_reader_header(p->reader);
    uint32_t threads;
    brick_reader_threads(p->reader, &threads);
    *out = (struct brick_program){
        .pid = p->pid,
        .name = arena_strdup(memory, p->name),
        .path = arena_strdup(memory, p->path),
        .node = node,
        .state = p->state,
        .sync = (uint8_t)(h->sync < 4 ? h->sync : 3),
        .device = h->device != 0,
        .threads = threads,
        .spans = brick_reader_spans(p->reader),
        .dropped = h->dropped_names + h->dropped_nodes + h->dropped_threads,
        .tokens = h->tokens,
        .device_errors = h->device_errors,
    };
    if (interval_s > 0 && h->tokens >= p->tokens)
        out->tokens_per_s = (double)(h->tokens - p->tokens) / interval_s;
    p->tokens = h->tokens;
}

/* Fills the window with the pass that ended last, in any program. */
static void fill_window(struct bricks *out, struct arena *memory, const struct programs *p)
{
    struct brick_pass best = {0}, pass;
    size_t at = p->n;
    for (size_t i = 0; i < p->n; i++)
        if (brick_pass_find(p->list[i].reader, &pass) && (at == p->n || pass.end > best.end)) {
            best = pass;
            at = i;
        }
    if (at < p->n)
        brick_window_fill(&out->window, memory, p->list[at].reader, &best, p->list[at].name,
                          p->list[at].pid, out->programs[at].node);
}

/* Computes how much several threads worked in parallel. */
static void share_work(struct graph *g, const struct bricks *b, const struct programs *p)
{
    struct brick_share_of *of = xcalloc(p->n + 1, sizeof *of);
    for (size_t i = 0; i < p->n; i++)
        of[i] = (struct brick_share_of){p->list[i].reader, b->programs[i].node};
    brick_share(g, of, p->n, BRICK_SHARE_LIVE);
    free(of);
}

void bricks_fill(struct bricks *out, struct arena *memory, struct programs *p, double interval_s,
                 const struct cpu_roofs *cpu)
{
    struct graph *g = graph_new();
    *out = (struct bricks){.interval_s = interval_s, .nprograms = (uint32_t)p->n};
    out->programs = arena_alloc(memory, (p->n + 1) * sizeof *out->programs);
    for (size_t i = 0; i < p->n; i++) {
        uint32_t node = brick_graph_sums(g, p->list[i].reader, p->list[i].name, p->list[i].pid);
        fill_program(&out->programs[i], memory, &p->list[i], node, interval_s);
    }
    graph_finish(g);
    share_work(g, out, p);
    out->tree = g;
    out->cpu = cpu;
    roofline_fill(&out->roofline, memory, g, out->cpu);
    fill_window(out, memory, p);
}
