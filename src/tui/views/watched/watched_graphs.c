/* The graphs of what is watched. Their series are those of live_series.h. */
#include <stdio.h>
#include <string.h>

#include "tui/views/watched/watched.h"

enum { FRAME = 9 /* cells of a title line beside its texts */ };

static const struct overview_plot watched_plots[LAYOUT_GRAPHS] = {
    {.title = "cpu",
     .series = "target.cpu",
     .role = STYLE_GRAD_CPU,
     .box = STYLE_BOX_CPU,
     .unit = UNIT_PERCENT,
     .least = 100},
    {.title = "memory",
     .series = "target.memory",
     .role = STYLE_GRAD_USED,
     .box = STYLE_BOX_MEM,
     .unit = UNIT_BYTES},
    {.title = "faults",
     .series = "target.faults",
     .role = STYLE_GRAD_UP,
     .box = STYLE_BOX_NET,
     .unit = UNIT_COUNT_PER_S},
    {.title = "threads",
     .series = "target.threads",
     .role = STYLE_GRAD_DOWN,
     .box = STYLE_BOX_NET,
     .unit = UNIT_COUNT},
};

static void write_memory(const struct target_use *u, bool ascii, char *out, size_t size)
{
    char now[VALUE_TEXT_MAX], slope[SLOPE_TEXT];
    if (u->processes == 0 && u->memory_peak.validity == VALUE_OK) {
        snprintf(out, size, "at most %s", value_format(&u->memory_peak, ascii, now));
        return;
    }
    value_format(&u->memory, ascii, now);
    snprintf(out, size, "%s", now);
    if (u->memory_slope.validity == VALUE_OK) /* it is over TARGET_SLOPE_S or more */
        snprintf(out, size, "%s %s %s", now,
                 value_slope(u->memory_slope.v, TARGET_SLOPE_S, UNIT_BYTES, ascii, slope),
                 u->memory_slope.v > 0 ? "▲" : "▼");
}

/* What the title of a graph says at the right. */
static void write_now(int i, const struct target_use *u, bool ascii, char *out, size_t size)
{
    char number[VALUE_TEXT_MAX];
    switch (BOX_CPU + i) {
    case BOX_CPU:
        value_format(&u->cpu, ascii, number);
        snprintf(out, size, "%s", number);
        if (u->processes)
            snprintf(out, size, "%s · %llu thread%s", number, (unsigned long long)u->threads,
                     u->threads == 1 ? "" : "s");
        break;
    case BOX_MEMORY:
        write_memory(u, ascii, out, size);
        break;
    case BOX_GRAPH3:
        snprintf(out, size, "%s", value_format(&u->fault_rate, ascii, number));
        break;
    default:
        snprintf(out, size, "%llu in %llu process%s", (unsigned long long)u->threads,
                 (unsigned long long)u->processes, u->processes == 1 ? "" : "es");
    }
}

void watched_graphs(struct canvas *c, const struct overview_layout *l, const struct model *m)
{
    for (int i = 0; i < LAYOUT_GRAPHS; i++) {
        char title[32], now[96] = "…";
        if (l->graph[i].h == 0)
            continue;
        if (m->snap)
            write_now(i, &m->snap->use, c->ascii, now, sizeof now);
        snprintf(title, sizeof title, "its %s", watched_plots[i].title);
        if (text_width(title) + text_width(now) + FRAME > l->graph[i].w)
            snprintf(title, sizeof title, "%s", watched_plots[i].title);
        overview_plot(c, l->graph[i], watched_boxes, BOX_CPU + i, &watched_plots[i], title, now, m);
    }
}
