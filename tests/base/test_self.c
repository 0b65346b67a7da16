/* rooftop starts itself again: its output is read, failures are reported, and it ends with its
 * parent. */
#include "base/self.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

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

static void test_output_and_messages_come_back_apart(void **state)
{
    (void)state;
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

static void test_output_need_not_be_read(void **state)
{
    (void)state;
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

static void test_it_has_a_group_of_its_own(void **state)
{
    (void)state;
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

static void test_it_is_ended_with_all_that_it_started(void **state)
{
    (void)state;
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

static void test_how_it_ended_before_is_told(void **state)
{
    (void)state;
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
static void test_children_are_reaped_without_waiting(void **state)
{
    (void)state;
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

static void test_a_failed_start_is_an_error(void **state)
{
    (void)state;
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

static void test_it_is_this_program_by_default(void **state)
{
    (void)state;
    unsetenv("ROOFTOP_SELF");
    assert_string_equal(self_program(), "/proc/self/exe");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_output_and_messages_come_back_apart),
        cmocka_unit_test(test_output_need_not_be_read),
        cmocka_unit_test(test_it_has_a_group_of_its_own),
        cmocka_unit_test(test_it_is_ended_with_all_that_it_started),
        cmocka_unit_test(test_how_it_ended_before_is_told),
        cmocka_unit_test(test_children_are_reaped_without_waiting),
        cmocka_unit_test(test_a_failed_start_is_an_error),
        cmocka_unit_test(test_it_is_this_program_by_default),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
