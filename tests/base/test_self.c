/* rooftop starts itself again: its output is read, failures are reported, and it ends with its
 * parent. */
#include "base/self.h"
#include "support/test.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char all[4096];

static const char *read_all(int fd)
{
    size_t n = 0;
    ssize_t got;
    while (n < sizeof all - 1 && (got = read(fd, all + n, sizeof all - 1 - n)) > 0)
        n += (size_t)got;
    all[n] = 0;
    close(fd);
    return all;
}

TEST(test_output_and_messages_come_back_apart)
{
    setenv("ROOFTOP_SELF", "/bin/sh", 1);
    struct error err = ERROR_INIT;
    pid_t pid;
    int out, errors, status;
    char *argv[] = {NULL, "-c", "cat; echo said; echo wrong >&2; exit 7", NULL};
    assert_int_equal(self_start(argv, &pid, &out, &errors, &err), 0);
    assert_string_equal(read_all(out), "said\n"); /* its standard input was empty */
    assert_string_equal(read_all(errors), "wrong\n");
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

TEST(test_output_need_not_be_read)
{
    setenv("ROOFTOP_SELF", "/bin/sh", 1);
    pid_t pid;
    int status;
    char *argv[] = {NULL, "-c", "echo said; echo wrong >&2; kill -TERM $$", NULL};
    signal(SIGTERM, SIG_IGN); /* only here; the child gets the default */
    assert_int_equal(self_start(argv, &pid, NULL, NULL, NULL), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    signal(SIGTERM, SIG_DFL);
}

TEST(test_it_has_a_group_of_its_own)
{
    setenv("ROOFTOP_SELF", "/bin/sh", 1);
    pid_t pid;
    int out;
    char *argv[] = {NULL, "-c", "echo ready; exec sleep 1000", NULL};
    char line[8] = "";
    assert_int_equal(self_start(argv, &pid, &out, NULL, NULL), 0);
    assert_int_equal(read(out, line, 6), 6);
    assert_int_equal(getpgid(pid), pid);
    kill(-pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    close(out);
}

TEST(test_it_is_ended_with_all_that_it_started)
{
    setenv("ROOFTOP_SELF", "/bin/sh", 1);
    pid_t pid;
    int out;
    char byte, *argv[] = {NULL, "-c", "trap '' TERM; echo x; sleep 1000 & sleep 1000", NULL};
    assert_int_equal(self_start(argv, &pid, &out, NULL, NULL), 0);
    assert_int_equal(read(out, &byte, 1), 1);
    const int status = self_end(pid, 60000);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    while (read(out, &byte, 1) == 1) /* until the other end is closed */
        continue;
    close(out);
    assert_int_equal(waitpid(-1, NULL, 0), -1); /* it was reaped */
}

TEST(test_how_it_ended_before_is_told)
{
    setenv("ROOFTOP_SELF", "/bin/sh", 1);
    pid_t pid;
    siginfo_t gone;
    char *argv[] = {NULL, "-c", "exit 7", NULL};
    assert_int_equal(self_start(argv, &pid, NULL, NULL, NULL), 0);
    assert_int_equal(waitid(P_PID, (id_t)pid, &gone, WEXITED | WNOWAIT), 0);
    const int status = self_end(pid, 0);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

/* A child that is not waited for leaves no zombie. */
TEST(test_children_are_reaped_without_waiting)
{
    setenv("ROOFTOP_SELF", "/bin/sh", 1);
    siginfo_t gone;
    char *argv[] = {NULL, "-c", "exec sleep 1000", NULL};
    for (int i = 0; i < 20; i++) {
        pid_t pid;
        assert_int_equal(self_start(argv, &pid, NULL, NULL, NULL), 0);
        self_end(pid, 0);
    }
    for (int i = 0; waitid(P_ALL, 0, &gone, WEXITED | WNOHANG | WNOWAIT) == 0; i++) {
        assert_true(i < 20000);
        usleep(500);
    }
}

TEST(test_a_failed_start_is_an_error)
{
    setenv("ROOFTOP_SELF", "/nonexistent/rooftop", 1);
    struct error err = ERROR_INIT;
    pid_t pid = -1;
    int out = -1, errors = -1;
    char *argv[] = {NULL, NULL};
    assert_int_equal(self_start(argv, &pid, &out, &errors, &err), -ENOENT);
    assert_string_equal(err.what, "start rooftop again");
    assert_non_null(strstr(err.why, "/nonexistent/rooftop"));
    assert_int_equal(pid, -1);
    assert_int_equal(waitpid(-1, NULL, 0), -1); /* no child is left */
}

TEST(test_it_is_this_program_by_default)
{
    unsetenv("ROOFTOP_SELF");
    assert_string_equal(self_program(), "/proc/self/exe");
}
