#include "support/syscall_cases_impl.h"

#include <asm/ioctls.h>
#include <linux/fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <linux/futex.h>

static char buf[8192] __attribute__((aligned(4096)));

/* --- one thing each */

static void zero_lengths(void)
{
    S(write, 1, "x", 0);
    S(read, 0, NULL, 0);
    S(getrandom, NULL, 0, 0);
    S(readlinkat, CWD, "/proc/self/exe", buf, 0);
    S(getdents64, -1, buf, 0);
}

static void bad_pointers(void)
{
    S(pipe2, BAD, 0);
    S(uname, BAD);
    S(getcwd, BAD, 4096);
    S(clock_gettime, 1, BAD);
    S(nanosleep, BAD, NULL);
    S(epoll_ctl, 3, EPOLL_CTL_ADD, 4, BAD);
    S(rt_sigaction, SIGUSR2, BAD, NULL, 8);
    S(newfstatat, CWD, BAD, BAD, 0);
    S(execve, BAD, NULL, NULL);
    S(readlinkat, CWD, BAD, BAD, 5);
    S(bind, 0, BAD, 16);
    S(sendto, 0, BAD, 5, 0, BAD, 16);
    S(futex, BAD, FUTEX_WAIT, 1, BAD);
    S(prlimit64, 0, RLIMIT_NOFILE, BAD, BAD);
    S(utimensat, CWD, "x", BAD, 0);
    S(writev, 1, BAD, 1);
    S(setitimer, 0, BAD, NULL);
}

static void bad_descriptors(void)
{
    S(read, -1, buf, 1);
    S(fsync, -1);
    S(fchdir, 1000);
    S(fstat, 1000, buf);
    S(ftruncate, -5, 0L);
    S(flock, 1000, 1);
    S(ioctl, 1000, TCGETS, buf);
    S(getdents64, 1000, buf, 100);
    S(lseek, 1000, 5L, SEEK_CUR);
    S(fcntl, 1000, F_DUPFD, 0);
    S(epoll_pwait, 1000, buf, 1, 0, NULL, 8);
    S(timerfd_gettime, 1000, buf);
    S(getsockname, 1000, buf, buf);
    S(syncfs, 1000);
    S(fstatfs, 1000, buf);
}

static void strange_flags(void)
{
    S(openat, CWD, FILE_A, 0x7fffffff, 0777);
    S(mmap, NULL, 1L, 0x7f, 0x7fffff, -1, 0L);
    S(unlinkat, CWD, "x", 0x7000);
    S(renameat2, CWD, "x", CWD, "y", 0xf8);
    S(eventfd2, 0, 0x123);
    S(epoll_create1, 0x11);
    S(inotify_init1, 0x3);
    S(getrandom, buf, 1, 0x70);
    S(memfd_create, "x", 0x1000);
    S(accept4, -1, NULL, NULL, 0x44);
    S(wait4, -1, NULL, 0x100, NULL);
    S(splice, -1, NULL, -1, NULL, 0, 0x100);
    S(madvise, NULL, 0L, 55);
    S(mlock2, NULL, 0L, 8);
    S(fallocate, -1, 0x200, 0L, 0L);
    S(unshare, 1);
    S(pidfd_open, 1, 0x80);
}

static void lengths_of_strings(void)
{
    char text[64];
    for (int n = 30; n < 36; n++) {
        memset(text, 'a', sizeof text);
        text[n] = 0;
        S(memfd_create, text, 0x1000);
        S(write, -1, text, n);
    }
}

static void octal_escapes(void)
{
    S(write, -1, "\0\0001\0018\0019a\33[0m", 12);
    S(write, -1, "\3775\177x\2000\300", 7);
    S(write, -1, "?\?/'`$%\"\\", 9);
}

static void long_vectors(void)
{
    struct iovec v[40];
    for (int i = 0; i < 40; i++)
        v[i] = (struct iovec){"v", 1};
    S(writev, -1, v, 40);
    S(writev, -1, v, 32);
    S(writev, -1, v, 33);
    S(preadv, -1, v, 2, 1L << 40, 0L);
}

static void many_polled(void)
{
    static struct pollfd p[40];
    struct timespec t = {0, 0};
    for (int i = 0; i < 40; i++)
        p[i] = (struct pollfd){1000 + i, POLLIN, 0};
    S(ppoll, p, 33, &t, NULL, 8);
    S(ppoll, p, 1, &t, NULL, 8);
}

static void wide_masks(void)
{
    unsigned long set = ~0UL << 31;
    S(rt_sigprocmask, SIG_BLOCK, &set, NULL, 8);
    set = 0x00000000ffffffffUL;
    S(rt_sigprocmask, SIG_UNBLOCK, &set, NULL, 8);
    set = 0x000003ffffffffffUL;
    S(rt_sigprocmask, SIG_UNBLOCK, &set, NULL, 8);
    set = 0x000007ffffffffffUL;
    S(rt_sigprocmask, SIG_UNBLOCK, &set, NULL, 8);
    set = ~0UL;
    S(rt_sigprocmask, SIG_UNBLOCK, &set, NULL, 8);
}

static void exit_codes(void)
{
    int status;
    hold_sigchld(SIG_BLOCK);
    for (int code = 0; code < 3; code++) {
        if (S(clone, SIGCHLD, 0, 0, 0, 0) == 0)
            _exit(code * 127);
        S(wait4, -1, &status, 0, NULL);
    }
    hold_sigchld(SIG_UNBLOCK);
}

static void killed_children(void)
{
    static const int signals[] = {SIGTERM, SIGUSR2, SIGPIPE};
    int status;
    hold_sigchld(SIG_BLOCK);
    for (int i = 0; i < 3; i++) {
        if (S(clone, SIGCHLD, 0, 0, 0, 0) == 0) {
            signal(signals[i], SIG_DFL);
            raise(signals[i]);
        }
        S(wait4, -1, &status, 0, NULL);
    }
    hold_sigchld(SIG_UNBLOCK);
}

static void stopped_child(void)
{
    int status;
    siginfo_t info = {0};
    hold_sigchld(SIG_BLOCK);
    pid_t child = S(clone, SIGCHLD, 0, 0, 0, 0);
    if (child == 0) {
        raise(SIGSTOP);
        for (;;)
            pause();
    }
    S(wait4, child, &status, WUNTRACED, NULL);
    S(kill, child, SIGCONT);
    S(wait4, child, &status, WCONTINUED, NULL);
    S(kill, child, SIGKILL);
    S(waitid, P_PID, child, &info, WEXITED, NULL);
    hold_sigchld(SIG_UNBLOCK);
}

static void zero_timers(void)
{
    struct itimerval t = {0};
    S(setitimer, ITIMER_VIRTUAL, &t, &t);
    S(setitimer, ITIMER_PROF, &t, NULL);
    S(getitimer, ITIMER_PROF, &t);
    S(clock_nanosleep, CLOCK_MONOTONIC, 0, (&(struct timespec){0}), NULL);
}

static void clock_names(void)
{
    struct timespec t;
    for (int id = 0; id < 13; id++)
        S(clock_getres, id, &t);
}

static void limit_names(void)
{
    for (int resource = 0; resource < 17; resource++)
        S(prlimit64, 0, resource, NULL, NULL);
}

static void scheduling_names(void)
{
    for (int policy = 0; policy < 7; policy++)
        S(sched_get_priority_min, policy);
    S(sched_setattr, 0, NULL, 0);
}

static void socket_kinds(void)
{
    static const int domains[] = {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK, AF_PACKET};
    for (unsigned i = 0; i < sizeof domains / sizeof *domains; i++)
        S(socket, domains[i], 15, 4 << 8);
    for (int type = 1; type < 11; type++)
        S(socket, 200, type | SOCK_CLOEXEC, 1);
}

static void option_names(void)
{
    int n = 4;
    for (int option = 1; option < 50; option++)
        if (option != SO_ATTACH_FILTER) /* strace calls it SO_GET_FILTER here */
            S(getsockopt, -1, SOL_SOCKET, option, buf, &n);
    for (int option = 1; option < 30; option++)
        S(getsockopt, -1, IPPROTO_TCP, option, buf, &n);
}

static void advice_names(void)
{
    for (int advice = 0; advice < 27; advice++)
        S(madvise, NULL, 0L, advice);
    for (int advice = 0; advice < 7; advice++)
        S(fadvise64, -1, 0L, 0L, advice);
}

static void signal_names(void)
{
    for (int n = 0; n < 66; n++)
        S(tgkill, -1, -1, n);
}

static void protections(void)
{
    for (int prot = 0; prot < 8; prot++)
        S(mprotect, NULL, 0L, prot);
    S(mprotect, NULL, 0L, 0x01000000 | PROT_READ);
}

static void file_modes(void)
{
    static const int modes[] = {0, 1, 07, 0644, 0755, 04755, 02755, 01777, 07777, 0170644};
    for (unsigned i = 0; i < sizeof modes / sizeof *modes; i++) {
        S(fchmodat, CWD, NO_FILE, modes[i]);
        S(mknodat, CWD, NO_FILE, modes[i], 0);
    }
    S(mknodat, CWD, NO_FILE, S_IFBLK | 0600, 0x801);
    S(mknodat, CWD, NO_FILE, S_IFSOCK | 0600, 0);
}

static void fcntl_names(void)
{
    for (int op = 0; op < 5; op++)
        S(fcntl, -1, op, 0);
    for (int op = 1024; op < 1035; op++)
        S(fcntl, -1, op, 0);
    S(fcntl, -1, 8, 1);
    S(fcntl, -1, 77, 1);
}

static void ioctl_names(void)
{
    static const unsigned requests[] = {TIOCGPGRP, FIONCLEX, TIOCSCTTY, TIOCNOTTY, TCFLSH, 0x5452};
    for (unsigned i = 0; i < sizeof requests / sizeof *requests; i++)
        S(ioctl, -1, requests[i], 0);
    S(ioctl, -1, 0xc0045877, 0);
    S(ioctl, -1, 0x2400, 0);
}

static void futex_names(void)
{
    static int f;
    for (int op = 0; op < 5; op++)
        if (op != FUTEX_FD)
            S(futex, &f, op | FUTEX_PRIVATE_FLAG, 0, 1L, &f, 7);
    S(futex, &f, FUTEX_UNLOCK_PI | FUTEX_PRIVATE_FLAG, 0, 0, 0, 0);
}

static void short_addresses(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET};
    for (int n = 0; n < 18; n += 2)
        S(connect, -1, &a, n);
    a.sin_family = 77;
    S(connect, -1, &a, 8);
    S(connect, -1, NULL, 0);
}

static void unix_names(void)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    S(connect, -1, &a, 2);
    S(connect, -1, &a, 3);
    memset(a.sun_path, 'p', sizeof a.sun_path);
    S(connect, -1, &a, sizeof a);
    a.sun_path[5] = 0;
    S(connect, -1, &a, sizeof a);
    S(connect, -1, &a, 9);
    a.sun_path[0] = 0;
    S(connect, -1, &a, 8);
}

static void reallocations(void)
{
    long p = syscall(SYS_mmap, NULL, 8192L, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                     -1, 0L);
    long q =
        syscall(SYS_mmap, p, 4096L, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0L);
    S(mremap, q, 4096L, 4096L, MREMAP_MAYMOVE);
    S(munmap, p, 8192L);
}

static void credentials(void)
{
    gid_t groups[3] = {1, 2, 3};
    S(setreuid, -1, -1);
    S(setregid, -1, -1);
    S(setresgid, -1, -1, -1);
    S(setfsgid, -1);
    S(setgroups, 70000, groups);
    S(getgroups, -1, groups);
    S(getpgid, 1 << 30);
    S(getsid, 1 << 30);
}

static void extended_attributes(void)
{
    S(listxattr, FILE_A, buf, 100);
    S(listxattr, NO_FILE, NULL, 0);
    S(fgetxattr, -1, "user.x", buf, 10);
    S(fsetxattr, -1, "user.x", "a\0b", 3, 2);
    S(lremovexattr, NO_FILE, "user.x");
    S(setxattr, NO_FILE, "user.x", NULL, 0, 0x10);
}

const struct syscall_case syscall_cases_details[] = {
    {"zero_lengths", zero_lengths},
    {"bad_pointers", bad_pointers},
    {"bad_descriptors", bad_descriptors},
    {"strange_flags", strange_flags},
    {"lengths_of_strings", lengths_of_strings},
    {"octal_escapes", octal_escapes},
    {"long_vectors", long_vectors},
    {"many_polled", many_polled},
    {"wide_masks", wide_masks},
    {"exit_codes", exit_codes},
    {"killed_children", killed_children},
    {"stopped_child", stopped_child},
    {"zero_timers", zero_timers},
    {"clock_names", clock_names},
    {"limit_names", limit_names},
    {"scheduling_names", scheduling_names},
    {"socket_kinds", socket_kinds},
    {"option_names", option_names},
    {"advice_names", advice_names},
    {"signal_names", signal_names},
    {"protections", protections},
    {"file_modes", file_modes},
    {"fcntl_names", fcntl_names},
    {"ioctl_names", ioctl_names},
    {"futex_names", futex_names},
    {"short_addresses", short_addresses},
    {"unix_names", unix_names},
    {"reallocations", reallocations},
    {"credentials", credentials},
    {"extended_attributes", extended_attributes},
    {NULL, NULL},
};
