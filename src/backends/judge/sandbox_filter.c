/* Which system calls a sandbox may make: while it loads the object, and afterwards. */
#include "backends/judge/sandbox_turns.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#ifndef SYS_process_madvise
#define SYS_process_madvise 440
#endif

#if defined(__x86_64__)
enum { NATIVE = (int)AUDIT_ARCH_X86_64 };
#elif defined(__aarch64__)
enum { NATIVE = (int)AUDIT_ARCH_AARCH64 };
#endif

#define LOAD(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define LOAD_ARG(i)                                                                                \
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + 8 * (i))
/* of a little-endian machine */
#define LOAD_ARG_HIGH(i)                                                                           \
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + 8 * (i) + 4)
#define ANSWER(what) BPF_STMT(BPF_RET | BPF_K, what)
/* Allows a call; its arguments do not matter. */
#define ALLOW(name) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), ANSWER(SECCOMP_RET_ALLOW)
/* Allows a call where (argument & mask) == wanted. */
#define ALLOW_IF(name, i, mask, wanted)                                                            \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 5), LOAD_ARG(i),                            \
        BPF_STMT(BPF_ALU | BPF_AND | BPF_K, (mask)),                                               \
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (wanted), 0, 1), ANSWER(SECCOMP_RET_ALLOW),            \
        ANSWER(SECCOMP_RET_TRAP)
#define BEGIN                                                                                      \
    LOAD(arch), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)NATIVE, 1, 0),                       \
        ANSWER(SECCOMP_RET_KILL_PROCESS), LOAD(nr)
/* Allows a call only where one instruction makes it; at: what stands behind it. */
#define LOAD_AT                                                                                    \
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer))
#define LOAD_AT_HIGH                                                                               \
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer) + 4)
#define LOW(p)  ((uint32_t)(uintptr_t)(p))
#define HIGH(p) ((uint32_t)((uint64_t)(uintptr_t)(p) >> 32))
#define ALLOW_AT(name, at)                                                                         \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 6), LOAD_AT,                                \
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, LOW(at), 0, 3), LOAD_AT_HIGH,                          \
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, HIGH(at), 0, 1), ANSWER(SECCOMP_RET_ALLOW),            \
        ANSWER(SECCOMP_RET_TRAP)
/* What allocation of memory takes. */
#define ALLOCATION ALLOW(brk), ALLOW(exit_group)
/* It stops itself, and nobody else. */
#define ALLOW_STOP(own)                                                                            \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_kill, 0, 6), LOAD_ARG(0),                              \
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(own), 0, 3), LOAD_ARG(1),                   \
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SIGSTOP, 0, 1), ANSWER(SECCOMP_RET_ALLOW),             \
        ANSWER(SECCOMP_RET_TRAP)
#define END ANSWER(SECCOMP_RET_TRAP)

static int install_sandbox_filter(const struct sock_filter *list, size_t n)
{
    struct sock_fprog program = {.len = (unsigned short)n, .filter = (struct sock_filter *)list};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 ? 0 : -errno;
}

/* The loader opens objects to read them, maps them and makes parts read-only. */
int sandbox_filter_loading(pid_t own)
{
    const struct sock_filter list[] = {
        BEGIN,
        ALLOW_STOP(own),
        ALLOW_IF(openat, 2, O_ACCMODE | O_CREAT | O_TRUNC, O_RDONLY),
        ALLOW(read),
        ALLOW(pread64),
        ALLOW(write),
        ALLOW(close),
        ALLOW(fstat),
        ALLOW(newfstatat),
        ALLOW(lseek),
        ALLOW(mmap),
        ALLOW(mprotect),
        ALLOW(madvise),
        ALLOW(prctl),
        ALLOW(seccomp),
        ALLOW(getrandom),
        ALLOW(readlinkat),
#ifdef SYS_readlink
        ALLOW(readlink),
        ALLOW(access),
        ALLOW(stat),
#endif
        ALLOW(getcwd),
        ALLOW(sysinfo),
        ALLOW(sched_getaffinity),
        ALLOW(munmap),
#if SANDBOX_TURNS_CLEAN
        ALLOW_AT(getrusage, sandbox_usage_at),
        ALLOW_AT(process_madvise, sandbox_advise_all_at),
#endif
        ALLOW(futex),
        ALLOW(rt_sigreturn),
        ALLOCATION,
        END,
    };
    return install_sandbox_filter(list, sizeof list / sizeof *list);
}

#if SANDBOX_TURNS_CLEAN

/* Memory comes from the heap alone, whose end is known: a mapping would stay from call to call. */
int sandbox_filter_calling(pid_t own, struct sandbox_outputs outputs)
{
    const char *const last = outputs.from + outputs.n - (outputs.n > 0);
    if (HIGH(outputs.from) != HIGH(last))
        return -EADDRNOTAVAIL;
    const struct sock_filter fixed[] = {
        BEGIN,
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 12),
        LOAD_ARG_HIGH(0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, HIGH(last), 0, 9),
        LOAD_ARG(0),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, LOW(outputs.from), 0, 7),
        BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, LOW(last), 6, 0),
        LOAD_ARG_HIGH(1),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 4),
        LOAD_ARG(1),
        BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, (uint32_t)outputs.n, 2, 0),
        LOAD_ARG(2),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, ~(uint32_t)(PROT_READ | PROT_WRITE), 0, 1),
        ANSWER(SECCOMP_RET_TRAP),
        ANSWER(SECCOMP_RET_ALLOW),
    };
    const struct sock_filter list[] = {
        BEGIN,
        ALLOW_AT(read, sandbox_read_at),
        ALLOW_AT(mprotect, sandbox_protect_at),
        ALLOW_AT(getrusage, sandbox_usage_at),
        ALLOW_AT(lseek, sandbox_number_at),
        ALLOW_AT(madvise, sandbox_advise_at),
        ALLOW_AT(process_madvise, sandbox_advise_all_at),
        ALLOW_STOP(own),
        ALLOW_IF(write, 0, UINT32_MAX, SANDBOX_SOCKET),
        /* to wake nobody, as pthread_once does; nothing waits */
        ALLOW_IF(futex, 1, (uint32_t)FUTEX_CMD_MASK, FUTEX_WAKE),
        ALLOCATION,
        END,
    };
    const int rc = install_sandbox_filter(fixed, sizeof fixed / sizeof *fixed);
    return rc ? rc : install_sandbox_filter(list, sizeof list / sizeof *list);
}

#else

int sandbox_filter_calling(pid_t own, struct sandbox_outputs outputs)
{
    (void)outputs;
    const struct sock_filter list[] = {
        BEGIN,
        ALLOW_STOP(own),
        ALLOW_IF(read, 0, UINT32_MAX, SANDBOX_WORDS),
        ALLOW_IF(write, 0, UINT32_MAX, SANDBOX_SOCKET),
        ALLOW_IF(futex, 1, (uint32_t)FUTEX_CMD_MASK, FUTEX_WAKE),
        ALLOW(munmap),
#ifdef __SANITIZE_ADDRESS__
        ALLOW(mmap), /* the sanitizer's own malloc chooses its places */
        ALLOW(madvise),
        ALLOW(prctl),
        ALLOW(rt_sigreturn),
#else
        /* anonymous, where the kernel wants it; the filters before look at the rest */
        ALLOW_IF(mmap, 3, MAP_ANONYMOUS | MAP_FIXED | MAP_SHARED, MAP_ANONYMOUS),
#endif
        ALLOCATION,
        END,
    };
    static const struct sock_filter executable[] = {
        BEGIN,
        ALLOW_IF(mmap, 2, PROT_EXEC, 0),
        ANSWER(SECCOMP_RET_ALLOW),
    };
#ifndef __SANITIZE_ADDRESS__
    /* an address that is only asked for is as good as a fixed one where nothing is, or was unmapped
     * before */
    static const struct sock_filter anywhere[] = {
        BEGIN,
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 5),
        LOAD_ARG(0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 2),
        LOAD_ARG_HIGH(0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0),
        ANSWER(SECCOMP_RET_TRAP),
        ANSWER(SECCOMP_RET_ALLOW),
    };
    int rc = install_sandbox_filter(anywhere, sizeof anywhere / sizeof *anywhere);
#else
    int rc = 0;
#endif
    if (rc == 0)
        rc = install_sandbox_filter(executable, sizeof executable / sizeof *executable);
    return rc ? rc : install_sandbox_filter(list, sizeof list / sizeof *list);
}

#endif
