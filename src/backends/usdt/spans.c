#include "backends/usdt/usdt_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/perf_common/cpus.h"
#include "backends/perf_common/tasks.h"
#include "base/arena.h"
#include "base/env.h"

enum { BUCKETS = 1024, NAME = 16, FILES_TRIED = 1000, PAST = -2 /* not a valid number */ };

struct probed_process {
    struct probed_process *next; /* in its bucket */
    pid_t pid, root;             /* root: the requested process that it descends from */
    char name[NAME];             /* "": not known yet */
    bool leader_gone;            /* its main thread has ended */
    uint64_t dead_ns;            /* when its end was found; 0: it runs */
    bool ended, refused;         /* refused: it gets no file */
    struct brick_writer *file;
    uint32_t *what; /* for each pair its id in the file; BRICK_NONE: not described yet */
};

struct thread {
    struct thread *next;
    pid_t tid;
    struct probed_process *process;
    char name[NAME];
    uint32_t region; /* in the process's file; BRICK_NONE: none yet */
    uint32_t depth;
    struct open_pair {
        uint64_t span, start;
        uint32_t pair;
    } open[SPANS_DEPTH];
};

struct usdt_spans {
    const char *folder;
    struct probed_process *processes[BUCKETS];
    struct thread *threads[BUCKETS];
    size_t nprocesses, nthreads, nfiles;
    char **names; /* names of the pairs */
    uint32_t nnames;
    struct spans_totals totals;
};

struct usdt_spans *spans_new(const char *folder)
{
    struct usdt_spans *s = xcalloc(1, sizeof *s);
    s->folder = folder ? folder : BRICK_FOLDER;
    return s;
}

void spans_name(struct usdt_spans *s, uint32_t pair, const char *name)
{
    if (pair != s->nnames)
        return;
    s->names = xrealloc(s->names, s->nnames + 1, sizeof *s->names);
    s->names[s->nnames++] = xstrdup(name);
    for (size_t i = 0; i < BUCKETS; i++)
        for (struct probed_process *p = s->processes[i]; p; p = p->next)
            if (p->what) {
                p->what = xrealloc(p->what, s->nnames, sizeof *p->what);
                p->what[s->nnames - 1] = BRICK_NONE;
            }
}

/* --- processes --- */

static size_t pid_bucket(pid_t id)
{
    return (unsigned)id % BUCKETS;
}

static struct probed_process *find_probed_process(const struct usdt_spans *s, pid_t pid)
{
    struct probed_process *p = s->processes[pid_bucket(pid)];
    while (p && p->pid != pid)
        p = p->next;
    return p;
}

static struct probed_process *add_probed_process(struct usdt_spans *s, pid_t pid, pid_t root)
{
    struct probed_process *p = find_probed_process(s, pid);
    if (p || s->nprocesses == SPANS_PROCESSES) {
        s->totals.dropped += !p;
        return p;
    }
    p = xcalloc(1, sizeof *p);
    *p = (struct probed_process){
        .next = s->processes[pid_bucket(pid)], .pid = pid, .root = root ? root : pid};
    s->processes[pid_bucket(pid)] = p;
    s->nprocesses++;
    return p;
}

void spans_watch(struct usdt_spans *s, pid_t pid)
{
    add_probed_process(s, pid, 0);
}

bool spans_watched(const struct usdt_spans *s, pid_t pid)
{
    return find_probed_process(s, pid) != NULL;
}

size_t spans_processes(const struct usdt_spans *s, pid_t *out, size_t max)
{
    size_t n = 0;
    for (size_t i = 0; i < BUCKETS; i++)
        for (const struct probed_process *p = s->processes[i]; p && n < max; p = p->next)
            if (!p->ended)
                out[n++] = p->pid;
    return n;
}

/* --- threads --- */

static struct thread *find_probed_thread(const struct usdt_spans *s, const struct probed_process *p,
                                         pid_t tid)
{
    struct thread *t = s->threads[pid_bucket(tid)];
    while (t && (t->tid != tid || t->process != p))
        t = t->next;
    return t;
}

static void remove_thread(struct usdt_spans *s, struct thread **at)
{
    struct thread *t = *at;
    *at = t->next;
    s->totals.lone_begins += t->depth;
    if (t->region != BRICK_NONE && t->process->file)
        brick_writer_thread_end(t->process->file, t->region);
    free(t);
    s->nthreads--;
}

/* Removes the threads of a process; tid 0: all of them. */
static void remove_threads(struct usdt_spans *s, const struct probed_process *p, pid_t tid)
{
    size_t first = tid ? pid_bucket(tid) : 0;
    size_t last = tid ? first : BUCKETS - 1;
    for (size_t i = first; i <= last; i++)
        for (struct thread **at = &s->threads[i]; *at;) {
            if ((*at)->process == p && (!tid || (*at)->tid == tid))
                remove_thread(s, at);
            else
                at = &(*at)->next;
        }
}

static struct thread *add_thread(struct usdt_spans *s, struct probed_process *p, pid_t tid)
{
    char path[96];
    if (s->nthreads == SPANS_THREADS) {
        s->totals.dropped++;
        return NULL;
    }
    struct thread *t = xcalloc(1, sizeof *t);
    t->tid = tid;
    t->process = p;
    t->region = BRICK_NONE;
    snprintf(path, sizeof path, "/proc/%d/task/%d/comm", (int)p->pid, (int)tid);
    if (read_text(t->name, sizeof t->name, path) <= 0)
        snprintf(t->name, sizeof t->name, "%s", p->name);
    t->next = s->threads[pid_bucket(tid)];
    s->threads[pid_bucket(tid)] = t;
    s->nthreads++;
    return t;
}

/* --- files --- */

/* Makes the file. It is named after the requested process, where readers look for it. */
static bool open_span_file(struct usdt_spans *s, struct probed_process *p, uint64_t time)
{
    char path[320], link[64], exe[256];
    struct error err = ERROR_INIT;
    snprintf(link, sizeof link, "/proc/%d/exe", (int)p->pid);
    ssize_t n = readlink(link, exe, sizeof exe - 1);
    exe[n > 0 ? n : 0] = '\0';
    snprintf(link, sizeof link, "/proc/%d/comm", (int)p->pid);
    if (!p->name[0])
        read_text(p->name, sizeof p->name, link);
    const char *slash = strrchr(exe, '/');
    struct brick_writer_program program = {.pid = p->pid,
                                           .start_ticks = task_start(p->pid, p->pid),
                                           .program = slash && slash[1] ? slash + 1 : p->name,
                                           .exe = exe};
    for (int i = 0; i < FILES_TRIED && !p->file; i++) {
        snprintf(path, sizeof path, "%.250s/" BRICK_PREFIX "%d-usdt-%d-%d" BRICK_SUFFIX, s->folder,
                 (int)p->root, (int)p->pid, i);
        if (brick_writer_open(&p->file, path, &program, time, &err) != 0 && access(path, F_OK) != 0)
            break; /* fails for another reason than that the file exists */
    }
    if (!p->file)
        return false;
    p->what = xcalloc(s->nnames + 1, sizeof *p->what);
    memset(p->what, 0xff, (s->nnames + 1) * sizeof *p->what);
    s->nfiles++;
    return true;
}

static void close_span_file(struct usdt_spans *s, struct probed_process *p)
{
    s->nfiles -= p->file != NULL;
    brick_writer_close(p->file);
    free(p->what);
    p->file = NULL;
    p->what = NULL;
}

static void free_process(struct usdt_spans *s, struct probed_process **at)
{
    struct probed_process *p = *at;
    *at = p->next;
    remove_threads(s, p, 0);
    close_span_file(s, p);
    free(p);
    s->nprocesses--;
}

/* Makes space for one more file by removing one of an ended process. */
static bool has_room_for_file(struct usdt_spans *s)
{
    for (size_t i = 0; i < BUCKETS && s->nfiles >= SPANS_FILES; i++)
        for (struct probed_process **at = &s->processes[i]; *at;) {
            if ((*at)->ended)
                free_process(s, at);
            else
                at = &(*at)->next;
        }
    return s->nfiles < SPANS_FILES;
}

static bool has_span_file(struct usdt_spans *s, struct probed_process *p, uint64_t time)
{
    if (!p->file && !p->refused)
        p->refused = !has_room_for_file(s) || !open_span_file(s, p, time);
    return p->file != NULL;
}

void spans_free(struct usdt_spans *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < BUCKETS; i++)
        while (s->processes[i])
            free_process(s, &s->processes[i]);
    for (uint32_t i = 0; i < s->nnames; i++)
        free(s->names[i]);
    free(s->names);
    free(s);
}

/* --- events --- */

void spans_fork(struct usdt_spans *s, pid_t parent, pid_t child)
{
    const struct probed_process *p = find_probed_process(s, parent);
    if (!p || parent == child) /* threads are added at their first span */
        return;
    struct probed_process **old = &s->processes[pid_bucket(child)];
    while (*old && (*old)->pid != child)
        old = &(*old)->next;
    if (*old && (*old)->ended) /* a new process has its pid */
        free_process(s, old);
    struct probed_process *new = add_probed_process(s, child, p->root);
    if (new)
        memcpy(new->name, p->name, sizeof new->name);
}

static void end_probed_process(struct probed_process *p)
{
    p->ended = true;
    if (p->file)
        brick_writer_end(p->file);
}

/*
 * The process executes another program: the file of the old one stays, as for a process that ended.
 */
static void replace_program(struct usdt_spans *s, struct probed_process *p)
{
    remove_threads(s, p, 0);
    p->refused = false;
    if (!p->file)
        return;
    if (s->nprocesses == SPANS_PROCESSES) {
        close_span_file(s, p);
        return;
    }
    struct probed_process *past = xcalloc(1, sizeof *past);
    *past = *p;
    past->pid = PAST;
    past->next = s->processes[pid_bucket(PAST)];
    s->processes[pid_bucket(PAST)] = past;
    s->nprocesses++;
    end_probed_process(past);
    p->file = NULL;
    p->what = NULL;
}

void spans_comm(struct usdt_spans *s, pid_t pid, pid_t tid, const char *name, bool exec)
{
    struct probed_process *p = find_probed_process(s, pid);
    if (!p)
        return;
    if (exec)
        replace_program(s, p);
    if (pid == tid || exec)
        snprintf(p->name, sizeof p->name, "%.15s", name);
    struct thread *t = find_probed_thread(s, p, tid);
    if (t)
        snprintf(t->name, sizeof t->name, "%.15s", name);
}

void spans_exit(struct usdt_spans *s, pid_t pid, pid_t tid)
{
    struct probed_process *p = find_probed_process(s, pid);
    if (!p)
        return;
    remove_threads(s, p, tid);
    p->leader_gone |= pid == tid;
}

static struct thread *ready_thread(struct usdt_spans *s, struct probed_process *p, pid_t tid,
                                   uint64_t time)
{
    struct thread *t = find_probed_thread(s, p, tid);
    t = t ? t : add_thread(s, p, tid);
    if (!t || !has_span_file(s, p, time))
        return NULL;
    if (t->region == BRICK_NONE)
        t->region = brick_writer_thread(p->file, tid, t->name, time);
    return t->region == BRICK_NONE ? NULL : t;
}

void spans_begin(struct usdt_spans *s, pid_t pid, pid_t tid, uint32_t pair, uint64_t time)
{
    struct probed_process *p = find_probed_process(s, pid);
    if (!p || p->ended || pair >= s->nnames)
        return;
    struct thread *t = ready_thread(s, p, tid, time);
    if (!t || t->depth == SPANS_DEPTH) {
        s->totals.dropped++;
        return;
    }
    if (p->what[pair] == BRICK_NONE)
        p->what[pair] = brick_writer_describe(p->file, s->names[pair]);
    uint64_t parent = t->depth ? t->open[t->depth - 1].span : 0;
    uint64_t span = p->what[pair] == BRICK_NONE
                        ? 0
                        : brick_writer_begin(p->file, t->region, parent, p->what[pair]);
    if (!span) {
        s->totals.dropped++;
        return;
    }
    t->open[t->depth++] = (struct open_pair){span, time, pair};
}

void spans_end(struct usdt_spans *s, pid_t pid, pid_t tid, uint32_t pair, uint64_t time)
{
    const struct probed_process *p = find_probed_process(s, pid);
    if (!p || p->ended)
        return;
    struct thread *t = find_probed_thread(s, p, tid);
    uint32_t d = t ? t->depth : 0;
    while (d > 0 && t->open[d - 1].pair != pair)
        d--;
    if (d == 0) {
        s->totals.lone_ends++;
        return;
    }
    const struct open_pair *o = &t->open[d - 1];
    s->totals.lone_begins += t->depth - d;
    t->depth = d - 1;
    brick_writer_span(p->file, t->region, o->span, d > 1 ? t->open[d - 2].span : 0, o->start, time);
    s->totals.spans++;
}

void spans_sweep(struct usdt_spans *s, bool all, uint64_t until_ns)
{
    for (size_t i = 0; i < BUCKETS; i++)
        for (struct probed_process **at = &s->processes[i]; *at;) {
            struct probed_process *p = *at;
            if (!p->ended && !p->dead_ns && (all || p->leader_gone) && !task_alive(p->pid))
                p->dead_ns = env_now_ns();
            if (!p->ended && p->dead_ns && p->dead_ns <= until_ns)
                end_probed_process(p);
            if (p->ended && !p->file && p->pid != p->root)
                free_process(s, at);
            else
                at = &p->next;
        }
}

struct spans_totals spans_totals(const struct usdt_spans *s)
{
    return s->totals;
}
