#include "support/syscall_cases_impl.h"

#include <asm/ioctls.h>
#include <asm/termbits.h>
#include <linux/fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>

static char buf[8192] __attribute__((aligned(4096)));

static int file(void)
{
    int fd = S(openat, CWD, FILE_A, O_RDWR | O_CREAT | O_TRUNC, 0640);
    S(write, fd, "hello\nworld\n", 12);
    return fd;
}

/* --- files */

static void open_kinds(void)
{
    S(close, S(openat, CWD, FILE_A, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    S(openat, CWD, FILE_A, O_RDONLY | O_CREAT | O_EXCL, 0);
    S(close, S(openat, CWD, ".", O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC));
    S(close, S(openat, CWD, ".", O_RDWR | 020000000 | O_DIRECTORY, 0777));
    S(close,
      S(openat, CWD, FILE_A, O_RDWR | O_APPEND | O_SYNC | O_NOFOLLOW | O_NOATIME | O_LARGEFILE));
    S(close, S(openat, CWD, "/dev/null", O_PATH | O_CLOEXEC));
    S(openat, CWD, NO_FILE, O_RDONLY);
    S(openat, CWD, BAD, O_RDONLY);
    S(openat, CWD, NULL, 3 | O_DSYNC);
    S(openat, -1, "x", O_RDONLY | 0x40000000);
}

static void open_odd_names(void)
{
    S(openat, CWD, "tab\there \"quoted\" \\ back", O_RDONLY);
    S(openat, CWD,
      "\1\2\3"
      "4 \33[31m \177\377",
      O_RDONLY);
    S(openat, CWD, "\xc3\xa4\xe2\x82\xac", O_RDONLY);
    S(openat, CWD, "", O_RDONLY);
    memset(buf, 'x', 300);
    buf[300] = 0;
    S(openat, CWD, buf, O_RDONLY);
    memset(buf, 'y', 5000);
    buf[5000] = 0;
    S(openat, CWD, buf, O_RDONLY);
}

static void open_how(void)
{
    struct open_how how = {.flags = O_RDONLY | O_CLOEXEC,
                           .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS};
    S(openat2, CWD, "a/../..", &how, sizeof how);
    S(openat2, CWD, NO_FILE, NULL, sizeof how);
}

static void read_write(void)
{
    int fd = file();
    S(lseek, fd, 0, SEEK_SET);
    S(read, fd, buf, 5);
    S(read, fd, buf, 100);
    S(read, fd, buf, 100);
    S(read, fd, BAD, 100);
    S(read, -1, buf, 100);
    S(write, fd, "", 0);
    S(write, fd, NULL, 0);
    S(write, fd, BAD, 10);
    S(write, fd, "exactly thirty-two bytes are here", 32);
    S(write, fd, "exactly thirty-two bytes are here", 33);
    S(write, fd,
      "\0"
      "1\0a\1\n\t\v\f\r\\\"\177\200",
      14);
    S(pread64, fd, buf, 8, 3L);
    S(pwrite64, fd, "abc", 3, 1L << 33);
    S(lseek, fd, -5L, SEEK_END);
    S(lseek, fd, 0L, 4);
    S(lseek, fd, 0L, 99);
    S(ftruncate, fd, 4L);
    S(close, fd);
    S(close, 99);
}

static void vectors(void)
{
    int fd = file();
    struct iovec out[] = {{"first", 5}, {"second one", 10}, {NULL, 0}};
    struct iovec in[] = {{buf, 4}, {buf + 100, 100}, {buf + 200, 10}};
    S(writev, fd, out, 3);
    S(writev, fd, out, 0);
    S(writev, fd, BAD, 2);
    S(lseek, fd, 0, SEEK_SET);
    S(readv, fd, in, 3);
    S(readv, fd, in, 3);
    S(readv, -1, in, 2);
    S(preadv, fd, in, 2, 3, 0);
    S(pwritev, fd, out, 2, 1, 0);
    S(preadv2, fd, in, 2, 3, 0, 0);
    S(pwritev2, fd, out, 2, -1L, -1L, 2);
    S(close, fd);
}

static void stats(void)
{
    struct stat st;
    struct statfs fs;
    S(close, file());
    S(newfstatat, CWD, FILE_A, &st, 0);
    S(newfstatat, CWD, "/dev/null", &st, AT_SYMLINK_NOFOLLOW);
    S(newfstatat, CWD, "/", &st, 0x1800);
    S(newfstatat, CWD, NO_FILE, &st, 0);
    S(fstat, 1, BAD);
    S(statfs, "/proc", &fs);
    S(statfs, NO_FILE, &fs);
    S(faccessat, CWD, FILE_A, R_OK | W_OK);
    S(faccessat, CWD, FILE_A, F_OK);
    S(faccessat2, CWD, FILE_A, X_OK, 0x200 | 0x100);
}

static void statx_call(void)
{
    S(statx, CWD, FILE_A, 0, 0x7ff, buf);
    S(statx, CWD, "/", 0x2000 | 0x100, 0x202, buf);
    S(statx, CWD, "/", 0x800 | 0x100, 1, buf);
    S(statx, CWD, NO_FILE, 0x4000, 0xfff, buf);
}

static void folders(void)
{
    S(mkdirat, CWD, "d", 0755);
    S(mkdirat, CWD, "d", 01777);
    S(symlinkat, "target of it", CWD, "d/link");
    S(readlinkat, CWD, "d/link", buf, 100);
    S(readlinkat, CWD, "d/link", buf, 4);
    S(readlinkat, CWD, "d", buf, 4);
    S(linkat, CWD, "d/link", CWD, "d/hard", 0x400);
    S(linkat, CWD, FILE_A, CWD, "d/hard", 0);
    S(renameat2, CWD, "d/hard", CWD, "d/other", 1);
    S(renameat, CWD, "d/no", CWD, "d/other");
    int fd = S(openat, CWD, "d", O_RDONLY | O_DIRECTORY);
    S(getdents64, fd, buf, sizeof buf);
    S(getdents64, fd, buf, sizeof buf);
    S(fchdir, fd);
    S(chdir, "..");
    S(close, fd);
    S(unlinkat, CWD, "d/link", 0);
    S(unlinkat, CWD, "d/other", 0);
    S(unlinkat, CWD, "d", 0x200);
    S(unlinkat, CWD, "d", 0x200);
    S(mknodat, CWD, "fifo", S_IFIFO | 0600, 0);
    S(unlinkat, CWD, "fifo", 0);
    S(mknodat, CWD, "/no/dev", S_IFCHR | 0666, 0x103);
}

static void attributes(void)
{
    struct timespec t[2] = {{1, 2}, {3, UTIME_OMIT}};
    int fd = file();
    S(fchmod, fd, 0755);
    S(fchmodat, CWD, FILE_A, 04711);
    S(fchown, fd, -1, -1);
    S(fchownat, CWD, FILE_A, -1, -1, AT_SYMLINK_NOFOLLOW);
    S(utimensat, CWD, FILE_A, t, 0);
    t[0].tv_nsec = UTIME_NOW;
    S(utimensat, CWD, FILE_A, t, AT_SYMLINK_NOFOLLOW);
    S(utimensat, fd, NULL, NULL, 0);
    S(umask, 027);
    S(umask, 022);
    S(fallocate, fd, 1, 0L, 4096L);
    S(fallocate, fd, 0x80, 5L, 10L);
    S(fadvise64, fd, 0L, 100L, 3);
    S(sync_file_range, fd, 0L, 10L, 2);
    S(fsync, fd);
    S(fdatasync, fd);
    S(flock, fd, 2 | 4);
    S(flock, fd, 8);
    S(readahead, fd, 0L, 10);
    S(truncate, FILE_A, 3L);
    S(close, fd);
}

static void xattrs(void)
{
    S(setxattr, FILE_A, "user.test", "value", 5, 1);
    S(getxattr, FILE_A, "user.test", buf, 100);
    S(getxattr, FILE_A, "user.test", NULL, 0);
    S(getxattr, NO_FILE, "user.test", buf, 10);
    S(removexattr, FILE_A, "user.test");
}

static void working_folder(void)
{
    S(getcwd, buf, sizeof buf);
    S(getcwd, buf, 1);
    S(chdir, NO_FILE);
}

/* --- descriptors */

static void dups(void)
{
    int fd = file();
    S(dup, fd);
    S(dup3, fd, 20, O_CLOEXEC);
    S(dup3, fd, fd, 0);
    S(fcntl, fd, F_DUPFD_CLOEXEC, 30);
    S(fcntl, fd, F_DUPFD, 40);
    S(close_range, 20, 50, 0);
    S(close_range, 50, -1, CLOSE_RANGE_CLOEXEC);
    S(close_range, 9, 3, 0);
    S(close, fd + 1);
    S(close, fd);
}

static void fcntls(void)
{
    int fd = file();
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 1, .l_len = 5};
    S(fcntl, fd, F_GETFD);
    S(fcntl, fd, F_SETFD, FD_CLOEXEC);
    S(fcntl, fd, F_GETFD);
    S(fcntl, fd, F_GETFL);
    S(fcntl, fd, F_SETFL, O_RDWR | O_APPEND | O_NONBLOCK);
    S(fcntl, fd, F_GETFL);
    S(fcntl, fd, F_SETLK, &lock);
    S(fcntl, fd, F_GETLK, &lock);
    S(fcntl, fd, F_SETSIG, SIGUSR1);
    S(fcntl, fd, F_GETSIG);
    S(fcntl, fd, F_GETOWN);
    S(fcntl, fd, 1024, F_RDLCK);
    S(fcntl, fd, 1025);
    S(fcntl, -1, F_GETFL);
    S(close, fd);
}

static void pipes(void)
{
    int fds[2];
    S(pipe2, fds, O_CLOEXEC | O_NONBLOCK);
    S(fcntl, fds[0], 1032);
    S(fcntl, fds[0], 1031, 65536);
    S(read, fds[0], buf, 10);
    S(write, fds[1], "12345", 5);
    S(ioctl, fds[0], FIONREAD, buf);
    S(close, fds[0]);
    S(close, fds[1]);
    S(pipe2, fds, 0x40000000);
    S(pipe2, BAD, 0);
}

static void splices(void)
{
    int fds[2], fd = file();
    loff_t at = 2;
    S(pipe2, fds, 0);
    S(splice, fd, &at, fds[1], NULL, 5, 1 | 4);
    S(tee, fds[0], fds[1], 5, 2);
    struct iovec v = {"vm", 2};
    S(vmsplice, fds[1], &v, 1, 8);
    S(lseek, fd, 0L, SEEK_SET);
    S(sendfile, fds[1], fd, NULL, 3);
    S(sendfile, fds[1], fd, &at, 3);
    S(copy_file_range, fd, &at, fd, NULL, 1, 0);
    S(close, fds[0]);
    S(close, fds[1]);
    S(close, fd);
}

static void memfds(void)
{
    int fd = S(memfd_create, "name", 3);
    S(fcntl, fd, 1033, 2 | 4);
    S(fcntl, fd, 1034);
    S(close, fd);
}

static void terminals(void)
{
    struct termios t;
    unsigned short w[4];
    int fd = S(openat, CWD, "/dev/null", O_RDWR);
    S(ioctl, fd, TCGETS, &t);
    S(ioctl, fd, TIOCGWINSZ, w);
    S(ioctl, fd, FIOCLEX);
    S(ioctl, fd, 0x1234abcd, 5);
    S(ioctl, fd, 0x80041272, buf);
    S(close, fd);
}

/* --- waiting for descriptors */

static void polls(void)
{
    int fds[2];
    S(pipe2, fds, 0);
    struct pollfd p[3] = {{fds[0], POLLIN, 0}, {fds[1], POLLOUT | POLLERR, 0}, {-1, POLLIN, 0}};
    struct timespec t = {0, 1000};
    S(ppoll, p, 1, &t, NULL, 8);
    S(ppoll, p, 3, &t, NULL, 8);
    unsigned long mask = 1UL << (SIGUSR1 - 1);
    S(ppoll, p, 2, NULL, &mask, 8);
    S(ppoll, BAD, 2, NULL, NULL, 8);
#ifdef SYS_poll
    S(poll, p, 1, 0);
    S(poll, p, 3, -1);
    S(poll, NULL, 0, 1);
    S(poll, p, 0, 1);
    p[0].fd = 77;
    S(poll, p, 1, 100);
#endif
    S(close, fds[0]);
    S(close, fds[1]);
}

static void selects(void)
{
    int fds[2];
    fd_set in, out;
    struct timespec t = {0, 1000};
    S(pipe2, fds, 0);
    FD_ZERO(&in);
    FD_ZERO(&out);
    FD_SET(fds[0], &in);
    S(pselect6, fds[1] + 1, &in, NULL, NULL, &t, NULL);
    FD_SET(fds[0], &in);
    FD_SET(fds[1], &out);
    t.tv_sec = 5;
    struct {
        unsigned long *set, n;
    } mask = {&(unsigned long){1}, 8};
    S(pselect6, fds[1] + 1, &in, &out, NULL, NULL, &mask);
#ifdef SYS_select
    FD_SET(fds[1], &out);
    S(select, fds[1] + 1, NULL, &out, NULL, NULL);
    S(select, 0, NULL, NULL, NULL, (&(struct timeval){0, 100}));
    S(select, -1, NULL, NULL, NULL, NULL);
#endif
    S(close, fds[0]);
    S(close, fds[1]);
}

static void epolls(void)
{
    int fds[2], ep = S(epoll_create1, EPOLL_CLOEXEC);
    struct epoll_event e = {EPOLLIN | EPOLLET | EPOLLRDHUP, {.u64 = 7}}, got[4];
    S(pipe2, fds, 0);
    S(epoll_ctl, ep, EPOLL_CTL_ADD, fds[0], &e);
    e.data.u64 = 0x1122334455667788;
    e.events = EPOLLOUT | EPOLLONESHOT;
    S(epoll_ctl, ep, EPOLL_CTL_ADD, fds[1], &e);
    S(epoll_ctl, ep, EPOLL_CTL_ADD, 77, &e);
    S(epoll_pwait, ep, got, 4, 100, NULL, 8);
    S(epoll_pwait, ep, got, 4, 0, NULL, 8);
    S(epoll_pwait, ep, got, -1, 0, NULL, 8);
    S(epoll_ctl, ep, EPOLL_CTL_DEL, fds[0], NULL);
    S(close, ep);
    S(close, fds[0]);
    S(close, fds[1]);
}

static void eventfds(void)
{
    int fd = S(eventfd2, 3, EFD_NONBLOCK | EFD_SEMAPHORE | EFD_CLOEXEC);
    S(read, fd, buf, 8);
    S(close, fd);
    fd = S(timerfd_create, CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    struct itimerspec t = {{0, 0}, {100, 5}}, old;
    S(timerfd_settime, fd, 0, &t, NULL);
    S(timerfd_settime, fd, TFD_TIMER_ABSTIME, &(struct itimerspec){0}, &old);
    S(close, fd);
    unsigned long set = 1UL << (SIGUSR2 - 1);
    S(close, S(signalfd4, -1, &set, 8, 02000000 | 04000));
    fd = S(inotify_init1, IN_NONBLOCK);
    S(inotify_add_watch, fd, "/", IN_CREATE | IN_DELETE | IN_ONLYDIR);
    S(inotify_rm_watch, fd, 1);
    S(close, fd);
}

/* --- memory */

static void mappings(void)
{
    long p =
        syscall(SYS_mmap, NULL, 8192L, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
    S(mprotect, p, 4096L, PROT_NONE);
    S(mprotect, p, 4096L, PROT_READ | PROT_EXEC);
    S(madvise, p, 8192L, 4);
    S(madvise, p, 8192L, 999);
    S(mincore, p, 8192L, buf);
    S(msync, p, 4096L, MS_SYNC | MS_INVALIDATE);
    S(mlock, p, 4096L);
    S(munlock, p, 4096L);
    S(mlock2, p, 4096L, 1);
    p = syscall(SYS_mremap, p, 8192L, 16384L, MREMAP_MAYMOVE);
    S(munmap, p, 16384L);
    S(munmap, p + 1, 1L);
    int fd = file();
    p = syscall(SYS_mmap, NULL, 4096L, PROT_READ, MAP_SHARED | MAP_POPULATE | MAP_NORESERVE, fd,
                0L);
    S(munmap, p, 4096L);
    S(mmap, NULL, 4096L, PROT_READ, MAP_SHARED, -1, 0x2000L);
    S(mmap, NULL, 0L, 0x10, MAP_PRIVATE | MAP_STACK | MAP_GROWSDOWN | MAP_LOCKED, fd, 0L);
    S(close, fd);
    S(brk, NULL);
    S(mlockall, 99);
    S(munlockall, 0);
    S(mremap, NULL, 1L, 1L, MREMAP_FIXED | MREMAP_MAYMOVE, NULL);
}

const struct syscall_case syscall_cases_files[] = {
    {"open_kinds", open_kinds},
    {"open_odd_names", open_odd_names},
    {"open_how", open_how},
    {"read_write", read_write},
    {"vectors", vectors},
    {"stats", stats},
    {"statx_call", statx_call},
    {"folders", folders},
    {"attributes", attributes},
    {"xattrs", xattrs},
    {"working_folder", working_folder},
    {"dups", dups},
    {"fcntls", fcntls},
    {"pipes", pipes},
    {"splices", splices},
    {"memfds", memfds},
    {"terminals", terminals},
    {"polls", polls},
    {"selects", selects},
    {"epolls", epolls},
    {"eventfds", eventfds},
    {"mappings", mappings},
    {NULL, NULL},
};
