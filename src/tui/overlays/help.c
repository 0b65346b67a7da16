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

/*
 * Keys that work everywhere or in every list are listed once, keys of several views in each of
 * these.
 */
static void add_help_actions(struct page *p, const char *topic)
{
    static const struct {
        unsigned context;
        const char *title;
    } sections[] = {
        {CONTEXT_GLOBAL, "Everywhere"},
        {CONTEXT_LIST, "In lists"},
        {CONTEXT_FUNCTIONS, "In hot functions"},
        {CONTEXT_TREE, "In the execution tree"},
        {CONTEXT_PATH, "In the critical path"},
        {CONTEXT_PLOT, "In critical path and roofline"},
        {CONTEXT_TIMELINE, "In the timeline"},
        {CONTEXT_KERNELS, "In the table of kernels"},
        {CONTEXT_STEPS, "In the steps"},
        {CONTEXT_SYSCALLS, "In system calls"},
#define VIEW_CONTEXT(id, beside, title) {CONTEXT_##id, title},
#include "tui/views/views.def"
        {CONTEXT_COMPARE, "In a comparison"},
        {CONTEXT_REPLAY, "In the replay menu"},
        {CONTEXT_GPU, "In the view of GPUs"},
        {CONTEXT_OVERLAY, "Over a view"},
        {CONTEXT_PROCS, "In the process list"},
        {CONTEXT_PROC_TREE, "In the process tree"},
        {CONTEXT_OUTPUT, "In a command's output"},
        {CONTEXT_MOUSE, "With the mouse"},
    };
    char keys[64];
    unsigned told = 0;
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        page_heading(p, sections[i].title);
        for (int a = 1; a < ACTION_COUNT; a++) {
            unsigned c = action_table[a].contexts;
            if ((c & sections[i].context) && !(c & told & (CONTEXT_GLOBAL | CONTEXT_LIST)))
                add_help_item(p, topic,
                              c == CONTEXT_MOUSE ? "click" : help_keys((enum action)a, keys),
                              action_table[a].name, action_table[a].help);
        }
        told |= sections[i].context;
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
