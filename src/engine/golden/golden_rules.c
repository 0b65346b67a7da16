#include "engine/golden/golden_impl.h"

#include <fnmatch.h>
#include <signal.h>
#include <string.h>

#include "base/words.h"

/* A rule leaves a call out if both its name and its path match. Paths are those of arguments and of
 * descriptors. */
const struct golden_rule golden_rules[] = {
    {"allocator", "brk mmap mmap2 munmap mremap madvise mprotect mincore mlock munlock membarrier",
     NULL,
     "how much memory the allocator takes, and when, depends on the C library and the machine"},
    {"start",
     "set_tid_address set_robust_list get_robust_list rseq prlimit64 getrlimit arch_prctl "
     "set_thread_area sigaltstack getrandom",
     NULL, "the C library prepares each process and thread with these"},
    {"locks", "futex futex_wait futex_wake futex_waitv sched_yield restart_syscall", NULL,
     "threads wait for each other or not, by chance"},
    {"clock", "clock_gettime gettimeofday time clock_getres times", NULL,
     "asking for the time has no effect, and often is no system call"},
    {"scheduler", "sched_getaffinity sched_setaffinity getcpu sched_getparam sched_getscheduler",
     NULL, "they tell about the machine"},
    {"waits",
     "poll ppoll select pselect6 epoll_wait epoll_pwait epoll_pwait2 nanosleep clock_nanosleep "
     "wait4 waitid waitpid pause rt_sigsuspend rt_sigtimedwait",
     NULL, "how often a program waits, and when it hears of a child, depends on what else runs"},
    {"signals", "rt_sigprocmask rt_sigaction rt_sigreturn sigreturn", NULL,
     "the C library blocks and restores signals around fork and threads"},
    {"nowhere", "write writev pwrite64 pwritev pwritev2 sendfile splice", "/dev/null",
     "what is written there goes nowhere"},
    {"loader", NULL,
     "/etc/ld.so.* *.so *.so.[0-9]* */glibc-hwcaps* /lib /usr/lib /lib/x86_64-linux-gnu "
     "/usr/lib/x86_64-linux-gnu /lib/aarch64-linux-gnu /usr/lib/aarch64-linux-gnu",
     "which libraries are loaded from where depends on the machine"},
    {"locale", NULL,
     "/usr/lib/locale/* /usr/share/locale/* /usr/share/i18n/* */gconv/* */gconv-modules* "
     "/usr/share/zoneinfo/* /etc/localtime *.mo",
     "messages and time zones depend on the machine and the user"},
    {"machine", NULL,
     "/sys/devices/* /sys/fs/selinux /selinux /etc/selinux/* /proc/filesystems /proc/self/* "
     "/proc/meminfo /proc/cpuinfo /proc/sys/* /proc/stat "
     "/sys/fs/cgroup/* /sys/kernel/mm/*",
     "what the machine says about itself"},
};
const size_t golden_rules_count = sizeof golden_rules / sizeof *golden_rules;

static bool path_matches(const char *patterns, const char *path)
{
    for (const char *at = patterns; *at;) {
        size_t n = strcspn(at, " ");
        char one[64];
        if (n < sizeof one) {
            memcpy(one, at, n);
            one[n] = 0;
            if (fnmatch(one, path, 0) == 0)
                return true;
        }
        at += n + (at[n] == ' ');
    }
    return false;
}

const struct golden_rule *golden_rule_for(const char *call, const char *path)
{
    for (size_t i = 0; i < golden_rules_count; i++) {
        const struct golden_rule *r = &golden_rules[i];
        if (r->calls && !words_have(r->calls, call))
            continue;
        if (r->paths && (!path || !path_matches(r->paths, path)))
            continue;
        return r;
    }
    return NULL;
}

/* SIGCHLD: the moment at which the parent hears of a child's end. SIGWINCH: the user's doing.
 * SIGURG: Go's runtime takes the CPU with it from a goroutine that has run for 10 ms (Go proposal
 * 24543, non-cooperative goroutine preemption). */
bool golden_signal_varies(int64_t signal)
{
    return signal == SIGCHLD || signal == SIGWINCH || signal == SIGURG;
}
