/* Which view is shown, how one comes to another, and the work of the views behind the screen. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>

#include "tui/app/app_state.h"
#include "tui/views/procs/procs.h"

static bool has_something(const struct app *a, int view)
{
    return view_available(views[view], &a->model, &a->state[view]);
}

bool app_view_listed(const struct app *a, int view)
{
    return view == a->view || has_something(a, view);
}

bool app_tab_filled(const struct app *a, enum tab tab)
{
    for (int i = 0; views[i]; i++)
        if (view_tab(i) == tab && has_something(a, i))
            return true;
    return false;
}

static void turn_to_view(struct app *a, int view)
{
    a->view = view;
    a->looked_at[view_tab(view)] = view + 1;
}

void app_show_view(struct app *a, int view)
{
    turn_to_view(a, view);
    a->view_chosen = true;
    overlay_close(a);
}

/* The view behind this one that has something (or, with all, may have nothing), in a circle; with
 * tab only among the views of the same tab. */
static int next_view(const struct app *a, int view, int step, bool tab, bool all)
{
    int n = 1, v = view; /* there is at least one */
    while (views[n])
        n++;
    do
        v = (v + step + n) % n;
    while (v != view && ((tab && view_tab(v) != view_tab(view)) || (!all && !has_something(a, v))));
    return v;
}

void app_step_view(struct app *a, int step)
{
    app_show_view(a, next_view(a, a->view, step, false, false));
}

int app_view_of_tab(const struct app *a, enum tab tab)
{
    const int last = a->looked_at[tab] - 1;
    int first = -1;
    if (last >= 0 && has_something(a, last))
        return last;
    for (int i = 0; views[i]; i++) {
        if (view_tab(i) != tab)
            continue;
        if (has_something(a, i))
            return i;
        first = first < 0 ? i : first;
    }
    return last >= 0 ? last : first;
}

/* A tab that shows a view with something goes on to the next such view; else to the next one, which
 * says what would fill it. */
static int next_view_of_tab(const struct app *a)
{
    const int next = next_view(a, a->view, 1, true, false);
    return next != a->view || has_something(a, next) ? next : next_view(a, next, 1, true, true);
}

static unsigned choose_view(struct app *a, int view, enum view_choice how)
{
    app_show_view(a, view);
    if (!views[view]->chosen) /* switching past a view with Tab does not choose it */
        return APP_REDRAW;
    return APP_REDRAW | app_obey_view(a, views[view]->chosen(&a->model, &a->state[view], how));
}

unsigned app_select_view(struct app *a, int view)
{
    return choose_view(a, view, a->view == view && !a->overlay ? CHOSEN_AGAIN : CHOSEN_BY_KEY);
}

unsigned app_select_tab(struct app *a, enum tab tab)
{
    const bool again = view_tab(a->view) == tab && !a->overlay;
    const int view = again ? next_view_of_tab(a) : app_view_of_tab(a, tab);
    return view < 0 ? APP_REDRAW : choose_view(a, view, CHOSEN_BY_TAB);
}

bool app_set_view(struct app *a, const char *name, struct error *err)
{
    char help[256] = "views are", what[128];
    const char *known;
    int view = view_named(name);
    const int tab = view_tab_named(name);
    if (view < 0 && tab >= 0)
        view = app_view_of_tab(a, (enum tab)tab);
    if (view >= 0) {
        app_show_view(a, view);
        return true;
    }
    for (size_t i = 0; (known = view_typed_name(i)) != NULL; i++) {
        const size_t n = strlen(help);
        snprintf(help + n, sizeof help - n, "%s %s", i ? "," : "", known);
    }
    snprintf(what, sizeof what, "view '%.80s'", name);
    error_set(err, ERROR_USAGE, EINVAL, help, what, "there is no view of that name");
    return false;
}

int app_view_before_host(const struct app *a)
{
    const int host = view_named("overview");
    for (int i = 0; i < host; i++)
        if (view_tab(i) == view_tab(host) && has_something(a, i))
            return i;
    return -1;
}

void app_follow_target(struct app *a)
{
    const int first = app_view_before_host(a), host = view_named("overview");
    if (!a->model.snap || a->view_chosen)
        return;
    if (a->view == host && first >= 0 && a->model.snap->target_kind != TARGET_HOST)
        turn_to_view(a, first);
    else if (view_tab(a->view) == view_tab(host) && !has_something(a, a->view))
        turn_to_view(a, host);
}

unsigned app_contexts(const struct app *a)
{
    if (a->overlay)
        return CONTEXT_GLOBAL | CONTEXT_OVERLAY;
    /* it has no list or plot, only the sentence that says what would fill it */
    if (!view_draws(views[a->view], &a->model, &a->state[a->view]))
        return CONTEXT_GLOBAL;
    const struct procs_state *ps = app_procs(a, a->view);
    const int first = app_view_before_host(a);
    const bool wider = first >= 0 && view_tab(a->view) == view_tab(first);
    return CONTEXT_GLOBAL | views[a->view]->contexts | (wider ? CONTEXT_WIDER : 0) |
           (ps && ps->tree ? CONTEXT_PROC_TREE : 0);
}

struct view_state *app_view_state(struct app *a, const struct view_ops *v)
{
    int i = 0;
    while (views[i] != v)
        i++;
    return &a->state[i];
}

/* --- work behind the screen --- */

void app_watch_fd(struct app *a, int fd)
{
    struct epoll_event ev = {.events = EPOLLIN};
    if (!a->epoll)
        a->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (a->epoll > 0 && fd >= 0)
        epoll_ctl(a->epoll, EPOLL_CTL_ADD, fd, &ev);
}

void app_views_watch(struct app *a)
{
    for (int i = 0; views[i]; i++)
        if (views[i]->fd)
            app_watch_fd(a, views[i]->fd(a->state[i].own));
}

unsigned app_views_poll(struct app *a)
{
    unsigned asked = 0;
    for (int i = 0; views[i]; i++)
        if (views[i]->poll && views[i]->poll(&a->state[i]))
            asked = APP_REDRAW;
    return asked;
}

bool app_views_follow(struct app *a)
{
    bool again = false;
    for (int i = 0; views[i]; i++)
        if (views[i]->follow)
            again |=
                views[i]->follow(&a->model, &a->state[i], i == a->view && !app_opening_shown(a));
    app_views_watch(a);
    return again;
}
