#include "tui/overlays/overlays_impl.h"

#include <stdio.h>
#include <string.h>

#include "tui/app/app_state.h"
#include "tui/app/commands.h"
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
    if (!s || s->nnotices == 0)
        return;
    page_heading(p, "What is missing here, and why");
    for (size_t i = 0; i < s->nnotices; i++) {
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
    {0, CONTEXT_GLOBAL, "Everywhere"},
    {0, CONTEXT_LIST, "In lists"},
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

/*
 * Keys that work everywhere or in every list are listed once; a key of several views is listed with
 * each of them. told: the contexts of the sections before this one.
 */
static void add_help_section(struct page *p, const char *topic, const struct help_section *s,
                             unsigned told)
{
    char keys[64];
    page_heading(p, s->title);
    for (int a = 1; a < ACTION_COUNT; a++) {
        unsigned c = action_table[a].contexts;
        if ((c & s->contexts) && !(c & told & (CONTEXT_GLOBAL | CONTEXT_LIST)))
            add_help_item(p, topic, c == CONTEXT_MOUSE ? "click" : help_keys((enum action)a, keys),
                          action_table[a].name, action_table[a].help);
    }
}

static void add_help_actions(struct page *p, const char *topic)
{
    const struct help_section *end = help_sections + sizeof help_sections / sizeof *help_sections;
    unsigned told = 0;
    for (int place = 0; place <= SECTIONS_LAST; place++)
        for (const struct help_section *s = help_sections; s < end; s++)
            if (s->place == place) {
                add_help_section(p, topic, s, told);
                told |= s->contexts;
            }
    add_help_item(p, topic, "click", "",
                  "what a key does: footer, tabs, heads of columns, titles of boxes");
    add_help_item(p, topic, "click twice", "", "the menu of a row; so does the right button");
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

static void fill_help(struct page *p, const struct model *m, const char *topic)
{
    page_reset(p);
    if (!*topic)
        add_help_notices(p, m->snap);
    add_help_actions(p, topic);
    add_help_commands(p, topic);
    add_help_reading(p, topic);
    page_drop_empty(p);
    if (p->n == 0)
        page_text(p, STYLE_DIM, "nothing is known about '%s'", topic);
}

static void draw_help(struct app *a, struct canvas *c, struct rect area)
{
    char title[VIEW_TEXT_MAX + 8] = "help";
    if (a->overlay_key[0])
        snprintf(title, sizeof title, "help: %s", a->overlay_key);
    fill_help(&a->page, &a->model, a->overlay_key);
    page_draw(c, area, title, &a->page, LABEL_W, &a->overlay_state.scroll);
}

const struct overlay_ops overlay_help = {
    .name = "help",
    .toggle = ACTION_HELP,
    .draw = draw_help,
    .act = overlay_scroll_page,
};
