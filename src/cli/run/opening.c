#include "cli/run/run_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/env.h"
#include "base/thread.h"
#include "base/watch.h"
#include "cli/run/progress.h"
#include "cli/run/spool.h"
#include "engine/session/session.h"

enum {
    BETWEEN_MS = 100,
    TRACES_MAX = 16 /* most dispatches of a folder that are shown */
};

/* The thread and the screen share it; the last of them frees it, so neither waits for the other. */
struct opening {
    pthread_mutex_t lock; /* protects what follows up to the empty line */
    int refs;
    bool give_up, over;
    struct opened made; /* the result; empty if it was taken or opening failed */
    int rc;
    struct error err;
    struct app_opening state;

    char **paths, *roofs;
    size_t n;
    uint64_t began_ns;
    int fd;
    /* used by the thread only: */
    uint64_t told_ns;
    const struct trace *trace;
};

static void close_analysis(struct analysis *a)
{
    if (a)
        analysis_close(a);
    free(a);
}

void opening_traces_free(struct att_set *traces)
{
    if (traces)
        att_set_free(traces);
    free(traces);
}

static void drop_opening(struct opening *o)
{
    pthread_mutex_lock(&o->lock);
    int left = --o->refs;
    pthread_mutex_unlock(&o->lock);
    if (left > 0)
        return;
    close_analysis(o->made.profile);
    recording_free(o->made.session);
    opening_traces_free(o->made.traces);
    opening_subject_free(o->made.subject);
    for (size_t i = 0; i < o->n; i++)
        free(o->paths[i]);
    free(o->paths);
    free(o->roofs);
    close(o->fd);
    pthread_mutex_destroy(&o->lock);
    free(o);
}

static void tell_opening_progress(const struct opening *o)
{
    uint64_t one = 1;
    ssize_t ignored = write(o->fd, &one, sizeof one);
    (void)ignored;
}

static bool on_progress(void *ctx, const char *path, uint64_t done, uint64_t total)
{
    struct opening *o = ctx;
    uint64_t now = env_now_ns();
    bool due = now - o->told_ns >= BETWEEN_MS * UINT64_C(1000000);
    pthread_mutex_lock(&o->lock);
    bool on = !o->give_up;
    if (due) {
        snprintf(o->state.path, sizeof o->state.path, "%s", path);
        progress_doing(o->state.doing, sizeof o->state.doing, o->trace, done, total);
        o->state.share = trace_share(o->trace, done, total);
        o->told_ns = now;
    }
    pthread_mutex_unlock(&o->lock);
    if (due)
        tell_opening_progress(o);
    return on;
}

static bool is_opening_wanted(void *ctx)
{
    struct opening *o = ctx;
    pthread_mutex_lock(&o->lock);
    bool on = !o->give_up;
    pthread_mutex_unlock(&o->lock);
    return on;
}

static struct analysis *open_profile(struct opening *o, int *rc, struct error *err)
{
    struct analysis *a = xcalloc(1, sizeof *a);
    o->trace = &a->trace;
    a->roofs = o->roofs;
    a->trace.wanted = progress_wanted();
    a->trace.watch = on_progress;
    a->trace.watch_ctx = o;
    *rc = analysis_open(a, (const char *const *)o->paths, o->n, err);
    if (*rc == 0)
        /* built here: the timeline view would have to wait for it */
        *rc = analysis_timeline(a) ? watch_check(o->paths[0], err) : 0;
    a->trace.watch = NULL;
    a->trace.watch_ctx = NULL;
    a->trace.wanted = NULL;
    if (*rc == 0)
        return a;
    close_analysis(a);
    return NULL;
}

static bool is_opened_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

int opening_traces(struct att_set **out, const char *folder, struct error *err)
{
    struct att_set *s = xcalloc(1, sizeof *s);
    int rc = att_set_open(s, folder, TRACES_MAX, err);
    *out = rc == 0 ? s : NULL;
    if (rc != 0)
        opening_traces_free(s);
    return rc;
}

void opening_subject_free(struct subject *s)
{
    if (s)
        subject_free(s);
    free(s);
}

int opening_subject(struct subject **out, const char *path, struct recording *session,
                    struct error *err)
{
    struct subject *s = xcalloc(1, sizeof *s);
    int rc = session ? subject_open_session(s, session, path, err)
                     : subject_open(s, subject_recognise(path), path, err);
    *out = rc == 0 ? s : NULL;
    if (rc != 0)
        opening_subject_free(s);
    return rc;
}

struct att_set *opening_traces_beside(const char *profile)
{
    struct error ignored = ERROR_INIT;
    struct att_set *traces = NULL;
    char path[4200];
    snprintf(path, sizeof path, "%.4000s/att", profile);
    if (trace_folder(profile) && is_opened_folder(path))
        opening_traces(&traces, path, &ignored);
    return traces;
}

/* A session that can be played is shown even if a frame of it is damaged: it has no summary then.
 */
static int open_session_for_screen(struct opened *out, const char *path, struct error *err)
{
    struct error ignored = ERROR_INIT;
    int rc = session_open(&out->session, path, err);
    if (rc == 0 && opening_subject(&out->subject, path, out->session, &ignored) != 0)
        rc = watch_check(path, err);
    return rc;
}

static int open_named_files(struct opening *o, struct opened *out, struct error *err)
{
    int rc = 0;
    switch (o->n == 1 ? subject_recognise(o->paths[0]) : SUBJECT_PROFILE) {
    case SUBJECT_SESSION:
        return open_session_for_screen(out, o->paths[0], err);
    case SUBJECT_TRACES:
        return opening_traces(&out->traces, o->paths[0], err);
    case SUBJECT_CAPTURES:
    case SUBJECT_CODE:
    case SUBJECT_JOB:
    case SUBJECT_HANG:
        return opening_subject(&out->subject, o->paths[0], NULL, err);
    case SUBJECT_PROFILE:
        break;
    }
    out->profile = open_profile(o, &rc, err);
    if (out->profile)
        out->traces = opening_traces_beside(o->paths[0]);
    return rc;
}

/* Copies the pipes that must be files. */
static int spool_opened_files(struct opening *o, struct error *err)
{
    for (size_t i = 0; i < o->n; i++) {
        const char *path = spool_input(o->paths[i], err);
        if (!path)
            return -EINVAL;
        if (path != o->paths[i]) {
            free(o->paths[i]);
            o->paths[i] = xstrdup(path);
        }
    }
    return 0;
}

static void *open_files_thread(void *arg)
{
    struct opening *o = arg;
    struct error err = ERROR_INIT;
    struct opened made = {0};
    const struct watch wanted = {is_opening_wanted, o};
    watch_set(&wanted);
    int rc = spool_opened_files(o, &err);
    if (rc == 0)
        rc = open_named_files(o, &made, &err);
    pthread_mutex_lock(&o->lock);
    o->made = made;
    o->rc = rc;
    o->err = err;
    o->over = true;
    pthread_mutex_unlock(&o->lock);
    tell_opening_progress(o);
    watch_set(NULL);
    drop_opening(o);
    return NULL;
}

struct opening *opening_start(const char *const *paths, size_t n, const char *roofs,
                              struct error *err)
{
    struct opening *o = xcalloc(1, sizeof *o);
    pthread_mutex_init(&o->lock, NULL);
    o->refs = 2;
    o->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    o->paths = xcalloc(n + 1, sizeof *o->paths);
    for (; o->n < n; o->n++)
        o->paths[o->n] = xstrdup(paths[o->n]);
    o->roofs = roofs ? xstrdup(roofs) : NULL;
    o->began_ns = o->told_ns = env_now_ns();
    snprintf(o->state.path, sizeof o->state.path, "%s", n ? paths[0] : "");
    snprintf(o->state.doing, sizeof o->state.doing, "%s", trace_phase_name(TRACE_READING));
    int rc = thread_start(NULL, open_files_thread, o);
    if (rc == 0)
        return o;
    error_set(err, ERROR_INTERNAL, rc, NULL, "open a profile", "no thread for it: %s",
              strerror(rc));
    o->refs = 1;
    drop_opening(o);
    return NULL;
}

void opening_give_up(struct opening *o)
{
    pthread_mutex_lock(&o->lock);
    o->give_up = o->state.giving_up = true;
    pthread_mutex_unlock(&o->lock);
}

void opening_free(struct opening *o)
{
    if (!o)
        return;
    opening_give_up(o);
    drop_opening(o);
}

int opening_fd(const struct opening *o)
{
    return o->fd;
}

static bool is_opening_complete(struct opening *o)
{
    pthread_mutex_lock(&o->lock);
    bool over = o->over;
    pthread_mutex_unlock(&o->lock);
    return over;
}

bool opening_wait(struct opening *o, int ms)
{
    uint64_t now = env_now_ns(), until = now + (uint64_t)ms * 1000000;
    for (; !is_opening_complete(o) && now < until; now = env_now_ns()) {
        struct pollfd p = {.fd = o->fd, .events = POLLIN};
        uint64_t news;
        poll(&p, 1, (int)((until - now) / 1000000) + 1);
        ssize_t ignored = read(o->fd, &news, sizeof news);
        (void)ignored;
    }
    return is_opening_complete(o);
}

bool opening_take(struct opening *o, struct opened *out, int *rc, struct error *err)
{
    uint64_t news;
    ssize_t ignored = read(o->fd, &news, sizeof news);
    (void)ignored;
    pthread_mutex_lock(&o->lock);
    bool over = o->over;
    if (over) {
        *out = o->made;
        *rc = o->rc;
        if (o->rc != 0)
            *err = o->err;
        o->made = (struct opened){0};
    }
    pthread_mutex_unlock(&o->lock);
    return over;
}

void opening_look(struct opening *o, struct app_opening *out)
{
    pthread_mutex_lock(&o->lock);
    *out = o->state;
    pthread_mutex_unlock(&o->lock);
    out->seconds = (unsigned)((env_now_ns() - o->began_ns) / 1000000000);
}
