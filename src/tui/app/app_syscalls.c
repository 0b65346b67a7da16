#include "tui/app/app_syscalls.h"

#include "base/search.h"
#include "tui/app/app_state.h"

void app_syscalls_free(struct app *a)
{
    syscalls_snapshot_unref(a->model.syscalls);
    syscalls_snapshot_unref(a->syscalls.newest);
}

static bool is_tracing_syscalls(const struct syscalls_snapshot *p)
{
    return p->state == SYSCALLS_STARTING || p->state == SYSCALLS_TRACING;
}

/* The user looks at a row that would be gone with the next picture. */
static bool is_held(const struct app *a)
{
    const struct view_state *st = &a->state[a->view];
    return app_syscalls_shown(a) && st->fleeting && (st->follow || a->overlay) &&
           is_tracing_syscalls(a->syscalls.newest);
}

void app_syscalls_refresh(struct app *a)
{
    if (!a->syscalls.newest || (a->model.syscalls && (!a->time.live || is_held(a))))
        return;
    syscalls_snapshot_unref(a->model.syscalls);
    a->model.syscalls = a->syscalls.newest;
    a->syscalls.newest = NULL;
}

void app_set_syscalls(struct app *a, const struct syscalls_snapshot *p)
{
    syscalls_snapshot_unref(a->syscalls.newest);
    a->syscalls.newest = p;
    a->syscalls.wanted = is_tracing_syscalls(p);
    app_syscalls_refresh(a);
}

const struct syscalls_snapshot *app_syscalls(const struct app *a)
{
    return model_syscalls(&a->model);
}

bool app_syscalls_wanted(const struct app *a)
{
    return a->syscalls.wanted;
}

bool app_syscalls_shown(const struct app *a)
{
    return (views[a->view]->contexts & CONTEXT_SYSCALLS) != 0;
}

bool app_syscalls_needed(const struct app *a)
{
    return app_syscalls_shown(a) ||
           (views[a->view]->contexts & (CONTEXT_TREE | CONTEXT_PATH | CONTEXT_TIMELINE));
}

static bool is_pid_watched(const struct snapshot *s, pid_t pid)
{
    size_t low = 0; /* they are in order of pid */
    SEARCH_FIRST(low, s->nprocs, s->procs[low].pid < pid);
    return low < s->nprocs && s->procs[low].pid == pid && s->procs[low].watched;
}

/* Returns the watched processes that no other watched process made. The tracer finds their
 * descendants itself. */
size_t app_syscalls_pids(const struct app *a, pid_t *out, size_t max)
{
    const struct snapshot *s = a->newest;
    size_t n = 0;
    if (s && max && s->target_kind == TARGET_COMMAND && s->command.running)
        out[n++] = s->command.pid;
    if (s && s->target_kind == TARGET_PIDS)
        for (size_t i = 0; i < s->nprocs && n < max; i++)
            if (s->procs[i].watched && !is_pid_watched(s, s->procs[i].ppid))
                out[n++] = s->procs[i].pid;
    return n;
}

void app_syscalls_left(struct app *a)
{
    a->syscalls.wanted = false;
    app_message(a, false, "the program is not traced any more; Y traces it again");
}

/* Why nothing can be traced now; NULL if it can. */
static const char *why_not_traced(const struct app *a)
{
    pid_t pid;
    if (a->model.readonly)
        return "not traced: started with --readonly";
    if (a->time.file || a->model.playback)
        return "a recording cannot be traced: nothing of it runs any more";
    if (!a->newest)
        return "not traced: nothing was measured yet; press the key again";
    if (app_syscalls_pids(a, &pid, 1) > 0)
        return NULL;
    return a->newest->target_kind == TARGET_COMMAND || a->newest->target_kind == TARGET_PIDS
               ? "not traced: what was watched has ended"
               : "nothing to trace: watch a process first (a in the process list; -p PID; -- "
                 "COMMAND)";
}

unsigned app_syscalls_opened(struct app *a, bool again)
{
    const bool on = a->syscalls.wanted;
    if ((on && !again) || (!a->model.syscalls && model_syscalls(&a->model)))
        return 0; /* it goes on; or a saved trace is shown */
    const char *why = on ? NULL : why_not_traced(a);
    if (why) {
        app_message(a, true, why);
        return 0;
    }
    a->syscalls.wanted = !on;
    app_message(a, false, on ? "ending the trace" : "tracing; Y ends the trace");
    return APP_SYSCALLS;
}
