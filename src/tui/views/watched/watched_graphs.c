/* The graphs of what is watched. Their series are those of live_series.h, and the calls of a trace.
 */
#include <stdio.h>
#include <string.h>

#include "engine/syscalls/snapshot/syscalls_snapshot.h"
#include "tui/views/watched/watched.h"
#include "tui/widgets/area.h"

enum { FRAME = 10 /* cells of a title line beside its texts (canvas_box) */, NOW_TEXT = 96 };

struct watched_graph {
    struct overview_plot plot;
    const char *brief, *least; /* titles for little room */
    /* What the title says at the right; brief: the shortest form. False: nothing is known, and
     * there is no graph. NULL: the title says the value that the graph shows. */
    bool (*write)(const struct model *m, bool ascii, bool brief, char out[NOW_TEXT]);
};

static const char *write_graph_number(const struct value *v, bool ascii, char out[NOW_TEXT])
{
    char number[VALUE_TEXT_MAX];
    snprintf(out, NOW_TEXT, "%s", value_format(v, ascii, number));
    return out;
}

static bool write_cpu_now(const struct model *m, bool ascii, bool brief, char out[NOW_TEXT])
{
    const struct target_use *u = &m->snap->use;
    const size_t n = strlen(write_graph_number(&u->cpu, ascii, out));
    if (u->processes && !brief)
        snprintf(out + n, NOW_TEXT - n, " · %llu thread%s", (unsigned long long)u->threads,
                 u->threads == 1 ? "" : "s");
    return true;
}

static bool write_memory_now(const struct model *m, bool ascii, bool brief, char out[NOW_TEXT])
{
    const struct target_use *u = &m->snap->use;
    char now[NOW_TEXT], slope[SLOPE_TEXT];
    if (u->processes == 0 && u->memory_peak.validity == VALUE_OK) {
        write_graph_number(&u->memory_peak, ascii, now);
        snprintf(out, NOW_TEXT, "at most %.60s", now);
        return true;
    }
    write_graph_number(&u->memory, ascii, out);
    if (u->memory_slope.validity != VALUE_OK)
        return true;
    memcpy(now, out, sizeof now); /* it is over TARGET_SLOPE_S or more */
    value_slope(u->memory_slope.v, TARGET_SLOPE_S, UNIT_BYTES, ascii, slope);
    snprintf(out, NOW_TEXT, "%.24s %s%s%s", now, brief ? "" : slope, brief ? "" : " ",
             u->memory_slope.v > 0 ? "▲" : "▼");
    return true;
}

static bool write_calls_now(const struct model *m, bool ascii, bool brief, char out[NOW_TEXT])
{
    const struct syscalls_snapshot *p = m->syscalls;
    (void)brief;
    if (!p || !p->count || !p->has_times || !p->rates.width_ns)
        return false;
    const struct value now = value_ok(syscalls_rate_now(p, p->rates.calls), UNIT_COUNT_PER_S);
    if (syscalls_snapshot_goes_on(p))
        write_graph_number(&now, ascii, out);
    else
        snprintf(out, NOW_TEXT, "%s", syscalls_state_name(p->state));
    return true;
}

static bool write_ipc_now(const struct model *m, bool ascii, bool brief, char out[NOW_TEXT])
{
    const struct metric *ipc = snapshot_metric(m->snap, "ipc");
    (void)brief;
    if (!ipc || ipc->value.validity == VALUE_MISSING)
        return false;
    write_graph_number(&ipc->value, ascii, out);
    return true;
}

static bool write_faults_now(const struct model *m, bool ascii, bool brief, char out[NOW_TEXT])
{
    (void)brief;
    write_graph_number(&m->snap->use.fault_rate, ascii, out);
    return true;
}

static bool write_threads_now(const struct model *m, bool ascii, bool brief, char out[NOW_TEXT])
{
    const struct target_use *u = &m->snap->use;
    (void)ascii;
    snprintf(out, NOW_TEXT, "%llu", (unsigned long long)u->threads);
    if (!brief)
        snprintf(out, NOW_TEXT, "%llu in %llu process%s", (unsigned long long)u->threads,
                 (unsigned long long)u->processes, u->processes == 1 ? "" : "es");
    return true;
}

/* The first two are always there; the other places get the counters that were asked for, and the
 * first of the rest that are known. Faults
 * that have no graph are told in the line of the calls, or are a key number. */
static const struct watched_graph watched_plots[] = {
    {{.title = "its cpu",
      .series = "target.cpu",
      .role = STYLE_GRAD_CPU,
      .box = STYLE_BOX_CPU,
      .unit = UNIT_PERCENT,
      .least = 100},
     "cpu",
     "cpu",
     write_cpu_now},
    {{.title = "its memory",
      .series = "target.memory",
      .role = STYLE_GRAD_USED,
      .box = STYLE_BOX_MEM,
      .unit = UNIT_BYTES},
     "memory",
     "mem",
     write_memory_now},
    {{.title = "its calls", .role = STYLE_GRAD_CPU, .box = STYLE_BOX_NET, .unit = UNIT_COUNT_PER_S},
     "calls",
     "calls",
     write_calls_now},
    {{.title = "its IPC",
      .series = "m:ipc",
      .role = STYLE_GRAD_FREE,
      .box = STYLE_BOX_NET,
      .unit = UNIT_PER_CYCLE},
     "IPC",
     "IPC",
     write_ipc_now},
    {{.title = "its faults",
      .series = "target.faults",
      .role = STYLE_GRAD_UP,
      .box = STYLE_BOX_NET,
      .unit = UNIT_COUNT_PER_S},
     "faults",
     "faults",
     write_faults_now},
    {{.title = "its threads",
      .series = "target.threads",
      .role = STYLE_GRAD_DOWN,
      .box = STYLE_BOX_NET,
      .unit = UNIT_COUNT},
     "threads",
     "threads",
     write_threads_now},
};

/* The calls of the trace, over its whole time. */
static void draw_calls_graph(struct canvas *c, struct rect r, int box,
                             const struct watched_graph *g, const char *title, const char *now,
                             const struct model *m)
{
    float v[SYSCALLS_RATES];
    const struct syscalls_snapshot *p = m->syscalls;
    const struct rect in = {r.x + 1, r.y + 1, r.w - 3, r.h - 2};
    const size_t fit = area_samples(in), n = fit < SYSCALLS_RATES ? fit : SYSCALLS_RATES;
    view_box_draw(c, r, g->plot.box, &watched_boxes[box], box, title, now);
    syscalls_rates_fill(&p->rates, p->rates.calls, v, n);
    area_draw(c, in,
              &(struct area){.v = v,
                             .n = n,
                             .unit = g->plot.unit,
                             .role = g->plot.role,
                             .span_s = (double)(p->rates.n * p->rates.width_ns) / 1e9,
                             .end = syscalls_snapshot_goes_on(p) ? NULL : "end"});
}

static bool write_now(const struct watched_graph *g, const struct model *m, bool ascii, bool brief,
                      char out[NOW_TEXT])
{
    if (g->write)
        return g->write(m, ascii, brief, out);
    const struct value now = overview_plot_value(&g->plot, m->snap);
    write_graph_number(&now, ascii, out);
    return true;
}

/* A title without the letter of its box gets the letter in front (view_box_draw). */
static int count_title_cells(const char *title, int box)
{
    const char letter[] = {watched_boxes[box].letter, '\0'};
    return text_width(title) + (strcasestr(title, letter) ? 0 : 2);
}

static void draw_watched_graph(struct canvas *c, struct rect r, int box,
                               const struct watched_graph *g, const struct model *m)
{
    const char *title = NULL;
    char now[NOW_TEXT] = "…";
    const char *const titles[] = {g->plot.title, g->brief, g->least, g->brief};
    for (int form = 0; form < 4; form++) { /* the longest that fits */
        title = titles[form];
        if (m->snap)
            write_now(g, m, c->ascii, form == 3, now);
        if (count_title_cells(title, box) + text_width(now) + FRAME <= r.w)
            break;
    }
    if (g->plot.series)
        overview_plot(c, r, watched_boxes, box, &g->plot, title, now, m);
    else
        draw_calls_graph(c, r, box, g, title, now, m);
}

enum { ALWAYS = 2 };

/* Writes the graphs to draw, in the order of their places. Returns how many there are. */
static int list_watched_graphs(const struct model *m, bool ascii, const struct watched_graph *asked,
                               size_t nasked, const struct watched_graph *out[LAYOUT_GRAPHS])
{
    const size_t all = sizeof watched_plots / sizeof *watched_plots;
    char ignored[NOW_TEXT];
    int n = 0;
    for (size_t i = 0; i < all && n < LAYOUT_GRAPHS; i++) {
        for (size_t k = 0; i == ALWAYS && k < nasked && n < LAYOUT_GRAPHS; k++)
            out[n++] = &asked[k];
        const bool known =
            i < ALWAYS || !m->snap || watched_plots[i].write(m, ascii, true, ignored);
        if (known && n < LAYOUT_GRAPHS)
            out[n++] = &watched_plots[i];
    }
    return n;
}

void watched_graphs(struct canvas *c, const struct overview_layout *l, const struct model *m)
{
    const struct watched_graph *list[LAYOUT_GRAPHS];
    struct watched_graph graphs[OVERVIEW_ASKED];
    struct overview_asked asked[OVERVIEW_ASKED];
    char titles[OVERVIEW_ASKED][NOW_TEXT];
    const size_t nasked = overview_asked(m->snap, asked);
    for (size_t i = 0; i < nasked; i++) {
        const char *name = asked[i].plot.title;
        graphs[i] = (struct watched_graph){asked[i].plot, name, name, NULL};
        snprintf(titles[i], sizeof titles[i], "its %.60s", name);
        graphs[i].plot.title = titles[i];
    }
    const int n = list_watched_graphs(m, c->ascii, graphs, nasked, list);
    for (int i = 0; i < n; i++)
        if (l->graph[i].h)
            draw_watched_graph(c, l->graph[i], BOX_CPU + i, list[i], m);
}
