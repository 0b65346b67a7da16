/*
 * load SLEEPERS BURN_PERCENT: makes a busy machine. Starts SLEEPERS processes that sleep, and one
 * that is busy for that share of each 100 ms. All end with their parent, or when standard input is
 * closed.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void burn(double share)
{
    for (double next = now();;) {
        double busy_until = next + 0.1 * share;
        while (now() < busy_until)
            ;
        next += 0.1;
        double rest = next - now();
        if (rest > 0)
            nanosleep(&(struct timespec){.tv_nsec = (long)(rest * 1e9)}, NULL);
    }
}

int main(int argc, char **argv)
{
    int sleepers = argc > 1 ? atoi(argv[1]) : 400;
    double share = (argc > 2 ? atof(argv[2]) : 33) / 100;
    if (sleepers < 0 || sleepers > 100000 || share < 0 || share > 0.99)
        return 2;
    pid_t parent = getpid();
    for (int i = 0; i <= sleepers; i++) {
        pid_t pid = fork();
        if (pid < 0) {
            perror("load: fork");
            return 1;
        }
        if (pid > 0)
            continue;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(0);
        if (i == sleepers && share > 0)
            burn(share);
        for (;;)
            pause();
    }
    puts("ready");
    fflush(stdout);
    for (char c; read(STDIN_FILENO, &c, 1) > 0;)
        ;
    return 0;
}
