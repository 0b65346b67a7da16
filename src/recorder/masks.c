/*
 * Calls from sites that are not patched come by syscall user dispatch: the kernel sends SIGSYS. If
 * that signal were blocked or had another handler, the program would die. So the recorder removes
 * it from every set of signals for the kernel, and remembers the program's own settings to give
 * them back.
 */
#include <asm/signal.h>
#include <asm/unistd.h>
#include <linux/audit.h>
#include <linux/prctl.h>

#include "recorder/recorder.h"

#define SIGSYS_BIT (UINT64_C(1) << (SIGSYS - 1))
enum {
    SET_SIZE = 8,
    DISPATCHED = 2,     /* si_code: SYS_USER_DISPATCH */
    CONTEXT_MASK = 296, /* offset of the blocked signals in ucontext_t */
    BAD_ADDRESS = 14,
    INVALID = 22,
};

struct action { /* the kernel's struct sigaction */
    uint64_t handler, flags, restorer, mask;
};
static struct action ours;       /* the kernel's action for SIGSYS */
static struct action believed;   /* the program's action for SIGSYS */
static uint64_t believed_masked; /* signals in whose handlers the program wants SIGSYS blocked */

/* The kernel's data on the stack for a handler: siginfo_t and ucontext_t as far as needed. */
struct info {
    int32_t signo, error, code, pad;
    uint64_t address;
    int32_t number;
    uint32_t arch;
};
struct context {
    uint64_t flags, link, stack[3];
    uint64_t r8, r9, r10, r11, r12, r13, r14, r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip;
};

/* --- user dispatch --- */

static long arm_user_dispatch(void)
{
    const uint64_t from = (uint64_t)recorder_text_from, to = (uint64_t)recorder_text_to;
    return CALL6(__NR_prctl, PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, from, to - from, 0,
                 0);
}

bool masks_arm(void)
{
    return arm_user_dispatch() >= 0;
}

void masks_disarm(void)
{
    CALL6(__NR_prctl, PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_OFF, 0, 0, 0, 0);
}

/* Handles a call by int $0x80, with i386's numbers and arguments, which may make a task or execute
 * a program. Repeats it under ptrace or, if that is impossible, makes it here. */
static void call_i386(struct context *c)
{
    const uint8_t *site = (const uint8_t *)c->rip - 2;
    if (site[0] == 0xcd && site[1] == 0x80 &&
        (recorder_aside || recorder_step_aside(c->rax, c->rbx))) {
        masks_disarm();
        c->rip -= 2;
        return;
    }
    c->rax = recorder_call_i386(c->rax, c->rbx, c->rcx, c->rdx, c->rsi, c->rdi);
}

/* Passes on a signal of the program itself: from kill or a seccomp filter. */
static void pass_on(int signo, struct info *info, struct context *c)
{
    const struct action none = {0};
    if (believed.handler > 1) {
        ((void (*)(int, struct info *, struct context *))believed.handler)(signo, info, c);
        return;
    }
    if (believed.handler == 1)
        return;
    CALL4(__NR_rt_sigaction, SIGSYS, &none, 0, SET_SIZE);
    CALL4(__NR_rt_tgsigqueueinfo, CALL0(__NR_getpid), CALL0(__NR_gettid), SIGSYS, info);
}

static void on_sigsys(int signo, struct info *info, struct context *c)
{
    const uint64_t site[6] = {c->rip};
    if (info->code != DISPATCHED) {
        pass_on(signo, info, c);
        return;
    }
    if (info->arch != AUDIT_ARCH_X86_64) {
        call_i386(c);
        return;
    }
    if (!recorder_aside) {
        ring_put(ring_here(), ring_now(), 0, SYSCALL_RING_DISPATCH, site);
        __atomic_fetch_add(&recorder_control->dispatched, 1, __ATOMIC_RELAXED);
    }
    c->rcx = c->rip;
    c->rip = (uint64_t)recorder_dispatched;
}

void masks_start(struct syscall_ring *r)
{
    const uint64_t bit = SIGSYS_BIT;
    uint64_t blocked = 0;
    ours = (struct action){(uint64_t)on_sigsys, SA_SIGINFO | SA_RESTORER | SA_ONSTACK | SA_NODEFER,
                           (uint64_t)recorder_restorer, 0};
    CALL4(__NR_rt_sigaction, SIGSYS, &ours, &believed, SET_SIZE);
    CALL4(__NR_rt_sigprocmask, SIG_UNBLOCK, &bit, &blocked, SET_SIZE);
    r->sigsys_blocked = (blocked & SIGSYS_BIT) != 0;
}

void masks_lend(const struct syscall_ring *r, struct syscall_slot *s)
{
    const uint64_t action[5] = {believed.handler, believed.flags, believed.restorer, believed.mask,
                                believed_masked};
    s->sigsys_blocked = r->sigsys_blocked;
    memcpy(s->sigsys_action, action, sizeof action);
}

void masks_take_back(struct syscall_ring *r, const struct syscall_slot *s)
{
    const uint64_t *a = s->sigsys_action;
    r->sigsys_blocked = s->sigsys_blocked;
    believed = (struct action){a[0], a[1], a[2], a[3]};
    believed_masked = a[4];
}

static void give_kernel(const struct action *a, int how)
{
    const uint64_t bit = SIGSYS_BIT;
    CALL4(__NR_rt_sigaction, SIGSYS, a, 0, SET_SIZE);
    CALL4(__NR_rt_sigprocmask, how, &bit, 0, SET_SIZE);
}

void masks_before_exec(void)
{
    const struct action ignored = {.handler = 1};
    if (believed.handler == ignored.handler)
        CALL4(__NR_rt_sigaction, SIGSYS, &ignored, 0, SET_SIZE);
    if (ring_here()->sigsys_blocked) {
        const uint64_t bit = SIGSYS_BIT;
        CALL4(__NR_rt_sigprocmask, SIG_BLOCK, &bit, 0, SET_SIZE);
    }
}

void masks_after_exec(void)
{
    give_kernel(&ours, SIG_UNBLOCK);
}

/* --- sets of signals that go to the kernel --- */

/* Makes the argument point to f->mask, its set without SIGSYS. The kernel reports a wrong address.
 */
static void strip_sigsys(struct frame *f, unsigned arg)
{
    if (!f->call[arg] || !copy_in(&f->mask, f->call[arg], sizeof f->mask))
        return;
    f->mask &= ~SIGSYS_BIT;
    f->call[arg] = (uint64_t)&f->mask;
}

static void before_procmask(struct frame *f)
{
    uint64_t set;
    struct syscall_ring *r = ring_here();
    f->copy[1] = r->sigsys_blocked;
    if (!f->rsi || f->r10 != SET_SIZE || !copy_in(&set, f->rsi, sizeof set))
        return;
    if (f->rdi == SIG_SETMASK)
        r->sigsys_blocked = (set & SIGSYS_BIT) != 0;
    else if (set & SIGSYS_BIT)
        r->sigsys_blocked = f->rdi == SIG_BLOCK;
    if ((set & SIGSYS_BIT) && f->rdi != SIG_UNBLOCK)
        strip_sigsys(f, 1);
}

/* Handles pselect6, whose set is behind a second pointer. */
static void before_pselect(struct frame *f)
{
    if (!f->r9 || !copy_in(f->copy, f->r9, sizeof f->copy) || !f->copy[0] ||
        !copy_in(&f->mask, f->copy[0], sizeof f->mask) || !(f->mask & SIGSYS_BIT))
        return;
    f->mask &= ~SIGSYS_BIT;
    f->copy[0] = (uint64_t)&f->mask;
    f->call[5] = (uint64_t)f->copy;
}

/* Removes SIGSYS from the mask that a handler's return restores: the handler may have set it. */
void mask_sigreturn(const struct frame *f)
{
    enum { RED_ZONE = 128 };
    const uint64_t stack = (uint64_t)f + sizeof *f + RED_ZONE;
    const struct context *c = (const struct context *)stack;
    uint64_t *mask = (uint64_t *)(stack + CONTEXT_MASK);
    struct syscall_ring *r = ring_here();
    const uint64_t entry_data[6] = {stack}, now = ring_now();
    const uint64_t entry = ring_put(r, now, (uint32_t)f->rax, SYSCALL_RING_ENTRY, entry_data);
    struct ring_piece piece = {entry, now, (uint64_t)mask, sizeof *mask, 0};
    if (copies_wanted((uint32_t)f->rax))
        ring_bytes(r, &piece);
    *mask &= ~SIGSYS_BIT;
    ring_exit(r, (uint32_t)f->rax, c->rax, entry);
}

void mask_before(struct frame *f)
{
    switch (f->rax) {
    case __NR_rt_sigprocmask:
        before_procmask(f);
        break;
    case __NR_rt_sigsuspend:
        strip_sigsys(f, 0);
        break;
    case __NR_signalfd:
    case __NR_signalfd4:
        strip_sigsys(f, 1);
        break;
    case __NR_ppoll:
        strip_sigsys(f, 3);
        break;
    case __NR_epoll_pwait:
    case __NR_epoll_pwait2:
        strip_sigsys(f, 4);
        break;
    case __NR_pselect6:
        before_pselect(f);
        break;
    }
}

void mask_after(struct frame *f, uint32_t number)
{
    uint64_t old;
    if (number != __NR_rt_sigprocmask || f->rax || !f->rdx || !f->copy[1] ||
        !copy_in(&old, f->rdx, sizeof old))
        return;
    old |= SIGSYS_BIT;
    copy_out(f->rdx, &old, sizeof old);
}

/* --- actions --- */

static long act_on_sigsys(const struct frame *f)
{
    const struct action old = believed;
    struct action a = {0};
    if (f->r10 != SET_SIZE)
        return -INVALID;
    if (f->rsi && !copy_in(&a, f->rsi, sizeof a))
        return -BAD_ADDRESS;
    if (f->rsi && !ring_here()->depth) /* a vfork child shares the memory, but not the actions */
        believed = a;
    return f->rdx && !copy_out(f->rdx, &old, sizeof old) ? -BAD_ADDRESS : 0;
}

/* Restores the bit that was removed from the mask of the old action. */
static void restore_sigsys(uint64_t address)
{
    struct action old = {0};
    if (!copy_in(&old, address, sizeof old))
        return;
    old.mask |= SIGSYS_BIT;
    copy_out(address, &old, sizeof old);
}

static long act_on_other(const struct frame *f)
{
    struct action a = {0};
    const uint64_t bit = UINT64_C(1) << ((f->rdi - 1) & 63);
    const bool readable = f->rsi && copy_in(&a, f->rsi, sizeof a);
    const bool masks = readable && (a.mask & SIGSYS_BIT), masked = believed_masked & bit;
    if (masks)
        a.mask &= ~SIGSYS_BIT;
    const long r = CALL4(__NR_rt_sigaction, f->rdi, masks ? (uint64_t)&a : f->rsi, f->rdx, f->r10);
    if (r < 0)
        return r;
    if (readable)
        believed_masked = masks ? believed_masked | bit : believed_masked & ~bit;
    if (f->rdx && masked)
        restore_sigsys(f->rdx);
    return r;
}

long mask_action(const struct frame *f)
{
    return f->rdi == SIGSYS ? act_on_sigsys(f) : act_on_other(f);
}
