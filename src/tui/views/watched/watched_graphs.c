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
     * there is no graph. */
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

/* The first two are always there; the other places get the first of the rest that are known. Faults
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
            g->write(m, c->ascii, form == 3, now);
        if (count_title_cells(title, box) + text_width(now) + FRAME <= r.w)
            break;
    }
    if (g->plot.series)
        overview_plot(c, r, watched_boxes, box, &g->plot, title, now, m);
    else
        draw_calls_graph(c, r, box, g, title, now, m);
}

void watched_graphs(struct canvas *c, const struct overview_layout *l, const struct model *m)
{
    enum { ALWAYS = 2 };
    const size_t n = sizeof watched_plots / sizeof *watched_plots;
    char ignored[NOW_TEXT];
    size_t next = 0;
    for (int i = 0; i < LAYOUT_GRAPHS; i++, next++) {
        while (i >= ALWAYS && next + 1 < n && m->snap &&
               !watched_plots[next].write(m, c->ascii, true, ignored))
            next++;
        if (l->graph[i].h && next < n)
            draw_watched_graph(c, l->graph[i], BOX_CPU + i, &watched_plots[next], m);
    }
}
