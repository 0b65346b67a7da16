/* What happens to a command when rooftop is killed with SIGKILL. (Forks: not for TSan.) */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/live/source.h"
#include "support/test.h"

extern const struct source_ops source_command;

enum { PATIENCE_MS = 60000 };

static pid_t rooftop, command;
static int lives; /* read end of a pipe that the command and its children hold open: it closes when
                     all of them have ended */

/* Acts as rooftop: starts `sh -c script`, reports its PID, and waits to be killed. */
static _Noreturn void be_rooftop(const char *script, int tell, bool spool)
{
    char *argv[] = {"sh", "-c", (char *)script, NULL};
    struct target t = {.kind = TARGET_COMMAND, .argv = argv, .spool_output = spool};
    struct source_config config = {.target = &t};
    struct source *source;
    if (source_command.open(&source, &config, NULL) != 0 ||
        source_command.start(source, NULL) != 0 ||
        write(tell, &config.command_pid, sizeof config.command_pid) != sizeof config.command_pid)
        _exit(1);
    for (;;)
        pause();
}

/* Each process writes a byte when it runs; waits for all bytes. */
static void start(const char *script, int processes, bool spool)
{
    int tell[2], hold[2];
    char line[512], byte;
    /* orphans become our children, so that we can wait for them */
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    assert_int_equal(pipe2(tell, O_CLOEXEC), 0);
    assert_int_equal(pipe2(hold, O_CLOEXEC), 0);
    snprintf(line, sizeof line, "exec 9>/proc/%d/fd/%d; %s", (int)getpid(), hold[1], script);
    rooftop = fork();
    if (rooftop == 0)
        be_rooftop(line, tell[1], spool);
    assert_int_equal(read(tell[0], &command, sizeof command), sizeof command);
    for (int i = 0; i < processes; i++)
        assert_int_equal(read(hold[0], &byte, 1), 1);
    close(tell[0]);
    close(tell[1]);
    close(hold[1]);
    lives = hold[0];
}

static void kill_rooftop(void)
{
    assert_int_equal(kill(rooftop, SIGKILL), 0);
    assert_int_equal(waitpid(rooftop, NULL, 0), rooftop);
}

/* Waits until all processes that hold the pipe have ended. */
static void all_end(void)
{
    struct pollfd p = {.fd = lives, .events = POLLIN};
    char byte;
    if (poll(&p, 1, PATIENCE_MS) != 1 || read(lives, &byte, 1) != 0)
        fail_msg("the command %d lives on", (int)command);
    close(lives);
    while (waitpid(-1, NULL, 0) > 0) /* orphans of ours by now */
        ;
}

TEST(a_command_ends_with_a_killed_rooftop)
{
    for (int spool = 0; spool < 2; spool++) {
        start("echo >&9; exec sleep 1000", 1, spool);
        kill_rooftop();
        all_end();
    }
}

TEST(children_of_the_command_end_too)
{
    start("(echo >&9; exec sleep 1000) & (echo >&9; exec sleep 1000) & wait", 2, true);
    kill_rooftop();
    all_end();
}

/* A stopped process gets the signal only after SIGCONT. */
TEST(a_stopped_command_ends_too)
{
    start("echo >&9; exec sleep 1000", 1, true);
    assert_int_equal(kill(command, SIGSTOP), 0);
    kill_rooftop();
    all_end();
}

/* A command that changes its user or executes a set-user-ID program must end too; exec of such a
 * program would clear PR_SET_PDEATHSIG. */
TEST(a_command_of_another_user_ends_too)
{
    if (geteuid() != 0 || access("/usr/bin/setpriv", X_OK) != 0) {
        print_message("skipped: needs root and setpriv\n");
        skip();
    }
    start("echo >&9; exec setpriv --reuid 12345 --regid 12345 --clear-groups sleep 1000", 1, true);
    kill_rooftop();
    all_end();
}

/* With nohup the user asks that the command keeps running. */
TEST(a_command_that_ignores_hup_keeps_running)
{
    char byte;
    start("trap '' HUP; echo >&9; while :; do sleep 0.1; echo >&9; done", 1, true);
    kill_rooftop();
    int left = 0;
    pid_t watcher = waitpid(-1, NULL, 0); /* the watcher has signalled the group and ended */
    assert_true(watcher > 0 && watcher != command);
    while (poll(&(struct pollfd){.fd = lives, .events = POLLIN}, 1, 0) == 1 && left++ < 100000)
        if (read(lives, &byte, 1) != 1)
            break;
    assert_int_equal(read(lives, &byte, 1), 1); /* the command still runs */
    assert_int_equal(kill(-command, SIGKILL), 0);
    while (read(lives, &byte, 1) > 0)
        ;
    close(lives);
    while (waitpid(-1, NULL, 0) > 0)
        ;
}

/* When the command has ended, its PID may belong to another process: nothing is signalled, and the
 * watcher ends. */
TEST(the_watcher_ends_with_its_command)
{
    char *argv[] = {"true", NULL};
    struct target t = {.kind = TARGET_COMMAND, .argv = argv, .spool_output = true};
    struct source_config config = {.target = &t};
    struct source *source;
    assert_int_equal(source_command.open(&source, &config, NULL), 0);
    assert_int_equal(source_command.start(source, NULL), 0);
    siginfo_t info;
    assert_int_equal(waitid(P_PID, (id_t)config.command_pid, &info, WEXITED | WNOWAIT), 0);
    struct snapshot *s = snapshot_new(NULL);
    source_command.poll(source, s, 1);
    assert_false(s->command.running);
    /* no child is left: the watcher has ended too */
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    snapshot_unref(s);
    source_command.close(source);
}
