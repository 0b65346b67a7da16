#include "engine/golden/golden_impl.h"

#include <ctype.h>
#include <fnmatch.h>
#include <string.h>

#include "base/words.h"

/* A call is left out where both its name and its path match. Paths are of arguments, and of what
 * descriptors stand for. */
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
     "wait4 waitid waitpid",
     NULL, "how often a program waits, and when it hears of a child, depends on what else runs"},
    {"signals", "rt_sigprocmask rt_sigaction rt_sigreturn sigreturn", NULL,
     "the C library blocks and restores signals around fork and threads"},
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

static const char *const temporary[] = {"/tmp/", "/var/tmp/", "/dev/shm/"};

static bool begins_temporary(const char *text, size_t *n)
{
    for (size_t i = 0; i < sizeof temporary / sizeof *temporary; i++)
        if (strncmp(text, temporary[i], strlen(temporary[i])) == 0) {
            *n = strlen(temporary[i]);
            return true;
        }
    return false;
}

/* Whether six characters look drawn by lot: letters and digits, with a digit or a capital among
 * them. */
static bool is_random(const char *six)
{
    bool mixed = false;
    for (int i = 0; i < 6; i++) {
        if (!isalnum((unsigned char)six[i]))
            return false;
        mixed |= isdigit((unsigned char)six[i]) || (isupper((unsigned char)six[i]) && i > 0);
    }
    return mixed;
}

/*
 * How many characters at the end of a name of n are random, as mkstemp, mktemp and Python's
 * tempfile make them: six or ten behind a dot; eight behind "tmp"; else six that look drawn by lot.
 * What is taken for random by mistake is only left out.
 */
static size_t random_end(const char *name, size_t n)
{
    size_t run = 0;
    while (run < n && isalnum((unsigned char)name[n - 1 - run]))
        run++;
    if ((run == 6 || run == 10) && run < n && name[n - 1 - run] == '.')
        return run;
    if (n == 11 && strncmp(name, "tmp", 3) == 0)
        return 8;
    return n >= 6 && is_random(name + n - 6) ? 6 : 0;
}

/* Copies n bytes; returns how many fitted. */
static size_t copy(char *out, size_t room, const char *text, size_t n)
{
    size_t fits = n < room ? n : room;
    memcpy(out, text, fits);
    return fits;
}

/* The length of "rooftop-NUMBER" in the name of librooftop's file of bricks; 0: another name. */
static size_t bricks_name(const char *name)
{
    size_t n = strlen("rooftop-");
    size_t digits = strncmp(name, "rooftop-", n) == 0 ? strspn(name + n, "0123456789") : 0;
    return digits && name[n + digits] == '-' ? n + digits : 0;
}

void golden_stable_text(const char *text, char *out, size_t size)
{
    size_t at = 0, skip = 0;
    while (*text && at + 1 < size) {
        if (begins_temporary(text, &skip) && bricks_name(text + skip)) {
            at += copy(out + at, size - 1 - at, text, skip);
            at += copy(out + at, size - 1 - at, "rooftop-PID", 11);
            text += skip + bricks_name(text + skip);
        } else if (begins_temporary(text, &skip)) {
            size_t name = strcspn(text + skip, "/\" ,\\");
            size_t random = random_end(text + skip, name);
            at += copy(out + at, size - 1 - at, text, skip + name - random);
            if (random)
                at += copy(out + at, size - 1 - at, "XXXXXX", 6);
            text += skip + name;
        } else if (strncmp(text, "/proc/", 6) == 0 && isdigit((unsigned char)text[6])) {
            at += copy(out + at, size - 1 - at, "/proc/PID", 9);
            text += 6 + strspn(text + 6, "0123456789");
        } else {
            out[at++] = *text++;
        }
    }
    out[at] = 0;
}
