#include "tui/overlays/overlays_impl.h"

#include <stdio.h>
#include <string.h>

#include "tui/app/app_state.h"
#include "tui/app/commands.h"
#include "tui/views/procs/procs.h"
#include "tui/widgets/notice.h"
#include "tui/widgets/table.h"

enum { LABEL_W = 18 };

const char *help_keys(enum action a, char out[64])
{
    size_t n = 0;
    out[0] = '\0';
    for (const char *k = keymap_keys(a); *k && n < 60; k++) {
        if (*k == ' ' && n < 58) {
            out[n++] = ',';
            out[n++] = ' ';
        } else if (*k != ' ') {
            out[n++] = *k;
        }
        out[n] = '\0';
    }
    return out;
}

static void add_help_notices(struct page *p, const struct snapshot *s)
{
    static const char *const level[] = {"note", "warning", "error"};
    const char *no_counters = notice_no_counters(s);
    page_heading(p, "What is missing here, and why");
    if (no_counters)
        page_item(p, level[NOTICE_INFO], "hardware counters: %s", no_counters);
    else if (!s || s->nnotices == 0)
        page_item(p, "nothing", "%s", "all that is asked for is measured");
    for (size_t i = 0; s && i < s->nnotices; i++) {
        const struct notice *n = &s->notices[i];
        page_item(p, level[n->level], "%s", n->text);
        if (n->help)
            page_item(p, "", "→ %s", n->help);
    }
    page_item(p, "", "rooftop doctor lists every capability and what would enable it");
}

/* Appends one line of help; with a topic only if the line contains it. */
static void add_help_item(struct page *p, const char *topic, const char *label, const char *name,
                          const char *text)
{
    if (table_contains(label, topic) || table_contains(name, topic) || table_contains(text, topic))
        page_item(p, label, "%s", text);
}

enum { SECTIONS_LAST = 20 /* behind those of the views */ };

static const struct help_section {
    int place; /* sections are sorted by it; those with the same place keep the order of this table
                */
    unsigned contexts;
    const char *title;
} help_sections[] = {
    {1, CONTEXT_WIDER, "In view 1, of what is watched or opened"},
    {2, CONTEXT_TREE, "In the execution tree"},
    {4, CONTEXT_PLOT, "In critical path and roofline"},
    {5, CONTEXT_TIMELINE, "In the timeline"},
    {6, CONTEXT_KERNELS, "In the table of kernels"},
#define VIEW_CONTEXT(id, place, beside, title) {place, CONTEXTS_##id, title},
#include "tui/views/views.def"
    {14, CONTEXT_GPU, "In the view of GPUs"},
    {SECTIONS_LAST, CONTEXT_OVERLAY, "Over a view"},
    {SECTIONS_LAST, CONTEXT_PROCS, "In the process list"},
    {SECTIONS_LAST, CONTEXT_PROC_TREE, "In the process tree"},
    {SECTIONS_LAST, CONTEXT_OUTPUT, "In a command's output"},
    {SECTIONS_LAST, CONTEXT_MOUSE, "With the mouse"},
};

const char *help_place(enum action act)
{
    const unsigned contexts = action_table[act].contexts;
    for (size_t i = 0; i < sizeof help_sections / sizeof *help_sections; i++)
        if (contexts & help_sections[i].contexts & ~(unsigned)(CONTEXT_GLOBAL | CONTEXT_LIST))
            return help_sections[i].title;
    return contexts & CONTEXT_LIST ? "In lists" : NULL;
}

/* Keys that work everywhere or in every list have sheets of their own; a key of several views is
 * listed with each of them. */
static void add_help_section(struct page *p, const char *topic, const struct help_section *s)
{
    char keys[64];
    page_heading(p, s->title);
    for (int a = 1; a < ACTION_COUNT; a++) {
        unsigned c = action_table[a].contexts;
        if ((c & s->contexts) && !(c & (CONTEXT_GLOBAL | CONTEXT_LIST)))
            add_help_item(p, topic, c == CONTEXT_MOUSE ? "click" : help_keys((enum action)a, keys),
                          action_table[a].name, action_table[a].help);
    }
}

static void add_help_commands(struct page *p, const char *topic)
{
    char label[96], text[192];
    page_heading(p, "After :");
    for (const struct palette_command *k = command_table; k->name; k++) {
        bool fits = strlen(k->name) + (k->args ? strlen(k->args) : 0) + 2 < LABEL_W;
        snprintf(label, sizeof label, "%s %s", k->name, fits && k->args ? k->args : "");
        snprintf(text, sizeof text, "%s%s%s", fits ? "" : k->args, fits ? "" : ": ", k->help);
        add_help_item(p, topic, label, k->name, text);
    }
    add_help_item(p, topic, "Tab", "",
                  "completes; Up and Down choose, ^P and ^N go through what was typed");
}

static void add_help_reading(struct page *p, const char *topic)
{
    static const struct {
        const char *label, *text;
    } lines[] = {
        {"n/a", "not measured; i on the row says why and what would help"},
        {"… (...)", "not yet: needs a second sample"},
        {"COUNTED",
         "share of the interval an event was on the PMU; below 100 % its count is scaled"},
        {"▸ (>)", "belongs to what is watched"},
        {"◆ (*)", "the row that is followed"},
        {"✓ (+)", "a process that is tagged: F7, F8 and F9 are for all of them"},
        {"underlined",
         "the letter of a box: after the key for boxes it gives that box the whole view"},
    };
    page_heading(p, "Reading the screen");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        add_help_item(p, topic, lines[i].label, "", lines[i].text);
}

static bool is_tab_or_view(enum action act)
{
    for (int i = 0; views[i]; i++)
        if (views[i]->select == act)
            return true;
    for (int i = 0; i < TABS; i++)
        if (view_tabs[i].select == act)
            return true;
    return false;
}

/* --- one sheet after the other --- */

/* What is written on a sheet: of the shown view, or what has the topic in it. */
struct help_sheet {
    const struct app *app;
    struct page *p;
    const char *topic;
    struct rect area;
    int rows; /* that fit there */
};

static unsigned contexts_here(const struct app *a)
{
    const struct procs_state *ps = app_procs(a, a->view);
    return views[a->view]->contexts | (ps && ps->tree ? CONTEXT_PROC_TREE : 0);
}

/* Whether the first key of an action starts it in the shown view, and no other one. */
static bool starts_in_view(const struct app *a, enum action act)
{
    char key[16];
    const uint32_t first = key_parse(app_first_key(act, key));
    return first &&
           key_action(&(struct key_event){.key = first}, CONTEXT_GLOBAL | contexts_here(a)) == act;
}

/* Whether the view has a past of its own, which the keys of time move through. */
static bool moves_in_own_time(const struct app *a, enum action act)
{
    return views[a->view]->own_time && act >= ACTION_TIME_BACK && act <= ACTION_TIME_END;
}

/*
 * The actions of the shown view, in the order of their use: those that the footer names, the other
 * ones, those of all lists that the footer names.
 */
static int list_help_actions(const struct app *a, enum action out[ACTION_COUNT])
{
    const unsigned own = contexts_here(a) & ~(unsigned)(CONTEXT_GLOBAL | CONTEXT_LIST);
    const unsigned lists = contexts_here(a) & CONTEXT_LIST;
    int n = 0;
    for (int turn = 0; turn < 3; turn++)
        for (int i = 1; i < ACTION_COUNT; i++) {
            const struct action_info *t = &action_table[i];
            const bool is_own = ((t->contexts & own) && !(t->contexts & CONTEXT_GLOBAL)) ||
                                moves_in_own_time(a, (enum action)i);
            const bool of_lists = !is_own && (t->contexts & lists) && t->footer;
            const bool wanted = turn == 2 ? of_lists : is_own && (turn == 0) == !!t->footer;
            if (wanted && app_takes(a, (enum action)i) && starts_in_view(a, (enum action)i))
                out[n++] = (enum action)i;
        }
    return n;
}

/* "1 … 0": the keys of the first and of the last tab. */
static const char *name_digits(char out[48])
{
    char first[16], last[16];
    snprintf(out, 48, "%s … %s", app_first_key(view_tabs[0].select, first),
             app_first_key(view_tabs[TABS - 1].select, last));
    return out;
}

/* The keys that work everywhere, five of them. */
static void add_five_keys(struct page *p)
{
    static const enum action five[] = {ACTION_NEXT_VIEW, ACTION_PALETTE, ACTION_SEARCH,
                                       ACTION_QUIT};
    char keys[64];
    page_heading(p, "Everywhere");
    page_item(p, name_digits(keys), "%s", "the tabs; the same again: the tab's next view");
    for (size_t i = 0; i < sizeof five / sizeof *five; i++)
        page_item(p, help_keys(five[i], keys), "%s", action_table[five[i]].help);
}

/* The keys of the shown view in one screen; the next sheet has them in full. */
static void fill_here(const struct help_sheet *s)
{
    enum { FIVE = 7 /* with their heading */, HEADING = 1 };
    const struct snapshot *snap = s->app->model.snap;
    enum action list[ACTION_COUNT];
    const struct notice *worst = notice_worst(snap);
    const bool wrong = worst && worst->level != NOTICE_INFO;
    const char *no_counters = wrong ? NULL : notice_no_counters(snap);
    char keys[64];
    const int n = list_help_actions(s->app, list),
              room = s->rows - FIVE - HEADING - (wrong || no_counters ? 2 : 0);
    page_heading(s->p, views[s->app->view]->title);
    for (int i = 0; i < n && i < room; i++)
        page_item(s->p, help_keys(list[i], keys), "%s", action_table[list[i]].help);
    add_five_keys(s->p);
    if (wrong) {
        page_text(s->p, STYLE_TEXT, "%s", "");
        page_item(s->p, worst->level == NOTICE_ERROR ? "error" : "warning", "%s", worst->text);
    } else if (no_counters) {
        page_text(s->p, STYLE_TEXT, "%s", "");
        page_item(s->p, "n/a", "hardware counters: %s", no_counters);
    }
    page_cut_to_fit(s->p, s->area, LABEL_W);
}

static void fill_view(const struct help_sheet *s)
{
    enum action list[ACTION_COUNT];
    char keys[64];
    const int n = list_help_actions(s->app, list);
    page_heading(s->p, "In this view, in full");
    for (int i = 0; i < n; i++)
        add_help_item(s->p, s->topic, help_keys(list[i], keys), action_table[list[i]].name,
                      action_table[list[i]].help);
}

static void fill_everywhere(const struct help_sheet *s)
{
    char keys[64];
    page_heading(s->p, "Everywhere");
    for (int i = 1; i < ACTION_COUNT; i++)
        if ((action_table[i].contexts & CONTEXT_GLOBAL) && !is_tab_or_view((enum action)i))
            add_help_item(s->p, s->topic, help_keys((enum action)i, keys), action_table[i].name,
                          action_table[i].help);
}

static void fill_tabs(const struct help_sheet *s)
{
    char keys[64];
    page_heading(s->p, "Tabs, and the views in them");
    for (int t = 0; t < TABS; t++) {
        const struct action_info *tab = &action_table[view_tabs[t].select];
        add_help_item(s->p, s->topic, help_keys(tab->action, keys), tab->name, tab->help);
        for (int i = 0; views[i]; i++) {
            const struct action_info *view = &action_table[views[i]->select];
            char label[72]; /* without a key of its own it is reached by that of the tab */
            if (!*help_keys(view->action, keys))
                app_first_key(tab->action, keys);
            snprintf(label, sizeof label, "  %s", keys);
            if (view_tab(i) == (enum tab)t)
                add_help_item(s->p, s->topic, label, view->name, view->help);
        }
    }
}

static void fill_lists(const struct help_sheet *s)
{
    char keys[64];
    page_heading(s->p, "In lists");
    for (int i = 1; i < ACTION_COUNT; i++)
        if (action_table[i].contexts & CONTEXT_LIST)
            add_help_item(s->p, s->topic, help_keys((enum action)i, keys), action_table[i].name,
                          action_table[i].help);
}

static void fill_others(const struct help_sheet *s)
{
    const struct help_section *end = help_sections + sizeof help_sections / sizeof *help_sections;
    for (int place = 0; place <= SECTIONS_LAST; place++)
        for (const struct help_section *k = help_sections; k < end; k++)
            if (k->place == place)
                add_help_section(s->p, s->topic, k);
    add_help_item(s->p, s->topic, "click", "",
                  "what a key does: footer, tabs, heads of columns, titles of boxes");
    add_help_item(s->p, s->topic, "click twice", "", "the menu of a row; so does the right button");
}

static void fill_commands(const struct help_sheet *s)
{
    add_help_commands(s->p, s->topic);
}

static void fill_reading(const struct help_sheet *s)
{
    add_help_reading(s->p, s->topic);
}

static void fill_notices(const struct help_sheet *s)
{
    if (!*s->topic)
        add_help_notices(s->p, s->app->model.snap);
}

static const struct {
    const char *name; /* for the hint that leads there */
    void (*fill)(const struct help_sheet *s);
} sheets[] = {
    {"this view", fill_here},
    {"this view in full", fill_view},
    {"everywhere", fill_everywhere},
    {"tabs", fill_tabs},
    {"lists", fill_lists},
    {"other views", fill_others},
    {"commands", fill_commands},
    {"the screen", fill_reading},
    {"what is missing", fill_notices},
};
enum { SHEETS = sizeof sheets / sizeof *sheets, HERE = 0, FULL = 1 };

struct help { /* a->overlay_own */
    int sheet;
    bool typing;
    char typed[VIEW_TEXT_MAX];
    char hint[64];
};

/* The words that are looked for; "": the sheets are shown. */
static const char *help_topic(const struct app *a)
{
    const struct help *h = a->overlay_own;
    return h->typed[0] ? h->typed : a->overlay_key;
}

/* All sheets at once, with what has the topic in it. */
static void fill_found(struct help_sheet *s)
{
    for (int i = FULL + 1; i < SHEETS; i++)
        sheets[i].fill(s);
    page_drop_empty(s->p);
    if (s->p->n == 0)
        page_text(s->p, STYLE_DIM, "nothing is known about '%s'", s->topic);
}

static void fill_help(struct app *a, struct rect area)
{
    struct help *h = a->overlay_own;
    const bool two = area.w >= 120; /* columns, as page_draw makes them */
    struct help_sheet s = {
        .app = a, .p = &a->page, .topic = help_topic(a), .area = area, .rows = area.h - 4};
    page_reset(&a->page);
    if (h->typing || *s.topic) {
        fill_found(&s);
        snprintf(h->hint, sizeof h->hint, h->typing ? "search: %.30s_" : "/ search", h->typed);
    } else {
        s.rows = two ? 2 * s.rows - 4 : s.rows;
        sheets[h->sheet].fill(&s);
        page_drop_empty(&a->page);
        if (a->page.n == 0)
            page_text(&a->page, STYLE_DIM, "nothing");
        snprintf(h->hint, sizeof h->hint, "Tab %s   / search",
                 sheets[(h->sheet + 1) % SHEETS].name);
    }
    a->page.hint = h->hint;
}

static void draw_help(struct app *a, struct canvas *c, struct rect area)
{
    char title[VIEW_TEXT_MAX + 8] = "help";
    if (*help_topic(a))
        snprintf(title, sizeof title, "help: %s", help_topic(a));
    fill_help(a, area);
    page_draw(c, area, title, &a->page, LABEL_W, &a->overlay_state.scroll);
}

static void turn_sheet(struct app *a, int step)
{
    struct help *h = a->overlay_own;
    h->sheet = (h->sheet + step + SHEETS) % SHEETS;
    h->typed[0] = a->overlay_key[0] = '\0';
    a->overlay_state.scroll = 0;
}

/* A page further; behind the last page of a sheet the next sheet, before the first the one before.
 */
static unsigned page_help(struct app *a, enum action act)
{
    const struct help *h = a->overlay_own;
    const int scroll = a->overlay_state.scroll, step = act == ACTION_PAGE_DOWN ? 1 : -1;
    const bool end = step > 0 ? scroll + a->page.seen >= a->page.rows : scroll == 0;
    if (!end || *help_topic(a))
        return overlay_scroll_page(a, act);
    if (h->sheet + step >= 0 && h->sheet + step < SHEETS)
        turn_sheet(a, step);
    if (step < 0)
        overlay_scroll_page(a, ACTION_BOTTOM);
    return APP_REDRAW;
}

static unsigned act_in_help(struct app *a, enum action act)
{
    struct help *h = a->overlay_own;
    if (act == ACTION_PAGE_DOWN || act == ACTION_PAGE_UP)
        return page_help(a, act);
    if (act == ACTION_BACK && h->typed[0]) {
        h->typed[0] = '\0';
        a->overlay_state.scroll = 0;
        return APP_REDRAW;
    }
    return overlay_scroll_page(a, act);
}

static unsigned type_in_help(struct app *a, uint32_t key)
{
    struct help *h = a->overlay_own;
    const size_t n = strlen(h->typed);
    if (key == KEY_ENTER_ || key == '\n' || key == KEY_ESCAPE) {
        h->typing = false;
        if (key == KEY_ESCAPE)
            h->typed[0] = '\0';
    } else if ((key == KEY_BACKSPACE_ || key == 8) && n) {
        h->typed[n - 1] = '\0';
    } else if (key >= ' ' && key < 0x7f && n + 1 < sizeof h->typed) {
        h->typed[n] = (char)key;
        h->typed[n + 1] = '\0';
    } else {
        return 0;
    }
    a->overlay_state.scroll = 0;
    return APP_REDRAW;
}

static unsigned help_key(struct app *a, const struct key_event *ev)
{
    struct help *h = a->overlay_own;
    if (h->typing && ev->key != KEY_MOUSE_ && ev->key != 3)
        return type_in_help(a, ev->key);
    const enum action act = key_action(ev, CONTEXT_GLOBAL | CONTEXT_OVERLAY);
    if (act == ACTION_NEXT_VIEW || act == ACTION_PREV_VIEW)
        turn_sheet(a, act == ACTION_NEXT_VIEW ? 1 : -1);
    else if (act == ACTION_SEARCH)
        h->typing = true;
    else
        return 0;
    return APP_REDRAW;
}

const struct overlay_ops overlay_help = {
    .name = "help",
    .toggle = ACTION_HELP,
    .own_size = sizeof(struct help),
    .draw = draw_help,
    .act = act_in_help,
    .key = help_key,
};
