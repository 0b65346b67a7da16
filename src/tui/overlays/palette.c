/* The command line: typed text, a list of matches, completion with Tab. */
#include "tui/overlays/palette.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "tui/app/app_state.h"
#include "tui/app/commands.h"
#include "tui/input/typed_lines.h"
#include "tui/input/fuzzy.h"
#include "tui/model/permit.h"
#include "tui/overlays/overlays_impl.h"

enum { MATCHES_MAX = 256, ROWS = 12, NAME_W = 22, KEYS_W = 12 };
enum { CTRL_C = 3, CTRL_N = 14, CTRL_P = 16 };

struct palette_match {
    int score;
    size_t index;                            /* index of the candidate */
    enum action action;                      /* the action, if the command is one */
    const char *args;                        /* the arguments of a command; NULL = none */
    char text[CANDIDATE_TEXT_MAX], note[96]; /* as in struct candidate */
};

struct palette {
    struct line_edit line;
    struct palette_match matches[MATCHES_MAX]; /* the best match first */
    int n;
    bool moved; /* the user moved in the list */
    bool args;  /* the list has arguments; otherwise commands */
    int recall; /* how many of the typed lines back; -1 = none of them */
    char typed[LINE_EDIT_MAX], error[640];
};

/* --- the list --- */

static int by_score(const void *x, const void *y)
{
    const struct palette_match *p = x, *q = y;
    if (p->score != q->score)
        return p->score > q->score ? -1 : 1;
    return p->index < q->index ? -1 : p->index > q->index;
}

static void offer_match(struct palette *p, const struct palette_match *m)
{
    if (p->n < MATCHES_MAX) {
        p->matches[p->n++] = *m;
        return;
    }
    int worst = 0; /* the list is full: the new match replaces the worst */
    for (int i = 1; i < p->n; i++)
        if (by_score(&p->matches[i], &p->matches[worst]) > 0)
            worst = i;
    if (by_score(m, &p->matches[worst]) < 0)
        p->matches[worst] = *m;
}

/* Scores a match: the name counts most, the description less. */
static int score_of(const char *typed, const char *name, const char *note)
{
    int score = fuzzy_score(typed, name);
    if (score < 0 && strlen(typed) > 2 && strcasestr(note, typed))
        score = 0;
    return score;
}

static void match_commands(struct palette *p, const char *typed)
{
    size_t index = 0;
    for (const struct palette_command *k = command_table; k->name; k++, index++) {
        struct palette_match m = {.index = index, .action = k->action, .args = k->args};
        snprintf(m.text, sizeof m.text, "%s", k->name);
        snprintf(m.note, sizeof m.note, "%s", k->help);
        m.score = score_of(typed, k->name, k->help);
        if (m.score >= 0)
            offer_match(p, &m);
    }
    for (int i = 1; i < ACTION_COUNT; i++, index++) {
        const struct action_info *info = &action_table[i];
        struct palette_match m = {.index = index, .action = (enum action)i};
        /* it is for the mouse only, or the table of commands has it already */
        if (info->contexts == CONTEXT_MOUSE || command_find(info->name))
            continue;
        snprintf(m.text, sizeof m.text, "%s", info->name);
        snprintf(m.note, sizeof m.note, "%s", info->help);
        m.score = score_of(typed, info->name, info->help);
        if (m.score >= 0)
            offer_match(p, &m);
    }
}

/* Where the last word begins, which is completed. The words before it decide what it can be. */
static size_t last_word(const char *line)
{
    const char *space = strrchr(line, ' ');
    return space ? (size_t)(space - line) + 1 : 0;
}

static void match_arguments(const struct app *a, struct palette *p)
{
    const char *line = p->line.text;
    size_t name = strcspn(line, " "), word = last_word(line);
    char command[64], before[LINE_EDIT_MAX];
    snprintf(command, sizeof command, "%.*s", (int)name, line);
    const struct palette_command *k = command_find(command);
    size_t args = name + strspn(line + name, " ");
    snprintf(before, sizeof before, "%.*s", word > args ? (int)(word - args) : 0, line + args);
    if (!k || !k->complete)
        return;
    struct candidates all = {0};
    k->complete(a, before, &all);
    for (size_t i = 0; i < all.n; i++) {
        struct palette_match m = {
            .index = i, .score = score_of(line + word, all.rows[i].text, all.rows[i].note)};
        memcpy(m.text, all.rows[i].text, sizeof m.text);
        memcpy(m.note, all.rows[i].note, sizeof m.note);
        if (m.score >= 0)
            offer_match(p, &m);
    }
    free(all.rows);
}

static void refresh_matches(struct app *a)
{
    struct palette *p = a->palette;
    p->n = 0;
    p->moved = false;
    p->args = strchr(p->line.text, ' ') != NULL;
    if (p->args)
        match_arguments(a, p);
    else
        match_commands(p, p->line.text);
    qsort(p->matches, (size_t)p->n, sizeof *p->matches, by_score);
    a->overlay_state.selected = a->overlay_state.scroll = 0;
    a->overlay_state.rows = p->n;
}

/* --- keys --- */

static void palette_opened(struct app *a)
{
    a->palette = xcalloc(1, sizeof *a->palette);
    a->palette->recall = -1;
    if (!a->commands) {
        a->commands = typed_lines_new();
        if (a->state_dir[0])
            typed_lines_load(a->commands, a->state_dir);
    }
    refresh_matches(a);
}

static void palette_closed(struct app *a)
{
    free(a->palette);
    a->palette = NULL;
}

void palette_open(struct app *a, const char *text)
{
    overlay_open(a, &overlay_palette, "");
    line_edit_set(&a->palette->line, text);
    refresh_matches(a);
}

/* Replaces the typed word by the chosen name. */
static void complete_word(struct app *a)
{
    struct palette *p = a->palette;
    char line[LINE_EDIT_MAX + CANDIDATE_TEXT_MAX + 8];
    if (p->n == 0)
        return;
    const struct palette_match *m = &p->matches[a->overlay_state.selected];
    snprintf(line, sizeof line, "%.*s%s%s", (int)last_word(p->line.text), p->line.text, m->text,
             m->args ? " " : "");
    if (strlen(line) < sizeof p->line.text)
        line_edit_set(&p->line, line);
    refresh_matches(a);
}

/*
 * The row that Enter runs: one that the user chose, or the only one whose name begins with the
 * typed word. A command that only resembles it is offered but never run. -1: none.
 */
static int find_taken_match(const struct app *a)
{
    const struct palette *p = a->palette;
    int only = -1;
    if (p->moved)
        return p->n ? a->overlay_state.selected : -1;
    for (int i = 0; i < p->n && !p->args; i++) {
        if (strcasecmp(p->matches[i].text, p->line.text) == 0)
            return i;
        if (strncasecmp(p->matches[i].text, p->line.text, strlen(p->line.text)) != 0)
            continue;
        if (only >= 0)
            return -1;
        only = i;
    }
    return only;
}

static unsigned run_selected(struct app *a)
{
    struct palette *p = a->palette;
    struct error err = ERROR_INIT;
    char line[LINE_EDIT_MAX];
    if (!p->line.text[0] && !p->moved) {
        overlay_close(a);
        return APP_REDRAW;
    }
    int take = find_taken_match(a);
    if (take >= 0) {
        const struct palette_match *m = &p->matches[take];
        bool wants = m->args && m->action == ACTION_NONE;
        a->overlay_state.selected = take;
        complete_word(a);
        if (wants) /* the line is now "view ", and its argument must follow */
            return APP_REDRAW;
    }
    snprintf(line, sizeof line, "%s", p->line.text);
    overlay_close(a);
    typed_lines_add(a->commands, line);
    if (a->state_dir[0] && !a->model.readonly)
        typed_lines_save(a->commands, a->state_dir);
    unsigned asked = app_command(a, line, &err);
    /* the error is shown at the line, where the user can correct it */
    if (err.kind != ERROR_NONE) {
        palette_open(a, line);
        error_format(&err, a->palette->error, sizeof a->palette->error);
    }
    return asked | APP_REDRAW;
}

static void recall_command(struct app *a, int step)
{
    struct palette *p = a->palette;
    int to = p->recall + step, n = (int)typed_lines_len(a->commands);
    if (to < -1 || to >= n)
        return;
    if (p->recall < 0)
        memcpy(p->typed, p->line.text, sizeof p->typed);
    p->recall = to;
    line_edit_set(&p->line, to < 0 ? p->typed : typed_lines_get(a->commands, (size_t)to));
    refresh_matches(a);
}

static void step_selection(struct app *a, int by)
{
    struct view_state *st = &a->overlay_state;
    if (st->rows == 0)
        return;
    st->selected = (st->selected + by + st->rows) % st->rows;
    a->palette->moved = true;
}

static unsigned palette_key(struct app *a, const struct key_event *ev)
{
    struct palette *p = a->palette;
    if (ev->key == KEY_MOUSE_)
        return 0;
    p->error[0] = '\0';
    switch (ev->key) {
    case KEY_ESCAPE:
        overlay_close(a);
        return APP_REDRAW;
    case CTRL_C:
        return app_quit(a);
    case KEY_ENTER_:
    case '\n':
        return run_selected(a);
    case KEY_TAB:
        complete_word(a);
        return APP_REDRAW;
    case KEY_UP_:
    case KEY_BACKTAB:
        step_selection(a, -1);
        return APP_REDRAW;
    case KEY_DOWN_:
        step_selection(a, 1);
        return APP_REDRAW;
    case CTRL_P:
        recall_command(a, 1);
        return APP_REDRAW;
    case CTRL_N:
        recall_command(a, -1);
        return APP_REDRAW;
    case KEY_BACKSPACE_:
        if (!p->line.text[0]) { /* nothing is left to delete */
            overlay_close(a);
            return APP_REDRAW;
        }
        break;
    default:
        break;
    }
    if (line_edit_key(&p->line, ev->key) == LINE_EDIT_CHANGED) {
        p->recall = -1;
        refresh_matches(a);
    }
    return APP_REDRAW; /* a key of the line has no other effect */
}

/* Mouse: a click on a row chooses it, the wheel moves in the list. */
static unsigned act_in_palette(struct app *a, enum action action)
{
    switch (action) {
    case ACTION_MENU:
        a->palette->moved = true;
        return run_selected(a);
    case ACTION_UP:
    case ACTION_DOWN:
        step_selection(a, action == ACTION_UP ? -1 : 1);
        return APP_REDRAW;
    default:
        return 0;
    }
}

/* --- drawing --- */

static void draw_match(struct canvas *c, struct rect r, const struct palette_match *m,
                       const char *refused, bool selected)
{
    char name[128], keys[64];
    snprintf(name, sizeof name, "%s%s%s", m->text, m->args ? " " : "", m->args ? m->args : "");
    int w = text_width(name) > NAME_W ? text_width(name) : NAME_W, end = r.x + r.w - 1;
    int keys_w = r.w >= 70 ? KEYS_W : 0;
    canvas_text(c, r.x + 1, r.y, end - r.x - 1, name, STYLE(refused ? STYLE_DIM : STYLE_TITLE));
    canvas_text(c, r.x + 3 + w, r.y, end - keys_w - r.x - 3 - w, refused ? refused : m->note,
                STYLE(refused ? STYLE_WARN : STYLE_DIM));
    if (keys_w && m->action != ACTION_NONE)
        canvas_text_right(c, end - keys_w + 1, r.y, keys_w - 1, help_keys(m->action, keys),
                          STYLE(STYLE_HOT));
    if (selected)
        canvas_restyle(c, r, STYLE(STYLE_SELECTED));
}

/* Draws the error, or a hint of what can be typed. */
static void draw_hint(struct canvas *c, struct rect r, const struct palette *p)
{
    const struct palette_command *k = NULL;
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(p->line.text, " "), p->line.text);
    k = command_find(name);
    if (p->error[0])
        canvas_text(c, r.x, r.y, r.w, p->error, STYLE(STYLE_CRIT));
    else if (k)
        canvas_printf(c, r.x, r.y, r.w, STYLE(STYLE_DIM), "%s %s  %s", k->name,
                      k->args ? k->args : "", k->help);
    else
        canvas_text(c, r.x, r.y, r.w, p->n ? "" : "no command fits", STYLE(STYLE_WARN));
}

static void draw_palette(struct app *a, struct canvas *c, struct rect area)
{
    struct palette *p = a->palette;
    struct view_state *st = &a->overlay_state;
    int rows = area.h - 4 < ROWS ? area.h - 4 : ROWS;
    int w = area.w < 100 ? area.w : 100;
    rows = rows < 1 ? 1 : rows;
    struct rect box = {area.x + (area.w - w) / 2, area.y, w, rows + 4};
    canvas_zone(c, area, ACTION_BACK, 0);
    canvas_zone(c, box, ACTION_NONE, 0);
    canvas_fill(c, box, ' ', STYLE(STYLE_TEXT));
    canvas_box(c, box, STYLE(STYLE_BOX_CPU), "command", NULL);
    canvas_put(c, box.x + 2, box.y + 1, ':', STYLE(STYLE_HOT));
    line_edit_draw(c, box.x + 3, box.y + 1, box.w - 5, &p->line, STYLE(STYLE_TITLE));
    draw_hint(c, (struct rect){box.x + 2, box.y + 2, box.w - 4, 1}, p);
    if (st->scroll > st->selected)
        st->scroll = st->selected;
    if (st->selected >= st->scroll + rows)
        st->scroll = st->selected - rows + 1;
    st->list = (struct rect){box.x + 1, box.y + 3, box.w - 2, rows};
    st->page = rows;
    int take = find_taken_match(a);
    for (int i = 0; i < rows && st->scroll + i < p->n; i++)
        draw_match(c, (struct rect){box.x + 1, box.y + 3 + i, box.w - 2, 1},
                   &p->matches[st->scroll + i],
                   permit_refused(&a->model, p->matches[st->scroll + i].action),
                   st->scroll + i == (p->args && !p->moved ? st->selected : take));
    const char *hint = " Tab complete  Enter do  ^P history  Esc close ";
    if (box.w > text_width(hint) + 16)
        canvas_text(c, box.x + box.w - text_width(hint) - 2, box.y + box.h - 1, box.w, hint,
                    STYLE(STYLE_DIM));
    if (p->n > rows)
        canvas_printf(c, box.x + 3, box.y + box.h - 1, 14, STYLE(STYLE_DIM), " %d of %d ",
                      st->selected + 1, p->n);
}

const struct overlay_ops overlay_palette = {
    .name = "command",
    .toggle = ACTION_PALETTE,
    .click_runs = true,
    .opened = palette_opened,
    .closed = palette_closed,
    .draw = draw_palette,
    .act = act_in_palette,
    .key = palette_key,
};
