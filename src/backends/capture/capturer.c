#include "engine/capture/capturer.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/capture/library.h"
#include "backends/command/folder.h"
#include "backends/common/launch.h"
#include "base/arena.h"
#include "base/disk_space.h"
#include "format/control.h"
#include "format/pattern.h"

struct capturer {
    struct control *control;
    struct brick_folder folder;
    char page[96];
};

/* --- begin and end --- */

static void capturer_close(struct capturer *c)
{
    if (!c)
        return;
    control_unmap(c->control);
    brick_folder_remove(&c->folder);
    free(c);
}

static int capturer_open(struct capturer **out, struct error *err)
{
    char library[PATH_MAX];
    int rc = capture_library_find(library, err);
    if (rc != 0)
        return rc;
    struct capturer *c = xcalloc(1, sizeof *c);
    errno = 0;
    if (brick_folder_make(&c->folder)) {
        snprintf(c->page, sizeof c->page, "%s/control", c->folder.path);
        c->control = control_create(c->page);
    }
    if (!c->control) {
        char why[DISK_SPACE_WHY];
        const int code = errno;
        const bool refused = disk_space_refuses("/dev/shm", sizeof(struct control), why) != NULL;
        rc = error_set(err, refused ? ERROR_OUTPUT : ERROR_INTERNAL, code, NULL,
                       "prepare a capture", "%s", refused ? why : strerror(code));
        capturer_close(c);
        return rc;
    }
    capture_library_environment(library, c->page);
    *out = c;
    return 0;
}

/* --- requests --- */

static bool write_absolute_folder(const char *folder, char *out, size_t size)
{
    char here[PATH_MAX];
    if (*folder == '/')
        return (size_t)snprintf(out, size, "%s", folder) < size;
    errno = 0;
    return getcwd(here, sizeof here) && (size_t)snprintf(out, size, "%s/%s", here, folder) < size;
}

static int ask_capture(struct capturer *c, const struct capturer_request *r, uint32_t *number,
                       struct error *err)
{
    static const uint32_t modes[] = {CONTROL_OFF, CONTROL_NTH, CONTROL_EVERY, CONTROL_NEXT,
                                     CONTROL_TIME};
    char why[128] = "it is too long";
    struct control_request *q = xcalloc(1, sizeof *q);
    struct pattern *p = xcalloc(1, sizeof *p);
    q->mode = modes[r->which];
    q->n = r->n;
    q->exact = r->exact;
    q->post = r->post;
    q->timeout_ms = r->timeout_s > 0 ? (uint32_t)(r->timeout_s * 1000) : CONTROL_TIMEOUT_MS;
    const char *kernel = r->kernel ? r->kernel : "";
    const bool fits =
        (size_t)snprintf(q->pattern, sizeof q->pattern, "%s", kernel) < sizeof q->pattern;
    const bool valid = fits && (r->exact || pattern_compile(p, kernel, why, sizeof why));
    const bool placed =
        write_absolute_folder(r->folder ? r->folder : CONTROL_FOLDER, q->folder, sizeof q->folder);
    int rc = 0;
    if (!valid)
        rc = error_set(err, ERROR_USAGE, EINVAL, "it is a POSIX extended expression", kernel, "%s",
                       why);
    else if (!placed)
        rc = error_set(err, ERROR_USAGE, errno ? errno : ENAMETOOLONG, "give a shorter one: -o DIR",
                       "the folder of the captures", "%s",
                       errno ? strerror(errno) : "its path is too long");
    else
        *number = control_set(c->control, q);
    free(q);
    free(p);
    return rc;
}

/* --- results --- */

/* Copies a text that the program may be writing now, perhaps without a terminator. */
static char *copy_shared_text(const char *text, size_t size)
{
    size_t n = strnlen(text, size - 1);
    char *out = xcalloc(1, n + 1);
    memcpy(out, text, n);
    return out;
}

static void take_result(struct capturer_result *to, const struct control_result *r)
{
    *to = (struct capturer_result){.ended = atomic_load(&r->state) == CONTROL_READY,
                                   .whole = atomic_load(&r->whole),
                                   .after = r->after,
                                   .gone = atomic_load(&r->state) != CONTROL_READY && r->pid > 0 &&
                                           kill(r->pid, 0) != 0 && errno == ESRCH,
                                   .failed = r->failed,
                                   .path = copy_shared_text(r->path, sizeof r->path),
                                   .kernel = copy_shared_text(r->name, sizeof r->name),
                                   .why = copy_shared_text(r->why, sizeof r->why),
                                   .pid = r->pid,
                                   .code = r->code,
                                   .drained = r->drained,
                                   .request = (uint32_t)r->request,
                                   .regions = r->regions,
                                   .unread = r->unread,
                                   .index = r->index,
                                   .bytes = r->bytes,
                                   .stored = r->stored,
                                   .pause_ns = r->pause_ns,
                                   .gpu_ns = r->gpu_ns};
    memcpy(to->grid, r->grid, sizeof to->grid);
    memcpy(to->block, r->block, sizeof to->block);
}

static int by_dispatches(const void *a, const void *b)
{
    const struct capturer_kernel *x = a, *y = b;
    if (x->dispatches != y->dispatches)
        return x->dispatches < y->dispatches ? 1 : -1;
    return strcmp(x->name, y->name);
}

static void take_kernels(struct capturer_state *out, const struct control *c)
{
    out->kernels = xcalloc(CONTROL_KERNELS, sizeof *out->kernels);
    for (int i = 0; i < CONTROL_KERNELS; i++) {
        const struct control_kernel *k = &c->kernels[i];
        if (atomic_load(&k->state) != CONTROL_READY)
            continue;
        out->kernels[out->nkernels++] =
            (struct capturer_kernel){.name = copy_shared_text(k->name, sizeof k->name),
                                     .mangled = copy_shared_text(k->mangled, sizeof k->mangled),
                                     .dispatches = atomic_load(&k->dispatches),
                                     .slowest_ns = atomic_load(&k->slowest_ns),
                                     .slowest_index = k->slowest_index,
                                     .matches = atomic_load(&k->matching) == control_number(c)};
    }
    qsort(out->kernels, out->nkernels, sizeof *out->kernels, by_dispatches);
}

static void read_capturer_state(struct capturer *capturer, struct capturer_state *out)
{
    struct control *c = capturer->control;
    const uint32_t n = atomic_load(&c->nresults);
    *out = (struct capturer_state){.loaded = atomic_load(&c->loaded),
                                   .queues = atomic_load(&c->queues),
                                   .plain_queues = atomic_load(&c->plain_queues),
                                   .other_kernels = atomic_load(&c->other_kernels),
                                   .dispatches = atomic_load(&c->dispatches),
                                   .matching = atomic_load(&c->matching),
                                   .captured = atomic_load(&c->captured),
                                   .failed = atomic_load(&c->failed),
                                   .done = atomic_load(&c->done),
                                   .total = atomic_load(&c->total)};
    out->message =
        atomic_load(&c->said) ? copy_shared_text(c->message, sizeof c->message) : xstrdup("");
    out->nresults = n < CONTROL_RESULTS ? n : CONTROL_RESULTS;
    out->results = xcalloc(out->nresults + 1, sizeof *out->results);
    for (size_t i = 0; i < out->nresults; i++)
        take_result(&out->results[i], &c->results[i]);
    take_kernels(out, c);
}

static void state_free(struct capturer_state *s)
{
    for (size_t i = 0; i < s->nresults; i++) {
        free((char *)s->results[i].path);
        free((char *)s->results[i].kernel);
        free((char *)s->results[i].why);
    }
    for (size_t i = 0; i < s->nkernels; i++) {
        free((char *)s->kernels[i].name);
        free((char *)s->kernels[i].mangled);
    }
    free(s->results);
    free(s->kernels);
    free((char *)s->message);
    *s = (struct capturer_state){0};
}

static int run_captured_command(char *const *argv, int out_fd, void (*tick)(void *ctx), void *ctx,
                                int *wait_status, int *stopped, struct error *err)
{
    launch_begin();
    const int rc = launch_run_watched(argv, out_fd, tick, ctx, wait_status);
    *stopped = launch_stopped();
    launch_end();
    if (rc == 0)
        return 0;
    char what[192];
    snprintf(what, sizeof what, "run '%.120s'", argv[0]);
    return error_set(err, ERROR_TARGET, -rc,
                     rc == -ENOENT ? "check its name and PATH; everything after -- is the command"
                                   : NULL,
                     what, "%s", rc == -ENOENT ? "command not found" : strerror(-rc));
}

const struct capturer_ops capturer = {capturer_open, ask_capture,          read_capturer_state,
                                      state_free,    run_captured_command, capturer_close};
