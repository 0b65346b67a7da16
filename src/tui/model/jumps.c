#include "tui/model/jumps.h"

#include <stdio.h>
#include <string.h>

static bool on_path(const struct bricks *b, const char *name)
{
    const struct brick_window *w = &b->window;
    for (uint32_t i = 0; i < w->nsteps; i++)
        if (strcmp(w->spans[w->steps[i]].name, name) == 0)
            return true;
    return false;
}

static bool under_roofline(const struct bricks *b, const char *name)
{
    for (uint32_t i = 0; i < b->roofline.npoints; i++)
        if (strcmp(b->roofline.points[i].name, name) == 0)
            return true;
    return false;
}

static bool in_tree(const struct bricks *b, const char *name)
{
    (void)b, (void)name;
    return true;
}

static const struct jump {
    char letter;
    const char *view, *label, *why_not;
    bool (*there)(const struct bricks *b, const char *name);
} jumps[] = {
    {'t', "tree", "go to it in the tree", NULL, in_tree},
    {'p', "path", "go to it on the critical path", "it is not on the path", on_path},
    {'o', "roofline", "go to it under the roofline", "it has no point there", under_roofline},
};

void jumps_menu(const struct model *m, struct menu *out, const char *from, const char *name)
{
    for (size_t i = 0; i < sizeof jumps / sizeof *jumps; i++) {
        const struct jump *j = &jumps[i];
        struct menu filter = {.n = 0};
        char command[MENU_COMMAND_MAX];
        if (strcmp(j->view, from) == 0)
            continue;
        menu_filter(&filter, j->letter, "name", name, "%s", "");
        int n =
            snprintf(command, sizeof command, "view %s; %s", j->view, filter.entries[0].command);
        menu_command(out, j->letter, command, "%s", j->label);
        menu_deny(out, j->there(model_bricks(m), name) ? NULL : j->why_not);
        if (filter.entries[0].why_not[0])
            menu_deny(out, filter.entries[0].why_not);
        else if (n >= (int)sizeof command)
            menu_deny(out, "its name is too long for a filter");
    }
}
