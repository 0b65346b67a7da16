#include "engine/facts/facts.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/hash.h"
#include "base/list.h"
#include "engine/facts/facts_impl.h"

static void name_of_path(char out[64], const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash && slash[1] ? slash + 1 : path;
    size_t n = strnlen(name, 63);
    memcpy(out, name, n);
    out[n] = 0;
}

/* Moves the process to the program of this name. */
static void facts_program(struct run_facts *f, struct process_fact *p, const char *path)
{
    name_of_path(p->name, path);
    uint64_t key = hash_text(0, p->name);
    uint32_t i = ids_get(&f->priv->programs, key);
    if (i == IDS_NONE) {
        LIST_ROOM(f->programs, f->nprograms, f->programs_cap);
        i = (uint32_t)f->nprograms++;
        f->programs[i] = (struct program_fact){0};
        memcpy(f->programs[i].name, p->name, sizeof p->name);
        ids_add(&f->priv->programs, key, i);
    }
    p->program = i;
}

static struct process_fact *process_known(const struct run_facts *f, int32_t pid)
{
    uint32_t i = ids_get(&f->priv->by_pid, (uint32_t)pid);
    return i == IDS_NONE ? NULL : &f->processes[i];
}

static struct process_fact *process_add(struct run_facts *f, const struct syscall_event *e)
{
    LIST_ROOM(f->processes, f->nprocesses, f->processes_cap);
    ids_set(&f->priv->by_pid, (uint32_t)e->pid, (uint32_t)f->nprocesses);
    struct process_fact *p = &f->processes[f->nprocesses++];
    *p = (struct process_fact){
        .pid = e->pid, .begin_ns = e->begin_ns, .status = -1, .threads = 1, .maker = FACTS_NONE};
    facts_program(f, p, "");
    return p;
}

static void forget_memory(struct run_facts *f, struct process_fact *p)
{
    f->mapped -= p->mapped;
    p->mapped = p->break_first = p->break_last = 0;
}

static bool starts_process(const struct syscall_event *e)
{
    return e->kind == SYSCALL_START && e->pid == e->tid;
}

/* The process of an event; a new one where its number was that of a process before. */
static struct process_fact *find_process_of_event(struct run_facts *f,
                                                  const struct syscall_event *e)
{
    struct process_fact *p = process_known(f, e->pid);
    if (!p)
        return process_add(f, e);
    if (!starts_process(e) || !(p->started || p->ended))
        return p;
    forget_memory(f, p);
    p->ended = true;
    return process_add(f, e);
}

static uint32_t maker_of(const struct run_facts *f, int32_t tid)
{
    const uint32_t process = ids_get(&f->priv->by_pid, (uint32_t)tid);
    const uint32_t thread = ids_get(&f->priv->threads, (uint32_t)tid);
    if (process != IDS_NONE && (thread == IDS_NONE || !f->processes[process].ended))
        return process;
    return thread != IDS_NONE ? thread : FACTS_NONE;
}

static void note_task_start(struct run_facts *f, struct process_fact *p,
                            const struct syscall_event *e)
{
    if (e->pid != e->tid) {
        p->threads++;
        ids_set(&f->priv->threads, (uint32_t)e->tid, (uint32_t)(p - f->processes));
        return;
    }
    p->started = true;
    p->parent = e->parent;
    p->maker = maker_of(f, e->parent);
    if (e->nbytes)
        facts_program(f, p, (const char *)e->bytes);
    if (!e->parent)
        return;
    struct run_facts_private *own = f->priv;
    f->started++;
    own->starts[own->nstarts++ % FACTS_BURST] = e->begin_ns;
    uint64_t within = 0, n = own->nstarts < FACTS_BURST ? own->nstarts : FACTS_BURST;
    for (uint32_t back = 1; back <= n; back++) {
        if (e->begin_ns - own->starts[(own->nstarts - back) % FACTS_BURST] > 1000000000)
            break;
        within++;
    }
    if (within > f->start_burst)
        f->start_burst = within;
}

static void note_task_end(struct run_facts *f, struct process_fact *p,
                          const struct syscall_event *e)
{
    if (e->args[0] > p->resident_peak)
        p->resident_peak = e->args[0];
    if (e->pid == e->tid) {
        p->status = e->result;
        p->ended = true;
        forget_memory(f, p);
    }
    p->end_ns = e->end_ns > p->end_ns ? e->end_ns : p->end_ns;
    facts_thread_over(f, e->tid);
}

static void break_moved(struct process_fact *p, uint64_t to)
{
    if (!p->break_first)
        p->break_first = p->break_last = to;
    if (to > p->break_last)
        p->mapped += to - p->break_last;
    else {
        uint64_t less = p->break_last - to;
        p->mapped -= less < p->mapped ? less : p->mapped;
    }
    p->break_last = to;
}

static void facts_memory(struct process_fact *p, const struct syscall_event *e,
                         const struct syscall_duty *duty)
{
    if (!(e->result >= 0 || e->result < -4095) || e->flags & SYSCALL_UNFINISHED)
        return;
    if (duty->role == ROLE_BREAK)
        break_moved(p, (uint64_t)e->result);
    else if (duty->role == ROLE_MAP && e->args[3] & MAP_ANONYMOUS)
        p->mapped += e->args[1];
    else if (duty->role == ROLE_REMAP && e->args[2] > e->args[1])
        p->mapped += e->args[2] - e->args[1];
    else if (duty->role == ROLE_UNMAP)
        p->mapped -= e->args[1] < p->mapped ? e->args[1] : p->mapped;
    if (p->mapped > p->mapped_peak)
        p->mapped_peak = p->mapped;
}

/* Calls that say something about the whole run. */
static void count_run_call(struct run_facts *f, const struct syscall_event *e,
                           const struct syscall_duty *duty)
{
    uint64_t ns = syscall_ns(e);
    switch (duty->role) {
    case ROLE_STAT:
    case ROLE_ACCESS:
        f->stats++;
        f->stats_failed += syscall_failed(e);
        break;
    case ROLE_POLL:
        f->polls++;
        f->polls_empty += e->result == 0 && ns < FACTS_SHORT_NS;
        break;
    case ROLE_READ:
    case ROLE_WRITE:
        f->polls_empty += e->result == -EAGAIN;
        break;
    case ROLE_YIELD:
        f->yields++;
        break;
    case ROLE_RING:
        f->rings += e->result >= 0;
        break;
    case ROLE_FUTEX:
        if ((e->args[1] & FUTEX_CMD_MASK) != FUTEX_WAIT &&
            (e->args[1] & FUTEX_CMD_MASK) != FUTEX_WAIT_BITSET)
            break;
        f->futex_waits++;
        f->futex_ns += ns;
        f->futex_short += ns < FACTS_SHORT_NS;
        break;
    default:
        break;
    }
}

/* Calls that a thread makes for its work, unlike those by which it waits for other threads. */
static bool is_work_call(const struct syscall_duty *duty)
{
    return duty->role >= ROLE_READ && duty->role <= ROLE_SYNC;
}

/* Calls in which a process does nothing. With several threads, the others may work meanwhile. */
static bool is_idle_call(const struct process_fact *p, const struct syscall_duty *duty)
{
    return p->threads == 1 &&
           (duty->role == ROLE_SLEEP || duty->role == ROLE_POLL || duty->role == ROLE_FUTEX);
}

static void process_call(struct run_facts *f, struct process_fact *p, const struct syscall_event *e,
                         const struct syscall_duty *duty)
{
    uint64_t ns = syscall_ns(e);
    p->calls++;
    p->errors += syscall_failed(e);
    p->call_ns += ns;
    if (is_idle_call(p, duty))
        p->asleep_ns += ns;
    if (duty->role == ROLE_WAIT)
        p->child_ns += ns;
    else if (e->tid == e->pid && ns > p->longest_ns && is_work_call(duty)) {
        p->longest_ns = ns;
        p->longest_number = e->number;
        p->longest_abi = e->abi;
    }
    uint64_t before = p->mapped;
    facts_memory(p, e, duty);
    f->mapped += p->mapped - before;
    if (f->mapped > f->mapped_peak)
        f->mapped_peak = f->mapped;
}

static void count_fact_call(struct run_facts *f, struct process_fact *p,
                            const struct syscall_event *e)
{
    const struct syscall_duty *duty = syscall_duty(e->abi, e->number);
    uint32_t process = (uint32_t)(p - f->processes);
    syscall_sums_add(&f->sums, e);
    syscall_sums_add(&f->programs[p->program].sums, e);
    if (syscall_is_operation(e)) { /* it is no call, and what it does to which file is unknown */
        f->operations++;
        return;
    }
    f->calls++;
    f->errors += syscall_failed(e);
    process_call(f, p, e, duty);
    if (e->flags & SYSCALL_NO_ENTRY) /* nor is it known of this call */
        return;
    count_run_call(f, e, duty);
    int fd = -1;
    if (duty->role == ROLE_OPEN && facts_done(e))
        fd = (int)e->result;
    else if (duty->fd >= 0 && duty->path < 0)
        fd = (int)(int32_t)e->args[duty->fd];
    if (duty->role == ROLE_OPEN)
        descriptors_follow(f->descriptors, e);
    const struct descriptor_object *object = descriptors_of(f->descriptors, e->pid, fd);
    if (object)
        facts_use(f, process, e, duty, object);
    facts_stretch(f, process, e, duty, object);
    if (duty->role != ROLE_OPEN)
        descriptors_follow(f->descriptors, e);
    uint32_t open = descriptors_open(f->descriptors, e->pid);
    p->open_last = open;
    if (open > p->open_peak)
        p->open_peak = open;
}

static void note_event_times(struct run_facts *f, const struct syscall_event *e)
{
    if (!f->begin_ns || e->begin_ns < f->begin_ns)
        f->begin_ns = e->begin_ns;
    if (e->end_ns > f->end_ns)
        f->end_ns = e->end_ns;
    f->has_times |= !(e->flags & SYSCALL_NO_TIMES) && e->end_ns > e->begin_ns;
}

void run_facts_add(struct run_facts *f, const struct syscall_event *e)
{
    if (e->kind == SYSCALL_ENTRY)
        return;
    if (e->kind == SYSCALL_LOST) {
        f->lost += e->args[0] ? e->args[0] : 1;
        return;
    }
    note_event_times(f, e);
    struct process_fact *p = find_process_of_event(f, e);
    if (e->end_ns > p->end_ns && !p->ended)
        p->end_ns = e->end_ns;
    switch (e->kind) {
    case SYSCALL_CALL:
        count_fact_call(f, p, e);
        return;
    case SYSCALL_START:
        note_task_start(f, p, e);
        break;
    case SYSCALL_EXIT:
        note_task_end(f, p, e);
        break;
    case SYSCALL_EXEC:
        if (e->nbytes)
            facts_program(f, p, (const char *)e->bytes);
        forget_memory(f, p);
        p->ended = false; /* the end of its first thread said that it ended, but the thread that
                             called execve goes on as the process */
        break;
    default:
        break;
    }
    descriptors_follow(f->descriptors, e);
}

void run_facts_end_process(struct run_facts *f, const struct syscall_event *e)
{
    struct process_fact *p = process_known(f, e->pid);
    if (e->kind != SYSCALL_LOST)
        note_event_times(f, e);
    if (!p || p->ended || e->pid != e->tid)
        return;
    if (starts_process(e) && p->started) {
        forget_memory(f, p);
        p->ended = true;
    } else if (e->kind == SYSCALL_EXIT) {
        note_task_end(f, p, e);
        descriptors_follow(f->descriptors, e);
    }
}

void run_facts_finish(struct run_facts *f)
{
    for (size_t i = 0; i < f->nloops; i++)
        facts_stretch_end(f, i);
    for (size_t i = 0; i < f->nprograms; i++)
        f->programs[i].processes = 0;
    for (size_t i = 0; i < f->nprocesses; i++)
        f->programs[f->processes[i].program].processes++;
}

struct run_facts *run_facts_new(void)
{
    struct run_facts *f = xcalloc(1, sizeof *f);
    f->priv = xcalloc(1, sizeof *f->priv);
    f->descriptors = descriptors_new();
    return f;
}

void run_facts_free(struct run_facts *f)
{
    if (!f)
        return;
    for (size_t i = 0; i < f->nprograms; i++)
        syscall_sums_free(&f->programs[i].sums);
    syscall_sums_free(&f->sums);
    descriptors_free(f->descriptors);
    ids_free(&f->priv->by_pid);
    ids_free(&f->priv->by_tid);
    ids_free(&f->priv->by_use);
    ids_free(&f->priv->programs);
    ids_free(&f->priv->threads);
    free(f->priv->stretches);
    free(f->priv);
    free(f->processes);
    free(f->programs);
    free(f->uses);
    free(f->loops);
    free(f);
}
