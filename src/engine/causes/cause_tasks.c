/* Tasks: the calls that make them or wait for their ends, and the signals between them. */
#include <signal.h>
#include <string.h>

#include "base/list.h"
#include "engine/causes/causes_impl.h"
#include "engine/syscalls/calls.h"
#include "engine/syscalls/memory.h"

/* Flags from linux/sched.h. */
enum {
    SHARES_MEMORY = 0x100,
    SHARES_FILES = 0x400,
    WAITS_FOR_EXEC = 0x4000,
    CLEARS_TID = 0x200000
};

static struct process *cause_process_known(const struct causes *c, int32_t pid)
{
    uint32_t i = ids_get(&c->by_pid, (uint32_t)pid);
    return i == IDS_NONE ? NULL : &c->processes[i];
}

static struct process *cause_process(struct causes *c, int32_t pid)
{
    struct process *known = cause_process_known(c, pid);
    if (known)
        return known;
    LIST_ROOM(c->processes, c->nprocesses, c->processes_cap);
    c->processes[c->nprocesses] = (struct process){.pid = pid, .memory = c->nprocesses};
    ids_add(&c->by_pid, (uint32_t)pid, c->nprocesses);
    return &c->processes[c->nprocesses++];
}

/* Makes the first event of a task an effect of the call that made it. */
static void comes_from(struct causes *c, struct lane *l, uint64_t id, uint64_t at, uint64_t to)
{
    clock_join(&l->at, at);
    causes_tell(c, id, to, CAUSE_START);
    l->caused = true;
}

struct lane *cause_lane(struct causes *c, const struct syscall_event *e)
{
    uint32_t i = ids_get(&c->by_tid, (uint32_t)e->tid);
    if (i == IDS_NONE) {
        if (c->nlanes >= LANES_MOST)
            return NULL;
        LIST_ROOM(c->lanes, c->nlanes, c->lanes_cap);
        i = c->nlanes++;
        ids_add(&c->by_tid, (uint32_t)e->tid, i);
        c->lanes[i] = (struct lane){.tid = e->tid, .at = c->forks};
    }
    struct lane *l = &c->lanes[i];
    if (c->nprocesses >= LANES_MOST && !cause_process_known(c, e->pid))
        return NULL;
    l->process = (uint32_t)(cause_process(c, e->pid) - c->processes);
    const uint32_t maker = l->first ? IDS_NONE : ids_get(&c->by_maker, (uint32_t)e->tid);
    if (maker != IDS_NONE && !l->caused && e->kind != SYSCALL_START)
        comes_from(c, l, c->makers[maker].id, c->makers[maker].at, c->next_id);
    return l;
}

/* --- fork --- */

static uint64_t clone_args(const struct syscall_event *e, size_t member)
{
    uint64_t v = 0;
    size_t n = 0;
    const uint8_t *kept = syscall_kept(e, e->args[0], false, &n, NULL);
    if (kept && n >= (member + 1) * sizeof v)
        memcpy(&v, kept + member * sizeof v, sizeof v);
    return v;
}

/* The flags of a call that makes a task, and the address that is cleared when the task ends. */
static uint64_t read_clone_flags(const struct syscall_event *e, uint64_t *clear)
{
    const char *name = syscall_name(e->abi, e->number);
    uint64_t flags = 0;
    *clear = 0;
    if (strcmp(name, "vfork") == 0)
        flags = WAITS_FOR_EXEC | SHARES_MEMORY;
    else if (strcmp(name, "clone3") == 0) { /* struct clone_args: flags, pidfd, child_tid, … */
        flags = clone_args(e, 0);
        *clear = clone_args(e, 2);
    } else if (strcmp(name, "clone") == 0) {
        flags = e->args[0];
        *clear = e->args[e->abi == SYSCALL_X86_64 || e->abi == SYSCALL_X32 ? 3 : 4];
    }
    if (!(flags & CLEARS_TID))
        *clear = 0;
    return flags;
}

static uint64_t clear_key(const struct process *p, uint64_t address)
{
    return ids_mix(address) ^ p->memory;
}

void cause_task_made(struct causes *c, struct lane *l, const struct syscall_event *e)
{
    uint64_t clear;
    const uint64_t flags = read_clone_flags(e, &clear);
    if (e->result <= 0 || e->result > INT32_MAX || e->flags & SYSCALL_UNFINISHED)
        return;
    const uint32_t made = ids_get(&c->by_tid, (uint64_t)e->result);
    struct lane *child = made == IDS_NONE ? NULL : &c->lanes[made];
    const bool seen = child && child->began > l->entered;
    if (clear) {
        const uint64_t key = clear_key(&c->processes[l->process], clear);
        const uint32_t at = ids_get(&c->by_clear_tid, key);
        /* addresses are reused: the map leads to the maker's list, whose last entry counts */
        if (at == IDS_NONE && c->nmakers < LANES_MOST) {
            LIST_ROOM(c->makers, c->nmakers, c->makers_cap);
            c->makers[c->nmakers] = (struct maker){.id = (uint64_t)e->result};
            ids_add(&c->by_clear_tid, key, c->nmakers++);
        } else if (at != IDS_NONE)
            c->makers[at].id = (uint64_t)e->result;
    }
    if (seen && !child->caused) {
        child->caused = true;
        causes_tell(c, l->call, child->first, CAUSE_START);
    } else if (!seen && c->nmakers < LANES_MOST) {
        const uint32_t at = ids_get(&c->by_maker, (uint64_t)e->result);
        const struct maker maker = {.id = l->call, .at = l->entry};
        if (at != IDS_NONE)
            c->makers[at] = maker;
        else {
            LIST_ROOM(c->makers, c->nmakers, c->makers_cap);
            c->makers[c->nmakers] = maker;
            ids_add(&c->by_maker, (uint64_t)e->result, c->nmakers++);
        }
    }
    struct process *p =
        seen && flags & WAITS_FOR_EXEC ? cause_process_known(c, (int32_t)e->result) : NULL;
    if (p && p->last) { /* the child has executed a program or ended */
        clock_join(&l->at, p->at);
        causes_tell(c, p->made_by_vfork ? p->made_by_vfork : p->last, l->call, CAUSE_END);
    }
}

void cause_task_starts(struct causes *c, struct lane *l, const struct syscall_event *e)
{
    struct process *p = &c->processes[l->process];
    const uint32_t by = ids_get(&c->by_tid, (uint32_t)e->parent);
    const uint32_t known = ids_get(&c->by_maker, (uint32_t)e->tid);
    const uint64_t id = c->next_id - 1;
    const struct lane *maker = e->parent > 0 && by != IDS_NONE ? &c->lanes[by] : NULL;
    l->first = 0;
    l->exits = 0;
    l->in_call = false;
    if (e->pid == e->tid)
        p->memory = (uint32_t)(p - c->processes);
    if (maker && maker != l && e->args[0] & SHARES_MEMORY)
        p->memory = c->processes[maker->process].memory;
    if (e->pid == e->tid && e->args[0] & SHARES_FILES)
        causes_lose(c, "CLONE_FILES", e->begin_ns); /* both processes share their descriptors */
    p->made_by_vfork = 0;
    if (maker && maker != l && maker->in_call &&
        syscall_duty(maker->abi, maker->number)->role == ROLE_FORK)
        comes_from(c, l, maker->call, maker->entry, id);
    else if (maker && maker != l && known != IDS_NONE)
        comes_from(c, l, c->makers[known].id, c->makers[known].at, id);
    else
        l->caused = false;
}

/* --- ends --- */

void cause_task_ends(struct causes *c, struct lane *l, const struct syscall_event *e)
{
    struct process *p = &c->processes[l->process];
    if (e->kind == SYSCALL_EXEC)
        p->memory = l->process;
    if (e->kind == SYSCALL_EXEC || l->tid == p->pid)
        p->made_by_vfork = p->last;
    if (e->kind == SYSCALL_EXIT && l->exits == 0)
        l->exits = l->last;
    if (e->kind == SYSCALL_EXIT || e->args[0] != (uint64_t)e->tid)
        l->in_call = false; /* otherwise execve still has to return */
}

/* The process that a wait returned; 0: none, or unknown. */
static int32_t read_awaited_pid(const struct syscall_event *e)
{
    enum { SI_PID = 12 }; /* in siginfo_t of 64-bit programs */
    int32_t pid = 0;
    size_t n = 0;
    if (strcmp(syscall_name(e->abi, e->number), "waitid") != 0)
        return e->result > 0 && e->result <= INT32_MAX ? (int32_t)e->result : 0;
    const uint8_t *kept = e->result == 0 ? syscall_kept(e, e->args[2], true, &n, NULL) : NULL;
    if (kept && n >= SI_PID + sizeof pid)
        memcpy(&pid, kept + SI_PID, sizeof pid);
    return pid;
}

void cause_task_awaited(struct causes *c, struct lane *l, const struct syscall_event *e)
{
    const int32_t pid = read_awaited_pid(e);
    const struct process *p = pid > 0 ? cause_process_known(c, pid) : NULL;
    if (!p || p == &c->processes[l->process])
        return;
    clock_join(&l->at, p->at);
    causes_tell(c, p->last, l->call, CAUSE_END);
}

bool cause_task_joined(struct causes *c, struct lane *l, const struct syscall_event *e)
{
    const uint32_t at = ids_get(&c->by_clear_tid, clear_key(&c->processes[l->process], e->args[0]));
    const uint32_t i = at == IDS_NONE ? IDS_NONE : ids_get(&c->by_tid, c->makers[at].id);
    if (i == IDS_NONE || &c->lanes[i] == l)
        return false;
    const struct lane *ended = &c->lanes[i];
    const uint64_t cause = ended->exits;
    if (!cause)
        return false;
    clock_join(&l->at, ended->at);
    causes_tell(c, cause, l->call, CAUSE_END);
    return true;
}

/* --- signals --- */

enum { BY_KILL = 0 /* SI_USER */, BY_QUEUE = -1, BY_TKILL = -6, SIGNALS = 65 };

static uint64_t signal_key(int32_t from, int32_t to, int32_t number, bool thread)
{
    return ids_mix((uint64_t)(uint32_t)from << 32 | (uint32_t)to) ^
           ids_mix((uint64_t)number << 2 | thread) ^ UINT64_C(4) << 56;
}

void cause_sends_signal(struct causes *c, struct lane *l, const struct syscall_event *e)
{
    const char *name = syscall_name(e->abi, e->number);
    const bool group = strcmp(name, "tgkill") == 0 || strcmp(name, "rt_tgsigqueueinfo") == 0;
    const bool thread = group || strcmp(name, "tkill") == 0;
    const int32_t to = (int32_t)e->args[group], number = (int32_t)e->args[1 + group];
    clock_join(&c->signals, l->entry);
    if (number <= 0 || number >= SIGNALS)
        return;
    if (to <= 0) {
        c->groups = true;
        return;
    }
    l->wires.out =
        wire_of(c, signal_key(c->processes[l->process].pid, to, number, thread), WIRE_CANDIDATES);
    wire_enter(c, l->wires.out, WIRE_OUT, l->call, l->entry, 1);
}

void cause_signal(struct causes *c, struct lane *l, const struct syscall_event *e)
{
    const int32_t code = (int32_t)e->args[0], from = (int32_t)e->args[1];
    const uint64_t id = c->next_id - 1;
    const struct process *sender = cause_process_known(c, from);
    if (code > 0 && e->result == SIGCHLD && sender && from != e->pid) {
        clock_join(&l->at, sender->at);
        causes_tell(c, sender->last, id, CAUSE_END);
        return;
    }
    if (code > 0 || from <= 0 || e->result <= 0 || e->result >= SIGNALS)
        return;
    const bool thread = code == BY_TKILL;
    const uint32_t wire = wire_of(
        c, signal_key(from, thread ? e->tid : e->pid, (int32_t)e->result, thread), WIRE_CANDIDATES);
    clock_join(&l->at, c->groups || wire == 0 ? c->signals : c->wires[wire].at);
    wire_arrived(c, wire, id);
}
