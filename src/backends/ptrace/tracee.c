/* A stopped task: the call that it makes, its memory, its registers, its entry in /proc. */
#include <elf.h>
#include <errno.h>
#include <linux/audit.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <unistd.h>

#include "backends/common/proc_file.h"
#include "backends/ptrace/internal.h"
#include "engine/syscalls/event.h"

enum { X32_BIT = 0x40000000 };

static uint8_t abi_of(uint32_t arch, uint64_t number)
{
    switch (arch) {
    case AUDIT_ARCH_I386:
        return SYSCALL_I386;
    case AUDIT_ARCH_AARCH64:
        return SYSCALL_ARM64;
    case AUDIT_ARCH_ARM:
        return SYSCALL_ARM32;
    default:
        /* -1, which a tracer or a seccomp filter left there, has the bit set but is no x32 call. */
        return (number & X32_BIT) && (number >> 31) == 0 ? SYSCALL_X32 : SYSCALL_X86_64;
    }
}

enum tracee_look tracee_look(struct tracee *task)
{
    struct __ptrace_syscall_info info = {0};
    if (ptrace(PTRACE_GET_SYSCALL_INFO, task->tid, sizeof info, &info) <= 0)
        return TRACEE_NO_CALL;
    if (info.op == PTRACE_SYSCALL_INFO_EXIT) {
        task->call.result = info.exit.rval;
        return TRACEE_RETURN;
    }
    if (info.op != PTRACE_SYSCALL_INFO_ENTRY && info.op != PTRACE_SYSCALL_INFO_SECCOMP)
        return TRACEE_NO_CALL;
    const uint8_t abi = abi_of(info.arch, info.entry.nr);
    task->call.abi = abi;
    task->call.number = (uint32_t)info.entry.nr & (abi == SYSCALL_X32 ? ~(uint32_t)X32_BIT : ~0u);
    for (int i = 0; i < 6; i++) /* entry and seccomp, which begin alike */
        task->call.args[i] = info.entry.args[i];
    task->call.ip = info.instruction_pointer;
    task->call.sp = info.stack_pointer;
    return TRACEE_ENTRY;
}

/* --- memory --- */

long tracee_read(const struct tracee *task, uint64_t address, void *out, size_t n)
{
    struct iovec to = {out, n}, from = {(void *)(uintptr_t)address, n}; /* NOLINT: not ours */
    const ssize_t got = process_vm_readv(task->tid, &to, 1, &from, 1, 0);
    return got < 0 ? -errno : got;
}

long tracee_write(const struct tracee *task, uint64_t address, const void *from, size_t n)
{
    size_t done = 0;
    long word;
    /* Writes by words, because ptrace may write where the program itself may not. */
    for (; done < n; done += sizeof word) {
        const size_t part = n - done < sizeof word ? n - done : sizeof word;
        errno = 0;
        word = part < sizeof word ? ptrace(PTRACE_PEEKDATA, task->tid, address + done, 0) : 0;
        if (errno != 0)
            return -errno;
        memcpy(&word, (const char *)from + done, part);
        if (ptrace(PTRACE_POKEDATA, task->tid, address + done, word) != 0)
            return -errno;
    }
    return (long)n;
}

/* --- calls that a stop disturbs --- */

#if defined(__x86_64__)
/* Whether a stop makes the call fail with EINTR without any signal (signal(7), "Interruption of
 * system calls and library functions by stop signals"), and it may be made again. */
static bool fails_when_stopped(unsigned long long number)
{
    static const short list[] = {SYS_epoll_wait,   SYS_epoll_pwait,   SYS_epoll_pwait2,
                                 SYS_semop,        SYS_semtimedop,    SYS_rt_sigtimedwait,
                                 SYS_io_getevents, SYS_io_pgetevents, SYS_io_uring_enter,
                                 SYS_read,         SYS_readv,         SYS_recvfrom,
                                 SYS_recvmsg,      SYS_recvmmsg,      SYS_accept,
                                 SYS_accept4,      SYS_msgrcv,        SYS_msgsnd};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (number == (unsigned long long)list[i])
            return true;
    return false;
}

void tracee_undisturb(struct tracee *task)
{
    enum { RESTART_IF_NO_HANDLER = 514, /* the kernel's own ERESTARTNOHAND */ CS_64 = 0x33 };
    struct user_regs_struct regs;
    if (!task->interrupted || ptrace(PTRACE_GETREGS, task->tid, 0, &regs) != 0)
        return;
    if (regs.cs == CS_64 && (long long)regs.rax == -EINTR && fails_when_stopped(regs.orig_rax)) {
        regs.rax = (unsigned long long)-RESTART_IF_NO_HANDLER;
        ptrace(PTRACE_SETREGS, task->tid, 0, &regs);
    }
}
#else
/* Nothing to do here: the kernel decides about a restart before we see the stop. */
void tracee_undisturb(struct tracee *task)
{
    (void)task;
}
#endif

bool tracee_cut_short(const struct tracee *task)
{
    const int64_t r = task->call.result;
    return task->interrupted && (r == -EINTR || (r <= -512 && r >= -516)); /* ERESTART... */
}

/* --- its process --- */

bool tracee_is_thread(pid_t pid, pid_t tid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task/%d", (int)pid, (int)tid);
    return access(path, F_OK) == 0;
}

static pid_t read_status_pid(const char *status, const char *name, pid_t fallback)
{
    const char *at = strstr(status, name);
    return at ? (pid_t)strtol(at + strlen(name), NULL, 10) : fallback;
}

pid_t tracee_process(pid_t tid, pid_t *parent)
{
    char path[64], status[2048];
    snprintf(path, sizeof path, "/proc/%d/status", (int)tid);
    const ssize_t n = file_read(path, status, sizeof status);
    if (n <= 0)
        return tid;
    *parent = read_status_pid(status, "\nPPid:", 0);
    return read_status_pid(status, "\nTgid:", tid);
}

uint64_t tracee_clone_flags(const struct tracee *maker, int event, bool thread)
{
    const struct tracee_call *call = &maker->call;
    const bool native = call->abi == SYSCALL_X86_64 || call->abi == SYSCALL_ARM64;
    uint64_t flags = 0;
    if (maker->in_call && native && call->number == SYS_clone)
        return call->args[0];
    if (maker->in_call && native && call->number == SYS_clone3 &&
        tracee_read(maker, call->args[0], &flags, sizeof flags) == sizeof flags)
        return flags;
    if (event == PTRACE_EVENT_VFORK)
        return CLONE_VFORK | CLONE_VM | SIGCHLD;
    return thread ? CLONE_THREAD : SIGCHLD;
}
