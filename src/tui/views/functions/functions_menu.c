/* The menu of a function. */
#include <inttypes.h>
#include <stdio.h>

#include "tui/views/functions/functions.h"

static void add_function_copies(struct menu *out, const struct functions *f,
                                const struct function_row *row)
{
    const struct hot_symbol *s = &f->stacks->symbols[row->symbol];
    char text[MENU_COMMAND_MAX], source[256];
    functions_source(s, source, sizeof source);
    snprintf(text, sizeof text, "%.1f %% self  %.1f %% total  %.250s  %.60s  %.100s",
             functions_percent(f->stacks, row->self), functions_percent(f->stacks, row->total),
             s->name, s->module, source);
    menu_copy(out, 'y', text, "copy this row");
    menu_copy(out, 'n', s->name, "copy its name");
    menu_copy(out, 's', source, "copy where its source is");
    menu_deny(out, source[0] ? NULL : "no debug information tells");
}

bool functions_menu(const struct model *m, const struct view_state *st, const char *key,
                    struct menu *out)
{
    const struct functions *f = functions_of(st);
    uint32_t symbol = f->stacks ? functions_selected(f, st) : FUNCTIONS_NONE;
    const struct function_row *row = symbol == FUNCTIONS_NONE ? NULL : functions_row_of(f, symbol);
    (void)m, (void)key;
    if (!row)
        return false;
    const struct hot_symbol *s = &f->stacks->symbols[symbol];
    snprintf(out->title, sizeof out->title, "%.60s", s->name);
    menu_action(out, 'v', ACTION_ANNOTATE, "its code, with the share of each line");
    menu_action(out, 'i', ACTION_EXPLAIN, "explain: who calls it, whom it calls");
    menu_filter(out, 'm', "module", s->module, "show the functions of %.30s", s->module);
    menu_deny(out, s->module[0] ? NULL : "its module is not known");
    add_function_copies(out, f, row);
    menu_action(out, 'g', ACTION_FUNCTIONS_MODE, "the next of flat list, call tree, flame graph");
    return true;
}
