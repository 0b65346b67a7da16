/* Which system calls a cell may make: while it loads the object, and afterwards. */
#include "backends/judge/cell_filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "backends/judge/cell_memory.h"

#if defined(__x86_64__)
enum { NATIVE = (int)AUDIT_ARCH_X86_64 };
#elif defined(__aarch64__)
enum { NATIVE = (int)AUDIT_ARCH_AARCH64 };
#endif

#define LOAD(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define LOAD_ARG(i)                                                                                \
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + 8 * (i))
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
/* What allocation of memory takes. Memory is nowhere that the code chose, and is not executed. */
#define ALLOCATION                                                                                 \
    ALLOW(brk), ALLOW(munmap), ALLOW(madvise), ALLOW(futex), ALLOW(exit_group), ALLOW(rt_sigreturn)
#define END ANSWER(SECCOMP_RET_TRAP)

static int install(const struct sock_filter *list, size_t n)
{
    struct sock_fprog program = {.len = (unsigned short)n, .filter = (struct sock_filter *)list};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 ? 0 : -errno;
}

/* The loader opens objects to read them, maps them and makes parts read-only. */
int cell_filter_loading(void)
{
    static const struct sock_filter list[] = {
        BEGIN,
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
        ALLOCATION,
        END,
    };
    return install(list, sizeof list / sizeof *list);
}

int cell_filter_calling(void)
{
    static const struct sock_filter list[] = {
        BEGIN,
        ALLOW_IF(read, 0, UINT32_MAX, CELL_SOCKET),
        ALLOW_IF(write, 0, UINT32_MAX, CELL_SOCKET),
#ifdef __SANITIZE_ADDRESS__
        ALLOW(mmap), /* the sanitizer's own malloc chooses its places */
        ALLOW(prctl),
#else
        /* anonymous, at no fixed place; the filter before looks at the protection */
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
    const int rc = install(executable, sizeof executable / sizeof *executable);
    return rc == 0 ? install(list, sizeof list / sizeof *list) : rc;
}
