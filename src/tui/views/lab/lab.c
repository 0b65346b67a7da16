/* The lab: predictions for the vTPU's streams beside what this CPU did, and the gates. */
#include <stdio.h>
#include <string.h>

#include "engine/lab/lab_child.h"
#include "export/lab/lab_table.h"
#include "tui/model/view.h"
#include "tui/widgets/wrap.h"

enum { NAME_CELLS = 18, INTERPRETED = 8 };

struct lab_state {           /* view_state.own */
    struct lab_child *child; /* the process that measures now; NULL: none */
    struct lab_report kept;  /* of the last run that ended */
    bool measured;           /* there is one */
    char failed[256];        /* why the last run did not measure everything; "": it did */
};

/* The report of the run that measures now, or of the last one; NULL: nothing was measured. */
static const struct lab_report *lab_report_shown(const struct lab_state *own)
{
    if (own->child)
        return lab_child_report(own->child);
    return own->measured ? &own->kept : NULL;
}

static bool lab_available(const struct model *m, const struct view_state *st)
{
    const struct lab_state *own = st->own;
    (void)m;
    return own->child || own->measured || own->failed[0];
}

static struct style verdict_style(enum lab_verdict v)
{
    static const enum style_role roles[] = {STYLE_DIM, STYLE_OK, STYLE_WARN, STYLE_CRIT};
    return STYLE(roles[v]);
}

/* Draws how far the run is, and what the numbers are based on. Returns the number of rows. */
static int draw_lab_head(struct canvas *c, struct rect r, const struct lab_state *own)
{
    char clock[LAB_CELL];
    const struct lab_report *report = lab_report_shown(own);
    int y = r.y;
    if (own->child)
        canvas_printf(c, r.x, y++, r.w, STYLE(STYLE_BANNER), "measuring: %zu of %zu", report->n,
                      vtpu_nworkloads * (*report->target ? 2 : 1));
    else if (own->failed[0])
        canvas_printf(c, r.x, y++, r.w, STYLE(STYLE_CRIT), "not complete: %s", own->failed);
    if (!report || report->n == 0)
        return y - r.y;
    canvas_printf(c, r.x, y++, r.w, STYLE(STYLE_TEXT), "core clock %s; compiled: %s",
                  lab_clock_text(report, clock), *report->target ? report->target : "n/a");
    if (*report->no_counters)
        canvas_printf(c, r.x, y++, r.w, STYLE(STYLE_DIM), "cycles: time x clock; counters n/a: %s",
                      report->no_counters);
    return y - r.y;
}

/* Draws the cells of a row, or the heads (row NULL), as far as they fit. */
static void draw_cells(struct canvas *c, int x, int end, int y, const struct lab_row *row)
{
    char cell[LAB_CELL];
    for (const struct lab_column *k = lab_columns; k->head && x + k->width < end; k++) {
        x += k->width + 1;
        canvas_text_right(c, x - k->width, y, k->width, row ? lab_cell(row, k, cell) : k->head,
                          STYLE(row ? STYLE_TEXT : STYLE_HEADING));
    }
}

/* One row for each workload: what the interpreter did, then all columns of the compiled path. */
static int draw_table(struct canvas *c, struct rect r, const struct lab_report *report)
{
    char cell[LAB_CELL];
    int y = r.y, x = r.x + NAME_CELLS + INTERPRETED, bottom = r.y + r.h;
    const struct lab_column *ops = &lab_columns[2];
    enum lab_path path = *report->target ? LAB_COMPILED : LAB_INTERPRETER;
    canvas_text(c, r.x, y, NAME_CELLS, "ops a cycle", STYLE(STYLE_HEADING));
    canvas_text_right(c, r.x + NAME_CELLS, y, INTERPRETED, "interp.", STYLE(STYLE_HEADING));
    draw_cells(c, x, r.x + r.w, y++, NULL);
    for (size_t i = 0; i < vtpu_nworkloads && y < bottom; i++) {
        const char *name = vtpu_workloads[i].name;
        const struct lab_row *interpreted = lab_report_find(report, name, LAB_INTERPRETER);
        const struct lab_row *row = lab_report_find(report, name, path);
        if (!interpreted)
            continue;
        canvas_text(c, r.x, y, NAME_CELLS, name, STYLE(STYLE_TEXT));
        canvas_text_right(c, r.x + NAME_CELLS, y, INTERPRETED, lab_cell(interpreted, ops, cell),
                          STYLE(STYLE_TEXT));
        if (row)
            draw_cells(c, x, r.x + r.w, y, row);
        y++;
    }
    return y - r.y;
}

static int draw_gates(struct canvas *c, struct rect r, const struct lab_report *report)
{
    struct lab_gate_result gates[LAB_GATES];
    char line[LAB_LINE];
    int n = r.h < LAB_GATES ? r.h : LAB_GATES;
    lab_gates(report, gates);
    for (int i = 0; i < n; i++)
        canvas_text_ends(c, r.x, r.y + i, r.w, lab_gate_text(&gates[i], line),
                         verdict_style(gates[i].verdict));
    return n;
}

static const char absent[] = "Nothing was measured yet. R runs streams of operations on this CPU, "
                             "interpreted and compiled, and compares them "
                             "with a model's prediction; it takes 3 seconds.";

static void draw_lab(struct canvas *c, struct rect area, const struct model *m,
                     struct view_state *st)
{
    const struct lab_report *report = lab_report_shown(st->own);
    struct rect r = {area.x + 2, area.y + 1, area.w - 4, area.h - 2};
    st->rows = st->page = 0;
    st->list = (struct rect){0};
    canvas_box(c, area, STYLE(STYLE_BOX_CPU), "lab: prediction and hardware", NULL);
    if (!lab_available(m, st))
        wrap_draw(c, r, absent, STYLE(STYLE_TITLE));
    int used = draw_lab_head(c, r, st->own);
    if (!report || report->n == 0)
        return;
    r.y += used;
    r.h -= used;
    used = draw_gates(c, r, report) + 1;
    r.y += used;
    r.h -= used;
    if (r.h > 0)
        draw_table(c, r, report);
}

/* --- the run --- */

static void free_lab(void *own)
{
    lab_child_free(((struct lab_state *)own)->child);
}

/* Keeps what was measured, even if the run did not complete. */
static void end_run(struct lab_state *own)
{
    lab_report_copy(&own->kept, lab_child_report(own->child));
    own->measured = true;
    lab_child_free(own->child);
    own->child = NULL;
}

static void start_run(struct view_state *st)
{
    struct lab_state *own = st->own;
    struct error err = ERROR_INIT;
    if (own->child) {
        st->host->say(st->host->app, true, "the lab measures already: x cancels it");
        return;
    }
    own->failed[0] = '\0';
    if (lab_child_start(&own->child, NULL, &err)) {
        own->child = NULL;
        st->host->say(st->host->app, true, error_format(&err, own->failed, sizeof own->failed));
    }
}

static void cancel_run(struct view_state *st)
{
    struct lab_state *own = st->own;
    if (!own->child) {
        st->host->say(st->host->app, true, "nothing is measured now");
        return;
    }
    end_run(own);
    snprintf(own->failed, sizeof own->failed, "cancelled");
}

static int lab_fd(const void *own)
{
    const struct lab_child *child = ((const struct lab_state *)own)->child;
    return child ? lab_child_fd(child) : -1;
}

static bool poll_lab(struct view_state *st)
{
    struct lab_state *own = st->own;
    struct error err = ERROR_INIT;
    if (!own->child || !lab_child_poll(own->child))
        return false;
    if (!lab_child_done(own->child))
        return true;
    if (lab_child_result(own->child, &err))
        error_format(&err, own->failed, sizeof own->failed);
    end_run(own);
    return true;
}

static enum view_result act_in_lab(enum action a, const struct model *m, struct view_state *st)
{
    (void)m;
    if (a == ACTION_LAB_RUN)
        start_run(st);
    else if (a == ACTION_LAB_CANCEL)
        cancel_run(st);
    else
        return VIEW_IGNORED;
    return VIEW_HANDLED;
}

static bool lab_takes(enum action a, const struct model *m, const struct view_state *st)
{
    const struct lab_state *own = st->own;
    (void)m;
    return (a == ACTION_LAB_CANCEL) == (own->child != NULL);
}

const struct view_ops view_lab = {
    .own_size = sizeof(struct lab_state),
    .end = free_lab,
    .fd = lab_fd,
    .poll = poll_lab,
    .name = "lab",
    .title = "lab",
    .select = ACTION_VIEW_LAB,
    .contexts = CONTEXTS_LAB,
    .available = lab_available,
    .draw = draw_lab,
    .act = act_in_lab,
    .takes = lab_takes,
};
