#include "backends/ptrace/place.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "backends/ptrace/tracees.h"
#include "base/arena.h"
#include "base/env.h"
#include "engine/syscalls/event.h"

/* A task is moved to the tracer's CPU if it stopped WINDOW times in less than WINDOW * BUSY_NS: at
 * that rate, stops across CPUs take most of its time. It gets its CPUs back if it has not stopped
 * for QUIET_NS outside of a call and another task has not either, because then both compute. (With
 * many tasks on the CPU each waits for its turn: TURN_NS for each of them.) */
enum { WINDOW = 32, BUSY_NS = 150000, QUIET_NS = 8000000, TURN_NS = 20000 };

struct place_mask {
    struct place_mask *next;
    size_t size; /* number of bytes that the kernel wrote */
    unsigned char bits[1024];
};

/* Reads a mask and returns it from the list of different masks, or NULL. */
static const struct place_mask *read_mask(struct place *p, pid_t tid)
{
    struct place_mask now = {0};
    const long n = syscall(SYS_sched_getaffinity, tid, sizeof now.bits, now.bits);
    if (n <= 0)
        return NULL;
    now.size = (size_t)n;
    for (const struct place_mask *m = p->masks; m; m = m->next)
        if (memcmp(m->bits, now.bits, sizeof now.bits) == 0)
            return m;
    struct place_mask *kept = xcalloc(1, sizeof *kept);
    *kept = now;
    kept->next = p->masks;
    return p->masks = kept;
}

static int set_mask(pid_t tid, const struct place_mask *m)
{
    return (int)syscall(SYS_sched_setaffinity, tid, m->size, m->bits);
}

static bool pin_task_to(pid_t tid, int cpu)
{
    struct place_mask m = {.size = sizeof m.bits};
    if (cpu < 0 || (size_t)cpu >= 8 * sizeof m.bits)
        return false;
    m.bits[cpu / 8] = (unsigned char)(1u << (cpu % 8));
    return set_mask(tid, &m) == 0;
}

/* Pins the tracer to its present CPU while a task is pinned. */
static bool pin_tracer(struct place *p)
{
    if (p->pinned)
        return true;
    p->cpu = sched_getcpu();
    p->ours = read_mask(p, 0);
    p->pinned = p->ours && pin_task_to(0, p->cpu);
    return p->pinned;
}

static void pin_beside_tracer(struct tracees *t, struct tracee *task)
{
    struct place *p = &t->place;
    const struct place_mask *own = read_mask(p, task->tid);
    if (!own || !pin_tracer(p))
        return;
    /* A task whose mask or cgroup excludes the tracer's CPU is not moved. */
    const bool allowed = own->bits[p->cpu / 8] & (1u << (p->cpu % 8));
    if (!allowed || !pin_task_to(task->tid, p->cpu)) {
        task->placed.decided = true;
        return;
    }
    task->placed.own = own;
    p->npinned++;
}

static void move_on(struct tracees *t)
{
    struct place *p = &t->place;
    if (--p->npinned > 0 || !p->pinned)
        return;
    set_mask(0, p->ours);
    p->pinned = false;
}

void place_release(struct tracees *t, struct tracee *task)
{
    if (!task->placed.own)
        return;
    set_mask(task->tid, task->placed.own);
    task->placed.own = NULL;
    move_on(t);
}

void place_forget(struct tracees *t, struct tracee *task)
{
    if (task->placed.own)
        move_on(t);
    task->placed.own = NULL;
}

void place_began(struct tracees *t, struct tracee *task, const struct tracee *parent)
{
    if (!t->place.on)
        return;
    task->placed.decided = parent && parent->placed.decided;
    if (!parent)
        pin_beside_tracer(t, task);
    else if (parent->placed.own) {
        task->placed.own = parent->placed.own;
        t->place.npinned++;
    }
}

void place_stop(struct tracees *t, struct tracee *task)
{
    struct placed *at = &task->placed;
    if (!t->place.on)
        return;
    at->last_ns = t->now_ns;
    if (at->own || at->decided || task->fresh)
        return;
    if (at->stops == 0 || t->now_ns - at->since_ns > (uint64_t)WINDOW * BUSY_NS) {
        at->since_ns = t->now_ns;
        at->stops = 1;
    } else if (++at->stops >= WINDOW) {
        at->stops = 0;
        pin_beside_tracer(t, task);
    }
}

void place_now(struct tracees *t, struct tracee *task)
{
    if (t->place.on && !task->placed.own && !task->placed.decided)
        pin_beside_tracer(t, task);
}

static bool is_computing(const struct tracee *task)
{
    return task->placed.own && !task->in_call && !task->stopped && !task->listening;
}

/* Unpins tasks only if at least two compute: one alone, while others wait for it, disturbs none. */
void place_tick(struct tracees *t)
{
    uint64_t quiet = (uint64_t)t->place.npinned * TURN_NS;
    const uint64_t now = env_now_ns();
    size_t computing = 0;
    TRACEES_EACH(t, task)
    computing += is_computing(task);
    if (computing < 2)
        return;
    if (quiet < QUIET_NS)
        quiet = QUIET_NS;
    TRACEES_EACH(t, task)
    if (is_computing(task) && now - task->placed.last_ns > quiet)
        place_release(t, task);
}

/* The task that a pid in an argument means; NULL if it is not traced. */
static struct tracee *find_meant_task(struct tracees *t, struct tracee *task)
{
    const pid_t pid = (pid_t)task->call.args[0];
    return pid == 0 ? task : tracees_find(t, pid);
}

void place_left(struct tracees *t, struct tracee *task)
{
    const struct tracee_call *c = &task->call;
    if (!t->place.on || c->result < 0 || (c->abi != SYSCALL_X86_64 && c->abi != SYSCALL_ARM64) ||
        (c->number != SYS_sched_getaffinity && c->number != SYS_sched_setaffinity))
        return;
    struct tracee *which = find_meant_task(t, task);
    if (!which)
        return;
    if (c->number == SYS_sched_setaffinity) {
        place_forget(t, which); /* the program has set its own mask */
        which->placed.decided = true;
    } else if (which->placed.own) {
        const size_t n = (size_t)c->result, size = which->placed.own->size;
        tracee_write(task, c->args[2], which->placed.own->bits, n < size ? n : size);
    }
}

void place_close(struct tracees *t)
{
    struct place *p = &t->place;
    if (p->pinned)
        set_mask(0, p->ours);
    while (p->masks) {
        struct place_mask *m = p->masks;
        p->masks = m->next;
        free(m);
    }
    *p = (struct place){.cpu = -1};
}
