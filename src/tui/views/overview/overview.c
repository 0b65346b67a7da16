#include "tui/views/overview/overview.h"

#include <stdio.h>
#include <string.h>

#include "engine/live/gpus.h"
#include "engine/live/proc_rows.h"
#include "engine/live/procs_fields.h"
#include "tui/widgets/notice.h"
#include "tui/views/procs/procs.h"

enum { LIST_TITLE = 192 };

/* --- the line about the machine --- */

static int draw_field(struct canvas *c, int x, int y, int end, const char *label, const char *text)
{
    if (!*text || x + (int)strlen(label) + text_width(text) + 1 > end)
        return x;
    if (*label)
        x += canvas_printf(c, x, y, end - x, STYLE(STYLE_DIM), "%s ", label);
    return x + canvas_text(c, x, y, end - x, text, STYLE(STYLE_TEXT)) + 2;
}

/*
 * Draws the shares of time in which some task waited. They are called pressure, because "stalled"
 * would mean that all tasks wait.
 */
static int pressure_fields(struct canvas *c, int x, int y, int end, const struct pressure *p)
{
    enum { LITTLE = 1 }; /* percent; smaller values are not shown */
    const struct {
        const char *label;
        const struct value *v;
    } part[] = {
        {"cpu pressure", &p->cpu}, {"memory pressure", &p->memory}, {"io pressure", &p->io}};
    char text[16];
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        if (part[i].v->validity != VALUE_OK || part[i].v->v < LITTLE)
            continue;
        snprintf(text, sizeof text, "%.0f %%", part[i].v->v);
        x = draw_field(c, x, y, end, part[i].label, text);
    }
    return x;
}

static void host_line(struct canvas *c, struct rect r, const struct snapshot *s)
{
    char text[160], up[32] = "";
    int end = r.x + r.w - 1, x = r.x + 1;
    if (!s || !s->host) {
        canvas_text(c, x, r.y, r.w - 2, "…", STYLE(STYLE_DIM));
        return;
    }
    const struct host *h = s->host;
    x += canvas_text(c, x, r.y, r.w / 3, h->hostname, STYLE(STYLE_TITLE)) + 2;
    snprintf(text, sizeof text, "%d × %s", h->ncpus, h->cpu_model[0] ? h->cpu_model : h->arch);
    x = draw_field(c, x, r.y, end, "", text);
    if (h->hypervisor[0] || h->container[0]) {
        snprintf(text, sizeof text, "%s%s%s", h->hypervisor,
                 h->hypervisor[0] && h->container[0] ? ", " : "", h->container);
        x = draw_field(c, x, r.y, end, "", text);
    }
    x = draw_field(c, x, r.y, end, "PMU", h->pmu[0] ? h->pmu : "none");
    x = pressure_fields(c, x, r.y, end, &s->pressure);
    if (s->load1.validity == VALUE_OK) {
        char one[VALUE_TEXT_MAX], five[VALUE_TEXT_MAX], fifteen[VALUE_TEXT_MAX];
        snprintf(text, sizeof text, "%s %s %s", value_format(&s->load1, c->ascii, one),
                 value_format(&s->load5, c->ascii, five),
                 value_format(&s->load15, c->ascii, fifteen));
        x = draw_field(c, x, r.y, end, "load", text);
    }
    if (s->uptime_s.validity == VALUE_OK) {
        unsigned long t = (unsigned long)s->uptime_s.v;
        snprintf(up, sizeof up, "%lud %02lu:%02lu", t / 86400, t / 3600 % 24, t / 60 % 60);
        x = draw_field(c, x, r.y, end, "up", up);
    }
    snprintf(text, sizeof text, "%zu, %zu threads, %zu running", s->nprocs, s->nthreads,
             s->nrunning);
    if (proc_rows_missing(s))
        strcpy(text, "n/a");
    x = draw_field(c, x, r.y, end, "procs", text);
    draw_field(c, x, r.y, end, "kernel", h->kernel);
}

/* --- the view --- */

const struct view_box overview_boxes[BOX_COUNT + 1] = {
    [BOX_CPU] = {"cpu", 'c', "all CPUs together, over time"},
    [BOX_MEMORY] = {"memory", 'm', "memory in use, over time"},
    [BOX_GRAPH3] = {"graph3", 'g', "IPC, or the first of what is measured here"},
    [BOX_GRAPH4] = {"graph4", 'w', "bandwidth, or the next of what is measured"},
    [BOX_CPUS] = {"cpus", 'u', "each CPU"},
    [BOX_IO] = {"io", 'd', "swap and cache, network and disks"},
    [BOX_METRICS] = {"metrics", 'n', "key numbers"},
    [BOX_TOPDOWN] = {"top-down", 't', "where pipeline slots go, or why not"},
    [BOX_BRICKS] = {"bricks", 'r', "instrumented programs: the bricks that take the longest"},
    [BOX_GPUS] = {"gpus", 'x', "GPUs: load, memory, power, temperature"},
    [BOX_PROCS] = {"processes", 'p', "the process list"},
    [BOX_COUNT] = {NULL, 0, NULL},
};

void overview_box(struct canvas *c, struct rect r, enum style_role role, int box, const char *title,
                  const char *right)
{
    view_box_draw(c, r, role, &overview_boxes[box], box, title, right);
}

static struct procs_state *overview_procs_of(const struct view_state *st)
{
    return &((struct overview_state *)st->own)->procs;
}

/* Writes how many children of what is watched are not watched, and with room what watches them. */
static void write_left_out(const struct snapshot *s, int room, char out[64])
{
    static const char how[] = ", :children all";
    const char *text = proc_rows_left_out(s);
    if (text)
        snprintf(out, 64, "%.32s%s · ", text,
                 text_width(text) + (int)sizeof how + 2 <= room ? how : "");
}

/*
 * The title of the list with what the list does not show: ended processes, hidden ones, ones that
 * the filter excludes. In w cells; if it is too long, parts are dropped from the front, but not the
 * count.
 */
static const char *list_title(const struct model *m, const struct view_state *st,
                              const struct procs_state *ps, bool ascii, int w, char out[LIST_TITLE])
{
    const struct cpu_account *a = &m->snap->account;
    if (proc_rows_missing(m->snap))
        return strcpy(out, "n/a");
    char share[VALUE_TEXT_MAX], part[3][64] = {"", "", ""};
    size_t all, kernel, shown = procs_shown(m, st, ps, &all, &kernel);
    const struct proc *parent = proc_rows_find(m->snap, a->parent);
    if (!ps->watched && a->ended.validity == VALUE_OK && a->ended.v >= 0.5)
        snprintf(part[0], sizeof part[0], "ended: %s cpu%s%.15s · ",
                 value_format(&a->ended, ascii, share), parent ? " under " : "",
                 parent ? parent->comm : "");
    if (kernel)
        snprintf(part[1], sizeof part[1], "%zu kernel threads hidden · ", kernel);
    if (st->filter[0])
        snprintf(part[2], sizeof part[2], "%zu of %zu match '%.20s'", shown, all, st->filter);
    else
        snprintf(part[2], sizeof part[2], "%zu process%s", shown, shown == 1 ? "" : "es");
    if (ps->watched)
        write_left_out(m->snap, w - text_width(part[2]), part[1]);
    for (int drop = 0; drop < 3; drop++) { /* drops the hidden ones first, then the ended ones */
        snprintf(out, LIST_TITLE, "%s%s%s", drop > 1 ? "" : part[0], drop > 0 ? "" : part[1],
                 part[2]);
        if (text_width(out) <= w)
            break;
    }
    return out;
}

void overview_processes(struct canvas *c, struct rect r, const struct model *m,
                        struct view_state *st, struct procs_state *ps)
{
    char title[96], right[LIST_TITLE] = "";
    if (r.h < 3) { /* the list is not visible, so keys have no row */
        st->list = (struct rect){0};
        st->rows = 0;
        st->selected_key[0] = '\0';
        return;
    }
    snprintf(title, sizeof title, "process%s by %s", ps->tree ? " tree" : "es",
             procs_sort_name(st));
    if (m->snap)
        list_title(m, st, ps, c->ascii, r.w - text_width(title) - 10, right);
    overview_box(c, r, STYLE_BOX_PROC, BOX_PROCS, title, right);
    procs_draw(c, (struct rect){r.x + 1, r.y + 1, r.w - 2, r.h - 2}, m, st, ps);
}

void overview_choose_content(const struct model *m, const struct view_state *st, struct rect area,
                             struct overview_content *k)
{
    k->ntd = notice_topdown(m->snap, k->td, OVERVIEW_TOPDOWN_MAX);
    k->nkey = overview_choose(m->snap, k->key, OVERVIEW_NUMBERS_MAX);
    k->facts = (struct overview_facts){
        .cpu_rows = overview_cpu_rows(m->snap, area.w),
        .io_rows = overview_io_rows(area, m->snap),
        .nmetrics = (int)k->nkey,
        .topdown = k->ntd > 0 && k->td[0]->value.validity != VALUE_MISSING,
        .notice = overview_has_reason(m->snap),
        .bricks = model_bricks(m),
        .gpus = m->snap && m->snap->gpus ? (int)m->snap->gpus->n : 0,
        .hidden = st->hidden,
        .expanded = st->expanded,
    };
}

bool overview_line_expanded(const struct view_state *st)
{
    return st->expanded > BOX_CPUS && st->expanded <= BOX_TOPDOWN + 1;
}

void overview_expanded(struct canvas *c, const struct overview_layout *l,
                       const struct overview_content *k, const struct model *m)
{
    int box = k->facts.expanded - 1;
    static const char *const titles[] = {[BOX_CPUS] = "cpus",
                                         [BOX_IO] = "memory, network, disks",
                                         [BOX_METRICS] = "key numbers",
                                         [BOX_TOPDOWN] = "top-down"};
    struct rect r = l->topdown;
    if (box == BOX_CPUS)
        r = l->cpus;
    else if (box == BOX_IO)
        r = l->io;
    else if (box == BOX_METRICS)
        r = l->metrics;
    struct rect in = {r.x + 1, r.y + 1, r.w - 2, r.h - 2};
    if (r.h < 3 || r.w < 4)
        return;
    overview_box(c, r, STYLE_BOX_CPU, box, titles[box], "Esc back");
    if (box == BOX_CPUS)
        overview_cpus(c, in, m->snap, true, true);
    else if (box == BOX_IO)
        overview_io_tall(c, in, m);
    else if (box == BOX_METRICS)
        overview_numbers_tall(c, in, k->key, k->nkey, m);
    else if (k->facts.topdown)
        overview_topdown_tall(c, in, k->td, k->ntd, m->snap);
    else
        overview_reason(c, (struct rect){in.x, in.y, in.w, 1}, m->snap);
}

void overview_lines(struct canvas *c, const struct overview_layout *l,
                    const struct overview_content *k, const struct model *m)
{
    overview_numbers(c, l->metrics, k->key, k->nkey, m);
    if (l->topdown.h && k->facts.topdown)
        overview_topdown(c, l->topdown, k->td, k->ntd);
    else if (l->topdown.h && k->facts.notice)
        overview_reason(c, l->topdown, m->snap);
}

/* Where a part of the host is watched, the key numbers are of the part, and its own view has them:
 * among the numbers of the host they would be taken for the host's. */
static void leave_out_part(const struct model *m, const struct view_state *st,
                           struct overview_content *k)
{
    if (!m->snap || m->snap->target_kind == TARGET_HOST || st->expanded)
        return;
    k->nkey = 0;
    k->facts.hidden |= 1u << BOX_METRICS;
    k->facts.topdown = k->facts.notice = false;
}

static void draw_overview(struct canvas *c, struct rect area, const struct model *m,
                          struct view_state *st)
{
    struct overview_state *own = st->own;
    struct overview_content k;
    struct overview_layout l;
    overview_choose_content(m, st, area, &k);
    leave_out_part(m, st, &k);
    layout_overview(area, &k.facts, &l);
    if (l.host.h)
        host_line(c, l.host, m->snap);
    overview_graphs(c, &l, m);
    if (overview_line_expanded(st)) {
        overview_expanded(c, &l, &k, m);
    } else {
        const bool memory = l.graph[BOX_MEMORY].h == 0;
        overview_cpus(c, l.cpus, m->snap, false, memory && l.io.h == 0);
        overview_io(c, l.io, m, memory);
        overview_lines(c, &l, &k, m);
    }
    overview_bricks(&own->bricks, c, l.bricks, m->snap);
    overview_gpus(c, l.gpus, m);
    overview_processes(c, l.procs, m, st, overview_procs_of(st));
}

static enum view_result act_in_overview(enum action a, const struct model *m, struct view_state *st)
{
    return procs_act(a, m, st, overview_procs_of(st));
}

static bool overview_takes(enum action a, const struct model *m, const struct view_state *st)
{
    (void)m;
    return procs_take(a, overview_procs_of(st));
}

static bool overview_menu(const struct model *m, const struct view_state *st, const char *key,
                          struct menu *out)
{
    return procs_menu(m, st, overview_procs_of(st), key, out);
}

static void free_overview(void *own)
{
    struct overview_state *o = own;
    procs_free(&o->procs);
    arena_free(&o->bricks.memory);
}

const struct view_ops view_overview = {
    .name = "overview",
    .title = "overview",
    .select = ACTION_VIEW_OVERVIEW,
    .contexts = CONTEXT_LIST | CONTEXT_PROCS,
    .own_size = sizeof(struct overview_state),
    .end = free_overview,
    .draw = draw_overview,
    .act = act_in_overview,
    .takes = overview_takes,
    .procs = overview_procs_of,
    .menu = overview_menu,
    .boxes = overview_boxes,
    .fields = procs_fields,
};
