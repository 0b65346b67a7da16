/*
 * Tasks that begin and end. A new task needs its own ring, user dispatch and the address where it
 * goes on, but has no memory or stack for them. So its maker takes the ring beforehand; a slot in
 * it has the rest, and rbx its address.
 */
#include <asm/unistd.h>
#include <linux/sched.h>

#include "recorder/recorder.h"

enum { BLOCK = 0, SET_MASK = 2, TRY_AGAIN = 11 };

struct wish {                    /* the request of any of the four calls */
    uint64_t flags, stack, size; /* stack: its end; size 0: unknown */
};

static struct wish read_wish(const struct frame *f)
{
    struct wish w = {0};
    struct clone_args a = {0};
    if (f->rax == __NR_clone)
        return (struct wish){f->rdi, f->rsi, 0};
    if (f->rax == __NR_vfork)
        w.flags = CLONE_VM | CLONE_VFORK;
    if (f->rax == __NR_clone3 && copy_in(&a, f->rdi, CLONE_ARGS_SIZE_VER0)) {
        w.flags = a.flags;
        w.stack = a.stack ? a.stack + a.stack_size : 0;
        w.size = a.stack_size;
    }
    return w;
}

uint64_t task_flags(const struct frame *f)
{
    return read_wish(f).flags;
}

static void fill_slot(struct syscall_slot *s, const struct frame *f, uint64_t flags)
{
    s->next = f->next;
    s->rbx = f->rbx;
    s->mask = f->mask;
    s->flags = flags;
    s->entry = f->entry;
    s->number = (uint32_t)f->rax;
}

/* Lends this task's ring to a new task that shares its stack, or its memory while it waits. */
static void borrow_ring(struct syscall_ring *r, struct frame *f, uint64_t flags)
{
    struct syscall_slot *s = &r->slots[r->depth & (SYSCALL_RING_SLOTS - 1)];
    fill_slot(s, f, flags);
    s->tid = (uint32_t)CALL0(__NR_gettid);
    s->pid = (uint32_t)CALL0(__NR_getpid);
    s->depth = r->depth++;
    s->shift = 0;
    masks_lend(r, s);
    f->slot = s;
}

static bool own_ring(struct syscall_ring *r, struct frame *f, const struct wish *w)
{
    const uint64_t all = ~UINT64_C(0);
    struct syscall_ring *child = ring_take(r->tid, (uint32_t)w->flags);
    if (!child)
        return false;
    CALL4(__NR_rt_sigprocmask, BLOCK, &all, &f->mask, 8);
    child->sigsys_blocked = r->sigsys_blocked;
    plain_new_task(r, child, w->flags, w->stack, w->size);
    f->slot = &child->child;
    fill_slot(f->slot, f, w->flags);
    f->slot->shift = w->stack ? 0 : sizeof *f + 128;
    return true;
}

int task_before_clone(struct frame *f)
{
    struct syscall_ring *r = ring_here();
    const struct wish w = read_wish(f);
    f->number = f->rax;
    f->entry = ring_entry(r, f);
    copies_entry(f);
    const bool waits = (w.flags & CLONE_VFORK) && (w.flags & CLONE_VM);
    if (waits) {
        borrow_ring(r, f, w.flags);
        return w.stack ? STEP_FORK : STEP_VFORK;
    }
    if (own_ring(r, f, &w))
        return STEP_FORK;
    const uint32_t number = (uint32_t)f->rax;
    f->rax = (uint64_t)-TRY_AGAIN;
    ring_exit(r, number, f->rax, f->entry);
    return STEP_DONE;
}

/* Restores the maker of a vfork child. */
static void vfork_returned(struct syscall_ring *r, const struct syscall_slot *s, uint64_t result)
{
    r->depth = s->depth;
    r->attached = 0;
    masks_take_back(r, s);
    if ((int64_t)result > 0)
        ring_task(r, s->tid, s->pid, 0, 0);
    ring_exit(r, s->number, result, s->entry);
}

void recorder_forked(struct frame *f)
{
    struct syscall_ring *r = ring_here();
    if (f->slot >= r->slots && f->slot < r->slots + SYSCALL_RING_SLOTS) {
        vfork_returned(r, f->slot, f->rax);
        return;
    }
    if ((int64_t)f->rax < 0) { /* no task was made, so f->slot is still free */
        struct syscall_ring *child =
            (struct syscall_ring *)((uint64_t)f->slot - offsetof(struct syscall_ring, child));
        ring_drop(child);
    }
    f->ended = ring_now();
    copies_return(f);
    ring_exit_of(r, f, (uint32_t)f->number, f->rax);
    CALL4(__NR_rt_sigprocmask, SET_MASK, &f->mask, 0, 8);
}

void recorder_began(struct frame *f)
{
    struct syscall_slot *s = f->slot;
    if ((s->flags & CLONE_VFORK) && (s->flags & CLONE_VM)) {
        struct syscall_ring *r = ring_here();
        if (f->rax) {
            vfork_returned(r, s, f->rax);
            return;
        }
        r->attached = 0;
        ring_task(r, (uint32_t)CALL0(__NR_gettid), (uint32_t)CALL0(__NR_getpid), s->tid, s->flags);
        masks_arm();
        return;
    }
    const uint64_t mask = s->mask;
    ring_use((struct syscall_ring *)((uint64_t)s - offsetof(struct syscall_ring, child)));
    masks_arm();
    CALL4(__NR_rt_sigprocmask, SET_MASK, &mask, 0, 8);
}

void task_exit(struct frame *f)
{
    struct syscall_ring *r = ring_here();
    const uint64_t all = ~UINT64_C(0);
    ring_entry(r, f);
    if (f->rax == __NR_exit) {
        CALL4(__NR_rt_sigprocmask, BLOCK, &all, 0, 8);
        if (!r->depth)
            ring_end(r);
    }
    for (;;)
        CALL1((long)f->rax, f->rdi);
}
