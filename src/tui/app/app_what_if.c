#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/watch.h"
#include "engine/analysis/analysis.h"
#include "tui/app/app_state.h"

struct app_what_if {
    struct what_if found;
    bool shown;
    char asked[WHAT_IF_TEXT];    /* the text for the view */
    char selected[WHAT_IF_TEXT]; /* the name that the prompt asks a factor for */
};

static struct app_what_if *what_if_of(struct app *a)
{
    if (!a->what_if)
        a->what_if = xcalloc(1, sizeof *a->what_if);
    return a->what_if;
}

void app_what_if_free(struct app *a)
{
    if (a->what_if)
        what_if_free(&a->what_if->found);
    free(a->what_if);
    a->what_if = NULL;
    a->model.what_if = NULL;
}

static int find_gain(struct app *a, const struct what_if_change *c, struct error *err)
{
    const struct analysis *p = a->model.profile;
    struct app_what_if *w = what_if_of(a);
    struct what_if found;
    if (!p)
        return error_set(err, ERROR_USAGE, ENODATA, "rooftop FILE", "what-if",
                         "it needs an opened profile");
    const struct watch *before = watch_set(a->watch);
    int rc = what_if_find(p->trace.calls, &p->path, c, 1, &found, err);
    watch_set(before);
    if (rc != 0) {
        what_if_free(&found);
        return rc;
    }
    what_if_free(&w->found);
    w->found = found;
    if (c->speed > 1e18)
        snprintf(w->asked, sizeof w->asked, "gone: %.*s", WHAT_IF_TEXT - 32, c->text);
    else
        snprintf(w->asked, sizeof w->asked, "%.3gx as fast: %.*s", c->speed, WHAT_IF_TEXT - 32,
                 c->text);
    a->model.what_if = &w->found;
    a->model.what_if_asked = w->asked;
    return 0;
}

int app_what_if(struct app *a, const char *spec, struct error *err)
{
    struct what_if_change c;
    if (strcmp(spec, "off") == 0) {
        app_what_if_free(a);
        return 0;
    }
    int rc = what_if_parse(&c, spec, err);
    return rc == 0 ? find_gain(a, &c, err) : rc;
}

int app_what_if_factor(struct app *a, const char *factor, struct error *err)
{
    struct what_if_change c;
    char spec[64];
    snprintf(spec, sizeof spec, "x=%.60s", factor);
    int rc = what_if_parse(&c, spec, err);
    if (rc != 0)
        return rc;
    snprintf(c.text, sizeof c.text, "%s", what_if_of(a)->selected);
    return find_gain(a, &c, err);
}

unsigned app_what_if_ask(struct app *a)
{
    const struct bricks *b = model_bricks(&a->model);
    unsigned step;
    if (!a->model.profile || !b || sscanf(a->state[a->view].selected_key, "s:%u", &step) != 1 ||
        step >= b->window.nsteps) {
        app_message(a, true, "what-if needs the steps of an opened profile: rooftop FILE");
        return APP_REDRAW;
    }
    const struct brick_span *s = &b->window.spans[b->window.steps[step]];
    if (s->kind == NODE_THREAD || s->kind == NODE_QUEUE || s->kind == NODE_PROGRAM) {
        app_message(a, true,
                    "a thread is only as long as the work in it: choose a step of that work");
        return APP_REDRAW;
    }
    snprintf(what_if_of(a)->selected, sizeof a->what_if->selected, "%s", s->name);
    app_open_prompt(a, PROMPT_WHAT_IF, "2");
    return APP_REDRAW;
}
