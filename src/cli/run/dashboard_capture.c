#include "cli/run/run_impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/env.h"
#include "engine/capture/capturer.h"

enum { BETWEEN_NS = 200000000 };

struct dashboard_capture {
    struct capturer *capturer;
    struct capturer_state state; /* the last state; the app borrows its kernels */
    uint32_t number;             /* number of the request in progress; 0: none */
    bool loaded;
    uint64_t looked_ns;
    char shown[512]; /* the message that is shown, so that it is set only when it changes */
};

int dashboard_capture_open(struct dashboard_capture **out, const struct options *o,
                           struct error *err)
{
    if (!o->capture)
        return 0;
    if (!o->argv)
        return error_set(err, ERROR_USAGE, EINVAL, "rooftop --capture -- COMMAND...", "--capture",
                         "only a command that is started can be captured from");
    struct dashboard_capture *c = xcalloc(1, sizeof *c);
    const int rc = capturer.open(&c->capturer, err);
    if (rc == 0)
        *out = c;
    else
        free(c);
    return rc;
}

static void say_capture_state(struct dashboard_capture *c, struct app *app, bool error,
                              const char *text)
{
    snprintf(c->shown, sizeof c->shown, "%s", text);
    app_message(app, error, text);
}

void dashboard_capture_ask(struct dashboard_capture *c, struct app *app)
{
    struct error err = ERROR_INIT;
    char text[512];
    const struct capturer_request r = {
        .which = CAPTURER_NEXT, .kernel = app_capture(app), .post = true};
    if (!c)
        return;
    if (capturer.ask(c->capturer, &r, &c->number, &err) != 0) {
        c->number = 0;
        say_capture_state(c, app, true, error_format(&err, text, sizeof text));
        return;
    }
    snprintf(text, sizeof text, "waiting for the next dispatch of %.200s", app_capture(app));
    say_capture_state(c, app, false, text);
}

/* The result of the request; NULL: no capture has begun. */
static const struct capturer_result *find_requested_result(const struct capturer_state *s,
                                                           uint32_t number)
{
    for (size_t i = 0; i < s->nresults; i++)
        if (s->results[i].request == number)
            return &s->results[i];
    return NULL;
}

/* Describes the progress of a result; returns whether it failed. */
static bool describe_result(const struct capturer_result *r, const struct capturer_state *s,
                            char *text, size_t size)
{
    if (!r->ended && r->whole)
        snprintf(text, size, "captured: %.300s; %s", r->path,
                 r->gone ? "the program ended before its kernel did" : "its kernel runs");
    else if (r->gone)
        snprintf(text, size, "not captured: %.120s: the program ended; what there is, is in %.300s",
                 r->kernel, r->path);
    else if (!r->ended && !s->total)
        snprintf(text, size, "capturing %.200s", r->kernel);
    else if (!r->ended)
        snprintf(text, size, "capturing %.200s  %.0f %%", r->kernel,
                 100.0 * (double)s->done / (double)s->total);
    else if (r->failed)
        snprintf(text, size, "not captured: %.160s: %.200s", r->kernel, r->why);
    else
        snprintf(text, size, "captured: %.300s%s%.100s", r->path, *r->why ? "; " : "", r->why);
    return r->failed || (r->gone && !r->whole);
}

static bool tell_state(struct dashboard_capture *c, struct app *app, const struct capturer_state *s)
{
    char text[512];
    const struct capturer_result *r = c->number ? find_requested_result(s, c->number) : NULL;
    if (!r)
        return false;
    const bool failure = describe_result(r, s, text, sizeof text);
    const bool news = strcmp(text, c->shown) != 0;
    if (r->ended)
        c->number = 0;
    if (r->whole && !r->failed && (r->ended || news))
        app_captured(app);
    if (news)
        say_capture_state(c, app, failure, text);
    return news;
}

bool dashboard_capture_poll(struct dashboard_capture *c, struct app *app)
{
    const uint64_t now = env_now_ns();
    if (!c || now - c->looked_ns < BETWEEN_NS)
        return false;
    c->looked_ns = now;
    struct capturer_state before = c->state, *s = &c->state;
    capturer.state(c->capturer, s);
    app_set_launched(app, s->kernels, s->nkernels);
    capturer.state_free(&before);
    const bool loaded = s->loaded > 0;
    if (!loaded || !c->loaded)
        app_set_capture(app, loaded ? NULL : "no HSA runtime has loaded the library yet");
    c->loaded = loaded;
    return tell_state(c, app, s);
}

void dashboard_capture_close(struct dashboard_capture *c)
{
    if (!c)
        return;
    capturer.state_free(&c->state);
    capturer.close(c->capturer);
    free(c);
}
