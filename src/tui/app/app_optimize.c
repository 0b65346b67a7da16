#include "tui/app/app_optimize.h"

#include "tui/app/app_state.h"
#include "tui/views/optimize/optimize.h"

void app_optimize_free(struct app *a)
{
    run_follower_free(a->optimize.follower);
    run_look_free(a->optimize.look);
    run_picture_free(a->optimize.shown);
}

static unsigned take_picture(struct app *a, struct run_picture *p)
{
    if (!p)
        return 0;
    run_picture_free(a->optimize.shown);
    a->model.optimize = a->optimize.shown = p;
    return APP_REDRAW;
}

unsigned app_optimize_poll(struct app *a)
{
    return a->optimize.follower ? take_picture(a, run_follower_take(a->optimize.follower)) : 0;
}

/* On this thread. */
static bool look_now(struct app *a, const struct run_wish *wish)
{
    bool more = true, got = false;
    if (!a->optimize.look)
        a->optimize.look = run_look_new(".");
    while (more)
        got |= take_picture(a, run_look(a->optimize.look, wish, &more)) != 0;
    return got;
}

bool app_optimize_follow(struct app *a)
{
    struct app_optimize *o = &a->optimize;
    struct error err = ERROR_INIT;
    const bool shown = views[a->view]->contexts & CONTEXT_OPTIMIZE;
    if (!shown) {
        if (o->follower)
            run_follower_want(o->follower, false, NULL);
        return false;
    }
    const struct run_wish *wish = optimize_wish(&a->state[a->view]);
    if (o->at_once)
        return look_now(a, wish);
    if (!o->follower) {
        if (run_follower_new(&o->follower, ".", &err) != 0) {
            char text[APP_TEXT_MAX];
            error_format(&err, text, sizeof text);
            app_message(a, true, text);
            return false;
        }
        app_replay_watch(a, run_follower_fd(o->follower));
    }
    run_follower_want(o->follower, true, wish);
    return false;
}
