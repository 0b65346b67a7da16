/* The list of signals, to send one to the process under the cursor. */
#include <stdio.h>

#include "engine/live/signals.h"
#include "tui/app/app_control.h"
#include "tui/app/app_state.h"
#include "tui/overlays/confirm.h"
#include "tui/views/procs/procs.h"
#include "tui/widgets/table.h"

enum { WIDTH = 76 };

static const struct column columns[] = {{"NO", 3, false, true, 0},
                                        {"SIGNAL", 8, false, false, 0},
                                        {"WHAT IT DOES", 20, true, false, 0}};

static size_t count_signals(void)
{
    size_t n = 0;
    while (signal_table[n].name)
        n++;
    return n;
}

static void signal_cell(const void *ctx, size_t row, int col, char text[TABLE_CELL_MAX],
                        struct style *st)
{
    const struct signal_info *s = &signal_table[row];
    (void)ctx;
    if (col == 0)
        snprintf(text, TABLE_CELL_MAX, "%d", s->number);
    else
        snprintf(text, TABLE_CELL_MAX, "%s", col == 1 ? s->name : s->what);
    *st = STYLE(col == 1 ? STYLE_HOT : STYLE_DIM);
}

static void key_of(const void *ctx, size_t row, char key[VIEW_TEXT_MAX])
{
    (void)ctx;
    snprintf(key, VIEW_TEXT_MAX, "%s", signal_table[row].name);
}

static size_t count_tagged(const struct app *a)
{
    const struct proc *p[APP_CONTROL_MAX];
    return procs_tagged(a->model.snap, app_procs(a, a->view), p, APP_CONTROL_MAX);
}

static void signals_opened(struct app *a)
{
    struct view_state *st = &a->state[a->view];
    if (!st->selected_key[0] && !count_tagged(a)) { /* before the first sample, or all filtered */
        overlay_close(a);
        app_message(a, true, "no process is under the cursor");
        return;
    }
    st->follow = true; /* the cursor stays on this process if its row moves */
    snprintf(a->overlay_key, sizeof a->overlay_key, "%s", st->selected_key);
}

/* Closes the list, and asks whether the selected signal shall be sent. */
static unsigned ask_for_selected(struct app *a)
{
    struct error err = ERROR_INIT;
    char text[640];
    int row = a->overlay_state.selected;
    const struct proc *p = procs_find(a->model.snap, a->overlay_key);
    overlay_close(a);
    if (!p && !count_tagged(a)) {
        app_message(a, true, "it has ended");
        return APP_REDRAW;
    }
    unsigned asked =
        app_control_signal(a, signal_table[row].number, p && !count_tagged(a) ? p->pid : 0, &err);
    if (err.kind != ERROR_NONE)
        app_message(a, true, error_format(&err, text, sizeof text));
    return asked | APP_REDRAW;
}

static unsigned act_in_signals(struct app *a, enum action action)
{
    if (action == ACTION_MENU)
        return ask_for_selected(a);
    return table_act(action, &a->overlay_state) ? APP_REDRAW : 0;
}

/* y is the answer to the question that Enter asks: the title already says who gets which signal. */
static unsigned key_in_signals(struct app *a, const struct key_event *ev)
{
    if (ev->key != 'y')
        return 0;
    unsigned asked = ask_for_selected(a);
    return a->overlay == &overlay_confirm ? confirm_accept(a) : asked;
}

static void draw_signals(struct app *a, struct canvas *c, struct rect area)
{
    const struct proc *p = procs_find(a->model.snap, a->overlay_key);
    char title[96] = "signal: it has ended";
    int w = area.w < WIDTH ? area.w : WIDTH, h = (int)count_signals() + 3;
    h = h > area.h ? area.h : h;
    struct rect box = {area.x + (area.w - w) / 2, area.y + (area.h - h) / 2, w, h};
    const struct table t = {.columns = columns,
                            .ncolumns = 3,
                            .nrows = count_signals(),
                            .sort = -1,
                            .cell = signal_cell,
                            .key = key_of};
    if (count_tagged(a))
        snprintf(title, sizeof title, "signal to %zu tagged processes", count_tagged(a));
    else if (p)
        snprintf(title, sizeof title, "signal to %d %.40s", p->pid, p->comm);
    canvas_zone(c, area, ACTION_BACK, 0);
    canvas_zone(c, box, ACTION_NONE, 0);
    canvas_fill(c, box, ' ', STYLE(STYLE_TEXT));
    canvas_box(c, box, STYLE(STYLE_BOX_PROC), title, "Enter asks, y sends");
    table_draw(c, (struct rect){box.x + 1, box.y + 1, box.w - 2, box.h - 2}, &t, &a->overlay_state);
}

const struct overlay_ops overlay_signals = {.name = "signals",
                                            .toggle = ACTION_SIGNAL,
                                            .opened = signals_opened,
                                            .draw = draw_signals,
                                            .key = key_in_signals,
                                            .act = act_in_signals};
