/* How long the path of a profile would be if something were faster. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/watch.h"
#include "engine/analysis/analysis.h"
#include "tui/views/path/path.h"

void path_what_if_forget(struct path_what_if *w)
{
    what_if_free(&w->found);
    w->serial = 0;
}

const struct what_if *path_what_if_now(const struct path_what_if *w, const struct analysis *profile)
{
    return w->serial && profile && profile->trace.calls->serial == w->serial ? &w->found : NULL;
}

static int find_gain(struct path_what_if *w, const struct analysis *p, const struct view_host *host,
                     const struct what_if_change *c, struct error *err)
{
    struct what_if found;
    if (!p)
        return error_set(err, ERROR_USAGE, ENODATA, "rooftop FILE", "what-if",
                         "it needs an opened profile");
    const struct watch *before = watch_set(host->watch);
    int rc = what_if_find(p->trace.calls, &p->path, c, 1, &found, err);
    watch_set(before);
    if (rc != 0) {
        what_if_free(&found);
        return rc;
    }
    what_if_free(&w->found);
    w->found = found;
    w->serial = p->trace.calls->serial;
    if (c->speed > 1e18)
        snprintf(w->asked, sizeof w->asked, "gone: %.*s", WHAT_IF_TEXT - 32, c->text);
    else
        snprintf(w->asked, sizeof w->asked, "%.3gx as fast: %.*s", c->speed, WHAT_IF_TEXT - 32,
                 c->text);
    return 0;
}

int path_what_if(struct path_what_if *w, const char *spec, const struct analysis *profile,
                 const struct view_host *host, struct error *err)
{
    struct what_if_change c;
    if (strcmp(spec, "off") == 0) {
        path_what_if_forget(w);
        return 0;
    }
    int rc = what_if_parse(&c, spec, err);
    return rc == 0 ? find_gain(w, profile, host, &c, err) : rc;
}

int path_what_if_factor(struct path_what_if *w, const char *factor, const struct analysis *profile,
                        const struct view_host *host, struct error *err)
{
    struct what_if_change c;
    char spec[64];
    snprintf(spec, sizeof spec, "x=%.60s", factor);
    int rc = what_if_parse(&c, spec, err);
    if (rc != 0)
        return rc;
    snprintf(c.text, sizeof c.text, "%s", w->selected);
    return find_gain(w, profile, host, &c, err);
}

void path_what_if_ask(struct path_what_if *w, const struct model *m, const struct view_state *st)
{
    const struct bricks *b = model_bricks(m);
    const struct view_host *host = st->host;
    unsigned step;
    if (!m->profile || !b || sscanf(st->selected_key, "s:%u", &step) != 1 ||
        step >= b->window.nsteps) {
        host->say(host->app, true, "what-if needs the steps of an opened profile: rooftop FILE");
        return;
    }
    const struct brick_span *s = &b->window.spans[b->window.steps[step]];
    if (s->kind == NODE_THREAD || s->kind == NODE_QUEUE || s->kind == NODE_PROGRAM) {
        host->say(host->app, true,
                  "a thread is only as long as the work in it: choose a step of that work");
        return;
    }
    snprintf(w->selected, sizeof w->selected, "%s", s->name);
    host->prompt(host->app, "how many times as fast (or: gone)", "2");
}
