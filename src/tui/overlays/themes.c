/*
 * The picker of themes: the cursor previews a theme, Enter uses it, Esc returns to the previous
 * one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/app/app_state.h"
#include "tui/canvas/theme.h"
#include "tui/overlays/overlays_impl.h"
#include "tui/widgets/table.h"

enum { LIST_W = 78, SAMPLE_ROWS = 2, ABOUT_MAX = 80 };

struct picker {       /* a->overlay_own */
    char before[192]; /* the theme before the picker was opened */
    char typed[VIEW_TEXT_MAX];
    char (*about)[ABOUT_MAX]; /* the description of each theme */
};

static size_t shown_themes(const struct app *a, size_t *list)
{
    const struct picker *p = a->overlay_own;
    size_t n = 0;
    for (size_t i = 0; i < a->nthemes; i++)
        if (!p->typed[0] || table_contains(a->themes[i], p->typed) ||
            table_contains(p->about[i], p->typed))
            list[n++] = i;
    return n;
}

static void themes_opened(struct app *a)
{
    struct picker *p = a->overlay_own;
    if (!a->themes)
        a->nthemes = theme_list(&a->themes);
    p->about = xcalloc(a->nthemes ? a->nthemes : 1, sizeof *p->about);
    for (size_t i = 0; i < a->nthemes; i++) {
        struct error err = ERROR_INIT;
        struct theme *t;
        bool ours = strncmp(a->themes[i], "rooftop-", 8) == 0;
        if (theme_load(&t, a->themes[i], &err) != 0) {
            snprintf(p->about[i], ABOUT_MAX, "cannot be read: %.60s", err.why);
            continue;
        }
        snprintf(p->about[i], ABOUT_MAX, "%s%s", theme_about(t), ours ? "" : " (file)");
        if (strcmp(a->themes[i], a->theme) == 0)
            a->overlay_state.selected = (int)i;
        theme_free(t);
    }
    snprintf(p->before, sizeof p->before, "%s", a->theme);
}

static void themes_closed(struct app *a)
{
    const struct picker *p = a->overlay_own;
    free(p->about);
}

static unsigned wear_theme(struct app *a, const char *name)
{
    snprintf(a->theme, sizeof a->theme, "%s", name);
    return APP_REDRAW | APP_THEME;
}

/* Uses the theme under the cursor. */
static unsigned preview_theme(struct app *a)
{
    struct view_state *st = &a->overlay_state;
    size_t *list = xcalloc(a->nthemes + 1, sizeof *list), n = shown_themes(a, list);
    unsigned asked = APP_REDRAW;
    st->selected = st->selected >= (int)n ? (int)n - 1 : st->selected;
    st->selected = st->selected < 0 ? 0 : st->selected;
    if (n)
        asked = wear_theme(a, a->themes[list[st->selected]]);
    free(list);
    return asked;
}

static unsigned put_theme_back(struct app *a)
{
    const struct picker *p = a->overlay_own;
    unsigned asked = wear_theme(a, p->before);
    overlay_close(a);
    return asked;
}

static unsigned act_in_themes(struct app *a, enum action action)
{
    struct view_state *st = &a->overlay_state;
    char text[256], keys[64];
    switch (action) {
    case ACTION_MENU:
    case ACTION_EXPLAIN:
        snprintf(text, sizeof text, "theme %.120s; %s keeps it in the configuration file", a->theme,
                 *keymap_keys(ACTION_SAVE) ? help_keys(ACTION_SAVE, keys) : ":save");
        overlay_close(a);
        app_message(a, false, text);
        return APP_REDRAW;
    case ACTION_UP:
        st->selected--;
        break;
    case ACTION_DOWN:
        st->selected++;
        break;
    case ACTION_PAGE_UP:
        st->selected -= st->page > 1 ? st->page - 1 : 1;
        break;
    case ACTION_PAGE_DOWN:
        st->selected += st->page > 1 ? st->page - 1 : 1;
        break;
    case ACTION_TOP:
        st->selected = 0;
        break;
    case ACTION_BOTTOM:
        st->selected = (int)a->nthemes;
        break;
    default:
        return put_theme_back(a);
    }
    return preview_theme(a);
}

/* A click previews a theme, a second click uses it. */
static unsigned click_theme(struct app *a, const struct key_event *ev)
{
    struct view_state *st = &a->overlay_state;
    struct rect l = st->list;
    int row = st->scroll + ev->y - l.y;
    bool inside = ev->x >= l.x && ev->x < l.x + l.w && ev->y >= l.y && ev->y < l.y + l.h;
    if (ev->button != MOUSE_LEFT || !inside || row >= st->rows)
        return 0;
    if (row == st->selected)
        return act_in_themes(a, ACTION_MENU);
    st->selected = row;
    return preview_theme(a);
}

/* Letters filter the list; keys that move are left to act. */
static unsigned themes_key(struct app *a, const struct key_event *ev)
{
    struct picker *p = a->overlay_own;
    size_t n = strlen(p->typed);
    if (ev->key == KEY_ESCAPE && n) {
        p->typed[0] = '\0';
        return preview_theme(a);
    }
    if ((ev->key == KEY_BACKSPACE_ || ev->key == 8) && n) {
        p->typed[n - 1] = '\0';
        return preview_theme(a);
    }
    if (ev->key == KEY_MOUSE_)
        return click_theme(a, ev);
    if (key_action(ev, CONTEXT_GLOBAL) == ACTION_SAVE) {
        overlay_close(a);
        return app_perform(a, ACTION_SAVE, 0);
    }
    bool letter = ev->key >= ' ' && ev->key < 0x7f;
    if (!letter || n + 1 >= sizeof p->typed || (n == 0 && ev->key == 'q')) /* q closes */
        return 0;
    p->typed[n] = (char)ev->key;
    p->typed[n + 1] = '\0';
    a->overlay_state.selected = 0;
    return preview_theme(a);
}

/* Draws samples of the important styles in the previewed theme. */
static void draw_sample(struct canvas *c, int x, int y, int w)
{
    static const struct {
        const char *text;
        enum style_role role;
    } words[] = {{"text", STYLE_TEXT},     {"dim", STYLE_DIM},      {"title", STYLE_TITLE},
                 {"key", STYLE_HOT},       {"ok", STYLE_OK},        {"warning", STYLE_WARN},
                 {"critical", STYLE_CRIT}, {"more", STYLE_DIFF_UP}, {"less", STYLE_DIFF_DOWN}};
    static const enum style_role bars[] = {STYLE_GRAD_CPU, STYLE_GRAD_TEMP, STYLE_GRAD_USED,
                                           STYLE_GRAD_DOWN, STYLE_GRAD_UP};
    enum { BARS = sizeof bars / sizeof *bars };
    int at = x;
    for (size_t i = 0; i < sizeof words / sizeof *words && at < x + w; i++)
        at += canvas_text(c, at, y, x + w - at, words[i].text, STYLE(words[i].role)) + 1;
    int each = w / BARS - 1;
    for (int b = 0; b < BARS; b++)
        for (int i = 0; i < each; i++)
            canvas_put(c, x + b * (each + 1) + i, y + 1, c->ascii ? '#' : 0x2588,
                       STYLE_LEVEL(bars[b], 100 * i / (each > 1 ? each - 1 : 1)));
}

static void draw_themes(struct app *a, struct canvas *c, struct rect area)
{
    const struct picker *p = a->overlay_own;
    struct view_state *st = &a->overlay_state;
    size_t *list = xcalloc(a->nthemes + 1, sizeof *list), n = shown_themes(a, list);
    int w = area.w < LIST_W ? area.w : LIST_W;
    int h = (int)n + SAMPLE_ROWS + 3 < area.h ? (int)n + SAMPLE_ROWS + 3 : area.h;
    char title[96], right[32];
    /* on the side, so that the view behind it shows the theme */
    struct rect box = {area.x + area.w - w, area.y, w, h < 8 && area.h >= 8 ? 8 : h};
    snprintf(title, sizeof title, p->typed[0] ? "themes: %.60s" : "themes", p->typed);
    snprintf(right, sizeof right, "%zu of %zu", n, a->nthemes);
    canvas_zone(c, box, ACTION_NONE, 0);
    canvas_fill(c, box, ' ', STYLE(STYLE_TEXT));
    canvas_box(c, box, STYLE(STYLE_BOX_CPU), title, right);
    draw_sample(c, box.x + 2, box.y + 1, box.w - 4);
    st->page = box.h - 2 - SAMPLE_ROWS;
    st->rows = (int)n;
    st->list = (struct rect){box.x + 1, box.y + 1 + SAMPLE_ROWS, box.w - 2, st->page};
    if (st->selected < st->scroll)
        st->scroll = st->selected;
    if (st->selected >= st->scroll + st->page)
        st->scroll = st->selected - st->page + 1;
    for (int y = 0; y < st->page && st->scroll + y < (int)n; y++) {
        size_t i = list[st->scroll + y];
        struct rect r = {st->list.x, st->list.y + y, st->list.w, 1};
        bool at = st->scroll + y == st->selected, worn = strcmp(a->themes[i], p->before) == 0;
        canvas_text(c, r.x + 1, r.y, 1, worn ? "✓" : "", STYLE(STYLE_OK));
        canvas_text(c, r.x + 3, r.y, 22, a->themes[i], STYLE(STYLE_TEXT));
        canvas_text(c, r.x + 26, r.y, r.w - 27, p->about[i], STYLE(STYLE_DIM));
        if (at)
            canvas_restyle(c, r, STYLE(STYLE_SELECTED));
    }
    if (n == 0)
        canvas_text(c, st->list.x + 1, st->list.y, st->list.w - 2,
                    "no name of a theme contains that", STYLE(STYLE_DIM));
    static const char hint[] = " letters narrow  Enter use  ^S keep  Esc back ";
    canvas_text(c, box.x + box.w - text_width(hint) - 2, box.y + box.h - 1, w, hint,
                STYLE(STYLE_DIM));
    free(list);
}

const struct overlay_ops overlay_themes = {
    .name = "themes",
    .toggle = ACTION_THEMES,
    .opened = themes_opened,
    .own_size = sizeof(struct picker),
    .closed = themes_closed,
    .draw = draw_themes,
    .act = act_in_themes,
    .key = themes_key,
};
