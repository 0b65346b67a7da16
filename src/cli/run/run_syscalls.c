#include "cli/run/run_impl.h"

#include <stdlib.h>

#include "base/arena.h"
#include "engine/live/proc_rows.h"
#include "engine/syscalls/snapshot/gather.h"
#include "tui/app/app.h"

enum { READY_MS = 30000, AGAIN_MS = 5000 /* for a trace that is just ending */ };

bool run_syscalls_asked(const struct screen *s, const struct options *o)
{
    return app_shows_calls(s->app, false) && !o->readonly && (o->argv || o->pids);
}

void run_syscalls_expect(struct app *app)
{
    struct syscalls_gather *none = syscalls_gather_new(&syscalls_limits_live);
    struct syscalls_snapshot *p = syscalls_gather_snapshot(none, 0);
    p->state = SYSCALLS_STARTING;
    syscalls_gather_free(none);
    app_set_syscalls(app, p);
}

/* On the engine's thread, while the command waits to be executed. Where it fails, the command runs
 * untraced, and the picture says why. */
static void before_command(void *ctx, pid_t pid)
{
    struct syscalls_watch *w = ctx;
    struct error ignored = ERROR_INIT;
    if (syscalls_watch_begin(w, &pid, 1, true, &ignored) == 0)
        syscalls_watch_ready(w, READY_MS);
}

void run_syscalls_before(struct engine_config *config, struct syscalls_watch *w)
{
    config->before_command = before_command;
    config->before_ctx = w;
}

int run_syscalls_attach(struct syscalls_watch *w, const struct target *t, struct error *err)
{
    const int rc = syscalls_watch_begin(w, t->pids, t->npids, false, err);
    if (rc == 0)
        syscalls_watch_ready(w, READY_MS);
    return rc;
}

void run_syscalls_obey(struct syscalls_watch *w, struct app *app)
{
    struct error err = ERROR_INIT;
    char text[1024];
    if (!app_tracing(app)) {
        syscalls_watch_stop(w);
        return;
    }
    syscalls_watch_wait(w, AGAIN_MS);
    pid_t *pids = xcalloc(TARGET_MAX_PIDS, sizeof *pids);
    const struct snapshot *s = app_newest(app);
    const size_t n = s ? proc_rows_watched(s, pids, TARGET_MAX_PIDS) : 0;
    if (n && syscalls_watch_begin(w, pids, n, false, &err) != 0)
        app_message(app, true, error_format(&err, text, sizeof text));
    free(pids);
}

void run_syscalls_pause(struct syscalls_watch *w)
{
    if (!w || !syscalls_watch_on(w))
        return;
    syscalls_watch_stop(w);
    syscalls_watch_wait(w, READY_MS);
}

bool run_syscalls_poll(struct syscalls_watch *w, struct app *app)
{
    if (!w)
        return false;
    const struct syscalls_snapshot *p = syscalls_watch_take(w);
    if (p)
        app_set_syscalls(app, p);
    if (app_tracing(app) && !app_shows_calls(app, true)) {
        syscalls_watch_stop(w);
        app_end_tracing(app, "the program is not traced any more; Y traces it again");
        return true;
    }
    return p != NULL;
}
