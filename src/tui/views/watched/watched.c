/* What is watched, before the host: view_watched stands in the place of the overview. */
#include "tui/views/watched/watched.h"

#include <stdio.h>
#include <string.h>

#include "engine/live/procs_fields.h"

struct watched_view { /* view_state.own */
    struct procs_state procs;
    struct overview_bricks bricks;
};

const struct view_box watched_boxes[BOX_COUNT + 1] = {
    [BOX_CPU] = {"cpu", 'c', "its CPU time, in % of one CPU, over time"},
    [BOX_MEMORY] = {"memory", 'm', "its memory, and how fast it grows"},
    [BOX_GRAPH3] =
        {"faults", 'f',
         "its page faults over time, or a counter of -e, its calls or IPC where these are known"},
    [BOX_GRAPH4] = {"threads", 'a',
                    "its threads over time, or what the third graph has no room for"},
    [WATCHED_HOST] = {"host", 'u', "each CPU of the host, where it is expanded"},
    [WATCHED_CALLS] = {"calls", 'l', "page faults and system calls"},
    [BOX_METRICS] = {"metrics", 'n', "key numbers"},
    [BOX_TOPDOWN] = {"top-down", 't', "where pipeline slots go, or why not"},
    [BOX_BRICKS] = {"bricks", 'r', "instrumented programs: the bricks that take the longest"},
    [BOX_GPUS] = {"gpus", 'x', "GPUs: load, memory, power, temperature"},
    [BOX_PROCS] = {"processes", 'p', "its processes; how it ended, once none of them runs"},
    [BOX_COUNT] = {NULL, 0, NULL},
};

static struct procs_state *watched_procs(const struct view_state *st)
{
    return &((struct watched_view *)st->own)->procs;
}

static void begin_watched(void *own)
{
    struct watched_view *v = own;
    v->procs.tree = v->procs.watched = v->procs.threads = true;
}

static void free_watched(void *own)
{
    struct watched_view *v = own;
    procs_free(&v->procs);
    arena_free(&v->bricks.memory);
}

/* The layout of the overview; the host's CPUs need room only where no other box is shown. */
static void lay_out_watched(const struct model *m, const struct view_state *st, struct rect area,
                            struct overview_content *k, struct overview_layout *l)
{
    const unsigned others = ((1u << BOX_COUNT) - 1) & ~(1u << WATCHED_HOST);
    overview_choose_content(m, st, area, k);
    k->facts.io_rows = 1;
    k->facts.narrow = true;
    if (m->snap && k->nkey == 0 && !st->expanded) /* nothing counts for a cgroup without a PMU */
        k->facts.hidden |= 1u << BOX_METRICS;
    if ((st->hidden & others) != others)
        k->facts.cpu_rows = 0;
    layout_overview(area, &k->facts, l);
}

static void draw_watched_list(struct canvas *c, struct rect r, const struct model *m,
                              struct view_state *st)
{
    if (!watched_has_ended(m) || r.h < 3) {
        overview_processes(c, r, m, st, watched_procs(st));
        return;
    }
    st->list = (struct rect){0}; /* no row is there for keys */
    st->rows = 0;
    st->selected_key[0] = '\0';
    view_box_draw(c, r, STYLE_BOX_PROC, &watched_boxes[BOX_PROCS], BOX_PROCS,
                  "how its processes ended", NULL);
    watched_end(c, (struct rect){r.x + 2, r.y + 1, r.w - 4, r.h - 2}, m);
}

static void draw_watched(struct canvas *c, struct rect area, const struct model *m,
                         struct view_state *st)
{
    struct watched_view *v = st->own;
    struct overview_content k;
    struct overview_layout l;
    lay_out_watched(m, st, area, &k, &l);
    if (l.host.h)
        watched_head(c, l.host, m);
    watched_graphs(c, &l, m);
    if (st->expanded == WATCHED_CALLS + 1) {
        watched_calls_tall(c, l.io, m);
    } else if (overview_line_expanded(st)) {
        overview_expanded(c, &l, &k, m);
    } else {
        overview_cpus(c, l.cpus, m->snap, false, false);
        watched_calls(c, l.io, m);
        overview_lines(c, &l, &k, m);
    }
    overview_bricks(&v->bricks, c, l.bricks, m->snap);
    overview_gpus(c, l.gpus, m);
    draw_watched_list(c, l.procs, m, st);
}

static enum view_result act_in_watched(enum action a, const struct model *m, struct view_state *st)
{
    return procs_act(a, m, st, watched_procs(st));
}

static bool watched_takes(enum action a, const struct model *m, const struct view_state *st)
{
    (void)m;
    return procs_take(a, watched_procs(st));
}

static bool watched_menu(const struct model *m, const struct view_state *st, const char *key,
                         struct menu *out)
{
    return procs_menu(m, st, watched_procs(st), key, out);
}

static bool watched_available(const struct model *m, const struct view_state *st)
{
    (void)st;
    return m->snap && m->snap->target_kind != TARGET_HOST && !m->profile;
}

const struct view_ops view_watched = {
    .name = "watched",
    .title = "watched",
    .select = ACTION_VIEW_WATCHED,
    .contexts = CONTEXT_LIST | CONTEXT_PROCS,
    .available = watched_available,
    .absent = "The whole host is watched. rooftop -- COMMAND, -p PID or --cgroup PATH watches a "
              "part of it; so does a on a process of view 1",
    .own_size = sizeof(struct watched_view),
    .begin = begin_watched,
    .end = free_watched,
    .draw = draw_watched,
    .act = act_in_watched,
    .takes = watched_takes,
    .traces = true, /* the graph and the line of the calls */
    .procs = watched_procs,
    .menu = watched_menu,
    .boxes = watched_boxes,
    .fields = procs_fields,
};
