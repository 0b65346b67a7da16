#include "backends/command/brick_counters.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/perf_event/catalog.h"
#include "base/arena.h"
#include "rooftop/counters.h"

#define NO_PMU UINT32_C(0x7fffffff) /* no PMU has this type */
enum { EVENT_MAX = 160, RESOLVED_MAX = EVENT_MAX + 64 };
#define HELP "rooftop events lists those of this machine; docs/COUNTERS.md has the rules"

static int refuse_event(struct error *err, const char *event, const char *why)
{
    return error_set(err, ERROR_USAGE, EINVAL, HELP, "--brick-counters", "%s: %s", event, why);
}

/* The end of the first event: commas between slashes are of its terms. */
static size_t event_length(const char *list)
{
    bool inside = false;
    size_t n = 0;
    for (; list[n] && (inside || list[n] != ','); n++)
        inside = inside != (list[n] == '/');
    return n;
}

/* Where the modes of an event begin, ":u" for example; its end where it has none. */
static const char *modes_of(const char *event)
{
    const char *at = strrchr(event, ':');
    return at && at[1] && at[1 + strspn(at + 1, "ukh")] == '\0' ? at : event + strlen(event);
}

/* How the event that counts FLOPs is called on this CPU; NULL: it has no single one. */
static const char *flops_event(void)
{
    const struct arch_def *arch = arch_find(arch_of_cpu());
    for (const struct event_def *e = arch ? arch->events : NULL; e && e->name; e++)
        if (strcmp(e->set, "flops") == 0 && strcmp(e->name, "flops") == 0)
            return e->spec;
    return NULL;
}

/* Context switches and migrations happen in the kernel; of all else a brick is user mode. */
static const char *usual_modes(const struct perf_encoding *e)
{
    return e->type == PERF_TYPE_SOFTWARE && (e->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
                                             e->config == PERF_COUNT_SW_CPU_MIGRATIONS)
               ? "uk"
               : "u";
}

static int resolve_counter(const char *event, char out[RESOLVED_MAX], struct error *err)
{
    struct perf_encoding e;
    const char *spec = strcmp(event, "flops") == 0 ? flops_event() : event;
    if (!spec)
        return refuse_event(err, event, "this CPU has no single event for them");
    struct error why = ERROR_INIT;
    int rc = event_resolve(spec, &e, &why);
    if (rc != 0 && why.kind == ERROR_UNSUPPORTED) {
        e = (struct perf_encoding){.type =
                                       NO_PMU}; /* the program says that it is not counted here */
        rc = 0;
    }
    if (rc != 0)
        return error_set(err, why.kind, -rc, why.help, "--brick-counters", "%s: %s", event,
                         why.why);
    if (e.scope == EVENT_UNCORE)
        return refuse_event(err, event, "it is counted for the machine, not for a thread");
    if (e.config1 || e.config2)
        return refuse_event(err, event, "it needs more than a type and a code");
    const char *modes = modes_of(event);
    char name[EVENT_MAX];
    snprintf(name, sizeof name, "%.*s", (int)(modes - event), event);
    for (char *c = name; *c; c++)
        if (*c == '=' || *c == ',')
            *c = '_';
    if (*modes)
        modes = e.exclude_user ? "k" : e.exclude_kernel ? "u" : "uk";
    else
        modes = usual_modes(&e);
    snprintf(out, RESOLVED_MAX, "%s=%" PRIu32 ":0x%" PRIx64 ":%s", name, e.type, e.config, modes);
    return 0;
}

int brick_counters_resolve(const char *list, char **out, struct error *err)
{
    const size_t room = strlen(list) + ROOFTOP_COUNTERS_MAX * (size_t)RESOLVED_MAX;
    char *all = xcalloc(1, room);
    size_t n = 0, events = 0;
    int rc = 0;
    while (*list && rc == 0) {
        char event[EVENT_MAX], one[RESOLVED_MAX];
        const size_t length = event_length(list);
        snprintf(event, sizeof event, "%.*s", (int)length, list);
        list += length + (list[length] == ',');
        if (length == 0)
            continue;
        if (length >= sizeof event)
            rc = refuse_event(err, "EVENTS", "a name is too long");
        else if (++events > ROOFTOP_COUNTERS_MAX)
            rc = refuse_event(err, event, "a group has at most eight events");
        else if ((rc = resolve_counter(event, one, err)) == 0)
            n += (size_t)snprintf(all + n, room - n, "%s%s", n ? "," : "", one);
    }
    if (rc == 0 && events == 0)
        rc = refuse_event(err, "EVENTS", "no event is named");
    if (rc != 0)
        free(all);
    else
        *out = all;
    return rc;
}
