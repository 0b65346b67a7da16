/* The details of a node of the tree. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "engine/syscalls/roles.h"
#include "engine/value/histogram.h"
#include "tui/views/tree/tree.h"

struct tree_lines {
    struct canvas *c;
    struct rect r;
    int y;
};

static void print_node_line(struct tree_lines *l, const char *label, struct style st,
                            const char *fmt, ...) __attribute__((format(printf, 4, 5)));
static void print_node_line(struct tree_lines *l, const char *label, struct style st,
                            const char *fmt, ...)
{
    char text[256];
    va_list ap;
    if (l->y >= l->r.y + l->r.h)
        return;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    canvas_text(l->c, l->r.x, l->y, 10, label, STYLE(STYLE_DIM));
    canvas_text(l->c, l->r.x + 10, l->y, l->r.w - 10, text, st);
    l->y++;
}

static const char *write_node_rate(double v, enum unit unit, bool ascii, char out[VALUE_TEXT_MAX])
{
    struct value value = value_ok(v, unit);
    return value_format(&value, ascii, out);
}

static void print_node_kernel(struct tree_lines *l, const struct graph_detail *d)
{
    const uint32_t *b = d->kernel.block;
    char text[SIZES_TEXT], bytes[VALUE_TEXT_MAX];
    print_node_line(l, "grid", STYLE(STYLE_TEXT), "%s", value_sizes(d->kernel.grid, text));
    print_node_line(l, "block", STYLE(STYLE_TEXT), "%s: %u threads", value_sizes(b, text),
                    b[0] * b[1] * b[2]);
    print_node_line(l, "shared", STYLE(STYLE_TEXT), "%s",
                    write_node_rate(d->kernel.shared_bytes, UNIT_BYTES, l->c->ascii, bytes));
    if (d->kernel.hash)
        print_node_line(l, "code", STYLE(STYLE_TEXT), "0x%016" PRIx64, d->kernel.hash);
}

static void detail_of_kind(struct tree_lines *l, const struct graph *g, uint32_t node)
{
    char number[VALUE_TEXT_MAX], other[VALUE_TEXT_MAX];
    const struct graph_detail *d =
        g->detail[node] == GRAPH_NONE ? NULL : &g->details[g->detail[node]];
    if (!d)
        return;
    switch (g->kind[node]) {
    case NODE_KERNEL:
        print_node_kernel(l, d);
        break;
    case NODE_FUNCTION:
        if (d->function.file != GRAPH_NONE)
            print_node_line(l, "source", STYLE(STYLE_TEXT), "%s:%u",
                            graph_text(g, d->function.file), d->function.line);
        break;
    case NODE_TRANSFER:
        print_node_line(l, "from", STYLE(STYLE_TEXT), "%s",
                        d->transfer.from == GRAPH_NONE ? "?" : graph_text(g, d->transfer.from));
        print_node_line(l, "to", STYLE(STYLE_TEXT), "%s",
                        d->transfer.to == GRAPH_NONE ? "?" : graph_text(g, d->transfer.to));
        print_node_line(
            l, "moved", STYLE(STYLE_TEXT), "%s",
            d->transfer.bytes == GRAPH_UNKNOWN
                ? "n/a"
                : write_node_rate((double)d->transfer.bytes, UNIT_BYTES, l->c->ascii, number));
        break;
    case NODE_TASK:
        print_node_line(l, "polls", STYLE(STYLE_TEXT), "%" PRIu64 ", %" PRIu64 " not ready",
                        d->task.polls, d->task.yields);
        break;
    case NODE_BACKEND:
        if (d->backend.peak_flops > 0)
            print_node_line(
                l, "peak", STYLE(STYLE_TEXT), "%s, %s",
                write_node_rate(d->backend.peak_flops, UNIT_FLOP_PER_S, l->c->ascii, number),
                write_node_rate(d->backend.peak_bytes, UNIT_BYTES_PER_S, l->c->ascii, other));
        if (d->backend.how != GRAPH_NONE)
            print_node_line(l, "", STYLE(STYLE_DIM), "%s", graph_text(g, d->backend.how));
        break;
    default:
        break;
    }
}

static void print_node_program(struct tree_lines *l, const struct bricks *b, uint32_t node)
{
    static const char *const states[] = {"running", "ended", "crashed"};
    static const char *const modes[] = {"immediate", "per layer", "deferred", "off"};
    for (uint32_t i = 0; i < b->nprograms; i++) {
        const struct brick_program *p = &b->programs[i];
        if (p->node != node)
            continue;
        if (p->profile) { /* a profile has fewer facts than librooftop */
            print_node_line(l, "pid", STYLE(STYLE_TEXT), "%d", (int)p->pid);
            print_node_line(l, "read", STYLE(STYLE_TEXT), "%" PRIu64 " spans in all", p->spans);
            print_node_line(l, "dropped", STYLE(p->dropped ? STYLE_WARN : STYLE_TEXT),
                            "%" PRIu64 " left out, in all", p->dropped);
            return;
        }
        print_node_line(l, "state", STYLE(p->state == PROGRAM_CRASHED ? STYLE_CRIT : STYLE_TEXT),
                        "%s", states[p->state]);
        print_node_line(l, "pid", STYLE(STYLE_TEXT), "%d, %u thread%s", (int)p->pid, p->threads,
                        p->threads == 1 ? "" : "s");
        print_node_line(l, "sync", STYLE(STYLE_TEXT), "%s%s", modes[p->sync & 3],
                        p->device ? ", device times" : "");
        print_node_line(l, "spans", STYLE(STYLE_TEXT), "%" PRIu64, p->spans);
        if (p->tokens)
            print_node_line(l, "tokens", STYLE(STYLE_TEXT), "%" PRIu64 ", %.1f/s", p->tokens,
                            p->tokens_per_s);
        print_node_line(l, "dropped", STYLE(p->dropped ? STYLE_WARN : STYLE_TEXT), "%" PRIu64,
                        p->dropped);
        if (p->device_errors)
            print_node_line(l, "device", STYLE(STYLE_CRIT), "%" PRIu64 " calls failed",
                            p->device_errors);
    }
}

/*
 * Draws the buckets of a histogram from its smallest to its largest value as w columns in eighths.
 */
static void draw_node_histogram(struct tree_lines *l, const struct histogram *h)
{
    enum { COLUMNS_MAX = 64 };
    static const uint32_t levels[] = {' ',    0x2581, 0x2582, 0x2583, 0x2584,
                                      0x2585, 0x2586, 0x2587, 0x2588};
    int w = l->r.w < COLUMNS_MAX ? l->r.w : COLUMNS_MAX, rows = l->r.y + l->r.h - l->y - 2;
    unsigned first = HISTOGRAM_BUCKETS, last = 0;
    uint64_t column[COLUMNS_MAX] = {0}, most = 0;
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
        if (histogram_at(h, i)) {
            first = i < first ? i : first;
            last = i;
        }
    if (rows < 1 || w < 8 || first > last)
        return;
    rows = rows > 4 ? 4 : rows;
    unsigned span = last - first + 1;
    for (unsigned i = first; i <= last; i++)
        column[(uint64_t)(i - first) * (unsigned)w / span] += histogram_at(h, i);
    for (int x = 0; x < w; x++)
        most = column[x] > most ? column[x] : most;
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < w; x++) {
            uint64_t eighths = (column[x] * (uint64_t)rows * 8 + most - 1) / most;
            uint64_t below = (uint64_t)(rows - 1 - y) * 8;
            uint64_t in = eighths > below ? eighths - below : 0;
            canvas_put(l->c, l->r.x + x, l->y + y, levels[in > 8 ? 8 : in], STYLE(STYLE_BOX_CPU));
        }
    l->y += rows;
    char low[VALUE_TEXT_MAX], high[VALUE_TEXT_MAX];
    value_time((double)histogram_low(first), l->c->ascii, low);
    value_time((double)(histogram_low(last) + histogram_width(last)), l->c->ascii, high);
    canvas_text(l->c, l->r.x, l->y, w / 2, low, STYLE(STYLE_DIM));
    canvas_text_right(l->c, l->r.x + w / 2, l->y, w - w / 2, high, STYLE(STYLE_DIM));
    l->y++;
}

static void print_node_times(struct tree_lines *l, const struct graph *g, uint32_t node,
                             const struct graph_work *w)
{
    char a[VALUE_TEXT_MAX], b[VALUE_TEXT_MAX], d[VALUE_TEXT_MAX];
    bool ascii = l->c->ascii;
    print_node_line(l, "calls", STYLE(STYLE_TEXT), "%" PRIu64, w->count);
    print_node_line(l, "total", STYLE(STYLE_TEXT), "%s, itself %s",
                    value_time((double)w->total, ascii, a),
                    value_time((double)graph_self(g, node), ascii, b));
    if (w->count == 0)
        return;
    print_node_line(l, "mean", STYLE(tree_over_budget(g, node) ? STYLE_CRIT : STYLE_TEXT),
                    "%s %s %s", value_time(graph_mean(g, node), ascii, a), ascii ? "+-" : "±",
                    value_time(graph_deviation(g, node), ascii, b));
    if (w->min != GRAPH_UNKNOWN)
        print_node_line(l, "min, max", STYLE(STYLE_TEXT), "%s, %s",
                        value_time((double)w->min, ascii, a), value_time((double)w->max, ascii, b));
    print_node_line(l, "p50 95 99", STYLE(STYLE_TEXT), "%s, %s, %s",
                    value_time(graph_quantile(g, node, 0.5), ascii, a),
                    value_time(graph_quantile(g, node, 0.95), ascii, b),
                    value_time(graph_quantile(g, node, 0.99), ascii, d));
    const struct graph_extra *x = graph_extra_of(g, node);
    if (x->budget)
        print_node_line(l, "budget", STYLE(tree_over_budget(g, node) ? STYLE_CRIT : STYLE_OK),
                        "%s, %s", value_time((double)x->budget, ascii, a),
                        tree_over_budget(g, node) ? "exceeded by the mean" : "kept");
    if (x->elements && w->total)
        print_node_line(l, "elements", STYLE(STYLE_TEXT), "%s",
                        write_node_rate((double)x->elements * 1e9 / (double)w->total,
                                        UNIT_COUNT_PER_S, ascii, a));
    if (x->bytes && w->total)
        print_node_line(
            l, "memory", STYLE(STYLE_TEXT), "%s (declared)",
            write_node_rate((double)x->bytes * 1e9 / (double)w->total, UNIT_BYTES_PER_S, ascii, a));
    if (x->flops && w->total)
        print_node_line(
            l, "compute", STYLE(STYLE_TEXT), "%s (declared)",
            write_node_rate((double)x->flops * 1e9 / (double)w->total, UNIT_FLOP_PER_S, ascii, a));
}

/* What was counted in the node: rates, then each event in a call, or why it was not counted. */
static void detail_counts(struct tree_lines *l, const struct graph *g, uint32_t node)
{
    static const struct {
        enum graph_rate rate;
        const char *name, *format;
    } rates[] = {{GRAPH_IPC, "IPC", "%.2f"},
                 {GRAPH_MISSES, "missed", "%.1f %% of accesses"},
                 {GRAPH_MISPREDICTS, "mispredicted", "%.2f %% of branches"}};
    const struct graph_counters *of = g->counters;
    const struct graph_counts *c = graph_counts_of(g, node);
    char number[VALUE_TEXT_MAX];
    if (!c || c->calls == 0)
        return;
    l->y++;
    print_node_line(l, "counted", STYLE(graph_counts_share(c) < 1 ? STYLE_WARN : STYLE_TEXT),
                    "%" PRIu64 " call%s, %.0f %% of the time", c->calls, c->calls == 1 ? "" : "s",
                    100 * graph_counts_share(c));
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        if (!isnan(graph_rate(of, c, rates[i].rate)))
            print_node_line(l, rates[i].name, STYLE(STYLE_TEXT), rates[i].format,
                            graph_rate(of, c, rates[i].rate));
    for (uint32_t i = 0; i < of->n; i++)
        if (isnan(c->value[i]))
            print_node_line(l, "n/a", STYLE(STYLE_DIM), "%s: %s", of->list[i].name,
                            of->list[i].why);
        else
            print_node_line(
                l, i ? "" : "in a call", STYLE(STYLE_TEXT), "%8s %s",
                write_node_rate(c->value[i] / (double)c->calls, UNIT_NONE, l->c->ascii, number),
                of->list[i].name);
}

enum { CALLS_SHOWN = 8 };

/* The time that a node's calls waited for something else. */
static uint64_t sum_waiting_calls(const struct call_part *parts, uint32_t n)
{
    uint64_t ns = 0;
    for (uint32_t i = 0; i < n; i++)
        ns += syscall_waits(parts[i].name) ? parts[i].all.ns : 0;
    return ns;
}

/* The system calls inside a node: all together, then those with the most time. */
static void detail_calls(struct tree_lines *l, const struct graph *g, uint32_t node)
{
    const struct call_part *parts;
    const struct call_sum *s = graph_syscalls_of(g, node);
    const uint32_t n = graph_syscalls_parts(g, node, &parts);
    const double all = g->duration[node] == GRAPH_UNKNOWN || (g->syscalls && g->syscalls->partial)
                           ? 0
                           : (double)g->duration[node]; /* 0: no share */
    char a[VALUE_TEXT_MAX], b[VALUE_TEXT_MAX];
    if (!s)
        return;
    l->y++;
    print_node_line(l, "syscalls", STYLE(s->n.errors ? STYLE_WARN : STYLE_TEXT),
                    "%" PRIu64 ", %" PRIu64 " failed", s->n.calls, s->n.errors);
    if (s->n.calls == 0)
        return;
    print_node_line(l, "in calls", STYLE(STYLE_TEXT),
                    all > 0 ? "%s, %.1f %% of its time" : "%s, seen in a part of its time",
                    value_time((double)s->n.ns, l->c->ascii, a), 100.0 * (double)s->n.ns / all);
    const uint64_t waiting = sum_waiting_calls(parts, n);
    if (waiting)
        print_node_line(l, "of that", STYLE(STYLE_DIM), "%s waiting",
                        value_time((double)waiting, l->c->ascii, a));
    print_node_line(l, "bytes", STYLE(STYLE_TEXT), "%s read, %s written",
                    write_node_rate((double)s->n.read, UNIT_BYTES, l->c->ascii, a),
                    write_node_rate((double)s->n.written, UNIT_BYTES, l->c->ascii, b));
    for (uint32_t i = 0; i < n && i < CALLS_SHOWN; i++)
        print_node_line(
            l, i ? "" : "most in", STYLE(syscall_waits(parts[i].name) ? STYLE_DIM : STYLE_TEXT),
            "%8s %7" PRIu64 " %s%s", value_time((double)parts[i].all.ns, l->c->ascii, a),
            parts[i].all.calls, parts[i].name, syscall_waits(parts[i].name) ? " (waits)" : "");
    if (n > CALLS_SHOWN)
        print_node_line(l, "", STYLE(STYLE_DIM), "and %" PRIu32 " other calls", n - CALLS_SHOWN);
}

int tree_detail_draw(struct canvas *c, struct rect r, const struct tree_rows *t, uint32_t node)
{
    const struct graph *g = t->graph;
    struct tree_lines l = {c, r, r.y};
    char kind[64];
    if (node == GRAPH_NONE) {
        canvas_text(c, r.x, r.y, r.w, "no row is selected", STYLE(STYLE_DIM));
        return 1;
    }
    const struct graph_work *w = graph_work_of(g, node);
    tree_kind(g, node, kind, sizeof kind);
    canvas_text(c, r.x, l.y++, r.w, graph_name(g, node), STYLE(STYLE_TITLE));
    canvas_printf(c, r.x, l.y++, r.w, STYLE(STYLE_DIM), "%s, %.1f %% of all%s", kind,
                  tree_share(t, node), t->critical[node] ? ", on the path" : "");
    l.y++;
    print_node_program(&l, t->bricks, node);
    if (w)
        print_node_times(&l, g, node, w);
    detail_of_kind(&l, g, node);
    detail_counts(&l, g, node);
    detail_calls(&l, g, node);
    if (w && w->histogram != GRAPH_NONE && w->count > 1) {
        l.y++;
        draw_node_histogram(&l, g->histograms[w->histogram]);
    }
    return l.y - r.y;
}
