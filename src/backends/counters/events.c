#include "backends/counters/perf_impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/live/user_tables.h"

enum { USER_SETS = 1 << 20 }; /* the numbers of groups in -e are above those of named sets */

static struct event_row *find_event_row(struct event_table *t, const char *set, const char *name)
{
    for (size_t i = 0; i < t->nrows; i++)
        if (!strcmp(t->rows[i].set, set) && !strcmp(t->rows[i].name, name))
            return &t->rows[i];
    return NULL;
}

/* fixed: the strings are static, so that snapshots may point to them. */
static struct event_row *add_event_row(struct event_table *t, const struct event_def *def,
                                       bool fixed)
{
    struct event_row *row = find_event_row(t, def->set, def->name);
    if (row)
        return row;
    t->rows = xrealloc(t->rows, t->nrows + 1, sizeof *t->rows);
    row = &t->rows[t->nrows++];
    *row = (struct event_row){.fixed = fixed, .user = !fixed};
    row->set = fixed ? def->set : arena_strdup(&t->arena, def->set);
    row->name = fixed ? def->name : arena_strdup(&t->arena, def->name);
    const char *desc = def->desc ? def->desc : "";
    row->desc = fixed ? desc : arena_strdup(&t->arena, desc);
    row->spec = arena_strdup(&t->arena, def->spec);
    return row;
}

static void mark_row_unavailable(struct event_table *t, struct event_row *row,
                                 const struct error *e)
{
    /* a name of rooftop's own rows is not misspelt by the user */
    bool helps = e->help[0] && !(row->fixed && strncmp(e->help, "did you mean", 12) == 0);
    if (!row->why)
        row->why =
            arena_printf(&t->arena, "%s%s%s", e->why, helps ? "; " : "", helps ? e->help : "");
}

static bool has_part(const struct event_table *t, size_t row, const struct perf_encoding *e)
{
    for (size_t i = 0; i < t->nparts; i++) {
        const struct perf_encoding *p = &t->parts[i].enc;
        if (t->parts[i].row == row && p->type == e->type && p->config == e->config &&
            p->config1 == e->config1 && p->config2 == e->config2 &&
            p->exclude_kernel == e->exclude_kernel && p->exclude_user == e->exclude_user &&
            !strcmp(p->cpumask, e->cpumask))
            return true;
    }
    return false;
}

static void add_event_part(struct event_table *t, struct event_row *row,
                           const struct perf_encoding *enc, int set)
{
    size_t index = (size_t)(row - t->rows);
    if (has_part(t, index, enc))
        return;
    t->parts = xrealloc(t->parts, t->nparts + 1, sizeof *t->parts);
    t->parts[t->nparts++] = (struct event_part){.enc = *enc, .row = index, .set = set};
    row->parts++;
}

/* The number of a named set: the index of its first row. */
static int event_set_number(const struct event_table *t, const char *set)
{
    for (size_t i = 0; i < t->nrows; i++)
        if (!strcmp(t->rows[i].set, set))
            return (int)i;
    return (int)t->nrows;
}

/* Resolves one row; an event that this machine lacks stays as a row with the reason. */
static int resolve_event_row(struct event_table *t, struct event_row *row, const char *spec,
                             struct error *err)
{
    struct perf_encoding *enc = NULL;
    size_t n = 0;
    struct error e = ERROR_INIT;
    int rc = event_resolve_all(spec, &enc, &n, &e);
    if (rc < 0 && e.kind == ERROR_USAGE) {
        if (err)
            *err = e;
        return rc;
    }
    if (rc < 0) {
        mark_row_unavailable(t, row, &e);
        return 0;
    }
    for (size_t i = 0; i < n; i++)
        add_event_part(t, row, &enc[i], event_set_number(t, row->set));
    free(enc);
    return 0;
}

/* Adds rows of the catalog. A name that is unknown on this machine makes a row without parts, not
 * an error. */
static void add_defs(struct event_table *t, const struct event_def *def, enum target_sets sets)
{
    for (; def && def->name; def++) {
        struct error e = ERROR_INIT;
        bool ports = strncmp(def->set, "ports", 5) == 0;
        if (sets == SETS_PORTS && !ports && strcmp(def->set, "topdown") != 0 &&
            strcmp(def->set, "core") != 0)
            continue;
        struct event_row *row = add_event_row(t, def, true);
        if (row->user)
            continue; /* the user's own event of this name has precedence */
        if (sets == SETS_USUAL && ports) {
            row->why = "not counted, because the sets of ports would take turns with the others; "
                       "--ports, :event ports or rooftop lab ports counts them";
            continue;
        }
        if (resolve_event_row(t, row, def->spec, &e) < 0)
            mark_row_unavailable(t, row, &e);
    }
}

static int add_spec(struct event_table *t, const char *spec, struct error *err)
{
    struct event_request *req = NULL;
    size_t n = 0;
    int rc = event_list_parse(spec, &req, &n, err);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < n; i++) {
        const struct event_def def = {"user", req[i].name, req[i].spec, "asked for with -e", ""};
        struct event_row *row = add_event_row(t, &def, false);
        add_event_part(t, row, &req[i].enc, req[i].set < 0 ? -1 : USER_SETS + req[i].set);
    }
    free(req);
    return 0;
}

static int add_user(struct event_table *t, const struct user_tables *user, struct error *err)
{
    for (size_t i = 0; i < user->nevents; i++) {
        const struct user_event *u = &user->events[i];
        const struct event_def def = {u->set ? u->set : "user", u->name, u->spec,
                                      u->desc ? u->desc : "from the user's file", ""};
        struct event_row *row = add_event_row(t, &def, false);
        struct error e = ERROR_INIT;
        if (resolve_event_row(t, row, u->spec, &e) < 0) {
            char what[sizeof e.what];
            snprintf(what, sizeof what, "%s:%d: event '%.60s'", user->path ? user->path : "events",
                     u->line, u->name);
            return error_set(err, ERROR_INPUT, EINVAL, e.help, what, "%s", e.why);
        }
    }
    return 0;
}

/* Sorts the parts by row; rows and parts keep the order in which they were added. */
static void order_parts(struct event_table *t)
{
    struct event_part *sorted = xcalloc(t->nparts, sizeof *sorted);
    size_t n = 0;
    for (size_t r = 0; r < t->nrows; r++) {
        t->rows[r].first = n;
        for (size_t i = 0; i < t->nparts; i++)
            if (t->parts[i].row == r)
                sorted[n++] = t->parts[i];
    }
    free(t->parts);
    t->parts = sorted;
}

/* Writes texts that never change once, not for every sample. */
static void describe_events(struct event_table *t)
{
    for (size_t r = 0; r < t->nrows; r++) {
        struct event_row *row = &t->rows[r];
        const struct perf_encoding *e = row->parts ? &t->parts[row->first].enc : NULL;
        row->encoded = e ? arena_printf(&t->arena, "%s (%s type=%u config=%#llx)", row->spec,
                                        e->pmu, (unsigned)e->type, (unsigned long long)e->config)
                         : row->spec;
    }
}

int events_build(struct event_table *t, const struct arch_def *arch, const char *event_spec,
                 enum target_sets sets, const struct user_tables *user, struct error *err)
{
    int rc = 0;
    *t = (struct event_table){0};
    /* The user's events come first, on the screen and for the counters. */
    if (event_spec)
        rc = add_spec(t, event_spec, err);
    if (!rc && user)
        rc = add_user(t, user, err);
    if (rc < 0) {
        events_free(t);
        return rc;
    }
    if (arch && (!event_spec || sets != SETS_USUAL))
        add_defs(t, arch->events, event_spec ? SETS_PORTS : sets);
    add_defs(t, catalog_common, SETS_WITH_PORTS);
    order_parts(t);
    describe_events(t);
    return 0;
}

void events_free(struct event_table *t)
{
    free(t->rows);
    free(t->parts);
    arena_free(&t->arena);
    *t = (struct event_table){0};
}

struct group_plan *events_plan(const struct event_table *t, const struct plan_limits *limits)
{
    struct plan_event *ev = xcalloc(t->nparts, sizeof *ev);
    for (size_t i = 0; i < t->nparts; i++)
        ev[i] = (struct plan_event){.enc = &t->parts[i].enc, .set = t->parts[i].set};
    struct group_plan *p = group_plan_new(ev, t->nparts, limits);
    free(ev);
    return p;
}
