#include "tui/overlays/help.h"

#include <stdio.h>
#include <string.h>

#include "tui/app_state.h"
const char *help_keys(enum action a, char out[64])
{
    size_t n = 0;
    out[0] = '\0';
    for (const char *k = action_table[a].keys; *k && n < 60; k++) {
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

static void notices(struct page *p, const struct snapshot *s)
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

static void fill(struct page *p, const struct model *m)
{
    static const struct {
        unsigned context;
        const char *title;
    } sections[] = {
        {CONTEXT_GLOBAL, "Everywhere"},         {CONTEXT_LIST, "In lists"},
        {CONTEXT_PROCS, "In the process list"}, {CONTEXT_OUTPUT, "In a command's output"},
        {CONTEXT_MOUSE, "With the mouse"},
    };
    char keys[64];
    page_reset(p);
    notices(p, m->snap);
    unsigned told = 0;
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        page_heading(p, sections[i].title);
        for (int a = 1; a < ACTION_COUNT; a++) {
            unsigned c = action_table[a].contexts;
            if ((c & sections[i].context) && !(c & told))
                page_item(p, c == CONTEXT_MOUSE ? "click" : help_keys((enum action)a, keys), "%s",
                          action_table[a].help);
        }
        told |= sections[i].context;
    }
    page_heading(p, "Reading the numbers");
    page_item(p, "n/a", "not measured; i on the row says why and what would help");
    page_item(p, "… (...)", "not yet: needs a second sample");
    page_item(p, "COUNTED",
              "share of the interval an event was on the PMU; below 100 %% its count is scaled");
    page_item(p, "▸ (>)", "belongs to what is watched");
}

static void draw(struct app *a, struct canvas *c, struct rect area)
{
    fill(&a->page, &a->model);
    page_draw(c, area, "help", &a->page, 18, &a->overlay_state.scroll);
}

const struct overlay_ops overlay_help = {
    .name = "help",
    .toggle = ACTION_HELP,
    .draw = draw,
    .act = overlay_scroll_page,
};
