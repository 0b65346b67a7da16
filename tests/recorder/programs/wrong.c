/* Calls with wrong addresses and numbers: the kernel's answers, not a crash. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static void try(const char *name, long result)
{
    printf("%s %ld %d\n", name, result, errno);
    errno = 0;
}

/* Parts of the heap and the stack that are taken away, given back, and taken away for good. */
static void try_heap(void)
{
    enum { PAGE = 4096 };
    char *at = sbrk(0);
    const long odd = (PAGE - (long)at % PAGE) % PAGE;
    at = (char *)sbrk(5 * PAGE + odd) + odd;
    const int fd = open("/dev/shm", O_TMPFILE | O_RDWR, 0600);
    try("heap", write(fd, at, PAGE));
    mprotect(at, PAGE, PROT_NONE);
    try("protected", write(fd, at, PAGE));
    try("half protected", write(fd, at + PAGE / 2, PAGE));
    mprotect(at, PAGE, PROT_READ | PROT_WRITE);
    try("again", write(fd, at, PAGE));
    munmap(at, PAGE);
    try("unmapped", write(fd, at, PAGE));
    try("path", open(at, O_RDONLY));
    sbrk(-2 * PAGE);
    try("shrunk", write(fd, at + 4 * PAGE, 64));
    try("stack", write(fd, (char *)__builtin_frame_address(0) + 16 * PAGE * PAGE, 64));
    close(fd);
}

/* The same heap, when nobody has touched it but by brk. */
static void try_break(void)
{
    enum { PAGE = 4096 };
    char *at = sbrk(4 * PAGE);
    const int fd = open("/dev/shm", O_TMPFILE | O_RDWR, 0600);
    try("break", write(fd, at, 2 * PAGE));
    sbrk(-4 * PAGE);
    try("no break", write(fd, at + 2 * PAGE, 64));
    close(fd);
}

int main(void)
{
    setvbuf(stdout, NULL, _IONBF, 0); /* its buffer would lie in the heap */
    try_break();
    try_heap();

    char *const bad = (char *)8; /* NOLINT: a wrong address is what is tried */
    sigset_t all;
    const struct timespec soon = {.tv_nsec = 1000};
    try("sigprocmask", syscall(SYS_rt_sigprocmask, SIG_BLOCK, bad, NULL, 8));
    try("sigaction", syscall(SYS_rt_sigaction, SIGSYS, bad, NULL, 8));
    try("sigaction", syscall(SYS_rt_sigaction, SIGUSR1, bad, NULL, 8));
    try("size", syscall(SYS_rt_sigaction, SIGSYS, NULL, NULL, 4));
    try("execve", syscall(SYS_execve, bad, NULL, NULL));
    try("arguments", syscall(SYS_execve, "/bin/true", bad, bad));
    try("clone3", syscall(SYS_clone3, bad, 88));
    try("sigsuspend", syscall(SYS_rt_sigsuspend, bad, 8));
    try("-1", syscall(-1));
    try("700", syscall(700));
    sigfillset(&all);
    try("ppoll", ppoll(NULL, 0, &soon, &all));
    try("pselect", syscall(SYS_pselect6, 0, NULL, NULL, NULL, &soon, bad));
    return 0;
}
