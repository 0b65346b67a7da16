/*
 * Signals that come at any moment: a timer each 50 us during calls and forks, jumps out of handlers
 * that interrupted a call, masks that block everything. It prints what a tracer must have seen.
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CALLS = 300000, CHILDREN = 50, JUMPS = 100 };
static volatile long hits;
static sigjmp_buf before_pause;

static void on_timer(int signo)
{
    (void)signo;
    syscall(SYS_getsid, 0);
    hits++;
    syscall(SYS_getsid, 0);
}

static void on_jump(int signo)
{
    (void)signo;
    siglongjmp(before_pause, 1);
}

static void set_timer(int us)
{
    const struct itimerval t = {{0, us}, {0, us}};
    setitimer(ITIMER_REAL, &t, NULL);
}

static int wait_for(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WEXITSTATUS(status);
}

static int make_children(void)
{
    int right = 0;
    for (int i = 0; i < CHILDREN; i++) {
        const pid_t child = i % 5 ? fork() : vfork(); /* NOLINT: vfork is what is tried */
        if (child == 0)
            _exit(i);
        right += wait_for(child) == i;
    }
    return right;
}

static int jump(void)
{
    static volatile int n;
    for (n = 0; n < JUMPS; n++) {
        static volatile pid_t child;
        if (sigsetjmp(before_pause, 1) == 0) {
            child = fork();
            if (child == 0) {
                usleep(100);
                kill(getppid(), SIGUSR1);
                _exit(0);
            }
            for (;;)
                pause();
        }
        wait_for(child);
    }
    return n;
}

/* What a program sees of SIGSYS, which the recorder keeps for itself. */
static void print_sigsys(void)
{
    sigset_t all, now;
    struct sigaction ignore = {.sa_handler = SIG_IGN}, is;
    const struct timespec soon = {.tv_nsec = 1000};
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    sigprocmask(0, NULL, &now);
    printf("blocked %d", sigismember(&now, SIGSYS));
    printf(" pselect %d", pselect(0, NULL, NULL, NULL, &soon, &all));
    sigprocmask(SIG_UNBLOCK, &all, NULL);
    sigprocmask(0, NULL, &now);
    printf(" open %d", sigismember(&now, SIGSYS));
    sigaction(SIGSYS, &ignore, NULL);
    sigaction(SIGSYS, NULL, &is);
    raise(SIGSYS);
    printf(" ignored %d\n", is.sa_handler == SIG_IGN);
}

int main(void)
{
    struct sigaction a = {.sa_handler = on_timer, .sa_flags = SA_RESTART};
    long wrong = 0;
    sigaction(SIGALRM, &a, NULL);
    set_timer(50);
    for (int i = 0; i < CALLS; i++)
        wrong += syscall(SYS_sched_yield) != 0;
    const int children = make_children();
    set_timer(0);
    a.sa_handler = on_jump;
    a.sa_flags = 0;
    sigaction(SIGUSR1, &a, NULL);
    const int jumps = jump();
    print_sigsys();
    printf("wrong %ld children %d jumps %d hits %ld\n", wrong, children, jumps, hits);
    return 0;
}
