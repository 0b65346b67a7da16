/* The menu of a counter. */
#include <stdio.h>
#include <string.h>

#include "engine/live/metric.h"
#include "tui/model/counter_key.h"
#include "tui/views/counters/counters.h"

bool counters_menu(const struct model *m, const struct view_state *st, const char *key,
                   struct menu *out)
{
    const struct snapshot *s = m->snap;
    const struct metric *metric =
        s && strncmp(key, "m:", 2) == 0 ? snapshot_metric(s, key + 2) : NULL;
    const struct counter *counter = metric ? NULL : counter_find(s, key);
    char text[MENU_COMMAND_MAX], number[VALUE_TEXT_MAX];
    if (!metric && !counter)
        return false;
    const char *name = metric ? metric->def->label : counter->name;
    const char *id = metric ? metric->def->id : counter->name;
    const struct value *v = metric ? &metric->value : &counter->rate;
    value_format(v, true, number);
    snprintf(out->title, sizeof out->title, "%.60s", name);
    menu_action(out, 'i', ACTION_EXPLAIN, "explain: formula, counts, what is missing and why");
    menu_filter(out, 'f', "name", name, "show what has this name");
    if (!metric)
        menu_filter(out, 's', "set", counter->set, "show the events of set %.30s", counter->set);
    menu_action(out, 'F', ACTION_FOLLOW,
                st->pinned ? "stop following it" : "follow it in the list");
    snprintf(text, sizeof text, "%.200s  %s%s%.200s", name, number, v->why ? "  " : "",
             v->why ? v->why : "");
    menu_copy(out, 'y', text, "copy this row");
    menu_copy(out, 'n', id, "copy its name");
    if (v->validity == VALUE_OK)
        snprintf(text, sizeof text, "%.10g", v->v);
    menu_copy(out, 'v', text, "copy the value");
    menu_deny(out, v->validity == VALUE_OK ? NULL : "it was not measured");
    menu_command(out, 't', "sort ", "sort by another column…");
    return true;
}
