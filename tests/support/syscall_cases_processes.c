#include "support/syscall_cases_impl.h"

#include <linux/fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <linux/capability.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <linux/kcmp.h>
#include <linux/seccomp.h>

static char buf[8192] __attribute__((aligned(4096)));

static void nothing(int signal)
{
    (void)signal;
}

/* --- signals */

static void signal_masks(void)
{
    unsigned long set = 0, old;
    S(rt_sigprocmask, SIG_BLOCK, &set, &old, 8);
    set = 1UL << (SIGUSR1 - 1) | 1UL << (SIGCHLD - 1) | 1UL << 33 | 1UL << 31;
    S(rt_sigprocmask, SIG_BLOCK, &set, NULL, 8);
    set = ~0UL;
    S(rt_sigprocmask, SIG_SETMASK, NULL, &old, 8);
    S(rt_sigprocmask, SIG_UNBLOCK, &set, &old, 8);
    S(rt_sigprocmask, 9, &set, &old, 8);
    S(rt_sigprocmask, SIG_BLOCK, &set, &old, 3);
    S(rt_sigprocmask, SIG_BLOCK, BAD, &old, 8);
    set = ~(1UL << (SIGHUP - 1));
    S(rt_sigprocmask, SIG_UNBLOCK, &set, NULL, 8);
    S(rt_sigpending, &old, 8);
}

static void signal_actions(void)
{
    struct {
        void (*handler)(int);
        unsigned long flags;
        void (*restorer)(void);
        unsigned long mask;
    } a = {SIG_IGN, 0, NULL, 0}, old;
    S(rt_sigaction, SIGUSR1, &a, NULL, 8);
    a.flags = SA_RESTART | SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
    a.mask = 1UL << (SIGTERM - 1);
    S(rt_sigaction, SIGUSR1, &a, &old, 8);
    a.handler = SIG_DFL;
    a.flags = 0x04000000;
    S(rt_sigaction, SIGUSR1, &a, &old, 8);
    S(rt_sigaction, SIGKILL, &a, NULL, 8);
    S(rt_sigaction, 99, NULL, NULL, 8);
    S(rt_sigaction, 34, NULL, &old, 8);
    S(rt_sigaction, 32, NULL, &old, 8);
    stack_t st = {.ss_sp = buf, .ss_size = 4096}, was;
    S(sigaltstack, &st, &was);
    st.ss_flags = SS_DISABLE;
    S(sigaltstack, &st, NULL);
}

static void signal_sends(void)
{
    signal(SIGUSR1, nothing);
    S(kill, getpid(), SIGUSR1);
    S(kill, getpid(), 0);
    S(tgkill, getpid(), getpid(), SIGUSR1);
    S(tkill, 0, 99);
    siginfo_t info = {.si_signo = SIGUSR1, .si_code = SI_QUEUE};
    info.si_pid = getpid();
    info.si_value.sival_int = 42;
    S(rt_sigqueueinfo, getpid(), SIGUSR1, &info);
}

static void signal_waits(void)
{
    unsigned long set = 1UL << (SIGUSR2 - 1);
    siginfo_t info;
    struct timespec t = {0, 0};
    S(rt_sigprocmask, SIG_BLOCK, &set, NULL, 8);
    S(rt_sigtimedwait, &set, &info, &t, 8);
    S(kill, getpid(), SIGUSR2);
    S(rt_sigtimedwait, &set, &info, &t, 8);
    S(rt_sigprocmask, SIG_UNBLOCK, &set, NULL, 8);
}

static void interrupted_sleep(void)
{
    signal(SIGALRM, nothing);
    struct itimerval t = {{0, 0}, {0, 20000}}, old;
    struct timespec sleep = {5, 0}, left;
    S(setitimer, ITIMER_REAL, &t, &old);
    S(nanosleep, &sleep, NULL);
    S(setitimer, ITIMER_REAL, &t, NULL);
    S(clock_nanosleep, CLOCK_MONOTONIC, 0, &sleep, &left);
    S(getitimer, ITIMER_REAL, &old);
}

/* --- time */

static void clocks(void)
{
    struct timespec t;
    struct timeval tv;
    S(clock_gettime, CLOCK_MONOTONIC, &t);
    S(clock_gettime, 77, &t);
    S(clock_getres, CLOCK_REALTIME_COARSE, &t);
    S(clock_getres, CLOCK_REALTIME, NULL);
    S(gettimeofday, &tv, NULL);
    t = (struct timespec){0, 1000};
    S(nanosleep, &t, NULL);
    t.tv_nsec = -1;
    S(nanosleep, &t, &t);
    S(clock_nanosleep, CLOCK_REALTIME, 1, &t, NULL);
    S(clock_settime, 99, &t);
}

static void posix_timers(void)
{
    struct sigevent e = {.sigev_notify = SIGEV_NONE, .sigev_signo = SIGUSR1};
    int id;
    struct itimerspec t = {{0, 0}, {50, 0}};
    S(timer_create, CLOCK_MONOTONIC, &e, &id);
    S(timer_settime, id, 0, &t, NULL);
    S(timer_settime, id, 1, &(struct itimerspec){0}, &t);
    S(timer_gettime, id, &t);
    S(timer_getoverrun, id);
    S(timer_delete, id);
    S(timer_delete, id);
}

/* --- processes */

static void identities(void)
{
    unsigned a, b, c;
    gid_t list[70];
    S0(getpid);
    S0(getppid);
    S0(gettid);
    S0(getuid);
    S0(geteuid);
    S0(getgid);
    S0(getegid);
    S(getpgid, 0);
    S(getsid, 0);
    S(getresuid, &a, &b, &c);
    S(getresgid, &a, &b, &c);
    S(getgroups, 70, list);
    S(getgroups, 0, NULL);
    S(setresuid, -1, -1, -1);
    S(setfsuid, -1);
    S(setpgid, 99999999, 0);
}

static void limits(void)
{
    struct rlimit r;
    struct rusage u;
    S(prlimit64, 0, RLIMIT_NOFILE, NULL, &r);
    S(prlimit64, 0, RLIMIT_CORE, (&(struct rlimit){0, 4096}), NULL);
    S(prlimit64, 0, RLIMIT_STACK, (&(struct rlimit){1UL << 23, -1UL}), &r);
    S(prlimit64, 0, 99, NULL, &r);
    S(getrlimit, RLIMIT_CPU, &r);
    S(getrusage, RUSAGE_SELF, &u);
    S(getrusage, 55, &u);
    S(getpriority, PRIO_PROCESS, 0);
    S(setpriority, PRIO_PROCESS, 0, 0);
}

static void schedulers(void)
{
    struct sched_param p = {0};
    unsigned long cpus[16] = {1};
    S(sched_getscheduler, 0);
    S(sched_getparam, 0, &p);
    S(sched_setscheduler, 0, SCHED_BATCH, &p);
    S(sched_setscheduler, 0, SCHED_OTHER, &p);
    S(sched_setscheduler, 0, 77, &p);
    S(sched_get_priority_max, SCHED_FIFO);
    S(sched_rr_get_interval, -1, buf);
    S(sched_setaffinity, 0, 128, cpus);
    S(sched_getaffinity, 0, 128, cpus);
    S(sched_getaffinity, 0, 1, cpus);
    S(sched_getattr, 0, buf, 48, 0);
    S0(sched_yield);
    S(getcpu, NULL, NULL, NULL);
}

static void system_facts(void)
{
    struct utsname u;
    S(uname, &u);
    S(uname, BAD);
    S(sysinfo, BAD);
    S(getrandom, buf, 0, 1);
    S(getrandom, BAD, 8, 3);
    S(personality, -1);
    S(sethostname, NULL, -1);
    S(syslog, 10, NULL, 0);
}

static void prctls(void)
{
    S(prctl, PR_SET_NAME, "a name that is too long");
    S(prctl, PR_GET_NAME, buf);
    S(prctl, PR_SET_PDEATHSIG, SIGTERM);
    S(prctl, PR_GET_PDEATHSIG, buf);
    S(prctl, PR_SET_PDEATHSIG, 0);
    S(prctl, PR_GET_DUMPABLE);
    S(prctl, PR_SET_DUMPABLE, 1);
    S(prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    S(prctl, PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
    S(prctl, PR_CAPBSET_READ, 21);
    S(prctl, PR_GET_SECUREBITS);
    S(prctl, PR_GET_TIMERSLACK);
    S(prctl, PR_SET_CHILD_SUBREAPER, 0);
    S(prctl, PR_GET_SECCOMP);
    S(prctl, PR_GET_KEEPCAPS);
    S(prctl, 9999, 1, 2, 3, 4);
}

static void capabilities(void)
{
    struct __user_cap_header_struct h = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2];
    S(capget, &h, data);
    S(capget, &h, NULL);
    data[0] = (struct __user_cap_data_struct){1, 1, 0};
    data[1] = (struct __user_cap_data_struct){0, 0, 0};
    h.pid = 1 << 30;
    S(capset, &h, data);
}

static void children(void)
{
    int status;
    struct rusage u;
    siginfo_t info = {0};
    hold_sigchld(SIG_BLOCK);
    pid_t child = S(clone, SIGCHLD, 0, 0, 0, 0);
    if (child == 0)
        _exit(3);
    S(wait4, child, &status, 0, NULL);
    S(wait4, -1, &status, WNOHANG | WUNTRACED, &u);
    child = S(clone, SIGCHLD, 0, 0, 0, 0);
    if (child == 0)
        raise(SIGKILL);
    S(wait4, -1, &status, __WALL, &u);
    child = S(clone, SIGCHLD, 0, 0, 0, 0);
    if (child == 0)
        _exit(0);
    S(waitid, P_PID, child, &info, WEXITED | WNOWAIT, NULL);
    S(waitid, P_ALL, 0, &info, WEXITED, &u);
    S(waitid, P_ALL, 0, NULL, WEXITED | WSTOPPED | WCONTINUED | WNOHANG, NULL);
    hold_sigchld(SIG_UNBLOCK);
}

static void clones(void)
{
    struct {
        unsigned long flags, pidfd, child, parent, signal, stack, size, tls;
    } a = {0, 0, 0, 0, 17, 0, 0, 0};
    S(clone3, &a, 3);
    a.flags = 1UL << 63;
    S(clone3, &a, sizeof a);
    S(clone, 0x100 | 0x40000000 | 0x00010000, 0, 0, 0, 0);
    S(clone, 0x00010000, 0, 0, 0, 0);
    S(unshare, 0x40000000 | 0x80000001);
    S(setns, -1, 0x04000000);
    S(kcmp, 0, 0, KCMP_VM, 0, 0);
}

static void executions(void)
{
    char *many[] = {"prog", "a b", "\"q\"", "12345678901234567890123456789012345", NULL};
    char *env[] = {"A=b", "C=d", NULL}, *one[] = {"X=1", NULL};
    S(execve, NO_FILE, many, env);
    S(execve, NO_FILE, many, one);
    S(execve, NO_FILE, NULL, NULL);
    S(execve, NULL, BAD, BAD);
    S(execveat, CWD, NO_FILE, many, env, 0x1000 | 0x100);
}

static void threads(void)
{
    S(set_robust_list, BAD, 24);
    S(set_tid_address, buf);
    S(rseq, BAD, 32, 0, 0x53053053);
    S(membarrier, 1 << 12, 1, 5);
}

static void futexes(void)
{
    static int f = 5;
    struct timespec t = {0, 1000};
    S(futex, &f, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 4, NULL);
    S(futex, &f, FUTEX_WAIT, 5, &t);
    S(futex, &f, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1);
    S(futex, &f, FUTEX_WAKE, -1);
    S(futex, &f, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 5, &t, NULL, -1);
    S(futex, &f, FUTEX_WAKE_BITSET, 5, NULL, NULL, 3);
    S(futex, &f, FUTEX_REQUEUE, 1, 1L, &f, 0);
    S(futex, &f, FUTEX_CMP_REQUEUE, 1, 1L, &f, 9);
    S(futex, &f, FUTEX_WAKE_OP, 1, 1L, &f, FUTEX_OP(FUTEX_OP_ADD, 1, FUTEX_OP_CMP_GT, 0));
    S(futex, &f, FUTEX_UNLOCK_PI);
    S(futex, &f, FUTEX_TRYLOCK_PI | FUTEX_PRIVATE_FLAG);
    S(futex, &f, 99, 1, 2, 3, 4);
}

/* --- sockets */

static void unix_sockets(void)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX, .sun_path = "sock"}, got;
    socklen_t n = sizeof got;
    int s = S(socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), c, peer, sv[2];
    S(bind, s, &a, sizeof a);
    S(listen, s, 5);
    c = S(socket, AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    S(connect, c, &a, sizeof a);
    peer = S(accept4, s, &got, &n, SOCK_CLOEXEC);
    n = sizeof got;
    S(getsockname, s, &got, &n);
    n = 3;
    S(getsockname, s, &got, &n);
    n = sizeof got;
    S(getpeername, peer, &got, &n);
    S(sendto, c, "over the socket", 15, MSG_NOSIGNAL, NULL, 0);
    S(recvfrom, peer, buf, 100, MSG_DONTWAIT | MSG_PEEK, NULL, NULL);
    S(recvfrom, peer, buf, 4, 0, NULL, NULL);
    S(shutdown, c, SHUT_WR);
    S(shutdown, c, 9);
    S(close, peer);
    S(close, c);
    S(close, s);
    S(unlinkat, CWD, "sock", 0);
    strcpy(a.sun_path + 1, "abstract");
    a.sun_path[0] = 0;
    S(socketpair, AF_UNIX, SOCK_DGRAM, 0, sv);
    S(bind, sv[0], &a, 11);
    S(connect, sv[1], &a, 2);
    S(close, sv[0]);
    S(close, sv[1]);
}

static void inet_sockets(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(9)}, got;
    socklen_t n = sizeof got;
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int s = S(socket, AF_INET, SOCK_DGRAM, IPPROTO_UDP);
    S(connect, s, &a, sizeof a);
    S(getpeername, s, &got, &n);
    S(sendto, s, "x", 1, 0, &a, sizeof a);
    S(connect, s, &a, 1);
    S(close, s);
    s = S(socket, AF_INET6, SOCK_STREAM, IPPROTO_TCP);
    struct sockaddr_in6 b = {.sin6_family = AF_INET6, .sin6_port = htons(1), .sin6_scope_id = 3};
    b.sin6_addr.s6_addr[15] = 1;
    b.sin6_addr.s6_addr[0] = 0xfe;
    S(bind, s, &b, sizeof b);
    S(close, s);
    S(socket, AF_INET, SOCK_RAW, 99);
    S(socket, 99, 7, 7);
    S(close, S(socket, AF_NETLINK, SOCK_RAW, 0));
}

static void netlink_sockets(void)
{
    struct {
        unsigned short family, pad;
        unsigned pid, groups;
    } a = {AF_NETLINK, 0, 0, 5};
    int s = S(socket, AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, 15);
    S(bind, s, &a, sizeof a);
    S(close, s);
}

static void socket_options(void)
{
    int one = 1, s = S(socket, AF_INET, SOCK_STREAM, 0), value;
    socklen_t n = sizeof value;
    struct linger l = {1, 5};
    S(setsockopt, s, SOL_SOCKET, SO_REUSEADDR, &one, 4);
    S(setsockopt, s, IPPROTO_TCP, 1, &one, 4);
    S(setsockopt, s, IPPROTO_IP, IP_TTL, &one, 4);
    S(setsockopt, s, SOL_SOCKET, SO_LINGER, &l, 8);
    S(setsockopt, s, SOL_SOCKET, SO_REUSEADDR, BAD, 4);
    S(setsockopt, s, 99, 5, "abc", 3);
    S(getsockopt, s, SOL_SOCKET, SO_TYPE, &value, &n);
    S(getsockopt, s, SOL_SOCKET, SO_ERROR, &value, &n);
    S(getsockopt, s, SOL_SOCKET, SO_LINGER, &l, (&(socklen_t){8}));
    S(getsockopt, s, SOL_SOCKET, SO_KEEPALIVE, &value, (&(socklen_t){100}));
    S(getsockopt, s, IPPROTO_IPV6, 26, &value, &n);
    S(close, s);
}

static void messages(void)
{
    int sv[2];
    struct iovec v[2] = {{"part one ", 9}, {"two", 3}}, w = {buf, 100};
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct msghdr m = {.msg_iov = v, .msg_iovlen = 2}, r = {.msg_iov = &w, .msg_iovlen = 1};
    S(socketpair, AF_UNIX, SOCK_DGRAM, 0, sv);
    S(sendmsg, sv[0], &m, 0);
    S(recvmsg, sv[1], &r, 0);
    control.head = (struct cmsghdr){CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
    memcpy(CMSG_DATA(&control.head), &(int){1}, sizeof(int));
    m.msg_control = &control;
    m.msg_controllen = sizeof control.room;
    S(sendmsg, sv[0], &m, MSG_NOSIGNAL);
    r.msg_control = &control;
    r.msg_controllen = sizeof control.room;
    S(recvmsg, sv[1], &r, MSG_CMSG_CLOEXEC);
    S(recvmsg, sv[1], &r, MSG_DONTWAIT);
    S(sendmsg, sv[0], BAD, 0);
    S(close, sv[0]);
    S(close, sv[1]);
}

/* --- the rest */

static void sysv_ipc(void)
{
    struct {
        short number, op, flags;
    } op = {0, 1, 04000 | 010000};
    struct {
        long type;
        char text[8];
    } message = {5, "hello"};
    int id = S(semget, 0, 1, 01000 | 0600);
    S(semop, id, &op, 1);
    S(semctl, id, 0, 0, NULL);
    id = S(msgget, 0, 01000 | 0600);
    S(msgsnd, id, &message, 5, 04000);
    S(msgrcv, id, &message, 5, 0, 04000);
    S(msgctl, id, 0, NULL);
    id = S(shmget, 0, 4096, 01000 | 0600);
    long p = syscall(SYS_shmat, id, NULL, 010000);
    S(shmdt, p);
    S(shmctl, id, 0, NULL);
    S(shmget, 0x1234, 1, 0);
}

static void rings(void)
{
    struct io_uring_params p = {.flags = IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP, .cq_entries = 8};
    S(io_uring_setup, 0, &p);
    S(io_uring_enter, -1, 1, 2, IORING_ENTER_GETEVENTS, NULL, 8L);
    S(io_uring_register, -1, IORING_REGISTER_PROBE, NULL, 0);
}

static void mounts(void)
{
    S(mount, "none", NO_FILE, "tmpfs", 1 | 2 | 0x400, "size=1");
    S(mount, NULL, NO_FILE, NULL, 0x4000 | (1 << 18), NULL);
    S(umount2, NO_FILE, 2 | 8);
    S(chroot, NO_FILE);
    S(pivot_root, NO_FILE, NO_FILE);
    S(fsopen, "nofs", 1);
    S(open_tree, CWD, NO_FILE, 1);
}

static void seccomps(void)
{
    unsigned action = SECCOMP_RET_TRACE;
    S(seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action);
    S(seccomp, 99, 0, NULL);
}

static void unknown_calls(void)
{
    syscall(1999, 1, 2, 3, 4, 5, 6);
    S(pidfd_open, -1, 0);
    S(pidfd_send_signal, -1, SIGTERM, NULL, 0);
    S(process_vm_readv, 0, NULL, 0, NULL, 0, 1);
    S(getitimer, 9, BAD);
    S(quotactl, 0x800001, NULL, 0, NULL);
    S(userfaultfd, 0x7f);
}

#ifdef __x86_64__
/* Calls that newer architectures do not have. */
static void old_calls(void)
{
    struct stat st;
    struct timeval t[2] = {{1, 2}, {3, 4}};
    int fds[2];
    S(close, S(open, FILE_A, O_RDWR | O_CREAT, 0600));
    S(close, S(creat, FILE_A, 0644));
    S(stat, FILE_A, &st);
    S(lstat, "/dev/zero", &st);
    S(access, FILE_A, R_OK);
    S(pipe, fds);
    S(dup2, fds[0], 25);
    S(close, 25);
    S(close, fds[0]);
    S(close, fds[1]);
    S(mkdir, "e", 0700);
    S(rename, "e", "f");
    S(rmdir, "f");
    S(link, FILE_A, "g");
    S(unlink, "g");
    S(symlink, FILE_A, "h");
    S(readlink, "h", buf, 20);
    S(unlink, "h");
    S(chmod, FILE_A, 0600);
    S(chown, FILE_A, -1, -1);
    S(utimes, FILE_A, t);
    S(alarm, 0);
    S(time, NULL);
    S(getpgrp, 0);
    S(arch_prctl, 0x1003, buf);
    S(epoll_create, 5);
    S(eventfd, 1);
    S(close, 4);
    S(close, 3);
}
#endif

const struct syscall_case syscall_cases_processes[] = {
    {"signal_masks", signal_masks},
    {"signal_actions", signal_actions},
    {"signal_sends", signal_sends},
    {"signal_waits", signal_waits},
    {"interrupted_sleep", interrupted_sleep},
    {"clocks", clocks},
    {"posix_timers", posix_timers},
    {"identities", identities},
    {"limits", limits},
    {"schedulers", schedulers},
    {"system_facts", system_facts},
    {"prctls", prctls},
    {"capabilities", capabilities},
    {"children", children},
    {"clones", clones},
    {"executions", executions},
    {"threads", threads},
    {"futexes", futexes},
    {"unix_sockets", unix_sockets},
    {"inet_sockets", inet_sockets},
    {"netlink_sockets", netlink_sockets},
    {"socket_options", socket_options},
    {"messages", messages},
    {"sysv_ipc", sysv_ipc},
    {"rings", rings},
    {"mounts", mounts},
    {"seccomps", seccomps},
    {"unknown_calls", unknown_calls},
#ifdef __x86_64__
    {"old_calls", old_calls},
#endif
    {NULL, NULL},
};
