#include "export/otlp/otlp_syscalls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/arena.h"
#include "base/env.h"
#include "engine/syscalls/calls.h"
#include "engine/syscalls/decode/decode.h"

enum { EXECS = 8, NAME = 256, ARGS = 2048, BUCKETS = 1024 };

struct process {
    struct process *next; /* in its bucket */
    int32_t pid, parent_pid;
    uint8_t id[OTLP_SPAN_ID], parent[OTLP_SPAN_ID];
    uint64_t begin_ns, end_ns, calls, errors, call_ns, threads, peak_rss;
    int64_t status; /* as wait(2) gives it; -1 unknown */
    char path[NAME];
    char *args; /* arguments of the last exec, each ended by NUL */
    size_t nargs;
    uint64_t exec_ns[EXECS];
    char exec[EXECS][64];
    uint32_t nexecs, dropped_execs;
};

/* A thread that is not the first of its process. */
struct thread {
    struct thread *next;
    int32_t tid, pid;
};

struct otlp_syscalls {
    const struct otlp_context *context;
    struct otlp_batch *batch;
    const uint8_t *command;
    bool calls;
    uint64_t shift; /* difference of the time of day to the clock of events */
    struct process *processes[BUCKETS];
    struct thread *threads[BUCKETS];
    uint64_t nprocesses, ncalls, last_ns;
};

struct otlp_syscalls *otlp_syscalls_new(const struct otlp_context *c, struct otlp_batch *b,
                                        const uint8_t *command, bool calls)
{
    struct otlp_syscalls *o = xcalloc(1, sizeof *o);
    o->context = c;
    o->batch = b;
    o->command = command;
    o->calls = calls;
    o->shift = env_wall_ns() - env_now_ns();
    return o;
}

/* --- processes and threads --- */

static struct process *find_process(const struct otlp_syscalls *o, int32_t pid)
{
    struct process *p = o->processes[(uint32_t)pid % BUCKETS];
    while (p && p->pid != pid)
        p = p->next;
    return p;
}

/* Returns the link to a thread in its bucket, or the bucket's last link. */
static struct thread **find_thread(struct otlp_syscalls *o, int32_t tid)
{
    struct thread **t = &o->threads[(uint32_t)tid % BUCKETS];
    while (*t && (*t)->tid != tid)
        t = &(*t)->next;
    return t;
}

static void forget_thread(struct otlp_syscalls *o, int32_t tid)
{
    struct thread **at = find_thread(o, tid), *t = *at;
    if (t) {
        *at = t->next;
        free(t);
    }
}

static void keep_thread(struct otlp_syscalls *o, int32_t tid, int32_t pid)
{
    struct thread **at = find_thread(o, tid);
    if (!*at)
        *at = xcalloc(1, sizeof **at);
    (*at)->tid = tid;
    (*at)->pid = pid;
}

static struct process *start_traced_process(struct otlp_syscalls *o, int32_t pid, int32_t maker,
                                            uint64_t ns)
{
    const struct thread *t = *find_thread(o, maker);
    const int32_t maker_pid = t ? t->pid : maker;
    const struct process *parent = maker ? find_process(o, maker_pid) : NULL;
    struct process *p = xcalloc(1, sizeof *p), **bucket = &o->processes[(uint32_t)pid % BUCKETS];
    p->pid = pid;
    p->parent_pid = parent ? parent->pid : 0;
    p->begin_ns = p->end_ns = ns;
    p->status = -1;
    if (o->command && o->nprocesses == 0)
        memcpy(p->id, o->command, sizeof p->id);
    else
        otlp_context_id(o->context, OTLP_FIRST_PROCESS + o->nprocesses, p->id);
    o->nprocesses++;
    memcpy(p->parent, parent ? parent->id : o->context->parent, sizeof p->parent);
    p->next = *bucket;
    *bucket = p;
    return p;
}

static struct process *get_calling_process(struct otlp_syscalls *o, const struct syscall_event *e)
{
    struct process *p = find_process(o, e->pid);
    if (p)
        return p;
    return start_traced_process(o, e->pid, 0, e->begin_ns ? e->begin_ns : e->end_ns);
}

/* --- spans --- */

static const char *get_executable_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static void tell_status(struct otlp_span *s, struct otlp_attrs *a, int64_t status, char message[64])
{
    if (status < 0)
        return;
    const int code = (int)status;
    if (WIFEXITED(code))
        otlp_int(a, "process.exit.code", WEXITSTATUS(code));
    if (WIFSIGNALED(code)) {
        const char *name = syscall_signal_name(WTERMSIG(code));
        otlp_text(a, "rooftop.process.signal", name);
        snprintf(message, 64, "ended by %.40s", name ? name : "a signal");
    } else if (WIFEXITED(code) && WEXITSTATUS(code) != 0) {
        snprintf(message, 64, "exit status %d", WEXITSTATUS(code));
    }
    s->message = message;
    s->status = message[0] ? OTLP_ERROR : OTLP_UNSET;
}

static struct otlp_span begin_syscalls_span(const struct otlp_context *c,
                                            const struct otlp_attrs *a)
{
    struct otlp_span s = {.state = c->state, .kind = OTLP_INTERNAL, .attrs = a};
    memcpy(s.trace, c->trace, sizeof s.trace);
    return s;
}

static void write_process(struct otlp_syscalls *o, const struct process *p)
{
    struct otlp_attrs attrs = {0}, execs[EXECS] = {0};
    struct otlp_event events[EXECS];
    char message[64] = "";
    struct otlp_span s = begin_syscalls_span(o->context, &attrs);
    memcpy(s.id, p->id, sizeof s.id);
    memcpy(s.parent, p->parent, sizeof s.parent);
    s.name = p->path[0] ? get_executable_name(p->path) : "process";
    s.begin_ns = p->begin_ns + o->shift;
    s.end_ns = p->end_ns + o->shift;
    otlp_text(&attrs, "rooftop.kind", "process");
    otlp_int(&attrs, "process.pid", p->pid);
    if (p->parent_pid)
        otlp_int(&attrs, "process.parent_pid", p->parent_pid);
    otlp_text(&attrs, "process.executable.name", p->path[0] ? get_executable_name(p->path) : NULL);
    otlp_text(&attrs, "process.executable.path", p->path[0] == '/' ? p->path : NULL);
    if (p->args)
        otlp_texts(&attrs, "process.command_args", p->args, p->nargs);
    tell_status(&s, &attrs, p->status, message);
    if (p->threads)
        otlp_uint(&attrs, "rooftop.process.threads_started", p->threads);
    if (p->peak_rss)
        otlp_uint(&attrs, "rooftop.process.peak_resident_bytes", p->peak_rss);
    otlp_uint(&attrs, "rooftop.syscalls.calls", p->calls);
    otlp_uint(&attrs, "rooftop.syscalls.errors", p->errors);
    otlp_uint(&attrs, "rooftop.syscalls.time_ns", p->call_ns);
    for (uint32_t i = 0; i < p->nexecs; i++) {
        otlp_text(&execs[i], "process.executable.name", p->exec[i]);
        events[i] = (struct otlp_event){p->exec_ns[i] + o->shift, "exec", &execs[i]};
    }
    s.events = events;
    s.nevents = p->nexecs;
    s.dropped_events = p->dropped_execs;
    otlp_batch_add(o->batch, &s);
}

static void finish_process(struct otlp_syscalls *o, struct process *p)
{
    struct process **at = &o->processes[(uint32_t)p->pid % BUCKETS];
    while (*at != p)
        at = &(*at)->next;
    *at = p->next;
    write_process(o, p);
    free(p->args);
    free(p);
}

static void write_call_span(struct otlp_syscalls *o, const struct process *p,
                            const struct syscall_event *e)
{
    struct otlp_attrs attrs = {0};
    char *args = NULL;
    size_t nargs = 0;
    struct otlp_span s = begin_syscalls_span(o->context, &attrs);
    FILE *f = open_memstream(&args, &nargs);
    if (!f)
        return;
    syscall_write_args(f, e, NULL);
    fclose(f);
    otlp_context_id(o->context, OTLP_FIRST_CALL + o->ncalls++, s.id);
    memcpy(s.parent, p->id, sizeof s.parent);
    s.name = syscall_name(e->abi, e->number);
    s.begin_ns = e->begin_ns + o->shift;
    s.end_ns = e->end_ns + o->shift;
    otlp_text(&attrs, "rooftop.kind", "syscall");
    otlp_text(&attrs, "syscall.name", s.name);
    otlp_uint(&attrs, "syscall.number", e->number);
    otlp_text_n(&attrs, "syscall.arguments", args, nargs < ARGS ? nargs : ARGS);
    if (!(e->flags & (SYSCALL_UNFINISHED | SYSCALL_NO_RESULT)))
        otlp_int(&attrs, "syscall.result", e->result);
    if (syscall_failed(e)) {
        otlp_text(&attrs, "error.type", syscall_errno_name((int)-e->result));
        s.status = OTLP_ERROR;
    }
    otlp_int(&attrs, "thread.id", e->tid);
    otlp_int(&attrs, "process.pid", e->pid);
    otlp_batch_add(o->batch, &s);
    free(args);
}

/* --- events --- */

static void note_exec(struct process *p, const struct syscall_event *e)
{
    const char *bytes = (const char *)e->bytes;
    const size_t path = bytes ? strnlen(bytes, e->nbytes) : 0;
    p->end_ns = e->end_ns > p->end_ns ? e->end_ns : p->end_ns;
    if (path == 0)
        return;
    snprintf(p->path, sizeof p->path, "%.*s", (int)(path < NAME ? path : NAME - 1), bytes);
    if (p->nexecs < EXECS) {
        p->exec_ns[p->nexecs] = e->end_ns;
        snprintf(p->exec[p->nexecs++], sizeof p->exec[0], "%s", get_executable_name(p->path));
    } else {
        p->dropped_execs++;
    }
    free(p->args);
    p->nargs = e->nbytes - path > 1 ? e->nbytes - path - 1 : 0;
    p->nargs = p->nargs < ARGS ? p->nargs : ARGS;
    p->args = xcalloc(p->nargs + 1, 1);
    memcpy(p->args, bytes + path + 1, p->nargs);
}

static void note_process_start(struct otlp_syscalls *o, const struct syscall_event *e)
{
    if (e->tid != e->pid) {
        get_calling_process(o, e)->threads++;
        keep_thread(o, e->tid, e->pid);
        return;
    }
    struct process *p = find_process(o, e->pid);
    if (p) /* the end of an earlier process with this pid was not seen */
        finish_process(o, p);
    p = start_traced_process(o, e->pid, e->parent, e->end_ns);
    if (e->nbytes)
        snprintf(p->path, sizeof p->path, "%.*s",
                 (int)strnlen((const char *)e->bytes, e->nbytes < NAME ? e->nbytes : NAME - 1),
                 (const char *)e->bytes);
}

static void count_process_call(struct otlp_syscalls *o, const struct syscall_event *e)
{
    struct process *p = get_calling_process(o, e);
    if (!syscall_is_operation(e)) {
        p->calls++;
        p->errors += syscall_failed(e);
        p->call_ns += syscall_ns(e);
    }
    p->end_ns = e->end_ns > p->end_ns ? e->end_ns : p->end_ns;
    if (o->calls && !(e->flags & SYSCALL_NO_TIMES))
        write_call_span(o, p, e);
}

void otlp_syscalls_event(struct otlp_syscalls *o, const struct syscall_event *e)
{
    struct process *p;
    o->last_ns = e->end_ns > o->last_ns ? e->end_ns : o->last_ns;
    switch ((enum syscall_event_kind)e->kind) {
    case SYSCALL_START:
        note_process_start(o, e);
        break;
    case SYSCALL_EXEC:
        note_exec(get_calling_process(o, e), e);
        break;
    case SYSCALL_CALL:
        count_process_call(o, e);
        break;
    case SYSCALL_EXIT:
        forget_thread(o, e->tid);
        if (e->tid != e->pid || !(p = find_process(o, e->pid)))
            break;
        p->status = e->result;
        p->peak_rss = e->args[0];
        p->end_ns = e->end_ns > p->end_ns ? e->end_ns : p->end_ns;
        finish_process(o, p);
        break;
    default:
        break;
    }
}

void otlp_syscalls_tick(struct otlp_syscalls *o)
{
    otlp_batch_tick(o->batch);
}

void otlp_syscalls_end(struct otlp_syscalls *o, int wait_status)
{
    for (uint32_t i = 0; i < BUCKETS; i++)
        while (o->processes[i]) {
            struct process *p = o->processes[i];
            if (o->command && memcmp(p->id, o->command, sizeof p->id) == 0)
                p->status = wait_status;
            p->end_ns = o->last_ns > p->end_ns ? o->last_ns : p->end_ns;
            finish_process(o, p);
        }
}

void otlp_syscalls_free(struct otlp_syscalls *o)
{
    for (uint32_t i = 0; o && i < BUCKETS; i++) {
        while (o->threads[i])
            forget_thread(o, o->threads[i]->tid);
        while (o->processes[i]) {
            struct process *p = o->processes[i];
            o->processes[i] = p->next;
            free(p->args);
            free(p);
        }
    }
    free(o);
}

/* --- a command without a tracer --- */

void otlp_command_write(const struct otlp_context *c, struct otlp_batch *b,
                        const struct otlp_command *command)
{
    struct otlp_attrs attrs = {0};
    struct otlp_bytes args = {0};
    char message[64] = "";
    struct otlp_span s = begin_syscalls_span(c, &attrs);
    memcpy(s.id, command->id, sizeof s.id);
    memcpy(s.parent, c->parent, sizeof s.parent);
    for (const char *const *a = command->argv; *a && args.n < ARGS; a++)
        otlp_put(&args, *a, strlen(*a) + 1);
    s.name = command->argv[0] ? get_executable_name(command->argv[0]) : "";
    s.begin_ns = command->begin_ns;
    s.end_ns = command->end_ns;
    otlp_text(&attrs, "rooftop.kind", "process");
    if (command->pid > 0)
        otlp_int(&attrs, "process.pid", command->pid);
    otlp_text(&attrs, "process.executable.name", s.name);
    otlp_texts(&attrs, "process.command_args", (const char *)args.data, args.n);
    tell_status(&s, &attrs, command->wait_status, message);
    otlp_batch_add(b, &s);
    otlp_bytes_free(&args);
}
