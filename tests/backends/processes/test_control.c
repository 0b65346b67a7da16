/* Sends signals and nice values to the test's own processes. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/common/proc_file.h"
#include "backends/common/proc_parse.h"
#include "backends/processes/control.h"
#include "support/skip.h"
#include "support/test.h"

static struct pid_stat stat_of(pid_t pid)
{
    char path[64], text[1024];
    struct pid_stat st = {0};
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    ssize_t n = file_read(path, text, sizeof text);
    assert_true(n > 0);
    assert_int_equal(parse_pid_stat(text, (size_t)n, &st), 0);
    return st;
}

static pid_t sleeper(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* if the test fails, the process must not stay */
        for (;;)
            pause();
    }
    assert_true(pid > 0);
    return pid;
}

static void put_away(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

TEST(signal_reaches_the_process)
{
    struct error err = ERROR_INIT;
    pid_t pid = sleeper();
    int status;
    assert_int_equal(control_signal(pid, stat_of(pid).start_ticks, SIGUSR2, &err), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGUSR2);
}

/* The PID is right, but the process is another one than was shown. */
TEST(another_process_with_its_number_is_not_hit)
{
    struct error err = ERROR_INIT;
    pid_t pid = sleeper();
    struct pid_stat before = stat_of(pid);
    assert_int_equal(control_signal(pid, before.start_ticks - 1, SIGKILL, &err), -ESRCH);
    assert_string_equal(err.why, "it has ended; another process has its number now");
    assert_int_equal(control_nice(pid, before.start_ticks + 1, 7, &err), -ESRCH);
    assert_int_equal(getpriority(PRIO_PROCESS, (id_t)pid), before.nice);
    assert_int_equal(waitpid(pid, NULL, WNOHANG), 0); /* it lives */
    put_away(pid);
}

TEST(ended_process_is_told)
{
    struct error err = ERROR_INIT;
    pid_t pid = sleeper();
    uint64_t start = stat_of(pid).start_ticks;
    put_away(pid);
    assert_int_equal(control_signal(pid, start, SIGTERM, &err), -ESRCH);
    assert_non_null(strstr(err.why, "it has ended"));
    assert_non_null(strstr(err.what, "SIGTERM to"));
    assert_int_equal(control_nice(pid, start, 3, &err), -ESRCH);
    assert_int_equal(err.kind, ERROR_TARGET);
}

static void *wait_for_ever(void *arg)
{
    (void)arg;
    for (;;)
        pause();
    return NULL;
}

/* The tests raise the nice value by up to 3, and 19 is the highest. */
static void needs_a_nice_value_that_can_rise(void)
{
    if (getpriority(PRIO_PROCESS, 0) > 16)
        skip_because("nice values: the tests run with the highest; run them without nice");
}

TEST(nice_is_of_all_threads)
{
    needs_a_nice_value_that_can_rise();
    struct error err = ERROR_INIT;
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t pid = fork();
    if (pid == 0) {
        pthread_t t;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (int i = 0; i < 3; i++)
            pthread_create(&t, NULL, wait_for_ever, NULL);
        if (write(ready[1], "x", 1) == 1)
            wait_for_ever(NULL);
        _exit(1);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    struct pid_stat st = stat_of(pid);
    assert_true(st.threads >= 4); /* a sanitizer adds threads of its own */
    assert_int_equal(control_nice(pid, st.start_ticks, st.nice + 3, &err), 0);
    for (int i = 0; i < 4; i++) /* their TIDs are consecutive except for other processes' threads */
        if (syscall(SYS_tgkill, pid, pid + i, 0) == 0)
            assert_int_equal(getpriority(PRIO_PROCESS, (id_t)(pid + i)), st.nice + 3);
    assert_int_equal(stat_of(pid).nice, st.nice + 3);
    put_away(pid);
    close(ready[0]);
    close(ready[1]);
}

/* Runs fn as an ordinary user in a child process; returns its exit status. */
static int as_nobody(int (*fn)(pid_t pid, uint64_t start), pid_t pid)
{
    uint64_t start = stat_of(pid).start_ticks;
    int status;
    pid_t child = fork();
    if (child == 0) {
        struct rlimit none = {0, 0};
        setrlimit(RLIMIT_NICE, &none);
        if (setresgid(65534, 65534, 65534) != 0 || setresuid(65534, 65534, 65534) != 0)
            _exit(99);
        _exit(fn(pid, start));
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int signal_a_stranger(pid_t pid, uint64_t start)
{
    struct error err = ERROR_INIT;
    if (control_signal(pid, start, SIGKILL, &err) != -EPERM)
        return 1;
    return strcmp(err.why, "it belongs to root") != 0                                           ? 2
           : strstr(err.help, "sudo") == NULL                                                   ? 3
           : control_nice(pid, start, getpriority(PRIO_PROCESS, (id_t)pid) + 2, &err) != -EPERM ? 4
           : strcmp(err.why, "it belongs to root") != 0                                         ? 5
                                                                                                : 0;
}

static int lower_own(pid_t pid, uint64_t start)
{
    struct error err = ERROR_INIT;
    (void)pid, (void)start;
    uint64_t own = stat_of(getpid()).start_ticks;
    int now = getpriority(PRIO_PROCESS, 0);
    if (control_nice(getpid(), own, now + 2, &err) != 0)
        return 1;
    if (control_nice(getpid(), own, now + 1, &err) != -EACCES)
        return 2;
    return strcmp(err.why, "only root may lower a nice value here") != 0 ? 3 : 0;
}

TEST(refusals_say_whose_it_is)
{
    if (geteuid() != 0) {
        fprintf(stderr, "skipped: only root can become somebody else\n");
        skip();
    }
    needs_a_nice_value_that_can_rise();
    pid_t pid = sleeper();
    assert_int_equal(as_nobody(signal_a_stranger, pid), 0);
    assert_int_equal(as_nobody(lower_own, pid), 0);
    assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);
    put_away(pid);
}
