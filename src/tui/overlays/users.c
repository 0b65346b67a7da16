/*
 * The list of users who have processes: the chosen one's are shown alone. The cursor begins at the
 * user of the selected process; typed letters narrow the list to names that begin so.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/app/app_state.h"
#include "tui/app/commands.h"
#include "tui/views/procs/procs.h"
#include "tui/widgets/table.h"

enum { WIDTH = 52, LEAST_ROWS = 3, NAME_MAX_BYTES = 64 };

static const struct column columns[] = {{"USER", 20, true, false, 0},
                                        {"PROCESSES", 9, false, true, 0}};

struct user_row {
    char name[NAME_MAX_BYTES]; /* "": all users */
    size_t processes;
};

struct users {             /* a->overlay_own */
    struct user_row *rows; /* all users first, then by name */
    size_t n;
    size_t first, count; /* the rows that are shown: names that begin with what is typed */
    char typed[NAME_MAX_BYTES];
};

static int compare_users(const void *a, const void *b)
{
    return strcmp(((const struct user_row *)a)->name, ((const struct user_row *)b)->name);
}

static void narrow_users(struct app *a)
{
    struct users *u = a->overlay_own;
    const size_t typed = strlen(u->typed);
    u->first = u->count = 0;
    for (size_t i = 0; i < u->n; i++)
        if (strncmp(u->rows[i].name, u->typed, typed) == 0 && u->count++ == 0)
            u->first = i;
    a->overlay_state.selected = 0;
    a->overlay_state.selected_key[0] = '\0';
}

/* Makes one row of the rows of each name, which stand together. */
static void merge_users(struct users *u)
{
    size_t n = 0;
    for (size_t i = 0; i < u->n; i++)
        if (n && strcmp(u->rows[n - 1].name, u->rows[i].name) == 0)
            u->rows[n - 1].processes += u->rows[i].processes;
        else
            u->rows[n++] = u->rows[i];
    u->n = n;
}

static void list_users(struct app *a)
{
    struct users *u = a->overlay_own;
    const struct snapshot *s = a->model.snap;
    const size_t processes = s ? s->nprocs : 0;
    const struct proc *selected = procs_find(s, a->state[a->view].selected_key);
    const struct procs_state *ps = app_procs(a, a->view);
    free(u->rows);
    u->rows = xcalloc(processes + 1, sizeof *u->rows);
    u->n = 1;
    for (size_t i = 0; i < processes; i++) {
        if (s->procs[i].kernel_thread && !(ps && ps->kernel))
            continue;
        u->rows[0].processes++;
        u->rows[u->n].processes = 1;
        snprintf(u->rows[u->n++].name, NAME_MAX_BYTES, "%s", s->procs[i].user);
    }
    qsort(u->rows, u->n, sizeof *u->rows, compare_users);
    merge_users(u);
    narrow_users(a);
    for (size_t i = 1; selected && !*u->typed && i < u->n; i++)
        if (strcmp(u->rows[i].name, selected->user) == 0)
            a->overlay_state.selected = (int)i;
}

static void users_closed(struct app *a)
{
    free(((struct users *)a->overlay_own)->rows);
}

static unsigned choose_user(struct app *a)
{
    const struct users *u = a->overlay_own;
    struct error err = ERROR_INIT;
    const size_t row = u->first + (size_t)a->overlay_state.selected;
    if (!u->count)
        return APP_REDRAW;
    a->menu.n = 0;
    menu_filter(&a->menu, 'u', "user", u->rows[row].name, "%s", "");
    const bool all = !*u->rows[row].name;
    overlay_close(a);
    if (!all)
        return app_command_or_ask(a, a->menu.entries[0].command) | APP_REDRAW;
    app_set_filter(a, "", &err);
    return APP_REDRAW;
}

static unsigned act_in_users(struct app *a, enum action action)
{
    if (action == ACTION_MENU)
        return choose_user(a);
    return table_act(action, &a->overlay_state) ? APP_REDRAW : 0;
}

static unsigned key_in_users(struct app *a, const struct key_event *ev)
{
    struct users *u = a->overlay_own;
    const size_t n = strlen(u->typed);
    const bool letter = ev->key > ' ' && ev->key < 0x7f;
    if ((ev->key == KEY_BACKSPACE_ || ev->key == 8) && n)
        u->typed[n - 1] = '\0';
    else if (letter && n + 1 < sizeof u->typed && (n || ev->key != 'q')) /* q closes */
        u->typed[n] = (char)ev->key;
    else
        return 0;
    narrow_users(a);
    return APP_REDRAW;
}

static void user_cell(const void *ctx, size_t row, int col, char text[TABLE_CELL_MAX],
                      struct style *st)
{
    const struct users *u = ctx;
    const struct user_row *r = &u->rows[u->first + row];
    if (col == 0)
        snprintf(text, TABLE_CELL_MAX, "%s", *r->name ? r->name : "all users");
    else
        snprintf(text, TABLE_CELL_MAX, "%zu", r->processes);
    *st = STYLE(col == 0 ? STYLE_TEXT : STYLE_DIM);
}

static void key_of_user(const void *ctx, size_t row, char key[VIEW_TEXT_MAX])
{
    const struct users *u = ctx;
    snprintf(key, VIEW_TEXT_MAX, "%s", u->rows[u->first + row].name);
}

static void draw_users(struct app *a, struct canvas *c, struct rect area)
{
    const struct users *u = a->overlay_own;
    char title[96];
    if (u->n < 2 && a->model.snap) /* opened before the first sample */
        list_users(a);
    int w = area.w < WIDTH ? area.w : WIDTH;
    int h = (int)(u->n > LEAST_ROWS ? u->n : LEAST_ROWS) + 3;
    h = h > area.h ? area.h : h;
    struct rect box = {area.x + (area.w - w) / 2, area.y + (area.h - h) / 2, w, h};
    const struct table t = {.columns = columns,
                            .ncolumns = 2,
                            .ctx = u,
                            .nrows = u->count,
                            .sort = -1,
                            .cell = user_cell,
                            .key = key_of_user};
    snprintf(title, sizeof title, u->typed[0] ? "processes of: %.60s" : "processes of", u->typed);
    canvas_zone(c, area, ACTION_BACK, 0);
    canvas_zone(c, box, ACTION_NONE, 0);
    canvas_fill(c, box, ' ', STYLE(STYLE_TEXT));
    canvas_box(c, box, STYLE(STYLE_BOX_PROC), title, "letters narrow, Enter shows");
    table_draw(c, (struct rect){box.x + 1, box.y + 1, box.w - 2, box.h - 2}, &t, &a->overlay_state);
    if (!u->count)
        canvas_text(c, box.x + 2, box.y + 2, box.w - 4, "no user with processes begins so",
                    STYLE(STYLE_DIM));
}

const struct overlay_ops overlay_users = {.name = "users",
                                          .toggle = ACTION_USERS,
                                          .own_size = sizeof(struct users),
                                          .opened = list_users,
                                          .closed = users_closed,
                                          .draw = draw_users,
                                          .key = key_in_users,
                                          .act = act_in_users};
