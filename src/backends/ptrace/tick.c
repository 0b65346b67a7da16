/*
 * The timer interrupts waitpid. A single signal is not enough: if it came just before waitpid
 * blocks, waitpid would sleep on. The timer's next tick wakes it.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "backends/ptrace/internal.h"
#include "base/arena.h"

/* This signal is ignored by default, so a late one does no harm. */
enum { TICK_SIGNAL = SIGURG, FIRST_NS = 100000000 };

struct tracees_tick {
    timer_t timer;
    struct sigaction before;
    sigset_t mask;
    uint64_t ns;
};

static void nothing(int signo)
{
    (void)signo;
}

void tracees_wake(pid_t thread)
{
    syscall(SYS_tgkill, getpid(), thread, TICK_SIGNAL);
}

int tracees_tick_open(struct tracees *t)
{
    struct tracees_tick *k = xcalloc(1, sizeof *k);
    struct sigaction sa = {.sa_handler = nothing}; /* not SA_RESTART: waitpid has to return */
    struct sigevent how = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = TICK_SIGNAL};
    sigset_t set;
    how._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    if (timer_create(CLOCK_MONOTONIC, &how, &k->timer) != 0) {
        free(k);
        return -errno;
    }
    sigemptyset(&sa.sa_mask);
    sigaction(TICK_SIGNAL, &sa, &k->before);
    sigemptyset(&set);
    sigaddset(&set, TICK_SIGNAL);
    pthread_sigmask(SIG_UNBLOCK, &set, &k->mask);
    t->tick = k;
    tracees_tick_set(t, FIRST_NS);
    return 0;
}

void tracees_tick_set(struct tracees *t, uint64_t ns)
{
    struct tracees_tick *k = t->tick;
    if (k->ns == ns)
        return;
    struct timespec each = {.tv_sec = (time_t)(ns / 1000000000),
                            .tv_nsec = (long)(ns % 1000000000)};
    struct itimerspec when = {.it_interval = each, .it_value = each};
    timer_settime(k->timer, 0, &when, NULL);
    k->ns = ns;
}

void tracees_tick_close(struct tracees *t)
{
    struct tracees_tick *k = t->tick;
    if (!k)
        return;
    timer_delete(k->timer);
    sigaction(TICK_SIGNAL, &k->before, NULL);
    pthread_sigmask(SIG_SETMASK, &k->mask, NULL);
    free(k);
    t->tick = NULL;
}
