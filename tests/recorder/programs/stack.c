/*
 * How much of the program's stack the recorder uses: calls made on an alternate signal stack that
 * is filled with a pattern, and how far below the caller the pattern is gone. Prints the bytes.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIZE = 256 * 1024, PATTERN = 0xa5, TIMES = 1500 }; /* times: a ring gets full */
static unsigned char area[SIZE] __attribute__((aligned(64)));
static const unsigned char *volatile caller;
static int which, zero, pair[2];

static void make(void)
{
    static char text[2][16] = {"two", "texts"};
    static struct iovec parts[] = {{text[0], 3}, {text[1], 5}};
    static struct mmsghdr messages[2] = {{.msg_hdr = {.msg_iov = parts, .msg_iovlen = 2}},
                                         {.msg_hdr = {.msg_iov = parts, .msg_iovlen = 2}}};
    static const char *const list[] = {"one", "two", NULL};
    static unsigned long mask[2];
    static char action[32];
    switch (which) {
    case 0:
        syscall(SYS_sendmmsg, pair[0], messages, 2, MSG_DONTWAIT);
        syscall(SYS_recvmmsg, pair[1], messages, 2, MSG_DONTWAIT, NULL);
        break;
    case 1:
        syscall(SYS_execve, "/nonexistent", list, list);
        break;
    case 2:
        if (syscall(SYS_fork) == 0)
            syscall(SYS_exit_group, 0);
        wait(NULL);
        break;
    case 3:
        syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, mask, 8);
        syscall(SYS_rt_sigaction, SIGSYS, NULL, action, 8);
        syscall(SYS_rt_sigaction, SIGUSR2, NULL, action, 8);
        break;
    case 4:
        syscall(SYS_mmap, NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, zero, 0);
        break;
    default:
        syscall(SYS_getppid);
    }
}

static void on_signal(int signo)
{
    (void)signo;
    caller = __builtin_frame_address(0);
    for (int i = which == 0 || which > 4 ? TIMES : 3; i > 0; i--)
        make();
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"messages", "execve", "fork", "masks", "mmap", "plain"};
    const stack_t own = {.ss_sp = area, .ss_size = sizeof area};
    const struct sigaction a = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    long most = 0;
    socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
    zero = open(argv[0], O_RDONLY);
    sigaltstack(&own, NULL);
    sigaction(SIGUSR1, &a, NULL);
    raise(SIGUSR1); /* what is called is known to the dynamic linker from now on */
    for (which = 0; which < 6; which++) {
        make();
        memset(area, PATTERN, sizeof area);
        raise(SIGUSR1);
        const unsigned char *lowest = area;
        while (*lowest == PATTERN)
            lowest++;
        if (argc > 1)
            printf("%s %ld\n", names[which], (long)(caller - lowest));
        if (caller - lowest > most)
            most = caller - lowest;
    }
    printf("most %ld\n", most);
    return 0;
}
