/* Boxes of a view: show, hide, expand; and presets of boxes. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tui/app/app_state.h"
#include "tui/input/presets.h"

static int count_boxes(int view)
{
    int n = 0;
    while (views[view]->boxes && views[view]->boxes[n].name)
        n++;
    return n;
}

int app_box_find(int view, const char *name)
{
    for (int i = 0, n = count_boxes(view); i < n; i++)
        if (strcmp(views[view]->boxes[i].name, name) == 0)
            return i;
    return -1;
}

bool app_box_set(struct app *a, int box, char what)
{
    struct view_state *st = &a->state[a->view];
    unsigned bit = 1u << box, all = (1u << count_boxes(a->view)) - 1;
    if (what == 'h' && ((st->hidden | bit) & all) == all)
        return false; /* an empty view would not even say how to get back */
    if (what == 'h')
        st->hidden |= bit;
    else
        st->hidden &= ~bit;
    st->expanded = what == 'e' ? box + 1 : 0;
    return true;
}

/* Without a name, expands the box with the list, which is the last one. */
static unsigned expand_or_restore_box(struct app *a, int arg)
{
    struct view_state *st = &a->state[a->view];
    int n = count_boxes(a->view), box = n - 1;
    if (arg)
        box = arg - 1;
    else if (st->box)
        box = st->box - 1;
    if (n == 0)
        app_message(a, true, "this view has one box only");
    else if (st->expanded && (!arg || st->expanded == arg))
        st->expanded = 0;
    else if (box < n) {
        st->box = box + 1;
        app_box_set(a, box, 'e');
    }
    return APP_REDRAW;
}

static unsigned next_preset(struct app *a)
{
    char text[APP_TEXT_MAX];
    struct error err = ERROR_INIT;
    const struct preset *p = app_preset(a, (size_t)a->preset);
    if (!p)
        p = app_preset(a, (size_t)(a->preset = 0));
    a->preset++;
    if (app_preset_apply(a, p, &err) == 0)
        snprintf(text, sizeof text, "preset %s", p->name);
    else
        error_format(&err, text, sizeof text);
    app_message(a, err.kind != ERROR_NONE, text);
    return APP_REDRAW;
}

unsigned app_box_action(struct app *a, enum action act, int arg)
{
    return act == ACTION_EXPAND ? expand_or_restore_box(a, arg) : next_preset(a);
}

/* --- presets --- */

void app_set_presets(struct app *a, const struct preset *presets, size_t n)
{
    a->presets = presets;
    a->npresets = n;
    a->preset = 0;
}

const struct preset *app_preset(const struct app *a, size_t i)
{
    if (i < a->npresets)
        return &a->presets[i];
    for (size_t k = 0; preset_table[k].name; k++)
        if (a->npresets + k == i)
            return &preset_table[k];
    return NULL;
}

/*
 * Reads "VIEW: BOX BOX" into the boxes that it hides. Returns -EINVAL and the unknown word in bad.
 */
static int read_part(const char *part, size_t len, int *view, unsigned *hidden, char bad[64])
{
    size_t at = 0, n = 0, name = 0;
    while (at < len && part[at] == ' ')
        at++;
    while (at + name < len && part[at + name] != ':' && part[at + name] != ' ')
        name++;
    snprintf(bad, 64, "%.*s", (int)name, part + at);
    *view = view_named(bad);
    if (*view < 0)
        return -EINVAL;
    unsigned shown = 0, all = (1u << count_boxes(*view)) - 1;
    for (at += name; at < len; at += n) {
        char box[64];
        n = 1;
        if (part[at] == ' ' || part[at] == ':')
            continue;
        for (n = 0; at + n < len && part[at + n] != ' '; n++)
            ;
        snprintf(box, sizeof box, "%.*s", (int)n, part + at);
        int i = app_box_find(*view, box);
        if (i < 0) {
            memcpy(bad, box, sizeof box);
            return -EINVAL;
        }
        shown |= 1u << i;
    }
    *hidden = shown ? all & ~shown : 0;
    return 0;
}

const char *app_boxes_text(const struct app *a, char *out, size_t size)
{
    const struct view_state *st = &a->state[a->view];
    size_t n = (size_t)snprintf(out, size, "%s", views[a->view]->name);
    for (int i = 0; i < count_boxes(a->view) && st->hidden && n < size; i++)
        if (!(st->hidden & 1u << i))
            n += (size_t)snprintf(out + n, size - n, "%s %s", strchr(out, ':') ? "" : ":",
                                  views[a->view]->boxes[i].name);
    return out;
}

int app_preset_apply(struct app *a, const struct preset *p, struct error *err)
{
    int first = -1, view;
    unsigned hidden;
    char bad[64], what[128];
    for (const char *part = p->boxes; *part;) {
        size_t n = strcspn(part, ";");
        if (read_part(part, n, &view, &hidden, bad) != 0) {
            snprintf(what, sizeof what, "preset '%.60s'", p->name);
            return error_set(err, ERROR_USAGE, EINVAL, ":box lists the boxes of a view", what,
                             "there is no view or box '%s'", bad);
        }
        a->state[view].hidden = hidden;
        a->state[view].expanded = 0;
        first = first < 0 ? view : first;
        part += n + (part[n] == ';');
    }
    if (first >= 0 && (first == a->view || first == app_view_of_tab(a, view_tab(first))))
        app_show_view(a, first);
    return 0;
}
