/* A program is ended with all that it started, in whatever session. Forks: not for TSan. */
#include "base/family.h"
#include "support/test.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LONG_MS = 100000 }; /* no test waits so long, unless it fails */

/* Each process that sh starts has the end of a pipe; the pipe's end of file is the end of them all.
 */
struct held {
    const char *command;
    int fd[2];
};

static void become(const void *ctx)
{
    const struct held *h = ctx;
    dup2(h->fd[1], 1);
    execl("/bin/sh", "sh", "-c", h->command, (char *)NULL);
}

static pid_t start(struct held *h, enum family_until until)
{
    assert_int_equal(pipe(h->fd), 0);
    const pid_t pid = family_start(become, h, until);
    close(h->fd[1]);
    assert_true(pid > 0);
    return pid;
}

/* Reads n bytes; 0: to the end of all processes. */
static void hear(struct held *h, int n)
{
    char byte;
    struct pollfd p = {.fd = h->fd[0], .events = POLLIN};
    for (int i = 0; n == 0 || i < n; i++) {
        assert_int_equal(poll(&p, 1, LONG_MS), 1);
        if (read(h->fd[0], &byte, 1) == 0) {
            assert_int_equal(n, 0);
            close(h->fd[0]);
            return;
        }
    }
}

static int wait_for(pid_t pid)
{
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

/* They say that they have left before the program ends. */
#define LEAVE "setsid sh -c '(sleep 1000 & sleep 1000 & echo x); exec sleep 1000' & "

TEST(what_it_leaves_behind_is_ended_with_it)
{
    struct held h = {.command = LEAVE "kill -STOP $$"};
    pid_t pid = start(&h, FAMILY_FIRST);
    int status = 0;
    hear(&h, 2);
    family_end(pid, &status); /* the first is stopped: it has not ended by itself */
    hear(&h, 0);
    h.command = "(setsid setsid sleep 1000 &) ; exit 7";
    pid = start(&h, FAMILY_FIRST);
    hear(&h, 0);
    status = wait_for(pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    h.command = LEAVE "kill -9 $$";
    pid = start(&h, FAMILY_FIRST);
    hear(&h, 0);
    status = wait_for(pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

TEST(or_waited_for)
{
    struct held h = {.command = "setsid sh -c 'sleep 0.1; echo x' & exit 3"};
    const pid_t pid = start(&h, FAMILY_LAST);
    hear(&h, 1);
    hear(&h, 0);
    const int status = wait_for(pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 3);
}

/* Each starts the next, in a session of its own, and ends; beside it 50 wait. */
TEST(what_starts_others_all_the_time_is_ended)
{
    struct held h = {.command =
                         "echo 'echo x; setsid sh -c \"$S\" & exit' | { read -r S; export S; "
                         "for i in $(seq 50); do setsid sleep 1000 & done; "
                         "setsid sh -c \"$S\"; }; sleep 1000"};
    int status = 0;
    const pid_t pid = start(&h, FAMILY_LAST);
    hear(&h, 20);
    family_end(pid, &status);
    hear(&h, 0);
}

/* The one that started it is killed. */
TEST(nobody_outlives_the_one_that_started_it)
{
    struct held h = {.command = LEAVE "sleep 1000"};
    assert_int_equal(pipe(h.fd), 0);
    const pid_t pid = fork();
    if (pid == 0) {
        family_start(become, &h, FAMILY_FIRST);
        for (;;)
            pause();
    }
    close(h.fd[1]);
    hear(&h, 2);
    kill(pid, SIGKILL);
    wait_for(pid);
    hear(&h, 0);
}

/* It may stop the one that adopts, and every signal to its group reaches only its group. */
TEST(signals_to_its_parent_do_not_help)
{
    int status = 0;
    struct held h = {.command = "kill -STOP $PPID; echo x; sleep 1000"};
    pid_t pid = start(&h, FAMILY_LAST);
    hear(&h, 2);
    family_end(pid, &status);
    hear(&h, 0);
    h.command = LEAVE "kill -9 0";
    pid = start(&h, FAMILY_FIRST);
    hear(&h, 0);
    status = wait_for(pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}
