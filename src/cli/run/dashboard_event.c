#include "cli/run/run_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "engine/live/event_sources.h"

/* The list of -e with one more. The caller frees it. */
static char *add_to_list(const char *list, const char *name)
{
    if (!list)
        return xstrdup(name);
    size_t size = strlen(list) + strlen(name) + 2;
    char *both = xcalloc(size, 1);
    snprintf(both, size, "%s,%s", list, name);
    return both;
}

/* Why nothing can be added; NULL: it can. */
static const char *cannot_add(const struct screen *s, bool live)
{
    if (!live)
        return "this is a session: there is nothing live to count";
    if (s->target.kind == TARGET_COMMAND)
        return "a program that rooftop has started keeps its events: name them at the start with "
               "-e";
    if (s->target.kind == TARGET_CGROUP)
        return "a control group keeps its events: name them at the start with -e";
    return NULL;
}

/* Counts the sets of ports too, which have no name as an event. */
static void count_ports(struct screen *s)
{
    s->target.sets = SETS_WITH_PORTS;
    app_message(s->app, false,
                "what fills the pipes and ports is counted too: box p of the counters");
}

bool dashboard_count_event(struct screen *s, bool live)
{
    const char *name = app_event(s->app), *refused = cannot_add(s, live);
    bool off = strcmp(name, "off") == 0;
    struct error err = ERROR_INIT;
    char text[1024];
    if (!refused && strcmp(name, "ports") == 0) {
        count_ports(s);
        return true;
    }
    if (!refused && !off && event_sources_check(backends, name, &err) != 0)
        refused = error_format(&err, text, sizeof text);
    if (refused) {
        app_message(s->app, true, refused);
        return false;
    }
    char *list = off ? NULL : add_to_list(s->target.event_spec, name);
    free(s->target.event_spec);
    s->target.event_spec = list;
    s->target.sets = off ? SETS_USUAL : s->target.sets;
    if (off)
        snprintf(text, sizeof text, "the default events are counted");
    else
        snprintf(text, sizeof text, "%s is counted too", name);
    app_message(s->app, false, text);
    return true;
}
