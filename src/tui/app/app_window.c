#include "tui/app/app_window.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/watch.h"
#include "engine/trace/trace_window.h"
#include "tui/app/app_state.h"

struct app_part {
    const struct analysis *whole; /* borrowed */
    struct analysis *shown;       /* NULL: the whole is shown */
    struct analysis *before;      /* the previous part, which views may use until their next draw */
    char text[200];
};

static struct app_part *get_app_part(struct app *a)
{
    if (!a->part)
        a->part = xcalloc(1, sizeof *a->part);
    return a->part;
}

static void close_part(struct analysis *p)
{
    if (p)
        analysis_close(p);
    free(p);
}

/* Rows and spans have other numbers in another part, so cursors must be reset. */
static void forget_places(struct app *a)
{
    for (int i = 0; i < VIEWS_MAX && views[i]; i++) {
        struct view_state *st = &a->state[i];
        st->selected = st->scroll = 0;
        st->selected_key[0] = '\0';
        st->follow = st->pinned = false;
        st->at = st->zoom = st->top = st->hit = 0;
    }
}

static void show_part(struct app *a, struct analysis *part)
{
    struct app_part *p = get_app_part(a);
    close_part(p->before);
    p->before = p->shown;
    p->shown = part;
    a->model.profile = part ? part : p->whole;
    forget_places(a);
}

void app_window_free(struct app *a)
{
    if (!a->part)
        return;
    close_part(a->part->before);
    close_part(a->part->shown);
    free(a->part);
    a->part = NULL;
}

const char *app_window_text(const struct app *a)
{
    return a->part && a->part->shown ? a->part->text : "";
}

static const struct analysis *whole_of(const struct app *a)
{
    return a->part && a->part->shown ? a->part->whole : a->model.profile;
}

static int show_whole(struct app *a, struct error *err)
{
    if (!a->part || !a->part->shown)
        return error_set(err, ERROR_USAGE, ENOENT, NULL, "window", "the whole is shown already");
    show_part(a, NULL);
    return 0;
}

/* Shows the part of base that has these spans. */
static int show_spans_part(struct app *a, const struct analysis *base,
                           const struct window_spans *spans, struct error *err)
{
    const struct analysis *whole = whole_of(a);
    struct analysis *part = xcalloc(1, sizeof *part);
    const struct watch *before = watch_set(a->host.watch);
    int rc = analysis_part(part, base, spans, err);
    watch_set(before);
    if (rc != 0) {
        close_part(part);
        return rc;
    }
    get_app_part(a)->whole = whole;
    show_part(a, part);
    trace_window_text(&part->trace, a->part->text, sizeof a->part->text);
    return 0;
}

static int no_profile(struct error *err)
{
    return error_set(err, ERROR_USAGE, ENODATA, "rooftop FILE", "window",
                     "only profiles that were opened have parts");
}

static int take_window(struct app *a, const struct window *w, struct error *err)
{
    struct window_spans spans = {.n = 0};
    const struct analysis *whole = whole_of(a);
    if (!whole)
        return no_profile(err);
    int rc = window_find(&spans, &whole->trace, w, err);
    if (rc == 0)
        rc = show_spans_part(a, whole, &spans, err);
    window_spans_free(&spans);
    return rc;
}

int app_window_time(struct app *a, const char *arg, struct error *err)
{
    char *text = xstrdup(arg), *rest = text;
    struct window w = {.to = UINT64_MAX};
    if (strcmp(arg, "off") == 0) {
        free(text);
        return show_whole(a, err);
    }
    const char *from = strsep(&rest, " ");
    while (rest && *rest == ' ')
        rest++;
    int rc = window_parse(&w, from, rest && *rest ? rest : NULL, NULL, err);
    if (rc == 0)
        rc = take_window(a, &w, err);
    window_free(&w);
    free(text);
    return rc;
}

static int take_node(struct app *a, uint32_t node, struct error *err)
{
    const struct analysis *p = a->model.profile;
    const struct graph *g = p ? p->trace.calls : NULL;
    if (!g)
        return no_profile(err);
    if (node >= g->nnodes || g->start[node] == GRAPH_UNKNOWN || g->duration[node] == GRAPH_UNKNOWN)
        return error_set(err, ERROR_USAGE, ENOENT, NULL, "window", "it has no times");
    uint64_t to = g->start[node] + g->duration[node];
    struct window_span one = {.from = g->start[node],
                              .to = to,
                              .done = to,
                              .program = graph_root(g, node),
                              .node = node,
                              .number = 1};
    const struct window_spans spans = {.list = &one, .n = 1};
    return show_spans_part(a, p, &spans, err);
}

int app_window_range(struct app *a, const char *arg, struct error *err)
{
    char *end;
    struct window w = {.to = UINT64_MAX};
    if (strcmp(arg, "off") == 0)
        return show_whole(a, err);
    unsigned long node = arg[0] == '#' ? strtoul(arg + 1, &end, 10) : 0;
    if (arg[0] == '#' && end > arg + 1 && !*end)
        return take_node(a, node < UINT32_MAX ? (uint32_t)node : UINT32_MAX, err);
    int rc = window_parse(&w, NULL, NULL, arg, err);
    if (rc == 0)
        rc = take_window(a, &w, err);
    window_free(&w);
    return rc;
}

unsigned app_window_key(struct app *a, const char *key)
{
    struct error err = ERROR_INIT;
    uint64_t from, to;
    uint32_t node;
    char text[512];
    int rc;
    if (!a->model.profile) {
        rc = no_profile(&err);
    } else if (sscanf(key, "t:%" SCNu64 ":%" SCNu64, &from, &to) == 2) {
        struct window_span one = {from, to, to, GRAPH_NONE, GRAPH_NONE, 0};
        const struct window_spans spans = {.list = &one, .n = 1};
        rc = show_spans_part(a, a->model.profile, &spans, &err);
    } else if (sscanf(key, "n:%" SCNu32, &node) == 1) {
        rc = take_node(a, node, &err);
    } else {
        rc = show_whole(a, &err);
    }
    if (rc != 0)
        app_message(a, true, error_format(&err, text, sizeof text));
    else if (app_window_text(a)[0]) {
        snprintf(text, sizeof text, "only %.200s; W again where nothing is zoomed: all of it",
                 app_window_text(a));
        app_message(a, false, text);
    }
    return APP_REDRAW;
}
