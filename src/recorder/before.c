/* Handles calls that need care; other calls never get here. */
#include <asm/prctl.h>
#include <asm/unistd.h>
#include <linux/fcntl.h>
#include <linux/mman.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <linux/seccomp.h>

#include "recorder/recorder.h"

uint8_t recorder_careful[512];
uint8_t recorder_aside;

static const uint16_t careful[] = {
    __NR_mmap,        __NR_rt_sigaction, __NR_rt_sigprocmask, __NR_rt_sigreturn, __NR_clone,
    __NR_fork,        __NR_vfork,        __NR_execve,         __NR_exit,         __NR_rt_sigsuspend,
    __NR_prctl,       __NR_arch_prctl,   __NR_exit_group,     __NR_pselect6,     __NR_ppoll,
    __NR_epoll_pwait, __NR_signalfd,     __NR_signalfd4,      __NR_seccomp,      __NR_execveat,
    __NR_clone3,      __NR_epoll_pwait2, __NR_unshare,        __NR_setns,        __NR_setuid,
    __NR_setreuid,    __NR_setresuid,
};

void before_start(void)
{
    for (unsigned i = 0; i < sizeof careful / sizeof *careful; i++)
        recorder_careful[careful[i]] = 1;
    copies_start();
}

static int record_entry_made(struct frame *f)
{
    f->number = f->rax;
    f->entry = ring_entry(ring_here(), f);
    copies_entry(f);
    return STEP_MAKE;
}

static int record_mask_action(struct frame *f)
{
    record_entry_made(f);
    f->rax = (uint64_t)mask_action(f);
    f->ended = ring_now();
    copies_return(f);
    ring_exit_of(ring_here(), f, (uint32_t)f->number, f->rax);
    return STEP_DONE;
}

bool recorder_step_aside(uint64_t number, uint64_t argument)
{
    struct syscall_ring *r = ring_here();
    r->ask[0] = number;
    r->ask[1] = argument;
    if (!ring_ask(r, SYSCALL_WANT_ASIDE))
        return false;
    memset(recorder_careful, 1, sizeof recorder_careful);
    __atomic_store_n(&recorder_aside, 1, __ATOMIC_SEQ_CST);
    masks_disarm();
    return true;
}

/* Steps aside, because the call would stop the recorder: lets it and all later calls pass. */
static int step_aside(struct frame *f)
{
    if (!recorder_step_aside(f->rax, f->rdi))
        return record_entry_made(f);
    if (f->rax == __NR_setuid || f->rax == __NR_setreuid || f->rax == __NR_setresuid)
        ring_part();
    return STEP_PASS;
}

/* Whether the call changes the user. */
static bool changes_user(const struct frame *f)
{
    const uint32_t ids[3] = {(uint32_t)f->rdi, (uint32_t)f->rsi, (uint32_t)f->rdx};
    int n = 3;
    if (f->rax == __NR_setuid)
        n = 1;
    else if (f->rax == __NR_setreuid)
        n = 2;
    const uint32_t now = (uint32_t)CALL0(__NR_geteuid);
    for (int i = 0; i < n; i++)
        if (ids[i] != UINT32_MAX && ids[i] != now)
            return true;
    return false;
}

/* Whether the call takes the time stamp counter, gs, user dispatch or calls away from the hook,
 * gives process numbers another meaning than in rooftop, forbids rooftop to attach before an exec,
 * or changes the user, who must not have the memory of others. */
static bool harms_recorder(const struct frame *f)
{
    switch (f->rax) {
    case __NR_seccomp:
        return f->rdi == SECCOMP_SET_MODE_STRICT || f->rdi == SECCOMP_SET_MODE_FILTER;
    case __NR_prctl:
        return f->rdi == PR_SET_SECCOMP || f->rdi == PR_SET_TSC ||
               f->rdi == PR_SET_SYSCALL_USER_DISPATCH ||
               (f->rdi == PR_SET_DUMPABLE && f->rsi != 1 /* SUID_DUMP_USER */);
    case __NR_arch_prctl:
        return f->rdi == ARCH_SET_GS || f->rdi == ARCH_GET_GS;
    case __NR_unshare:
        return f->rdi & CLONE_NEWPID;
    case __NR_setns:
        return !f->rsi || (f->rsi & CLONE_NEWPID);
    case __NR_clone:
    case __NR_clone3:
        return task_flags(f) & CLONE_NEWPID;
    case __NR_setuid:
    case __NR_setreuid:
    case __NR_setresuid:
        return changes_user(f);
    }
    return false;
}

static int before_mask(struct frame *f)
{
    const int step = record_entry_made(f);
    mask_before(f);
    return step;
}

int recorder_before(struct frame *f)
{
    f->call[0] = f->rdi;
    f->call[1] = f->rsi;
    f->call[2] = f->rdx;
    f->call[3] = f->r10;
    f->call[4] = f->r8;
    f->call[5] = f->r9;
    f->rax = (uint32_t)f->rax;
    plain_before(f);
    switch (f->rax) {
    case __NR_clone:
    case __NR_clone3:
    case __NR_fork:
    case __NR_vfork:
        return harms_recorder(f) ? step_aside(f) : task_before_clone(f);
    case __NR_exit:
    case __NR_exit_group:
        task_exit(f);
        return STEP_DONE;
    case __NR_execve:
    case __NR_execveat:
        return program_before_exec(f);
    case __NR_rt_sigreturn:
        mask_sigreturn(f);
        return STEP_RETURN_FROM_SIGNAL;
    case __NR_rt_sigaction:
        return record_mask_action(f);
    case __NR_seccomp:
    case __NR_prctl:
    case __NR_arch_prctl:
    case __NR_unshare:
    case __NR_setns:
    case __NR_setuid:
    case __NR_setreuid:
    case __NR_setresuid:
        return harms_recorder(f) ? step_aside(f) : record_entry_made(f);
    }
    return before_mask(f);
}

/* Patches the call sites of a file that was mapped executable, before any thread runs there. */
static void patch_new(const struct frame *f)
{
    struct syscall_ring *r = ring_here();
    const bool failed = call_failed((long)f->rax);
    if (failed || !(f->rdx & PROT_EXEC) || (f->rdx & PROT_WRITE) || (f->r10 & MAP_ANONYMOUS))
        return;
    r->ask[0] = f->rax;
    if (ring_ask(r, SYSCALL_WANT_SITES))
        patch_part(&r->part);
}

void recorder_after(struct frame *f)
{
    const uint32_t number = (uint32_t)f->number;
    f->ended = ring_now();
    plain_after(f);
    if (number == __NR_mmap)
        patch_new(f);
    if (number == __NR_execve || number == __NR_execveat)
        masks_after_exec();
    mask_after(f, number);
    copies_return(f);
    ring_exit_of(ring_here(), f, number, f->rax);
}
